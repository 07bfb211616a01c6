"""Which strip width: what a pair is expected to take with each, from what was measured on one card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.engines.cuda.pair.striped_shape import States, StripShape

WIDTHS: Final = (64, 128, 256, 512, 1024, 2048, 4096)
CLOCK: Final = 1.7e9  # per second, of a card that works
PARTS: Final = 4  # of a multiprocessor, each issuing for its own warps
# Clocks of one step of a warp, as measured on an H200: (alone: fixed, per column), (each warp of several: fixed, per
# column). With start states there is more to do per column.
STEP: Final = {
    States.NONE: ((60.0, 15.0), (30.0, 13.0)),
    States.STRIP: ((80.0, 30.0), (50.0, 28.0)),
    States.CHUNK: ((90.0, 32.0), (60.0, 30.0)),
}
MOST_WARPS: Final = 48  # of a multiprocessor, with the registers that these kernels take


@dataclass(frozen=True, slots=True)
class Choice:
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
    held = min(strips, max(1, MOST_WARPS // shape.warps) * multiprocessors)
    (fixed, column), (busy_fixed, busy_column) = STEP[shape.states]
    together = held * shape.warps / (PARTS * multiprocessors)
    step = max(fixed + column * shape.columns, together * (busy_fixed + busy_column * shape.columns))
    late = (shape.warps * shape.delay + 1) * shape.batch  # rows that a strip is behind the one before it
    rounds = strips / held
    steps = max(rows * rounds, late * strips) + min(rows, late * held)
    return steps * step / CLOCK


def choose_strip(
    method: str,
    shape_of: Callable[[int], StripShape],
    problem: Callable[[StripShape], str],
    rows: int,
    columns: int,
    multiprocessors: int,
) -> tuple[StripShape, Choice]:
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
    return best, Choice(best.strip, expected_seconds(best, rows, columns, multiprocessors), tuple(widest))
