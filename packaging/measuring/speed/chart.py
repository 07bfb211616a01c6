"""Lines in a picture: SVG text, made without any library."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Final

WIDTH: Final = 860
HEIGHT: Final = 480
LEFT, RIGHT, TOP, BOTTOM = 78, 140, 60, 54  # margins; names of the lines stand on the right
COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444", "#8c6d31")
MARKS: Final = ("circle", "square", "diamond", "triangle")
LABEL_HEIGHT: Final = 17
TICK_WIDTH: Final = 38
MARK: Final = 3.6
TURNED: Final = "rotate(-90)"
STEPS: Final = (1, 2, 2.5, 5, 10)

Points = Sequence[tuple[float, float]]
Place = Callable[[float, float], tuple[float, float]]


def line_chart(
    title: str, note: str, x_title: str, y_title: str, lines: Mapping[str, Points], order: Sequence[str] = ()
) -> str:
    """Draw lines over a logarithmic horizontal axis.

    Parameters
    ----------
    title, note : str
        Above the picture; the note is smaller.
    x_title, y_title : str
    lines : Mapping[str, sequence of (float, float)]
        Name and points of each line, x ascending and above 0; lines without points are left out.
    order : sequence of str
        Names whose places decide colours and marks, so that a name looks the same in several pictures.

    Returns
    -------
    str
        A whole SVG document.

    Raises
    ------
    ValueError
        If there is not a single point.
    """
    drawn = {name: points for name, points in lines.items() if points}
    if not drawn:
        raise ValueError("there is nothing to draw")
    xs = [x for points in drawn.values() for x, _ in points]
    top, step = _scale(max(y for points in drawn.values() for _, y in points))
    low, high = math.log(min(xs)), math.log(max(xs))
    high = high if high > low else low + 1

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log(x) - low) / (high - low)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="#222">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(LEFT, 24, title, 'font-size="16" font-weight="600"'),
        _text(LEFT, 42, note, 'font-size="12" fill="#666"'),
        *_grid(xs, top, step, place(min(xs), 0)[0], place(max(xs), 0)[0], place),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_title, 'text-anchor="middle"'),
        _text(0, 0, y_title, f'text-anchor="middle" transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2}) {TURNED}"'),
    ]
    parts += _curves({name: [place(x, y) for x, y in points] for name, points in drawn.items()}, order)
    return "\n".join([*parts, "</svg>", ""])


def _curves(curves: Mapping[str, Sequence[tuple[float, float]]], order: Sequence[str]) -> list[str]:
    """Draw lines with their marks, and their names at the right edge.

    Parameters
    ----------
    curves : Mapping[str, sequence of (float, float)]
        Places on the picture, in pixels, by name.
    order : sequence of str
        As for `line_chart`.
    """
    parts = []
    heights = _apart([places[-1][1] for places in curves.values()])
    for number, (name, places) in enumerate(curves.items()):
        style = order.index(name) if name in order else len(order) + number
        color, mark = COLORS[style % len(COLORS)], MARKS[style % len(MARKS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [_mark(mark, x, y, color) for x, y in places]
        end_x, end_y = places[-1]
        label_x, label_y = WIDTH - RIGHT + 16, heights[number]
        parts.append(
            f'<line x1="{end_x + 6:.1f}" y1="{end_y:.1f}" x2="{label_x - 4:.1f}" y2="{label_y:.1f}" '
            f'stroke="{color}" stroke-width="0.8" stroke-dasharray="2 2"/>'
        )
        parts.append(_mark(mark, label_x, label_y, color))
        parts.append(_text(label_x + 9, label_y + 4.5, name))
    return parts


def _scale(highest: float) -> tuple[float, float]:
    """Return the end of the vertical axis and the distance of its lines: four to eight of them, round figures."""
    if highest <= 0:
        return 1.0, 0.25
    magnitude = 10 ** math.floor(math.log10(highest))
    for share in (0.1, 1.0):
        for factor in STEPS:
            step = factor * magnitude * share
            if highest / step <= 8:
                return math.ceil(highest / step) * step, step
    return highest, highest / 4


def _grid(xs: Sequence[float], top: float, step: float, left: float, right: float, place: Place) -> list[str]:
    parts = []
    for number in range(round(top / step) + 1):
        y = place(min(xs), number * step)[1]
        parts.append(f'<line x1="{left:.1f}" y1="{y:.1f}" x2="{right:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(_text(left - 8, y + 4, f"{number * step:,.10g}", 'text-anchor="end" fill="#666"'))
    places = {x: place(x, 0) for x in sorted(set(xs))}
    end = max(at for at, _ in places.values())
    labelled = -math.inf
    for x, (at, foot) in places.items():
        parts.append(f'<line x1="{at:.1f}" y1="{foot:.1f}" x2="{at:.1f}" y2="{foot + 4:.1f}" stroke="#999"/>')
        if at == end or at - labelled >= TICK_WIDTH <= end - at:
            parts.append(_text(at, foot + 18, f"{x:g}", 'text-anchor="middle" fill="#666"'))
            labelled = at
    return parts


def _apart(heights: Sequence[float]) -> list[float]:
    """Move labels apart so that none lies on another, in the order of their lines' ends."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    moved = list(heights)
    for above, below in pairwise(order):
        moved[below] = max(moved[below], moved[above] + LABEL_HEIGHT)
    overhang = moved[order[-1]] - (HEIGHT - BOTTOM)
    if overhang > 0:
        moved[order[-1]] -= overhang
        for below, above in pairwise(reversed(order)):
            moved[above] = min(moved[above], moved[below] - LABEL_HEIGHT)
    return moved


def _mark(kind: str, x: float, y: float, color: str) -> str:
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{MARK}" fill="{color}"/>'
    corners = {
        "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        "diamond": ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
        "triangle": ((0, -1.3), (1.2, 0.9), (-1.2, 0.9)),
    }[kind]
    points = " ".join(f"{x + MARK * dx:.1f},{y + MARK * dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" fill="{color}"/>'


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(text)}</text>'
