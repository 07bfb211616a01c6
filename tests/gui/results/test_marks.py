"""Stars, hidden hits and notes: by keys, undone, filtered, exported, kept."""

import csv
import io

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from swgui.core.hits.marks import Marks
from swgui.core.limits import Limits
from swgui.gui.hits.arrange import HitFilter, Sorting
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.kit import browser
from swgui.gui.results.details import NO_HIT, DetailsPanel
from swgui.gui.results.shared_marks import HitMarks
from swgui.io.marks import Mark, give_stars, marks_place, read_marks, write_note
from swgui.jobs.search.ranking import rerank
from swgui.runs import Runs
from tests.gui.named import named


@pytest.fixture
def details(page, qtbot):
    panel = DetailsPanel(page.marks)
    qtbot.addWidget(panel)
    page.current_changed.connect(panel.show_hit)
    panel.show_hit(page.hits.data, page.hits.table.current_hit_row())
    panel.show()
    return panel


def starred(page):
    return page.hits.data.marked("starred").nonzero()[0].tolist()


def cell(page, row, key):
    model = page.hits.model
    return model.index(model.places.place_of(row), model.column_index(key))


def test_a_click_gives_a_star_and_undo_takes_it(page, qtbot):
    table = page.hits.table
    table.show_columns(["tick", "star", "rank", "sseqid", "evalue"])  # the star is not among the first columns
    index = cell(page, 2, "star")
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(index).center())
    assert starred(page) == [2]
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "star"
    assert page.marks.undo_stack.undoText() == "star: 1 hit"
    page.marks.undo_stack.undo()
    assert starred(page) == []
    page.marks.undo_stack.redo()
    assert starred(page) == [2]


def test_selected_hits_are_starred_together_and_unstarred_when_all_are(page):
    page.hits.table.select_places(0, 2)
    page.hits.table.toggle("starred")
    assert starred(page) == [0, 1, 2]
    page.hits.table.select_places(1, 4)
    page.hits.table.toggle("starred")
    assert starred(page) == [0, 1, 2, 3, 4]
    page.marks.undo_stack.undo()
    assert starred(page) == [0, 1, 2]  # those that had one before keep it
    page.hits.table.select_row(0)
    page.hits.table.toggle("starred")
    assert starred(page) == [1, 2]


def test_hidden_hits_leave_the_list_and_the_next_becomes_current(page, qtbot):
    page.hits.table.select_row(1)
    page.hits.table.toggle("hidden")
    assert page.hits.model.rows.tolist() == [0, 2, 3, 4]
    assert page.hits.table.current_hit_row() == 2
    assert page.hits.count.text() == "4 of 5 hits, 1 hidden"
    page.filters.boxes["with_hidden"].setChecked(True)
    assert page.hits.model.rows.tolist() == [0, 1, 2, 3, 4]
    assert cell(page, 1, "sseqid").data(Qt.ItemDataRole.FontRole).italic()  # not told by colour alone
    assert "hidden" in cell(page, 1, "star").data(Qt.ItemDataRole.AccessibleTextRole)
    page.hits.table.select_row(1)
    page.hits.table.toggle("hidden")
    assert page.hits.data.marks.count("hidden") == 0
    qtbot.waitUntil(lambda: page.alignment.hit is not None and page.alignment.hit.rank == 2)


def test_when_everything_is_hidden_there_is_a_way_back(page, qtbot):
    page.hits.table.selectAll()
    page.hits.table.toggle("hidden")
    assert not page.hits.nothing.isHidden()
    assert page.hits.nothing_text.text() == "5 hits, all hidden by your own choice (5 put aside)."
    qtbot.mouseClick(page.hits.nothing_clear, Qt.MouseButton.LeftButton)
    assert page.hits.model.rowCount() == 5


def test_filter_by_star_and_sort_by_it(page):
    page.marks.set("starred", 0, page.hits.data.subjects([1, 4]), True)
    page.filters.boxes["starred"].setChecked(True)
    assert page.hits.filter == HitFilter(starred=True)
    assert page.hits.model.rows.tolist() == [1, 4]
    page.marks.set("starred", 0, page.hits.data.subjects([1]), False)
    assert page.hits.model.rows.tolist() == [4]
    page.hits.clear_filter()
    page.hits.sort_by(Sorting("star", descending=True))
    assert page.hits.model.rows.tolist() == [4, 0, 1, 2, 3]
    page.marks.set("starred", 0, page.hits.data.subjects([2]), True)
    assert page.hits.model.rows.tolist() == [2, 4, 0, 1, 3]


