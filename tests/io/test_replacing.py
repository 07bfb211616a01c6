"""Files that Windows keeps because they are open, or that a virus scanner looks at: tried again, or set aside."""

from __future__ import annotations

import os

import pytest

from swgui.io import replacing
from swgui.io.database.build import build_database
from swgui.io.database.file import open_database
from swgui.io.replacing import delete_file, opener, replace_file

NOT_ON_WINDOWS = pytest.mark.skipif(os.name == "nt", reason="the system itself refuses there")


def in_use(*paths):
    raise PermissionError(13, "in use")


@pytest.fixture
def files(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_bytes(b"new")
    old.write_bytes(b"old")
    return new, old


@pytest.fixture
def windows(monkeypatch):
    """Return a function that lets a function of `os` refuse what is there so many times, as Windows does."""
    monkeypatch.setattr(replacing, "WINDOWS", True)
    monkeypatch.setattr(replacing.time, "sleep", lambda seconds: None)
    refusals = []

    def refuse(name, times):
        usual, left = getattr(os, name), [times]

        def refused(*paths):
            if left[0] and os.path.exists(paths[-1]):
                left[0] -= 1
                refusals.append(name)
                raise PermissionError(13, "Access is denied")
            return usual(*paths)

        monkeypatch.setattr(os, name, refused)

    refuse.refusals = refusals
    return refuse


@NOT_ON_WINDOWS
def test_what_a_virus_scanner_holds_is_tried_again(files, windows, monkeypatch):
    new, old = files
    windows("replace", 3)
    monkeypatch.setattr(os, "rename", in_use)  # not opened so that it may be renamed
    replace_file(new, old)
    assert windows.refusals == ["replace"] * 3
    assert old.read_bytes() == b"new"
    assert not new.exists()


@NOT_ON_WINDOWS
def test_what_is_mapped_is_set_aside(files, windows):
    new, old = files
    windows("replace", 1)
    windows("unlink", 99)
    replace_file(new, old)
    assert old.read_bytes() == b"new"
    (aside,) = old.parent.glob(".old.*.part")  # for the next sweep
    assert aside.read_bytes() == b"old"
    delete_file(old)
    assert not old.exists()
    assert len(list(old.parent.glob(".old.*.part"))) == 2


@NOT_ON_WINDOWS
def test_a_last_refusal_is_told_and_nothing_has_changed(files, windows, monkeypatch):
    new, old = files
    windows("replace", 99)
    monkeypatch.setattr(os, "rename", in_use)
    with pytest.raises(PermissionError):
        replace_file(new, old)
    assert (new.read_bytes(), old.read_bytes()) == (b"new", b"old")
    monkeypatch.setattr(os, "unlink", in_use)
    with pytest.raises(PermissionError):
        delete_file(old)
    assert old.read_bytes() == b"old"


def test_a_folder_is_never_set_aside(files, windows):
    new, _ = files
    folder = new.with_name("folder")
    folder.mkdir()
    with pytest.raises(OSError):
        replace_file(new, folder)
    assert folder.is_dir()
    with pytest.raises(OSError):
        delete_file(folder)
    assert folder.is_dir()


def test_a_database_in_use_is_built_again_and_deleted(tmp_path):
    """On every system, and on Windows because it is opened by `opener`."""
    sequences, path = tmp_path / "s.fasta", tmp_path / "s.swdb"
    sequences.write_text(">a\nMKWVTF\n")
    first = build_database([sequences], path)
    sequences.write_text(">b\nMKWV\n>c\nTTTT\n")
    build_database([sequences], path)
    assert len(open_database(path)) == 2
    delete_file(path)
    assert not path.exists()
    assert (len(first), first.ids[0]) == (1, "a")


def test_what_is_opened_can_be_read_and_renamed(files):
    new, old = files
    with open(old, "rb", opener=opener) as file:
        os.rename(old, new.with_name("moved"))
        assert file.read() == b"old"
    with pytest.raises(FileNotFoundError):
        opener(str(old), os.O_RDONLY)
