"""The cache: what is in it, what is deleted, and one of the site that is looked into first."""

import json
import os
import time

import pytest

from swgui import paths
from swgui.cli import main
from swgui.io.cache import DAY, Cached, cached, to_prune
from swgui.io.database.any_file import open_any_database
from swgui.io.database.conversions import cache_folder, conversions

TEXT = ">one\nMKTAYIAKQRQISFVKSHFSRQ\n>two\nMKTAYWAKQRQISFVKSHFSRQ\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    for name, more in (("a.fasta", ""), ("b.fasta", ">three\nMKV\n")):
        (tmp_path / name).write_text(TEXT + more)
        past = time.time() - 60
        os.utime(tmp_path / name, (past, past))
    return tmp_path


def aged(path, days):
    moment = time.time() - days * DAY
    os.utime(path, (moment, moment))


def test_databases_and_kernels_are_listed(folder, capsys):
    open_any_database("a.fasta")
    kernel = paths.cache_dir() / "cubins" / "1.cubin"
    kernel.parent.mkdir()
    kernel.write_bytes(b"x" * 1000)
    assert main(["cache", "list", "--json"]) == 0
    listed = {row["kind"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(listed) == {"database", "kernel"}
    assert listed["database"]["sources"] == [str(folder / "a.fasta")]
    assert listed["kernel"]["bytes"] == 1000
    assert main(["cache", "list"]) == 0
    out = capsys.readouterr().out
    assert "\n2 files, " in out
    assert str(folder / "a.fasta") in out


def test_what_is_old_or_too_much_goes():
    now = time.time()
    files = [Cached(paths.cache_dir() / str(days), "fit", 10, now - days * DAY) for days in (1, 5, 9, 20)]
    assert [file.path.name for file in to_prune(files, None, 8)] == ["9", "20"]
    assert [file.path.name for file in to_prune(files, 20, None)] == ["20", "9"]
    assert [file.path.name for file in to_prune(files, 10, 15)] == ["20", "9", "5"]
    assert to_prune(files, 40, 30) == []
    assert to_prune(files, 0, None) == files[::-1]


def test_pruned_files_are_made_again(folder, capsys):
    for name in ("a.fasta", "b.fasta"):
        open_any_database(name)
    old = next(file for file in cached() if file.sources == (str(folder / "a.fasta"),))
    aged(old.path, 100)
    assert main(["cache", "prune", "--older", "90"]) == 0
    assert "1 file, " in capsys.readouterr().out
    assert not old.path.exists()
    assert [note.path for note in conversions()] == [str(folder / "b.fasta")]
    assert len(open_any_database("a.fasta")) == 2
    assert main(["cache", "prune", "--max", "0"]) == 0
    assert cached() == []
    assert (folder / "a.fasta").read_text() == TEXT


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["prune"], "'prune' needs a limit."),
        (["list", "--max", "1G"], "'list' takes no limit."),
        (["prune", "--max", "lots"], "'lots' is no size"),
        (["prune", "--older", "-3"], "'-3' is no number of days"),
        (["prune", "--older", "x"], "'x' is no number of days"),
    ],
)
def test_mistakes(folder, capsys, words, sentence):
    try:
        status = main(["cache", *words])
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert sentence in capsys.readouterr().err


def test_a_shared_cache_is_looked_into_first(folder, monkeypatch):
    shared = folder / "shared"
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(shared))
    open_any_database("a.fasta")
    (made,) = (shared / "databases").glob("*.swdb")
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setenv("SWGUI_SHARED_CACHE", str(shared))
    before = made.stat().st_mtime_ns
    assert open_any_database("a.fasta").name == "a"
    assert list(cache_folder().glob("*.swdb")) == []
    (note,) = conversions()
    assert (note.path, note.database) == (str(folder / "a.fasta"), made)
    assert made.stat().st_mtime_ns == before
    assert len(open_any_database("b.fasta")) == 3
    assert len(list(cache_folder().glob("*.swdb"))) == 1
    assert list((shared / "databases").glob("*.swdb")) == [made]
    made.write_bytes(b"damaged")
    assert len(open_any_database("a.fasta")) == 2
    assert len(list(cache_folder().glob("*.swdb"))) == 2


def test_kernels_of_a_shared_cache(folder, monkeypatch):
    from swgui.engines.cuda import cubins

    monkeypatch.setenv("SWGUI_CACHE_DIR", str(folder / "shared"))
    cubins.keep("key", b"binary")
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(folder / "cache"))
    assert cubins.find("key") is None
    monkeypatch.setenv("SWGUI_SHARED_CACHE", str(folder / "shared"))
    assert cubins.any_kept()
    assert cubins.is_kept("key")
    assert cubins.find("key") == b"binary"
    cubins.keep("other", b"more")
    assert [file.name for file in (folder / "shared" / "cubins").iterdir()] == ["key.cubin"]
