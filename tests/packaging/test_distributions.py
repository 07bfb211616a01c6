"""`swgui-core` installs without Qt, and `swgui` is the same and the window."""

import hashlib
import re
import runpy
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from swgui.packages import WINDOW

QT = {"PySide6-Essentials", "pyqtgraph"}


@pytest.fixture
def core(repository):
    return tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))


@pytest.fixture
def release(repository, monkeypatch):
    """Load a module of packaging/release."""
    folder = repository / "packaging" / "release"
    monkeypatch.syspath_prepend(str(folder))
    yield lambda name: runpy.run_path(str(folder / f"{name}.py"))
    for name in ("stamp", "shared", "man_page", "reference"):
        sys.modules.pop(name, None)


def names(lines):
    return {Requirement(line).name for line in lines}


def test_the_command_line_needs_no_qt(core):
    project = core["project"]
    assert not names(project["dependencies"]) & QT
    assert names(project["optional-dependencies"]["window"]) == QT == set(WINDOW.values())


def test_swgui_is_swgui_core_of_its_version_with_the_window(core, release, tmp_path):
    whole = release("whole")
    folder = whole["write"](tmp_path / "whole")
    made = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    project = made["project"]
    assert project["name"] == "swgui"
    (needed,) = (Requirement(line) for line in project["dependencies"])
    assert (needed.name, needed.extras) == ("swgui-core", {"window"})
    assert needed.specifier.contains(project["version"], prereleases=True)
    ours = core["project"]["optional-dependencies"]
    assert set(project["optional-dependencies"]) == set(ours) - {"window", "test", "dev"}
    for extra, lines in project["optional-dependencies"].items():
        (line,) = lines
        assert Requirement(line).extras == {extra}
    for key in ("classifiers", "requires-python", "license", "authors"):
        assert project[key] == core["project"][key]
    for name in (project["readme"], *project["license-files"]):
        assert (folder / name).is_file()
    assert made["build-system"] == core["build-system"]
    assert "code" not in made["tool"]["hatch"]  # no code goes into it
    assert not list(folder.rglob("*.py"))


def test_classifiers_are_those_of_the_index_and_of_what_is_tested(core, repository):
    listed = core["project"]["classifiers"]
    assert listed == sorted(set(listed))
    assert "Typing :: Typed" in listed
    assert (repository / "swgui" / "py.typed").is_file()
    lowest = core["project"]["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {lowest}" in listed
    cuda = {line.rpartition(" :: ")[2] for line in listed if line.startswith("Environment :: GPU")}
    assert {f"cuda{number}" for number in cuda} <= set(core["project"]["optional-dependencies"])
    assert not any("Windows" in line or "MacOS" in line for line in listed)  # not tested there


def test_every_shell_and_man_find_their_file(release):
    shared = release("shared")
    texts = shared["shared_files"]()
    assert set(texts) == {shared["MANUAL"], *shared["COMPLETION"].values()}
    assert "complete -o bashdefault -F _shtab_swgui swgui" in texts[shared["COMPLETION"]["bash"]]
    assert texts[shared["COMPLETION"]["zsh"]].startswith("#compdef swgui")
    assert re.search(r"^complete -c swgui", texts[shared["COMPLETION"]["fish"]], re.MULTILINE)
    assert texts[shared["MANUAL"]].startswith(".TH SWGUI 1")


def test_a_wheelhouse_pins_versions_and_digests(release, tmp_path, monkeypatch, capsys):
    wheelhouse = release("wheelhouse")
    monkeypatch.setattr(sys, "argv", ["wheelhouse.py", str(tmp_path)])
    assert wheelhouse["main"]() == 1
    assert "pip download" in capsys.readouterr().err
    for name in ("swgui_core-0.2.0-py3-none-any.whl", "Two_Words-1-cp311-cp311-linux_x86_64.whl"):
        (tmp_path / name).write_bytes(name.encode())
    (tmp_path / "Two_Words-1-cp312-cp312-linux_x86_64.whl").write_bytes(b"other")
    assert wheelhouse["main"]() == 0
    core, two = sorted((tmp_path / "requirements.txt").read_text().splitlines())
    digest = hashlib.sha256(b"swgui_core-0.2.0-py3-none-any.whl").hexdigest()
    assert core == f"swgui-core==0.2.0 --hash=sha256:{digest}"
    assert two.startswith("two-words==1 --hash=sha256:")
    assert two.count("--hash") == 2
