"""``swgui deeper``: second opinions on hits, and what is reached through them."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from swgui.cli import main
from swgui.core.profiles.evidence import Evidence
from swgui.core.records import SequenceRecord
from swgui.jobs.iterate import forward
from tests.jobs.iterate.two_domains import with_two_domains


def fasta(path: Path, records: list[SequenceRecord]) -> str:
    path.write_text("".join(f">{one.id}\n{one.residues.decode()}\n" for one in records))
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """The family, and a protein of two domains: kin4 and another one, of which there is a relative."""
    records = with_two_domains()
    query = [one for one in records if one.id == "kin0"]
    return fasta(tmp_path / "q.fasta", query), fasta(tmp_path / "db.fasta", records)


def table(text: str) -> dict[str, dict[str, str]]:
    head, *lines = (line.split("\t") for line in text.splitlines())
    return {line[1]: dict(zip(head, line, strict=True)) for line in lines}


def test_profiles_agree_and_neighbours_have_a_path_and_no_evalue(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["deeper", "-q", files[0], "-d", files[1], "--engine", "cpu", "--iterations", "3", "--best", "20"]
    assert main([*words, "--profiles", "--neighbours"]) == 0
    found = table(capsys.readouterr().out)
    family = [found[f"kin{n}"] for n in range(1, 16)]
    assert all(float(one["profile_evalue"]) < 1e-6 for one in family)
    strangers = [one for name, one in found.items() if name.startswith("other") and one["profile_evalue"] != "."]
    assert strangers
    assert all(float(one["profile_evalue"]) > 1e-3 for one in strangers)
    beyond = found["beyond"]
    assert beyond["path"] == "both > beyond (another domain)"
    assert float(beyond["evalue"]) > 0.01
    first, second = map(float, beyond["path_evalues"].split(";"))
    assert first == float(found["both"]["evalue"])
    assert second < 1e-3
    assert {one["sequences"] for one in found.values()} == {"618"}
    assert list(found)[-1] == "beyond"
    assert found["kin1"]["path"] == "."


def test_it_must_be_told_what_to_look_at(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    words = ["deeper", "-q", files[0], "-d", files[1]]
    assert main(words) == 2
    assert "--profiles" in capsys.readouterr().err
    assert main([*words, "--profiles", "--best", "0"]) == 2
    assert "from 1 to 1,000" in capsys.readouterr().err


def test_without_the_package_a_sentence_says_what_to_install(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyhmmer", None)
    assert main(["deeper", "-q", files[0], "-d", files[1], "--forward"]) == 1
    said = capsys.readouterr().err
    assert "'pyhmmer' is not installed" in said
    assert "swgui-core[hmmer]" in said


def test_forward_scores_come_back_to_their_subjects(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for the package, which finds the second subject only."""
    seen: dict[str, object] = {}

    class Pipeline:
        def __init__(self, alphabet: object, **settings: object) -> None:
            seen.update(settings)

        def search_hmm(self, model: object, block: list[tuple[str, str]]) -> list[SimpleNamespace]:
            seen["sequences"] = block
            return [SimpleNamespace(name=block[1][0], score=12.5, evalue=1e-4)]

    class Models:
        def __init__(self, file: object) -> None: ...

        def __enter__(self) -> Models:
            return self

        def __exit__(self, *_: object) -> None: ...

        def read(self) -> object:
            return None

    stand_in = SimpleNamespace(
        plan7=SimpleNamespace(Pipeline=Pipeline, HMMFile=Models),
        easel=SimpleNamespace(
            Alphabet=SimpleNamespace(amino=lambda: "amino"),
            TextSequence=lambda name, sequence: SimpleNamespace(digitize=lambda _: (name, sequence)),
            DigitalSequenceBlock=lambda alphabet, sequences: sequences,
        ),
    )
    monkeypatch.setattr(importlib, "import_module", lambda name: stand_in)
    monkeypatch.setattr(forward, "write_hmm", lambda record: "")
    records = [SequenceRecord("a", "", b"MKV"), SequenceRecord("b", "", b"MK*"), SequenceRecord("c", "", b"WW")]

    class Database:
        def record(self, at: int) -> SequenceRecord:
            return records[at]

        def __len__(self) -> int:
            return len(records)

    result = SimpleNamespace(queries=[SimpleNamespace(query=records[0])], database=Database())
    found = forward.with_forward({0: Evidence(), 1: Evidence(profile_bits=2.0)}, result, 0, None)
    assert seen["Z"] == 3
    assert seen["sequences"][1][1] == "MKX"
    assert (found[1].forward_bits, found[1].forward_log10_evalue, found[1].profile_bits) == (12.5, -4.0, 2.0)
    assert math.isnan(found[0].forward_bits)


def test_forward_scores_of_pyhmmer_itself(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyhmmer")
    words = ["deeper", "-q", files[0], "-d", files[1], "--engine", "cpu", "--iterations", "3", "--forward"]
    assert main(words) == 0
    found = table(capsys.readouterr().out)
    assert all(float(found[f"kin{n}"]["forward_evalue"]) < 1e-6 for n in range(1, 16))
    assert all(float(one["forward_evalue"]) > 1e-4 for name, one in found.items() if name.startswith("other"))
