"""Subjects with several alignments in the window: unfolded, stepped through, drawn, copied, exported."""

import io
import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.hits.along_query import MAX_LANES, lanes_of
from swgui.core.hits.results import HitColumns, QueryResult
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.gui.hits.arrange import HitFilter, keep
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.results.page import ResultsPage
from swgui.gui.results.table.model import FOLD_ROLE, SPAN_ROLE, Fold
from swgui.gui.viewer.matrix.dot_view import DotView
from swgui.gui.viewer.stacked.view import StackView
from swgui.io.export import write_hits
from tests.asking import altered
from tests.given_hits import changed
from tests.io.sequences.by_hand import make_hit, make_result, make_scheme, with_others

QUERY = b"AACCGGTTACGTACCTGATTGA"  # 22 residues
REVERSED = b"TCAATCAGGTACGTAACCGGTT"
LINE = Qt.ItemDataRole.DisplayRole


@pytest.fixture
def search():
    """A query that stands in one subject three times, once reversed, and once in each of three others."""
    scheme = make_scheme(NUCLEOTIDE)
    query = SequenceRecord("q", "a query", QUERY)
    many = SequenceRecord("many", "three places", QUERY + b"TTTTT" + REVERSED + b"TTTT" + QUERY[:12])
    others = [SequenceRecord(f"once{at}", "alone", b"G" + QUERY[2:20] + b"CC") for at in range(3)]
    subjects = [many, *others]
    best = make_hit(scheme, query, many, 0, 1, 0, 0, "22M", log10_evalue=-9.0)
    minus = make_hit(scheme, query, many, 0, 1, 0, 27, "22M", strand=-1, log10_evalue=-9.0)
    part = make_hit(scheme, query, many, 0, 1, 0, 53, "12M", log10_evalue=-2.0)
    hits = [with_others(best, [minus, part], -19.5)]
    hits += [make_hit(scheme, query, other, at, at + 1, 2, 1, "18M", log10_evalue=-6.0) for at, other in
             enumerate(others, start=1)]  # fmt: skip
    result = make_result(scheme, [query], subjects, (4,))
    columns = HitColumns(
        np.arange(4), np.array([hit.score for hit in hits], np.int32), np.ones(4, np.int8),
        np.array([hit.bit_score for hit in hits]), np.array([hit.log10_evalue for hit in hits]),
    )  # fmt: skip
    scores = columns.scores.copy()
    of_query = QueryResult(query, columns, 4, scores)
    return altered(result, queries=(of_query,), max_hsps=100, strand="both"), hits


@pytest.fixture
def page(qtbot, tasks, search):
    result, hits = search

    def describe(listed, rows, **_options):
        for row in rows:
            yield changed(hits[row], rank=row + 1)

    page = ResultsPage(tasks, describe=describe)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show_result(result)
    page.show()
    qtbot.waitUntil(lambda: tasks.idle and page.hits.data.aligned.all())
    return page


def cell(page, place, key, role=LINE):
    model = page.hits.model
    return model.data(model.index(place, model.column_index(key)), role)


def folds(page):
    return [cell(page, place, "rank", FOLD_ROLE) for place in range(page.hits.model.rowCount())]


@pytest.fixture
def unfolded(page, qtbot):
    page.hits.table.select_row(0)
    qtbot.keyClick(page.hits.table, Qt.Key.Key_Right)
    return page


def test_a_subject_says_how_many_alignments_it_has(page):
    assert folds(page) == [Fold.FOLDED, Fold.SINGLE, Fold.SINGLE, Fold.SINGLE]
    assert cell(page, 0, "n_hsps") == "3 (2 significant), 2 strands"
    assert cell(page, 0, "n_hsps", Qt.ItemDataRole.ToolTipRole) == "3 alignments (2 significant), 2 strands"
    assert "3 alignments (2 significant), 2 strands, folded" in cell(
        page, 0, "rank", Qt.ItemDataRole.AccessibleTextRole
    )
    assert [cell(page, 0, key) for key in ("total_score", "sum_evalue", "qcovs")] == ["112", "3.2e-20", "100.0"]
    assert [cell(page, 1, key) for key in ("n_hsps", "total_score", "sum_evalue")] == ["1", "36", "1.0e-06"]


