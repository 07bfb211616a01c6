"""Tables on a terminal: columns under one another."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest
from typing import Final

BETWEEN: Final = "  "
NARROWEST: Final = 24  # characters that the last column has at least


def needed(columns: Sequence[Sequence[str]]) -> int:
    """Characters of a line of these columns, the last of which is as narrow as it may be."""
    return sum(max(map(len, column)) + len(BETWEEN) for column in columns[:-1]) + NARROWEST


def aligned(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Collection[int] = (),
    wrap: bool = False,
    whole: bool = False,
) -> Iterator[str]:
    """Yield the lines of a table whose columns stand under one another.

    Parameters
    ----------
    right : collection of int
        Columns whose values stand at the right, as numbers do.
    wrap : bool
        Wrap the last column at the width of the terminal; otherwise it is cut there.
    whole : bool
        Neither wrap nor cut the last column.
    """
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    before = sum(widths[:-1]) + len(BETWEEN) * (len(widths) - 1)
    if not whole:
        widths[-1] = min(widths[-1], max(shutil.get_terminal_size().columns - 1 - before, NARROWEST))
    for row in (heads, *rows):
        *most, last = row
        cells = [text.rjust(widths[i]) if i in right else text.ljust(widths[i]) for i, text in enumerate(most)]
        lines = textwrap.wrap(last, widths[-1]) if wrap else [last[: widths[-1]]]
        for start, line in zip_longest([BETWEEN.join(cells)], lines or [""], fillvalue=" " * (before - len(BETWEEN))):
            yield f"{start}{BETWEEN}{line.rjust(widths[-1]) if len(cells) in right else line}".rstrip()
