"""Scores of shuffled copies and compositions: those of NumPy, by every instruction set."""

from __future__ import annotations

import numpy as np
import pytest

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import ALPHABETS, PROTEIN
from swgui.core.judging.correction_work import PERIODS, REVERSED, WHOLE, WINDOWS
from swgui.core.score_profile import PositionGaps, TrackProfile
from swgui.core.scoring import build_matrix, two_track_matrix
from swgui.core.statistics.background import background
from swgui.core.statistics.composition import LambdaScale, count_residues
from swgui.engines.native import Subjects, scores
from swgui.engines.native.correction import HOST
from swgui.io.matrices import load_matrix
from tests.correction_reference import copies, orders, solve_bases
from tests.engines.conftest import random_codes, random_matrix
from tests.reference import gotoh_score_wide

BLOSUM62 = load_matrix("BLOSUM62", PROTEIN)
LETTERS = ALPHABETS["3Di"]


def jobs(rng, rows, residues, count=40):
    """Every kind, and as many copies as fill no table, one and several."""
    made = []
    for k in range(count):
        tall, long = (int(rng.integers(1, size // 2)) for size in (rows, residues))
        row, start = int(rng.integers(0, rows - tall)), int(rng.integers(0, residues - long))
        kind = (WHOLE, WINDOWS, PERIODS)[k % 3]
        width = {WHOLE: long, WINDOWS: 10, PERIODS: int(rng.integers(2, 70))}[kind]
        number = REVERSED if kind == WHOLE else 3
        made.append([row, tall, start, long, kind, width, number, int(rng.choice([1, 16, 17, 40]))])
    return np.array(made)


def expected(profile, codes, jobs, costs, seed):
    found = []
    for row, rows, start, length, kind, width, number, count in jobs.tolist():
        block = copies(codes[start : start + length], kind, width, np.arange(number, number + count), seed)
        found += [gotoh_score_wide(profile[row : row + rows], one, *costs) for one in block]
    return found


@pytest.mark.parametrize("factor", [1, 40])  # in bytes; beyond them
@pytest.mark.sampled
def test_scores_are_those_of_copies_made_one_by_one(level, rng, factor):
    matrix = random_matrix(rng, PROTEIN, -5, 7).scores.astype(np.int64) * factor
    profile = matrix[random_codes(rng, 80, len(PROTEIN))].astype(np.int16)
    codes = random_codes(rng, 150, len(PROTEIN))
    given, costs = jobs(rng, 80, 150), (7 * factor, 2 * factor)
    found = HOST.shuffled_scores(profile, codes, given, *costs, 5, threads=1)
    assert found.tolist() == expected(profile, codes, given, costs, 5)


@pytest.mark.parametrize(
    ("score", "numbers"), [(11, (1, 20, 21, 22, 23, 24, 25, 290)), (120, (543, 544, 545, 546, 547))]
)
def test_scores_next_to_the_end_of_a_byte_and_of_a_word(level, score, numbers):
    profile = np.full((550, 3), -4, dtype=np.int16)
    profile[:, 0] = score
    given = np.array([[0, rows, 0, rows, WHOLE, rows, 0, 18] for rows in numbers])
    found = HOST.shuffled_scores(profile, np.zeros(550, dtype=np.uint8), given, 12, 1, 1)
    assert found.tolist() == np.repeat(score * given[:, 1], 18).tolist()


def test_stretches_too_long_for_lanes_are_scored_too(rng):
    codes = random_codes(rng, 70_000, 20)
    profile = BLOSUM62.scores[codes[:12]]
    given = np.array([[0, 12, 0, 70_000, WHOLE, 70_000, REVERSED, 1], [2, 9, 5, 30, WINDOWS, 10, 0, 5]])
    backwards = copies(codes, WHOLE, 70_000, np.array([REVERSED]), 1)
    whole = scores(profile, Subjects.packed(backwards.ravel(), np.array([0, 70_000])), 12, 1, threads=1).tolist()
    others = expected(profile, codes, given[1:], (12, 1), 1)
    assert HOST.shuffled_scores(profile, codes, given, 12, 1, 1).tolist() == whole + others


@pytest.mark.parametrize("factor", [1, 3, 60])  # in bytes; beyond them; beyond words
def test_in_two_tracks_residues_and_letters_move_together(level, rng, factor):
    parts = [random_matrix(rng, alphabet, -5, 7) for alphabet in (PROTEIN, LETTERS)]
    matrix = two_track_matrix(*parts, (2 * factor, factor))
    alphabet, symbols = matrix.alphabet, random_codes(rng, 150, len(matrix.alphabet)).astype(np.uint16)
    profile, given, costs = matrix.scores[symbols[20:100]], jobs(rng, 80, 150, 12), (9 * factor, 2 * factor)
    residues, found = alphabet.split(symbols)[0], []
    for row, rows, start, length, kind, width, number, count in given.tolist():
        part, numbers = slice(start, start + length), np.arange(number, number + count)
        copied = symbols[part][orders(residues[part], kind, width, numbers, 5)]
        some = Subjects.packed(copied.ravel(), np.arange(count + 1) * length)
        found += scores(profile[row : row + rows], some, *costs, threads=1).tolist()
    tables = TrackProfile.of_sums(profile, alphabet)
    assert HOST.shuffled_scores(tables, symbols, given, *costs, 5, tracks=alphabet, threads=1).tolist() == found


def test_threads_and_company_change_nothing(rng):
    codes, profile = random_codes(rng, 900, 20), BLOSUM62.scores[random_codes(rng, 900, 20)]
    given = jobs(rng, 900, 900, 60)
    one = HOST.shuffled_scores(profile, codes, given, 12, 1, 1, threads=1)
    assert HOST.shuffled_scores(profile, codes, given, 12, 1, 1, threads=3).tolist() == one.tolist()
    ends = np.cumsum(given[:, 7])
    for k in (0, 7, 59):
        alone = HOST.shuffled_scores(profile, codes, given[k : k + 1], 12, 1, 1)
        assert alone.tolist() == one[ends[k] - given[k, 7] : ends[k]].tolist()
    assert len(HOST.shuffled_scores(profile, codes, given[:0], 12, 1, 1)) == 0


def test_a_residue_outside_the_alphabet_is_an_error():
    given = np.array([[0, 4, 0, 3, WHOLE, 3, 0, 1]])
    with pytest.raises(ValueError, match="not in the alphabet"):
        HOST.shuffled_scores(np.ones((4, 27), np.int16), np.array([1, 2, 200], np.uint8), given, 2, 1, 1)


def stretches(rng):
    codes = np.concatenate([random_codes(rng, 400, len(PROTEIN)), np.repeat(random_codes(rng, 9, 20), 7)])
    starts = rng.integers(0, 400, 50)
    return Subjects(codes, starts, np.minimum(rng.integers(0, 90, 50), len(codes) - starts))


def test_counts_are_those_of_plain_counting(level, rng):
    some = stretches(rng)
    each, plain = [some[k] for k in range(len(some))], np.flatnonzero(background(PROTEIN))
    counted = [np.bincount(codes, minlength=len(PROTEIN))[plain].tolist() for codes in each]
    assert count_residues(some, PROTEIN, HOST).tolist() == counted
    assert HOST.count_symbols(some, len(PROTEIN)).sum(axis=1).tolist() == some.lengths.tolist()
    for codes, row in zip(each, HOST.count_repeats(some, 60).tolist(), strict=True):
        assert row == [sum(codes[i] == codes[i - p] for i in range(p, len(codes))) for p in range(61)]


def solved(scale, queries, subjects):
    """Return the judge's verdict on two lists of counts, as the library words it, and that."""
    p, q = (
        (counts + 10.0 * chance) / (counts.sum(axis=1, keepdims=True) + 10.0)
        for counts, (chance,) in ((queries, scale.of_queries), (subjects, scale.of_subjects))
    )
    given = p, q, scale.groups, scale.values, np.full(len(q), np.exp(scale.usual))
    return HOST.solve_bases(*given), solve_bases(*given)


@pytest.mark.parametrize("spread", [1, 1200])
def test_roots_are_the_same_to_the_last_bit(level, rng, spread):
    letters = PROTEIN.letters[:20]
    skewed = {(a, b): (int(rng.integers(-9, 3)) + 9 * (a == b)) * spread for a in letters for b in letters}
    for matrix in (BLOSUM62, build_matrix("skewed", PROTEIN, skewed)):
        scale = LambdaScale.of_background(matrix)
        counts = count_residues(stretches(rng), PROTEIN, HOST)
        biased = counts * (np.arange(20) % 7 == 0)  # among them some whose mean score is above 0
        for queries in (biased, biased[:1]):
            found, expected = solved(scale, queries, biased)
            assert found.tolist() == expected.tolist()
            assert len(set(found.tolist())) > 10
            assert scale.ratios(queries, biased, 10.0, HOST) == pytest.approx(np.log(expected) / scale.usual)
        alone = scale.ratios(biased[3:4], biased[3:4], 10.0, HOST)
        assert alone[0] == scale.ratios(biased[2:5], biased[2:5], 10.0, HOST)[1]


def test_gap_costs_by_position_are_those_of_the_rows(level, rng):
    profile, codes = BLOSUM62.scores[random_codes(rng, 60, 20)], random_codes(rng, 90, 20)
    first, extend = rng.integers(6, 14, 60), rng.integers(0, 6, 60)
    gaps = PositionGaps(first, extend, first + 3, extend)
    given = jobs(rng, 60, 90, 9)
    found = HOST.shuffled_scores(profile, codes, given, 12, 1, 1, gaps=gaps).tolist()
    plain_costs = PositionGaps.constant(60, 12, 1)
    for job in given[:, :8].tolist():
        row, rows, start, length, kind, width, number, count = job
        block = copies(codes[start : start + length], kind, width, np.arange(number, number + count), 1)
        packed = Subjects.packed(block.ravel(), np.arange(count + 1) * length)
        own = gaps.take(slice(row, row + rows))
        expected_scores = scores(profile[row : row + rows], packed, 12, 1, gaps=own).tolist()
        assert found[:count] == expected_scores
        found = found[count:]
    assert HOST.shuffled_scores(profile, codes, given, 12, 1, 1, gaps=plain_costs).tolist() == (
        HOST.shuffled_scores(profile, codes, given, 12, 1, 1).tolist()
    )
