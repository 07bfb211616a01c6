"""What is looked at as a picture: to the clipboard, or to a PNG, SVG or PDF file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QSizeF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QDialog, QWidget

from swgui.core.errors import InvalidParameter
from swgui.gui.kit.layouts import in_form, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import decimal_box, push_button, spin_box, text_label
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.pictures.picture import PNG_SCALE, POINTS_TO_MM, image_of, save_picture
from swgui.gui.viewer.stacked.figure import StackFigure
from swgui.gui.viewer.view import View
from swgui.io.whole_file import save_bytes

KINDS = "Vector graphics (*.svg);;PDF (*.pdf);;Picture (*.png)"

Drawn = Figure | StackFigure | View


class FigureDialog(QDialog):
    """Asks for the size of a figure."""

    wanted = Signal(object)  # the `Figure` or `StackFigure` to save

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


class PanePictures(QObject):
    """Draws an alignment or a stack whole, in the colours chosen, and a plot as it is seen.

    Parameters
    ----------
    parent : QWidget
        Of the dialogs.
    drawn : callable
        Returns what is looked at: a figure of it, or the plot; None if there is nothing. May raise
        `InvalidParameter` if it is too large to be a picture.
    """

    message = Signal(str)  # what was done, or why not

    def __init__(self, parent: QWidget, tasks: Tasks, drawn: Callable[[], Drawn | None]) -> None:
        super().__init__(parent)
        self._parent = parent
        self._tasks = tasks
        self._looked_at = drawn

    def copy(self) -> None:
        drawn = self._drawn()
        if isinstance(drawn, View):
            content = drawn.picture(".png")
            self._to_clipboard(None if content is None else QImage.fromData(content))
        elif drawn is not None:
            self._tasks.submit("results-figure", lambda: image_of(drawn), self._to_clipboard, self._failed)

    def save_as(self) -> FigureDialog | None:
        """Ask how a figure is to look and where to write it; for a plot only where."""
        drawn = self._drawn()
        if isinstance(drawn, View):
            if path := self._ask_path(drawn.file_name):
                self._write_seen(drawn, path)
        elif drawn is not None:
            return self._ask(drawn)
        return None

    def save(self, path: Path) -> None:
        """Write what is looked at; the ending of the name decides the format."""
        drawn = self._drawn()
        if isinstance(drawn, View):
            self._write_seen(drawn, path)
        elif drawn is not None:
            self._write(drawn, path)

    def _drawn(self) -> Drawn | None:
        try:
            return self._looked_at()
        except InvalidParameter as error:
            self._failed(error)
            return None

    def _ask(self, figure: Figure | StackFigure) -> FigureDialog:
        dialog = FigureDialog(figure, self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.wanted.connect(self._ask_and_write)
        dialog.open()
        return dialog

    def _ask_and_write(self, figure: Figure | StackFigure) -> None:
        name = "stack.svg" if isinstance(figure, StackFigure) else "alignment.svg"
        if path := self._ask_path(name):
            self._write(figure, path)

    def _ask_path(self, name: str) -> Path | None:
        return ask_save_path(self._parent, "Save a figure", name, KINDS, self._failed, complete=_with_ending)

    def _write(self, figure: Figure | StackFigure, path: Path) -> None:
        self._submit(path, lambda: save_picture(figure, path))

    def _write_seen(self, plot: View, path: Path) -> None:
        try:
            content = plot.picture(path.suffix)
        except InvalidParameter as error:
            self._failed(error)
            return
        if content is not None:
            self._submit(path, lambda: save_bytes(path, lambda file: file.write(content)))

    def _submit(self, path: Path, write: Callable[[], object]) -> None:
        said = f"Figure written to {path}."
        self._tasks.submit("results-figure", write, lambda _done: self.message.emit(said), self._failed)

    def _to_clipboard(self, picture: QImage | None) -> None:
        if picture is not None:
            QGuiApplication.clipboard().setImage(picture)
            self.message.emit(f"Picture of {picture.width():,} × {picture.height():,} pixels copied.")

    def _failed(self, error: Exception) -> None:
        self.message.emit(str(error))


def _with_ending(name: str, kind: str) -> Path:
    return Path(name if Path(name).suffix else name + kind.partition("*")[2].rstrip(")"))
