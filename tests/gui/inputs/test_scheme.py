"""A matrix shown as a table."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton

from swgui.commands.presets import own_presets
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.plain import replace
from swgui.core.scoring import match_mismatch
from swgui.gui.inputs.scheme import MatrixDialog, PresetDialog
from swgui.gui.search.settings import SettingsPanel
from swgui.io.matrices import load_matrix
from swgui.settings import SearchSettings


def test_every_pair_is_shown_and_the_copy_is_read_again(qtbot, theme, qapp, tmp_path):
    matrix = load_matrix("BLOSUM62", PROTEIN)
    dialog = MatrixDialog(matrix)
    qtbot.addWidget(dialog)
    model, letters = dialog.model, PROTEIN.letters
    assert (model.rowCount(), model.columnCount()) == (len(letters), len(letters))
    assert [model.headerData(at, Qt.Orientation.Vertical) for at in range(3)] == list(letters[:3])
    w, c = letters.index("W"), letters.index("C")
    assert (model.index(w, w).data(), model.index(w, c).data()) == ("11", "\N{MINUS SIGN}2")
    assert model.index(w, c).data(Qt.ItemDataRole.ToolTipRole) == "W with C: -2"
    dialog.findChild(QPushButton, "matrixCopy").click()
    copied = tmp_path / "copied.txt"
    copied.write_text(qapp.clipboard().text())
    assert (load_matrix(str(copied), PROTEIN).scores == matrix.scores).all()


def test_the_list_of_matrices_shows_the_one_in_use(qtbot, theme, user_folders, tasks):
    panel = SettingsPanel(SearchSettings(), tasks)
    qtbot.addWidget(panel)
    panel.set_kind("nucleotide")
    qtbot.waitUntil(lambda: panel.scheme is not None and panel.scheme.alphabet is NUCLEOTIDE)
    box = panel.findChild(QComboBox, "matrix")
    box.setCurrentIndex(box.findText("Show as a table…"))
    box.activated.emit(box.currentIndex())
    (dialog,) = panel.window().findChildren(MatrixDialog)
    assert (dialog.model.matrix.scores == match_mismatch(NUCLEOTIDE, 2, -3).scores).all()
    assert box.currentText() == "+2/-3"
    dialog.close()


# Presets of the user: kept, chosen and deleted where settings are made


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
