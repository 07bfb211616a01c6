from itertools import product

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import AlphabetMismatch, InvalidParameter, MatrixError
from swgui.core.scoring import (
    EncodedQuery,
    ScoringScheme,
    SubstitutionMatrix,
    build_matrix,
    check_same_alphabet,
    match_mismatch,
)

DNA = match_mismatch(NUCLEOTIDE, 2, -3)


def test_the_gap_formula():
    """BLAST's 11/1: a gap of one costs 12, of two 13, of ten 21."""
    scheme = ScoringScheme.from_blast(DNA, 11, 1)
    assert (scheme.gap_first, scheme.gap_extend) == (12, 1)
    assert [scheme.gap_cost(k) for k in (0, 1, 2, 10)] == [0, 12, 13, 21]
    assert (scheme.gap_open, scheme.gap_extend) == (11, 1)


@pytest.mark.parametrize(("gap_first", "gap_extend"), [(1, 2), (-1, 0), (5, -1), (2_000_000, 1)])
def test_costs_that_make_no_sense_are_refused(gap_first, gap_extend):
    with pytest.raises(InvalidParameter):
        ScoringScheme(DNA, gap_first, gap_extend)


def test_negative_blast_costs_are_refused_with_the_name_of_the_cost():
    with pytest.raises(InvalidParameter, match="gap open"):
        ScoringScheme.from_blast(DNA, -11, 1)


def test_ambiguous_bases_score_the_mean_over_their_bases_rounded_down():
    assert DNA.score("A", "A") == 2
    assert DNA.score("A", "C") == -3
    assert DNA.score("A", "R") == -1  # (2 - 3) / 2
    assert DNA.score("A", "N") == -2  # (2 - 9) / 4
    assert DNA.score("N", "N") == -2
    assert DNA.score("U", "T") == 2
    assert np.array_equal(DNA.scores, DNA.scores.T)


@pytest.mark.parametrize(("match", "mismatch"), [(0, -1), (-2, -3), (2, 0), (2, 3)])
def test_match_must_gain_and_mismatch_must_cost(match, mismatch):
    with pytest.raises(InvalidParameter):
        match_mismatch(NUCLEOTIDE, match, mismatch)


def _plain_protein(value=lambda a, b: 5 if a == b else -1):
    letters = "ARNDCQEGHILKMFPSTWYV"
    return {(a, b): value(a, b) for a, b in product(letters, repeat=2)}


def test_letters_a_file_lacks_are_derived_from_what_they_stand_for():
    matrix = build_matrix("toy", PROTEIN, _plain_protein())
    assert matrix.score("U", "C") == 5
    assert matrix.score("U", "U") == 5
    assert matrix.score("J", "I") == 2  # (5 - 1) / 2
    assert matrix.score("B", "N") == 2
    assert matrix.score("X", "A") == -1  # (5 - 19) / 20 rounded down
    assert matrix.score("O", "A") == matrix.score("X", "A")
    assert matrix.score("*", "A") == -1  # the lowest value
    assert matrix.score("*", "*") == 1


def test_letters_a_file_has_are_taken_as_they_are():
    pairs = _plain_protein()
    pairs.update({("X", c): -7 for c in "ARNDCQEGHILKMFPSTWYVX"} | {(c, "X"): -7 for c in "ARNDCQEGHILKMFPSTWYV"})
    matrix = build_matrix("toy", PROTEIN, pairs)
    assert matrix.score("X", "W") == -7
    assert matrix.score("O", "W") == -7


def test_asymmetric_matrices_keep_query_rows_and_subject_columns():
    matrix = build_matrix("toy", PROTEIN, _plain_protein(lambda a, b: 3 if (a, b) == ("W", "A") else -2))
    assert (matrix.score("W", "A"), matrix.score("A", "W")) == (3, -2)
    assert not np.array_equal(matrix.scores, matrix.scores.T)
    query = EncodedQuery("q", PROTEIN.encode(b"WA"))
    profile = query.scores(ScoringScheme(matrix, 5, 1))
    assert profile.shape == (2, len(PROTEIN))
    assert profile[0, PROTEIN.code("A")] == 3
    assert profile[1, PROTEIN.code("W")] == -2


def test_a_matrix_that_lacks_a_plain_letter_is_refused_by_name():
    pairs = {pair: score for pair, score in _plain_protein().items() if "W" not in pair}
    with pytest.raises(MatrixError, match="no score for A against W"):
        build_matrix("toy", PROTEIN, pairs)
    with pytest.raises(MatrixError, match="no scores"):
        build_matrix("toy", PROTEIN, {})


def test_values_beyond_the_limit_are_refused():
    with pytest.raises(MatrixError, match="16000"):
        build_matrix("toy", PROTEIN, _plain_protein(lambda a, b: 20_000))
    with pytest.raises(MatrixError, match="shape"):
        SubstitutionMatrix("toy", PROTEIN, np.zeros((3, 3), dtype=np.int16))


def test_a_profile_replaces_the_matrix_and_must_fit_the_query():
    codes = PROTEIN.encode(b"MKV")
    profile = np.arange(3 * len(PROTEIN), dtype=np.int16).reshape(3, -1)
    scheme = ScoringScheme(build_matrix("toy", PROTEIN, _plain_protein()), 5, 1)
    assert EncodedQuery("q", codes, profile).scores(scheme) is profile
    with pytest.raises(InvalidParameter, match="2 rows for 3 residues"):
        EncodedQuery("q", codes, profile[:2])


def test_kinds_of_sequence_must_agree():
    check_same_alphabet(PROTEIN, PROTEIN, "database")
    with pytest.raises(AlphabetMismatch, match="database is nucleotide, but protein"):
        check_same_alphabet(PROTEIN, NUCLEOTIDE, "database")
