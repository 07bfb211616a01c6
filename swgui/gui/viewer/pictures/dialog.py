"""How the figure of an alignment or a stack is to look: columns in a line and size of the text."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSizeF, Signal
from PySide6.QtWidgets import QDialog, QWidget

from swgui.gui.kit.layouts import in_form, in_row
from swgui.gui.kit.widgets import decimal_box, push_button, spin_box, text_label
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
        self.columns = spin_box("figureColumns", (20, 500), figure.columns, does=self._tell_size, step=10)
        self.points = decimal_box("figurePoints", (4, 36), figure.points, does=self._tell_size, suffix=" pt")
        self.size_note = text_label(name="figureSize", level="muted")
        self.save_button = push_button("figureSave", "Save…", does=self._save, role="primary", default=True)
        self.cancel_button = push_button("figureCancel", "Cancel", does=self.reject)
        in_form(
            ("&Columns in a line", self.columns),
            ("&Size of the text", self.points),
            ("The picture", self.size_note),
            in_row(1, self.cancel_button, self.save_button),
            margins=2,
            spacing=1.5,
            parent=self,
        )
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
