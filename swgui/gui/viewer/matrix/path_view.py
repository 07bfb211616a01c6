"""The scoring matrix around the current alignment: its path, equally good ones, the others of the pair, a crosshair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QWidget

from swgui.core.control import RunControl, checking
from swgui.core.errors import InvalidParameter
from swgui.core.translation.programs import shifting
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.plots.still import pg
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described, tool_button
from swgui.gui.viewer.map.view import MAX_STRETCH
from swgui.gui.viewer.matrix.path import PathMap, Tile, chains, path_cells, path_map, steps_of
from swgui.gui.viewer.pictures.picture import SeenPicture
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View
from swgui.jobs.search.alternatives import equally_good_cells

QWIDGETSIZE_MAX = (1 << 24) - 1  # Qt's own name, which PySide does not have
MIN_WIDTH = 18  # of a plot, in grid units
MOVING = "Wheel zooms, drag moves, click or Enter goes to the residue."
KEY = "results-path"
EQUAL_CELLS = 10_000_000
EQUAL_STEPS = 200_000
# Kovesi's even ramps of blue, from white or from black, and how much of each leaves the path readable.
MAPS = {False: ("CET-L12", 0.92), True: ("CET-L6", 0.75)}
SHADES = 64
_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
FAR = 10  # residues a step goes with Shift


@dataclass(frozen=True, slots=True, eq=False)
class _ScoredPair:
    """A pair, shown by its best alignment, whose matrix was scored; `equal` is None where there is too much to see."""

    shown: ShownHit
    map: PathMap
    equal: list[NDArray[np.int64]] | None

    def describe(self, x: int, y: int) -> str:
        score, step = self.map.score(x - 1, y - 1), self.map.step
        around = f" within {step} × {step} cells" if step > 1 else ""
        ends = "" if score is None else f"; best score that ends here: {score:,}{around}"
        return self.shown.describe_pair(x, y) + ends


class PlotPointer(QObject):
    """Follows the mouse; arrow keys move it by a residue, with Shift by ten, Enter chooses.

    Parameters
    ----------
    plot : PlotWidget
        Query residues from left to right, subject residues from top to bottom, both from 1.
    size : callable
        Returns the lengths of query and subject, or None if nothing is shown.
    """

    moved = Signal(object)  # query and subject residue under the crosshair, None if it is outside
    chosen = Signal(int, int)  # these were clicked, or Enter was pressed

    def __init__(self, plot: pg.PlotWidget, size: Callable[[], tuple[int, int] | None]) -> None:
        super().__init__(plot)
        self._plot = plot
        self._size = size
        self.place: tuple[int, int] | None = None
        self._lines = (pg.InfiniteLine(angle=90), pg.InfiniteLine(angle=0))
        for line in self._lines:
            line.setZValue(10)
            line.hide()
            plot.addItem(line, ignoreBounds=True)
        plot.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        plot.scene().sigMouseMoved.connect(lambda point: self.show_at(self._under(point)))
        plot.scene().sigMouseClicked.connect(self._clicked)
        plot.installEventFilter(self)

    def set_colour(self, colour: str) -> None:
        for line in self._lines:
            line.setPen(pg.mkPen(colour, width=1))

    def show_at(self, place: tuple[int, int] | None) -> None:
        self.place = place
        for line, value in zip(self._lines, place or (0, 0), strict=True):
            line.setVisible(place is not None)
            line.setValue(value)
        self.moved.emit(place)

    def _under(self, scene_point: QPointF) -> tuple[int, int] | None:
        size = self._size()
        if size is None or not self._plot.sceneBoundingRect().contains(scene_point):
            return None
        point = self._plot.getPlotItem().vb.mapSceneToView(scene_point)
        x, y = round(point.x()), round(point.y())
        return (x, y) if 1 <= x <= size[0] and 1 <= y <= size[1] else None

    def _clicked(self, event: MouseClickEvent) -> None:
        cell = self._under(event.scenePos())
        if cell and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(*cell)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        size = self._size()
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and size is not None:
            key = Qt.Key(event.key())
            if key in _STEPS:
                step = FAR if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
                x, y = self.place or self._middle(size)
                right, down = _STEPS[key]
                self.show_at((min(max(x + right * step, 1), size[0]), min(max(y + down * step, 1), size[1])))
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.place is not None:
                self.chosen.emit(*self.place)
                return True
        return super().eventFilter(watched, event)

    def _middle(self, size: tuple[int, int]) -> tuple[int, int]:
        centre = self._plot.getPlotItem().vb.viewRect().center()
        return min(max(round(centre.x()), 1), size[0]), min(max(round(centre.y()), 1), size[1])


class PathView(View):
    """Shows where in the scoring matrix an alignment runs."""

    name, title, tip = "path", "Score matrix", "The path of the alignment through the matrix of scores"
    in_menu = True

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pathView")
        self._tasks = tasks
        self._built = False
        self._ratio = 0.0  # residues of the query for each of the subject, in the part seen
        self._make_plot()
        self._found: list[ShownHit] = []
        self._shown: ShownHit | None = None  # one of those found
        self._wanted: tuple[int, Tile] | None = None
        self._scored: _ScoredPair | None = None
        self._boxes: list[pg.GraphicsObject] = []
        self._labels: list[tuple[pg.TextItem, float, float, float]] = []  # with left, top and bottom of the box
        self.whole_button = tool_button(
            "pathWhole",
            "&Whole matrix",
            "Score and show all of query and subject, not only the part around the alignment",
            self._compute,
            checkable=True,
        )
        self._bar = pg.ColorBarItem(values=(0, 1), interactive=False, width=12)
        self._bar.setToolTip("Best score of an alignment that ends in a cell; shades follow its square root")
        self._equal = pg.PlotCurveItem(connect="finite")
        for item in (self._image, self._equal, self._path):
            self.plot.addItem(item)
        self._bar.setImageItem(self._image, insert_in=self.plot.getPlotItem())
        seen = self.plot.getPlotItem().vb
        for changed in (seen.sigRangeChanged, seen.sigResized):
            changed.connect(lambda *_: self._place_labels())
        in_column(in_row(self.whole_button, (self.note, 1)), in_row((self.plot, 1), 0), spacing=0.5, parent=self)
        self._built = True
        self.restyle()

    def _make_plot(self) -> None:
        name = "Scoring matrix of query and subject with the path of the alignment"
        self.plot = described(pg.PlotWidget(), "pathPlot", accessible=name)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.invertY(True)
        self.plot.getPlotItem().setContentsMargins(0, theme.grid(0.75), theme.grid(0.5), 0)
        self.plot.setLabel("bottom", "Query")
        self.plot.setLabel("left", "Subject")
        self._image = pg.ImageItem(axisOrder="row-major")
        self._path = pg.PlotCurveItem(connect="finite")
        self.note = described(ElidedLabel(), "pathNote")
        theme.set_role(self.note, level="muted")
        self.pointer = PlotPointer(self.plot, lambda: self._scored.shown.lengths if self._scored is not None else None)
        self.pointer.moved.connect(lambda place: self.pointed.emit(self.describe(*place) if place else ""))
        self.pointer.chosen.connect(self._choose)
        self.setFocusProxy(self.plot)

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def map(self) -> PathMap | None:
        return self._scored.map if self._scored is not None else None

    @property
    def equal_lines(self) -> list[NDArray[np.int64]]:
        """Lines of equally good paths where they leave the one shown: arrays of cells, shape (k, 2)."""
        return (self._scored.equal or []) if self._scored is not None else []

    @property
    def boxes(self) -> int:
        return len(self._labels)

    def restyle(self, shades: theme.Colours | None = None) -> None:
        shades = shades or theme.colours(self)
        theme.style_plot(self.plot, shades)
        self.pointer.set_colour(shades.accent)
        self._colour_items(shades)

    def describe(self, x: int, y: int) -> str:
        """Say what meets at a query and a subject residue, both from 1; empty if nothing is shown."""
        return self._scored.describe(x, y).replace("-", "\N{MINUS SIGN}") if self._scored is not None else ""

    def _choose(self, x: int, _y: int) -> None:
        if self._scored is not None:
            self.place_chosen.emit(self._scored.shown.query_number(x))

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        """Show one alignment, and the others on its strand; computed when the view is seen."""
        shown = found[current]
        found = [other for other in found if other.hit.strand == shown.hit.strand]
        if not self._found or found[0].hit is not self._found[0].hit:
            self._stop()
            self._scored = self._wanted = None
            self.pointer.show_at(None)
        self._found, self._shown = list(found), shown
        if self.isVisible():
            self._compute()
            self._draw_lines()

    def clear(self) -> None:
        self.pointer.show_at(None)
        self._stop()
        self._found = []
        self._shown = self._scored = self._wanted = None
        self._image.clear()
        self._path.setData([], [])
        self._equal.setData([], [])
        self._draw_boxes(theme.colours(self))
        self.note.set_text("")

    def _stop(self) -> None:
        self._tasks.drop(KEY)

    def _compute(self) -> None:
        if not self._found or self._shown is None:
            return
        best = self._found[0]
        whole = Tile(0, best.lengths[0], 0, best.lengths[1])
        tile = whole if self.whole_button.isChecked() else Tile.around(self._shown.alignment, *best.lengths)
        self.whole_button.setVisible(Tile.around(best.alignment, *best.lengths) != whole)
        if (id(best.hit), tile) == self._wanted:
            return
        self._wanted = (id(best.hit), tile)
        self._stop()
        self.note.set_text("Scoring the matrix…")
        self._tasks.start(KEY, lambda control: _score(best, tile, control), self._show, self._say_failure)

    def _say_failure(self, error: Exception) -> None:
        self.note.set_text(str(error))

    def _show(self, scored: _ScoredPair) -> None:
        self._scored, best = scored, scored.shown
        tile, step = scored.map.tile, scored.map.step
        rows, columns = scored.map.scores.shape
        self._image.setImage(scored.map.scores, autoLevels=False)
        self._image.setRect(QRectF(tile.query_start + 0.5, tile.subject_start + 0.5, columns * step, rows * step))
        self._bar.setLevels((0, max(1, best.hit.score)))
        width, height = tile.query_end - tile.query_start + 1, tile.subject_end - tile.subject_start + 1
        self.plot.setLabel("bottom", best.query_axis)
        self.plot.setLimits(xMin=0, xMax=best.lengths[0] + 1, yMin=0, yMax=best.lengths[1] + 1)
        self.plot.setRange(QRectF(tile.query_start, tile.subject_start, width, height), padding=0)
        self._ratio = width / height
        self._keep_square()
        self._draw_lines()

    def _keep_square(self) -> None:
        """Let a residue be as wide as it is high, so that a diagonal is one; within reason where lengths differ."""
        box, plot = self.plot.getPlotItem().vb.size(), self.plot
        if not self._ratio or not box.height():
            plot.setMaximumWidth(QWIDGETSIZE_MAX)
            return
        ratio = min(max(self._ratio, 1 / MAX_STRETCH), MAX_STRETCH)
        around = plot.width() - box.width()  # axes and margins
        plot.setMaximumWidth(max(theme.grid(MIN_WIDTH), round(around + ratio * box.height())))

    # -- lines and boxes ---------------------------------------------------------------------------

    def _draw_lines(self) -> None:
        if self._shown is None or self._scored is None:
            return
        cells = path_cells(self._shown.alignment)
        self._path.setData(cells[:, 0], cells[:, 1])
        self._equal.setData(*polyline((line[:, 0], line[:, 1]) for line in self.equal_lines))
        self._draw_boxes(theme.colours(self))
        self._write_note(self._scored)

    def _draw_boxes(self, shades: theme.Colours) -> None:
        for item in self._boxes:
            self.plot.removeItem(item)
        self._boxes, self._labels = [], []
        for other in self._found:
            if other is self._shown:
                continue
            a = other.alignment
            left, right = a.query_start + 0.5, a.query_end + 0.5
            top, bottom = a.subject_start + 0.5, a.subject_end + 0.5
            outline = pg.PlotCurveItem([left, right, right, left, left], [top, top, bottom, bottom, top])
            outline.setPen(theme.plot_pen(self.plot, shades.text, 1.4))
            outline.setZValue(5)
            label = pg.TextItem(f"{other.hit.score:,}", color=shades.text)
            label.setFont(QApplication.font())
            label.setZValue(6)
            self._labels.append((label, left, top, bottom))
            for item in (outline, label):
                self.plot.addItem(item, ignoreBounds=True)
                self._boxes.append(item)
        self._place_labels()

    def _place_labels(self) -> None:
        for label, left, top, bottom in self._labels:
            above = self._has_room_above(top)
            label.setAnchor((0, 1 if above else 0))
            label.setPos(left, top if above else bottom)

    def _has_room_above(self, top: float) -> bool:
        box = self.plot.getPlotItem().vb
        seen = box.viewRect()
        pixels = box.height() * (top - seen.top()) / seen.height() if seen.height() else 0.0
        return bool(pixels > 1.5 * self.fontMetrics().height())

    def _write_note(self, scored: _ScoredPair) -> None:
        step = scored.map.step
        parts = ["Line: the alignment shown"]
        if scored.equal is None:
            parts.append("too many cells to look for equally good ones")
        elif scored.equal:
            parts.append("dashes: equally good alternatives")
        else:
            parts.append("no other is as good")
        if self.boxes:
            parts.append("boxes: the other alignments, with their scores")
        if step > 1:
            parts.append(f"a dot stands for {step} × {step} cells, the best of them")
        self.note.set_text(f"{'; '.join(parts)}. {MOVING}")

    def caption(self) -> str:
        return f"Scoring matrix. {self.note.whole_text().removesuffix(MOVING).rstrip()}"

    def figure(self) -> SeenPicture | None:
        if self._scored is None:
            return None
        hit, plot = self._scored.shown.hit, self.plot

        def draw(painter: QPainter) -> None:
            shades = theme.colours(self)
            self.restyle(theme.LIGHT)
            try:
                plot.render(painter, QRectF(0, 0, plot.width(), plot.height()), plot.viewport().rect())
            finally:
                self.restyle(shades)

        return SeenPicture("path.svg", plot, (hit.query_record.header, hit.subject.header, self.caption()), draw)

    def _colour_items(self, shades: theme.Colours) -> None:
        # The square root of the score: weak alignments beside a strong one stay visible.
        name, share = MAPS[shades.dark]
        even = pg.colormap.get(name)
        stops = np.linspace(0, 1, SHADES)
        self._bar.setColorMap(pg.ColorMap(stops, even.map(np.sqrt(stops) * share, mode="byte")))
        self._bar.getAxis("right").setLabel("Best score")
        theme.style_bar(self._bar, shades)
        self._path.setPen(theme.plot_pen(self.plot, shades.series[1], 2))
        self._equal.setPen(theme.plot_pen(self.plot, shades.series[2], 2, style=Qt.PenStyle.DashLine))
        self._draw_boxes(shades)

    # -- Qt's events -------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._compute()
        self._draw_lines()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self, self._keep_square)  # once the plot has its new height

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if self._built and event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.restyle()


def polyline(
    parts: Iterable[tuple[NDArray[np.generic], NDArray[np.generic]]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Join lines into one with breaks, for a curve with ``connect="finite"``.

    Returns
    -------
    x, y : ndarray, shape=(n,), dtype=float64
        With a NaN behind each line.
    """
    gap = np.full(1, np.nan)
    columns: tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]] = ([np.zeros(0)], [np.zeros(0)])
    for part in parts:
        for column, values in zip(columns, part, strict=True):
            column += [values.astype(np.float64), gap]
    return np.concatenate(columns[0]), np.concatenate(columns[1])


def _score(best: ShownHit, tile: Tile, control: RunControl) -> _ScoredPair:
    check = checking(control, "Scoring the matrix was stopped.")
    if shifting(best.result.translation):
        raise InvalidParameter(
            "matrix", best.hit.subject.id, "The scoring matrix is not drawn where the reading may shift."
        )
    subject = best.result.searched.subject(best.hit.db_index, best.hit.strand)
    made = path_map(best.hit.query, subject, best.scheme, tile, check=check)
    check()
    steps = equally_good_cells(best.result, best.hit, most_cells=EQUAL_CELLS, most_steps=EQUAL_STEPS)
    if steps is None:
        return _ScoredPair(best, made, None)
    shown = steps_of(path_cells(best.alignment))
    return _ScoredPair(best, made, chains(step for step in map(tuple, steps.tolist()) if step not in shown))
