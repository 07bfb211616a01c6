"""The streaming kernel against the textbook, run on the CPU: every twins, tile edges, limits of 16 bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from swgui.engines.cuda.arithmetic import Twins
from swgui.engines.cuda.streaming.variants import Tile
from tests.kernels.cases import LETTERS, Scores, matrix_of, related
from tests.kernels.on_cpu import COMPILER, CpuDatabase, CpuScan, arithmetic_for, scores_of_several
from tests.reference import gotoh_score

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

X = 22


@dataclass(frozen=True)
class Case(Scores):
    """A variant and the kind of scores it is for."""

    twins: Twins
    tile: Tile


CASES = {
    "4 lanes, interleaved": Case(Twins.SUBJECTS, Tile(4, 12, 64, 4)),
    "8 lanes": Case(Twins.SUBJECTS, Tile(8, 8, 64, 8)),
    "16 lanes, odd rows": Case(Twins.SUBJECTS, Tile(16, 3, 64, 3), gap_first=11, gap_extend=3),
    "32 lanes, drift of one row": Case(Twins.SUBJECTS, Tile(32, 5, 64, 4), gap_first=2, gap_extend=2),
    "without DPX": Case(Twins.SUBJECTS, Tile(8, 9, 64, 4), dpx=False),
    "large scores": Case(Twins.SUBJECTS, Tile(8, 7, 64, 7), gap_first=30, gap_extend=7, lowest=-900, highest=300),
    "no gap costs": Case(Twins.SUBJECTS, Tile(8, 6, 64, 6), gap_first=0, gap_extend=0),
    "two queries": Case(Twins.QUERIES, Tile(4, 10, 64, 4)),
    "two queries, nucleotides": Case(
        Twins.QUERIES, Tile(8, 5, 64, 5), gap_first=7, gap_extend=2, lowest=-3, highest=2, letters=16
    ),
    "32 bits": Case(Twins.NONE, Tile(4, 9, 64, 9), gap_first=500, gap_extend=500, lowest=-16000, highest=16000),
    "32 bits without DPX": Case(Twins.NONE, Tile(8, 6, 64, 4), dpx=False),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(3)
def test_scores_at_the_edges_of_tiles(name):
    case = CASES[name]
    rng = np.random.default_rng(sum(name.encode()))
    matrix = matrix_of(rng, case)
    height = case.tile.height
    arithmetic = arithmetic_for(case.twins, [matrix], case.gap_first, case.gap_extend, dpx=case.dpx)
    for length in (1, height - 1, height, height + 1, 2 * height, 2 * height + 3):
        query = rng.integers(0, case.letters, length)
        subjects = [rng.integers(0, case.letters, n).astype(np.uint8) for n in (0, 1, 2, 3, 4, 5, 7, 8, 31, 90)]
        subjects += [related(rng, query, case.letters) for _ in range(7)]
        subjects += [np.full(12, min(X, case.letters - 1), np.uint8), query.astype(np.uint8), query.astype(np.uint8)]
        profiles = [matrix[query]]
        if case.twins is Twins.QUERIES:
            profiles.append(matrix[query[::-1][: max(1, length - 2)]])
        scan = CpuScan(CpuDatabase(subjects, case.letters), profiles, arithmetic, case.tile).run()
        expected = [[gotoh_score(p, s, case.gap_first, case.gap_extend) for s in subjects] for p in profiles]
        assert np.array_equal(scan.scores, expected), f"query of {length}"
        assert not scan.redo[:, 0].any()


@pytest.mark.parametrize("tile", [Tile(4, 10, 64, 4), Tile(8, 5, 64, 5)])
def test_several_pairs_of_queries_in_one_launch(tile):
    case = Case(Twins.QUERIES, tile)
    rng = np.random.default_rng(12)
    matrix = matrix_of(rng, case)
    queries = [rng.integers(0, case.letters, length) for length in (40, 39, 38, 38, 37, 1)]
    subjects = [rng.integers(0, case.letters, n).astype(np.uint8) for n in (0, 1, 4, 7, 31, 90)]
    subjects += [related(rng, query, case.letters) for query in queries for _ in range(3)]
    profiles = [matrix[query] for query in queries]
    arithmetic = arithmetic_for(case.twins, profiles, case.gap_first, case.gap_extend, dpx=case.dpx)
    scores = scores_of_several(CpuDatabase(subjects, case.letters), profiles, arithmetic, tile)
    expected = [[gotoh_score(p, s, case.gap_first, case.gap_extend) for s in subjects] for p in profiles]
    assert np.array_equal(scores, expected)


@pytest.mark.parametrize("twins", [Twins.SUBJECTS, Twins.QUERIES])
@pytest.mark.parametrize("dpx", [True, False])
@pytest.mark.sampled
def test_exactly_on_the_limit_of_16_bits(twins, dpx):
    # Scores of 40 per pair, and one last pair that brings the sum to what is wanted.
    base = np.full((LETTERS, LETTERS), -4)
    np.fill_diagonal(base, 40)
    letters = np.arange(20)
    length = 790
    query = letters[np.random.default_rng(7).integers(0, 20, length)]
    profile = base[query].astype(np.int64)
    arithmetic = arithmetic_for(twins, [profile], 12, 1, dpx=dpx)
    wide = arithmetic_for(Twins.NONE, [profile], 12, 1, dpx=dpx)
    tile, wide_tile = Tile(32, 26, 64, 26), Tile(32, 26, 64, 26)
    for above in (-1, 0, 1):
        wanted = arithmetic.limit + above
        matches = -(-(wanted - 40) // 40)
        last = wanted - 40 * matches
        assert 0 < last <= 40
        assert matches + 1 <= 32 * 26
        order = np.resize(query, matches + 1)
        rows = base[order].astype(np.int64)
        rows[-1] = np.where(base[order[-1]] > 0, last, -4)
        subject = order.astype(np.uint8)
        other = np.random.default_rng(8).integers(0, 20, 800).astype(np.uint8)  # shares the register
        profiles = [rows] if twins is Twins.SUBJECTS else [rows, rows[:700]]
        planned = arithmetic_for(twins, profiles, 12, 1, dpx=dpx)
        assert planned.limit == arithmetic.limit
        scan = CpuScan(CpuDatabase([subject, other], LETTERS), profiles, planned, tile).run()
        neighbour = gotoh_score(rows, other, 12, 1)
        assert scan.scores[0, 1] == neighbour
        if above < 0:
            assert scan.scores[0, 0] == wanted
            assert scan.redo[0, 0] == 0
        else:
            assert scan.scores[0, 0] == -1
            assert scan.redo[0, 0] == 1
            scan.redo_in_32_bits(wide, wide_tile)
            assert scan.scores[0].tolist() == [wanted, neighbour]


def test_far_above_the_limit_leaves_later_subjects_alone():
    profile = np.full((300, LETTERS), -4)
    profile[:, 5] = 45
    long = np.full(900, 5, np.uint8)
    arithmetic = arithmetic_for(Twins.SUBJECTS, [np.tile(profile, (3, 1))], 12, 1)
    rng = np.random.default_rng(3)
    subjects = [long, long, *(rng.integers(0, LETTERS, n).astype(np.uint8) for n in rng.integers(1, 60, 21))]
    rows = np.tile(profile, (3, 1))
    tile = Tile(16, 20, 64, 4)
    scan = CpuScan(CpuDatabase(subjects, LETTERS), [rows], arithmetic, tile).run()
    assert sorted(scan.redo[0, 1:3]) == [0, 1]
    scan.redo_in_32_bits(arithmetic_for(Twins.NONE, [rows], 12, 1), tile)
    assert scan.scores[0].tolist() == [gotoh_score(rows, subject, 12, 1) for subject in subjects]


def test_no_subjects():
    profile = np.ones((5, LETTERS))
    arithmetic = arithmetic_for(Twins.SUBJECTS, [profile], 12, 1)
    scan = CpuScan(CpuDatabase([], LETTERS), [profile], arithmetic, Tile(8, 8, 64, 8)).run()
    assert scan.scores.shape == (1, 0)


def test_cancelled_kernels_end():
    rng = np.random.default_rng(1)
    profile = rng.integers(-4, 8, (40, LETTERS))
    arithmetic = arithmetic_for(Twins.SUBJECTS, [profile], 12, 1)
    database = CpuDatabase([rng.integers(0, LETTERS, 40_000).astype(np.uint8)], LETTERS)
    scan = CpuScan(database, [profile], arithmetic, Tile(8, 8, 64, 8))
    scan.cancel[0] = 1
    scan.run()
    assert scan.scores[0, 0] == -77  # never written
