"""Modules of a few packages are found by one look into their folders, and read at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import pytest

from swgui import cli
from swgui.cli import importing, keeping
from swgui.cli.importing import Finder

# Import a command as the program does, keep its modules, and print how many came by which way.
PROGRAM = """
import sys
from swgui.cli import importing
finder = importing.shorten()
import collections, json
import swgui.cli.search
import swgui.commands.search
from swgui.cli.keeping import keep
ways = {name: type(getattr(module, "__loader__", None)).__name__ for name, module in sys.modules.items()}
ours = sum(name.startswith("swgui.") for name, way in ways.items() if way in ("Loader", "KeptLoader"))
print(json.dumps([collections.Counter(ways.values()), ways["numpy.lib.scimath"], ours, ways["swgui.commands.search"]]))
keep(finder)
import numpy.ma  # which reads the docstrings of NumPy
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


def test_the_program_imports_its_modules_from_the_file_of_another_process(tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(importing.__file__).parents[2]),
        "SWGUI_CACHE_DIR": str(tmp_path),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for kept, listed in ((0, 250), (300, 0)):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        ways, scimath, ours, search = json.loads(done.stdout)
        assert ways.get("KeptLoader", 0) >= kept
        assert ways.get("Loader", 0) >= listed
        assert ours > 100
        assert scimath == search == ("KeptLoader" if kept else "Loader")


@pytest.fixture
def kept(package, tmp_path, monkeypatch):
    """Make a function that keeps a module ``made.one`` of a source and returns the finder of a later process."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(keeping, "WITHOUT_DOCS", ("made.",))

    def keep(text):
        if text is not None:
            (package / "one.py").write_text(text)
        writer = Finder()
        spec = writer.find_spec("made.one", [str(package)])
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        monkeypatch.setitem(sys.modules, "made.one", module)
        writer.others = keeping.FEW
        keeping.keep(writer)
        return Finder(importing.opened(importing.kept_file()))

    return keep


def test_a_kept_module_is_as_its_source_without_docstrings(kept, package):
    finder = kept('def of():\n    "Text."\n    return 5\n\n\ndef said():\n    "Text."\n    return "Text."\n')
    spec = finder.find_spec("made.one", [str(package)])
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert type(spec.loader) is importing.KeptLoader
    assert (module.of(), module.of.__doc__, module.said()) == (5, None, "Text.")
    assert (module.__file__, module.of.__code__.co_filename) == (str(package / "one.py"),) * 2


def test_a_module_is_not_kept_once_its_source_changes_or_lies_elsewhere(kept, package, tmp_path):
    finder = kept("value = 1\n")
    (package / "one.py").write_text("value = 23\n")
    assert type(finder.find_spec("made.one", [str(package)]).loader) is importing.Loader
    assert finder.find_spec("made.one", [str(tmp_path)]) is None
    assert finder.find_spec("made.one") is None
    assert finder.find_spec("made.one", [str(package), str(tmp_path)]) is None


def test_a_module_of_the_path_is_kept_while_no_folder_before_has_its_name(kept, package, tmp_path, monkeypatch):
    finder = kept("value = 1\n")
    finder.kept.table["one"] = finder.kept.table["made.one"]
    before = tmp_path / "before"
    before.mkdir()
    monkeypatch.setattr(sys, "path", [str(before), str(tmp_path / "absent"), str(package)])
    assert finder.find_spec("one").origin == str(package / "one.py")
    (before / "one.so").write_bytes(b"")
    assert Finder(finder.kept).find_spec("one") is None
    monkeypatch.setattr(sys, "path", [str(package / "one.py"), str(package)])  # perhaps an archive
    assert Finder(finder.kept).find_spec("one") is None


def test_a_file_of_modules_that_others_may_write_or_that_is_damaged_is_not_read(kept, package):
    kept("value = 1\n")
    path = Path(importing.kept_file())
    whole = path.read_bytes()
    assert importing.opened(str(path)).table
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o620)
    assert importing.opened(str(path)) is None
    path.chmod(0o600)
    no_table = importing.FORM + b"\x01\0\0\0N"  # None
    for damage in (b"", whole[:10], b"another" + whole[7:], no_table, whole[:24] + b"\0" * len(whole[24:])):
        path.write_bytes(damage)
        assert importing.opened(str(path)) is None
    (link := path.with_name("link")).symlink_to(path)
    path.write_bytes(whole[:-9])  # a module is cut short: it comes from its source
    assert importing.opened(str(link)) is None
    spec = Finder(importing.opened(str(path))).find_spec("made.one", [str(package)])
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.value == 1


def test_few_modules_and_places_that_cannot_be_written_leave_the_file_as_it_is(kept, tmp_path, monkeypatch):
    finder = kept("value = 1\n")
    path = Path(importing.kept_file())
    before = path.stat().st_mtime_ns
    finder.others = keeping.FEW - 1
    keeping.keep(finder)
    assert path.stat().st_mtime_ns == before
    finder.others = keeping.FEW
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "made" / "one.py"))  # no folder
    with monkeypatch.context() as patches:
        patches.setattr(keeping, "Loader", None)  # none is collected in vain
        keeping.keep(finder)
    monkeypatch.delenv("SWGUI_CACHE_DIR")
    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert importing.kept_file() is None


def test_a_file_that_goes_while_it_is_used_ends_no_process(kept, package):
    finder = kept("value = 1\n")
    os.truncate(importing.kept_file(), 0)
    spec = finder.find_spec("made.one", [str(package)])
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (type(spec.loader), module.value) == (importing.KeptLoader, 1)


def test_a_source_that_changes_twice_in_a_second_is_kept_as_it_is(kept, package):
    second = 1_700_000_000_000_000_000
    source = package / "one.py"
    source.write_text("value = 1\n")
    os.utime(source, ns=(second, second))
    importing.Loader("made.one", str(source)).get_code("made.one")
    (compiled,) = (package / "__pycache__").iterdir()
    os.utime(compiled, ns=(second + 1000, second + 1000))
    source.write_text("value = 2\n")
    os.utime(source, ns=(second + 2000, second + 2000))
    finder = kept(None)
    spec = finder.find_spec("made.one", [str(package)])
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.value == 2


def test_what_a_killed_process_left_hinders_no_other_of_its_number(kept):
    kept("value = 1\n")
    path = importing.kept_file()
    Path(f"{path}.{os.getpid()}").write_bytes(b"")
    os.unlink(path)
    assert kept("value = 2\n").kept.table


def test_ctrl_c_before_the_program_is_there_is_one_sentence(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(importing, "shorten", interrupted)
    with pytest.raises(SystemExit) as ended:
        cli.run()
    assert (ended.value.code, capsys.readouterr().err) == (130, "swgui: stopped.\n")
