"""Where the hits of a query lie along it, as a drawing in the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np

from swgui.core.headers import header_of
from swgui.core.hits.along_query import CLASS_COLOURS, SCORE_CLASSES, axis_marks, lanes_of, score_class
from swgui.core.hits.results import Hit
from swgui.core.words import count
from swgui.io.export.rows import spans_of
from swgui.io.export.values import clean_text

MAX_DRAWN: Final = 50  # hits drawn: what fits a screen
_WIDTH, _LEFT, _HEAD, _ROW, _BAR = 1000, 170, 44, 15, 11
_MARKS: Final = 12  # numbers on the axis
_NAME: Final = 24  # letters of a name
_SHADES: Final = tuple(f".c{number}" for number in range(len(SCORE_CLASSES)))

STYLE: Final = "".join(
    [
        "svg.along { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: currentColor; }\n",
        "svg.along .axis { stroke: currentColor; stroke-width: 2; }\n",
        *(f"{name} {{ fill: {shade}; }}\n" for name, shade in zip(_SHADES, CLASS_COLOURS[False], strict=True)),
        "@media (prefers-color-scheme: dark) {\n",
        *(f"{name} {{ fill: {shade}; }}\n" for name, shade in zip(_SHADES, CLASS_COLOURS[True], strict=True)),
        "}\n",
    ]
)


def picture(group: Sequence[Hit], length: int, first: int) -> str:
    """Return a drawing of the best hits of a query as SVG: a row each, a bar for each alignment, darker for more bits.

    Parameters
    ----------
    group : sequence of Hit
        Those of one query, in order; hits without an alignment are left out.
    length : int
        Residues of the query.
    first : int
        Number of the first hit in the page, for links.

    Returns
    -------
    str
        Empty where there is nothing to draw.
    """
    rows = [(first + at, hit) for at, hit in enumerate(group) if hit.alignment is not None]
    if not rows:
        return ""
    shown = rows[:MAX_DRAWN]
    height = _HEAD + _ROW * len(shown) + (_ROW if len(rows) > MAX_DRAWN else 0)
    label = f"Where {count(len(shown), 'hit lies', 'hits lie')} along the query"
    opening = f'<svg class="along" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}">'
    parts = [opening, *_head(group, length)]
    for place, (number, hit) in enumerate(shown):
        parts += _row(hit, _HEAD + _ROW * place, length, number)
    if len(rows) > MAX_DRAWN:
        parts.append(f'<text x="0" y="{height - 4}">The other {len(rows) - MAX_DRAWN:,} are in the table.</text>')
    return "\n".join([*parts, "</svg>\n"])


def _x(position: float, length: int) -> float:
    """Return the place of the left edge of a residue, counted from 1."""
    return _LEFT + (_WIDTH - _LEFT) * (position - 1) / max(length, 1)


def _head(group: Sequence[Hit], length: int) -> list[str]:
    """Return the legend and the axis."""
    known = any(not np.isnan(hit.bit_score) for hit in group)
    parts = [f'<text x="0" y="11">{"bits" if known else "score"}</text>']
    for number, (_, words, _) in enumerate(SCORE_CLASSES):
        x = _LEFT + 130 * number
        parts.append(f'<rect class="c{number}" x="{x}" y="1" width="16" height="{_BAR}"/>')
        parts.append(f'<text x="{x + 21}" y="11">{words}</text>')
    y = _HEAD - 6
    parts.append(f'<text x="0" y="{y - 4}">query</text><path class="axis" d="M{_LEFT} {y}H{_WIDTH}"/>')
    for mark in axis_marks(length, _MARKS):
        anchor, shift = {length: ("end", 1.0), 1: ("start", 0.0)}.get(mark, ("middle", 0.5))
        at = _x(mark + shift, length)
        parts.append(f'<text x="{at:.1f}" y="{y - 4}" text-anchor="{anchor}">{mark:,}</text>')
    return parts


def _row(hit: Hit, top: int, length: int, number: int) -> list[str]:
    name = clean_text(header_of(hit.subject).name)
    short = name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"
    parts = [f'<a href="#hit{number}"><title>{escape(clean_text(hit.subject.header))}</title>']
    parts.append(f'<text x="0" y="{top + _BAR}">{escape(short)}</text>')
    ones = list(hit.rows())
    ends = [(min(one.query_start, one.query_end), max(one.query_start, one.query_end)) for one in spans_of(hit)]
    classes = score_class(
        np.array([one.bit_score for one in ones], np.float64), np.array([one.score for one in ones], np.int32)
    )
    lanes = lanes_of(ends)
    room = _BAR / (max(lanes) + 1)
    for (start, end), lane, shade in zip(ends, lanes, classes.tolist(), strict=True):
        thickness = room * SCORE_CLASSES[shade][2] / 6
        x, y = _x(start, length), top + 1 + room * lane + (room - thickness) / 2
        width = max(_x(end + 1, length) - x, 1)
        parts.append(f'<rect class="c{shade}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{thickness:.1f}"/>')
    return [*parts, "</a>"]
