"""The whole pair alignment as a picture for a paper, in the colours of a light window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import Hit
from swgui.gui.viewer.pair import text_form
from swgui.gui.viewer.pair.layout import Kind, PairLayout, block, block_count, ruler
from swgui.gui.viewer.pictures.picture import INK, QUIET, fill_runs, picture_fonts, write_text
from swgui.gui.viewer.residues.color_vision import text_on
from swgui.gui.viewer.residues.coloring import pair_styles
from swgui.gui.viewer.residues.schemes import ColorScheme

MAX_COLUMNS = 20_000  # a longer alignment would be a picture nobody can open


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """What a picture shows.

    Parameters
    ----------
    hit : Hit
    layout : PairLayout
    scheme : ColorScheme
    columns : int
        Columns of a line.
    points : float
        Size of the text of residues.
    """

    hit: Hit
    layout: PairLayout
    scheme: ColorScheme
    columns: int = 60
    points: float = 9.0

    @property
    def title(self) -> str:
        """What the picture shows."""
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
        """Size of the cell of a residue."""
        return cell_size(self.points)

    @property
    def size(self) -> QSizeF:
        """Size of the whole picture."""
        cell = self.cell
        lines = block_count(self.layout, self.columns)
        head = (3 + len(text_form.facts(self.hit))) * cell.height()
        shown = min(self.columns, len(self.layout))
        width = self._left() + shown * cell.width() + self._number_width() + 24
        return QSizeF(max(width, 60 * cell.width()), head + lines * 4.6 * cell.height() + 24)

    def _number_width(self) -> float:
        layout = self.layout
        highest = max(int(layout.query_positions.max(initial=1)), int(layout.subject_positions.max(initial=1)))
        return (len(f"{highest:,}") + 1) * self.cell.width() * 0.82

    def _left(self) -> float:
        return 12 + 7 * self.cell.width() + self._number_width() + 6

    # -- drawing -----------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        """Draw the figure; one unit of the painter is a point."""
        fonts = picture_fonts(self.points)
        cell = self.cell
        y = 12.0
        lines = [self.hit.query_record.header, self.hit.subject.header, *text_form.facts(self.hit)]
        width = self.size.width() - 24
        for at, line in enumerate(lines):
            metrics = QFontMetricsF(fonts[2])
            text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, width * 10)
            write_text(painter, fonts[2], INK if at < 2 else QUIET, QRectF(12, y, width, cell.height()), text)
            y += cell.height()
        y += cell.height()
        styles = pair_styles(self.scheme, self.layout)
        for index in range(block_count(self.layout, self.columns)):
            self._draw_block(painter, fonts, styles, index, y)
            y += 4.6 * cell.height()

    def _draw_block(
        self, painter: QPainter, fonts: tuple[QFont, QFont, QFont], styles: NDArray[np.uint8], index: int, top: float
    ) -> None:
        residues, numbers, words = fonts
        layout, cell, left = self.layout, self.cell, self._left()
        line = block(layout, self.columns, index)
        columns = slice(line.start, line.stop)
        right = Qt.AlignmentFlag.AlignRight
        for column, number in ruler(layout.query_positions[columns]):
            x = left + (column + 1) * cell.width()
            write_text(painter, numbers, QUIET, QRectF(x - 60, top, 60, cell.height()), f"{number:,}", right)
        top += cell.height()
        fills = self.scheme.fills(dark=False)
        rows = (
            (0, "Query", layout.query[columns], styles[0, columns], line.query_first, line.query_last),
            (1, "", layout.match[columns], None, 0, 0),
            (2, "Subject", layout.subject[columns], styles[1, columns], line.subject_first, line.subject_last),
        )
        outside = layout.kinds[columns] == Kind.FLANK
        for row, name, text, row_styles, first, last in rows:
            y = top + row * cell.height()
            write_text(painter, words, INK, QRectF(12, y, 80, cell.height()), name)
            if first:
                place = QRectF(left - 66, y, 60, cell.height())
                write_text(painter, numbers, QUIET, place, f"{first:,}", right)
                end = left + len(text) * cell.width() + 6
                write_text(painter, numbers, QUIET, QRectF(end, y, 80, cell.height()), f"{last:,}")
            shown = np.zeros(len(text), dtype=np.uint8) if row_styles is None else np.where(outside, 0, row_styles)
            fill_runs(painter, shown, fills, left, y, cell)
            for column, residue in enumerate(text.tolist()):
                if residue != ord(" "):
                    style = int(shown[column])
                    ink = text_on(fills[style - 1]) if style else QUIET if row == 1 or outside[column] else INK
                    place = QRectF(left + column * cell.width(), y, cell.width(), cell.height())
                    write_text(painter, residues, ink, place, chr(residue), Qt.AlignmentFlag.AlignHCenter)


def cell_size(points: float) -> QSizeF:
    """Return the size of a residue's cell in a picture."""
    metrics = QFontMetricsF(picture_fonts(points)[0])
    return QSizeF(metrics.horizontalAdvance("W") / 10 * 1.04, metrics.height() / 10 * 1.06)
