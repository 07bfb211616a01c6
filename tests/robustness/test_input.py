"""Arguments and files that make no sense, names that are no text, and remarks by the thousand."""

import os

import pytest

from swgui import settings
from swgui.cli import main
from tests.robustness.command import sentences, swgui

FORMATS = (
    *("tsv", "csv", "blast6", "blast7", "json", "fasta", "fasta-aligned", "text", "html", "blast-xml", "sam", "paf"),
    *("blast-xml1", "blast-json", "psl", "a3m", "stockholm", "clustal", "xlsx", "pdf"),
)
SEARCH = ("search", "-q", "n.fa", "-d", "n.fa", "--engine", "reference")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "n.fa").write_text(">n\nACGTACGATCGATCGATCGACTAGCTAGCATCGACTACGATC\n")
    (tmp_path / "a.fa").write_text(">a\nMKTAYIAKQRQISFVKSHFSRQLEERLG\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        ((*SEARCH, "--match", "9" * 20), 2, "The match score 99999999999999999999 is beyond ±16,000."),
        ((*SEARCH, "--match", "16001"), 2, "The match score 16001 is beyond ±16,000."),
        ((*SEARCH, "--mismatch", "-16001"), 2, "The mismatch score -16001 is beyond ±16,000."),
        ((*SEARCH, "--gap-open", "9" * 20), 2, "is not between 0 and 1000000."),
        (("info", "circle"), 1, "'circle' cannot be opened: Too many levels of symbolic links."),
        (("show", "circle"), 1, "'circle' cannot be opened: Too many levels of symbolic links."),
        (("search", "-q", "circle", "-d", "n.fa"), 1, "'circle' cannot be opened: Too many levels of symbolic links."),
        (("info", "pipe"), 1, "'pipe' is a pipe or a device, not a database."),
        (("show", "pipe"), 1, "'pipe' is a pipe or a device, not a saved search."),
        (("verify", "pipe"), 1, "'pipe' is a pipe or a device, not a saved search."),
        (("info", "."), 1, "'.' is a folder, not a database."),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
def test_what_makes_no_sense_is_said(folder, typed, arguments, status, sentence):
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    ended = typed(*arguments)
    assert (ended.status, ended.out) == (status, "")
    assert sentence in ended.err


@pytest.mark.skipif(os.name == "nt", reason="names are UTF-16 there")
def test_names_that_are_no_text_are_shown_with_a_sign_for_what_is_none(folder, typed):
    name = os.fsdecode(b"d\xff.fa")
    os.link(folder / "a.fa", folder / name)
    saved = os.fsdecode(b"s\xff.swgui")
    ended = swgui(folder, "search", "-q", name, "-d", name, "--engine", "reference", "--save", saved, "--history")
    assert (ended.returncode, sentences(ended)) == (0, "")
    for form in FORMATS:
        ended = typed("show", saved, "--format", form, "-o", f"out.{form}")
        assert (ended.status, ended.err) == (0, ""), form
        if form == "json":
            assert '"d\N{REPLACEMENT CHARACTER}"' in (folder / "out.json").read_text("utf-8")


def test_settings_keep_a_name_that_is_no_text(folder):
    path, name = folder / "settings.json", os.fsdecode(b"/tmp/\xff.swdb")
    kept = settings.Settings()
    kept.recent.database = name
    settings.save(kept, path)
    assert settings.load(path).recent.database == name


def test_remarks_come_once_for_each_kind(folder, typed):
    (folder / "same.fa").write_text(">same\nMKTAYIAKQRQISFVKSHFSRQ\n" * 500)
    ended = typed("makedb", "same.fa", "-o", "same.swdb", "--remarks", "remarks.txt")
    (line,) = ended.err.splitlines()
    assert line.endswith("'same'. (498 more of this kind.)")
    assert len((folder / "remarks.txt").read_text().splitlines()) == 499
    ended = typed("makedb", "same.fa", "-o", "same.swdb", "--remarks", "same.fa")
    assert ended.status == 2
    assert "same.fa" in ended.err


def test_too_little_memory_is_said(folder, monkeypatch, capsys):
    def refuse(*_, **__):
        raise MemoryError

    monkeypatch.setattr("swgui.cli.databases.open_database", refuse)
    assert main(["info", str(folder / "a.swdb")]) == 1
    assert capsys.readouterr().err == (
        "swgui: there is not enough memory for this; close other programs or lift the limit.\n"
    )