def test_the_headline_counts_alignments_and_the_only_hit_is_open(qtbot, tasks, search):
    result, hits = search
    of_query = result.queries[0]
    alone = replace(result, queries=(replace(of_query, hits=of_query.hits.take(slice(0, 1))),), statistics="published")

    def describe(listed, rows, **_options):
        return (changed(hits[row], rank=row + 1) for row in rows)

    page = ResultsPage(tasks, describe=describe)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show()
    page.show_result(alone)
    qtbot.waitUntil(lambda: 0 in page.hits.data.unfolded)
    assert page.hits.model.rowCount() == 4  # the third alignment is not significant, but listed
    assert page.hits.note_text.isHidden()  # said once, in the head of the page
    assert "in 2 alignments" in page.header.found.text()
    page.set_significance(-1.0)
    assert page.header.found.text().startswith("1 significant, in 3 alignments (E ≤ 0.1)")
    page.hits.model.unfold(0, on=False)
    page.filler.filled.emit([0])
    assert page.hits.data.unfolded == set()
    page.show_result(replace(result, statistics="published"))
    qtbot.waitUntil(lambda: page.hits.data.aligned.all())
    page.set_significance(-3.0)
    assert "in 5 alignments" in page.header.found.text()
    assert page.hits.data.unfolded == set()


def test_right_unfolds_and_left_folds(page, qtbot):
    table = page.hits.table
    table.select_row(0)
    for _ in range(2):
        qtbot.keyClick(table, Qt.Key.Key_Right)
        assert folds(page) == [Fold.UNFOLDED, Fold.PART, Fold.PART, Fold.PART, Fold.SINGLE, Fold.SINGLE, Fold.SINGLE]
        qtbot.keyClick(table, Qt.Key.Key_Down)
        qtbot.keyClick(table, Qt.Key.Key_Down)
        assert (table.current_hit_row(), table.current_part()) == (0, 1)
        qtbot.keyClick(table, Qt.Key.Key_Left)  # to the subject, then folds it
        assert (table.current_hit_row(), table.current_part()) == (0, -1)
        qtbot.keyClick(table, Qt.Key.Key_Left)
        assert folds(page)[0] is Fold.FOLDED
        assert page.hits.model.rowCount() == 4
    table.select_row(1)
    qtbot.keyClick(table, Qt.Key.Key_Plus)  # there is nothing to unfold
    assert page.hits.model.rowCount() == 4


def test_a_click_on_the_triangle_unfolds(page, qtbot):
    table, model = page.hits.table, page.hits.model
    place = table.visualRect(model.index(0, model.column_index("rank")))
    click = QPoint(place.left() + 6, place.center().y())
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=click)
    assert model.rowCount() == 7
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place.right() - 3, click.y()))
    assert model.rowCount() == 7  # on the number itself nothing is folded
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=click)
    assert model.rowCount() == 4


def test_alignments_stand_below_with_their_own_numbers(unfolded):
    names = [cell(unfolded, place, "sseqid") for place in range(5)]
    assert names == ["many", "1 of 3", "2 of 3", "3 of 3", "once0"]
    assert cell(unfolded, 2, "stitle") == "49 to 28"
    assert cell(unfolded, 2, "stitle", Qt.ItemDataRole.ToolTipRole) == "Subject 49 to 28, minus strand"
    assert [cell(unfolded, place, "score") for place in range(1, 4)] == ["44", "44", "24"]
    assert [cell(unfolded, place, "evalue") for place in range(1, 4)] == ["1.0e-09", "1.0e-09", "0.010"]
    assert [cell(unfolded, place, "sstrand") for place in range(1, 4)] == ["plus", "minus", "plus"]
    assert [cell(unfolded, place, "n_hsps") for place in range(1, 4)] == [""] * 3
    assert cell(unfolded, 0, "map", SPAN_ROLE) == ([(1, 22), (1, 22), (1, 12)], 22)
    assert cell(unfolded, 3, "map", SPAN_ROLE) == ([(1, 12)], 22)
    assert cell(unfolded, 2, "tick", Qt.ItemDataRole.CheckStateRole) is None
    dimmed = [cell(unfolded, place, "evalue", Qt.ItemDataRole.ForegroundRole) is not None for place in range(4)]
    assert dimmed == [False, False, False, True]  # the third is weaker than the significance line


def test_unfolding_outlasts_sorting_filtering_and_the_current_alignment_stays(unfolded, qtbot):
    table, model = unfolded.hits.table, unfolded.hits.model
    table.select_row(0, 2)
    model.sort(model.column_index("score"), Qt.SortOrder.AscendingOrder)
    assert model.places.rows.tolist() == [1, 2, 3, 0, 0, 0, 0]
    assert (table.current_hit_row(), table.current_part()) == (0, 2)
    unfolded.hits.set_filter(HitFilter("alone"))
    assert model.rowCount() == 3
    unfolded.hits.clear_filter()
    assert model.rowCount() == 7
    assert "4 hits" in unfolded.hits.count.text()


