import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPlainTextEdit, QPushButton

from swgui import settings as store
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import EngineFault, EngineUnavailable
from swgui.core.hits.results import SearchResult
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.gui.kit.commands import Command
from swgui.gui.kit.tasks import task
from swgui.gui.search.page import sample_queries
from swgui.gui.window.actions import ActionTable
from swgui.gui.window.pages import PAGES, commands_of, why_not
from swgui.gui.window.palette import CommandPalette
from swgui.gui.window.run_view import DOCK_DELAY_MS
from swgui.io.database.build import save_database
from swgui.io.matrices import load_matrix
from swgui.io.saved.search import save_search
from swgui.jobs.search.events import Finished, PartialHits, Progress, Started
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import run_search
from swgui.jobs.stage import Stage
from swgui.paths import resources_dir
from swgui.settings import Settings

COMMANDS = [command for command, _ in commands_of(PAGES)]
QUERY = ">q of the first\nMKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEW\n"


def result_of(request, state="complete", message="", cells=(10, 10), seconds=1.0):
    return SearchResult(
        (), request.database, request.scheme, "plus", 10, 500, "cpu", ("Test CPU",), state, *cells, seconds, 0, "",
        message, "0", "2026-01-01T00:00:00+00:00",
    )  # fmt: skip


class Slow:
    """A search that goes on until it is stopped."""

    def __init__(self):
        self.going = threading.Event()

    def __call__(self, request, cancel):
        yield Stage("Preparing the engine")
        yield Started(1, len(request.database), request.database.residues, 10**9, "cpu", ("Test CPU",))
        for step in range(1, 10**6):
            if cancel.wait(0.01):
                break
            done = step * 1000
            yield Progress(done, 10**9, step * 0.01, {"Test CPU": done}, {"Test CPU": step * 0.01})
            yield PartialHits(0, request.database.order[:2], request.database.lengths[:2])
            self.going.set()
        for answer in run_search(request, threading.Event()):
            if isinstance(answer, Finished):
                yield Finished(result_of(request, "stopped", cells=(620, 1000)))


@pytest.fixture
def ready(make_window, database_file, qtbot):
    """Return a function that makes a window on which Search can be pressed."""

    def make(**options):
        window = make_window(**options)
        window.search_page.query.set_text(QUERY)
        window.search_page.database.open(database_file)
        qtbot.waitUntil(lambda: window.search_page.ready, timeout=20_000)
        return window

    return make


def test_three_clicks_from_a_paste_to_the_result(make_window, database_file, qtbot, monkeypatch):
    window = make_window()
    QGuiApplication.clipboard().setText(QUERY)
    chosen = (str(database_file), "")
    monkeypatch.setattr("swgui.gui.window.opening.QFileDialog.getOpenFileName", lambda *args: chosen)
    qtbot.mouseClick(window.findChild(QPushButton, "queryPaste"), Qt.MouseButton.LeftButton)
    window.actions_table["open-database"].trigger()
    button = window.findChild(QPushButton, "searchButton")
    qtbot.waitUntil(button.isEnabled, timeout=20_000)
    with qtbot.waitSignal(window.controller.result_ready, timeout=30_000) as ready:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    result = ready.args[0]
    assert result.state == "complete"
    hits = result.queries[0].hits
    assert [result.database.ids[int(index)] for index in hits.db_index[:2]] == ["one", "three"]
    assert window.results_page.result is result
    assert window.page == "results"
    assert window.actions_table["export"].isEnabled()


def test_the_first_start_needs_one_click(make_window, qtbot):
    window = make_window()
    window.begin()
    qtbot.waitUntil(lambda: window.search_page.ready, timeout=20_000)
    assert window.search_page.query.source == sample_queries()
    assert window.actions_table["run"].isEnabled()
    assert "Sample database" in window.findChild(QLabel, "plan").text()
    assert window.findChild(QLabel, "statusDevice").text() == "Test CPU"


def test_a_later_start_opens_the_database_used_last(make_window, database_file, qtbot):
    settings = Settings()
    settings.remember_database(database_file)
    window = make_window(settings)
    window.begin()
    qtbot.waitUntil(lambda: window.search_page.database.database is not None, timeout=20_000)
    assert window.search_page.database.path == database_file
    assert window.search_page.problem == "Add a sequence first."


