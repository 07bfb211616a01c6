"""Paths of many alignments: those of the checkpointed step, by every instruction set, in blocks and whole."""

from __future__ import annotations

import numpy as np
import pytest

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alignment import AlignmentCounts, count_columns, rescore
from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, PROTEIN
from swgui.core.errors import ScoreMismatch
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, match_mismatch, two_track_matrix
from swgui.core.stretches import Subjects
from swgui.engines import native
from swgui.engines.traceback.best import align_local, align_within
from swgui.engines.traceback.many import align_many
from swgui.engines.traceback.rectangle import find_rectangle
from tests.engines.conftest import query_of, random_codes, random_matrix, relative
from tests.reference import remembered

COSTS = ((12, 1), (11, 11), (3, 0), (0, 0), (5, 2), (1, 1), (2, 1), (30_000, 40))


def packed(subjects):
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in subjects])])
    return Subjects.packed(np.concatenate([*subjects, np.zeros(0, np.uint8)]), offsets)


def gapped(rng, codes, symbols):
    """A relative with a long stretch lost, another put in, and its neighbours changed."""
    first, second = sorted(rng.integers(0, len(codes) + 1, 2))
    lost = np.concatenate([codes[:first], codes[first + (second - first) // 2 :]])
    at = int(rng.integers(0, len(lost) + 1))
    grown = np.concatenate([lost[:at], random_codes(rng, int(rng.integers(0, 30)), symbols), lost[at:]])
    changed = rng.random(len(grown)) < 0.2
    return np.where(changed, random_codes(rng, len(grown), symbols), grown).astype(np.uint8)


def problems(rng, costs):
    """Queries, plain and position-specific, with related subjects; few symbols, so that there are many best paths."""
    for alphabet, symbols in ((NUCLEOTIDE, 2), (NUCLEOTIDE, 4), (PROTEIN, 20), (PROTEIN, 27)):
        for matrix in (match_mismatch(alphabet, 2, -3), random_matrix(rng, alphabet, -4, 5)):
            scheme = ScoringScheme(matrix, *costs)
            codes = random_codes(rng, int(rng.integers(1, 130)), symbols)
            own = rng.integers(-6, 6, (len(codes), len(alphabet))).astype(np.int16)
            subjects = [gapped(rng, codes, symbols) for _ in range(4)]
            subjects += [relative(rng, codes, symbols), random_codes(rng, 60, symbols), codes, codes[:0]]
            for profile in (None, own):
                yield EncodedQuery("q", codes, profile), subjects, scheme


@remembered
def plain(query, subject, scheme):
    """Align in NumPy."""
    return align_within(query, subject, scheme, find_rectangle(query, subject, scheme), compiled=False)


def assert_as_plain(found, number, query, subject, scheme):
    """Compare an alignment, and what is counted of it, with the plain one, which is returned."""
    expected, alignment = plain(query, subject, scheme), found.alignment(number)
    assert (alignment.path, alignment.score) == (expected.path, expected.score)
    assert found.counts(number) == count_columns(expected, query, subject, scheme)
    return expected


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.sampled
def test_many_alignments_are_those_of_the_checkpointed_step(way, rng, costs):
    for query, subjects, scheme in problems(rng, costs):
        found = align_many(query, packed(subjects), scheme, threads=1)
        for number, subject in enumerate(subjects):
            expected = assert_as_plain(found, number, query, subject, scheme)
            assert align_local(query, subject, scheme) == expected


def test_scores_beyond_16_bits_take_the_same_path(way, rng):
    matrix = random_matrix(rng, PROTEIN, -4, 8)
    scheme = ScoringScheme(SubstitutionMatrix("large", PROTEIN, (matrix.scores * 1500).astype(np.int16)), 9000, 800)
    query = query_of(random_codes(rng, 90, 20))
    subjects = [gapped(rng, query.codes, 20) for _ in range(5)]
    found = align_many(query, packed(subjects), scheme)
    assert found.paths.regions.scores.max() > 1 << 16
    for number, subject in enumerate(subjects):
        assert found.alignment(number) == plain(query, subject, scheme)


@pytest.mark.parametrize("factor", [1, 700])  # also beyond 16 bits
def test_alignments_in_two_tracks_are_those_of_the_sums(way, rng, factor):
    parts = [random_matrix(rng, alphabet, -5, 7) for alphabet in (PROTEIN, ALPHABETS["3Di"])]
    scheme = ScoringScheme(two_track_matrix(*parts, (factor, factor)), 9 * factor, 2 * factor)
    residues, letters = random_codes(rng, 90, 20), random_codes(rng, 90, 20)
    query = EncodedQuery("q", scheme.alphabet.join(residues, letters))
    changed = scheme.alphabet.join(np.where(rng.random(90) < 0.4, random_codes(rng, 90, 20), residues), letters)
    subjects = [changed, np.concatenate([changed[:30], changed[41:]]), np.concatenate([changed[50:], changed])]
    found = align_many(query, packed(subjects), scheme, threads=1)
    for number, subject in enumerate(subjects):
        assert_as_plain(found, number, query, subject, scheme)


@pytest.mark.sampled(2)
def test_large_regions_are_done_block_by_block(way, rng):
    # Above 4 MiB of cells columns are kept here and there, and blocks between them computed again.
    codes = random_codes(rng, 2_300, 4)
    query, scheme = query_of(codes), ScoringScheme(match_mismatch(NUCLEOTIDE, 2, -3), 7, 2)
    hole = np.concatenate([codes[:700], codes[1500:]])
    grown = np.concatenate([codes[:1000], random_codes(rng, 250, 4), codes[1000:]])
    subjects = [relative(rng, codes, 4), hole, grown]
    found = align_many(query, packed(subjects), scheme)
    assert found.paths.regions.cells.max() * 2 > 4 << 20
    for number, subject in enumerate(subjects):
        alignment = found.alignment(number)
        assert rescore(alignment, query, subject, scheme) == alignment.score
        assert alignment == plain(query, subject, scheme)


def test_what_takes_too_much_memory_is_done_with_checkpoints(monkeypatch, protein_scheme, rng):
    query = query_of(random_codes(rng, 80, 20))
    subjects = [relative(rng, query.codes, 20), gapped(rng, query.codes, 20), query.codes[:0]]
    expected = [align_local(query, subject, protein_scheme) for subject in subjects]
    traced = native.trace

    def refuse(*arguments, **options):
        paths = traced(*arguments, **options)
        status = np.where(np.arange(len(paths)) == 1, native.LARGE, paths.status).astype(np.int32)
        kept = np.where(status == 0, np.diff(paths.offsets), 0)
        offsets = np.concatenate([[0], np.cumsum(kept)])
        runs = np.repeat(status == 0, np.diff(paths.offsets))
        return native.Paths(paths.regions, paths.ops[runs], paths.lengths[runs], offsets, status)

    monkeypatch.setattr(native, "trace", refuse)
    found = align_many(query, packed(subjects), protein_scheme)
    assert [found.alignment(number) for number in range(3)] == expected


def test_a_region_that_is_none_has_no_path(protein_scheme, rng):
    query = query_of(random_codes(rng, 80, 20))
    subjects = packed([relative(rng, query.codes, 20)])
    profile = query.scores(protein_scheme)
    right = native.regions(profile, subjects, 12, 1)
    for change in (1, -1, 1000):
        wrong = native.Regions(right.scores + change, *right.columns[1:])
        assert native.trace(profile, subjects, wrong, 12, 1).status.tolist() == [native.LOST]
    for row in ((0, -1, 5, 0, 5), (0, 0, 81, 0, 5), (0, 0, 5, -1, 5), (0, 0, 5, 0, 900), (0, 5, 5, 0, 1)):
        outside = native.Regions(*(np.array([value], dtype=np.int64) for value in (50, *row[1:])))
        assert native.trace(profile, subjects, outside, 12, 1).status.tolist() == [native.LOST]


@pytest.mark.parametrize("compiled", [True, False])
def test_a_wrong_score_is_reported_with_its_subject(monkeypatch, protein_scheme, rng, compiled):
    if not compiled:
        monkeypatch.setattr(native.library, "SCORE_BOUND", 0)
    query = query_of(random_codes(rng, 60, 20))
    subjects = packed([relative(rng, query.codes, 20) for _ in range(3)])
    scores = align_many(query, subjects, protein_scheme).totals.scores.copy()
    scores[1] += 1
    with pytest.raises(ScoreMismatch, match="'b'"):
        align_many(query, subjects, protein_scheme, scores, names=["a", "b", "c"])


def test_an_alignment_outside_its_sequences_adds_up_to_nothing(protein_scheme, rng):
    query = query_of(random_codes(rng, 30, 20))
    subjects = packed([query.codes, query.codes])
    paths = align_many(query, subjects, protein_scheme).paths
    longer = native.Paths(paths.regions, paths.ops, paths.lengths + 1, paths.offsets, paths.status)
    assert native.add_up(query, subjects, longer, protein_scheme).scores.max() < -(1 << 60)


def test_columns_of_sums_are_those_of_the_counts(protein_scheme, rng):
    query = query_of(random_codes(rng, 70, 20))
    subjects = [gapped(rng, query.codes, 20) for _ in range(6)]
    found = align_many(query, packed(subjects), protein_scheme)
    for name in AlignmentCounts.__struct_fields__:
        column = getattr(found.totals, name)
        assert column.tolist() == [getattr(found.counts(number), name) for number in range(len(found))]


def test_no_subjects_have_no_alignments(way, protein_scheme):
    assert len(align_many(query_of(np.zeros(5, np.uint8)), packed([]), protein_scheme)) == 0
