"""Modules of a few packages are found by one look into their folders, and read at once."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

import pytest

from swgui import cli
from swgui.cli import importing
from swgui.cli.importing import Finder

# Import a command as the program does, and print how many modules came the short way.
PROGRAM = """
import sys
from swgui.cli import importing
importing.shorten()
import swgui.cli.search
import swgui.commands.search
short = [name for name, module in sys.modules.items() if type(getattr(module, "__loader__", None)) is importing.Loader]
print(len(short), "numpy.lib.scimath" in short, sum(name.startswith("swgui.") for name in short))
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of the program, made here: its folder, where modules are written."""
    monkeypatch.setattr(importing, "PACKAGES", ("made.",))
    folder = tmp_path / "made"
    folder.mkdir()
    return folder


def loaded(folder: Path, name: str) -> dict[str, object]:
    """Return the values of a module of the package after its import."""
    spec = Finder().find_spec(f"made.{name}", [str(folder)])
    assert spec is not None
    assert spec.loader is not None
    code = spec.loader.get_code(f"made.{name}")
    values: dict[str, object] = {}
    exec(code, values)
    return values


@pytest.mark.parametrize("name", ["swgui.core.words", "swgui.core.hits", "numpy.lib.scimath"])
def test_a_module_is_found_as_python_finds_it(name):
    parent = find_spec(name.rpartition(".")[0])
    places = list(parent.submodule_search_locations)
    plain, short = PathFinder.find_spec(name, places), Finder().find_spec(name, places)
    assert type(short.loader) is importing.Loader
    assert (short.origin, short.cached, short.submodule_search_locations, short.parent, short.has_location) == (
        plain.origin, plain.cached, plain.submodule_search_locations, plain.parent, plain.has_location
    )  # fmt: skip


def test_a_changed_source_is_compiled_again(package):
    source = package / "one.py"
    source.write_text("value = 1\n")
    assert loaded(package, "one")["value"] == 1
    source.write_text("value = 23\n")  # of another size
    assert loaded(package, "one")["value"] == 23
    source.write_text("value = 45\n")
    os.utime(source, (1_000_000_000, 1_000_000_000))
    assert loaded(package, "one")["value"] == 45


@pytest.mark.parametrize("damage", [b"", b"\0" * 40])
def test_a_damaged_compiled_file_is_made_again(package, monkeypatch, damage):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (package / "one.py").write_text("value = 1\n")
    loaded(package, "one")
    (kept,) = (package / "__pycache__").iterdir()
    kept.write_bytes(damage)
    assert loaded(package, "one")["value"] == 1


def test_a_folder_that_was_moved_needs_no_other_compiled_files(package, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    source = package / "one.py"
    source.write_text("def of(): pass\n")
    importing.Loader("made.one", str(source)).get_code("made.one")
    moved = package.rename(package.with_name("moved")) / "one.py"
    monkeypatch.setattr(importing.SourceFileLoader, "get_code", None)  # the long way
    code = importing.Loader("made.one", str(moved)).get_code("made.one")
    assert code is not None
    assert {code.co_filename, code.co_consts[0].co_filename} == {str(moved)}


def test_others_are_left_to_python(package):
    (package / "plain.py").write_text("")
    (package / f"plain{importing.EXTENSION_SUFFIXES[0]}").write_bytes(b"")
    finder = Finder()
    assert finder.find_spec("made.plain", [str(package)]) is None  # a library in C comes first
    assert finder.find_spec("made.absent", [str(package)]) is None
    assert finder.find_spec("made.one", [str(package / "no folder")]) is None
    assert finder.find_spec("made.one", [str(package), str(package)]) is None
    assert finder.find_spec("json.decoder", [str(package)]) is None
    assert finder.find_spec("made") is None


def test_the_program_imports_its_modules_so():
    environment = {**os.environ, "PYTHONPATH": str(Path(importing.__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, numpy, ours = done.stdout.split()
    assert int(count) > int(ours) > 100
    assert numpy == "True"


def test_ctrl_c_before_the_program_is_there_is_one_sentence(monkeypatch, capsys):
    def interrupted(words, *, alone):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "wake", interrupted)
    with pytest.raises(SystemExit) as ended:
        cli.run()
    assert (ended.value.code, capsys.readouterr().err) == (130, "swgui: stopped.\n")
