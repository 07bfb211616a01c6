"""The results page as a user meets it."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
)

from swgui.core.plain import replace
from swgui.gui.hits.arrange import Sorting
from swgui.gui.results.page import ResultsPage
from swgui.gui.results.queries import NOT_WHOLE, SIGNIFICANT_ROLE
from swgui.gui.results.summary import PARTLY, what_was_found
from swgui.gui.results.table.columns import idle_columns
from swgui.gui.results.table.model import WEAK_ROLE
from swgui.gui.viewer.rows.wrapped import TextView
from tests.asking import altered
from tests.gui.made_results import make_result


def names(page):
    model = page.hits.model
    column = model.column_index("sseqid")
    return [model.index(place, column).data() for place in range(model.rowCount())]


def test_the_first_query_and_its_best_hit_are_shown(page, made):
    assert page.query_index == 0
    assert names(page)[0] == "ALBU_HUMAN"
    assert page.alignment.hit.rank == 1
    assert "ALBU_HUMAN" in page.alignment.title.whole_text()
    assert "identities 60/60 (100.0 %)" in page.alignment.facts.whole_text().lower()
    assert "3 queries" in page.header.title.whole_text()
    assert "6 hits with E ≤ 10" in page.header.found.text()
    assert not page.header.note.isVisible()


def test_visible_rows_are_aligned_in_the_background(page, qtbot):
    qtbot.waitUntil(lambda: page.hits.data.aligned.all())
    model = page.hits.model
    place = model.places.place_of(1)
    identity = model.index(place, model.column_index("pident")).data()
    assert identity == "100.0" or float(identity) < 100


def test_moving_in_the_table_moves_the_alignment(page, qtbot):
    table = page.hits.table
    table.setFocus()
    for rank in (2, 3):
        qtbot.keyClick(table, Qt.Key.Key_Down)
        qtbot.waitUntil(lambda rank=rank: page.alignment.hit is not None and page.alignment.hit.rank == rank)
    page.hits.table.step(-1)
    qtbot.waitUntil(lambda: page.alignment.hit.rank == 2)
    assert table.selected_rows().tolist() == [1]


def test_return_goes_to_the_alignment_and_escape_back(page, qtbot):
    table = page.hits.table
    page.activateWindow()
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert page.alignment.rows.hasFocus()
    qtbot.keyClick(page.alignment.rows, Qt.Key.Key_Right)
    assert page.alignment.status.text().startswith("Q 2 ")
    qtbot.keyClick(page.alignment.rows, Qt.Key.Key_Escape)
    assert table.hasFocus()


def test_sorting_keeps_the_current_hit(page, qtbot):
    page.hits.table.step(1)
    qtbot.waitUntil(lambda: page.alignment.hit.rank == 2)
    page.hits.sort_by(Sorting("score", descending=False))
    assert page.hits.table.current_hit_row() == 1
    assert page.hits.model.rows.tolist()[-1] == 0
    page.hits.sort_by(Sorting("pident", descending=True))  # needs all alignments
    qtbot.waitUntil(lambda: page.hits.model.sorting.key == "pident")
    values = page.hits.data.values("pident")[page.hits.model.rows]
    assert values.tolist() == sorted(values.tolist(), reverse=True)
    assert page.alignment.hit.rank == 2


def test_filter_chip_and_clear(page, qtbot):
    page.focus_search()
    qtbot.keyClicks(page.hits.search, "homo")
    qtbot.waitUntil(lambda: page.hits.model.rowCount() == 2)
    assert page.hits.count.text() == "2 of 5 hits"
    page.hits.search.setText("nothing has this")
    qtbot.waitUntil(lambda: page.hits.model.rowCount() == 0)
    assert page.hits.nothing.isVisible()
    assert page.hits.nothing_text.text().startswith("5 hits, all hidden")
    assert "Choose a hit" in page.alignment.empty.text()
    qtbot.mouseClick(page.hits.nothing_clear, Qt.MouseButton.LeftButton)
    assert page.hits.model.rowCount() == 5
    assert page.hits.search.text() == ""
    assert not page.hits.chips.isVisible()


def test_a_query_without_hits_says_why_and_lists_the_best(page, qtbot):
    page.queries.choose(2)
    qtbot.waitUntil(lambda: page.hits.model.rowCount() == 1)
    assert page.hits.note_text.text() == (
        "No subject reaches E ≤ 10. The best of 6 is ALBU_MOUSE with a score of 5. "
        "The best subjects are listed all the same."
    )
    assert page.hits.count.text() == "no hits, best 1 subject"
    page.queries.choose(0)
    qtbot.waitUntil(lambda: page.hits.model.rowCount() == 5)
    assert page.hits.note_text.text().startswith("All 5 hits")
    assert page.hits.count.text() == "5 hits"


def test_best_subjects_stay_ticked_whatever_was_looked_at_since(page, qtbot, monkeypatch):
    monkeypatch.setattr("swgui.gui.results.page.KEPT_QUERIES", 1)
    page.queries.choose(2)
    qtbot.waitUntil(lambda: page.hits.model.rowCount() == 1)
    best = page.hits.data.listed
    assert not best.are_hits
    assert len(page.result.queries[2].hits) == 0  # the run itself is as it was
    page.marks.set("ticked", 2, page.hits.data.subjects([0]), True)
    for query, hits in ((0, 5), (1, 1)):
        page.queries.choose(query)
        qtbot.waitUntil(lambda hits=hits: page.hits.model.rowCount() == hits)
    ticked = next(choice for choice in page.output.choices(page.result) if choice.key == "ticked")
    assert ticked.parts == ((best, [0]),)


def test_best_subjects_ticked_before_are_so_in_a_reopened_run(page, qtbot, tasks, made):
    page.marks.set("ticked", 2, [4], True)
    page.show_result(made.result, marks=page.marks.marks)
    qtbot.waitUntil(lambda: tasks.idle)
    ticked = next(choice for choice in page.output.choices(page.result) if choice.key == "ticked")
    ((listed, rows),) = ticked.parts
    assert (listed.query_index, rows) == (2, [0])
    assert listed.columns.db_index.tolist() == [4]


def test_queries_can_be_searched_and_hidden(page, qtbot):
    shown = page.queries.list.model()
    assert shown.rowCount() == 3
    page.queries.search.setText("shor")
    assert [shown.index(row, 0).data() for row in range(shown.rowCount())] == ["short"]
    page.queries.search.clear()
    page.queries.with_hits.setChecked(True)
    assert shown.rowCount() == 2
    page.queries.choose(1)
    qtbot.waitUntil(lambda: page.query_index == 1 and page.alignment.hit is None and len(page.hits.data) == 1)
    page.queries.step(1)
    assert page.query_index == 1


def test_a_query_without_significant_hits_says_so_first_and_chooses_nothing(page, qtbot):
    assert page.hits.note_text.text().startswith("All 5 hits")
    page.queries.choose(1)
    qtbot.waitUntil(lambda: len(page.hits.data) == 1)
    assert page.hits.note.property("role") == "note"
    assert page.hits.note_text.text().startswith("None significant; 1 borderline. Click a hit")
    assert page.hits.table.current_hit_row() == -1
    assert page.hits.table.selected_count() == 0
    assert page.hits.grey.text() == "Grey: not significant, E > 0.001"
    QApplication.sendEvent(page.hits.table, QFocusEvent(QEvent.Type.FocusIn, Qt.FocusReason.OtherFocusReason))
    assert page.hits.table.current_hit_row() == -1  # nor does the keyboard, which the window puts there
    assert page.alignment.hit is None
    page.hits.sort_by(Sorting("score"))
    assert page.hits.table.current_hit_row() == -1  # another order chooses nothing either
    qtbot.keyClick(page.hits.table, Qt.Key.Key_Down)
    assert page.hits.table.selected_count() == 1
    qtbot.waitUntil(lambda: page.alignment.hit is not None)
    assert page.alignment.verdict.text().startswith("Borderline: ")
    page.queries.choose(0)
    qtbot.waitUntil(lambda: page.alignment.hit is not None and len(page.hits.data) == 5)
    assert page.hits.table.currentIndex().row() == 0
    assert not page.hits.note.property("role")


def test_queries_say_how_many_of_their_hits_are_significant(page, made):
    model = page.queries.model
    assert [model.index(row, 0).data(SIGNIFICANT_ROLE) for row in range(3)] == [5, 0, 0]
    assert "All 5 hits" in model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert model.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "short, 1 hit, 0 significant"
    model.show_result(made.make(statistics=False)[0])
    assert model.index(0, 0).data(SIGNIFICANT_ROLE) == -1  # unknown to all


def test_without_hits_the_subjects_say_which_columns_are_empty(made):
    result = made.make(names=[(f"contig_{number}", "") for number in range(6)])[0]
    queries = tuple(replace(q, hits=q.hits.take(slice(0))) for q in result.queries)
    result = altered(result, queries=queries, max_hsps=100)
    assert idle_columns(result) == {"organism", "stitle"}


@pytest.mark.parametrize(("state", "words"), [("complete", "without hits"), ("stopped", "without hits so far")])
def test_queries_that_were_not_reached_are_not_said_to_find_nothing(made, state, words):
    assert what_was_found(made.make(state=state)[0], -3.0).endswith(words)


@pytest.mark.parametrize(("state", "words"), [("stopped", "stopped after 62 %"), ("failed", "failed after 62 %")])
def test_a_partial_run_says_so(qtbot, tasks, made, state, words):
    result, _ = made.make(state=state)
    page = ResultsPage(tasks, describe=made.describe)
    qtbot.addWidget(page)
    page.show_result(result)
    page.show()
    assert page.header.note.isVisible()
    assert words in page.header.note_text.text()
    assert ("It broke." in page.header.note_text.text()) == (state == "failed")
    qtbot.waitUntil(lambda: tasks.idle)


def test_copy_rows_and_fasta(page, qtbot, made):
    table = page.hits.table
    table.selectAll()
    page.output.copy_rows()
    qtbot.waitUntil(lambda: "Subject\t" in QGuiApplication.clipboard().text())
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 6
    cells = dict(zip(lines[0].split("\t"), lines[1].split("\t"), strict=True))
    assert lines[0].startswith("Query\t")  # the result has two
    assert cells["Query"] == made.result.queries[0].query.id
    assert cells["Subject"] == "ALBU_HUMAN"
    assert cells["Verdict"] == "significant"
    assert cells["Identity"] == "100.0"
    assert "<td>ALBU_HUMAN</td>" in QGuiApplication.clipboard().mimeData().html()
    table.select_row(0)
    page.output.copy_fasta()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text().startswith(">"))
    header, *letters = QGuiApplication.clipboard().text().splitlines()
    assert header == ">" + made.result.database.record(0).header
    assert "".join(letters).encode() == made.result.database.record(0).residues


def test_typing_jumps_to_a_name(page, qtbot):
    page.hits.table.setFocus()
    qtbot.keyClicks(page.hits.table, "contig")
    qtbot.waitUntil(lambda: names(page)[page.hits.table.currentIndex().row()] == "contig_7")


def test_space_ticks_apart_from_the_selection(page, qtbot):
    table = page.hits.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Space)
    page.hits.table.step(1)
    assert page.hits.data.marked("ticked").nonzero()[0].tolist() == [0]
    assert "1 ticked" in page.hits.count.text()
    assert table.selected_rows().tolist() == [1]
    qtbot.keyClick(table, Qt.Key.Key_Space)
    assert page.hits.data.marked("ticked").nonzero()[0].tolist() == [0, 1]
    table.selectAll()
    table.toggle("ticked")
    assert page.marks.marks.count("ticked") == 5
    table.toggle("ticked")
    assert page.marks.marks.count("ticked") == 0


def test_inverting_the_selection_and_dragging_it_out(page, qtbot):
    table = page.hits.table
    table.select_places(0, 1)
    qtbot.keyClick(table, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert table.selected_rows().tolist() == [2, 3, 4]
    dragged = page.hits.model.mimeData(table.selectedIndexes()).text()
    assert dragged.count(">") == 3
    assert dragged.startswith(">" + page.result.database.record(int(page.hits.data.hits.db_index[2])).header)


def test_clear_empties_the_page(page):
    page.clear()
    assert page.result is None
    assert page.hits.model.rowCount() == 0
    assert page.empty.isVisible()


def test_the_empty_page_offers_a_way_on(page, qtbot):
    page.clear()
    buttons = page.empty.findChildren(QPushButton)
    assert [button.objectName() for button in buttons] == ["resultsEmptySearch"]
    with qtbot.waitSignal(page.search_wanted):
        buttons[0].click()


def test_significance_line_dims_and_counts(page):
    page.set_significance(-20.0)
    model = page.hits.model
    weak = [model.index(place, 0).data(WEAK_ROLE) for place in range(model.rowCount())]
    assert weak == [bool(v > -20) for v in page.hits.data.hits.log10_evalues]
    assert "E ≤ 1e-20" in page.header.found.text()
    if any(weak) and not all(weak):
        assert page.hits.table.line_place() == weak.index(True)


def test_tab_goes_in_reading_order(page, qtbot):
    page.activateWindow()
    page.queries.search.setFocus()
    seen = []
    for _ in range(12):
        seen.append(QApplication.focusWidget().objectName())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    expected = ["querySearch", "queryList", "queriesWithHits", "overview", "hitSearch", "hitFilters", "hitDetails"]
    assert seen[:7] == expected
    parts = ["hitTable", "wholePage", "mode-wrapped", "alignmentView", "rowsView"]
    assert seen[7:12] == parts  # arrows go through modes


def test_every_control_has_a_name(page):
    own = (QAbstractButton, QComboBox, QLineEdit, QAbstractItemView, QPlainTextEdit)
    for kind in own:
        for widget in page.findChildren(kind):
            parts = ("QTableCornerButton", "QLineEditIconButton", "QHeaderView")  # Qt's own, inside a named widget
            if widget.window() is page and type(widget).__name__ not in parts:
                assert widget.objectName() or widget.metaObject().className() in parts, widget


def test_columns_that_say_nothing_are_left_out(made):
    assert idle_columns(made.result) == set()
    bare, _ = made.make(statistics=False, names=[(f"contig_{i}", "") for i in range(6)])
    assert idle_columns(bare) == {"organism", "stitle", "evalue"}


def test_minus_strand_shows_strands(qtbot, tasks, minus_hit):
    result, hit = minus_hit
    page = ResultsPage(tasks, describe=lambda *_args, **_options: iter([hit]))
    qtbot.addWidget(page)
    page.show_result(result)
    page.show()
    qtbot.waitUntil(lambda: page.alignment.hit is not None)
    assert "sstrand" in page.hits.table.shown_keys()
    assert not {"ppos", "organism", "stitle"} & set(page.hits.table.shown_keys())
    assert page.alignment.places.whole_text().endswith("minus strand")
    assert page.alignment.scheme_box.findData("safe_7") < 0
    for mode in ("wrapped", "stacked", "dots", "text"):
        page.alignment.set_mode(mode)
        qtbot.waitUntil(lambda: tasks.idle)
        page.grab()
    assert "CCGGTTTA" in page.alignment.view(TextView).area.toPlainText()


def test_columns_chosen_by_the_user_stay(page, made):
    page.hits.table.show_columns(["tick", "rank", "score", "gene"])
    page.show_result(made.result)
    assert page.hits.table.shown_keys() == ["tick", "rank", "score", "gene"]


# A result of which a part is missing: what says so, and how it is completed


def partial_result():
    """Return a stopped run whose first query was scored with every subject, the others with two."""
    result, _ = make_result(state="stopped")
    whole = len(result.database)
    queries = [replace(query, subjects_scored=2 if at else whole) for at, query in enumerate(result.queries)]
    return replace(result, queries=tuple(queries), run_id="20260301-120000-abcde123")


def test_the_banner_counts_complete_queries_and_resumes(page, qtbot):
    assert not page.header.resume_button.isVisible()
    page.show_result(partial_result())
    assert f"complete: 1 of 3; the others have a {PARTLY}" in page.header.note_text.text()
    with qtbot.waitSignal(page.header.resume_wanted) as wanted:
        page.header.resume_button.click()
    assert wanted.args == ["20260301-120000-abcde123"]
    assert not page.header.resume_button.isEnabled()  # it is on its way
    page.show_result(replace(partial_result(), run_id=""))  # of a file: there is nothing to resume
    assert not page.header.resume_button.isVisible()


def test_queries_that_are_not_complete_are_marked(page):
    page.show_result(partial_result())
    model = page.queries.model
    tips = [model.index(row, 0).data(3) for row in range(3)]  # Qt.ItemDataRole.ToolTipRole
    assert [NOT_WHOLE in tip for tip in tips] == [False, True, True]
