"""The window's memory of its layout, and the room that the parts leave each other."""

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QScrollArea, QSplitter, QToolButton

from swgui.gui.window import look
from tests.gui.made_results import make_large_result, make_result
from tests.gui.named import named

SIZE = (790, 770)  # fits the screen of the offscreen platform
SMALL_SCREENS = ((1280, 860), (1440, 900))


def drag(splitter, sizes):
    """Move the first handle as a mouse does: Qt tells of it."""
    splitter.setSizes(sizes)
    splitter.splitterMoved.emit(sizes[0], 1)


def stored(user_folders):
    file = QSettings(str(user_folders["config"] / "window.ini"), QSettings.Format.IniFormat)
    return {key.removeprefix("splitters/") for key in file.allKeys() if key.startswith("splitters/")}


def test_splitters_stay_where_they_were_dragged(make_window, user_folders, qtbot):
    window = make_window()
    window.resize(*SIZE)
    window.show_result(make_result()[0])
    qtbot.wait(60)
    rows = window.results_page.columns
    shipped = rows.sizes()
    drag(rows, [sum(shipped) - 430, 200, 230])
    dragged = rows.sizes()
    assert dragged != shipped
    window.close()
    assert stored(user_folders) == {"resultsRows"}

    again = make_window()
    again.resize(*SIZE)
    again.show_result(make_result()[0])
    qtbot.waitUntil(lambda: again.results_page.columns.sizes() == pytest.approx(dragged, abs=2))
    again.close()
    assert stored(user_folders) == {"resultsRows"}  # also when nothing was moved since

    last = make_window()
    last.look.reset_layout()
    last.resize(*SIZE)
    last.show_result(make_result()[0])
    qtbot.wait(60)
    assert last.results_page.columns.sizes() == pytest.approx(shipped, abs=2)
    last.close()
    assert stored(user_folders) == set()


def test_sizes_below_each_other_are_not_kept_for_side_by_side(make_window, user_folders, qtbot):
    window = make_window()
    window.search_page.query.set_narrow(True)
    drag(window.findChild(QSplitter, "querySplit"), [100, 200])
    window.close()
    assert stored(user_folders) == set()


def test_a_damaged_splitter_is_no_obstacle(make_window, user_folders):
    user_folders["config"].mkdir(parents=True)
    (user_folders["config"] / "window.ini").write_text("[splitters]\nresultsRows=@ByteArray(xx)\nresultsSides=7\n")
    window = make_window()
    assert min(window.results_page.columns.sizes()) > 0


@pytest.mark.styled
@pytest.mark.parametrize("size", SMALL_SCREENS)
def test_the_activity_dock_leaves_the_hits_their_room(make_window, qtbot, size):
    window = make_window()
    window.resize(*size)
    window.show_result(make_large_result(40))
    window.toggle_activity()
    qtbot.wait(60)
    page, table = window.results_page, window.results_page.hits.table
    assert table.viewport().height() >= 4 * table.rowHeight(0) - 4
    assert page.height() <= page.parentWidget().height()  # all of it in sight
    assert window.run_panel.speed.isVisible()


def test_the_dock_is_as_high_as_it_was_left_but_not_before_it_was_seen(make_window, qtbot):
    window = make_window()
    window.close()
    again = make_window()
    again.resize(1280, 860)
    again.toggle_activity()
    qtbot.wait(60)
    assert again.activity_dock.height() < 0.3 * 860
    again.resizeDocks([again.activity_dock], [333], Qt.Orientation.Vertical)
    qtbot.wait(60)
    again.resize(*SIZE)
    qtbot.wait(60)
    left = again.activity_dock.height()
    again.close()
    last = make_window()
    last.resize(*SIZE)
    last.toggle_activity()
    qtbot.wait(60)
    assert last.activity_dock.height() == left


@pytest.mark.styled
def test_a_note_above_a_result_does_not_make_the_page_scroll(make_window, qtbot):
    window = make_window()
    window.resize(1280, 700)
    window.show_result(make_result(state="stopped")[0])
    qtbot.wait(60)
    page = window.results_page
    assert page.header.note.isVisible()
    assert page.header.note_text.height() >= page.header.note_text.heightForWidth(page.header.note_text.width())
    assert page.height() <= page.parentWidget().height()
    needed = page.header.note_text.heightForWidth(page.header.note_text.width())
    assert page.header.note_text.height() < needed + page.header.note_text.fontMetrics().height()


