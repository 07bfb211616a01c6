"""The whole pair alignment as a picture for a paper, in the colours of a light window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from swgui.core.errors import InvalidParameter
from swgui.core.hits.table import Hit
from swgui.gui.kit.theme import LIGHT
from swgui.gui.viewer.residues.coloring import row_styles
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.residues.styling import residue_font, text_on
from swgui.gui.viewer.rows import text_form
from swgui.gui.viewer.rows.layout import BLANK, Kind, RowsLayout, block, block_count, ruler
from swgui.gui.viewer.rows.logos import NO_LOGO, SideLogo
from swgui.gui.viewer.rows.second_track import NO_SECOND, SecondTrack

INK, QUIET, PAPER = "#000000", "#5A6472", "#FFFFFF"
ENLARGED = 10  # factor of font sizes, which are whole pixels
MARGIN = 12.0
BLOCK_LINES = 4.6  # ruler, query, match line, subject, and a gap
MAX_COLUMNS = 20_000  # programs could not open the picture of a longer alignment


def cell_size(points: float) -> QSizeF:
    metrics = QFontMetricsF(_enlarged(residue_font(points), points))
    return QSizeF(metrics.horizontalAdvance("W") / ENLARGED * 1.04, metrics.height() / ENLARGED * 1.06)


class Sheet:
    """Draws with one size of text and one colour scheme; all distances are in points."""

    def __init__(self, painter: QPainter, points: float, scheme: ColorScheme) -> None:
        self._painter = painter
        self._fills = scheme.fills(dark=False)
        self._residues = _enlarged(residue_font(points), points)
        self.numbers = _enlarged(residue_font(points), points * 0.8)
        # words, strong, numbers: for names and sentences, for the same in bold, and for numbers; see `write`.
        self.words = _enlarged(QFont(), points)
        self.strong = QFont(self.words)
        self.strong.setBold(True)
        self.cell = cell_size(points)  # of a residue

    def write(
        self,
        font: QFont,
        ink: str,
        place: QRectF,
        text: str,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        cut: Qt.TextElideMode = Qt.TextElideMode.ElideNone,
    ) -> None:
        """Write a line of text into a place with one of the fonts of the sheet, elided as `cut` says."""
        painter, box = self._painter, QRectF(QPointF(0, 0), place.size() * ENLARGED)
        painter.save()
        painter.translate(place.topLeft())
        painter.scale(1 / ENLARGED, 1 / ENLARGED)
        painter.setFont(font)
        painter.setPen(QColor(ink))
        if cut != Qt.TextElideMode.ElideNone:
            text = QFontMetricsF(font).elidedText(text, cut, box.width())
        painter.drawText(box, int(align | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip), text)
        painter.restore()

    def head(self, lines: Iterable[tuple[str, str]], left: float, top: float, width: float) -> None:
        """Write the title of the picture, line by line, each a text and its ink."""
        for index, (line, ink) in enumerate(lines):
            place = QRectF(left, top + index * self.cell.height(), width, self.cell.height())
            self.write(self.words, ink, place, line, cut=Qt.TextElideMode.ElideRight)

    def ruler(self, ticks: Iterable[tuple[int, int]], left: float, top: float) -> None:
        """Write residue numbers above their columns; ticks are pairs of column and number."""
        for column, number in ticks:
            edge = left + (column + 1) * self.cell.width()
            place = QRectF(edge - 60, top, 60, self.cell.height())
            self.write(self.numbers, QUIET, place, f"{number:,}", Qt.AlignmentFlag.AlignRight)

    def residues(
        self,
        symbols: NDArray[np.uint8],
        styles: NDArray[np.uint8],
        quiet: NDArray[np.bool_],
        left: float,
        top: float,
        ink: str = INK,
    ) -> None:
        """Draw a row of residues with their fills.

        Parameters
        ----------
        symbols : ndarray, shape=(k,), dtype=uint8
            ASCII.
        styles : ndarray, shape=(k,), dtype=uint8
            Of the colour scheme, 0 for no fill.
        quiet : ndarray, shape=(k,), dtype=bool
            Residues without a fill that are drawn in muted ink.
        """
        self._fill(styles, left, top)
        cell = self.cell
        for column, symbol in enumerate(symbols.tolist()):
            if symbol != BLANK:
                style = int(styles[column])
                shade = text_on(self._fills[style - 1]) if style else QUIET if quiet[column] else ink
                place = QRectF(left + column * cell.width(), top, cell.width(), cell.height())
                self.write(self._residues, shade, place, chr(symbol), Qt.AlignmentFlag.AlignHCenter)

    def symbols(
        self, symbols: NDArray[np.uint8], fills: Callable[[str], QColor | None], left: float, top: float
    ) -> None:
        """Draw a row of symbols next to residues, ASCII of shape (k,), each on the background that `fills` gives."""
        cell = self.cell
        for column, symbol in enumerate(symbols.tolist()):
            place = QRectF(left + column * cell.width(), top, cell.width(), cell.height())
            if (fill := fills(chr(symbol))) is not None:
                self._painter.fillRect(place, fill)
            self.write(self._residues, INK, place, chr(symbol), Qt.AlignmentFlag.AlignHCenter)

    def logo(self, logo: SideLogo, columns: slice, left: float, top: float, height: float) -> None:
        """Draw the logo of some columns; nothing without one."""
        if not logo:
            return
        area = logo.area(left, top, (columns.stop - columns.start) * self.cell.width(), height)
        logo.paint(self._painter, columns, self.cell.width(), area, LIGHT)
        self.write(self.words, QUIET, QRectF(MARGIN, top, 80, height), logo.name)

    def _fill(self, styles: NDArray[np.uint8], left: float, top: float) -> None:
        """Draw one rectangle for each run of equal fills, so that no seams show between residues."""
        edges = np.flatnonzero(np.diff(styles.astype(np.int16), prepend=-1, append=-1))
        for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            if styles[start]:
                x, width = left + start * self.cell.width(), (stop - start) * self.cell.width()
                fill = QColor(self._fills[int(styles[start]) - 1])
                self._painter.fillRect(QRectF(x, top, width, self.cell.height()), fill)


def _enlarged(font: QFont, points: float) -> QFont:
    font.setPixelSize(max(1, round(points * ENLARGED)))
    return font


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """Contents of a picture."""

    hit: Hit
    layout: RowsLayout
    scheme: ColorScheme
    columns: int = 60  # columns of a line
    points: float = 9.0  # size of the text of residues
    logos: tuple[SideLogo, SideLogo] = (NO_LOGO, NO_LOGO)  # above the query and below the subject
    second: SecondTrack = NO_SECOND  # symbols next to the residues, in rows of their own

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
        return BLOCK_LINES + (2 if self.second else 0) + sum(logo.height for logo in self.logos if logo)

    def _number_width(self) -> float:
        layout = self.layout
        highest = max(int(layout.query_positions.max(initial=1)), int(layout.subject_positions.max(initial=1)))
        return (len(f"{highest:,}") + 1) * self.cell.width() * 0.82

    def _left(self) -> float:
        return MARGIN + 7 * self.cell.width() + self._number_width() + 6

    # -- drawing -----------------------------------------------------------------------------------

    def draw(self, painter: QPainter) -> None:
        sheet = Sheet(painter, self.points, self.scheme)
        names = (self.hit.query_record.header, self.hit.subject.header)
        lines = [*((name, INK) for name in names), *((fact, QUIET) for fact in text_form.facts(self.hit))]
        sheet.head(lines, MARGIN, MARGIN, self.size.width() - 2 * MARGIN)
        y = MARGIN + (len(lines) + 1) * sheet.cell.height()
        styles = row_styles(self.scheme, self.layout)
        styles[:, self.layout.kinds == Kind.FLANK] = 0
        for index in range(block_count(self.layout, self.columns)):
            self._draw_block(sheet, styles, index, y)
            y += self._block_lines * sheet.cell.height()

    def _draw_block(self, sheet: Sheet, styles: NDArray[np.uint8], index: int, top: float) -> None:
        layout, cell, left = self.layout, sheet.cell, self._left()
        line = block(layout, self.columns, index)
        columns = slice(line.start, line.stop)
        above, below = ((logo.height if logo else 0) * cell.height() for logo in self.logos)
        sheet.logo(self.logos[0], columns, left, top, above)
        top += above
        after = top + (6 if self.second else 4) * cell.height()
        sheet.logo(self.logos[1], columns, left, after, below)
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
