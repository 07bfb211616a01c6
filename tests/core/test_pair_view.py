"""Positions, letters, differences and maps of an alignment kept as runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alignment import Alignment, count_columns, rescore, spell_out
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair import view as pair_view
from swgui.core.pair.view import AlignmentMap, density, differences, score_and_count, text_window
from swgui.core.scoring import EncodedQuery
from tests.asking import DNA_SCHEME

RUNS = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), min_size=1, max_size=12)


def pair_of(alignment: Alignment, seed: int = 1) -> tuple[EncodedQuery, np.ndarray]:
    rng = np.random.default_rng(seed)
    query = rng.integers(0, 4, alignment.query_end + 3).astype(np.uint8)
    return EncodedQuery("q", query), rng.integers(0, 4, alignment.subject_end + 3).astype(np.uint8)


@given(RUNS, st.integers(0, 5), st.integers(0, 5))
def test_positions_are_those_of_the_columns_spelled_out(runs, query_start, subject_start):
    alignment = Alignment.from_runs(query_start, subject_start, runs, 0)
    at, columns = AlignmentMap(alignment), spell_out(alignment)
    query, subject = at.positions(-2, at.columns + 2)
    assert query.tolist() == columns.query.tolist()
    assert subject.tolist() == columns.subject.tolist()
    for column, (q, s) in enumerate(zip(query.tolist(), subject.tolist(), strict=True)):
        if q >= 0:
            assert at.column_of_query(q) == column
        if s >= 0:
            assert at.column_of_subject(s) == column
    assert at.column_of_query(query_start - 1) is None
    assert at.column_of_subject(alignment.subject_end) is None


@given(RUNS, st.integers(1, 20))
def test_scores_and_counts_are_those_of_the_whole_alignment(runs, block):
    alignment = Alignment.from_runs(2, 1, runs, 0)
    query, subject = pair_of(alignment)
    before = pair_view.BLOCK_COLUMNS
    pair_view.BLOCK_COLUMNS = block
    try:
        score, counts = score_and_count(alignment, query, subject, DNA_SCHEME)
    finally:
        pair_view.BLOCK_COLUMNS = before
    assert score == rescore(alignment, query, subject, DNA_SCHEME)
    assert counts == count_columns(alignment, query, subject, DNA_SCHEME)


def test_text_of_some_columns():
    query, subject = NUCLEOTIDE.encode(b"ACGTTAC"), NUCLEOTIDE.encode(b"ACGAC")
    alignment = Alignment.from_cigar(1, 1, "2M2I1M", 0)
    at = AlignmentMap(alignment)
    window = text_window(at, EncodedQuery("q", query), subject, DNA_SCHEME, 0, 99)
    assert (window.query, window.middle, window.subject) == ("CGTTA", "||  |", "CG--A")
    assert (window.query_first, window.query_last) == (1, 5)
    assert (window.subject_first, window.subject_last) == (1, 3)
    gap = text_window(at, EncodedQuery("q", query), subject, DNA_SCHEME, 2, 4)
    assert (gap.query, gap.subject, gap.subject_first, gap.subject_last) == ("TT", "--", -1, -1)
    assert text_window(at, EncodedQuery("q", query), subject, DNA_SCHEME, 9, 9).query == ""
    for before, whole in zip(at.positions(-3, 99), at.positions(0, at.columns), strict=True):
        assert before.tolist() == whole.tolist()


@given(RUNS)
def test_differences_turn_one_sequence_into_the_other(runs):
    alignment = Alignment.from_runs(1, 2, runs, 0)
    query, subject = pair_of(alignment)
    found = differences(alignment, query, subject, DNA_SCHEME)
    built, at = b"", alignment.subject_start
    for row in range(len(found)):
        start = int(found.subject[row])
        old, new = found.letters(row)
        built += NUCLEOTIDE.decode(subject[at:start]) + new.encode()
        at = start + len(old)
        assert max(len(old), len(new)) == found.length[row]
        assert len(built) == found.query[row] - alignment.query_start + len(new)
    built += NUCLEOTIDE.decode(subject[at : alignment.subject_end])
    assert built == NUCLEOTIDE.decode(query.codes[alignment.query_start : alignment.query_end])


def test_no_difference_between_equal_sequences():
    codes = NUCLEOTIDE.encode(b"ACGTACGT")
    found = differences(Alignment.from_cigar(0, 0, "8M", 16), EncodedQuery("q", codes), codes, DNA_SCHEME)
    assert len(found) == 0


@given(RUNS, st.integers(1, 7), st.integers(1, 7))
def test_a_map_of_everything_counts_every_pair(runs, rows, columns):
    alignment = Alignment.from_runs(0, 0, runs, 0)
    whole = (0, alignment.query_end + 1), (0, alignment.subject_end + 1)
    drawn = density(alignment, *whole, (rows, columns))
    assert drawn.shape == (rows, columns)
    assert drawn.sum() == int(alignment.lengths[alignment.ops == 0].sum())


@pytest.mark.parametrize(("part", "pairs"), [((10, 20), 10), ((0, 5), 5), ((95, 200), 5), ((300, 400), 0)])
def test_a_map_of_a_part_counts_what_is_inside(part, pairs):
    alignment = Alignment.from_cigar(0, 0, "100M", 200)
    drawn = density(alignment, part, (0, 100), (5, 5))
    assert drawn.sum() == pairs
    if pairs == 10:
        assert drawn[:, 0].tolist() == [2, 2, 2, 2, 2]


def test_t_against_u_is_no_difference():
    alignment = Alignment.from_runs(0, 0, [(0, 6)], 0)
    query, subject = EncodedQuery("q", NUCLEOTIDE.encode(b"ATTACA")), NUCLEOTIDE.encode(b"AUTACG")
    score, counts = score_and_count(alignment, query, subject, DNA_SCHEME)
    assert (score, counts) == (
        rescore(alignment, query, subject, DNA_SCHEME),
        count_columns(alignment, query, subject, DNA_SCHEME),
    )
    assert (counts.nident, counts.mismatch) == (5, 1)
    assert differences(alignment, query, subject, DNA_SCHEME).query.tolist() == [5]
    assert text_window(AlignmentMap(alignment), query, subject, DNA_SCHEME, 0, 6).middle == "||||| "
