"""The common part of every run here: its checks once with each instruction set of the library."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from swgui.engines.native import library


def with_each_level(check: Callable[[np.random.Generator], None], seed: int = 7) -> None:
    """Call `check` with each instruction set this CPU runs, on the same random numbers; say that all is clean."""
    loaded, levels, why = library.probe()
    assert loaded is not None, why
    for number in range(len(levels)):
        library.probe = lambda only=levels[: number + 1]: (loaded, only, "")
        check(np.random.default_rng(seed))
    print("clean")