def test_letters_are_commands_unless_a_name_is_being_typed(page, qtbot, make_window):
    window = make_window()
    window.results_page.describe = page.describe
    window.show_result(page.result)
    table = window.results_page.hits.table
    qtbot.waitUntil(lambda: window.results_page.alignment.hit is not None)
    window.activateWindow()
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    marks = window.results_page.marks.marks
    qtbot.keyClick(table, Qt.Key.Key_J)
    assert table.current_hit_row() == 1
    qtbot.keyClick(table, Qt.Key.Key_K)
    qtbot.keyClick(table, Qt.Key.Key_S)
    assert marks.count("starred", 0) == 1
    qtbot.keyClick(table, Qt.Key.Key_H)
    assert marks.count("hidden") == 1
    window.undo.undo()
    window.undo.undo()
    assert not marks
    assert window.actions_table["redo"].isEnabled()
    assert window.actions_table["redo"].text() == "&Redo star: 1 hit"
    qtbot.keyClicks(table, "/s")  # behind a slash a letter begins a name
    qtbot.keyClicks(table, "h")
    assert not marks
    window.show_page("search")
    assert not window.actions_table["redo"].isEnabled()


def test_n_opens_the_details_and_the_note_is_kept_with_the_run(page, qtbot, make_window, tmp_path):
    window = make_window()
    window.results_page.describe = page.describe
    run_id = window.history.of("search").save(page.result).id
    loaded = window.history.open(run_id)
    window.show_result(loaded.result, loaded.layout)
    qtbot.waitUntil(lambda: window.results_page.hits.model.rowCount() == 5)
    window.results_page.hits.table.select_row(1)
    window.actions_table["note"].trigger()
    assert not window.details_dock.isHidden()
    window.details_panel.note.setPlainText("looks like a fragment\n")
    with qtbot.waitSignal(window.details_panel.left):
        qtbot.keyClick(window.details_panel.note, Qt.Key.Key_Escape)  # back to the table
    window.results_page.hits.table.toggle("starred")
    window.close()  # at once: nothing is lost
    loaded = window.history.open(run_id)
    marks = Marks.from_facts(loaded.layout["marks"], 3, 6)
    subject = int(loaded.result.queries[0].hits.db_index[1])
    assert marks.note(0, subject) == "looks like a fragment"
    assert marks.has("starred", 0, subject)
    name = loaded.result.database.ids[subject]
    assert read_marks(marks_place(window.history.folder)).records == {name: Mark(True, "looks like a fragment")}


def test_a_star_given_elsewhere_is_shown_and_one_given_here_is_everywhere(page, tasks, user_folders):
    shared = SharedMarks(Runs(), tasks)
    joined = HitMarks(page.marks, shared, page)
    subjects = page.hits.data.subjects([1, 2])
    names = [page.result.database.ids[subject] for subject in subjects]
    shared.star(names[:1], True)
    joined.show_result(page.result)
    assert starred(page) == [1]
    shared.star(names, True)
    assert starred(page) == [1, 2]
    shared.write(names[1], "seen")
    assert page.marks.marks.note(0, subjects[1]) == "seen"
    page.marks.set("starred", 0, subjects[:1], False)
    assert not shared.of(names[0]).star
    page.marks.undo_stack.undo()
    assert shared.of(names[0]).star
    page.marks.set("ticked", 0, subjects, True)  # ticks stay with the run
    assert set(shared.book.records) == set(names)
    shared.flush()
    assert read_marks(marks_place(Runs().folder)) == shared.book


def test_stars_in_the_layout_of_an_earlier_version_are_kept_by_identifier(page, tasks, user_folders):
    history, subject = Runs(), int(page.hits.data.subjects([1])[0])
    run_id = history.of("search").save(page.result).id
    history.files.write_layout(run_id, {"marks": {"starred": {"0": [subject]}, "notes": {"0": {str(subject): "old"}}}})
    loaded, shared = history.open(run_id), SharedMarks(history, tasks)
    page.marks.use(Marks.from_facts(loaded.layout["marks"], 3, 6))
    HitMarks(page.marks, shared, page).show_result(loaded.result)
    shared.flush()
    name = page.result.database.ids[subject]
    assert read_marks(marks_place(history.folder)).records == {name: Mark(True, "old")}
    history.keep_layout(run_id, {})
    assert history.open(run_id).layout["marks"]["starred"]["0"] == [subject]
    give_stars(marks_place(history.folder), [name], on=False)
    write_note(marks_place(history.folder), name, "")
    assert history.open(run_id).layout == {}  # no second copy brings them back


