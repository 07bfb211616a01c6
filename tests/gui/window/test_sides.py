"""Panels at the side of the Results page come one at a time."""

import pytest

from swgui.gui.hits.arrange import HitFilter, Range
from swgui.gui.kit.theme import grid
from swgui.gui.window.help import CommandPalette
from swgui.gui.window.look import SIDE, reveal
from tests.gui.made_results import make_result


def test_filters_and_docks_come_one_at_a_time(make_window):
    window = make_window()
    window.show_result(make_result()[0])
    page = window.results_page
    page.hits.filters_button.setChecked(True)
    assert page.filters.isVisible()
    reveal(window.scores_dock)
    assert not page.filters.isVisible()
    page.hits.filters_button.setChecked(True)
    assert page.filters.isVisible()
    assert not window.scores_dock.isVisible()


def test_a_filter_that_no_hit_passes_leads_to_any_subject(make_window, qtbot):
    window = make_window()
    window.show_result(make_result()[0])
    page = window.results_page
    page.hits.set_filter(HitFilter(ranges=(Range("score", low=10_000),)))
    assert not page.hits.nothing_find.isVisible()  # there is no name to look for
    page.hits.set_filter(HitFilter(text="nothing"))
    assert page.hits.nothing_find.isVisible()
    page.hits.nothing_find.click()
    assert window.scores_dock.isVisible()
    qtbot.waitUntil(lambda: "Score 0" in window.scores_panel.answer.text())


def test_the_palette_lists_commands_of_the_name_typed_first(make_window):
    window = make_window()
    palette = CommandPalette(window.actions_table, window)
    palette.box.setText("dark")
    assert palette.chosen_action() is window.actions_table["theme-dark"]
    palette.close()


@pytest.mark.styled
def test_details_are_as_wide_as_their_text_needs(make_window, qtbot):
    window = make_window()
    window.resize(1920, 1080)
    window.show_result(make_result()[0])
    window.tools.toggle_details()
    dock = window.details_dock
    for scale in (100, 200, 100):
        window.theme.use(scale=scale)
        qtbot.waitUntil(lambda: abs(dock.width() - grid(SIDE)) < grid(2))