def test_the_viewer_steps_through_the_alignments(page, qtbot):
    pane, steps = page.alignment, page.alignment.alignments
    assert steps.choice.isVisible()
    assert [steps.choice.itemText(at) for at in range(3)] == [
        "1 of 3: score 44, plus", "2 of 3: score 44, minus", "3 of 3: score 24, plus",
    ]  # fmt: skip
    assert not steps.previous_button.isEnabled()
    steps.next_button.click()
    assert (pane.hit.strand, pane.hit.hsp) == (-1, 1)
    assert "alignment 2 of 3" in pane.places.whole_text()
    assert "subject 49 to 28" in pane.places.whole_text()
    steps.step(1)
    assert pane.hit.score == 24
    assert not steps.next_button.isEnabled()
    steps.step(1)
    assert "last alignment" in pane.status.text()
    assert page.hits.table.current_hit_row() == 0
    page.hits.table.step(1)
    qtbot.waitUntil(lambda: pane.hit.rank == 2)
    assert not steps.choice.isVisible()


def test_table_viewer_and_overview_follow_each_other(unfolded, qtbot):
    table, pane, overview = unfolded.hits.table, unfolded.alignment, unfolded.overview
    table.select_row(0, 2)
    assert (pane.hit.hsp, pane.alignments.current) == (2, 2)
    pane.alignments.step(-1)
    assert (table.current_hit_row(), table.current_part()) == (0, 1)
    y = int(overview.head_height() + 3.5 * overview.row_height())  # the third alignment
    qtbot.mouseClick(overview.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(400, y))
    assert (table.current_part(), pane.hit.score) == (2, 24)
    unfolded.hits.table.step(1)
    assert (table.current_hit_row(), table.current_part()) == (1, -1)


def test_all_alignments_are_drawn_along_the_query(page, qtbot):
    overview, data = page.overview, page.hits.data
    bars = overview.bars(data, 0)
    assert [(bar.start, bar.end, bar.strand) for bar in bars] == [(1, 22, 1), (1, 22, -1), (1, 12, 1)]
    assert [(bar.lane, bar.lanes) for bar in bars] == [(0, 3), (1, 3), (2, 3)]
    assert [bar.lanes for bar in overview.bars(data, 1)] == [1]
    assert "3 alignments (2 significant), 2 strands" in overview.describe(0)
    overview.refresh()
    qtbot.waitUntil(lambda: overview.coverage.max() == 3 + 3)
    page.hits.model.unfold(0)
    assert [[bar.part for bar in overview.bars(data, place)] for place in range(5)] == [[0, 1, 2], [0], [1], [2], [0]]
    assert "alignment 3 of 3" in overview.describe(3)
    assert "score 24" in overview.describe(3)


def test_lanes_keep_bars_apart_as_far_as_they_go():
    assert lanes_of([(1, 5), (6, 9), (4, 7)]) == [0, 0, 1]
    assert lanes_of([(1, 5)] * 9) == [0, 1, 2, *[MAX_LANES - 1] * 6]
    assert lanes_of([]) == []


def test_all_alignments_are_drawn_in_the_dot_plot(page, qtbot, tasks):
    page.alignment.set_mode("dots")
    view = page.alignment.view(DotView)
    qtbot.waitUntil(lambda: view.dots is not None and tasks.idle)

    lines = [each.line for each in view.map.data.lines]
    ends = [((line.x[0], line.y[0]), (line.x[-1], line.y[-1])) for line in lines]
    # The minus strand runs from right to left.
    assert ends == [((0, 0), (22, 22)), ((22, 27), (0, 49)), ((0, 53), (12, 65))]
    assert "the other alignments" in view.note.whole_text()
    frame = view.map.frame()
    with qtbot.waitSignal(page.alignment.stepped) as stepped:  # a click on another path chooses its alignment
        qtbot.mouseClick(view.map, Qt.MouseButton.LeftButton, pos=frame.point(5.5, 58.5).toPoint())
    assert stepped.args == [2]
    assert page.alignment.alignments.current == 2


