"""Laws of local alignment that hold for every sequence and scheme, on drawn examples."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swgui.core.alignment import Op, rescore, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.engines import cpu, reference
from swgui.engines.rowscan import local_end, local_scores
from swgui.engines.traceback.best import align_local, align_within
from swgui.engines.traceback.rectangle import find_rectangle
from tests.reference import gotoh_score, gotoh_score_wide

LETTERS = len(PROTEIN)
EDGE = 32  # subjects side by side in a vector; lengths are drawn below, at and above it

few = settings(max_examples=40)


def letters(number, shortest, longest):
    """Draw a sequence of some letters as one choice: with one for each letter most of a test was drawing."""
    return st.binary(min_size=shortest, max_size=longest).map(lambda data: np.frombuffer(data, np.uint8) % number)


codes = st.one_of(
    letters(LETTERS, 0, 12),
    letters(LETTERS, EDGE - 1, EDGE + 1),
    letters(3, 0, 2 * EDGE),  # few letters: many equally good alignments
)


@st.composite
def schemes(draw, symmetric=False):
    seed, scale = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from([1, 1, 1, 20, 300]))
    rng = np.random.default_rng(seed)
    scores = rng.integers(-5, 4, (LETTERS, LETTERS))
    scores[np.arange(LETTERS), np.arange(LETTERS)] = rng.integers(1, 9, LETTERS)
    if symmetric:
        scores = np.triu(scores) + np.triu(scores, 1).T
    gap_extend = draw(st.sampled_from([0, 1, 2, 5])) * scale
    gap_first = gap_extend + draw(st.sampled_from([0, 0, 1, 3, 10])) * scale
    return ScoringScheme(SubstitutionMatrix("drawn", PROTEIN, (scores * scale).astype(np.int16)), gap_first, gap_extend)


def score(query, subject, scheme):
    """Return the score of one pair by the library the program would use."""
    return find_rectangle(EncodedQuery("q", query), subject, scheme).score


def transposed(scheme):
    matrix = SubstitutionMatrix("transposed", PROTEIN, np.ascontiguousarray(scheme.matrix.scores.T))
    return ScoringScheme(matrix, scheme.gap_first, scheme.gap_extend)


@few
@given(codes, codes, schemes())
def test_score_is_the_textbooks(query, subject, scheme):
    profile = scheme.matrix.scores[query]
    want = gotoh_score(profile.tolist(), subject.tolist(), scheme.gap_first, scheme.gap_extend)
    assert score(query, subject, scheme) == want
    assert gotoh_score_wide(profile, subject, scheme.gap_first, scheme.gap_extend) == want
    assert local_end(profile, subject, scheme.gap_first, scheme.gap_extend).score == want


@few
@given(codes, st.lists(codes, max_size=6), schemes())
def test_batch_of_subjects_is_each_subject_alone(query, subjects, scheme):
    profile = scheme.matrix.scores[query]
    offsets = np.cumsum([0, *map(len, subjects)])
    joined = np.concatenate([np.zeros(0, np.uint8), *subjects])
    got = local_scores(profile, joined, offsets, scheme.gap_first, scheme.gap_extend)
    assert got.tolist() == [score(query, subject, scheme) for subject in subjects]


@few
@given(codes, codes, schemes(symmetric=True))
def test_query_and_subject_may_be_swapped_under_a_symmetric_matrix(query, subject, scheme):
    assert score(query, subject, scheme) == score(subject, query, scheme)


@few
@given(codes, codes, schemes())
def test_swapping_transposes_the_matrix(query, subject, scheme):
    assert score(query, subject, scheme) == score(subject, query, transposed(scheme))


@few
@given(codes, codes, schemes())
def test_reversing_both_changes_nothing(query, subject, scheme):
    assert score(query, subject, scheme) == score(query[::-1].copy(), subject[::-1].copy(), scheme)


@few
@given(codes, codes, codes, schemes())
def test_appending_never_lowers_the_score(query, subject, more, scheme):
    before = score(query, subject, scheme)
    assert score(query, np.concatenate([subject, more]), scheme) >= before
    assert score(np.concatenate([more, query]), subject, scheme) >= before


@few
@given(codes, codes, codes, schemes())
def test_best_of_two_parts_is_a_lower_bound_of_the_whole(query, left, right, scheme):
    whole = score(query, np.concatenate([left, right]), scheme)
    assert whole >= max(score(query, left, scheme), score(query, right, scheme))


@few
@given(codes, codes, schemes(), st.integers(0, 5))
def test_dearer_gaps_never_raise_the_score(query, subject, scheme, more):
    dearer = ScoringScheme(scheme.matrix, scheme.gap_first + more, scheme.gap_extend)
    assert score(query, subject, dearer) <= score(query, subject, scheme)


@few
@given(codes, codes, schemes())
def test_affine_costs_with_equal_parts_are_linear(query, subject, scheme):
    cost = scheme.gap_first
    profile = scheme.matrix.scores[query].tolist()
    row, best = [0] * (len(subject) + 1), 0
    for scores in profile:
        new = [0]
        for j, letter in enumerate(subject.tolist(), 1):
            new.append(max(0, row[j - 1] + scores[letter], row[j] - cost, new[j - 1] - cost))
        row, best = new, max(best, *new)
    assert score(query, subject, ScoringScheme(scheme.matrix, cost, cost)) == best


@few
@given(codes, codes, schemes(), st.integers(2, 6))  # 6 x 8 x 300 is within the limit of a matrix
def test_scaling_everything_scales_the_score(query, subject, scheme, factor):
    matrix = SubstitutionMatrix("scaled", PROTEIN, (scheme.matrix.scores * factor).astype(np.int16))
    scaled = ScoringScheme(matrix, scheme.gap_first * factor, scheme.gap_extend * factor)
    assert score(query, subject, scaled) == factor * score(query, subject, scheme)


@few
@given(codes, schemes())
def test_self_score_is_at_least_the_diagonal(query, scheme):
    assert score(query, query, scheme) >= int(scheme.matrix.scores[query, query].sum())


@few
@given(codes, codes, schemes())
def test_alignment_adds_up_and_cannot_be_trimmed(query, subject, scheme):
    encoded = EncodedQuery("q", query)
    alignment = align_local(encoded, subject, scheme)
    assert rescore(alignment, encoded, subject, scheme) == alignment.score == score(query, subject, scheme)
    if not alignment.columns:
        return
    assert alignment.ops[0] == alignment.ops[-1] == Op.MATCH
    columns = spell_out(alignment)
    aligned = columns.query >= 0
    gains = np.zeros(alignment.columns, dtype=np.int64)
    both = aligned & (columns.subject >= 0)
    gains[both] = scheme.matrix.scores[query[columns.query[both]], subject[columns.subject[both]]]
    # Gap costs stand on the last column of their gap, so that a sum up to a pair has paid for all before.
    ends = np.cumsum(alignment.lengths) - 1
    for op, length, end in zip(alignment.ops, alignment.lengths, ends, strict=True):
        if op != Op.MATCH:
            gains[end] -= scheme.gap_cost(int(length))
    sums = np.cumsum(gains)
    assert (sums[both] >= 0).all()
    assert sums[:-1].max(initial=0) <= alignment.score


@few
@given(codes, codes, schemes())
def test_large_pairs_take_the_same_path(query, subject, scheme):
    encoded = EncodedQuery("q", query)
    by_default = align_local(encoded, subject, scheme)
    rectangle = find_rectangle(encoded, subject, scheme)
    assert align_within(encoded, subject, scheme, rectangle, compiled=False) == by_default


@few
@given(codes, codes, schemes())
def test_position_specific_profile_of_matrix_rows_is_the_matrix(query, subject, scheme):
    plain = EncodedQuery("q", query)
    rows = EncodedQuery("q", query, scheme.matrix.scores[query])
    assert align_local(plain, subject, scheme) == align_local(rows, subject, scheme)


@settings(max_examples=15)
@given(st.lists(codes, min_size=1, max_size=3), st.lists(codes, max_size=70), schemes(), st.integers(1, 300))
def test_engines_agree_under_any_chunking(queries, subjects, scheme, residues):
    if not cpu.status().available:
        pytest.skip(cpu.status().reason)
    records = [SequenceRecord(str(i), "", PROTEIN.decode(subject)) for i, subject in enumerate(subjects)]
    database = encode_database(records, PROTEIN)
    encoded = [EncodedQuery(f"q{i}", query) for i, query in enumerate(queries)]
    plans = plan_chunks(database.offsets, ChunkLimits(residues))
    found = []
    for adapter in (reference, cpu):
        engine = adapter.create(EngineOptions(threads=2))
        scores = np.full((len(queries), len(database)), -1)
        for part in engine.score(encoded, database, plans, scheme, threading.Event()):
            scores[part.query_index, part.db_index] = part.scores
        engine.close()
        found.append(scores)
    assert (found[0] == found[1]).all()
    assert (found[0] >= 0).all()


@few
@given(letters(16, 0, 40), letters(16, 0, 40))
def test_strands_of_both_sequences_may_be_swapped(query, subject):
    # A/T and C/G score alike, so the reverse complements of both align as they do.
    scheme = ScoringScheme(SubstitutionMatrix("dna", NUCLEOTIDE, np.where(np.eye(16), 2, -3).astype(np.int16)), 7, 2)
    q, s = (codes[codes != NUCLEOTIDE.code("U")] for codes in (query, subject))  # U comes back as A's complement T
    forward = score(q, s, scheme)
    assert score(NUCLEOTIDE.reverse_complement(q), NUCLEOTIDE.reverse_complement(s), scheme) == forward