def test_details_lead_to_pages_only_by_a_click(page, details, qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(browser.QDesktopServices, "openUrl", opened.append)
    page.hits.table.select_row(0)
    names = [button.text() for button in details.links.widgets]
    assert names == ["UniProt", "InterPro", "AlphaFold DB", "PDB structures", "NCBI Protein"]
    assert opened == []
    assert all(button.isVisible() for button in details.links.widgets)
    details.links.widgets[1].click()
    assert [url.toString() for url in opened] == ["https://www.ebi.ac.uk/interpro/protein/UniProt/P02768/"]
    unknown = next(row for row in range(5) if page.hits.data.header(row).name == "contig_7")
    page.hits.table.select_row(unknown)
    assert details.links.isHidden()
    assert details.links.widgets == []


def test_details_show_the_hit_and_take_the_note_over(page, details, qtbot):
    assert details.name.text() == "ALBU_HUMAN"
    assert named(details, "details-score").text() == "300"
    assert named(details, "details-rank").text() == "1 of 5"
    assert named(details, "details-evalue").isVisible()
    assert not named(details, "details-sstrand").isVisible()  # of proteins
    details.star.click()
    assert starred(page) == [0]
    page.marks.undo_stack.undo()
    assert not details.star.isChecked()
    details.note.setPlainText("first")
    page.hits.table.step(1)  # continuing keeps the notes on the hit before
    assert details.note.toPlainText() == ""
    assert page.marks.marks.note(0, page.hits.data.subject(0)) == "first"
    assert cell(page, 0, "note").data() == "first"
    assert not page.hits.table.isColumnHidden(page.hits.model.column_index("note"))
    page.hits.table.step(-1)
    assert details.note.toPlainText() == "first"
    page.marks.undo_stack.undo()
    assert details.note.toPlainText() == ""
    page.clear()
    assert details.name.text() == NO_HIT
    assert not details.note.isEnabled()


def test_stars_and_notes_are_exported(page, qtbot, tasks, tmp_path):
    page.marks.set("starred", 0, page.hits.data.subjects([1]), True)
    page.marks.write(0, page.hits.data.subject(1), "=1+1\tin two\nlines")
    dialog = page.output.export()
    dialog.what_button("starred").setChecked(True)
    dialog.columns_box.setCurrentIndex(dialog.columns_box.findData("choose"))
    for row in range(dialog.columns_list.count()):
        item = dialog.columns_list.item(row)
        wanted = item.data(Qt.ItemDataRole.UserRole) in ("sseqid", "star", "note")
        item.setCheckState(Qt.CheckState.Checked if wanted else Qt.CheckState.Unchecked)
    dialog.format_box.setCurrentIndex(dialog.format_box.findData("csv"))
    with qtbot.waitSignal(dialog.saved):
        dialog.save_to(tmp_path / "starred.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "starred.csv").read_text())))
    assert rows[0] == ["Subject", "Star", "Note"]
    assert rows[1] == [page.hits.data.result.database.ids[page.hits.data.subject(1)], "1", "'=1+1 in two lines"]
    assert len(rows) == 2
    qtbot.waitUntil(lambda: tasks.idle)


def test_marks_stay_when_limits_move(page, qtbot, made):
    page.marks.set("starred", 0, page.hits.data.subjects([3]), True)
    page.marks.set("ticked", 0, page.hits.data.subjects([0, 4]), True)
    subject = page.hits.data.subject(3)
    page.show_moved(rerank(page.result, None, Limits(4, 10.0, 0)))
    qtbot.waitUntil(lambda: page.hits.data is not None and len(page.hits.data) == 4)
    assert page.hits.data.subjects(starred(page)) == [subject]
    assert page.marks.marks.count("ticked") == 2
    page.marks.undo_stack.undo()
    assert page.marks.marks.count("ticked") == 0
    page.show_result(made.result)
    assert page.marks.undo_stack.count() == 0
    assert starred(page) == []
    QApplication.processEvents()
