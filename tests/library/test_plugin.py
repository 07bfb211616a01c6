"""Additions of a package are there for the library, the command line and the window, as soon as it is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.library.conftest import GLOBIN, PROTEINS
from tests.library.plugin import TURNS, install

# In a process of its own, for tables are filled once.
LIBRARY = """
import json
import swgui
from swgui.cli import main

words = ["search", "-q", "query.pairs", "-d", "few.pairs", "--engine", "mine", "--top", "2", "--format", "ranks"]
status = main([*words, "-o", "command.ranks"])
hits = swgui.search("query.pairs", "few.pairs", engine="mine", top=2)
hits.write("library.ranks")

scoring = {"matrix": "states.mat", "gap_open": 4, "gap_extend": 1}
words = [word for name, value in scoring.items() for word in ("--" + name.replace("_", "-"), str(value))]
files = ["-q", "states.fasta", "-d", "states.fasta", "--type", "states"]
status += main(["search", *files, *words, "--format", "tsv", "--columns", "sseqid,score", "-o", "states.tsv"])
states = swgui.search("states.fasta", "states.fasta", type="states", **scoring)
try:
    swgui.search("states.fasta", "states.fasta", type="states")
except swgui.SwguiError as error:
    refused = str(error)
words = ["search", "-q", "turns.fasta", "-d", "turns.fasta", "--format", "tsv", "--columns", "sseqid,score"]
status += main([*words, "--type", "turns", "-o", "turns.tsv"])

print(json.dumps({
    "status": status,
    "ids": [hit.id for hit in hits],
    "engine": hits.result.engine,
    "density": hits[0]["density"],
    "column": hits.to_arrays(["+density"])["density"].tolist()[0],
    "written": [open(name).read() for name in ("library.ranks", "command.ranks")],
    "engines": [status.name for status in swgui.devices()],
    "states": [[hit.id, hit.score] for hit in states],
    "table": open("states.tsv").read(),
    "turns": open("turns.tsv").read().split(),
    "type": states.database.type,
    "refused": refused,
}))
"""
# What the window offers: engines in the list Run on, columns of the hit table, formats of the export, files as queries.
WINDOW = """
import json
from pathlib import Path
from PySide6.QtWidgets import QApplication, QComboBox

application = QApplication([])
from swgui.engines.registry import probe_engines
from swgui.core.alphabet import ALPHABETS
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.inputs.detection import detect_in_file
from swgui.gui.inputs.engine import EngineBox
from swgui.gui.inputs.saving_dialog import SavingDialog
from swgui.gui.databases.details_panel import describe_database
from swgui.gui.databases.page import list_rows
from swgui.gui.databases.list import COLUMNS
from swgui.io.database.build import build_database
from swgui.io.database.library import remember_database
from swgui.gui.kit.tasks.pool import Tasks
from swgui.io.export import FORMATS
from swgui.settings import Settings

box = EngineBox(Settings(), None)
box.show_engines(probe_engines())
engines = box.findChild(QComboBox, "engine")
dialog = SavingDialog(Tasks(), "export", "Export hits", FORMATS, "hits", None)
build_database([Path("states.fasta")], Path("states.swdb"), alphabet=ALPHABETS["states"])
remember_database(Path("states.swdb"))
(row,) = [row for row in list_rows(lambda path: None) if row.name.startswith("states")]
print(json.dumps({
    "type": [column.text(row) for column in COLUMNS if column.title == "Type"],
    "content": dict(describe_database(row, 0, 1).facts)["Content"],
    "engines": [engines.itemText(row) for row in range(engines.count())],
    "formats": [dialog.format_box.itemText(row) for row in range(dialog.format_box.count())],
    "column": BY_KEY["density"].column.title,
    "ids": [row.record.id for row in detect_in_file(Path("query.pairs"), None).rows],
}), flush=True)
import os
os._exit(0)
"""
# The Search page: a kind of sequence from the package and one from the user's folder, with what their files say.
PAGE = """
import json, os, threading, time
from pathlib import Path
from PySide6.QtWidgets import QApplication, QComboBox

application = QApplication([])
from swgui.core.alphabet import ALPHABETS
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.search.page import SearchPage
from swgui.gui.viewer.residues.scheme_box import SchemeBox
from swgui.io.database.build import build_database
from swgui.jobs.events import finishing
from swgui.jobs.search.run import search_steps
from swgui.settings import Settings, load, save

def hits_of(request):
    return list(finishing(search_steps(request, threading.Event())))[-1].outcome.queries[0].hits


