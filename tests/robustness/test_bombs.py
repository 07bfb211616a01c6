"""Packed files that grow without end: one rule for every reader, and memory that stays small."""

import gzip
import io
import os
import sys
import tarfile
from pathlib import Path

import pytest

from swgui.core.errors import SequenceError
from swgui.io import unpacking
from swgui.io.organisms.assign import read_table
from swgui.io.sequences.reader import read_sequences
from swgui.io.structures import members, reading
from swgui.io.structures.members import members as members_of
from swgui.io.structures.reading import parse
from swgui.io.tables.hits import read_hit_table
from tests.robustness.command import sentences, swgui

MOST = 1 << 20


@pytest.fixture
def bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(unpacking, "ALWAYS_ALLOWED", MOST)
    path = tmp_path / "1abc.pdb.gz"
    path.write_bytes(gzip.compress(b" " * 8 * MOST))
    return path


@pytest.mark.parametrize(
    "read",
    [
        lambda path: list(read_sequences(path)),
        lambda path: reading.read_structure(path.read_bytes(), path.name),
        read_table,
        read_hit_table,
    ],
)
def test_every_reader_refuses_it_in_a_sentence(bomb, read):
    with pytest.raises(Exception, match="grows more than 250-fold when it is unpacked") as said:
        read(bomb)
    assert bomb.name in str(said.value)
    assert "unpack it yourself" in str(said.value)


def test_an_archive_that_grows_ends_there(bomb, tmp_path):
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        for name in ("1tim.pdb", "2tim.pdb"):
            entry = tarfile.TarInfo(name)
            entry.size = 4 * MOST
            archive.addfile(entry, io.BytesIO(bytes(entry.size)))
    said: list[str] = []
    assert list(members_of([tmp_path / "a.tar.gz"], said.append)) == []
    assert [text for text in said if "'a.tar.gz' grows more than 250-fold" in text]


def test_an_entry_that_is_too_large_is_left_out_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(members, "LARGEST", 1_000)
    for packing in ("", ":gz"):
        path = tmp_path / f"a.tar{packing.replace(':', '.')}"
        with tarfile.open(path, f"w{packing}") as archive:
            for name, size in (("1tim.pdb", 2_000), ("2tim.pdb", 10)):
                entry = tarfile.TarInfo(name)
                entry.size = size
                archive.addfile(entry, io.BytesIO(os.urandom(size)))
        large, small = members_of([path], lambda text: None)
        with pytest.raises(SequenceError, match=r"'1tim.pdb' is larger than"):
            large.read()
        assert len(small.read()) == 10


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
@pytest.mark.parametrize("start", [b"", b"#\n", b"# a comment\n  "])
def test_blanks_take_no_more_memory_than_themselves(start):
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    text = start + b" \n" * (8 * MOST)
    resource.setrlimit(resource.RLIMIT_AS, (pages + 128 * MOST, limits[1]))
    try:
        with pytest.raises(SequenceError, match="neither a PDB nor an mmCIF"):
            parse(text, "blanks")
        with pytest.raises(SequenceError, match="neither a PDB nor an mmCIF"):
            parse(b"#\n" * (4 * MOST), "comments")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)


def test_the_command_reads_the_others(tmp_path, repository):
    (tmp_path / "models").mkdir()
    sound = (repository / "tests" / "data" / "structures" / "1l2y.pdb").read_bytes()
    (tmp_path / "models" / "1l2y.pdb").write_bytes(sound)
    with gzip.open(tmp_path / "models" / "0bom.pdb.gz", "wb") as file:
        for _ in range(80):
            file.write(b" " * MOST)
    ended = swgui(tmp_path, "makedb", "--structures", "models", "-o", "m.swdb")
    assert ended.returncode == 0, sentences(ended)
    assert "'0bom.pdb.gz' grows more than 250-fold" in sentences(ended)
    assert b"1 protein sequence" in ended.stdout
