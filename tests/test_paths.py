"""Where things lie, on each kind of system."""

import importlib
import os
import sys

import pytest

from swgui import paths
from swgui import settings as store
from swgui.cli import main
from swgui.io.whole_file import whole_file

FOLDERS = {"config": paths.config_dir, "cache": paths.cache_dir, "data": paths.data_dir}


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in ("SWGUI_CONFIG_DIR", "SWGUI_CACHE_DIR", "SWGUI_DATA_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
                 "XDG_DATA_HOME"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    folders = {"CSIDL_APPDATA": str(tmp_path / "Roaming"), "CSIDL_LOCAL_APPDATA": str(tmp_path / "Local")}
    monkeypatch.setattr("platformdirs.windows.get_win_folder", folders.__getitem__)  # what Windows itself says
    return tmp_path


@pytest.mark.parametrize(
    ("platform", "system", "places"),
    [
        ("linux", "unix.Unix", {"config": ".config/swgui", "cache": ".cache/swgui", "data": ".local/share/swgui"}),
        ("freebsd14", "unix.Unix", {"config": ".config/swgui", "cache": ".cache/swgui", "data": ".local/share/swgui"}),
        ("darwin", "macos.MacOS", {"config": "Library/Application Support/swgui", "cache": "Library/Caches/swgui",
                         "data": "Library/Application Support/swgui"}),
        ("win32", "windows.Windows", {"config": "Roaming/swgui", "cache": "Local/swgui/Cache", "data": "Local/swgui"}),
    ],
)  # fmt: skip
def test_the_users_folders(home, monkeypatch, platform, system, places):
    module, _, name = system.partition(".")
    kind = getattr(importlib.import_module(f"platformdirs.{module}"), name)
    monkeypatch.setattr("platformdirs.PlatformDirs", kind)
    monkeypatch.setattr(sys, "platform", platform)
    assert {name: function() for name, function in FOLDERS.items()} == {
        name: home / place for name, place in places.items()
    }


@pytest.mark.skipif(sys.platform != "linux", reason="variables of Linux")
def test_variables_name_other_folders(home, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "x"))
    assert paths.cache_dir() == home / "x" / "swgui"
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(home / "y"))
    assert paths.cache_dir() == home / "y"


def test_without_a_home_there_are_no_folders(home, monkeypatch):
    monkeypatch.setattr(os.path, "expanduser", str)  # as it answers where no user is known
    with pytest.raises(RuntimeError, match="no home"):
        paths.cache_dir()


def test_a_folder_that_was_not_shipped_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "swgui")
    with pytest.raises(FileNotFoundError, match="'kernels' is missing"):
        paths.kernels_dir()


def test_documentation_is_html_where_it_was_built(monkeypatch, tmp_path):
    package = tmp_path / "swgui"
    monkeypatch.setattr(paths, "_PACKAGE", package)
    assert paths.documentation() is None
    for place in ("docs/index.md", "build/docs/html/index.html", "swgui/_docs/index.html"):  # the later the better
        page = tmp_path / place
        page.parent.mkdir(parents=True)
        page.write_text("page")
        assert paths.documentation() == page


@pytest.mark.skipif(os.name == "nt", reason="permissions as POSIX has them")
def test_what_the_program_keeps_is_for_the_user_alone(user_folders, tmp_path):
    fasta, saved, table = tmp_path / "s.fasta", tmp_path / "run.swgui", tmp_path / "hits.tsv"
    fasta.write_text(">a\nMKVLAWWHCDEFGHIK\n>b\nGGGGGGGGGG\n")
    before = os.umask(0o022)
    try:
        words = [
            "-q",
            str(fasta),
            "-d",
            str(fasta),
            "--engine",
            "cpu",
            "--history",
            "--save",
            str(saved),
            "-o",
            str(table),
        ]
        assert main(["search", *words]) == 0
        store.save(store.Settings())
    finally:
        os.umask(before)
    kept = [path for folder in user_folders.values() for path in (folder, *folder.rglob("*"))]
    assert {path.suffix for path in kept} >= {".swdb", ".swgui", ".json"}
    open_to_others = {str(path) for path in kept if path.stat().st_mode & 0o077}
    assert open_to_others == set()
    assert [path.stat().st_mode & 0o777 for path in (saved, table)] == [0o644, 0o644]  # made to be passed on


def test_a_file_is_written_for_a_user_without_a_home(monkeypatch, tmp_path):
    for variable in ("SWGUI_CONFIG_DIR", "SWGUI_CACHE_DIR", "SWGUI_DATA_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(os.path, "expanduser", str)
    assert not paths.is_own(tmp_path / "hits.tsv")
    with whole_file(tmp_path / "hits.tsv") as file:
        file.write(b"x")
    assert (tmp_path / "hits.tsv").read_bytes() == b"x"
