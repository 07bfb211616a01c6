"""Marks on a page: words, bars and links, in points from the upper left corner."""

from __future__ import annotations

from typing import Final

import msgspec

from swgui.io.paper.letters import Font, shortened, width_of

WIDTH, HEIGHT = 595.0, 842.0  # of A4, in points
MARGIN: Final = 46.0
TEXT_WIDTH: Final = WIDTH - 2 * MARGIN
BLACK, GREY, PALE, BLUE = "#1A1A1A", "#5F6670", "#C9CED4", "#0B559F"


class Words(msgspec.Struct, frozen=True):
    """A text of one line; `y` is the line that its letters stand on."""

    x: float
    y: float
    text: str
    size: float
    font: Font = "plain"
    colour: str = BLACK


class Bar(msgspec.Struct, frozen=True):
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: str = BLACK


class Letter(msgspec.Struct, frozen=True):
    """A bold capital letter that fills a rectangle, as in a logo."""

    x: float
    y: float
    width: float
    height: float
    text: str
    colour: str = BLACK


class Link(msgspec.Struct, frozen=True):
    """A rectangle that opens an address of the web where a page is read on a screen."""

    x: float
    y: float
    width: float
    height: float
    address: str


Mark = Words | Bar | Letter | Link


class Heading(msgspec.Struct, frozen=True):
    """An entry of the list of contents that readers of PDF show; `y` is its place on its page."""

    title: str
    y: float


class Page(msgspec.Struct, eq=False):
    """Marks and headings of one page."""

    marks: list[Mark]
    headings: list[Heading]


def foot(left: str, number: int, total: int) -> list[Mark]:
    """Return the marks at the foot of a page: a text, and its number among all."""
    right = f"{number:,} of {total:,}"
    y, room = HEIGHT - MARGIN / 2, TEXT_WIDTH - 60
    return [
        Words(MARGIN, y, shortened(left, room, 7), 7, colour=GREY),
        Words(WIDTH - MARGIN - width_of(right, 7), y, right, 7, colour=GREY),
    ]
