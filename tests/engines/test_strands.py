"""Profiles of nucleotides on every engine: the other strand, and profiles of a single row."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.bases import related_bases
from swgui.core.profiles.log_odds import UNITS_PER_BIT, in_eighths_of_bits, profile_scheme
from swgui.core.profiles.recipe import NUCLEOTIDE_PRESETS
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import ScoreProfile
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.native.profiles import ProfileMaker
from tests.engines.conftest import all_scores, database_of, query_of, random_codes, random_gaps, relative

EDGES = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257)
RECIPE = NUCLEOTIDE_PRESETS["standard"].recipe
U, T = NUCLEOTIDE.code("U"), NUCLEOTIDE.code("T")


def both_strands(rng, codes):
    """Return a random profile around some bases, and that of the other strand, as queries."""
    length, symbols = len(codes), len(NUCLEOTIDE)
    scores = rng.integers(-24, 12, (length, symbols))
    scores[np.arange(length), codes] = rng.integers(4, 20, length)
    scores[:, U] = scores[:, T]  # a base and the same one of RNA
    gaps = random_gaps(rng, length, 40)
    profile = ScoreProfile("p", NUCLEOTIDE, scores.astype(np.int16), gaps, UNITS_PER_BIT)
    other = profile.reverse_complement()
    turned = NUCLEOTIDE.reverse_complement(codes)
    return [
        EncodedQuery("plus", codes, profile.scores, gaps=profile.gaps),
        EncodedQuery("minus", turned, other.scores, gaps=other.gaps),
    ]


def check_strands(engine, rng, length, number):
    """Compare scores of both strands with those of the reverse complements of all subjects."""
    codes = random_codes(rng, length, 4)
    kin = [relative(rng, codes, 16) for _ in range(number // 2)]
    subjects = [*kin, *(random_codes(rng, int(n), 16) for n in rng.choice(EDGES, number - len(kin)))]
    turned = [NUCLEOTIDE.reverse_complement(one) for one in subjects]
    queries, scheme = both_strands(rng, codes), profile_scheme(related_bases(), RECIPE)
    plus, minus = (all_scores(engine, queries, database_of(some, NUCLEOTIDE), scheme) for some in (subjects, turned))
    assert (plus[0] == minus[1]).all(), f"profile of {length} columns"
    assert (plus[1] == minus[0]).all(), f"profile of {length} columns"
    assert (plus[0] != plus[1]).any() or length == 1


@pytest.mark.parametrize("length", [33, 129])
def test_the_other_strand_scores_as_the_reverse_complements(engine, rng, length):
    check_strands(engine, rng, length, 40)


@pytest.mark.nightly
@pytest.mark.parametrize("length", EDGES)
def test_the_other_strand_scores_as_100_000_reverse_complements(engine, rng, length):
    for _ in range(5):
        check_strands(engine, rng, length, 1000)


def test_a_profile_of_one_row_scores_as_its_matrix(engine, rng):
    codes = random_codes(rng, 66, 4)
    alone = MasterAlignment.of_query(SequenceRecord("q", "", NUCLEOTIDE.decode(codes)), NUCLEOTIDE)
    profile = ProfileMaker(related_bases(), RECIPE).build(alone).profile
    first, extend = int(profile.gaps.insertion_first[0]), int(profile.gaps.insertion_extend[0])
    assert profile.gaps.are(first, extend)
    scheme = ScoringScheme(in_eighths_of_bits(related_bases()), first, extend)
    subjects = [relative(rng, codes, 5) for _ in range(60)]  # U scores as T
    queries = [EncodedQuery("row", codes, profile.scores, gaps=profile.gaps), query_of(codes)]
    row, plain = all_scores(engine, queries, database_of(subjects, NUCLEOTIDE), scheme)
    assert (row == plain).all()
    assert row.max() > 66 * UNITS_PER_BIT / 2
