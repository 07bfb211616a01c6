"""The kernels of the published methods against the textbook, run on the CPU: every setting, tile edges, limits of 16 bits."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.kernels.methods_on_cpu import CpuGroups, CpuRun, arithmetic_for, variant_of
from tests.kernels.on_cpu import COMPILER
from tests.reference import gotoh_score

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

LETTERS = 27
X = 22


@dataclass(frozen=True)
class Case:
    """A variant and the kind of scores it is for."""

    kernel: str
    threads: int
    tile: dict[str, int] = field(hash=False)
    subjects: int = 2
    first: int = 12
    further: int = 1
    lowest: int = -4
    highest: int = 11
    dpx: bool = True
    letters: int = LETTERS


CASES = {
    "simt": Case("simt", 64, {"rows": 8}),
    "simt, 32 bits": Case("simt", 32, {"rows": 4}, subjects=1, first=500, further=500, lowest=-16000, highest=16000),
    "simt, 12 rows, no gap costs": Case("simt", 32, {"rows": 12}, first=0, further=0),
    "shared": Case("shared", 32, {"k": 4, "p": 4}),
    "shared, 8 x 8": Case("shared", 32, {"k": 8, "p": 8}, first=5, further=5),
    "shared, 12 x 4, 32 bits": Case("shared", 64, {"k": 12, "p": 4}, subjects=1, dpx=False),
    "band": Case("band", 64, {"band": 12}),
    "band, 32 bits": Case("band", 32, {"band": 4}, subjects=1, first=10**6, further=10**6),
    "band, nucleotides": Case("band", 32, {"band": 16}, first=7, further=2, lowest=-3, highest=2, letters=16),
    "vsimd": Case("vsimd", 64, {"vector": 16, "partition": 64}),
    "vsimd, 8 lanes, cheap gaps": Case("vsimd", 32, {"vector": 8, "partition": 64}, first=1, further=0),
    "vsimd, 4 lanes, 32 bits": Case("vsimd", 32, {"vector": 4, "partition": 48}, subjects=1, first=2, further=2),
    "vsimd, 32 lanes, no gap costs": Case("vsimd", 32, {"vector": 32, "partition": 128}, first=0, further=0),
    "vsimd, without DPX": Case("vsimd", 32, {"vector": 16, "partition": 128}, dpx=False, first=3, further=1),
    "intra": Case("intra", 32, {"rows": 4}),
    "intra, 32 bits": Case("intra", 64, {"rows": 8}, subjects=1, first=30, further=7, lowest=-900, highest=3000),
    "intra, gap costs beyond 16 bits": Case("intra", 96, {"rows": 4}, first=10**6, further=40_000, dpx=False),
}


def matrix_of(rng: np.random.Generator, case: Case) -> np.ndarray:
    """Asymmetric, mostly negative: local alignments stay local."""
    matrix = rng.integers(case.lowest, case.highest + 1, (case.letters, case.letters))
    return np.where(rng.random(matrix.shape) < 0.7, np.minimum(matrix, case.lowest // 4), matrix)


def related(rng: np.random.Generator, query: np.ndarray, letters: int) -> np.ndarray:
    """A piece of the query with changes and gaps, in a random surrounding."""
    piece = query[: int(rng.integers(1, len(query) + 1))].copy()
    piece[rng.random(len(piece)) < 0.2] = rng.integers(0, letters)
    cut = int(rng.integers(0, len(piece) + 1))
    parts = [rng.integers(0, letters, 3), piece[:cut], rng.integers(0, letters, int(rng.integers(0, 4))), piece[cut:]]
    return np.concatenate(parts).astype(np.uint8)


def heights(case: Case) -> int:
    return {"intra": case.threads * case.tile.get("rows", 0), "vsimd": case.tile.get("partition", 0)}.get(
        case.kernel, next(iter(sorted(case.tile.items())))[1] if case.kernel != "shared" else case.tile.get("p", 0)
    )


@pytest.mark.parametrize("name", CASES)
def test_scores_at_the_edges_of_tiles(name):
    case = CASES[name]
    rng = np.random.default_rng(sum(name.encode()))
    matrix = matrix_of(rng, case)
    height = heights(case)
    for length in (1, height - 1, height, height + 1, 2 * height + 3):
        query = rng.integers(0, case.letters, length)
        profile = matrix[query]
        subjects = [rng.integers(0, case.letters, n).astype(np.uint8) for n in (0, 1, 2, 3, 4, 5, 7, 8, 17, 31, 33, 70)]
        subjects += [related(rng, query[-90:], case.letters) for _ in range(16)]
        subjects += [np.full(12, min(X, case.letters - 1), np.uint8), query.astype(np.uint8)[:200]]
        subjects += [rng.integers(0, case.letters, int(n)).astype(np.uint8) for n in rng.integers(0, 9, 41)]
        arithmetic = arithmetic_for(case.subjects, profile, case.first, case.further, dpx=case.dpx)
        assert arithmetic is not None
        variant = variant_of(case.kernel, arithmetic, case.threads, **case.tile)
        run = CpuRun(CpuGroups(subjects, variant), profile, variant).run()
        expected = [gotoh_score(profile.tolist(), s.tolist(), case.first, case.further) for s in subjects]
        assert run.given == expected, f"query of {length}"
        assert run.redo[0] == 0
        assert run.scores[-1] == -77
