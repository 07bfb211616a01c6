"""Text, tables and drawings one below the other, on as many pages as they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from swgui.core.plain import replace
from swgui.io.paper.letters import FIXED_WIDTH, Font, lines_of, shortened, width_of
from swgui.io.paper.marks import (
    BLACK,
    BLUE,
    GREY,
    HEIGHT,
    MARGIN,
    PALE,
    TEXT_WIDTH,
    Bar,
    Heading,
    Link,
    Mark,
    Page,
    Words,
)

LEADING: Final = 1.3  # height of a line to the size of its letters
BOTTOM: Final = HEIGHT - MARGIN
TABLE_SIZE: Final = 7.5
_HEAD_LINES: Final = 2  # of a column
_GAP: Final = 5.0  # between columns
FIXED_SIZE: Final = 7.8
_MAX_LETTERS: Final = int(TEXT_WIDTH / FIXED_SIZE / FIXED_WIDTH)  # letters of a line of fixed width


class Field(msgspec.Struct, frozen=True):
    """A column of a table on paper."""

    head: str
    width: float  # in points
    right: bool = False  # True for numbers
    lines: int = 1  # that a text has at most; its end is ``…`` where it is longer


class Cell(msgspec.Struct, frozen=True):
    """A value of a table on paper, and the address that it leads to."""

    text: str
    address: str = ""


class Flow:
    """Pages that fill from the top; `taken` gives those that are full, `rest` the last one, too."""

    def __init__(self) -> None:
        self._full: list[Page] = []
        self._page = Page([], [])
        self._y = MARGIN

    def taken(self) -> Iterator[Page]:
        """Yield the pages that are full, each once."""
        full, self._full = self._full, []
        yield from full

    def rest(self) -> Iterator[Page]:
        """Yield all pages that were not taken, the last one, too."""
        self.turn()
        yield from self.taken()

    def turn(self) -> None:
        """Begin a new page, unless this one is empty."""
        if self._page.marks:
            self._full.append(self._page)
            self._page, self._y = Page([], []), MARGIN

    def need(self, height: float) -> None:
        """Begin a new page if less is left of this one; in points."""
        if self._y + height > BOTTOM:
            self.turn()

    def skip(self, height: float) -> None:
        """Leave room, none at the top of a page."""
        if self._page.marks:
            self._y += height

    def heading(self, title: str, size: float, *, with_next: float = 60) -> None:
        """Write a heading, which the list of contents has, with room for what follows."""
        lines = lines_of(title, TEXT_WIDTH, size, "bold", most=2)
        self.need(len(lines) * size * LEADING + with_next)
        self._page.headings.append(Heading(title, self._y))
        self._lines(lines, size, "bold", BLACK)

    def text(self, text: str, size: float = 9, font: Font = "plain", colour: str = BLACK, *, indent: float = 0) -> None:
        """Write a paragraph, broken at its words."""
        self._lines(lines_of(text, TEXT_WIDTH - indent, size, font), size, font, colour, indent)

    def _lines(self, lines: Sequence[str], size: float, font: Font, colour: str, indent: float = 0) -> None:
        for line in lines:
            self.need(size * LEADING)
            self._y += size * LEADING
            self._page.marks.append(Words(MARGIN + indent, self._y - 0.3 * size, line, size, font, colour))

    def fixed(self, lines: Sequence[str], *, closed: int = 4) -> None:
        """Write lines of fixed width; empty lines part blocks, which stay on one page if they have few lines.

        Parameters
        ----------
        closed : int
            Lines of a block that stay together.
        """
        step = FIXED_SIZE * 1.18
        lines = [part for line in lines for part in _fitting(line)]
        for place, line in enumerate(lines):
            behind = next((at for at, other in enumerate(lines[place:]) if not other), len(lines) - place)
            begins = not place or not lines[place - 1]
            self.need(step * (min(behind, closed) if begins else 1))
            if line:
                self._y += step
                self._page.marks.append(Words(MARGIN, self._y - 0.3 * step, line, FIXED_SIZE, "fixed"))
            else:
                self.skip(step * 0.7)

    def drawing(self, height: float, marks: Iterable[Mark]) -> None:
        """Put a drawing, whose marks count from its own upper left corner, on one page."""
        self.need(height)
        for mark in marks:
            self._page.marks.append(_moved(mark, MARGIN, self._y))
        self._y += height

    def table(self, fields: Sequence[Field], rows: Iterable[Sequence[Cell] | str]) -> None:
        """Write a table, its head on every page; a text among the rows is a line between them, with its words."""
        self.need(TABLE_SIZE * LEADING * 4)
        self._head(fields)
        for row in rows:
            if isinstance(row, str):
                self._line_between(row)
            else:
                self._row(fields, row)

    def _head(self, fields: Sequence[Field]) -> None:
        heads = [lines_of(field.head, field.width, TABLE_SIZE, "bold", most=_HEAD_LINES) for field in fields]
        self._cells(fields, heads, "bold", [""] * len(fields))
        self._page.marks.append(Bar(MARGIN, self._y - 0.5, TEXT_WIDTH, 0.8, GREY))

    def _row(self, fields: Sequence[Field], row: Sequence[Cell]) -> None:
        cells = [
            [shortened(cell.text, field.width, TABLE_SIZE)]
            if field.right
            else lines_of(cell.text, field.width, TABLE_SIZE, most=field.lines)
            for field, cell in zip(fields, row, strict=True)
        ]
        if self._y + TABLE_SIZE * LEADING * max(map(len, cells)) + 2 > BOTTOM:
            self.turn()
            self._head(fields)
        self._cells(fields, cells, "plain", [cell.address for cell in row])
        self._page.marks.append(Bar(MARGIN, self._y, TEXT_WIDTH, 0.3, PALE))

    def _cells(self, fields: Sequence[Field], cells: Sequence[list[str]], font: Font, to: Sequence[str]) -> None:
        step, x = TABLE_SIZE * LEADING, MARGIN
        for field, lines, address in zip(fields, cells, to, strict=True):
            for place, line in enumerate(lines):
                left = x + field.width - width_of(line, TABLE_SIZE, font) if field.right else x
                y = self._y + step * (place + 1) - 0.3 * TABLE_SIZE
                colour = BLUE if address else BLACK
                self._page.marks.append(Words(left, y, line, TABLE_SIZE, font, colour))
            if address:
                self._page.marks.append(Link(x, self._y, field.width, step * len(lines), address))
            x += field.width + _GAP
        self._y += step * max(map(len, cells)) + 2

    def _line_between(self, words: str) -> None:
        size = TABLE_SIZE - 1
        self.need(size * LEADING + 3)
        self._y += size * LEADING + 1
        width = width_of(words, size)
        self._page.marks.append(Words(MARGIN + TEXT_WIDTH - width, self._y - 2, words, size, colour=BLUE))
        self._page.marks.append(Bar(MARGIN, self._y - 4, TEXT_WIDTH - width - 6, 0.8, BLUE))


def _fitting(line: str) -> list[str]:
    """Return a line of fixed width, in several where it is longer than the page is wide."""
    return lines_of(line, TEXT_WIDTH, FIXED_SIZE, "fixed") if len(line) > _MAX_LETTERS else [line]


def stretch(fields: Sequence[Field], which: int) -> list[Field]:
    """Return columns of which one gets the width that the others leave."""
    taken = sum(field.width for place, field in enumerate(fields) if place != which) + _GAP * (len(fields) - 1)
    return [replace(field, width=TEXT_WIDTH - taken) if place == which else field for place, field in enumerate(fields)]


def _moved(mark: Mark, x: float, y: float) -> Mark:
    return replace(mark, x=mark.x + x, y=mark.y + y)
