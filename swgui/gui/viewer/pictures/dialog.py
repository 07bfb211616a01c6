"""How the figure of an alignment or a stack is to look: columns in a line and size of the text."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSizeF, Qt, Signal
from PySide6.QtWidgets import QDialog, QDoubleSpinBox, QFormLayout, QHBoxLayout, QLabel, QPushButton, QSpinBox, QWidget

from swgui.gui.kit import theme
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.pictures.picture import PNG_SCALE, POINTS_TO_MM
from swgui.gui.viewer.stacked.figure import StackFigure


class FigureDialog(QDialog):
    """Asks for the size of a figure.

    Signals
    -------
    wanted(object)
        The `Figure` or `StackFigure` to save.
    """

    wanted = Signal(object)

    def __init__(self, figure: Figure | StackFigure, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("figureDialog")
        self.setWindowTitle("Figure of the stack" if isinstance(figure, StackFigure) else "Figure of the alignment")
        self._figure = figure
        self.columns = QSpinBox()
        self.columns.setObjectName("figureColumns")
        self.columns.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.columns.setRange(20, 500)
        self.columns.setSingleStep(10)
        self.columns.setValue(figure.columns)
        self.points = QDoubleSpinBox()
        self.points.setObjectName("figurePoints")
        self.points.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.points.setRange(4, 36)
        self.points.setDecimals(1)
        self.points.setSuffix(" pt")
        self.points.setValue(figure.points)
        self.size_note = QLabel()
        self.size_note.setObjectName("figureSize")
        theme.set_role(self.size_note, level="muted")
        self.save_button = QPushButton("Save…")
        self.save_button.setObjectName("figureSave")
        self.save_button.setDefault(True)
        theme.set_role(self.save_button, role="primary")
        self.save_button.clicked.connect(self._save)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setObjectName("figureCancel")
        self.cancel_button.clicked.connect(self.reject)
        foot = QHBoxLayout()
        theme.arrange(foot, spacing=1)
        foot.addStretch(1)
        foot.addWidget(self.cancel_button)
        foot.addWidget(self.save_button)
        form = QFormLayout(self)
        theme.arrange(form, 2, 1.5)
        form.addRow("&Columns in a line", self.columns)
        form.addRow("&Size of the text", self.points)
        form.addRow("The picture", self.size_note)
        form.addRow(foot)
        for box in (self.columns, self.points):
            box.valueChanged.connect(self._tell_size)
        self._tell_size()

    def figure(self) -> Figure | StackFigure:
        """Return the figure as chosen."""
        return replace(self._figure, columns=self.columns.value(), points=self.points.value())

    def _tell_size(self) -> None:
        size = self.figure().size
        paper, pixels = size * POINTS_TO_MM, QSizeF(size * PNG_SCALE).toSize()
        self.size_note.setText(
            f"{paper.width():.0f} × {paper.height():.0f} mm; as PNG {pixels.width():,} × {pixels.height():,} pixels"
        )

    def _save(self) -> None:
        self.accept()
        self.wanted.emit(self.figure())
