"""Arcs of covariation as a picture (SVG)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from html import escape
from typing import Final

from swgui.core.covariation.alignment import LETTERS
from swgui.core.covariation.arcs import FAINT, arcs_of
from swgui.core.covariation.pairs import CONTRADICTED, NEW, SUPPORTED, Covariation
from swgui.io.whole_file import save_text

# Distinct for all kinds of colour vision on white (Okabe and Ito 2008).
INKS: Final = {SUPPORTED: "#00795B", NEW: "#0067A5", CONTRADICTED: "#C44E00"}
FAINT_INK: Final = "#8A94A0"
MARGIN: Final = 24
LETTERED: Final = 9.0  # width of a column from which on bases are written
HEIGHTS: Final = (80.0, 420.0)  # of the highest arc
TICKS: Final = (5, 10, 20, 50, 100, 200, 500)  # columns between numbers
ROOM: Final = 36.0  # least distance of numbers


def write_arcs(path: str | os.PathLike[str], found: Covariation) -> None:
    """Write the arcs of all listed pairs as SVG, whole or not at all.

    Raises
    ------
    FileNotWritten
        If it cannot be written.
    """
    text = "\n".join(_lines(found)) + "\n"
    save_text(path, lambda file: file.write(text))


def _lines(found: Covariation) -> Iterator[str]:
    columns = found.alignment.codes.shape[1]
    step = min(12.0, max(1.2, 1400.0 / columns))
    spans = (found.pairs.right - found.pairs.left).tolist()
    high = min(max(HEIGHTS[0], 0.5 * step * max([0, *spans])), HEIGHTS[1])
    width, base = max(2 * MARGIN + columns * step, 420.0), MARGIN + 38 + high
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{base + 64:.0f}" '
        f'viewBox="0 0 {width:.0f} {base + 64:.0f}" font-family="sans-serif" font-size="11">'
    )
    yield f'<rect width="100%" height="100%" fill="#FFFFFF"/><title>{escape(found.alignment.name)}</title>'
    lines = list(found.sentences())
    yield f'<text x="{MARGIN}" y="{MARGIN}" font-weight="bold">{escape(lines[0])}</text>'
    yield from _legend(found, MARGIN + 18)
    for arc in arcs_of(found.pairs):
        left, right = (MARGIN + (column + 0.5) * step for column in (arc.left, arc.right))
        faint = arc.state in FAINT
        dash = ' stroke-dasharray="3 3"' if faint else ""
        yield (
            f'<path d="M{left:.1f} {base:.1f} A{(right - left) / 2:.1f} {arc.height * high:.1f} 0 0 1 {right:.1f} '
            f'{base:.1f}" fill="none" stroke="{INKS.get(arc.state, FAINT_INK)}" '
            f'stroke-width="{1.0 if faint else 1.8}"{dash}><title>{arc.left + 1} and {arc.right + 1}: '
            f"{escape(arc.state)}</title></path>"
        )
    end = f'x2="{MARGIN + columns * step:.1f}" y2="{base + 1:.1f}"'
    yield f'<line x1="{MARGIN}" y1="{base + 1:.1f}" {end} stroke="#5A6472"/>'
    if step >= LETTERED:
        yield from _letters(found, step, base + 14)
    yield from _ruler(columns, step, base + (28 if step >= LETTERED else 14))
    yield "</svg>"


def _legend(found: Covariation, y: float) -> Iterator[str]:
    x = float(MARGIN)
    for state in dict.fromkeys(found.pairs.states):
        text = f"{state} ({found.number(state):,})"
        dash = ' stroke-dasharray="3 3"' if state in FAINT else ""
        ink = INKS.get(state, FAINT_INK)
        yield f'<line x1="{x:.0f}" y1="{y - 4}" x2="{x + 18:.0f}" y2="{y - 4}" stroke="{ink}" stroke-width="2"{dash}/>'
        yield f'<text x="{x + 23:.0f}" y="{y}">{escape(text)}</text>'
        x += 36 + 6.2 * len(text)


def _letters(found: Covariation, step: float, y: float) -> Iterator[str]:
    """Most frequent base of each column."""
    signs = LETTERS + "-"
    for column, code in enumerate(found.alignment.consensus.tolist()):
        x = MARGIN + (column + 0.5) * step
        yield f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-family="monospace">{signs[code]}</text>'


def _ruler(columns: int, step: float, y: float) -> Iterator[str]:
    every = next((tick for tick in TICKS if tick * step >= ROOM), TICKS[-1])
    for column in range(every, columns + 1, every):
        x = MARGIN + (column - 0.5) * step
        yield f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" fill="#5A6472" font-size="9">{column:,}</text>'
