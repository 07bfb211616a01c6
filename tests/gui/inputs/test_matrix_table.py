"""A matrix shown as a table."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPushButton

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.scoring import match_mismatch
from swgui.gui.inputs.scheme import MatrixDialog
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
