"""A format that another package brings is offered by the window, the command line and the manual."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from swgui.io import plugins
from swgui.io.export import FORMATS, ExportFormat

ROOT = Path(__file__).parents[3]

PACKAGE = """
from swgui.io.export import ExportFormat


def write_ranks(result, hits, file, options):
    for hit in hits:
        file.write(f"{hit.rank} {hit.subject.id}\\n")


TAKES = frozenset({"comments"})
FORMAT = ExportFormat("ranks", "Ranks only", ".ranks", "rank and identifier", write_ranks, takes=TAKES)
CLASH = ExportFormat("tsv", "Not this one", ".tsv", "another table", write_ranks)
"""

# What a user of the package sees; printed as JSON.
LOOK = """
import contextlib, importlib.util, io, json, sys
from PySide6.QtWidgets import QApplication
from swgui.cli import build_parser, main
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.results.export.dialog import ExportDialog

app = QApplication([])
jobs = ShortJobs()
dialog = ExportDialog(jobs, None, [], [], None)
at = dialog.format_box.findData("ranks")
dialog.format_box.setCurrentIndex(at)
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    main(["search", "-q", sys.argv[1], "-d", sys.argv[1], "--engine", "reference", "--format", "ranks"])
spec = importlib.util.spec_from_file_location("reference", sys.argv[2])
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)
json.dump({
    "title": dialog.format_box.itemText(at), "note": dialog.format_note.text(),
    "comments": not dialog.comments.isHidden(), "columns": not dialog.columns_box.isHidden(),
    "table": dialog.format_box.itemText(dialog.format_box.findData("tsv")),
    "printed": printed.getvalue(), "manual": reference.formats_page(),
}, sys.stdout)
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What is seen of an installed package, and what it says on the standard error."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "ranks.py").write_text(PACKAGE)
    info = folder / "ranks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ranks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[swgui.formats]\nranks = ranks:FORMAT\nclash = ranks:CLASH\nbroken = ranks:nothing\n"
    )
    fasta = folder / "one.fasta"
    fasta.write_text(">first of one\nMKVLWAALLVTFLAG\n")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "QT_QPA_PLATFORM": "offscreen",
        **{f"SWGUI_{name}_DIR": str(folder / name) for name in ("CONFIG", "CACHE", "DATA")},
    }
    command = [sys.executable, "-c", LOOK, str(fasta), str(ROOT / "packaging" / "reference.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_the_window_offers_it_with_what_it_takes(seen):
    assert (seen[0]["title"], seen[0]["note"]) == ("Ranks only", "Rank and identifier.")
    assert seen[0]["comments"]
    assert not seen[0]["columns"]


def test_the_command_line_writes_it(seen):
    assert seen[0]["printed"] == "1 first\n"


def test_the_manual_has_it(seen):
    assert "| `ranks` | `.ranks` | rank and identifier | comments |" in seen[0]["manual"]


def test_what_cannot_be_used_is_said_and_left_out(seen):
    assert seen[0]["table"] == FORMATS["tsv"].title
    assert "ranks offers 'tsv', which is there already" in seen[1]
    assert "ranks:nothing of ranks cannot be loaded" in seen[1]


def test_records_of_another_kind_are_left_out(monkeypatch, caplog):
    class Entry:
        value, dist = "other:THING", None

        def load(self):
            return ("no format",)

    monkeypatch.setattr(plugins, "entry_points", lambda group: [Entry()])
    table = {}
    plugins.add_installed(table, "swgui.formats", ExportFormat, lambda form: form.name)
    assert table == {}
    assert "other:THING of A package is no ExportFormat" in caplog.text


def test_a_format_writes_either_text_or_bytes():
    with pytest.raises(ValueError, match="either write or write_bytes"):
        ExportFormat("none", "None", ".none", "nothing")


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_every_format_says_all_of_itself(form):
    assert form.title not in ("", form.name)
    assert form.suffix.startswith(".")
    assert form.description
    assert not form.description.endswith(".")
