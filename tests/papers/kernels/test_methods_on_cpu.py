"""The kernels of the published methods against the textbook, run on the CPU: tile edges and limits of 16 bits."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import numpy as np
import pytest

from swgui.engines.cuda.intra import BlockVariant
from swgui.engines.cuda.streaming.alone import LongTwins
from tests.kernels.cases import LETTERS, Scores, matrix_of, related
from tests.kernels.on_cpu import COMPILER, CpuDatabase, pointer
from tests.papers.kernels.methods_on_cpu import GRID, CpuGroups, CpuRun, arithmetic_for, built, variant_of
from tests.reference import gotoh_score, reference_scores

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

X = 22


@dataclass(frozen=True)
class Case(Scores):
    """A variant and the kind of scores it is for."""

    kernel: str
    threads: int
    tile: dict[str, int] = field(hash=False)
    subjects: int = 2


CASES = {
    "simt": Case("simt", 64, {"rows": 8}),
    "simt, 32 bits": Case(
        "simt", 32, {"rows": 4}, subjects=1, gap_first=500, gap_extend=500, lowest=-16000, highest=16000
    ),
    "simt, 12 rows, no gap costs": Case("simt", 32, {"rows": 12}, gap_first=0, gap_extend=0),
    "shared": Case("shared", 32, {"k": 4, "p": 4}),
    "shared, 8 x 8": Case("shared", 32, {"k": 8, "p": 8}, gap_first=5, gap_extend=5),
    "shared, 12 x 4, 32 bits": Case("shared", 64, {"k": 12, "p": 4}, subjects=1, dpx=False),
    "band": Case("band", 64, {"band": 12}),
    "band, 32 bits": Case("band", 32, {"band": 4}, subjects=1, gap_first=10**6, gap_extend=10**6),
    "band, nucleotides": Case("band", 32, {"band": 16}, gap_first=7, gap_extend=2, lowest=-3, highest=2, letters=16),
    "vsimd": Case("vsimd", 64, {"vector": 16, "partition": 64}),
    "vsimd, 8 lanes, cheap gaps": Case("vsimd", 32, {"vector": 8, "partition": 64}, gap_first=1, gap_extend=0),
    "vsimd, 4 lanes, 32 bits": Case("vsimd", 32, {"vector": 4, "partition": 48}, subjects=1, gap_first=2, gap_extend=2),
    "vsimd, 32 lanes, no gap costs": Case("vsimd", 32, {"vector": 32, "partition": 128}, gap_first=0, gap_extend=0),
    "vsimd, without DPX": Case("vsimd", 32, {"vector": 16, "partition": 128}, dpx=False, gap_first=3, gap_extend=1),
    "intra": Case("intra", 32, {"rows": 4}),
    "intra, 32 bits": Case("intra", 64, {"rows": 8}, subjects=1, gap_first=30, gap_extend=7, lowest=-900, highest=3000),
    "intra, gap costs beyond 16 bits": Case("intra", 96, {"rows": 4}, gap_first=10**6, gap_extend=40_000, dpx=False),
}


def height_of(case: Case) -> int:
    """Query rows that a kernel holds at once."""
    if case.kernel == "intra":
        return case.threads * case.tile["rows"]
    return case.tile[{"simt": "rows", "shared": "p", "band": "band", "vsimd": "partition"}[case.kernel]]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(6)
def test_scores_at_the_edges_of_tiles(name):
    case = CASES[name]
    rng = np.random.default_rng(sum(name.encode()))
    matrix = matrix_of(rng, case)
    height = height_of(case)
    arithmetic = arithmetic_for(case.subjects, matrix, case.gap_first, case.gap_extend, dpx=case.dpx)
    variant = variant_of(case.kernel, arithmetic, case.threads, **case.tile)
    for length in (1, height - 1, height, height + 1, 2 * height + 3)[:: 1 if height < 100 else 2]:
        query = rng.integers(0, case.letters, length)
        profile = matrix[query]
        subjects = [rng.integers(0, case.letters, n).astype(np.uint8) for n in (0, 1, 2, 3, 4, 5, 7, 8, 17, 33, 70)]
        subjects += [related(rng, query[-60:], case.letters) for _ in range(8)]
        subjects += [np.full(12, min(X, case.letters - 1), np.uint8), query.astype(np.uint8)[:60]]
        subjects += [rng.integers(0, case.letters, int(n)).astype(np.uint8) for n in rng.integers(0, 9, 13)]
        run = CpuRun(CpuGroups(subjects, case.letters), profile, variant).run()
        assert run.given == reference_scores(profile, subjects, case.gap_first, case.gap_extend), f"query of {length}"
        assert run.redo[0] == 0
        assert run.scores[-1] == -77


@pytest.mark.parametrize(("subjects", "count"), [(9, 3), (7, 4), (1, 1)])
def test_the_longest_pairs_of_the_own_layout(rng, subjects, count):
    lengths = rng.integers(1, 150, subjects)
    stored = [rng.integers(0, LETTERS, int(length)).astype(np.uint8) for length in -np.sort(-lengths)]
    profile = rng.integers(-4, 8, (150, LETTERS))  # strips of 128 rows
    variant = BlockVariant(arithmetic_for(2, profile, 12, 1), 32, 4)
    database = CpuDatabase(stored, LETTERS)
    long = LongTwins(count, variant, variant.arrange(profile.T.astype(np.int16)))
    scores, redo = np.full(2 * count + 1, -77, np.int32), np.zeros(2 * count + 1, np.int32)
    given = {
        "profile": long.profile,
        "border": np.zeros(long.border_words(database.layout) * GRID, np.uint32),
        "counter": np.zeros(1, np.int32),
        "scores": scores,
        "redo": redo,
        "cancel": np.zeros(1, np.int32),
    }
    arguments = long.arguments(database.layout, database.words.ctypes.data, database.layout.block_of, given)
    native = [pointer(one) if isinstance(one, np.ndarray) else as_native(one) for one in arguments]
    shared = ctypes.c_size_t(variant.shared_bytes)
    built("intra", variant.defines()).run_method(GRID, shared, *native)
    expected = reference_scores(profile, stored[: 2 * count], 12, 1)
    assert scores.tolist() == expected + [-77] * (len(scores) - len(expected))


def as_native(number: np.generic) -> ctypes.c_uint64 | ctypes.c_int32:
    return ctypes.c_uint64(int(number)) if isinstance(number, np.uint64) else ctypes.c_int32(int(number))


TILES = {
    "simt": {"rows": 12},
    "shared": {"k": 4, "p": 4},
    "band": {"band": 12},
    "vsimd": {"vector": 8, "partition": 96},
    "intra": {"rows": 8},
}


@pytest.mark.parametrize("kernel", TILES)
def test_exactly_on_the_limit_of_16_bits(kernel):
    # Scores of 6,000 per pair, and a last pair that brings the sum to what is wanted.
    base = np.full((LETTERS, LETTERS), -4)
    np.fill_diagonal(base, 6_000)
    query = np.random.default_rng(7).integers(0, 20, 5)
    other = np.random.default_rng(8).integers(0, 20, 30).astype(np.uint8)  # shares the register
    limit = 32_768 - 6_000
    for above in (-1, 0, 1):
        last = limit + above - 4 * 6_000
        profile = base[query].astype(np.int64)
        profile[-1] = np.where(base[query[-1]] > 0, last, -4)
        arithmetic = arithmetic_for(2, base, 12, 1)
        assert arithmetic.limit == limit
        variant = variant_of(kernel, arithmetic, 32, **TILES[kernel])
        groups = CpuGroups([query.astype(np.uint8), other], LETTERS)
        run = CpuRun(groups, profile, variant).run()
        neighbour = gotoh_score(profile.tolist(), other.tolist(), 12, 1)
        assert run.given[1] == neighbour
        assert run.redo[0] == (above >= 0)
        exact = variant_of("intra", arithmetic_for(1, base, 12, 1), 32, rows=4)
        again = CpuRun(groups, profile, exact)
        again.scores[:] = run.scores
        again.run(run.redo)
        assert again.given == [limit + above, neighbour]


@pytest.mark.parametrize("kernel", TILES)
def test_far_above_the_limit_leaves_the_neighbour_alone(kernel):
    profile = np.full((40, LETTERS), -4)
    profile[:, 5] = 3_000  # 40 of them are far beyond 16 bits
    rng = np.random.default_rng(3)
    subjects = [np.full(90, 5, np.uint8), *(rng.integers(6, LETTERS, int(n)).astype(np.uint8) for n in (90, 89, 7))]
    subjects[1][10:14] = 5
    variant = variant_of(kernel, arithmetic_for(2, profile, 12, 1), 32, **TILES[kernel])
    run = CpuRun(CpuGroups(subjects, LETTERS), profile, variant).run()
    assert run.redo[:2].tolist() == [1, 0]
    assert run.given[1:] == reference_scores(profile, subjects[1:], 12, 1)


@pytest.mark.parametrize("kernel", TILES)
def test_cancelled_kernels_end_and_write_nothing(kernel):
    rng = np.random.default_rng(1)
    profile = np.full((40, LETTERS), -4)
    profile[:, 5] = 3_000  # the kernels of the test before
    variant = variant_of(kernel, arithmetic_for(2, profile, 12, 1), 32, **TILES[kernel])
    run = CpuRun(CpuGroups([rng.integers(0, LETTERS, 400).astype(np.uint8)] * 3, LETTERS), profile, variant)
    run.cancel[0] = 1
    assert set(run.run().scores.tolist()) == {-77}
