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


with_each_level(_check)
