"""The streaming kernel with gap costs by position against the textbook, run on the CPU."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.engines.cuda.arithmetic import Arithmetic, Costs, Gaps, Twins, plan_arithmetic
from swgui.engines.cuda.streaming.variants import Tile
from tests.engines.conftest import random_gaps
from tests.kernels.cases import LETTERS, Scores, matrix_of, related
from tests.kernels.on_cpu import COMPILER, CpuDatabase, CpuScan
from tests.reference import gotoh_by_position

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

SCHEME = ScoringScheme(SubstitutionMatrix("m", PROTEIN, np.zeros((27, 27), dtype=np.int16)), 12, 1)


@dataclass(frozen=True)
class Case(Scores):
    """A variant and the kind of scores it is for."""

    twins: Twins
    tile: Tile
    most: int = 14
    scale: int = 1
    extension: int = -1  # of all gaps, if it is none below 0


CASES = {
    "4 lanes, interleaved": Case(Twins.SUBJECTS, Tile(4, 12, 64, 4)),
    "8 lanes": Case(Twins.SUBJECTS, Tile(8, 8, 64, 8)),
    "16 lanes, odd rows": Case(Twins.SUBJECTS, Tile(16, 3, 64, 3), most=40),
    "one row behind": Case(Twins.SUBJECTS, Tile(32, 5, 64, 1), most=2),
    "without DPX": Case(Twins.SUBJECTS, Tile(8, 9, 64, 4), dpx=False),
    "words": Case(Twins.SUBJECTS, Tile(8, 7, 64, 7), lowest=-900, highest=300, scale=30),
    "no gap costs": Case(Twins.SUBJECTS, Tile(8, 6, 64, 6), most=0),
    "first residues alone": Case(Twins.SUBJECTS, Tile(8, 9, 64, 4), extension=3),
    "first residues, drift of one row": Case(Twins.SUBJECTS, Tile(4, 11, 64, 11), extension=8, most=200, highest=40),
    "first residues, words without DPX": Case(Twins.SUBJECTS, Tile(8, 7, 64, 4), extension=1, highest=99, dpx=False),
    "first residues, extensions for nothing": Case(Twins.SUBJECTS, Tile(16, 6, 64, 5), extension=0),
    "first residues of two queries": Case(Twins.QUERIES, Tile(8, 6, 64, 4), extension=2),
    "first residues in 32 bits": Case(Twins.NONE, Tile(4, 10, 64, 4), extension=5),
    "two queries": Case(Twins.QUERIES, Tile(4, 10, 64, 4)),
    "two queries without DPX": Case(Twins.QUERIES, Tile(8, 5, 64, 5), dpx=False, most=3),
    "32 bits": Case(Twins.NONE, Tile(4, 9, 64, 9), lowest=-16000, highest=16000, scale=300),
    "32 bits without DPX": Case(Twins.NONE, Tile(8, 6, 64, 4), dpx=False),
}


def arithmetic_of(queries, twins: Twins, *, dpx: bool = True) -> Arithmetic:
    return plan_arithmetic(twins, Costs.for_queries(SCHEME, queries), dpx=dpx)


def query_of(profile, gaps) -> EncodedQuery:
    return EncodedQuery("q", np.zeros(len(profile), np.uint8), profile.astype(np.int16), gaps=gaps)


def gaps_of(rng, length: int, case: Case) -> PositionGaps:
    """Return random costs of the kind that a case is for."""
    gaps = random_gaps(rng, length, case.most, case.scale)
    if case.extension < 0:
        return gaps
    extend = np.full(length, case.extension)
    first, gone = (case.extension + rng.integers(0, case.most, length) for _ in range(2))
    return PositionGaps(first, extend, gone, extend)


def scan_of(database, queries, arithmetic, tile) -> CpuScan:
    return CpuScan(database, [q.profile for q in queries], arithmetic, tile, gaps=[q.gaps for q in queries])


def textbook(query, subjects):
    costs = np.stack(query.gaps.columns, axis=1).tolist()
    return [gotoh_by_position(query.profile.tolist(), one.tolist(), costs) for one in subjects]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.sampled(2)
def test_scores_at_the_edges_of_tiles(name):
    case = CASES[name]
    rng = np.random.default_rng(sum(name.encode()))
    matrix = matrix_of(rng, case)
    height, given = case.tile.height, []
    for length in (1, height - 1, height, height + 1, 2 * height, 2 * height + 3):
        codes = rng.integers(0, LETTERS, length)
        subjects = [rng.integers(0, LETTERS, n).astype(np.uint8) for n in (0, 1, 2, 3, 4, 5, 7, 8, 31, 90)]
        subjects += [related(rng, codes, LETTERS) for _ in range(7)]
        subjects += [codes.astype(np.uint8), codes.astype(np.uint8)]
        queries = [query_of(matrix[codes], gaps_of(rng, length, case))]
        if case.twins is Twins.QUERIES:
            other = matrix[codes[::-1][: max(1, length - 2)]]
            queries.append(query_of(other, gaps_of(rng, len(other), case)))
        given.append((queries, subjects))
    arithmetic = arithmetic_of([query for queries, _ in given for query in queries], case.twins, dpx=case.dpx)
    assert arithmetic.twins is case.twins
    assert arithmetic.packed == (case.highest < 64 and case.twins is Twins.SUBJECTS)
    assert (arithmetic.positions is Gaps.OPENINGS) == (case.extension >= 0 or case.most == 0)
    for queries, subjects in given:  # all by the same kernels
        scan = scan_of(CpuDatabase(subjects, LETTERS), queries, arithmetic, case.tile).run()
        assert np.array_equal(scan.scores, [textbook(query, subjects) for query in queries]), len(queries[0].profile)
        assert not scan.redo[:, 0].any()


def test_what_16_bits_cannot_hold_is_scored_again():
    rng = np.random.default_rng(11)
    profile = np.full((640, LETTERS), -50)
    profile[:, 3] = 60
    query = query_of(profile, random_gaps(rng, 640, 30))
    narrow, wide = arithmetic_of([query], Twins.SUBJECTS), arithmetic_of([query], Twins.NONE)
    subjects = [np.full(n, 3, np.uint8) for n in (640, narrow.limit // 60 - 1, narrow.limit // 60 + 1, 20)]
    scan = scan_of(CpuDatabase(subjects, LETTERS), [query], narrow, Tile(32, 20, 64, 4)).run()
    assert scan.redo[0, 0] == sum(60 * len(one) >= narrow.limit for one in subjects) == 2
    scan.redo_in_32_bits(wide, Tile(16, 20, 64, 4))
    assert scan.scores[0].tolist() == [60 * len(one) for one in subjects]


def test_profiles_of_one_kind_share_their_kernels():
    rng = np.random.default_rng(2)
    kinds = set()
    for most in (5, 9, 14):
        profile = rng.integers(-9 - most, 11 + most, (50, LETTERS))
        kinds.add(arithmetic_of([query_of(profile, random_gaps(rng, 50, most))], Twins.SUBJECTS))
    assert len(kinds) == 1
    assert arithmetic_of([query_of(profile, random_gaps(rng, 50, 14, 20))], Twins.SUBJECTS) not in kinds


@pytest.mark.parametrize("twins", list(Twins))
def test_stored_values_stay_in_their_range(twins):
    for first in (0, 64, 65, 3000, 16_000):
        for highest in (1, 63, 64, 900, 16_000):
            gaps = random_gaps(np.random.default_rng(first), 3, 0)
            gaps = type(gaps)(*(np.full(3, first),) * 4)
            profile = np.full((3, LETTERS), -highest)
            profile[0] = highest
            arithmetic = arithmetic_of([query_of(profile, gaps)], twins)
            assert arithmetic.gap_first >= first
            assert arithmetic.floor >= 2 * first  # a first residue and an extension from the least value
            assert arithmetic.floor + arithmetic.worst >= 0
            assert arithmetic.worst <= max(-highest, -2 * first)
            if arithmetic.twins is not Twins.NONE:
                assert arithmetic.limit - 1 + arithmetic.floor + highest < 0x7BFF
