"""Profiles of alignments, compared with figures worked out by hand and with necessary properties."""

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import InvalidParameter, ProfileError
from swgui.core.profiles.alignment import DELETION, OUTSIDE, AlignedRow, MasterAlignment
from swgui.core.profiles.log_odds import conditional_frequencies, in_eighths_of_bits, log_odds_scores
from swgui.core.profiles.recipe import Recipe
from swgui.core.scoring import SubstitutionMatrix
from swgui.core.statistics.background import background, ungapped_lambda
from swgui.engines.native.profiles import ProfileMaker
from swgui.engines.native.rows import purge
from swgui.io.matrices import load_matrix
from tests.core.profiles.reference import effective_numbers, position_based_weights, select_rows, supported_ends

PLAIN = Recipe(mask=False, end_support=0.0, min_residues=1)


@pytest.fixture(scope="module")
def conditional():
    return conditional_frequencies(load_matrix("BLOSUM62", PROTEIN))


def build_profile(alignment, recipe):
    return ProfileMaker(load_matrix("BLOSUM62", PROTEIN), recipe).build(alignment)


def row(text, insertions=None):
    """A row of letters, ``-`` for a deletion and ``.`` for what is outside."""
    marks = {"-": DELETION, ".": OUTSIDE}
    codes = [marks[letter] if letter in marks else PROTEIN.code(letter) for letter in text]
    return AlignedRow(text, "", np.array(codes, dtype=np.uint8), insertions or {})


def codes_of(*texts):
    return np.stack([row(text).codes for text in texts])


def alignment_of(*rows):
    return MasterAlignment(PROTEIN, tuple(one if isinstance(one, AlignedRow) else row(one) for one in rows))


def test_the_frequencies_behind_a_matrix_give_its_scores_back(conditional):
    matrix = load_matrix("BLOSUM62", PROTEIN)
    assert np.allclose(conditional.sum(axis=1), 1.0)
    scale = 0.3176  # ungapped lambda of BLOSUM62, Altschul et al. 1997
    half_bits = np.log2(conditional / background(PROTEIN)[:20]) / (scale / np.log(2))
    assert np.array_equal(np.rint(half_bits), matrix.scores[:20, :20])


def test_a_matrix_that_implies_no_frequencies_is_refused():
    flat = SubstitutionMatrix("all one", PROTEIN, np.ones((len(PROTEIN), len(PROTEIN)), dtype=np.int16))
    with pytest.raises(ProfileError, match="'all one'"):
        conditional_frequencies(flat)


def test_scores_are_eighths_of_bits_and_ambiguous_letters_are_means():
    matrix = in_eighths_of_bits(load_matrix("BLOSUM62", PROTEIN))
    scale = ungapped_lambda(matrix.scores[:20, :20], background(PROTEIN)[:20])
    assert scale == pytest.approx(np.log(2) / 8, rel=0.01)
    assert matrix.score("A", "U") == matrix.score("A", "C")
    assert abs(2 * matrix.score("A", "B") - matrix.score("A", "N") - matrix.score("A", "D")) <= 2
    assert {matrix.score(letter, "X") for letter in "ARW"} == {-4}
    assert matrix.score("A", "*") == matrix.scores[PROTEIN.code("A"), :20].min()


def test_a_residue_that_never_occurs_scores_as_low_as_there_is():
    certain = np.zeros((1, 20))
    certain[0, 0] = 1.0
    scores = log_odds_scores(certain, PROTEIN)
    assert scores[0, 1] == -127
    assert scores[0, 0] == round(8 * np.log2(1 / background(PROTEIN)[0]))


def test_weights_are_those_of_henikoff_and_henikoff():
    # Figures of the paper.
    weights = position_based_weights(codes_of("GYVGS", "GFDGF", "GYDGF", "GYQGG"), 20)
    columns = ["GGGG", "YFYY", "VDDQ", "GGGG", "SFFG"]
    expected = np.zeros(4)
    for column in columns:
        for number, letter in enumerate(column):
            expected[number] += 1 / (len(set(column)) * column.count(letter))
    assert weights == pytest.approx(expected / expected.sum())
    assert weights == pytest.approx([0.2667, 0.2667, 0.2, 0.2667], abs=1e-4)


def test_copies_are_purged_but_not_the_query_nor_what_reaches_further():
    rows = codes_of("MKTAYIAKQR", "MKTAYIAKQR", "MKTAYI....", "MKTWYIAKQR", "MKTWYIAKQR")
    assert purge(rows, 20, 0.97).tolist() == [0, 3]
    assert purge(codes_of("MKTAY.....", "MKTAYIAKQR"), 20, 0.97).tolist() == [0, 1]
    assert purge(rows, 20, 1.01).tolist() == [0, 1, 2, 3, 4]
    assert purge(rows, 20, 0.9).tolist() == [0]


def test_effective_numbers_count_letters_among_the_rows_that_reach_a_column():
    assert effective_numbers(codes_of("AAAA", "AAAA"), 20).tolist() == [1, 1, 1, 1]
    # Columns 2 and 3 are reached by the first row alone.
    assert effective_numbers(codes_of("AAAA", "RR..", "NA.."), 20).tolist() == [(3 + 2 + 1 + 1) / 4] * 2 + [1, 1]


def test_ends_that_nobody_shares_are_cut_off_up_to_a_quarter():
    rows = [f"{'A' * 20}{'.' * 20}"] * 20 + [f"{'A' * 24}{'.' * 16}", f"{'.' * 2}{'A' * 38}"]
    ends = supported_ends(codes_of(*rows), 0.1)
    assert ends[0].tolist() == [0, 20]
    assert ends[20].tolist() == [0, 20]
    assert ends[21].tolist() == [2, 40]  # the others cover less than half of it: too few to judge it
    assert supported_ends(codes_of(*rows), 0.0)[20].tolist() == [0, 24]


