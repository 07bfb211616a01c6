"""The scoring matrix around the current alignment: its path, equally good ones, the next best of the pair."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from swgui.core.errors import Stopped
from swgui.core.hits.results import Hit, SearchResult
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.viewer.matrix.path import PathMap, Tile, chains, path_cells, path_map, steps_of
from swgui.gui.viewer.matrix.plot_view import MOVING, PairPlotView
from swgui.jobs.search.alternatives import equally_good_cells, next_hit

KEY, OTHERS_KEY = "results-path", "results-path-others"
OTHERS = 3  # next best alignments looked for by itself
OTHERS_CELLS = 100_000_000  # in larger pairs only on request: each takes seconds
EQUAL_CELLS = 10_000_000
EQUAL_STEPS = 200_000
# Kovesi's even ramps of blue, from white or from black, and how much of each leaves the path readable.
MAPS = {False: ("CET-L12", 0.92), True: ("CET-L6", 0.75)}
SHADES = 64


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """What a worker computes for a pair; `equal` is None where there is too much to look at."""

    map: PathMap
    equal: list[NDArray[np.int64]] | None


class PathView(PairPlotView):
    """Shows where in the scoring matrix an alignment runs.

    Signals
    -------
    others_found(object)
        List of further hits of the pair: alignments that share no aligned residues, best first.
    """

    others_found = Signal(object)

    def __init__(self, jobs: ShortJobs, parent: QWidget | None = None) -> None:
        super().__init__(jobs, "Scoring matrix of query and subject with the path of the alignment", 0.5, parent)
        self.setObjectName("pathView")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.plot.setObjectName("pathPlot")
        self._result: SearchResult | None = None
        self._query_index = 0
        self._found: list[Hit] = []
        self._wanted: tuple[int, Tile] | None = None
        self._made: _Made | None = None
        self._cancel: threading.Event | None = None
        self._boxes: list[pg.GraphicsObject] = []
        self._labels: list[tuple[pg.TextItem, float, float, float]] = []  # with left, top and bottom of the box

        self.whole_button = QToolButton()
        self.whole_button.setObjectName("pathWhole")
        self.whole_button.setText("&Whole matrix")
        self.whole_button.setCheckable(True)
        self.whole_button.setToolTip("Score and show all of query and subject, not only the part around the alignment")
        self.whole_button.toggled.connect(self._compute)
        self.note = ElidedLabel()
        self.note.setObjectName("pathNote")
        theme.set_role(self.note, level="muted")

        self._image = pg.ImageItem(axisOrder="row-major")
        self._bar = pg.ColorBarItem(values=(0, 1), interactive=False, width=12)
        self._bar.setToolTip("Best score of an alignment that ends in a cell; shades follow its square root")
        self._equal = pg.PlotCurveItem(connect="finite")
        self._path = pg.PlotCurveItem(connect="finite")
        for item in (self._image, self._equal, self._path):
            self.plot.addItem(item)
        self._bar.setImageItem(self._image, insert_in=self.plot.getPlotItem())
        seen = self.plot.getPlotItem().vb
        seen.sigRangeChanged.connect(lambda *_: self._place_labels())
        seen.sigResized.connect(lambda *_: self._place_labels())

        bar = QHBoxLayout()
        theme.arrange(bar, spacing=1)
        bar.addWidget(self.whole_button)
        bar.addWidget(self.note, 1)
        layout = QVBoxLayout(self)
        theme.arrange(layout, 0, 0.5)
        layout.addLayout(bar)
        layout.addWidget(self.plot, 1)
        self.built = True
        self.restyle()

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def map(self) -> PathMap | None:
        """The part of the matrix shown."""
        return self._made.map if self._made else None

    @property
    def equal_lines(self) -> list[NDArray[np.int64]]:
        """Lines of equally good paths where they leave the one shown."""
        return self._made.equal or [] if self._made else []

    @property
    def boxes(self) -> int:
        """How many other alignments are outlined."""
        return len(self._boxes) // 2

    def show_pair(self, result: SearchResult, query_index: int, found: Sequence[Hit], shown: Hit) -> None:
        """Show a pair; computed when the view is seen.

        Parameters
        ----------
        found : sequence of Hit
            Alignments of the pair known so far, the best one first.
        shown : Hit
            One of them: the one whose path is drawn.
        """
        if not self._found or found[0] is not self._found[0]:
            self._stop()
            self._made = self._wanted = None
            self.pointer.show_at(None)
        self._result, self._query_index, self._found, self._hit = result, query_index, list(found), shown
        if self.isVisible():
            self._compute()
            self._draw_lines()

    def clear(self) -> None:
        """Show nothing."""
        self.pointer.show_at(None)
        self._stop()
        self._found = []
        self._hit = self._made = self._wanted = None
        self._image.clear()
        self._path.setData([], [])
        self._equal.setData([], [])
        self._draw_boxes()
        self.note.set_text("")

    def _stop(self) -> None:
        if self._cancel is not None:
            self._cancel.set()
            self._cancel = None
        self._jobs.drop(KEY)
        self._jobs.drop(OTHERS_KEY)

    def _compute(self) -> None:
        if not self._found:
            return
        hit, result = self._found[0], self._result
        m, n = len(hit.query), len(hit.subject.residues)
        shown = Tile(0, m, 0, n) if self.whole_button.isChecked() else Tile.around(self._hit.alignment, m, n)
        self.whole_button.setVisible(Tile.around(hit.alignment, m, n) != Tile(0, m, 0, n))
        if (id(hit), shown) == self._wanted:
            return
        self._wanted = (id(hit), shown)
        self._stop()
        cancel = self._cancel = threading.Event()
        self.note.set_text("Scoring the matrix…")
        self._jobs.submit(
            KEY,
            lambda: _make(result, hit, shown, cancel),
            lambda made: self._show(hit, made),
            lambda error: None if isinstance(error, Stopped) else self.note.set_text(str(error)),
        )

    def _show(self, hit: Hit, made: _Made) -> None:
        self._made = made
        rows, columns = made.map.scores.shape
        tile, step = made.map.tile, made.map.step
        self._image.setImage(made.map.scores, autoLevels=False)
        self._image.setRect(QRectF(tile.query_start + 0.5, tile.subject_start + 0.5, columns * step, rows * step))
        self._bar.setLevels((0, max(1, hit.score)))
        self.label_query()
        m, n = len(hit.query), len(hit.subject.residues)
        self.plot.setLimits(xMin=0, xMax=m + 1, yMin=0, yMax=n + 1)
        width, height = tile.query_end - tile.query_start + 1, tile.subject_end - tile.subject_start + 1
        self.plot.setRange(QRectF(tile.query_start, tile.subject_start, width, height), padding=0)
        self._draw_lines()
        if len(self._found) == 1 and m * n <= OTHERS_CELLS:
            self._look_for_others(hit)

    def _look_for_others(self, hit: Hit) -> None:
        result, query_index, cancel = self._result, self._query_index, self._cancel
        self._jobs.submit(
            OTHERS_KEY,
            lambda: _others(result, query_index, hit, cancel),
            lambda others: self.others_found.emit(others) if others else None,
            lambda error: None if isinstance(error, Stopped) else self.note.set_text(str(error)),
        )

    def _draw_lines(self) -> None:
        if self._hit is None or self._made is None:
            return
        cells = path_cells(self._hit.alignment)
        self._path.setData(cells[:, 0], cells[:, 1])
        xs, ys = [np.zeros(0)], [np.zeros(0)]
        for line in self.equal_lines:
            xs += [line[:, 0], [np.nan]]
            ys += [line[:, 1], [np.nan]]
        self._equal.setData(np.concatenate(xs), np.concatenate(ys))
        self._draw_boxes()
        self._write_note()

    def _draw_boxes(self, shades: theme.Colours | None = None) -> None:
        for item in self._boxes:
            self.plot.removeItem(item)
        self._boxes, self._labels = [], []
        shades = shades or theme.colours(self)
        for hit in self._found:
            if hit is self._hit:
                continue
            a = hit.alignment
            left, right, top, bottom = (
                a.query_start + 0.5,
                a.query_end + 0.5,
                a.subject_start + 0.5,
                a.subject_end + 0.5,
            )
            outline = pg.PlotCurveItem([left, right, right, left, left], [top, top, bottom, bottom, top])
            outline.setPen(theme.plot_pen(self.plot, shades.text, 1.4))
            outline.setZValue(5)
            label = pg.TextItem(f"{hit.score:,}", color=shades.text)
            label.setFont(QApplication.font())
            label.setZValue(6)
            self._labels.append((label, left, top, bottom))
            for item in (outline, label):
                self.plot.addItem(item, ignoreBounds=True)
                self._boxes.append(item)
        self._place_labels()

    def _place_labels(self) -> None:
        """Write the score of a box above it, or below where it would be cut off."""
        for label, left, top, bottom in self._labels:
            above = self._has_room_above(top)
            label.setAnchor((0, 1 if above else 0))
            label.setPos(left, top if above else bottom)

    def _has_room_above(self, top: float) -> bool:
        """Whether a line of text fits between a box and the upper edge of what is seen."""
        box = self.plot.getPlotItem().vb
        seen = box.viewRect()
        pixels = box.height() * (top - seen.top()) / seen.height() if seen.height() else 0.0
        return pixels > 1.5 * self.fontMetrics().height()

    def _write_note(self) -> None:
        step = self._made.map.step
        parts = ["Line: the alignment shown"]
        if self._made.equal is None:
            parts.append("too many cells to look for equally good ones")
        elif self._made.equal:
            parts.append("dashes: equally good alternatives")
        else:
            parts.append("no other is as good")
        if self.boxes:
            parts.append("boxes: further alignments, with their scores")
        if step > 1:
            parts.append(f"a dot stands for {step} × {step} cells, the best of them")
        self.note.set_text(f"{'; '.join(parts)}. {MOVING}")

    def restyle(self, shades: theme.Colours | None = None) -> None:
        """Take over the colours of the window, or others."""
        shades = shades or theme.colours(self)
        theme.style_plot(self.plot, shades)
        # The square root of the score: weak alignments beside a strong one stay visible.
        name, share = MAPS[shades.dark]
        even = pg.colormap.get(name)
        at = np.linspace(0, 1, SHADES)
        self._bar.setColorMap(pg.ColorMap(at, even.map(np.sqrt(at) * share, mode="byte")))
        axis = self._bar.getAxis("right")
        axis.setPen(pg.mkPen(shades.control))
        axis.setTextPen(shades.muted)
        axis.setTickFont(QApplication.font())
        axis.label.setFont(QApplication.font())
        axis.setLabel("Best score", color=shades.muted)
        self._path.setPen(theme.plot_pen(self.plot, shades.series[1], 2))
        self._equal.setPen(theme.plot_pen(self.plot, shades.series[2], 2, style=Qt.PenStyle.DashLine))
        self.pointer.set_colour(shades.accent)
        self._draw_boxes(shades)

    # -- what the plot is asked --------------------------------------------------------------------

    @property
    def shown(self) -> bool:
        """Whether there is a matrix."""
        return self._hit is not None and self._made is not None

    def caption(self) -> str:
        """Say what is drawn."""
        return f"Scoring matrix. {self.note.whole_text().removesuffix(MOVING).rstrip()}"

    def size_shown(self) -> tuple[int, int] | None:
        """Return the lengths of query and subject."""
        hit = self._hit if self._made is not None else None
        return (len(hit.query), len(hit.subject.residues)) if hit is not None else None

    def describe(self, x: int, y: int) -> str:
        """Say what meets at a query and a subject residue, and the best score that ends there."""
        score = self._made.map.score(x - 1, y - 1)
        around = f" within {self._made.map.step} × {self._made.map.step} cells" if self._made.map.step > 1 else ""
        ends = "" if score is None else f"; best score that ends here: {score:,}{around}"
        return (self.pair_text(x, y, self._result.scheme) + ends).replace("-", "\N{MINUS SIGN}")

    # -- Qt's events -------------------------------------------------------------------------------

    def showEvent(self, event) -> None:
        """Score now what was not scored while hidden."""
        super().showEvent(event)
        self._compute()
        self._draw_lines()


def _make(result: SearchResult, hit: Hit, tile: Tile, cancel: threading.Event) -> _Made:
    def check() -> None:
        if cancel.is_set():
            raise Stopped("Scoring the matrix was stopped.")

    subject = result.database.subject(hit.db_index)
    made = path_map(hit.query, subject, result.scheme, tile, check=check)
    check()
    steps = equally_good_cells(result, hit, most_cells=EQUAL_CELLS, most_steps=EQUAL_STEPS)
    if steps is None:
        return _Made(made, None)
    shown = steps_of(path_cells(hit.alignment))
    return _Made(made, chains(step for step in map(tuple, steps.tolist()) if step not in shown))


def _others(result: SearchResult, query_index: int, hit: Hit, cancel: threading.Event) -> list[Hit]:
    found = [hit]
    while len(found) <= OTHERS:
        other = next_hit(result, query_index, hit, [one.alignment for one in found], cancel)
        if other is None:
            break
        found.append(other)
    return found[1:]
