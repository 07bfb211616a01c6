"""Proteins with DNA whose reading shifts, both ways round: ends, also beyond 16 bits, and paths in several blocks."""

from __future__ import annotations

import numpy as np

from swgui.core.stretches import Subjects
from swgui.engines.native import shifting
from tests.engines.native.sanitized_runs._levels import with_each_level


def _check(rng: np.random.Generator) -> None:
    shifting.KEPT_BYTES = 200  # type: ignore[misc]
    for by_codons in (False, True):
        for scale, rows in ((1, 1), (1, 37), (900, 50)):
            profile = (rng.integers(-4, 9, size=(rows, 24)) * scale).astype(np.int16)
            query = shifting.ShiftQuery(profile, 7 * scale, scale, 3 * scale, by_codons)
            lengths = np.array([0, 1, 2, 5, *rng.integers(1, 90, size=40), 1540])
            offsets = np.concatenate([[0], np.cumsum(lengths)])
            subjects = Subjects.packed(rng.integers(0, 24, size=offsets[-1]).astype(np.uint8), offsets)
            ends = shifting.shift_reached(query, subjects, None, threads=1)[0]
            paths = shifting.shift_paths(query, subjects, ends, threads=1)
            assert [shifting.shifted_at(paths, row) is None for row in range(len(paths))] == (ends[:, 0] == 0).tolist()
    table, some = (rng.integers(-4, 9, size=(24, 24)) * 900).astype(np.int16), subjects.take(np.arange(20))
    for kept in (200, 1 << 26):
        shifting.KEPT_BYTES = kept  # type: ignore[misc]
        unknown = np.full((20, 3), shifting.UNKNOWN, dtype=np.int64)
        for costs in ((7, 1, 3), (6300, 900, 2700)):
            given = table // (900 // costs[1]), costs, some, some.take(np.arange(20)[::-1])
            shifting.shift_paths_each(*given, unknown, np.zeros(20, dtype=np.int64), threads=1)


with_each_level(_check)
