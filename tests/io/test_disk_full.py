"""A full disk: one clear sentence, nothing half-written, and the search still works."""

import os
import shutil
import subprocess
import sys

import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import DatabaseError
from swgui.core.records import SequenceRecord
from swgui.io.database.build import build_database, save_database
from swgui.io.database.file import open_database
from swgui.io.database.library import open_any_database
from swgui.io.whole_file import FileNotWritten, save_text


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MB."""
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small file system for this test")
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def large_source(tmp_path):
    path = tmp_path / "large.fa"
    path.write_text("".join(f">p{n}\n{'MKVLWAALLV' * 100}\n" for n in range(2500)))
    return path


def test_building_a_database(small_disk, large_source):
    with pytest.raises(DatabaseError, match=r"no space left for 'large\.swdb'") as caught:
        build_database([large_source], small_disk / "large.swdb")
    assert str(small_disk) in caught.value.message
    assert list(small_disk.iterdir()) == []


def test_an_older_database_survives(small_disk, large_source):
    target = small_disk / "db.swdb"
    save_database(encode_database([SequenceRecord("a", "", b"MKV")], PROTEIN), target)
    before = target.read_bytes()
    with pytest.raises(DatabaseError, match="no space left"):
        build_database([large_source], target)
    assert target.read_bytes() == before
    assert len(open_database(target)) == 1
    assert [path.name for path in small_disk.iterdir()] == ["db.swdb"]


def test_saving_a_database(small_disk):
    large = encode_database([SequenceRecord("a", "", b"MKVLW" * 500_000)], PROTEIN)
    with pytest.raises(DatabaseError, match="no space left"):
        save_database(large, small_disk / "x.swdb")
    assert list(small_disk.iterdir()) == []


def test_exports(small_disk):
    target = small_disk / "hits.tsv"
    save_text(target, lambda file: file.write("old\n"))
    with pytest.raises(FileNotWritten, match=r"no space left for 'hits\.tsv'"):
        save_text(target, lambda file: file.write("x" * (3 << 20)))
    assert target.read_text() == "old\n"
    assert [path.name for path in small_disk.iterdir()] == ["hits.tsv"]


def test_a_full_cache_does_not_stop_a_search(small_disk, large_source, monkeypatch):
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(small_disk))
    opened = open_any_database(large_source)
    assert len(opened) == 2500
    assert opened.residues == 2_500_000
