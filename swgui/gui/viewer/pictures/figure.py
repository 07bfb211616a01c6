"""The whole pair alignment as a picture for a paper, in the colours of a light window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter

from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import Hit
from swgui.gui.viewer.pair import text_form
from swgui.gui.viewer.pair.layout import Kind, PairLayout, block, block_count, ruler
from swgui.gui.viewer.pair.second_track import NO_SECOND, SecondTrack
from swgui.gui.viewer.pictures.sheet import INK, PAPER, QUIET, Sheet, cell_size
from swgui.gui.viewer.residues.coloring import pair_styles
from swgui.gui.viewer.residues.schemes import ColorScheme

MARGIN = 12.0
BLOCK_LINES = 4.6  # ruler, query, match line, subject, and a gap
MAX_COLUMNS = 20_000  # a longer alignment would be a picture nobody can open


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """What a picture shows."""

    hit: Hit
    layout: PairLayout
    scheme: ColorScheme
    columns: int = 60  # columns of a line
    points: float = 9.0  # size of the text of residues
    second: SecondTrack = NO_SECOND  # symbols beside the residues, in rows of their own

    @property
    def title(self) -> str:
        return f"{self.hit.query_record.id} and {self.hit.subject.id}"

    def check(self) -> None:
        """Raise `InvalidParameter` if the alignment is too long for a picture."""
        if len(self.layout) > MAX_COLUMNS:
            raise InvalidParameter(
                "figure",
                len(self.layout),
                f"An alignment of {len(self.layout):,} columns is too long for a picture.",
                hint=f"Up to {MAX_COLUMNS:,} columns can be drawn; select a part and copy it as text instead.",
            )

    # -- geometry, in points -----------------------------------------------------------------------

    @property
    def cell(self) -> QSizeF:
        return cell_size(self.points)

    @property
    def size(self) -> QSizeF:
        cell = self.cell
        lines = block_count(self.layout, self.columns)
        head = (3 + len(text_form.facts(self.hit))) * cell.height()
        shown = min(self.columns, len(self.layout))
        width = self._left() + shown * cell.width() + self._number_width() + 2 * MARGIN
        return QSizeF(max(width, 60 * cell.width()), head + lines * self._block_lines * cell.height() + 2 * MARGIN)

    @property
    def _block_lines(self) -> float:
        return BLOCK_LINES + (2 if self.second else 0)

    def _number_width(self) -> float:
        layout = self.layout
        highest = max(int(layout.query_positions.max(initial=1)), int(layout.subject_positions.max(initial=1)))
        return (len(f"{highest:,}") + 1) * self.cell.width() * 0.82

    def _left(self) -> float:
        return MARGIN + 7 * self.cell.width() + self._number_width() + 6

    # -- drawing -----------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        """Draw the figure; one unit of the painter is a point."""
        sheet = Sheet(painter, self.points, self.scheme)
        names = (self.hit.query_record.header, self.hit.subject.header)
        lines = [*((name, INK) for name in names), *((fact, QUIET) for fact in text_form.facts(self.hit))]
        sheet.head(lines, MARGIN, MARGIN, self.size.width() - 2 * MARGIN)
        y = MARGIN + (len(lines) + 1) * sheet.cell.height()
        styles = pair_styles(self.scheme, self.layout)
        styles[:, self.layout.kinds == Kind.FLANK] = 0
        for index in range(block_count(self.layout, self.columns)):
            self._draw_block(sheet, styles, index, y)
            y += self._block_lines * sheet.cell.height()

    def _draw_block(self, sheet: Sheet, styles: NDArray[np.uint8], index: int, top: float) -> None:
        layout, cell, left = self.layout, sheet.cell, self._left()
        line = block(layout, self.columns, index)
        columns = slice(line.start, line.stop)
        sheet.ruler(ruler(layout.query_positions[columns]), left, top)
        outside = layout.kinds[columns] == Kind.FLANK
        none, all_quiet = np.zeros(len(outside), dtype=np.uint8), np.ones(len(outside), dtype=bool)
        right = left + len(outside) * cell.width() + 6
        if self.second:
            for side, row in enumerate((1, 5)):
                y = top + row * cell.height()
                sheet.write(sheet.words, QUIET, QRectF(MARGIN, y, 80, cell.height()), self.second.name)
                sheet.symbols(self.second.rows[side, columns], partial(self.second.fill_of, ground=PAPER), left, y)
            top += cell.height()
        for row, name, symbols, fills, quiet, first, last in (
            (1, "Query", layout.query, styles[0, columns], outside, line.query_first, line.query_last),
            (2, "", layout.match, none, all_quiet, 0, 0),
            (3, "Subject", layout.subject, styles[1, columns], outside, line.subject_first, line.subject_last),
        ):
            y = top + row * cell.height()
            sheet.write(sheet.words, INK, QRectF(MARGIN, y, 80, cell.height()), name)
            if first:
                place = QRectF(left - 66, y, 60, cell.height())
                sheet.write(sheet.numbers, QUIET, place, f"{first:,}", Qt.AlignmentFlag.AlignRight)
                sheet.write(sheet.numbers, QUIET, QRectF(right, y, 80, cell.height()), f"{last:,}")
            sheet.residues(symbols[columns], fills, quiet, left, y)