settings, found = Settings(), {}
page, colours = SearchPage(settings, Tasks()), SchemeBox(Tasks())
kinds = page.findChild(QComboBox, "queryKind")
found["kinds"] = [kinds.itemData(row) for row in range(kinds.count())]
for name in ("turns", "loops"):
    build_database([Path("turns.fasta")], Path(name + ".swdb"), alphabet=ALPHABETS[name])
    page.query.set_kind(name)
    page.query.set_text(Path("turns.fasta").read_text())
    page.database.open(Path(name + ".swdb"))
    until = time.monotonic() + 60
    while (page.query.busy or page.database.busy or page.problem) and time.monotonic() < until:
        application.processEvents()
    matrices = page.findChild(QComboBox, "matrix")
    colours.offer("stacked", name)
    request = page.request()
    found[name] = {
        "problem": page.problem,
        "matrix": matrices.itemText(0),
        "gaps": [request.scheme.gap_open, request.scheme.gap_extend],
        "scheme": [colours.scheme().title, [group.light for group in colours.scheme().groups]],
        "command": page.command_line(),
        "scores": [int(score) for score in hits_of(request).scores],
    }
save(settings)
found["kept"] = [load().search.kind, sorted(load().search.others), load().problems]
print(json.dumps(found), flush=True)
os._exit(0)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("plugin")
    install(place)
    (place / "query.pairs").write_text(f"#pairs\nglobin {GLOBIN}\n")
    helix, coil = "HHHHHHHHHHEEEECCCC", "HHHHHHCCCCEEEEHHHH"
    (place / "states.fasta").write_text(f">helix\n{helix}\n>coil\n{coil}\n")
    (place / "turns.fasta").write_text(">bent\nTTTTTTSSTTTTTTTTSS\n>straight\nSSSSSSSSTTSSSSSSSS\n")
    user = place / "CONFIG" / "alphabets"
    user.mkdir(parents=True)
    (user / "loops.txt").write_text(TURNS.replace("6 2", "7 1").replace("5", "6"))
    (place / "states.mat").write_text("  H  E  C\nH  4 -3 -2\nE -3  5 -1\nC -2 -1  4\n")
    (place / "few.pairs").write_text("#pairs\n" + "".join(f"{name} {text}\n" for name, text in PROTEINS.items()))
    return place


def run(folder, repository, code):
    paths = os.pathsep.join([str(folder / "site"), str(repository)])
    environment = {**os.environ, "PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"} | {
        f"SWGUI_{kind}_DIR": str(folder / kind) for kind in ("CONFIG", "CACHE", "DATA")
    }
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_library_and_the_command_line_have_it(folder, repository):
    found = json.loads(run(folder, repository, LIBRARY))
    assert found["status"] == 0
    assert found["ids"] == ["sp|P1|ALPHA", "sp|P2|NEAR"]
    assert found["engine"] == "mine"
    assert found["density"] == found["column"] > 4
    library, command = found["written"]
    assert library == command
    assert library.startswith("1 sp|P1|ALPHA ")
    assert "mine" in found["engines"]
    assert found["type"] == "states"
    assert found["states"] == [["helix", 76], ["coil", 36], ["coil", 76], ["helix", 36]]
    assert found["table"].splitlines()[0] == "sseqid\tscore"
    assert "no scores are usual" in found["refused"]
    assert found["turns"][:4] == ["sseqid", "score", "bent", "82"]


@pytest.mark.gui
def test_the_window_has_it(folder, repository):
    found = json.loads(run(folder, repository, WINDOW))
    assert "Mine My CPU" in found["engines"]
    assert "Ranks" in found["formats"]
    assert found["column"] == "Score density"
    assert found["ids"] == ["globin"]
    assert found["type"] == ["states"]
    assert found["content"] == "2 states sequences, 36 residues"


@pytest.mark.gui
def test_the_search_page_has_the_alphabets_of_packages_and_of_the_user(folder, repository):
    found = json.loads(run(folder, repository, PAGE))
    assert found["kinds"][:3] == ["auto", "protein", "nucleotide"]
    assert {"states", "turns", "loops"} <= set(found["kinds"])
    for name, gaps, own in (("turns", [6, 2], 5), ("loops", [7, 1], 6)):
        page = found[name]
        assert (page["problem"], page["matrix"], page["gaps"]) == ("", name, gaps)
        assert page["scheme"] == [name, ["#d04040", "#3070d0"]]
        assert f"--type {name}" in page["command"]
        assert page["scores"][0] == 14 * own + 4 * 3
    assert found["kept"] == ["loops", ["loops", "turns"], []]
