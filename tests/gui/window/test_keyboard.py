"""Where the Tab key leads: never out of sight."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QPlainTextEdit, QPushButton, QSpinBox, QTabBar, QTableView

from tests.gui.made_results import make_result

MAX_STOPS = 80


def stops(window, qtbot):
    """Press Tab until a control comes for the second time; return all that were reached."""
    seen = []
    for _ in range(MAX_STOPS):
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        qtbot.wait(1)
        focused = QApplication.focusWidget()
        if focused in seen:
            return seen
        assert not focused.visibleRegion().isEmpty(), focused.objectName()
        seen.append(focused)
    raise AssertionError("Tab does not come back to where it began.")


def missed(page, reached):
    """Return the names of the buttons, boxes and fields of a page that can be used but were not reached."""
    wanted = {
        widget
        for kind in (QPushButton, QComboBox, QSpinBox, QPlainTextEdit, QTableView)
        for widget in page.findChildren(kind)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    return {widget.objectName() for widget in wanted - set(reached)}


@pytest.mark.parametrize("goes", ["hidden", "disabled"])
@pytest.mark.parametrize(("page", "name"), [("search", "searchButton"), ("rules", "ruleFind"), ("pair", "pairAlign")])
@pytest.mark.sampled(3)
def test_a_button_that_cannot_be_pressed_any_more_leaves_the_keyboard_on_its_page(make_window, qtbot, page, name, goes):
    window = make_window()
    window.show_page(page)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    button = window.pages[page].findChild(QPushButton, name)
    button.setEnabled(True)
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    button.hide() if goes == "hidden" else button.setEnabled(False)
    held = window.focusWidget()
    assert held is window.pages[page] or window.pages[page].isAncestorOf(held), (held, held.parentWidget())
    qtbot.keyClick(held, Qt.Key.Key_Return)
    assert window.page == page


@pytest.mark.parametrize("page", ["search", "results", "runs", "pair", "databases"])
@pytest.mark.sampled(3)
def test_tab_reaches_what_is_in_sight_on_every_page(make_window, qtbot, page):
    window = make_window()
    window.resize(1000, 560)
    window.begin()
    qtbot.waitUntil(lambda: window.search_page.ready)
    window.show_result(make_result()[0])
    window.toggle_activity()
    window.show_page(page)
    window.activateWindow()
    qtbot.waitUntil(lambda: window.isActiveWindow() and window.tasks.idle)
    qtbot.waitUntil(lambda: window.results_page.alignment.hit is not None)
    qtbot.wait(50)  # nothing moves any more
    reached = stops(window, qtbot)
    assert missed(window.pages[page], reached) == set()
    assert not [widget for widget in reached if isinstance(widget, QTabBar)]


def test_tabs_of_docks_that_share_a_place_can_be_reached(make_window, qtbot):
    window = make_window()
    window.toggle_activity()
    window.toggle_log()
    window.show_page("runs")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    tabs = [widget for widget in stops(window, qtbot) if isinstance(widget, QTabBar)]
    assert [bar.accessibleName() for bar in tabs] == ["Docks"]
