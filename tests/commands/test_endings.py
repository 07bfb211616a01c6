"""The format of an output by the ending of its name."""

import gzip
import json
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.commands.endings import endings_of, format_by_ending
from swgui.core.errors import InvalidParameter
from swgui.io.unpacking import zstd_module

ENDINGS = endings_of((("tsv", ".tsv"), ("blast6", ".tsv"), ("json", ".json"), ("text", ".txt")))
SEQUENCES = ">a\nMKVLAAGIVGLLLAQWERTYHHPLK\n>b\nMKVLAAGIVGLLLAQWERTYHHPLR\n"

COMMANDS = {
    "search": (["search", "-q", "s.fa", "-d", "s.fa", "--engine", "cpu"], "json"),
    "pair": (["pair", "s.fa", "s.fa", "--query-id", "a", "--subject-id", "b"], "json"),
    "rule": (["rule", "peptides", "-q", "p.fa", "-d", "s.fa", "--mismatches", "0"], "json"),
    "cluster": (["cluster", "s.fa", "--engine", "cpu"], "json"),
    "split": (["split", "s.fa", "--engine", "cpu", "--bins", "50,50", "--names", "x,y", "--drop"], "json"),
}


@pytest.mark.parametrize(
    ("out", "given", "form"),
    [
        ("hits.json", None, "json"),
        ("hits.JSON", None, "json"),
        ("hits.tsv.gz", None, "tsv"),
        ("hits.json.zst", None, "json"),
        ("hits.tsv", "blast6", None),
        ("hits.txt", "json", None),
        ("hits.txt", None, "text"),
        ("hits.out", None, None),
        ("hits", "json", None),
        (None, None, None),
    ],
)
def test_ending_decides(out: str | None, given: str | None, form: str | None) -> None:
    assert format_by_ending(out, given, ENDINGS) == form


@pytest.mark.parametrize(
    ("out", "given", "message"),
    [
        ("hits.json", "tsv", "--format tsv contradicts the ending of 'hits.json', which stands for json"),
        ("hits.tsv.gz", "json", "stands for tsv or blast6"),
        ("hits.swgui", None, "has the ending of a saved search"),
        ("hits.swdb", "tsv", "has the ending of a database"),
    ],
)
def test_contradictions_are_refused(out: str, given: str | None, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        format_by_ending(out, given, ENDINGS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "s.fa").write_text(SEQUENCES)
    (tmp_path / "p.fa").write_text(">p\nGIVGLLLAQ\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_writes_by_the_ending(name: str, folder: Path) -> None:
    words, form = COMMANDS[name]
    assert main([*words, "-o", f"out.{form}"]) == 0
    assert json.loads((folder / f"out.{form}").read_text())
    assert main([*words, "-o", f"out.{form}.gz"]) == 0
    assert json.loads(gzip.decompress((folder / f"out.{form}.gz").read_bytes()))


def test_a_contradiction_is_wrong_usage(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, _ in COMMANDS.values():
        assert main([*words, "--format", "csv", "-o", "out.json"]) == 2
        assert "contradicts the ending of 'out.json'" in capsys.readouterr().err
    assert not (folder / "out.json").exists()


def test_outputs_are_compressed_by_their_ending(folder: Path) -> None:
    words, _ = COMMANDS["search"]
    for place in ("hits.tsv", "hits.tsv.gz", "hits.tsv.zst"):
        assert main([*words, "-o", place]) == 0
    plain = (folder / "hits.tsv").read_bytes()
    assert plain.startswith(b"rank\tqseqid\t")
    assert gzip.decompress((folder / "hits.tsv.gz").read_bytes()) == plain
    assert zstd_module().decompress((folder / "hits.tsv.zst").read_bytes()) == plain
