"""The Runs page and its queue, with searches that the test holds in its hand."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMessageBox, QPushButton

from swgui.core.errors import EngineFault
from swgui.core.plain import replace
from swgui.core.verdict.queries import significant_hits
from swgui.gui.runs.table import COLUMNS, NAME, NOTE, PROGRESS, SPARE, row_of_record
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import PAUSED, Progress, Stage
from swgui.runs import RunRecord, Runs
from tests.asking import altered, answer
from tests.gui.named import named
from tests.gui.runs.held import TITLES, HeldSearch, cell, choose, column, enabled
from tests.io.saved.saved_searches import assert_same, protein_request


def test_an_empty_page_says_so_and_offers_the_sample(desk, qtbot):
    page, *_ = desk()
    assert page.table.isHidden()
    assert "Every run" in page.empty.text.text()
    assert enabled(page) == set()
    with qtbot.waitSignal(page.sample_wanted):
        page.findChild(QPushButton, "runsEmptySample").click()


def test_the_first_run_is_chosen_and_the_first_again_when_it_is_gone(desk, qtbot, searched):
    page, queue, *_ = desk()
    for number in range(3):
        queue.add(altered(searched[0], top=number + 1, name=f"run {number}"))
    assert [row.name for row in page.table.chosen()] == ["run 0"]
    choose(page, 2)
    assert [row.name for row in page.table.chosen()] == ["run 2"]
    queue.remove(page.model.rows[2].key[1])
    assert [row.name for row in page.table.chosen()] == ["run 0"]


def test_searches_run_one_after_another_in_the_order_of_the_queue(desk, qtbot, searched, history):
    page, queue, held, _ = desk()
    requests = [altered(searched[0], top=n + 1) for n in range(3)]
    for request, name in zip(requests, ("first", "second", "third"), strict=True):
        queue.add(replace(request, name=name))
    assert column(page, "Name") == ["first", "second", "third"]
    qtbot.waitUntil(lambda: column(page, "State") == ["Running", "Waiting", "Waiting"])
    qtbot.waitUntil(lambda: cell(page, 0, "Progress") == "43 %")
    assert column(page, "Started")[1:] == ["", ""]
    choose(page, 2)
    assert enabled(page) == {"stop", "move_up", "delete"}
    page.buttons["move_up"].click()
    assert column(page, "Name") == ["first", "third", "second"]
    assert [row.name for row in page.chosen()] == ["third"]  # it stays chosen
    for _ in range(3):
        held.go.release()
    qtbot.waitUntil(lambda: column(page, "State") == ["Done"] * 3)
    assert [request.search.limits.top for request in held.ran] == [1, 3, 2]
    assert column(page, "Name") == ["second", "third", "first"]  # the newest first
    assert column(page, "Database") == ["random"] * 3
    assert column(page, "Progress") == [""] * 3
    significant = sum(significant_hits(query.hits) for query in searched[1].queries)
    assert column(page, "Found") == [f"{significant} significant"] * 3
    assert set(column(page, "Settings")) == {"BLOSUM62 11/1"}
    assert not page.faults


def test_a_search_started_elsewhere_is_listed_too(desk, qtbot, searched):
    page, queue, held, controller = desk()
    controller.start(searched[0])
    assert column(page, "Name") == ["PROT3_TEST and 1 more"]
    assert cell(page, 0, "State") == "Preparing"
    queue.add(replace(searched[0], name="next"))
    assert queue.waiting == 1
    controller.start(altered(searched[0], top=3))  # takes the place of the first
    assert len(queue.runs) == 2
    held.go.release()
    held.go.release()
    held.go.release()
    qtbot.waitUntil(lambda: queue.runs == ())


def test_stop_keeps_what_was_scored_and_takes_waiting_searches_off(desk, qtbot, searched):
    page, queue, _, _ = desk()
    queue.add(replace(searched[0], name="one"))
    queue.add(replace(searched[0], name="two"))
    qtbot.waitUntil(lambda: cell(page, 0, "State") == "Running")
    choose(page, 1)
    page.buttons["stop"].click()
    assert column(page, "Name") == ["one"]
    choose(page, 0)
    page.buttons["stop"].click()
    assert cell(page, 0, "State") == "Stopping"
    qtbot.waitUntil(lambda: column(page, "State") == ["Partial"])
    choose(page, 0)
    assert named(page, "runDetail").text() == "Stopped by you."


def test_a_failed_search_says_why_and_lets_the_next_one_run(desk, qtbot, searched):
    page, queue, held, _ = desk()
    held.error = EngineFault("The GPU fell off.", hint="Put it back.")
    queue.add(replace(searched[0], name="bad"))
    queue.add(replace(searched[0], name="good"))
    held.go.release()
    qtbot.waitUntil(lambda: "Failed" in column(page, "State"))
    held.error = None
    qtbot.waitUntil(lambda: column(page, "State") == ["Running", "Failed"])
    choose(page, 1)
    assert named(page, "runDetail").text() == "The GPU fell off. Put it back."
    assert enabled(page) == {"again", "delete"}
    page.buttons["again"].click()
    assert column(page, "Name") == ["good", "bad"]
    assert column(page, "State") == ["Running", "Waiting"]
    held.go.release()
    held.go.release()
    qtbot.waitUntil(lambda: column(page, "State") == ["Done", "Done"])


def test_a_saved_run_is_opened(desk, qtbot, searched, history):
    history.of("search").save(searched[1], searched[0], name="Globins")
    page, *_ = desk()
    choose(page, 0)
    assert enabled(page) == {"open", "again", "verify", "rename", "save", "delete"}
    with qtbot.waitSignal(page.open_wanted) as wanted:
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert_same(searched[1], wanted.args[0])
    with qtbot.waitSignal(page.open_wanted):
        page.table.doubleClicked.emit(page.table.index_of(page.model.rows[0].key, 0))
    assert not page.faults


def test_a_file_from_elsewhere_is_opened_with_what_the_user_must_know(desk, qtbot, searched, tmp_path):
    result = answer(protein_request())  # of a database that is in no file
    save_search(result, tmp_path / "mine.swgui")
    page, *_ = desk()
    said = []
    page.noted.connect(said.append)
    with qtbot.waitSignal(page.open_wanted) as wanted:
        page.open_file(tmp_path / "mine.swgui")
    assert_same(result, wanted.args[0])
    assert len(said) == 1
    assert "was not found" in said[0]
    (tmp_path / "bad.swgui").write_text("no")
    with qtbot.waitSignal(page.failed) as failed:
        page.open_file(tmp_path / "bad.swgui")
    assert "a saved search" in str(failed.args[0])


def test_renaming_in_place(desk, qtbot, searched, history):
    history.of("search").save(searched[1], name="Old")
    page, *_ = desk()
    choose(page, 0)
    page.buttons["rename"].click()
    editor = page.table.findChild(QLineEdit)
    assert editor.text() == "Old"
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    page.model.setData(page.model.index(0, 1), "  New  name ")
    qtbot.waitUntil(lambda: column(page, "Name") == ["New name"])
    assert history.list()[0].name == "New name"
    assert not page.model.setData(page.model.index(0, 1), " ")


def test_deleting_asks_first(desk, qtbot, searched, history):
    for name in ("a", "b", "c"):
        history.of("search").save(searched[1], name=name)
    page, *_ = desk()
    choose(page, 0, 2)
    page.buttons["delete"].click()
    box = page.findChild(QMessageBox)
    assert "2 runs" in box.text()
    assert len(history.list()) == 3
    box.findChild(QPushButton, "confirmDelete").click()
    qtbot.waitUntil(lambda: column(page, "Name") == ["b"])
    assert [record.name for record in history.list()] == ["b"]


def test_a_copy_is_saved_with_its_name(desk, qtbot, searched, history, tmp_path):
    history.of("search").save(searched[1], searched[0], name="Globins")
    page, *_ = desk()
    said = []
    page.message.connect(said.append)
    page.save_run(history.list()[0].id, tmp_path / "copy.swgui")
    qtbot.waitUntil(lambda: said and said[-1].startswith("Saved as"))
    loaded = load_search(tmp_path / "copy.swgui")
    assert_same(searched[1], loaded.result)
    assert loaded.facts.name == "Globins"
    assert loaded.database_path == searched[0].database
    page.save_run(history.list()[0].id, tmp_path / "nowhere" / "copy.swgui")
    qtbot.waitUntil(lambda: bool(page.faults))
    assert "does not exist" in str(page.faults[0])


def test_run_again_puts_the_same_search_into_the_queue(desk, qtbot, searched, history):
    history.of("search").save(searched[1], searched[0], name="Globins")
    page, _, held, _ = desk()
    choose(page, 0)
    page.buttons["again"].click()
    qtbot.waitUntil(lambda: column(page, "State")[0] in ("Preparing", "Running"))
    assert column(page, "Name") == ["Globins", "Globins"]
    held.go.release()
    qtbot.waitUntil(lambda: column(page, "State") == ["Done", "Done"])
    assert held.ran[0].database == searched[0].database
    assert held.ran[0].search.limits == searched[0].search.limits


def test_two_runs_are_compared_the_older_one_first(desk, qtbot, searched, history):
    history.of("search").save(searched[1], name="older")
    history.of("search").save(altered(searched[1], top=3), name="newer")
    page, *_ = desk()
    choose(page, 0, 1)
    assert "compare" in enabled(page)
    with qtbot.waitSignal(page.compare_wanted) as wanted:
        page.buttons["compare"].click()
    assert [result.search.limits.top for result in wanted.args] == [searched[1].search.limits.top, 3]
    choose(page, 0)
    with qtbot.waitSignal(page.watch_wanted) as watched:
        page.watch_selected()
    assert watched.args[0].search.limits.top == 3


def test_sorting_by_any_column_keeps_numbers_as_numbers(desk, searched, history):
    for gcups_seconds, name in ((1.0, "b"), (0.01, "c"), (30.0, "a")):
        history.of("search").save(replace(searched[1], seconds=gcups_seconds), name=name)
    page, *_ = desk()

    def shown(title):
        return [page.table.model().index(row, TITLES.index(title)).data() for row in range(3)]

    page.table.sortByColumn(TITLES.index("Duration"), Qt.SortOrder.AscendingOrder)
    assert shown("Name") == ["c", "b", "a"]
    page.table.sortByColumn(TITLES.index("Name"), Qt.SortOrder.AscendingOrder)
    assert shown("Name") == ["a", "b", "c"]
    page.table.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert shown("Name") == ["a", "c", "b"]


def test_names_are_never_rich_text(desk, searched, history):
    history.of("search").save(searched[1], name="<b>bold</b>")
    page, *_ = desk()
    assert cell(page, 0, "Name") == "<b>bold</b>"
    assert named(page, "runDetail").textFormat() == named(page, "verifyVerdict").textFormat() == Qt.TextFormat.PlainText


def test_buttons_wrap_where_the_window_is_narrow(desk, qtbot, searched, history):
    history.of("search").save(searched[1], name="x")
    page, *_ = desk()
    qtbot.waitUntil(page.table.isVisible)
    places = {button.y() for button in page.buttons.values()}
    assert len(places) == 1
    page.resize(page.minimumSizeHint().width() // 2 + 300, 700)
    qtbot.waitUntil(lambda: len({button.y() for button in page.buttons.values()}) > 1)
    inside = page.contentsRect()
    for button in page.buttons.values():
        assert inside.contains(button.geometry())
        assert button.width() >= button.sizeHint().width()


def test_names_take_the_room_that_is_left(desk, qtbot, searched, history):
    history.of("search").save(searched[1], name="x")
    page, *_ = desk()
    header = page.table.horizontalHeader()
    qtbot.waitUntil(lambda: header.length() == page.table.viewport().width())
    wide = header.sectionSize(NAME)
    page.resize(1150, 700)
    qtbot.waitUntil(lambda: header.sectionSize(NAME) < wide and header.length() == page.table.viewport().width())
    assert [column for column in SPARE if header.isSectionHidden(column)] == [PROGRESS, NOTE]  # nothing runs
    page.resize(900, 700)  # others give way rather than the names, and before it scrolls sideways
    qtbot.waitUntil(lambda: header.isSectionHidden(SPARE[0]) and header.length() == page.table.viewport().width())
    page.resize(1400, 700)
    qtbot.waitUntil(lambda: sum(map(header.isSectionHidden, SPARE)) == 2)


def test_the_table_keeps_the_rules_of_models(desk, qtmodeltester, searched, history):
    page, queue, *_ = desk()
    qtmodeltester.check(page.model)  # empty
    history.of("search").save(searched[1], name="x")
    queue.add(replace(searched[0], name="y"))
    page.refresh()
    qtmodeltester.check(page.model)


def test_a_new_name_is_undone_and_done_again(desk, history, searched, qtbot):
    request, result = searched
    history.of("search").save(result, request, name="first name")
    page, *_ = desk()
    page.rename(page.model.rows[0].key, "Another name")
    qtbot.waitUntil(lambda: column(page, "Name") == ["Another name"])
    page.rename(page.model.rows[0].key, "Another name")  # the same again is nothing to undo
    page.rename(page.model.rows[0].key, "  ")
    assert page.undo_stack.count() == 1
    page.undo_stack.undo()
    qtbot.waitUntil(lambda: column(page, "Name") == ["first name"])
    page.undo_stack.redo()
    qtbot.waitUntil(lambda: column(page, "Name") == ["Another name"])


def test_a_run_is_paused_and_goes_on_by_its_button(desk, qtbot, searched, history):
    class Resting(HeldSearch):
        def __call__(self, request, cancel):
            for event in super().__call__(request, cancel):
                yield event
                if isinstance(event, Progress):
                    while not cancel.paused and not cancel.is_set():
                        cancel.wait(0.01)
                    yield Stage(PAUSED)
                    cancel.wait_while_paused()
                    yield Stage("Scoring")

    held = Resting(Runs(), searched[1])
    page, queue, _, controller = desk(held)
    held.history = history
    queue.add(replace(searched[0], name="one"))
    qtbot.waitUntil(lambda: cell(page, 0, "State") == "Running")
    choose(page, 0)
    assert page.buttons["pause"].text() == "Pause"
    page.buttons["pause"].click()
    qtbot.waitUntil(lambda: cell(page, 0, "State") == "Paused")
    assert page.buttons["pause"].text() == "Resume run"
    assert controller.paused
    page.buttons["pause"].click()
    qtbot.waitUntil(lambda: cell(page, 0, "State") == "Running")
    held.go.release()
    qtbot.waitUntil(lambda: column(page, "State") == ["Done"])
    choose(page, 0)
    assert not page.buttons["pause"].isEnabled()


@pytest.mark.parametrize("opened_first", [True, False])
def test_a_run_is_not_saved_over_what_it_was_made_from(desk, qtbot, searched, history, monkeypatch, opened_first):
    history.of("search").save(searched[1], searched[0], name="Globins")
    page, *_ = desk()
    choose(page, 0)
    database = searched[0].database
    before = database.read_bytes()
    if opened_first:
        with qtbot.waitSignal(page.open_wanted):
            page.buttons["open"].click()
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(database), ""))
    page.buttons["save"].click()
    qtbot.waitUntil(lambda: bool(page.faults))
    assert f"'{database}' is the file" in str(page.faults[0])
    assert database.read_bytes() == before


def test_what_was_found_is_said_in_words_of_each_kind():
    kinds = (("search", 3), ("search", 0), ("rule", 1), ("rule", 2_000), ("pair", 1), ("pair", None))
    said = [row_of_record(RunRecord("1", "one", "done", kind=kind, found=found)) for kind, found in kinds]
    shown = next(column for column in COLUMNS if column.title == "Found")
    assert [shown.text(row) for row in said] == [
        *("3 significant", "none significant", "1 place", "2,000 places", "1 alignment", ""),
    ]
