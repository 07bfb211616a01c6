"""The result: outcome, letters and differences."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QLineEdit, QSpinBox

from swgui.core.records import SequenceRecord
from swgui.engines.traceback.best import align_local
from swgui.gui.pair.page import PairExportJob
from swgui.gui.pair.wording import called
from tests.gui.named import named
from tests.gui.pair.conftest import choose, fill, related, show, text_of


def test_a_pair_is_aligned_and_shown(make_page, qtbot):
    page = make_page()
    page.setup.options.findChild(QSpinBox, "pairLimit").setValue(3)
    page.setup.options.findChild(QSpinBox, "pairMinScore").setValue(60)
    fill(page, qtbot, *related())
    with qtbot.waitSignal(page.finished):
        page.align()
    qtbot.waitUntil(lambda: page.tasks.idle)
    view, result = page.result_view, page.result
    assert result.state == "finished"
    assert len(result.alignments) == 2
    best = result.alignments[0]
    expected = [align_local(result.encoded_query(s), result.subject_codes, result.scheme) for s in ("plus", "minus")]
    assert best.score == max(one.score for one in expected)
    # The job has encoded the sequences, so that the window needs no time for it.
    assert {"_plus", "_minus", "subject_codes"} <= set(vars(result))
    assert {one.strand for one in result.alignments} == {"plus", "minus"}
    start, stop = best.query_range(554)
    answer = text_of(page, "pairOutcome")
    assert f" align best from {start + 1:,} to {stop:,} with " in answer
    assert f" % identical, score {best.score:,}" in answer
    assert answer.endswith(" 1 more alignment follows.")
    assert f"Query {start + 1:,} to {stop:,} " in text_of(page, "pairPlaces")
    assert "GCUPS" in text_of(page, "pairHow")
    assert len(view.map.data.lines) == 2
    assert view.alignments.rows_model.rowCount() == 2
    assert view.columns.found is best
    # The list of results of this session.
    assert page.findChild(QComboBox, "pairResults").count() == 1
    # The letters and the map show the same place.
    view.go_to_column(30)
    assert view.map.cursor_place == view.columns.place(30)
    assert "Column 31 of" in text_of(page, "pairColumn")
    view.copy_cigar()
    assert QGuiApplication.clipboard().text() == best.alignment.cigar
    # The other alignment.
    view.show_alignment(2)
    qtbot.waitUntil(lambda: view.columns is not None)
    assert view.columns.found is result.alignments[1]
    assert view.differences.found is not None


def test_steps_and_clicks_lead_through_the_differences(make_page, qtbot):
    page = make_page()
    view = show(page, qtbot, limit=1)
    panel = view.differences
    places = view.columns.columns_of(panel.found).tolist()
    view.go_to_column(0)
    seen = []
    for _ in range(len(places) + 3):
        panel.step(1)
        seen.append(view.letters.chosen_column)
    assert seen[: len(places)] == places
    assert seen[-1] == places[-1]
    panel.step(-1)
    assert view.letters.chosen_column == places[-2]
    panel.table.chosen.emit(0)
    assert view.letters.chosen_column == places[0]
    assert panel.table.rows_model.rowCount() == len(places)
    choose(page.findChild(QComboBox, "pairDifferenceKind"), "deletion")
    deleted = int((panel.found.kind == 2).sum())
    qtbot.waitUntil(lambda: panel.table.rows_model.rowCount() == deleted)
    qtbot.waitUntil(lambda: text_of(page, "pairDifferenceCount").startswith(f"{deleted:,} row"))


def test_a_typed_position_is_gone_to(make_page, qtbot):
    page = make_page()
    view = show(page, qtbot, limit=1)
    field, side = page.findChild(QLineEdit, "pairGoTo"), page.findChild(QComboBox, "pairGoSide")
    for name, position, expected in (
        ("query", "50", view.columns.column_of_query(49)),
        ("subject", "1 20", view.columns.column_of_subject(119)),
        ("column", "3", 2),
    ):
        side.setCurrentIndex(side.findData(name))
        field.setText(position)
        field.returnPressed.emit()
        assert view.letters.chosen_column == expected, name
    said = []
    page.message.connect(said.append)
    for text in ("99999", "no number"):
        field.setText(text)
        field.returnPressed.emit()
    assert said == ["Column 99,999 is not in this alignment.", "Type a number, for example 16,024."]
    assert field.property("invalid")


def test_score_only_says_where_it_ends(make_page, qtbot):
    page = make_page()
    named(page, "pairScoreOnly").setChecked(True)
    fill(page, qtbot, *related())
    with qtbot.waitSignal(page.finished):
        page.align()
    assert f"scores {page.result.score:,} and ends at " in text_of(page, "pairOutcome")
    assert "computed the score only" in text_of(page, "pairEmpty")
    # The sequences can be looked at all the same.
    view = page.result_view
    assert view.map.isVisible()
    assert not view.letters.isVisible()
    qtbot.waitUntil(lambda: page.tasks.idle)
    qtbot.mouseClick(view.map, Qt.MouseButton.LeftButton, pos=view.map.rect().center())
    assert view.map.cursor_place is not None
    view.map_panel.show_residues()
    assert view.map.axes[0].cell > 8
    assert not view.map.grab().isNull()
    job = PairExportJob(page.result, "csv")
    assert "only the score is known" in job.problem
    assert PairExportJob(page.result, "json").problem == ""


def test_nothing_in_common_is_an_answer(make_page, qtbot):
    page = make_page()
    fill(page, qtbot, SequenceRecord("a", "", b"A" * 60), SequenceRecord("c", "", b"C" * 60))
    choose(page.setup.scoring.findChild(QComboBox, "pairStrand"), "plus")
    qtbot.waitUntil(lambda: page.ready)
    with qtbot.waitSignal(page.finished):
        page.align()
    assert text_of(page, "pairOutcome") == "No region of a and c aligns with a score above 0."
    assert "no alignment" in text_of(page, "pairEmpty")


def test_a_sequence_is_called_by_name_and_title():
    told = "RecName: Full=Leghemoglobin-1; AltName: Full=Leghemoglobin I"
    assert called(SequenceRecord("gi|1|sp|P02232.2|LGB1_VICFA", told, b"M")) == "LGB1_VICFA Leghemoglobin-1"
    assert called(SequenceRecord("s", "", b"M")) == "s"
