"""Pairs of columns in the window: arcs, list, marked columns, files, and the view of a family of RNA."""

import threading
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.covariation.alignment import ABSENT
from swgui.core.covariation.pairs import GAPPED, SUPPORTED
from swgui.core.covariation.settings import CovariationSettings
from swgui.core.database import encode_database
from swgui.core.hits.rounds import QueryRounds, Round
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.viewer.covariation.dialog import AlignmentDialog, stack_of
from swgui.gui.viewer.covariation.panel import source_of
from swgui.gui.viewer.covariation.view import CovariationView
from swgui.io.matrices import load_matrix
from swgui.io.profiles.base_alignments import read_bases
from swgui.io.profiles.formats import read_start
from swgui.io.sample_files import write_sample
from swgui.jobs.covariation import covariation
from swgui.jobs.events import run_to_end
from swgui.jobs.search.run import search_steps
from tests.asking import search_request


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rna")
    list(write_sample(folder, ["rna.sto"]))
    return folder / "rna.sto"


@pytest.fixture
def tasks(qtbot):
    made = Tasks()
    yield made
    made.shutdown()


@pytest.fixture
def dialog(qtbot, tasks, file):
    made = AlignmentDialog(tasks)
    qtbot.addWidget(made)
    made.resize(1300, 700)
    made.show()
    made.read(file)
    qtbot.waitUntil(lambda: made.panel.found is not None, timeout=30_000)
    return made


def middle_of(arcs, pair):
    """Return the top of an arc."""
    arc = next(arc for arc in arcs.arcs if arc.pair == pair)
    place = arcs.curve_rect()
    x = (arcs.x_of(arc.left) + arcs.x_of(arc.right)) / 2
    return QPointF(x, place.bottom() - arc.height * place.height())


def test_a_click_on_an_arc_marks_both_columns(dialog, qtbot, tmp_path):
    panel = dialog.panel
    pairs = panel.found.pairs
    assert panel.found.number(SUPPORTED) == 21
    assert "21 supported" in panel.said.text()
    assert panel.list.rows_model.row_count() == 21
    assert [panel.arcs.pair_at(middle_of(panel.arcs, pair)) for pair in range(21)] == list(range(21))
    assert panel.arcs.pair_at(QPointF(0, 0)) == -1
    outermost = int(np.argmax(pairs.right - pairs.left))
    QTest.mouseClick(panel.arcs, Qt.MouseButton.LeftButton, pos=middle_of(panel.arcs, outermost).toPoint())
    assert panel.area.marked == (pairs.left[outermost], pairs.right[outermost])
    assert f"Columns {pairs.left[outermost] + 1} and {pairs.right[outermost] + 1}" in dialog.status.text()
    widths = sum(map(panel.list.columnWidth, range(panel.list.model().columnCount())))
    assert widths <= panel.list.viewport().width()  # every column of the list is seen whole
    panel.list.chosen.emit(3)
    assert panel.area.marked == (pairs.left[3], pairs.right[3])
    assert panel.area.describe_cell(0, 4)
    assert not dialog.grab().isNull()  # painted with marked columns
    for ending in ("svg", "pdf", "png"):
        path = tmp_path / f"arcs.{ending}"
        dialog.save_figure(path)
        qtbot.waitUntil(path.exists)
    assert ElementTree.parse(tmp_path / "arcs.svg").getroot().tag.endswith("svg")
    for name in ("pairs.tsv", "all.svg"):
        panel.save_to(tmp_path / name)
        qtbot.waitUntil((tmp_path / name).exists)
    assert len([line for line in (tmp_path / "pairs.tsv").read_text().splitlines() if line[0] != "#"]) == 22


def test_a_file_that_is_no_alignment_is_named(dialog, qtbot, tmp_path):
    wrong = tmp_path / "wrong.sto"
    wrong.write_text("# STOCKHOLM 1.0\nr1 ACGU\nr2 ACG\n//\n")
    dialog.read(wrong)
    qtbot.waitUntil(lambda: "'r2' has 3 columns" in dialog.panel.said.text())
    assert not dialog.save_button.isEnabled()


def test_pairs_that_were_not_compared_have_no_numbers(tmp_path, file):
    codes = read_bases(file)[0]
    gapped = replace(codes, codes=codes.codes.copy())
    gapped.codes[10:, gapped.pairs[0, 0]] = ABSENT
    found = covariation(gapped, CovariationSettings(copies=4))
    assert found.pairs.states[-1] == GAPPED
    shown = [column.text(len(found.pairs) - 1) for column in source_of(found).columns]
    assert shown[2:] == ["–", GAPPED, "–", "–"]


def test_rows_of_a_file_keep_letters_of_several_bases(tmp_path):
    path = tmp_path / "a.fasta"
    path.write_text(">a\nacgtNacgtacgt\n>b\nAC-RUACGUACGU\n")
    stack, rows = stack_of(read_bases(path)[0])
    assert [row.symbols.tobytes() for row in stack.rows] == [b"ACGUNACGUACGU", b"AC-RUACGUACGU"]
    assert stack.query.tobytes() == b"ACGUUACGUACGU"
    assert rows.header(1).name == "b"


def test_the_view_shows_the_family_of_a_search_of_rna(qtbot, tasks, file):
    scheme = ScoringScheme.from_blast(load_matrix("+2/-3", NUCLEOTIDE), 5, 2)
    start = read_start(file, scheme)
    request = search_request(
        queries=start.records, database=encode_database(start.records, NUCLEOTIDE, "one"), scheme=scheme, engine="cpu"
    )
    result = run_to_end(search_steps(request, threading.Event()))
    none = np.zeros(0, dtype=np.int64)
    rounds = QueryRounds((Round(none, np.zeros(0), none, None, start.alignment, 1.0),), "same")
    view = CovariationView(tasks)
    qtbot.addWidget(view)
    view.resize(1200, 600)
    view.use_query(result, 0)
    assert not view.possible
    view.use_query(replace(result, queries=(replace(result.queries[0], rounds=rounds),)), 0)
    assert view.possible
    assert view.figure() is None
    view.show()
    qtbot.waitUntil(lambda: view.panel.found is not None, timeout=30_000)
    assert len(view.panel.found.pairs) >= 15
    assert view.panel.found.alignment.partners is None
    assert view.figure().content(".svg")
    said = []
    view.message.connect(said.append)
    view.panel.choose(0)
    assert said[0].startswith("Columns ")
    view.use_query(None, -1)
    assert view.panel.found is None
