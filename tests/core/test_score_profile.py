import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import InvalidParameter, ProfileError
from swgui.core.hits.encoding import encode_part, encode_query
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PositionGaps, ScoreProfile
from tests.asking import BLOSUM62


@pytest.fixture
def protein_scheme():
    return BLOSUM62


def gaps_of(first=(9, 9, 9), extend=(1, 1, 1), deletion=(9, 9, 9), deleted=(1, 1, 1)):
    return PositionGaps(*(np.array(costs) for costs in (first, extend, deletion, deleted)))


def test_a_deletion_may_have_a_negative_extension_while_it_costs_nothing_less_than_nothing():
    assert gaps_of(deletion=(5, 5, 5), deleted=(1, -3, -2)).deletion_extend.tolist() == [1, -3, -2]
    with pytest.raises(ProfileError, match="deletion"):
        gaps_of(deletion=(5, 5, 5), deleted=(1, -3, -3))


@pytest.mark.parametrize("wrong", [{"extend": (1, 10, 1)}, {"extend": (1, -1, 1)}, {"deleted": (1, 10, 1)}])
def test_costs_that_make_no_sense_are_refused(wrong):
    with pytest.raises(ProfileError):
        gaps_of(**wrong)


def test_costs_of_different_lengths_are_refused():
    with pytest.raises(ProfileError, match="different lengths"):
        gaps_of(first=(9, 9))


def test_a_record_with_a_profile_is_encoded_with_its_scores_and_its_gap_costs(protein_scheme):
    scores = np.arange(3 * len(PROTEIN), dtype=np.int16).reshape(3, -1)
    profile = ScoreProfile("round 2", PROTEIN, scores, gaps_of(first=(7, 8, 9)))
    record = SequenceRecord("q", "", b"MKW", profile=profile)
    query = encode_query(record, protein_scheme)
    assert np.array_equal(query.scores(protein_scheme), scores)
    assert query.gap_costs(protein_scheme).insertion_first.tolist() == [7, 8, 9]
    part = encode_part(record, protein_scheme, part=QueryRange(2, 3))
    assert np.array_equal(part.scores(protein_scheme), scores[1:])
    assert part.gap_costs(protein_scheme).insertion_first.tolist() == [8, 9]
    with pytest.raises(ValueError, match="Only nucleotide sequences"):
        encode_query(record, protein_scheme, strand=-1)


def test_a_query_without_gap_costs_has_those_of_the_scheme_at_every_position(protein_scheme):
    query = encode_query(SequenceRecord("q", "", b"MKW"), protein_scheme)
    costs = query.gap_costs(protein_scheme)
    assert {tuple(column) for column in costs.columns} == {(12, 12, 12), (1, 1, 1)}
    with pytest.raises(InvalidParameter, match="gap costs for 2 positions"):
        replace(query, gaps=PositionGaps.constant(2, 9, 1))


def test_a_profile_needs_costs_for_every_position():
    with pytest.raises(ProfileError, match="4 positions"):
        ScoreProfile("p", PROTEIN, np.zeros((3, len(PROTEIN))), PositionGaps.constant(4, 9, 1))


@pytest.mark.parametrize("units", [-8.0, float("nan"), float("inf")])
def test_a_profile_with_impossible_units_a_bit_is_refused_in_a_sentence(units):
    with pytest.raises(ProfileError, match=r"profile 'odd' has .* units a bit, which is no scale of scores"):
        ScoreProfile("odd", PROTEIN, np.zeros((3, len(PROTEIN)), dtype=np.int16), gaps_of(), units)