def test_a_dock_behind_another_comes_to_the_front_before_it_goes(make_window, qtbot):
    window = make_window()
    window.toggle_activity()
    qtbot.wait(60)
    height = window.activity_dock.height()
    window.toggle_log()
    qtbot.wait(60)
    assert look.in_sight(window.log_dock)
    assert not look.in_sight(window.activity_dock)
    assert window.log_dock.height() == pytest.approx(height, abs=40)  # they share one place
    window.toggle_activity()
    qtbot.wait(60)
    assert look.in_sight(window.activity_dock)
    window.toggle_activity()
    qtbot.wait(60)
    assert window.activity_dock.isHidden()
    assert look.in_sight(window.log_dock)


@pytest.mark.styled
def test_tools_leave_the_alignment_its_room_in_a_narrow_window(make_window, qtbot):
    window = make_window()
    window.resize(1050, 860)
    window.show_result(make_result()[0])
    window.toggle_activity()
    window.tools.toggle_details()
    pane = window.results_page.alignment
    qtbot.waitUntil(lambda: pane.hit is not None)

    def apart():
        tools, view, foot = (part.geometry() for part in (named(pane, "alignmentTools"), pane.views, pane.legend))
        assert tools.bottom() < view.top()
        assert view.bottom() < foot.top()

    qtbot.waitUntil(apart)


@pytest.mark.styled
def test_docks_of_the_results_page_leave_other_pages_their_room(make_window, qtbot):
    window = make_window()
    window.show_result(make_result()[0])
    window.tools.toggle_details()
    window.tools.toggle_scores()
    qtbot.wait(60)
    window.show_page("device")
    window.show_page("search")
    assert window.scores_dock.isHidden()
    assert window.details_dock.isHidden()
    window.show_page("results")
    qtbot.wait(60)
    assert look.in_sight(window.scores_dock)
    assert not window.details_dock.isHidden()

    window.details_dock.hide()
    window.show_page("search")
    window.close()  # those that were put away are kept as open
    again = make_window()
    assert again.scores_dock.isHidden()
    again.tools.toggle_details()  # goes to the page that it belongs to
    qtbot.wait(60)
    assert again.page == "results"
    assert look.in_sight(again.details_dock)
    assert not again.scores_dock.isHidden()
    again.show_page("search")
    again.look.reset_layout()
    again.show_page("results")
    assert again.scores_dock.isHidden()
    assert again.details_dock.isHidden()


@pytest.mark.styled
@pytest.mark.parametrize("size", SMALL_SCREENS)
def test_filters_and_docks_fit_beside_the_hits(make_window, qtbot, size):
    window = make_window()
    window.resize(*size)
    window.show_result(make_result()[0])
    pane = window.results_page.alignment
    qtbot.waitUntil(lambda: pane.hit is not None)
    for mode in ("dots", "path", "wrapped"):
        pane.set_mode(mode)
        qtbot.waitUntil(lambda: window.tasks.idle)
    window.tools.toggle_scores()
    qtbot.wait(60)
    page = window.results_page
    assert page.width() <= page.parentWidget().width()
    window.scores_dock.hide()
    page.hits.filters_button.click()
    qtbot.wait(60)
    assert page.width() <= page.parentWidget().width()


@pytest.mark.styled
def test_results_and_search_fit_a_common_window_with_text_twice_as_large(make_window, qtbot):
    window = make_window()
    window.theme.use(scale=200)
    window.resize(1280, 860)
    window.show_result(make_result()[0])
    pane = window.results_page.alignment
    qtbot.waitUntil(lambda: pane.hit is not None)
    for mode in ("dots", "path", "wrapped"):
        pane.set_mode(mode)
        qtbot.waitUntil(lambda: window.tasks.idle)
    qtbot.wait(60)
    page, inside = window.results_page, window.findChild(QScrollArea, "searchScroll").widget()
    assert page.width() <= page.parentWidget().width()
    assert inside.minimumSizeHint().width() <= window.width()
    window.theme.use(scale=100)


def test_buttons_of_views_stay_where_they_are(make_window, qtbot):
    window = make_window()
    window.resize(1280, 860)
    window.show_result(make_result()[0])
    pane = window.results_page.alignment
    qtbot.waitUntil(lambda: pane.hit is not None)
    places = set()
    for mode in ("wrapped", "stacked", "dots", "path", "text"):
        pane.set_mode(mode)
        qtbot.wait(60)
        button = pane.findChild(QToolButton, "mode-dots")
        places.add(button.mapTo(pane, button.rect().center()).x())
    assert len(places) == 1
