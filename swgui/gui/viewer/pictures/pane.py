"""What is looked at as a picture: to the clipboard, or to a PNG, SVG or PDF file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication, QImage

from swgui.core.errors import InvalidParameter
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.viewer.pictures.dialog import FigureDialog
from swgui.gui.viewer.pictures.figure import Figure
from swgui.gui.viewer.pictures.picture import image_of, save_picture
from swgui.gui.viewer.stacked.figure import StackFigure

PLOTS = {"dots": "dot_plot.svg", "path": "path.svg"}  # views saved as they are seen, and the name of their file
KINDS = "Vector graphics (*.svg);;PDF (*.pdf);;Picture (*.png)"


class PanePictures(QObject):
    """Draws an alignment or a stack whole, in the colours chosen, and a plot as it is seen.

    Parameters
    ----------
    pane : AlignmentPane
    jobs : ShortJobs
    """

    def __init__(self, pane, jobs: ShortJobs) -> None:
        super().__init__(pane)
        self._pane = pane
        self._jobs = jobs

    def copy(self) -> None:
        """Copy what is looked at as a picture."""
        if self._pane.mode in PLOTS:
            self._to_clipboard(self._pane.plot_view.picture())
        else:
            self._with_figure(
                lambda figure: self._jobs.submit(
                    "results-figure", lambda: image_of(figure), self._to_clipboard, self._failed
                )
            )

    def save_as(self) -> FigureDialog | None:
        """Ask how a figure is to look and where to write it; for a plot only where."""
        if self._pane.mode in PLOTS:
            if path := self._ask_path(PLOTS[self._pane.mode]):
                self.save(path)
            return None
        opened: list[FigureDialog] = []
        self._with_figure(lambda figure: opened.append(self._ask(figure)))
        return opened[0] if opened else None

    def save(self, path: Path) -> None:
        """Write what is looked at; the ending of the name decides the format."""
        if self._pane.mode in PLOTS:
            self._pane.plot_view.save_figure(path)
        else:
            self._with_figure(lambda figure: self._write(figure, path))

    def _with_figure(self, use: Callable[[Figure | StackFigure], object]) -> None:
        try:
            figure = self._figure()
        except InvalidParameter as error:
            self._failed(error)
            return
        if figure is not None:
            use(figure)

    def _figure(self) -> Figure | StackFigure | None:
        pane = self._pane
        if pane.mode == "stacked":
            stack, data = pane.stacked.stack, pane.stacked.data
            if stack is None or data is None or not len(stack):
                return None
            return StackFigure.of(stack, data, pane.stacked.scheme, data.result.scheme)
        layout, hit = pane.pair.alignment_layout, pane.hit
        return Figure(hit, layout, pane.pair.scheme) if layout is not None and hit is not None else None

    def _ask(self, figure: Figure | StackFigure) -> FigureDialog:
        dialog = FigureDialog(figure, self._pane)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.wanted.connect(self._ask_and_write)
        dialog.open()
        return dialog

    def _ask_and_write(self, figure: Figure | StackFigure) -> None:
        name = "stack.svg" if isinstance(figure, StackFigure) else "alignment.svg"
        if path := self._ask_path(name):
            self._write(figure, path)

    def _ask_path(self, name: str) -> Path | None:
        return ask_save_path(self._pane, "Save a figure", name, KINDS, self._failed, complete=_with_ending)

    def _write(self, figure: Figure | StackFigure, path: Path) -> None:
        self._jobs.submit(
            "results-figure",
            lambda: save_picture(figure, path),
            lambda written: self._pane.message.emit(f"Figure written to {written}."),
            self._failed,
        )

    def _to_clipboard(self, picture: QImage | None) -> None:
        if picture is not None:
            QGuiApplication.clipboard().setImage(picture)
            self._pane.message.emit(f"Picture of {picture.width():,} × {picture.height():,} pixels copied.")

    def _failed(self, error: Exception) -> None:
        self._pane.message.emit(str(error))


def _with_ending(name: str, kind: str) -> Path:
    """Return the path, with the ending of the kind if the name has none."""
    return Path(name if Path(name).suffix else name + kind.partition("*")[2].rstrip(")"))
