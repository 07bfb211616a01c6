"""The missed-hit audit of files of other programs, and two runs side by side."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDialog, QFileDialog

from swgui.cli.queries import read_queries
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView, TableColumn
from swgui.gui.results.compare.audit import AuditDialog
from swgui.gui.results.compare.runs import CompareDialog
from swgui.gui.results.page import ResultsPage
from swgui.gui.window.result_tools import show_pair
from swgui.io.statistics import load_statistics
from swgui.jobs.search.ranking import rerank
from tests.asking import BLOSUM62, altered, answer, search_request
from tests.described import numbers_in

FOREIGN = Path(__file__).parents[2] / "data" / "foreign"


@pytest.fixture(scope="module")
def request_made(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:  # the cache of converted databases
        patch.setenv("SWGUI_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        queries, _ = read_queries([str(FOREIGN / "queries.fasta")], "protein")
        request = search_request(
            queries=queries,
            database=FOREIGN / "subjects.fasta",
            scheme=BLOSUM62,
            engine="reference",
            composition="none",  # as the other program searched
        )
        result = answer(request)
    return replace(request, database=result.database), result


@pytest.fixture(scope="module")
def result(request_made):
    return request_made[1]


@pytest.fixture
def make(qtbot, theme, tasks):
    """Return a function, not the widget: pytest would keep that alive beyond the check for leaks."""

    def make(kind, *arguments):
        widget = kind(tasks, *arguments)
        if isinstance(widget, QDialog):
            widget.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)  # qtbot deletes it
        qtbot.addWidget(widget)
        widget.show()
        return widget

    return make


def texts(view):
    model = view.rows_model
    return [
        [model.index(row, column).data().strip() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def titles(view):
    model = view.rows_model
    return [model.headerData(at, Qt.Orientation.Horizontal).strip() for at in range(model.columnCount())]


def tabs(dialog):
    return [dialog.tabs.tabText(at) for at in range(dialog.tabs.count()) if dialog.tabs.isTabVisible(at)]


def compared(qtbot, dialog, name):
    dialog.open_file(FOREIGN / name)
    qtbot.waitUntil(lambda: dialog.headline.text() != "" and not dialog.progress.isVisible())
    return dialog


# -- the audit -------------------------------------------------------------------------------------


def test_the_audit_counts_explains_and_lists(make, qtbot, result):
    dialog = make(AuditDialog, result)
    assert dialog.file_name.text() == AuditDialog.file.prompt
    assert "3 queries against subjects" in dialog.run.text()
    assert not dialog.save_button.isEnabled()
    compared(qtbot, dialog, "blastp_7.tsv")
    assert numbers_in(dialog.headline.text()) == [22, 21, 1]
    assert "sp|N0003|NOISE3_MADE is 15." in dialog.details.text()
    assert "made by BLASTP 2.12.0+" in dialog.file_name.text()
    assert tabs(dialog) == ["Only in this search (21)", "Only in the table (1)", "Found by both (22)"]
    there = dialog.views["only_there"]
    (row,) = texts(there)
    named = dict(zip(titles(there), row, strict=True))
    assert named["Query"] == "beta"
    assert named["Subject"] == "NOISE3_MADE"
    assert (named["Rank"], named["Rank there"], named["Score"], named["E there"]) == ("15", "6", "27", "6.1")
    assert named["Why not listed here"].endswith("limit of 10.")
    both = dialog.views["both"]
    assert "Δ log E" in titles(both)
    assert len(texts(both)) == 22


def test_a_table_without_raw_scores_is_compared_by_bits(make, qtbot, result):
    dialog = compared(qtbot, make(AuditDialog, result), "blastp_6.tsv")
    assert {"Bits", "Bits there"} <= set(titles(dialog.views["both"]))
    assert "Score there" not in titles(dialog.views["both"])


def test_a_row_asks_for_its_alignment(make, qtbot, result):
    dialog = compared(qtbot, make(AuditDialog, result), "blastp_7.tsv")
    view = dialog.views["only_there"]
    dialog.tabs.setCurrentWidget(view)
    wanted = list(result.database.ids).index("sp|N0003|NOISE3_MADE")
    place = view.visualRect(view.rows_model.index(0, 1)).center()
    with qtbot.waitSignal(dialog.hit_wanted) as clicked:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked.args == [1, wanted]
    with qtbot.waitSignal(dialog.hit_wanted) as entered:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert entered.args == [1, wanted]
    assert dialog.isVisible()


def test_rows_are_sorted_filtered_and_copied(make, qtbot, qapp, result):
    dialog = compared(qtbot, make(AuditDialog, result), "blastp_7.tsv")
    view = dialog.views["only_here"]
    at = titles(view).index("Score")
    before = [int(row[at]) for row in texts(view)]
    view.horizontalHeader().setSortIndicator(at, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: [int(row[at]) for row in texts(view)] == sorted(before, reverse=True))
    qtbot.keyClicks(dialog.filter, "beta nothing")
    qtbot.waitUntil(lambda: len(texts(view)) == 0)
    dialog.filter.setText("BETA noise")
    qtbot.waitUntil(lambda: 0 < len(texts(view)) < len(before))
    assert all("beta" in " ".join(row).lower() and "noise" in " ".join(row).lower() for row in texts(view))
    view.selectRow(0)
    view.copy()
    lines = qapp.clipboard().text().splitlines()
    assert lines[0].split("\t") == titles(view)
    assert len(lines) == 2


def test_the_comparison_is_saved_whole(make, qtbot, result, tmp_path, monkeypatch):
    dialog = compared(qtbot, make(AuditDialog, result), "blastp_5.xml")
    path = tmp_path / "audit.tsv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    with qtbot.waitSignal(dialog.saved) as saved:
        dialog.save_button.click()
    assert saved.args == [str(path), 44]
    text = path.read_text(encoding="utf-8")
    assert numbers_in(next(line for line in text.splitlines() if "by both" in line)) == [22, 21, 1]
    assert len([line for line in text.splitlines() if not line.startswith("#")]) == 45
    assert "44 pairs" in dialog.status.text()
    dialog.save_to(tmp_path / "nowhere" / "audit.tsv")
    qtbot.waitUntil(lambda: "does not exist" in dialog.status.text())


def test_files_that_do_not_fit_are_refused_in_words(make, qtbot, result, tmp_path):
    dialog = make(AuditDialog, result)
    broken = tmp_path / "broken.tsv"
    broken.write_text("one\ttwo\n")
    dialog.open_file(broken)
    qtbot.waitUntil(lambda: "has 2 fields instead of 12" in dialog.status.text())
    assert dialog.file_name.text() == AuditDialog.file.prompt
    assert dialog.tabs.isHidden()
    compared(qtbot, dialog, "blastp_6.tsv")
    assert dialog.status.text() == ""
    broken.write_text((FOREIGN / "blastp_6.tsv").read_text().replace("sp|", "xx|other").replace("_MADE", "_ELSE"))
    dialog.open_file(broken)
    qtbot.waitUntil(lambda: "No subject of the table" in dialog.status.text())
    assert "file before" in dialog.file_name.text()
    assert dialog.headline.text().startswith("22 found by both")
    dialog.open_file(tmp_path / "missing.tsv")
    qtbot.waitUntil(lambda: "missing.tsv" in dialog.status.text())


def test_names_that_cannot_be_compared_have_their_own_tab(make, qtbot, result, tmp_path):
    dialog = make(AuditDialog, result)
    table = tmp_path / "hits.tsv"
    table.write_text((FOREIGN / "blastp_6.tsv").read_text().replace("sp|N0011|NOISE11_MADE", "gone"))
    dialog.open_file(table)
    qtbot.waitUntil(lambda: len(tabs(dialog)) == 4)
    assert tabs(dialog)[3] == "Not compared (1)"
    view = dialog.views["unmatched"]
    assert [row[:3] for row in texts(view)] == [["subject", "gone", "3"]]
    with qtbot.assertNotEmitted(dialog.hit_wanted):
        view.chosen.emit(0)


def test_a_file_is_dropped_on_the_audit(make, qtbot, result):
    dialog = make(AuditDialog, result)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(FOREIGN / "blastp_6.tsv"))])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, mime, left, none)
    dialog.dragEnterEvent(enter)
    assert enter.isAccepted()
    dialog.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, mime, left, none))
    qtbot.waitUntil(lambda: dialog.headline.text().startswith("22 found by both") and not dialog.progress.isVisible())


def test_closing_while_it_reads_is_quiet(make, qtbot, result, tasks):
    dialog = make(AuditDialog, result)
    dialog.open_file(FOREIGN / "blastp_6.tsv")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    qtbot.waitUntil(lambda: tasks.idle)
    assert dialog.headline.text() == ""


# -- two runs --------------------------------------------------------------------------------------


def test_two_runs_side_by_side(make, qtbot, request_made, tmp_path):
    request, one = request_made
    other = answer(altered(request, queries=request.queries[:2], top=4))
    dialog = make(CompareDialog, one, other)
    qtbot.waitUntil(lambda: dialog.comparison is not None)
    counts = dialog.comparison.counts()
    assert (counts["same"], counts["moved"], counts["new"]) == (8, 0, 0)
    assert dialog.headline.text() == f"8 same, 0 moved, 0 new, {counts['lost']} lost."
    assert "1 query of run 1 not in the other" in dialog.status.text()
    dialog.states.button(0).setChecked(False)
    qtbot.waitUntil(lambda: len(texts(dialog.view)) == counts["lost"])
    row = dict(zip(titles(dialog.view), texts(dialog.view)[0], strict=True))
    assert (row["State"], row["Rank 1"], row["Rank 2"], row["Δ rank"]) == ("lost", "5", "5", "0")
    with qtbot.waitSignal(dialog.hit_wanted) as wanted:
        dialog.view.setCurrentIndex(dialog.view.rows_model.index(0, 0))
        qtbot.keyClick(dialog.view, Qt.Key.Key_Return)
    assert wanted.args == [2, 0, int(one.queries[0].hits.db_index[4])]
    path = tmp_path / "runs.tsv"
    with qtbot.waitSignal(dialog.saved):
        dialog.save_to(path)
    assert len([x for x in path.read_text().splitlines() if not x.startswith("#")]) == len(dialog.comparison) + 1


def test_runs_with_nothing_in_common_are_refused_in_words(make, qtbot, request_made):
    request, one = request_made
    other = answer(replace(request, queries=request.queries[1:2]))
    dialog = make(CompareDialog, replace(one, queries=one.queries[:1]), other)
    qtbot.waitUntil(lambda: "no query in common" in dialog.status.text())
    assert not dialog.save_button.isEnabled()


# -- the table below all of them -------------------------------------------------------------------


def test_order_filter_and_unknown_values():
    numbers = np.array([3.0, np.nan, 1.0, 3.0, -np.inf])
    names = ["b", "a", "B", "c", "a"]
    source = ColumnSource(
        [
            TableColumn("number", "Number", "", lambda row: str(numbers[row]), numbers),
            TableColumn("name", "Name", "", names.__getitem__, full=lambda row: f"full-{names[row]}"),
        ],
        5,
    )
    assert source.arrange().tolist() == [0, 1, 2, 3, 4]
    assert source.arrange("number").tolist() == [4, 2, 0, 3, 1]
    assert source.arrange("number", descending=True).tolist() == [0, 3, 2, 4, 1]
    assert source.arrange("name").tolist() == [1, 4, 0, 2, 3]
    assert source.arrange("name", words="FULL-b").tolist() == [0, 2]
    assert source.arrange(words="nothing").tolist() == []
    assert source.arrange("number", mask=numbers == 3).tolist() == [0, 3]
    assert source.as_text([1], ["number", "name"]) == "Number\tName\nnan\tfull-a\n"


def test_a_million_rows_are_shown_at_once(qtbot, theme, tasks):
    values = np.random.default_rng(1).random(1_000_000)
    asked = []

    def text(row):
        asked.append(row)
        return f"{values[row]:.6f}"

    view = ColumnView(tasks, "many", "Many rows")
    qtbot.addWidget(view)
    view.show_source(ColumnSource([TableColumn("value", "Value", "", text, values)], len(values)))
    view.show()
    view.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: view.rows_model.rows[0] == values.argmin())
    assert len(set(asked)) < 1000  # only what is seen is made


# -- what a click shows ----------------------------------------------------------------------------


@pytest.fixture
def make_page(make, qtbot, tasks):
    def make_page(result):
        page = make(ResultsPage)
        page.resize(1100, 760)
        if result is not None:
            page.show_result(result)
            qtbot.waitUntil(lambda: tasks.idle)
        return page

    return make_page


def shown(page):
    hit = page.alignment.hit
    return None if hit is None else (hit.query_record.id, hit.subject.id, hit.rank)


def test_a_listed_pair_is_selected(make_page, tasks, qtbot, result):
    page, faults = make_page(result), []
    db_index = int(result.queries[1].hits.db_index[2])
    show_pair(page, tasks, result, 1, db_index, faults.append)
    qtbot.waitUntil(lambda: shown(page) == ("beta", result.database.ids[db_index], 3))
    assert page.hits.table.current_hit_row() == 2
    assert not faults


def test_a_pair_that_is_not_listed_is_aligned(make_page, tasks, qtbot, result):
    page, faults = make_page(None), []  # the page shows nothing yet
    db_index = list(result.database.ids).index("sp|N0003|NOISE3_MADE")
    show_pair(page, tasks, result, 1, db_index, faults.append)
    qtbot.waitUntil(lambda: shown(page) == ("beta", "sp|N0003|NOISE3_MADE", 15))
    qtbot.waitUntil(lambda: tasks.idle)
    assert shown(page)[2] == 15
    assert page.alignment.hit.alignment.score == int(result.queries[1].scores[db_index])
    assert not faults


def test_a_pair_of_a_query_without_hits_is_shown_after_its_best_subjects(make_page, tasks, qtbot, result):
    bare = replace(result.queries[2], hits=result.queries[2].hits.take(slice(0)))
    strict = altered(result, queries=(*result.queries[:2], bare), max_evalue=1e-30)
    page, faults = make_page(strict), []
    db_index = int(np.argmin(strict.queries[2].scores))
    show_pair(page, tasks, strict, 2, db_index, faults.append)
    qtbot.waitUntil(lambda: shown(page) is not None and shown(page)[1] == strict.database.ids[db_index])
    qtbot.waitUntil(lambda: tasks.idle)
    assert shown(page) == ("gamma", strict.database.ids[db_index], 24)
    assert not faults


def test_moved_limits_are_the_same_run(make_page, tasks, qtbot, result):
    moved = rerank(result, load_statistics(result.scheme), Limits(1, 10.0))
    page = make_page(moved)
    db_index = int(result.queries[0].hits.db_index[1])
    show_pair(page, tasks, result, 0, db_index, pytest.fail)
    qtbot.waitUntil(lambda: shown(page) == ("alpha", result.database.ids[db_index], 2))
    assert page.result is moved


def test_what_cannot_be_shown_is_said(make_page, tasks, qtbot, result):
    bare = replace(result, queries=tuple(replace(query, scores=None) for query in result.queries))
    page, faults = make_page(bare), []
    show_pair(page, tasks, bare, 1, list(result.database.ids).index("sp|N0003|NOISE3_MADE"), faults.append)
    qtbot.waitUntil(lambda: bool(faults))
    assert "were not kept, so 'sp|N0003|NOISE3_MADE' cannot be shown" in str(faults[0])


def test_a_comparison_is_not_saved_over_its_table(make, qtbot, result, tmp_path, opened):
    dialog = make(AuditDialog, result)
    table = tmp_path / "table.tsv"
    content = (FOREIGN / "blastp_6.tsv").read_bytes()
    table.write_bytes(content)
    sentence = opened("table.tsv")
    table.write_bytes(content)
    compared(qtbot, dialog, table)
    dialog.save_button.click()
    assert dialog.status.text() == sentence.replace("of the query", "of the table")
    assert table.read_bytes() == content
    table.write_text("kept")
