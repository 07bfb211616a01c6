"""Which strip width: what a pair is expected to take with each, from what was measured on one card."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.papers.striped.shape import States, StripShape, rows_at_once

WIDTHS: Final = (64, 128, 256, 512, 1024, 2048, 4096)
CLOCK: Final = 1.9e9  # per second, of a card that works
PARTS: Final = 4  # of a multiprocessor, each issuing for its own warps
# Clocks of one step of a warp, as measured on an H200: (alone: fixed, per column), (each warp of several that share a
# part: fixed, per column). With start states there is more to do per column.
STEP: Final = {
    States.NONE: ((200.0, 88.0), (36.0, 72.0)),
    States.STRIP: ((250.0, 105.0), (0.0, 101.0)),
    States.CHUNK: ((270.0, 110.0), (10.0, 104.0)),
}
MAX_WARPS: Final = 16  # that compute on one multiprocessor, with the registers that these kernels take


@dataclass(frozen=True, slots=True)
class StripChoice:
    """A strip width, what it is expected to take in seconds, and what the user should know about it."""

    strip: int
    seconds: float
    remarks: tuple[str, ...]


def expected_seconds(shape: StripShape, rows: int, columns: int, multiprocessors: int) -> float:
    """Estimate phase 1.

    The paper's section IV: a strip can begin once its left neighbour's first T rows have come through; from then on
    all strips that the card holds go on together.
    """
    strips = shape.strips(columns)
    per = max(1, MAX_WARPS // shape.warps)
    held = max(1, min(strips, per * multiprocessors))
    (fixed, column), (busy_fixed, busy_column) = STEP[shape.states]
    # Blocks of other than four computing warps do not spread evenly over the parts of a multiprocessor.
    parts = PARTS if shape.warps % PARTS == 0 else PARTS / 2
    together = math.ceil(held / multiprocessors) * shape.warps / parts
    step = max(fixed + column * shape.columns, together * (busy_fixed + busy_column * shape.columns))
    late = (shape.warps * shape.delay(shape.states) + 2) * shape.batch  # rows that a strip is behind the one before it
    going = max(rows * strips / held, late * strips) + min(rows, late * held)
    return going / rows_at_once(shape.states) * step / CLOCK


def choose_strip(
    method: str,
    shape_of: Callable[[int], StripShape],
    problem: Callable[[StripShape], str],
    rows: int,
    columns: int,
    multiprocessors: int,
) -> tuple[StripShape, StripChoice]:
    """Choose the width that is expected to be fastest, of those that fit.

    Parameters
    ----------
    shape_of, problem : callable
        The shape of a width, and why it cannot be (empty if it can).

    Raises
    ------
    InvalidParameter
        If no width fits, with what can do the pair.
    """
    shapes = [shape_of(width) for width in WIDTHS]
    problems = [problem(shape) for shape in shapes]
    fitting = [shape for shape, trouble in zip(shapes, problems, strict=True) if not trouble]
    if not fitting:
        raise InvalidParameter(
            "method",
            method,
            f"The method '{method}' cannot do {rows:,} x {columns:,} residues: a strip width of {shapes[-1].strip} "
            f"{problems[-1]}.",
            hint="Choose the method wavefront or cpu.",
        )
    best = min(fitting, key=lambda shape: expected_seconds(shape, rows, columns, multiprocessors))
    widest = (
        [f"Strips narrower than {fitting[0].strip} would {problems[0].replace('takes', 'take', 1)}."]
        if problems[0]
        else []
    )
    return best, StripChoice(best.strip, expected_seconds(best, rows, columns, multiprocessors), tuple(widest))
