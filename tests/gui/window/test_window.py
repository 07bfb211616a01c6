"""The window as a whole: from the start to the result, and what it remembers."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton, QWidget

from swgui import settings as store
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.records import SequenceRecord
from swgui.gui.search.page import sample_queries
from swgui.io.database.build import save_database
from swgui.io.saved.search import save_search
from swgui.paths import resources_dir
from swgui.settings import Settings
from tests.gui.named import named
from tests.gui.window.by_hand import QUERY


def test_three_clicks_from_a_paste_to_the_result(make_window, database_file, qtbot, monkeypatch):
    window = make_window()
    QGuiApplication.clipboard().setText(QUERY)
    chosen = (str(database_file), "")
    monkeypatch.setattr("swgui.gui.window.opening.QFileDialog.getOpenFileName", lambda *args: chosen)
    qtbot.mouseClick(window.findChild(QPushButton, "queryPaste"), Qt.MouseButton.LeftButton)
    window.actions_table["open-database"].trigger()
    button = window.findChild(QPushButton, "searchButton")
    qtbot.waitUntil(button.isEnabled)
    with qtbot.waitSignal(window.controller.result_ready) as ready:
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
    window.resize(1280, 720)
    window.begin()
    qtbot.waitUntil(lambda: window.search_page.ready)
    assert window.search_page.query.source == sample_queries()
    assert window.actions_table["run"].isEnabled()
    assert "Sample database" in window.findChild(QLabel, "plan").text()


def test_a_later_start_opens_the_database_used_last(make_window, database_file, qtbot):
    settings = Settings()
    settings.remember_database(database_file)
    window = make_window(settings)
    window.begin()
    qtbot.waitUntil(lambda: window.search_page.database.database is not None)
    assert window.search_page.database.path == database_file
    assert window.search_page.problem.startswith("Add a sequence")


def test_a_database_that_moved_is_said_and_the_sample_taken(make_window, qtbot, tmp_path):
    settings = Settings()
    settings.remember_database(tmp_path / "gone.swdb")
    settings.problems = ["The setting x cannot be 3; its default is used."]
    window = make_window(settings)
    window.begin()
    titles = [message.title for message in window.notifications.messages]
    assert titles == ["Settings", "The file of the last database is missing."]
    qtbot.waitUntil(lambda: window.search_page.ready)


def test_a_database_file_of_the_file_manager_is_searched_in(make_window, qtbot, tmp_path):
    path = tmp_path / "mine.swdb"
    save_database(encode_database([SequenceRecord("a", "", b"MKVLW")], PROTEIN, "mine"), path)
    settings = Settings()
    settings.remember_database(tmp_path / "gone.swdb")
    window = make_window(settings)
    window.begin(path)
    assert not window.notifications.messages, "the sample is not used instead"
    qtbot.waitUntil(lambda: window.search_page.database.database is not None)
    assert window.search_page.database.path == path
    assert window.search_page.problem.startswith("Add a sequence")


def test_a_query_on_the_command_line_is_read(make_window, qtbot, tmp_path):
    path = tmp_path / "q.fasta"
    path.write_text(QUERY, encoding="utf-8")
    window = make_window()
    window.begin(path)
    qtbot.waitUntil(lambda: window.search_page.ready)
    assert window.search_page.query.source == path
    assert window.settings.recent.queries == [str(path)]


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


@pytest.mark.styled
def test_large_text_fits_a_small_screen_by_scrolling(make_window, qtbot):
    window = make_window()
    window.theme.use(scale=200)
    window.resize(1000, 600)
    qtbot.wait(60)
    assert window.width() == 1000
    assert window.height() == 600
    assert window.findChild(QPushButton, "searchButton").isVisible()
    window.theme.use(scale=100)


@pytest.mark.styled
def test_the_keyboard_focus_gets_a_ring(make_window, qtbot):
    window = make_window()
    window.activateWindow()
    box = window.findChild(QPlainTextEdit, "queryBox")
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    assert named(window, "focusRing").isHidden()
    qtbot.keyClick(box, Qt.Key.Key_Tab)
    qtbot.waitUntil(named(window, "focusRing").isVisible)
    focused = QApplication.focusWidget()
    assert focused is not box
    where = focused.mapTo(window, focused.rect().center())
    assert named(window, "focusRing").geometry().contains(where)
    qtbot.mouseClick(box.viewport(), Qt.MouseButton.LeftButton)
    assert named(window, "focusRing").isHidden()


@pytest.mark.styled
def test_the_ring_goes_where_what_its_control_lies_in_goes(make_window, qtbot):
    window = make_window()
    window.activateWindow()
    outer, inner, other = QWidget(window), QWidget(), QWidget(window)
    inner.setParent(outer)
    button = QPushButton("Here", inner)
    for widget, place in ((outer, (200, 200)), (other, (500, 400)), (inner, (10, 10))):
        widget.setGeometry(*place, 150, 60)
        widget.show()
    named(window, "focusRing").by_key = True
    button.setFocus()
    qtbot.waitUntil(named(window, "focusRing").isVisible)

    def around():
        return named(window, "focusRing").geometry().contains(button.mapTo(window, button.rect().center()))

    assert around()
    outer.move(300, 250)
    qtbot.waitUntil(around)
    inner.setParent(other)
    inner.show()
    named(window, "focusRing").by_key = True  # as long as the window moves the focus
    button.setFocus()
    qtbot.waitUntil(lambda: named(window, "focusRing").isVisible() and around())
    other.move(100, 100)
    qtbot.waitUntil(around)
    inner.setParent(None)
    inner.deleteLater()
    qtbot.waitUntil(lambda: named(window, "focusRing").target is not button)


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
    save_search(found.outcome, saved)
    sequences = tmp_path / "d.swgui"
    sequences.hardlink_to(database_file)
    before = {path: path.read_bytes() for path in (query, matrix, saved, sequences, database_file)}
    window = make_window(search=lambda request, cancel: iter([found]))
    opening = window.opening
    opening.use_query_file(query)
    opening.use_database_file(database_file)
    window.search_page.scoring.values.matrix = str(matrix)
    window.search_page.scoring.refresh()
    window.runs_page.open_file(saved)
    qtbot.waitUntil(lambda: window.results_page.result is not None)
    qtbot.waitUntil(lambda: window.search_page.database.database is not None and window.tasks.idle)
    chosen = {query: "query", matrix: "matrix", saved: "saved search", sequences: "database"}
    for path, what in chosen.items():
        monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_, path=path: (str(path), ""))
        opening.save_search()
        assert f"file of the {what};" in window.notifications.messages[-1].title
    assert {path: path.read_bytes() for path in before} == before
