"""The streaming kernel with a second track against the textbook, run on the CPU."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from swgui.engines.cuda.arithmetic import Costs as SchemeCosts
from swgui.engines.cuda.arithmetic import Twins, plan_arithmetic
from swgui.engines.cuda.streaming.launch import profile_of
from swgui.engines.cuda.streaming.variants import Tile
from tests.engines.conftest import judge, query_of
from tests.engines.test_tracks import family, scheme_of, symbols
from tests.kernels.on_cpu import COMPILER, CpuDatabase, CpuScan

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


@dataclass(frozen=True)
class Case:
    """A variant and the kind of scores it is for."""

    twins: Twins
    tile: Tile
    letters: int = 20
    limits: tuple[int, int] = (-8, 9)
    costs: tuple[int, int] = (12, 1)
    dpx: bool = True
    packed: bool = False
    passes: int = 1


CASES = {
    "packed": Case(Twins.SUBJECTS, Tile(8, 8, 64, 4), packed=True, passes=2),
    "packed, 64 letters, no DPX": Case(Twins.SUBJECTS, Tile(4, 7, 64, 7), 64, dpx=False, packed=True),
    "words": Case(Twins.SUBJECTS, Tile(8, 9, 64, 4), limits=(-300, 200), costs=(200, 30)),
    "two queries": Case(Twins.QUERIES, Tile(8, 6, 64, 4), 36),
    "32 bits": Case(Twins.NONE, Tile(8, 6, 64, 6), 9, (-900, 800), (900, 100)),
}


@pytest.mark.parametrize("name", CASES)
def test_scores_of_both_tracks_are_those_of_the_textbook(rng, name):
    case = CASES[name]
    scheme = scheme_of(rng, case.letters, costs=case.costs, limits=case.limits)
    arithmetic = plan_arithmetic(case.twins, SchemeCosts.for_queries(scheme), dpx=case.dpx)
    assert (arithmetic.twins, arithmetic.packed, arithmetic.beside) == (case.twins, case.packed, case.letters)
    query, subjects = family(rng, scheme, case.passes * case.tile.height - 3, 9)
    subjects += [symbols(rng, scheme, n) for n in (1, 3, 4, 5, 30)] + [query[:0], query[:40]]
    queries = [query] if case.twins is not Twins.QUERIES else [query, query[:-3]]
    residues, letters = zip(*map(scheme.alphabet.split, subjects), strict=True)
    database = CpuDatabase(residues, 27, beside=(letters, case.letters))
    profiles = [profile_of(query_of(codes), scheme).T for codes in queries]
    scored = CpuScan(database, profiles, arithmetic, case.tile).run().scores
    for codes, scores in zip(queries, scored, strict=True):
        assert scores.tolist() == judge(query_of(codes).scores(scheme), subjects, *case.costs)


def test_scores_beyond_16_bits_are_scored_again(rng):
    scheme = scheme_of(rng, 9, weights=(60, 60), costs=(700, 60))
    narrow, wide = (
        plan_arithmetic(twins, SchemeCosts.for_queries(scheme), dpx=True) for twins in (Twins.SUBJECTS, Twins.NONE)
    )
    tile = Tile(8, 8, 64, 4)
    query, subjects = family(rng, scheme, 120, 6)
    residues, letters = zip(*map(scheme.alphabet.split, [*subjects, query]), strict=True)
    scan = CpuScan(
        CpuDatabase(residues, 27, beside=(letters, 9)), [profile_of(query_of(query), scheme).T], narrow, tile
    ).run()
    assert scan.redo[0][0] > 0
    scan.redo_in_32_bits(wide, tile)
    assert scan.scores[0].tolist() == judge(query_of(query).scores(scheme), [*subjects, query], 700, 60)
