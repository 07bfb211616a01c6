"""Each format and column is one record, seen in window, command line, files and manual; packages bring more."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.gui.hits.columns import BY_KEY
from swgui.io import plugins
from swgui.io.export import FORMATS, HIT_COLUMNS, ExportFormat, ExportOptions, find_format
from tests.conftest import under_wine
from tests.scripts import load_script

ROOT = Path(__file__).parents[3]

PACKAGE = """
from swgui.io.export import Column, ExportFormat


def write_ranks(result, hits, file, options):
    for hit in hits:
        file.write(f"{hit.rank} {hit.subject.id}\\n")


TAKES = frozenset({"comments"})
FORMAT = ExportFormat("ranks", "Ranks only", ".ranks", "rank and identifier", write_ranks, takes=TAKES)
COLUMN = Column(
    "density", "Score density", "Score per residue of the subject.", "real", "search",
    lambda hit: hit.score / len(hit.subject.residues), decimals=2,
)
CLASH = ExportFormat("tsv", "Not this one", ".tsv", "another table", write_ranks)
"""

# What a user of the package sees; printed as JSON.
LOOK = """
import contextlib, importlib.util, io, json, sys
from PySide6.QtWidgets import QApplication
from swgui.cli import build_parser, main
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.hits.columns import BY_KEY, COLUMNS
from swgui.gui.hits.data import HitData
from swgui.gui.results.output import ExportDialog
from swgui.gui.results.table.columns import ColumnDialog
from swgui.io.saved.search import load_search
from tests.conftest import under_wine

app = QApplication([])
tasks = Tasks()
dialog = ExportDialog(tasks, None, [], [], None)
at = dialog.format_box.findData("ranks")
dialog.format_box.setCurrentIndex(at)
def command(*words):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(list(words)) == 0
    return printed.getvalue()

saved = sys.argv[1] + ".swgui"
search = ["search", "-q", sys.argv[1], "-d", sys.argv[1], "--engine", "reference", "--save", saved, "--format", "ranks"]
printed = command(*search)
data = HitData(load_search(saved).result.hit_list(0))
chooser = ColumnDialog([])
spec = importlib.util.spec_from_file_location("reference", sys.argv[2])
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)
json.dump({
    "title": dialog.format_box.itemText(at), "note": dialog.format_note.text(),
    "comments": not dialog.comments.isHidden(), "columns": not dialog.columns_box.isHidden(),
    "table": dialog.format_box.itemText(dialog.format_box.findData("tsv")),
    "printed": printed, "manual": reference.formats_page(),
    "head": [view.head for view in COLUMNS][-1], "cell": data.text(0, BY_KEY["density"]),
    "values": data.values("density").tolist(), "score": data.value(0, "score"),
    "chooser": [chooser.list.item(row).text() for row in range(chooser.list.count())],
    "choices": [dialog.columns_list.item(row).text() for row in range(dialog.columns_list.count())],
    "tsv": command("show", saved, "--columns", "sseqid,density"), "json": command("show", saved, "--format", "json"),
    "columns_page": reference.columns_page(),
}, sys.stdout)
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """The visible effect of an installed package, and its messages on the standard error."""
    if under_wine():
        pytest.skip("Wine has no windows for Qt")
    folder = tmp_path_factory.mktemp("site")
    (folder / "ranks.py").write_text(PACKAGE)
    info = folder / "ranks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ranks\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[swgui.columns]\ndensity = ranks:COLUMN\n\n"
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


def test_a_column_stands_in_the_window(seen):
    density = seen[0]["score"] / 15
    assert (seen[0]["head"], seen[0]["cell"]) == ("Score density", f"{density:.2f}")
    assert seen[0]["values"] == [density]
    assert "Score density" in seen[0]["chooser"]
    assert "Score density  (density)" in seen[0]["choices"]


def test_a_column_stands_in_files(seen):
    density = round(seen[0]["score"] / 15, 2)
    assert seen[0]["tsv"] == f"sseqid\tdensity\nfirst\t{density}\n"
    assert json.loads(seen[0]["json"])["hits"][0]["density"] == density


def test_a_column_stands_in_the_manual(seen):
    assert "| `density` | Score density |  | Score per residue of the subject. |" in seen[0]["columns_page"]


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


def test_a_format_writes_text_or_bytes_or_lines():
    with pytest.raises(ValueError, match="one of write, write_bytes and lines"):
        ExportFormat("none", "None", ".none", "nothing")


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_every_format_says_all_of_itself(form):
    assert form.title not in ("", form.name)
    assert form.suffix.startswith(".")
    assert form.description
    assert not form.description.endswith(".")


@pytest.fixture
def reference():
    return load_script(ROOT / "packaging" / "reference.py")


def test_every_column_stands_in_window_command_line_and_manual(capsys, reference):
    assert main(["columns", "--json"]) == 0
    listed = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert list(listed) == list(HIT_COLUMNS)
    manual = reference.columns_page()
    for key, column in HIT_COLUMNS.items():
        assert BY_KEY[key].title == column.title
        assert (listed[key]["heading"], listed[key]["meaning"]) == (column.heading, column.description)
        assert f"| `{key}` | {column.heading} |" in manual


def test_every_format_stands_in_command_line_and_manual(capsys, reference):
    assert main(["formats", "--json"]) == 0
    listed = {(row["commands"], row["name"]): row for row in json.loads(capsys.readouterr().out)}
    manual = reference.formats_page()
    for name, form in FORMATS.items():
        assert listed["search, show", name]["holds"] == form.description
        assert listed["search, show", name]["ending"] == form.suffix
        assert f"| `{name}` | `{form.suffix}` | {form.description} | {', '.join(sorted(form.takes))} |" in manual


@pytest.mark.parametrize("name", ["tsv", "csv", "blast6", "blast7"])
def test_tables_need_the_fit_for_its_columns_alone(name):
    form = find_format(name)
    assert not form.fitted(ExportOptions())
    assert not form.fitted(ExportOptions(columns=("sseqid", "evalue")))
    assert form.fitted(ExportOptions(columns=("sseqid", "zscore")))
    assert form.fitted(ExportOptions(columns=("evalue_fit",)))


def test_what_holds_every_number_needs_it():
    assert find_format("json").fitted(ExportOptions())
