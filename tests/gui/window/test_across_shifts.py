"""A shift of the reading that is on the screen is named, and one click searches across it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from tests.jobs.search.shifts.test_hint import LOST, PROTEIN_OF, gene, without_shifts


@pytest.mark.usefixtures("user_folders", "trusted_engines")
def test_one_click_searches_across_frameshifts(make_window, qtbot):
    result, _ = without_shifts(gene(PROTEIN_OF, [(LOST, -1)]))
    whole, _ = without_shifts(gene(PROTEIN_OF))
    window = make_window()
    window.settings.search.engine = "cpu"
    window.show_result(whole)
    pane = window.results_page.alignment
    button = pane.findChild(QPushButton, "acrossShifts")
    qtbot.waitUntil(lambda: pane.hit is not None)
    assert button.isHidden()
    window.show_result(result)
    qtbot.waitUntil(button.isVisible)
    assert pane.verdict.text().startswith("Probably a frameshift")
    assert button.toolTip() in pane.verdict.toolTip()
    with qtbot.waitSignal(window.controller.result_ready) as ready:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    found = ready.args[0]
    assert found.translation.shift == 15
    assert found.queries[0].query.residues == result.queries[0].query.residues
    qtbot.waitUntil(lambda: window.results_page.result is found and pane.hit is not None)
    assert pane.hit.counts.frameshifts == 1
    assert button.isHidden()
