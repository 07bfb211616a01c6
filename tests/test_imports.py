"""Modules that commands may import: a start that grows slow module by module is noticed here and not by users.

A name stands for the module and all below it. Modules not listed under `SPARED` may be used, up to the number given.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Run the command line in a process of its own and say at the end what it has imported.
LOOK = """
import atexit, json, os, sys
before = set(sys.modules)
out = os.fdopen(os.dup(1), "w")
atexit.register(lambda: print(json.dumps(sorted(set(sys.modules) - before)), file=out, flush=True))
sys.stdout = open(os.devnull, "w")
from swgui.cli import main
sys.exit(main(sys.argv[1:]))
"""
# Make the window, let it be painted, and say what has been imported.
WINDOW = """
import json, os, sys
before = set(sys.modules)
from swgui import app
application = app.application()
window = app.make_window(application)
window.show()
application.processEvents()
found = sorted(set(sys.modules) - before)
window.close()
print(json.dumps(found), flush=True)
os._exit(0)
"""
# Import the library, and then what searches, and say what each has imported.
LIBRARY = """
import json, sys
before = set(sys.modules)
import swgui
bare = sorted(set(sys.modules) - before)
swgui.search
print(json.dumps([bare, sorted(set(sys.modules) - before)]))
"""
ALWAYS_SPARED = (
    "scipy", "cupy", "pyqtgraph", "matplotlib", "pandas", "polars", "pyarrow", "xlsxwriter", "dask", "distributed",
    "asyncio", "http", "ssl", "email",
)  # fmt: skip
SPARED = {
    "--help": (
        "PySide6", "numpy", "msgspec", "Bio",
        "dataclasses", "inspect", "json", "logging", "tempfile", "subprocess", "urllib.request",
        "swgui.core.hits", "swgui.engines", "swgui.gui", "swgui.io", "swgui.jobs", "swgui.settings",
    ),
    "search": (
        "PySide6", "numpy.ma", "multiprocessing", "platformdirs",
        "xml", "zipfile", "urllib.request", "importlib.metadata", "statistics", "difflib", "html", "tempfile",
        "csv", "shlex", "shutil",
        "swgui.doctor", "swgui.gui", "swgui.runs", "swgui.settings", "swgui.commands.databases",
        "swgui.core.compare", "swgui.core.pair", "swgui.core.structures", "swgui.core.sweep",
        "swgui.core.profiles.alignment", "swgui.core.hits.rounds",
        "swgui.core.statistics.histogram", "swgui.core.statistics.masking",
        "swgui.engines.cluster", "swgui.engines.cuda.gpu", "swgui.engines.cuda.engine", "swgui.engines.cuda.pair",
        "swgui.engines.cuda.streaming", "swgui.engines.monitor", "swgui.engines.pair",
        "swgui.engines.reference",
        "swgui.papers.search", "swgui.papers.striped", "swgui.papers.tiled",
        "swgui.io.imported", "swgui.io.organisms", "swgui.io.database.build", "swgui.io.database.conversions",
        "swgui.io.export.html_report", "swgui.io.methods", "swgui.io.export.sam", "swgui.io.export.stacked",
        "swgui.io.database.download", "swgui.io.database.library", "swgui.io.database.web",
        "swgui.io.saved.database", "swgui.io.saved.pack", "swgui.io.saved.search",
        "swgui.io.tables", "swgui.jobs.cluster", "swgui.jobs.doctor", "swgui.jobs.pair", "swgui.jobs.sweep",
    ),
    "rule": (
        "PySide6", "numpy.ma", "multiprocessing",
        "xml", "zipfile", "urllib.request", "importlib.metadata", "statistics",
        "swgui.doctor", "swgui.gui", "swgui.runs", "swgui.settings",
        "swgui.core.compare", "swgui.core.hits.results", "swgui.core.search", "swgui.core.verdict",
        "swgui.engines.cuda.gpu", "swgui.engines.traceback", "swgui.io.database.build", "swgui.io.database.library",
        "swgui.io.export", "swgui.io.tables.hits", "swgui.jobs.rules.audit", "swgui.jobs.rules.verify",
    ),
    "network": (
        "PySide6", "Bio.Align", "numpy.ma", "multiprocessing",
        "xml", "urllib.request", "importlib.metadata", "statistics",
        "swgui.doctor", "swgui.gui", "swgui.settings",
        "swgui.core.pair", "swgui.core.rules", "swgui.core.several.joined",
        "swgui.engines.cuda.gpu", "swgui.engines.pair", "swgui.io.database.build", "swgui.io.database.library",
        "swgui.io.export", "swgui.io.imported", "swgui.io.methods.pairs", "swgui.io.methods.rules",
        "swgui.io.profiles", "swgui.io.saved.facts", "swgui.io.saved.search", "swgui.io.tables", "swgui.jobs.rules",
        "swgui.jobs.search.run",
        "swgui.runs.searches",
    ),
    "library": (
        "PySide6", "Bio", "zipfile", "urllib.request",
        "importlib.metadata", "swgui.cli", "swgui.gui", "swgui.runs",
        "swgui.core.statistics.masking", "swgui.core.sweep",
        "swgui.engines.cluster.engine", "swgui.engines.cuda.engine",
        "swgui.io.imported", "swgui.io.database.build", "swgui.io.saved.search", "swgui.io.tables",
        "swgui.jobs.cluster", "swgui.jobs.doctor", "swgui.jobs.sweep",
    ),
    "window": (
        "Bio.Align", "Bio.Seq", "swgui.core.pair", "swgui.core.statistics.histogram",
        "swgui.gui.databases.page",
        "swgui.gui.device.cluster", "swgui.gui.device.page", "swgui.gui.device.sweep", "swgui.gui.kit.plots.still",
        "swgui.gui.pair.page", "swgui.gui.results.details", "swgui.gui.results.page", "swgui.gui.runs.page",
        "swgui.gui.runs.panel", "swgui.gui.viewer", "swgui.io.export.pairs", "swgui.io.tables", "swgui.jobs.doctor",
        "swgui.jobs.pair",
    ),
}  # fmt: skip
MOST = {
    "--help": 45,
    "search": 374,
    "rule": 396,
    "network": 376,
    "library": 421,
    "window": 592,
}  # modules besides those of a bare Python; 140 are NumPy's and what it imports


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("imports")
    (place / "few.fasta").write_text(">one\nMKTAYIAKQRQISFVKSHFSRQ\n>two\nMKTAYWAKQRQISFVKSHFSRQ\n")
    run(place, "makedb", "few.fasta", "-o", "few.swdb")
    return place


def run(place, *words, look=LOOK):
    """Return the modules that a command, or the window, has imported."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"} | {
        f"SWGUI_{name}_DIR": str(place / name) for name in ("CONFIG", "CACHE", "DATA")
    }
    command = [sys.executable, "-c", look, *words]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("search", "-q", "few.fasta", "-d", "few.swdb", "--top", "10", "--format", "blast6", "--engine", "cpu"),
        ("rule", "peptides", "-q", "few.fasta", "-d", "few.swdb", "-o", "places.tsv", "--engine", "cpu"),
        ("network", "few.swdb", "-o", "few.swnet", "--engine", "cpu"),
    ],
    ids=lambda words: words[0],
)
def test_a_command_imports_only_what_it_needs(folder, words):
    check(words[0], run(folder, *words))


def test_the_library_is_imported_when_it_is_used(folder):
    bare, searching = run(folder, look=LIBRARY)
    assert sorted(bare) == ["swgui", "swgui.version"]
    check("library", searching)


@pytest.mark.gui
def test_the_first_picture_of_the_window_imports_only_what_it_needs(folder):
    check("window", run(folder, look=WINDOW))


def check(what, modules):
    spared = (*ALWAYS_SPARED, *SPARED[what])
    found = [name for name in modules if any(name == one or name.startswith(f"{one}.") for one in spared)]
    assert not found, "import them inside the functions that need them"
    assert len(modules) <= MOST[what], "look at 'python -X importtime -m swgui ...'"
