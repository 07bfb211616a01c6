"""One round of the published methods' kernels under AddressSanitizer; run in a process of its own."""

from __future__ import annotations

import numpy as np

from tests.papers.kernels.methods_on_cpu import CpuGroups, CpuRun, arithmetic_for, variant_of
from tests.reference import reference_scores

LETTERS = 27
TILES = {
    "simt": {"rows": 8},
    "shared": {"k": 8, "p": 4},
    "band": {"band": 12},
    "vsimd": {"vector": 16, "partition": 64},
    "intra": {"rows": 4},
}


def main() -> None:
    rng = np.random.default_rng(11)
    matrix = np.where(rng.random((LETTERS, LETTERS)) < 0.7, -2, rng.integers(-4, 12, (LETTERS, LETTERS)))
    lengths = [0, 1, 3, 4, 5, 64, 65, 130, 7, 30, 31, *rng.integers(0, 20, 60).tolist()]
    subjects = [rng.integers(0, LETTERS, n).astype(np.uint8) for n in lengths]
    for kernel, tile in TILES.items():
        for length in (5, 131):
            profile = matrix[rng.integers(0, LETTERS, length)]
            variant = variant_of(kernel, arithmetic_for(2, profile, 12, 1), 32, **tile)
            run = CpuRun(CpuGroups(subjects, LETTERS, True), profile, variant, True).run()
            assert run.given == reference_scores(profile, subjects, 12, 1), kernel
    print("clean")


if __name__ == "__main__":
    main()
