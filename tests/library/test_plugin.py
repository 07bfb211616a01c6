"""What a package adds is there for the library, the command line and the window, as soon as it is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.library.conftest import GLOBIN, PROTEINS
from tests.library.plugin import install

# In a process of its own, for tables are filled once.
LIBRARY = """
import json, sys
import swgui

hits = swgui.search("query.pairs", "few.pairs", engine="mine", top=2)
hits.write("library.ranks")
print(json.dumps({
    "ids": [hit.id for hit in hits],
    "engine": hits.result.engine,
    "density": hits[0]["density"],
    "column": hits.to_arrays(["+density"])["density"].tolist()[0],
    "written": open("library.ranks").read(),
    "engines": [status.name for status in swgui.devices()],
}))
"""
COMMAND = """
import sys
from swgui.cli import main
sys.exit(main(["search", "-q", "query.pairs", "-d", "few.pairs", "--engine", "mine", "--top", "2", *sys.argv[1:]]))
"""
# What the window offers: engines in the list Run on, columns of the hit table, formats of the export, files as queries.
WINDOW = """
import json
from pathlib import Path
from PySide6.QtWidgets import QApplication, QComboBox

application = QApplication([])
from swgui.engines.registry import probe_engines
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.inputs.detection import detect_in_file
from swgui.gui.inputs.engine import EngineBox
from swgui.gui.inputs.saving_dialog import SavingDialog
from swgui.gui.kit.tasks.pool import Tasks
from swgui.io.export import FORMATS
from swgui.settings import Settings

box = EngineBox(Settings(), None)
box.show_engines(probe_engines())
engines = box.findChild(QComboBox, "engine")
dialog = SavingDialog(Tasks(), "export", "Export hits", FORMATS, "hits", None)
print(json.dumps({
    "engines": [engines.itemText(row) for row in range(engines.count())],
    "formats": [dialog.format_box.itemText(row) for row in range(dialog.format_box.count())],
    "column": BY_KEY["density"].column.title,
    "ids": [row.record.id for row in detect_in_file(Path("query.pairs"), None).rows],
}), flush=True)
import os
os._exit(0)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("plugin")
    install(place)
    (place / "query.pairs").write_text(f"#pairs\nglobin {GLOBIN}\n")
    (place / "few.pairs").write_text("#pairs\n" + "".join(f"{name} {text}\n" for name, text in PROTEINS.items()))
    return place


def run(folder, repository, code, *words):
    paths = os.pathsep.join([str(folder / "site"), str(repository)])
    environment = {**os.environ, "PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"} | {
        f"SWGUI_{kind}_DIR": str(folder / kind) for kind in ("CONFIG", "CACHE", "DATA")
    }
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_library_and_the_command_line_have_it(folder, repository):
    found = json.loads(run(folder, repository, LIBRARY))
    assert found["ids"] == ["sp|P1|ALPHA", "sp|P2|NEAR"]
    assert found["engine"] == "mine"
    assert found["density"] == found["column"] > 4
    assert found["written"].splitlines()[0].startswith("1 sp|P1|ALPHA ")
    assert "mine" in found["engines"]
    written = run(folder, repository, COMMAND, "--format", "ranks")
    assert written == found["written"]


@pytest.mark.gui
def test_the_window_has_it(folder, repository):
    found = json.loads(run(folder, repository, WINDOW))
    assert "Mine My CPU" in found["engines"]
    assert "Ranks" in found["formats"]
    assert found["column"] == "Score density"
    assert found["ids"] == ["globin"]
