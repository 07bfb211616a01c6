"""Formats of installed packages: asked where the program knows no better, and their faults become sentences."""

from __future__ import annotations

import gzip

import pytest

from swgui.core.errors import SequenceError
from swgui.io.sequences import reader
from swgui.io.sequences.reader import ReadReport, SequenceFormat, read_sequences, read_text


def pairs(text):
    for line in text:
        if not line.startswith("#"):
            name, residues = line.split()
            yield name, "of a package", residues


@pytest.fixture
def install(monkeypatch):
    def put(*formats):
        found = {form.name: form for form in formats}
        monkeypatch.setattr(reader, "installed_formats", lambda: found)

    return put


def test_a_file_is_read(install, tmp_path):
    install(SequenceFormat("pairs", lambda head: head.startswith(b"#pairs"), pairs))
    path = tmp_path / "few.pairs.gz"
    path.write_bytes(gzip.compress(b"#pairs\na MKVLWAALLV\nb MK1VLWAALL\n"))
    report = ReadReport()
    records = list(read_sequences(path, report=report))
    assert [(one.id, one.description, one.residues) for one in records] == [
        ("a", "of a package", b"MKVLWAALLV"),
        ("b", "of a package", b"MKVLWAALL"),
    ]
    assert report.format == "pairs, gzip"
    assert report.altered


def test_what_the_program_knows_is_read_by_it(install):
    asked = []
    install(SequenceFormat("greedy", lambda head: bool(asked.append(head)) or True, pairs))
    assert read_text(">a\nMKVLWAALLV\n")[0].id == "a"
    assert asked == []


def test_others_are_refused_as_ever(install):
    install(SequenceFormat("none", lambda head: False, pairs))
    with pytest.raises(SequenceError, match="a Clustal alignment"):
        read_text("CLUSTAL W\n\na MKV\n")


def test_a_fault_of_a_reader_is_a_sentence(install, tmp_path):
    path = tmp_path / "odd.pairs"
    path.write_text("#pairs\nno residues here\n")
    install(SequenceFormat("pairs", lambda head: head.startswith(b"#pairs"), pairs))
    with pytest.raises(SequenceError, match=r"'odd\.pairs' could not be read as pairs: too many values"):
        list(read_sequences(path))
    install(SequenceFormat("broken", lambda head: 1 / 0, pairs))
    with pytest.raises(SequenceError, match="The reader 'broken' of an installed package fails: division by zero"):
        list(read_sequences(path))