def test_stacked_rows_are_alignments(page, qtbot, tasks):
    page.alignment.set_mode("stacked")
    view = page.alignment.view(StackView).area
    qtbot.waitUntil(lambda: view.stack is not None and len(view.stack) == 6)
    assert [(row.row, row.part) for row in view.stack.rows] == [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (3, 0)]
    assert view.stack.rows[1].name("many") == "many (2)"
    view.setFocus()
    for _ in range(3):
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert page.hits.table.current_hit_row() == 1
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert page.hits.table.current_hit_row() == 0


def test_a_region_is_covered_by_any_alignment(page):
    data = page.hits.data
    assert keep(data, HitFilter(covers=(1, 12))).tolist() == [True, False, False, False]


def test_copies_of_alignments_are_of_these_alone(unfolded, qtbot, tasks):
    table = unfolded.hits.table
    table.show_columns(["tick", "rank", "sseqid", "score", "evalue", "sstrand", "n_hsps", "pident"])
    table.select_places(2, 4)
    unfolded.output.copy_rows()
    qtbot.waitUntil(lambda: tasks.idle)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert [line[1:6] for line in lines[1:]] == [
        ["many", "44", "1.0e-09", "minus", "3"], ["many", "24", "0.010", "plus", "3"],
        ["once0", "36", "1.0e-06", "plus", "1"],
    ]  # fmt: skip
    unfolded.output.copy_fasta()
    qtbot.waitUntil(lambda: tasks.idle)
    text = QGuiApplication.clipboard().text()
    assert [line.split()[0] for line in text.splitlines() if line.startswith(">")] == [
        ">many/49-28",
        ">many/54-65",
        ">once0",
    ]
    assert QUERY.decode() in text
    dragged = unfolded.hits.model.mimeData([unfolded.hits.model.index(3, 0)]).text()
    assert dragged.startswith(">many/54-65 ")
    assert dragged.splitlines()[1] == QUERY[:12].decode()


def test_marks_and_exports_take_the_whole_subject(unfolded, search):
    table = unfolded.hits.table
    table.select_places(2, 3)
    assert table.selected_rows().tolist() == [0]
    table.toggle("ticked")
    assert unfolded.marks.marks.count("ticked") == 1
    choices = {choice.key: choice for choice in unfolded.output.choices(unfolded.result)}
    assert [len(choices[key]) for key in ("shown", "selected", "ticked")] == [4, 1, 1]
    describe = unfolded.output.describe_marked()
    ((listed, rows),) = choices["ticked"].parts
    file = io.StringIO()
    write_hits("blast6", unfolded.result, describe(listed, rows), file)
    assert file.getvalue().count("many\t") == 3


def test_menus_know_alignments(page):
    data, evalue = page.hits.data, BY_KEY["evalue"]

    def entries(row, part=-1):
        menu = page.menus.hit_menu(data, row, evalue, part)
        return {action.objectName(): action for action in menu.actions()}

    entries(0)["menu-unfold"].trigger()
    assert page.hits.model.rowCount() == 7
    of_part = entries(0, 2)
    assert of_part["menu-copy-cell"].text() == "Copy “0.010”"
    assert of_part["menu-copy-fasta"].text() == "Copy this alignment as FASTA"
    assert of_part["menu-unfold"].text() == "Fold the alignments"
    assert not entries(1)["menu-unfold"].isEnabled()


def test_looking_for_a_weaker_alignment_can_be_stopped(page, qtbot, tasks, monkeypatch):
    began, stopped = [], []

    def endless(result, query_index, hit, previous, cancel):
        began.append(True)
        stopped.append(cancel.wait(60))

    monkeypatch.setattr("swgui.gui.viewer.pane.next_hit", endless)
    steps = page.alignment.alignments
    steps.weaker_action.trigger()
    assert steps.stop_button.isVisible()
    qtbot.waitUntil(lambda: began == [True])
    steps.stop_button.click()
    qtbot.waitUntil(lambda: stopped == [True])
    assert not steps.stop_button.isVisible()
    assert "before another alignment was found" in page.alignment.status.text()


def test_nothing_is_aligned_twice(qtbot, tasks, search):
    """Neither the page and the table, nor the table and the overview, ask for the same hit at the same time."""
    result, hits = search
    asked = []

    def describe(listed, rows, **_options):
        for row in rows:
            asked.append(row)
            time.sleep(0.05)  # so that the others ask meanwhile
            yield changed(hits[row], rank=row + 1)

    page = ResultsPage(tasks, describe=describe)
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.show_result(result)
    page.show()
    page.filler.want_all()
    with qtbot.waitSignal(page.filler.completed):
        pass
    qtbot.waitUntil(lambda: tasks.idle)
    assert sorted(asked) == [0, 1, 2, 3]