def test_a_database_that_moved_is_said_and_the_sample_taken(make_window, qtbot, tmp_path):
    settings = Settings()
    settings.remember_database(tmp_path / "gone.swdb")
    settings.problems = ["The setting x cannot be 3; its default is used."]
    window = make_window(settings)
    window.begin()
    titles = [message.title for message in window.notifications.messages]
    assert titles == ["Settings", "The database used last is not where it was."]
    qtbot.waitUntil(lambda: window.search_page.ready, timeout=20_000)


def test_a_database_file_of_the_file_manager_is_searched_in(make_window, qtbot, tmp_path):
    path = tmp_path / "mine.swdb"
    save_database(encode_database([SequenceRecord("a", "", b"MKVLW")], PROTEIN, "mine"), path)
    window = make_window()
    window.begin(path)
    qtbot.waitUntil(lambda: window.search_page.database.database is not None, timeout=20_000)
    assert window.search_page.database.path == path
    assert window.search_page.problem == "Add a sequence first."


def test_a_query_on_the_command_line_is_read(make_window, qtbot, tmp_path):
    path = tmp_path / "q.fasta"
    path.write_text(QUERY, encoding="utf-8")
    window = make_window()
    window.begin(path)
    qtbot.waitUntil(lambda: window.search_page.ready, timeout=20_000)
    assert window.search_page.query.source == path
    assert window.settings.recent.queries == [str(path)]


def test_stop_in_the_middle_keeps_what_was_scored(ready, qtbot):
    search = Slow()
    window = ready(search=search)
    window.run_search()
    qtbot.waitUntil(search.going.is_set)
    qtbot.waitUntil(lambda: window.activity_dock.isVisible(), timeout=DOCK_DELAY_MS + 3000)
    assert not window.actions_table["run"].isEnabled()
    assert window.search_page.problem == "A search is running."
    qtbot.waitUntil(lambda: window.run_panel.best.rowCount() == 2)
    with qtbot.waitSignal(window.controller.result_ready, timeout=5000) as stopped:
        qtbot.mouseClick(window.findChild(QPushButton, "runStop"), Qt.MouseButton.LeftButton)
    assert stopped.args[0].state == "stopped"
    assert window.results_page.result is stopped.args[0]
    assert "62 %" in window.notifications.messages[-1].text
    assert "Partial" in window.findChild(QLabel, "runTimeLeft").text()
    assert "<b>" not in window.run_panel.speed._legend.text().removeprefix(
        "<b>Speed"
    )  # no speed of the moment any more
    assert window.actions_table["run"].isEnabled()
    assert not window.actions_table["stop"].isEnabled()


def test_while_a_search_runs_the_next_one_can_wait_in_the_queue(ready, qtbot):
    search = Slow()
    window = ready(search=search)
    page, queue = window.search_page, window.search_page.queue_button
    assert not queue.isVisible()
    window.run_search()
    qtbot.waitUntil(search.going.is_set)
    assert not page.search_button.isEnabled()
    assert window.actions_table["queue"].isEnabled()
    said = "A search is running. Add this one to the queue, and it runs next. Search 1 protein"
    assert window.findChild(QLabel, "plan").text().startswith(said)
    window.copy_command_line()
    assert QGuiApplication.clipboard().text().startswith("swgui search")
    qtbot.mouseClick(queue, Qt.MouseButton.LeftButton)
    assert window.queue.waiting == 1
    page.query.set_text("")
    told = "A search is running. Add a sequence first."
    qtbot.waitUntil(lambda: window.findChild(QLabel, "plan").text() == told)
    assert not queue.isEnabled()
    with qtbot.waitSignals([window.controller.result_ready, window.controller.begun], timeout=5000):
        window.stop_search()
    assert window.queue.waiting == 0
    with qtbot.waitSignal(window.controller.result_ready, timeout=5000):
        window.stop_search()
    qtbot.waitUntil(lambda: not queue.isVisible())


def test_the_window_stays_alive_during_a_run(ready, qtbot):
    search = Slow()
    window = ready(search=search)
    window.run_search()
    qtbot.waitUntil(search.going.is_set)
    window.show_page("results")
    window.show_page("search")
    window.search_page.query.set_text(">new\nMKVLW\n")
    qtbot.waitUntil(lambda: window.search_page.query.records[0].id == "new")
    with qtbot.waitSignal(window.controller.result_ready, timeout=5000):
        window.stop_search()


