"""A substitution matrix as a table: what each pair of residues scores."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHeaderView, QTableView, QWidget

from swgui.core.scoring import SubstitutionMatrix
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tables.row_table import Index, PlainHead, Role, RowTable
from swgui.gui.kit.tables.row_view import row_table
from swgui.gui.kit.theme import colours, grid
from swgui.gui.kit.widgets import text_label

CELL, LINE = 3.75, 2.4  # grid units


class MatrixModel(RowTable):
    """The scores of all pairs of symbols; what scores above 0 is tinted, a symbol with itself is bold."""

    def __init__(self, matrix: SubstitutionMatrix) -> None:
        super().__init__()
        self.matrix = matrix
        self.symbols = matrix.alphabet.letters
        self.heads = tuple(PlainHead(symbol, side=Qt.AlignmentFlag.AlignHCenter) for symbol in self.symbols)

    def row_count(self) -> int:
        """Return the number of symbols."""
        return len(self.symbols)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        """Return the symbols, on both sides."""
        if orientation == Qt.Orientation.Vertical:
            return self.symbols[section] if role == Role.DisplayRole else None
        return super().headerData(section, orientation, role)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Return a score and how it looks."""
        row, column = index.row(), index.column()
        score = int(self.matrix.scores[row, column])
        match role:
            case Role.DisplayRole:
                return _signed(score)
            case Role.ToolTipRole:
                return f"{self.symbols[row]} with {self.symbols[column]}: {score}"
            case Role.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignCenter
            case Role.BackgroundRole if score > 0:
                return QColor(colours(QGuiApplication.palette()).accent_soft)
            case Role.ForegroundRole if score <= 0:
                return QColor(colours(QGuiApplication.palette()).muted)
            case Role.FontRole if row == column:
                font = QGuiApplication.font()
                font.setBold(True)
                return font
        return None

    def text(self) -> str:
        """Return the matrix in NCBI's format, which the program reads again."""
        lines = ["   " + " ".join(f"{symbol:>3}" for symbol in self.symbols)]
        for symbol, scores in zip(self.symbols, self.matrix.scores.tolist(), strict=True):
            lines.append(f"{symbol:<3}" + " ".join(f"{score:>3}" for score in scores))
        return "\n".join(lines) + "\n"


class MatrixDialog(QDialog):
    """Shows a matrix, and copies it."""

    def __init__(self, matrix: SubstitutionMatrix, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("matrixDialog")
        self.setWindowTitle(f"Matrix {matrix.name}")
        self.model = MatrixModel(matrix)
        self.model.setParent(self)
        self.view = row_table(QTableView(), "matrixTable", f"Scores of {matrix.name}", self.model)
        self.view.setSelectionBehavior(QTableView.SelectionBehavior.SelectItems)
        self.view.verticalHeader().show()
        for header in (self.view.horizontalHeader(), self.view.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(grid(2))
        self.view.horizontalHeader().setStretchLastSection(False)
        self.view.horizontalHeader().setDefaultSectionSize(grid(CELL))
        self.view.verticalHeader().setDefaultSectionSize(grid(LINE))
        scores = matrix.scores
        ordered = (scores != scores.T).any()
        about = "rows are of the query, columns of the subject" if ordered else "the order of a pair does not matter"
        told = f"Scores from {_signed(scores.min())} to {_signed(scores.max())}; {about}."
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.setObjectName("matrixCopy")
        copy.setToolTip("Copy the matrix as text in NCBI's format")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.model.text()))
        buttons.rejected.connect(self.reject)
        in_column(text_label(told, level="muted"), (self.view, 1), buttons, margins=2, parent=self)
        size = len(self.model.symbols) + 2
        self.resize(grid(min(size * CELL + 2, 120)), grid(min(size * LINE + 11, 84)))


def _signed(score: int) -> str:
    return str(score).replace("-", "\N{MINUS SIGN}")
