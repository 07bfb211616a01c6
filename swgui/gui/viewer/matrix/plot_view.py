"""What the plots of a pair have in common: query against subject, a crosshair, pictures, and following the theme."""

from __future__ import annotations

from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from swgui.core.hits.results import Hit
from swgui.gui.kit import theme
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.viewer.matrix.figure import plot_picture, save_plot
from swgui.gui.viewer.matrix.pointer import PlotPointer

MOVING = "Wheel zooms, drag moves, click or Enter goes to the residue."


class PairPlotView(QWidget):
    """A plot with the query from left to right and the subject from top to bottom.

    Subclasses override `size`, `describe`, `caption` and `restyle`, and say with `shown` whether there is something
    to see.

    Signals
    -------
    pointed(str)
        What is under the crosshair.
    place_chosen(int)
        Number of a query residue (as the user wrote the query) that was clicked.
    message(str)
        Something to say in the window's status line.
    left()
        Escape was pressed.
    """

    pointed = Signal(str)
    place_chosen = Signal(int)
    message = Signal(str)
    left = Signal()

    def __init__(self, jobs: ShortJobs, name: str, right_margin: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._hit: Hit | None = None
        self.plot = pg.PlotWidget()
        self.plot.setAccessibleName(name)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.invertY(True)
        self.plot.getPlotItem().setContentsMargins(0, theme.grid(0.75), theme.grid(right_margin), 0)
        self.plot.setLabel("bottom", "Query")
        self.plot.setLabel("left", "Subject")
        self.pointer = PlotPointer(self.plot, self.size_shown)
        self.pointer.moved.connect(lambda found: self.pointed.emit(self.describe(*found) if found else ""))
        self.pointer.chosen.connect(lambda x, _y: self.place_chosen.emit(self.shown_position(x)))
        self.setFocusProxy(self.plot)

    @property
    def shown(self) -> bool:
        """Whether there is something to see."""
        raise NotImplementedError

    def size_shown(self) -> tuple[int, int] | None:
        """Return the lengths of query and subject, None if nothing is shown."""
        raise NotImplementedError

    def describe(self, x: int, y: int) -> str:
        """Say what meets at a query and a subject residue."""
        raise NotImplementedError

    def caption(self) -> str:
        """Say what the plot shows, for pictures."""
        raise NotImplementedError

    def restyle(self, shades: theme.Colours | None = None) -> None:
        """Take over the colours of the window, or others."""
        raise NotImplementedError

    def label_query(self) -> None:
        """Say below the plot which strand of the query is shown."""
        self.plot.setLabel("bottom", "Query, reverse complement" if self._hit.strand < 0 else "Query")

    def shown_position(self, x: int) -> int:
        """Return the number of a query residue as the user wrote the query."""
        return x if self._hit.strand > 0 else len(self._hit.query) + 1 - x

    def pair_text(self, x: int, y: int, scheme) -> str:
        """Name the residues that meet at a query and a subject residue, and their matrix value."""
        q = chr(scheme.alphabet.decode(self._hit.query.codes[x - 1 : x])[0])
        s = chr(self._hit.subject.residues[y - 1])
        return f"Q {self.shown_position(x):,} {q} : S {y:,} {s}, {scheme.matrix.score(q, s):+d}"

    def save_figure(self, path: Path) -> None:
        """Write the part seen as a picture; the ending of the name decides the format."""
        if self.shown:
            save_plot(self, self._jobs, self._hit, path, self.caption())

    def picture(self) -> QImage | None:
        """Return the part seen as a picture; None if nothing is shown."""
        return plot_picture(self, self._hit, self.caption()) if self.shown else None

    def keyPressEvent(self, event) -> None:
        """Go back to the table with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event) -> None:
        """Take over new colours."""
        super().changeEvent(event)
        styled = event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange)
        if styled and getattr(self, "built", False):
            self.restyle()

    built = False  # True once a subclass has made all its parts
