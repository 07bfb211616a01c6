"""Tiles of long pairs under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from swgui.engines.pair import tile
from swgui.engines.pair.tile import Best, compute_states, compute_tile
from tests.engines.native.sanitized_runs._levels import with_each_level
from tests.engines.pair.test_tile import borders_of, problem_of

SHAPES = ((1, 1), (1, 65), (65, 1), (2, 3), (15, 16), (16, 17), (31, 33), (63, 64), (64, 64), (65, 63), (40, 130))
THREADS = 3
Job = tuple[str, tuple[int, int], bool, bool, int]


def check(job: Job) -> tuple[bytes, ...]:
    """Compute a tile and all values of it; returns its borders."""
    name, shape, forbidden, profile, seed = job
    rng = np.random.default_rng(seed)
    problem = problem_of(name, shape, forbidden, profile, rng)
    before = borders_of(problem, shape, rng)
    found = []
    for best in (None, Best(-(1 << 60))):
        after = compute_tile(
            problem, (0, shape[0], 0, shape[1]), before, best, floor=best is None, check=lambda cells: None
        )
        found += [part.tobytes() for part in (after.row_h, after.row_f[1:], after.column_h, after.column_e[1:])]
    assert best is not None
    assert best.known
    compute_states(problem, before, lambda cells: None)
    return *found, repr(best).encode()


def run(rng: np.random.Generator) -> None:
    jobs = [
        (name, shape, forbidden, profile, int(rng.integers(1 << 30)))
        for name in ("protein", "nucleotide", "wide")
        for shape in SHAPES
        for forbidden, profile in ((False, False), (True, False), (True, True))
    ]
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(check, jobs))
    known.append(found)
    assert found == known[0]


known: list[list[tuple[bytes, ...]]] = []


def main() -> None:
    tile.CELLS_AT_ONCE = 500  # several calls for a tile
    with_each_level(run)


if __name__ == "__main__":
    main()
