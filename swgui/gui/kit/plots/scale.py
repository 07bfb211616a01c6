"""Where the axes of plots end."""

from __future__ import annotations

import math

STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)


def ceiling(value: float) -> float:
    """Return the next round number at or above `value`: axes grow in steps and do not jitter."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in STEPS if step * power >= value * (1 - 1e-9))
