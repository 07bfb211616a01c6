"""Hits on a terminal: the columns of the window, aligned; every other output as before."""

import pytest

from swgui.cli import main, streams
from swgui.gui.hits.columns import COLUMNS
from swgui.io.export.columns import SHOWN, SPARE

QUERIES = ">q1 first\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n>q2 second\nMSLWNDKHCEYGPTRAVILMFQSWHKDEYCNPR\n"
SUBJECTS = (
    f"{QUERIES}>a_very_long_identifier_that_is_cut Title of a subject OS=Homo sapiens OX=9606\nMKTAYIAKQRQISFVKSHFSRQ\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "q.fasta").write_text(QUERIES)
    (tmp_path / "one.fasta").write_text(QUERIES.split(">q2")[0])
    (tmp_path / "d.fasta").write_text(SUBJECTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    return tmp_path


@pytest.fixture
def on_screen(monkeypatch):
    monkeypatch.setattr(streams._Watched, "isatty", lambda self: True)


def searched(capsys, *more, query="one.fasta"):
    assert main(["search", "-q", query, "-d", "d.fasta", "--engine", "cpu", *more]) == 0
    return capsys.readouterr().out


def test_the_columns_are_those_of_the_window():
    assert {view.key for view in COLUMNS if view.shown} == {"tick", *SHOWN}
    assert len(SHOWN) == 8
    assert {*SPARE} < {*SHOWN}


def test_a_terminal_shows_eight_columns_under_one_another(folder, on_screen, capsys):
    head, *rows = searched(capsys).splitlines()
    assert sorted(head.split()) == sorted(SHOWN)
    assert rows[0].split()[:2] == ["1", "q1"]
    assert "a_very_long_identifier_t  Homo sapiens" in rows[1]
    assert rows[1][head.index("stitle") :].startswith("Title of a subject")
    assert all(row[head.index("stitle") - 1] == " " for row in rows)


def test_a_narrow_terminal_shows_fewer(folder, on_screen, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    head, *rows = searched(capsys).splitlines()
    assert head.split() == ["rank", "sseqid", "evalue", "verdict", "stitle"]
    assert all(len(line) <= 80 for line in (head, *rows))


def test_several_queries_are_named(folder, on_screen, capsys):
    blocks = searched(capsys, query="q.fasta").split("\n\n")
    assert [block.splitlines()[0] for block in blocks] == ["q1 first", "q2 second"]
    assert all(block.splitlines()[1].split()[0] == "rank" for block in blocks)


def test_what_is_asked_for_is_written_as_in_a_pipe(folder, capsys, monkeypatch):
    ways = ((), ("--format", "tsv"), ("--format=tsv",), ("--columns", "sseqid,score"), ("--outfmt", "6"))
    piped = [searched(capsys, *words) for words in ways]
    monkeypatch.setattr(streams._Watched, "isatty", lambda self: True)
    assert [searched(capsys, *words) for words in ways[1:]] == piped[1:]
    assert searched(capsys, "-o", "hits.tsv") == ""
    assert (folder / "hits.tsv").read_text() == piped[0]
    assert searched(capsys) != piped[0]
