"""Presets of the user: kept, chosen and deleted where settings are made."""

import pytest
from PySide6.QtWidgets import QComboBox, QLabel

from swgui.commands.presets import own_presets
from swgui.core.plain import replace
from swgui.gui.inputs.scheme import PresetDialog
from swgui.gui.search.settings import SettingsPanel
from swgui.settings import SearchSettings


@pytest.fixture
def panel(qtbot, theme, user_folders, tasks):
    panel = SettingsPanel(SearchSettings(), tasks)
    qtbot.addWidget(panel)
    qtbot.waitUntil(lambda: panel.scheme is not None)
    return panel


def choose(panel, text):
    box = panel.findChild(QComboBox, "preset")
    box.setCurrentIndex(box.findText(text))
    box.activated.emit(box.currentIndex())


def titles(panel):
    box = panel.findChild(QComboBox, "preset")
    return [box.itemText(at) for at in range(box.count()) if box.itemText(at)]


def answer(monkeypatch, *names):
    """Type one name after another until the dialog takes one; return the problems it showed."""
    problems = []

    def open_(dialog):
        kept = []
        dialog.kept.connect(kept.append)
        for name in names:
            dialog.name.setText(name)
            dialog.accept()
            if kept:
                return
            problems.append(dialog.problem.text())

    monkeypatch.setattr(PresetDialog, "open", open_)
    return problems


def test_settings_are_kept_under_a_name_and_come_back(panel, qtbot, monkeypatch):
    panel.values.gap_open = 13
    panel.change(replace(panel.search, max_hsps=7))
    panel.fill()
    problems = answer(monkeypatch, "", "distant", "Mine")
    choose(panel, "Save as preset…")
    assert ["needs a name" in problems[0], "of the program" in problems[1]] == [True, True]
    assert [one.id for one in own_presets()] == ["Mine"]
    assert panel.values.preset == "Mine"
    assert titles(panel)[-3:] == ["Mine", "Save as preset…", "Delete this preset"]
    choose(panel, "Default protein")
    assert (panel.values.gap_open, panel.search.max_hsps) == (11, 100), "a preset says everything"
    assert "Delete this preset" not in titles(panel)
    panel.change(replace(panel.search, max_hsps=1))
    choose(panel, "Mine")
    assert (panel.values.gap_open, panel.search.max_hsps) == (13, 7)
    choose(panel, "Delete this preset")
    assert own_presets() == ()
    assert panel.values.gap_open == 13
    assert "Mine" not in titles(panel)
    assert panel.findChild(QComboBox, "preset").currentText() == "Default protein (changed)"


def test_who_thinks_better_of_it_keeps_nothing(panel, monkeypatch):
    answer(monkeypatch)
    choose(panel, "Save as preset…")
    assert own_presets() == ()
    assert panel.findChild(QComboBox, "preset").currentText() == "Default protein"
    assert panel.findChild(QLabel, "presetNote").text() == "The usual choice for proteins."
