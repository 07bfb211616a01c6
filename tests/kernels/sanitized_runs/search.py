"""One round of the kernels under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.engines.cuda.arithmetic import Twins
from swgui.engines.cuda.streaming.variants import Tile
from tests.kernels.on_cpu import CpuDatabase, CpuScan, arithmetic_for
from tests.reference import gotoh_score

LETTERS = 27


def main() -> None:
    rng = np.random.default_rng(11)
    matrix = np.where(rng.random((LETTERS, LETTERS)) < 0.7, -2, rng.integers(-4, 12, (LETTERS, LETTERS)))
    subjects = [rng.integers(0, LETTERS, int(n)).astype(np.uint8) for n in (0, 1, 3, 4, 5, 64, 65, 130, 7, 30, 31)]
    for twins, tile in (
        (Twins.SUBJECTS, Tile(8, 6, 64, 4)),
        (Twins.QUERIES, Tile(4, 8, 64, 8)),
        (Twins.NONE, Tile(16, 3, 64, 4)),
    ):
        for length in (5, tile.height, 2 * tile.height + 1):
            query = rng.integers(0, LETTERS, length)
            profiles = [matrix[query]] * (2 if twins is Twins.QUERIES else 1)
            arithmetic = arithmetic_for(twins, profiles, 12, 1)
            scan = CpuScan(CpuDatabase(subjects, LETTERS, True), profiles, arithmetic, tile, True).run()
            assert scan.scores[0].tolist() == [gotoh_score(profiles[0], subject, 12, 1) for subject in subjects]
    print("clean")


if __name__ == "__main__":
    main()
