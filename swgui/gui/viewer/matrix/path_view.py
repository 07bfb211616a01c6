"""The scoring matrix around the current alignment: its path, equally good ones, the others of the pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QWidget

from swgui.core.control import RunControl
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.translation.programs import shifting
from swgui.gui.kit import theme
from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import tool_button
from swgui.gui.viewer.matrix.path import PathMap, Tile, chains, path_cells, path_map, steps_of
from swgui.gui.viewer.matrix.plot_view import MOVING, PairPlotView, polyline
from swgui.gui.viewer.shown import ShownHit
from swgui.jobs.search.alternatives import equally_good_cells

KEY = "results-path"
EQUAL_CELLS = 10_000_000
EQUAL_STEPS = 200_000
# Kovesi's even ramps of blue, from white or from black, and how much of each leaves the path readable.
MAPS = {False: ("CET-L12", 0.92), True: ("CET-L6", 0.75)}
SHADES = 64


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """A pair, shown by its best alignment, whose matrix was scored; `equal` is None where there is too much to see."""

    shown: ShownHit
    map: PathMap
    equal: list[NDArray[np.int64]] | None

    def describe(self, x: int, y: int) -> str:
        score, step = self.map.score(x - 1, y - 1), self.map.step
        around = f" within {step} × {step} cells" if step > 1 else ""
        ends = "" if score is None else f"; best score that ends here: {score:,}{around}"
        return self.shown.describe_pair(x, y) + ends


class PathView(PairPlotView):
    """Shows where in the scoring matrix an alignment runs."""

    name, title, tip = "path", "Path", "The alignment in the scoring matrix"
    file_name = "path.svg"

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        name = "Scoring matrix of query and subject with the path of the alignment"
        super().__init__(tasks, "path", name, 0.5, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._found: list[ShownHit] = []
        self._shown: ShownHit | None = None  # one of those found
        self._wanted: tuple[int, Tile] | None = None
        self._scored: _Scored | None = None
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
        self._finish(self.whole_button)

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def content(self) -> _Scored | None:
        """The pair as it was scored."""
        return self._scored

    @property
    def map(self) -> PathMap | None:
        """The part of the matrix shown."""
        return self._scored.map if self._scored is not None else None

    @property
    def equal_lines(self) -> list[NDArray[np.int64]]:
        """Lines of equally good paths where they leave the one shown: arrays of cells, shape (k, 2)."""
        return (self._scored.equal or []) if self._scored is not None else []

    @property
    def boxes(self) -> int:
        """How many other alignments are outlined."""
        return len(self._labels)

    @property
    def stops(self) -> Sequence[QWidget]:
        """The button, then the plot."""
        return (self.whole_button, self.plot)

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        """Show one alignment, and the others on its strand; computed when the view is seen."""
        shown = found[current]
        found = [each for each in found if each.hit.strand == shown.hit.strand]
        if not self._found or found[0].hit is not self._found[0].hit:
            self._stop()
            self._scored = self._wanted = None
            self.pointer.show_at(None)
        self._found, self._shown = list(found), shown
        if self.isVisible():
            self._compute()
            self._draw_lines()

    def clear(self) -> None:
        """Show nothing."""
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

    def _show(self, scored: _Scored) -> None:
        self._scored, best = scored, scored.shown
        tile, step = scored.map.tile, scored.map.step
        self._show_image(scored.map.scores, step, tile.query_start, tile.subject_start)
        self._bar.setLevels((0, max(1, best.hit.score)))
        width, height = tile.query_end - tile.query_start + 1, tile.subject_end - tile.subject_start + 1
        self._show_range(best, QRectF(tile.query_start, tile.subject_start, width, height))
        self._draw_lines()

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
        return bool(pixels > 1.5 * self.fontMetrics().height())

    def _write_note(self, scored: _Scored) -> None:
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
        """Say what is drawn."""
        return f"Scoring matrix. {self.note.whole_text().removesuffix(MOVING).rstrip()}"

    def _colour_items(self, shades: theme.Colours) -> None:
        # The square root of the score: weak alignments beside a strong one stay visible.
        name, share = MAPS[shades.dark]
        even = pg.colormap.get(name)
        at = np.linspace(0, 1, SHADES)
        self._bar.setColorMap(pg.ColorMap(at, even.map(np.sqrt(at) * share, mode="byte")))
        self._bar.getAxis("right").setLabel("Best score")
        theme.style_bar(self._bar, shades)
        self._path.setPen(theme.plot_pen(self.plot, shades.series[1], 2))
        self._equal.setPen(theme.plot_pen(self.plot, shades.series[2], 2, style=Qt.PenStyle.DashLine))
        self._draw_boxes(shades)

    # -- Qt's events -------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Score now what was not scored while hidden."""
        super().showEvent(event)
        self._compute()
        self._draw_lines()


def _score(best: ShownHit, tile: Tile, control: RunControl) -> _Scored:
    def check() -> None:
        if control.is_set():
            raise Stopped("Scoring the matrix was stopped.")

    if shifting(best.result.translation):
        raise InvalidParameter(
            "matrix", best.hit.subject.id, "The scoring matrix is not drawn where the reading may shift."
        )
    subject = best.result.searched.subject(best.hit.db_index, best.hit.strand)
    made = path_map(best.hit.query, subject, best.scheme, tile, check=check)
    check()
    steps = equally_good_cells(best.result, best.hit, most_cells=EQUAL_CELLS, most_steps=EQUAL_STEPS)
    if steps is None:
        return _Scored(best, made, None)
    shown = steps_of(path_cells(best.alignment))
    return _Scored(best, made, chains(step for step in map(tuple, steps.tolist()) if step not in shown))