@pytest.mark.parametrize(
    "error",
    [
        EngineUnavailable("cuda", "No CUDA GPU was found.", hint="Use the CPU."),
        EngineFault("The GPU stopped answering."),
        ValueError("not foreseen"),
        OSError(28, "No space left on device"),
        MemoryError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_failed_run_is_explained_and_the_next_one_works(ready, qtbot, error):
    outcomes = [error]

    def search(request, cancel):
        if outcomes:
            raise outcomes.pop()
        yield from run_search(request, cancel)

    settings = Settings()
    settings.search.engine = "reference"
    window = ready(settings=settings, search=search)
    qtbot.waitUntil(lambda: window.search_page.ready)
    window.search_page.engine.probe()
    qtbot.waitUntil(lambda: window.search_page.engine.choice.engine == "reference")
    with qtbot.waitSignal(window.controller.failed):
        window.run_search()
    (message,) = window.notifications.messages
    assert message.level == "danger"
    assert message.title
    assert type(error).__name__ in message.details
    assert window.page == "search"
    assert window.findChild(QPushButton, "searchButton").isEnabled()
    with qtbot.waitSignal(window.controller.result_ready, timeout=30_000):
        window.run_search()
    assert window.results_page.result.state == "complete"


def test_a_result_of_a_failed_run_is_shown_with_a_message(ready, qtbot):
    def search(request, cancel):
        yield Finished(result_of(request, "failed", "The GPU stopped answering.", cells=(62, 100)))

    window = ready(search=search)
    with qtbot.waitSignal(window.controller.result_ready):
        window.run_search()
    (message,) = window.notifications.messages
    assert (message.level, message.title, message.text) == (
        "danger",
        "The search ended at 62 %.",
        "The GPU stopped answering.",
    )


def test_speeds_are_learned_from_whole_runs_that_are_long_enough(ready, qtbot):
    results = []
    window = ready(search=lambda request, cancel: iter([Finished(results.pop()(request))]))

    def run(**options):
        results.append(lambda request: result_of(request, **options))
        with qtbot.waitSignal(window.controller.result_ready):
            window.run_search()
        window.show_page("search")

    run(cells=(100, 100), seconds=1.0)
    run(cells=(10**9, 10**9), seconds=0.001)
    run(cells=(10**9, 2 * 10**9), seconds=1.0, state="stopped")
    run(cells=(10**9, 10**9), seconds=1.0, message="The engine 'cpu' scored the rest.")
    assert window.settings.speeds == {}
    run(cells=(5 * 10**9, 5 * 10**9), seconds=2.0)
    assert window.settings.speeds == pytest.approx({"cpu | Test CPU": 2.5})


def test_the_result_does_not_take_the_page_away_from_elsewhere(ready, qtbot):
    window = ready()
    window.show_page("search")
    with qtbot.waitSignal(window.controller.result_ready, timeout=30_000):
        window.run_search()
    assert window.page == "results"
    assert window.activity_dock.isHidden()  # short runs do not make it flash


def test_a_hit_becomes_the_next_query(ready, qtbot):
    window = ready()
    window.results_page.query_wanted.emit(window.search_page.database.database.record(2))
    qtbot.waitUntil(lambda: window.search_page.ready)
    assert [record.id for record in window.search_page.query.records] == ["three"]
    assert window.page == "search"
    part = QueryRange(2, 5)
    window.results_page.part_wanted.emit(window.search_page.query.records[0], part)
    qtbot.waitUntil(lambda: window.search_page.ready)
    assert window.search_page.request().query_range == part
    window.search_page.query.set_text(">other\nMKVLAW\n")
    qtbot.waitUntil(lambda: window.search_page.ready)
    assert window.search_page.request().query_range is None


def test_closing_in_the_middle_of_a_run_stops_it_and_does_not_wait_for_it(ready, qtbot):
    going, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def search(request, cancel):
        yield Started(1, len(request.database), request.database.residues, 10**9, "cpu", ("Test CPU",))
        going.set()
        assert cancel.wait(20)
        go_on.wait(20)
        ended.set()

    window = ready(search=search)
    window.run_search()
    qtbot.waitUntil(going.is_set)
    assert window.close()
    assert not window.isVisible()
    assert not ended.is_set()
    go_on.set()
    assert task.join(20_000)
    assert ended.is_set()
    assert store.load().recent.databases


# Commands


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_is_declared_well(command):
    assert command.plain_text[0].isupper()
    assert command.tip
    assert command.tip[-1] not in ".…"
    assert command.text.count("&") == 1 or command.menu.endswith("Theme")
    assert "..." not in command.text  # a dialog follows: one sign, …


def test_ids_and_keys_are_unique():
    ids = [command.id for command in COMMANDS]
    assert len(set(ids)) == len(ids)
    keys = [
        sequence.toString()
        for command in COMMANDS
        for key in command.keys
        for sequence in (QKeySequence.keyBindings(key) if not isinstance(key, str) else [QKeySequence(key)])[:1]
    ]
    assert all(keys)
    assert len(set(keys)) == len(keys)


def test_mnemonics_of_a_menu_are_unique():
    marks = [(c.menu, c.text[c.text.index("&") + 1].lower()) for c in COMMANDS if "&" in c.text]
    assert len(set(marks)) == len(marks), sorted(marks)


@pytest.fixture(scope="module")
def found():
    """A real result, made once."""
    records = [SequenceRecord("one", "first of two", b"MKVLWAALLVTFLAG"), SequenceRecord("two", "", b"MKVLWGGG")]
    database = encode_database(records, PROTEIN, "small")
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    request = SearchRequest((records[0],), database, scheme, engine="reference")
    (finished,) = [event for event in run_search(request, threading.Event()) if isinstance(event, Finished)]
    return finished


# Commands of the Pair page: tests/gui/pair/.
@pytest.mark.parametrize("command", [c for c in COMMANDS if c.menu != "&Pair"], ids=lambda command: command.id)
def test_every_command_does_something(command, ready, found, qtbot, monkeypatch):
    monkeypatch.setattr("swgui.gui.window.opening.QFileDialog.getOpenFileName", lambda *args: ("", ""))
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *args: ("", ""))
    monkeypatch.setattr("swgui.gui.window.help.desk.QWhatsThis.enterWhatsThisMode", lambda: None)
    monkeypatch.setattr("swgui.gui.window.help.desk.QDesktopServices.openUrl", lambda url: True)
    window = ready(search=lambda request, cancel: iter([found]))
    with qtbot.waitSignal(window.controller.result_ready, timeout=30_000):
        window.run_search()
    action = window.actions_table[command.id]
    assert action.isEnabled() == (command.id not in ("stop", "pause", "undo", "redo"))
    assert isinstance(window.findChild(QAction, command.id), QAction)
    monkeypatch.setattr(QApplication, "alert", lambda *args: None)
    action.trigger()
    qtbot.wait(1)
    assert [message for message in window.notifications.messages if message.level == "danger"] == []
    for dialog in window.findChildren(QDialog):
        dialog.close()
    qtbot.waitUntil(lambda: window.controller.phase == "idle", timeout=30_000)


def test_a_command_without_a_target_is_refused(make_window):
    window = make_window()
    with pytest.raises(AttributeError):
        ActionTable([(Command("x", "&X", "Do x", "&File", "no_such_thing"), "")], window, window.pages, {})


def test_the_palette_finds_and_runs_commands(make_window, qtbot):
    window = make_window()
    palette = CommandPalette(window.actions_table, window)
    qtbot.keyClicks(palette.box, "text larger")
    assert palette.list.topLevelItemCount() == 1
    qtbot.keyClick(palette.box, Qt.Key.Key_Return)
    assert window.theme.scale == 110
    other = CommandPalette(window.actions_table, window)
    qtbot.keyClicks(other.box, "theme")
    qtbot.keyClick(other.box, Qt.Key.Key_Down)
    assert other.list.currentItem().text(0) == "View › Theme › Light"
    qtbot.keyClicks(other.box, " zzz")
    qtbot.keyClick(other.box, Qt.Key.Key_Return)
    assert window.theme.mode == "light"
    other.close()


def test_the_palette_does_not_run_what_is_disabled(make_window, qtbot):
    window = make_window()
    palette = CommandPalette(window.actions_table, window)
    qtbot.keyClicks(palette.box, "end the run now")
    assert palette.list.topLevelItemCount() == 1
    assert palette.list.currentItem() is None
    palette.close()


def test_the_command_line_is_copied(ready):
    window = ready()
    window.copy_command_line()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("swgui search -q queries.fasta -d '")
    assert "--matrix BLOSUM62 --gap-open 11 --gap-extend 1" in text


# Look and layout


def test_theme_and_text_size_are_remembered(make_window):
    window = make_window()
    window.actions_table["theme-dark"].trigger()
    window.look.step_text(1)
    window.close()
    loaded = store.load()
    assert (loaded.display.theme, loaded.display.text_scale) == ("dark", 110)


def test_the_layout_is_remembered_and_can_be_reset(make_window):
    window = make_window()
    window.toggle_log()
    window.resize(700, 650)
    size = window.size()
    window.close()
    again = make_window()
    assert not again.log_dock.isHidden()
    assert again.size() == size
    again.look.reset_layout()
    assert again.log_dock.isHidden()


def test_a_damaged_layout_file_is_no_obstacle(make_window, user_folders):
    user_folders["config"].mkdir(parents=True)
    (user_folders["config"] / "window.ini").write_text("[ui]\ngeometry=nonsense\nstate=@ByteArray(xx)\n")
    window = make_window()
    assert window.width() > 300
    assert window.activity_dock.isHidden()


def test_large_text_fits_a_small_screen_by_scrolling(make_window, qtbot):
    window = make_window()
    window.theme.use(scale=200)
    window.resize(1000, 600)
    qtbot.wait(10)
    assert window.width() == 1000
    assert window.height() == 600
    assert window.findChild(QPushButton, "searchButton").isVisible()
    window.theme.use(scale=100)


def test_the_keyboard_focus_gets_a_ring(make_window, qtbot):
    window = make_window()
    window.activateWindow()
    box = window.findChild(QPlainTextEdit, "queryBox")
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    assert window._ring.isHidden()
    qtbot.keyClick(box, Qt.Key.Key_Tab)
    qtbot.waitUntil(window._ring.isVisible)
    focused = QApplication.focusWidget()
    assert focused is not box
    where = focused.mapTo(window, focused.rect().center())
    assert window._ring.geometry().contains(where)
    qtbot.mouseClick(box.viewport(), Qt.MouseButton.LeftButton)
    assert window._ring.isHidden()


def test_a_disabled_command_says_what_it_waits_for(ready):
    window = ready()
    table = window.actions_table
    assert {state for command in COMMANDS for state in command.needs} == set(why_not(PAGES))
    export, run = table["export"], table["run"]
    assert not export.isEnabled()
    assert export.toolTip().endswith("(Ctrl+E)\nNot now: there is no result yet.")
    assert run.isEnabled()
    assert "Not now" not in run.toolTip()
    table.use_keys({"export": "Ctrl+Alt+E"})
    assert export.toolTip().endswith("(Ctrl+Alt+E)\nNot now: there is no result yet.")
    window.show_result(result_of(window.search_page.request()))
    assert "Not now" not in export.toolTip()


def test_tool_tips_are_reachable_by_what_is_this(make_window):
    window = make_window(whole=True)
    for widget in window.findChildren(QPushButton):
        if widget.toolTip():
            assert widget.whatsThis()


def test_a_search_is_not_saved_over_its_inputs(make_window, database_file, found, qtbot, monkeypatch, tmp_path):
    """Query, database (by a hard link, too), matrix and the saved search that is shown stay as they are."""
    query, matrix, saved = (tmp_path / name for name in ("q.swgui", "m.swgui", "s.swgui"))
    query.write_text(QUERY)
    matrix.write_bytes((resources_dir() / "statistics" / "BLOSUM80_half_bits.txt").read_bytes())
    save_search(found.result, saved)
    sequences = tmp_path / "d.swgui"
    sequences.hardlink_to(database_file)
    before = {path: path.read_bytes() for path in (query, matrix, saved, sequences, database_file)}
    window = make_window(search=lambda request, cancel: iter([found]))
    opening = window.opening
    opening.use_query_file(query)
    opening.use_database_file(database_file)
    window.search_page.scoring.values.matrix = str(matrix)
    window.search_page.scoring._refresh()
    window.runs_page.open_file(saved)
    qtbot.waitUntil(lambda: window.results_page.result is not None)
    qtbot.waitUntil(lambda: window.search_page.database.database is not None and window.tasks.idle)
    chosen = {query: "query", matrix: "matrix", saved: "saved search", sequences: "database"}
    for path, what in chosen.items():
        monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_, path=path: (str(path), ""))
        opening.save_search()
        assert f"is the file of the {what}; the result would replace it." in window.notifications.messages[-1].title
    assert {path: path.read_bytes() for path in before} == before
