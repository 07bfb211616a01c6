"""The scoring matrix around the current alignment: its path, equally good ones, the others of the pair."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from swgui.core.control import RunControl, checking
from swgui.core.errors import InvalidParameter
from swgui.core.translation.programs import shifting
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import Colours
from swgui.gui.kit.widgets import tool_button
from swgui.gui.viewer.map.geometry import Frame, MapData
from swgui.gui.viewer.matrix.on_map import DARKEST, MOVING, Cells, MapView
from swgui.gui.viewer.matrix.path import PathMap, Tile, chains, path_cells, path_map, steps_of
from swgui.gui.viewer.shown import ShownHit
from swgui.jobs.search.alternatives import equally_good_cells

EQUAL_CELLS = 10_000_000
EQUAL_STEPS = 200_000
STRONGEST = 0.6  # how opaque the shade of the best score is: paths stay readable on it


@dataclass(frozen=True, slots=True, eq=False)
class _ScoredHit:
    """A pair, shown by its best alignment, whose matrix was scored; `equal` is None where there is too much to see."""

    shown: ShownHit
    map: PathMap
    equal: list[NDArray[np.int64]] | None

    def describe(self, x: int, y: int) -> str:
        score, step = self.map.score(x - 1, y - 1), self.map.step
        around = f" within {step} × {step} cells" if step > 1 else ""
        ends = "" if score is None else f"; best score that ends here: {score:,}{around}"
        return self.shown.describe_residues(x, y) + ends


class _Scores(Cells):
    """Paints the best scores, and equally good paths dashed."""

    def __init__(self, data: MapData, *, with_paths: bool) -> None:
        super().__init__(data, with_paths=with_paths)
        self.best = 1
        self.equal: list[NDArray[np.int64]] = []
        # The square root of the score: weak alignments stay visible next to a strong one.
        self.shade = lambda scores: np.rint(DARKEST * np.sqrt(np.minimum(scores, self.best) / self.best)).astype(int)
        self.ramp = _ramp

    def show(self, scored: _ScoredHit) -> None:
        tile = scored.map.tile
        self.scores, self.step, self.corner = scored.map.scores, scored.map.step, (tile.query_start, tile.subject_start)
        self.best, self.equal = max(1, scored.shown.hit.score), scored.equal or []

    def paint(self, painter: QPainter, frame: Frame, shades: Colours, strand: int) -> None:
        super().paint(painter, frame, shades, strand)
        painter.save()
        painter.setClipRect(frame.rect)
        painter.setPen(QPen(QColor(shades.series[2]), 2, Qt.PenStyle.DashLine))
        for line in self.equal:
            painter.drawPolyline(QPolygonF([frame.point(x, y) for x, y in line.tolist()]))
        painter.restore()


def _ramp(shades: Colours) -> list[QColor]:
    """Return shades from nothing to the strongest."""
    made = [QColor(shades.accent) for _ in range(DARKEST + 1)]
    for number, colour in enumerate(made):
        colour.setAlphaF(STRONGEST * number / DARKEST)
    return made


class PathView(MapView[_ScoredHit, _Scores]):
    """Shows where in the scoring matrix an alignment runs."""

    name, title, tip = "path", "Score matrix", "The path of the alignment through the matrix of scores"
    in_menu = True
    cells_of = _Scores

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        accessible = "Scoring matrix of query and subject with the path of the alignment"
        super().__init__(tasks, "path", accessible, parent)
        self._wanted: Tile | None = None
        tip = "Score and show all of query and subject, not only the part around the alignment"
        self.whole_button = tool_button("pathWhole", "&Whole matrix", tip, self.compute, checkable=True)
        in_column(in_row(self.whole_button, (self.note, 1)), (self.map, 1), spacing=0.5, parent=self)

    @property
    def scored(self) -> PathMap | None:
        return self._computed.map if self._computed is not None else None

    @property
    def equal_lines(self) -> list[NDArray[np.int64]]:
        """Lines of equally good paths where they leave the one shown: arrays of cells, shape (k, 2)."""
        return (self._computed.equal or []) if self._computed is not None else []

    def forget(self) -> None:
        self._wanted = None

    def compute(self) -> None:
        shown = self._shown
        if shown is None:
            return
        best = next(other for other in self._found if other.hit.strand == shown.hit.strand)
        whole = Tile(0, best.lengths[0], 0, best.lengths[1])
        tile = whole if self.whole_button.isChecked() else Tile.around(shown.alignment, *best.lengths)
        self.whole_button.setVisible(Tile.around(best.alignment, *best.lengths) != whole)
        if tile == self._wanted:
            return
        self._wanted = tile
        self._tasks.drop(self._key)
        self.note.set_text("Scoring the matrix…")
        self._tasks.start(self._key, lambda control: _score(best, tile, control), self._show, self._say_failure)

    def _say_failure(self, error: Exception) -> None:
        self.note.set_text(str(error))

    def _show(self, scored: _ScoredHit) -> None:
        if not self.is_of_shown(scored) or self._cells is None:
            return
        self._computed, tile = scored, scored.map.tile
        self._cells.show(scored)
        if tile == Tile(0, scored.shown.lengths[0], 0, scored.shown.lengths[1]):
            self.map.show_whole()
        else:
            self.map.show_part((tile.query_start, tile.query_end), (tile.subject_start, tile.subject_end))
        self.map.refresh()
        self.tell()

    def tell(self) -> None:
        scored = self._computed
        if scored is None:
            return
        step = scored.map.step
        parts = [f"Shades: best score of an alignment that ends in a cell, up to {scored.shown.hit.score:,}"]
        if scored.equal is None:
            parts.append("too many cells to look for equally good alignments")
        else:
            parts.append("dashes: equally good alternatives" if scored.equal else "no other is as good")
        if len(self._found) > 1:
            parts.append("thin lines: the other alignments")
        if step > 1:
            parts.append(f"a dot shows the best of {step} × {step} cells")
        self.note.set_text(f"{'; '.join(parts)}. {MOVING}")

    def caption(self) -> str:
        return f"Scoring matrix. {self.note.whole_text().removesuffix(MOVING).rstrip()}"


def _score(best: ShownHit, tile: Tile, control: RunControl) -> _ScoredHit:
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
        return _ScoredHit(best, made, None)
    shown = steps_of(path_cells(best.alignment))
    return _ScoredHit(best, made, chains(step for step in map(tuple, steps.tolist()) if step not in shown))
