"""One record per engine: nothing else in the source names an engine, and one from outside is offered everywhere."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import swgui
from swgui.cli import main, waking
from swgui.core.engines import EngineFacts, Kind
from swgui.engines import registry
from swgui.engines.facts import ENGINES, GPU
from tests.outside_engine import install
from tests.scripts import load_script
from tests.sources import tree_of

SOURCE = Path(swgui.__file__).parent
# Where "cpu" is the id of a device, and the name of a pair method, and "cluster" means similar sequences.
OTHER_MEANINGS = {
    "__init__.py": {"cluster"},
    "cli/program.py": {"cluster"},
    "cli/waking.py": {"cluster", "cuda"},  # before the table can be imported; a test below compares both
    "core/devices.py": {"cpu"},
    "core/methods/pair.py": {"cpu"},
    "engines/native/library.py": {"cpu"},  # a folder of kernels
    "gui/network/controls.py": {"cluster"},
    "gui/network/entry.py": {"cluster"},
    "gui/network/requests.py": {"cluster"},
    "gui/network/sets/questions.py": {"cluster"},
    "gui/network/shown.py": {"cluster"},
    "gui/network/work.py": {"cluster"},
    "io/network/clusters.py": {"cluster"},
    "commands/table.py": {"cluster"},
    "io/network/sequence_tables.py": {"cluster"},
    "jobs/kind.py": {"cluster"},
    "jobs/network/grouping.py": {"cluster"},
    "library/network.py": {"cluster"},
    "gui/window/pages.py": {"cluster"},
    "io/export/blast_json.py": {"reference"},  # of a paper
    "io/export/blast_xml.py": {"reference"},  # of a paper
}
TABLE = "engines/facts.py"


def test_the_driver_starts_early_for_the_engine_of_the_table_alone():
    assert {*waking.ENGINES} - {"", "auto"} == {GPU.name}


def literals(path: Path, among: set[str]) -> set[str]:
    """Return which texts stand in a module as literals."""
    text = path.read_text("utf-8")
    if not any(f'"{name}"' in text for name in among):
        return set()
    return {
        node.value for node in ast.walk(tree_of(path)) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_no_name_of_an_engine_stands_outside_the_table():
    names = {engine.name for engine in ENGINES}
    found = {}
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE).as_posix()
        if place != TABLE and (named := literals(path, names) & names - OTHER_MEANINGS.get(place, set())):
            found[place] = named
    assert found == {}


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_the_record_and_the_adapter_agree(engine):
    adapter = importlib.import_module(engine.module)
    assert adapter.status().name == engine.name
    assert callable(adapter.create)
    assert hasattr(adapter, "kernel_use") == engine.kernels
    assert all((engine.title, engine.about, engine.needs))


def test_auto_tries_gpus_before_cpus(monkeypatch):
    faster = EngineFacts("other-gpu", "nowhere", title="Other GPU", kind=Kind.GPU, auto=True)
    engines = {engine.name: engine for engine in (*ENGINES, faster)}
    monkeypatch.setattr(registry, "installed", lambda: engines)
    assert registry.auto_names() == ("cuda", "other-gpu", "webgpu", "cpu", "reference")
    monkeypatch.setattr(registry, "probed", {})
    status = registry.probe("other-gpu")
    assert not status.available
    assert status.reason.startswith("The engine 'other-gpu' could not be loaded: ")


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """Install the engine of the manual, and forget it afterwards."""
    monkeypatch.syspath_prepend(str(install(tmp_path)))
    monkeypatch.setattr(registry, "probed", {})
    registry.installed.cache_clear()
    yield tmp_path
    registry.installed.cache_clear()
    sys.modules.pop("mine", None)


def engines_page() -> str:
    """Return the page of the manual as it is made now."""
    page: str = load_script(SOURCE.parent / "packaging" / "reference.py").engines_page()
    return page


def test_an_engine_from_outside_is_found(outside, capsys):
    assert registry.engine_names()[-1] == "mine"
    assert registry.listed_names() == ("cuda", "webgpu", "cpu", "reference", "mine")
    assert main(["devices"]) == 0
    assert "mine       ready" in capsys.readouterr().out
    assert "| `mine` | Mine | The scores of the reference engine. |" in engines_page()


def test_an_engine_from_outside_searches_from_the_command_line(outside):
    (outside / "few.fasta").write_text(">one\nMKTAYIAKQR\n>two\nMKTAYWAKQR\n")
    path = os.pathsep.join((str(SOURCE.parent), str(outside)))
    environment = {**os.environ, "PYTHONPATH": path} | {
        f"SWGUI_{name}_DIR": str(outside / name) for name in ("CONFIG", "CACHE", "DATA")
    }
    command = [sys.executable, "-m", "swgui", "search", "-q", "few.fasta", "-d", "few.fasta", "--engine", "mine"]
    done = subprocess.run(command, cwd=outside, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "two" in done.stdout


@pytest.mark.parametrize("points_at", ["missing:FACTS", "math:pi", "swgui.engines.facts:GPU"])
def test_what_is_no_new_engine_is_passed_over(outside, points_at, caplog):
    (outside / "mine-1.0.dist-info" / "entry_points.txt").write_text(f"[swgui.engines]\nmine = {points_at}\n")
    registry.installed.cache_clear()
    assert tuple(registry.installed().values()) == ENGINES
    assert registry.facts("cuda") is GPU
    assert points_at in caplog.text