def test_a_query_alone_gives_the_scores_of_its_residues():
    query = "MKTAYIAKQRWXW"
    profile = build_profile(alignment_of(query), PLAIN).profile
    matrix = in_eighths_of_bits(load_matrix("BLOSUM62", PROTEIN))
    assert np.array_equal(profile.scores, matrix.scores[PROTEIN.encode(query.encode())])
    assert set(profile.gaps.insertion_first.tolist()) == set(profile.gaps.deletion_first.tolist()) == {40}
    assert set(profile.gaps.insertion_extend.tolist()) == {3}


def test_pseudocounts_give_way_to_what_is_observed(conditional):
    texts = ["W" * 30] + ["".join("AC"[(number >> place % 5) & 1] for place in range(30)) for number in range(32)]
    built = build_profile(alignment_of(*texts), PLAIN)
    few = build_profile(alignment_of(*texts[:3]), PLAIN)
    assert np.allclose(built.frequencies.sum(axis=1), 1.0)
    code = PROTEIN.code("W")  # of the query alone
    assert (built.frequencies[:, code] < few.frequencies[:, code]).all()
    assert built.effective_sequences > few.effective_sequences
    # By hand for column 0: N of all three letters, f by the weights, beta 20.
    alpha = built.effective[0] - 1
    weights = position_based_weights(codes_of(*texts), 20)
    f = np.zeros(20)
    np.add.at(f, codes_of(*texts)[:, 0], weights)
    assert built.frequencies[0] == pytest.approx((alpha * f + 20 * f @ conditional) / (alpha + 20))


def test_every_column_keeps_the_ungapped_lambda_of_bits():
    rng = np.random.default_rng(3)
    texts = ["".join(rng.choice(list("ARNDCQEGHILKMFPSTWYV"), 40)) for _ in range(30)]
    scores = build_profile(alignment_of(*texts), PLAIN).profile.scores[:, :20]
    expected = (background(PROTEIN)[:20] * np.exp(scores * np.log(2) / 8)).sum(axis=1)
    assert expected == pytest.approx(np.ones(40), rel=0.05)


def test_gaps_are_cheap_where_rows_open_them_and_dear_elsewhere():
    with_gaps = [row("MRTAYLA--RW", {3: b"GG"}), row("MKSAFIA--RF", {3: b"G"}), row("MKTVYIA--KW")]
    gaps = build_profile(alignment_of("MKTAYIAKQRW", *with_gaps), PLAIN).profile.gaps
    deletions, insertions = gaps.deletion_first.tolist(), gaps.insertion_first.tolist()
    assert min(deletions) == deletions[7] < 40  # opens at the first column that is left out
    assert deletions[8] > 40
    assert min(insertions) == insertions[3] < 40
    assert max(insertions) == insertions[4] > 40
    constant = Recipe(mask=False, end_support=0.0, min_residues=1, position_gaps=False)
    flat = build_profile(alignment_of("MKTAYIAKQRW", *with_gaps), constant).profile.gaps
    assert set(flat.deletion_first.tolist()) == {40}


def test_long_queries_expect_more_gaps():
    def opened(columns):
        query, *others = (("MKTAYIAKQRWVDNELFHC" * 60)[at : at + columns] for at in range(4))
        rows = [row(other[:7] + "--" + other[9:]) for other in others]
        return int(build_profile(alignment_of(query, *rows), PLAIN).profile.gaps.deletion_first[7])

    assert opened(100) == opened(250) < opened(400) < opened(500) == opened(1000) < 40


def test_low_complexity_says_nothing():
    query = "MKTAYIAKQRWVDNELFHC" + "Q" * 30 + "MKVAYWAKQRIVDNELFHC"
    masked = build_profile(alignment_of(query), Recipe()).profile
    assert np.abs(masked.scores[25:45, :20]).max() <= 1
    assert masked.scores[0, PROTEIN.code("M")] > 15
    open_ = build_profile(alignment_of(query), PLAIN).profile
    assert open_.scores[30, PROTEIN.code("Q")] > 10


def test_rows_that_are_too_short_do_not_count():
    codes = codes_of("MKTAYIAKQR", "MRT.......", "MRTVYLA...")
    by_length = Recipe(mask=False, end_support=0.0, min_residues=5)
    assert select_rows(codes, 20, by_length)[0].tolist() == [0, 2]
    by_coverage = Recipe(mask=False, end_support=0.0, min_residues=1, min_coverage=0.8)
    assert select_rows(codes, 20, by_coverage)[0].tolist() == [0]


def test_rows_end_with_residues_once_their_ends_are_cut_off():
    rows = codes_of(*[f"{'A' * 20}{'.' * 20}"] * 20, f"..{'R' * 15}--{'R' * 5}{'.' * 16}", f"{'A' * 18}--AA{'.' * 18}")
    kept, codes = select_rows(rows, 20, Recipe(max_identity=1.01, end_support=0.5, min_residues=1))
    assert kept.tolist() == list(range(22))
    assert [np.flatnonzero(row != OUTSIDE)[[0, -1]].tolist() for row in codes[20:]] == [[2, 19], [0, 17]]


@pytest.mark.parametrize(
    ("name", "value"), [("beta", 0.0), ("gap_chance", 1.5), ("min_residues", 0), ("gap_first", -1)]
)
def test_figures_of_a_recipe_out_of_range_are_refused(name, value):
    with pytest.raises(InvalidParameter, match=name.replace("_", " ")):
        Recipe(**{name: value})
