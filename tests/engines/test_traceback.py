"""The traceback: best, rescored, the same whatever is installed and however large the pair."""

from __future__ import annotations

import numpy as np
import pytest
from Bio.Align import PairwiseAligner, substitution_matrices

import swgui.engines.traceback.path as path_module
from swgui.core.alignment import Alignment, Op, rescore, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import ScoreMismatch
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.engines.native import library
from swgui.engines.traceback.best import align_local, align_within
from swgui.engines.traceback.path import global_path, reach
from swgui.engines.traceback.rectangle import find_rectangle
from tests.engines.conftest import query_of, random_codes, random_matrix, relative
from tests.reference import global_score, gotoh_score_wide


@pytest.fixture(params=["compiled", "plain"])
def form(request):
    """Of both forms: compiled, and the plain one for scores that could leave 32 bits."""
    if request.param == "plain":
        request.getfixturevalue("wide")


def check(alignment, query, subject, scheme):
    """Assert everything that holds for a best alignment."""
    score = gotoh_score_wide(query.scores(scheme), subject, scheme.gap_first, scheme.gap_extend)
    assert alignment.score == score == rescore(alignment, query, subject, scheme)
    if score:
        assert alignment.ops[0] == alignment.ops[-1] == Op.MATCH
        columns = spell_out(alignment)
        assert (np.diff(columns.query[columns.query >= 0]) == 1).all()
        assert columns.subject[-1] == alignment.subject_end - 1


def slow_alignment(query, subject, scheme):
    """Find the alignment that the documented rule chooses, by trying every rectangle."""
    profile = query.scores(scheme).tolist()
    letters = subject.tolist()
    best = gotoh_score_wide(query.scores(scheme), subject, scheme.gap_first, scheme.gap_extend)
    fitting = [
        (s1, q1, -s0, -q0)
        for q0 in range(len(profile))
        for q1 in range(q0 + 1, len(profile) + 1)
        for s0 in range(len(letters))
        for s1 in range(s0 + 1, len(letters) + 1)
        if global_score(profile[q0:q1], letters[s0:s1], scheme.gap_first, scheme.gap_extend) == best
    ]
    s1, q1, s0, q0 = min(fitting)
    return best, -q0, q1, -s0, s1


def test_rectangle_follows_the_rule(form, rng):
    matrix = SubstitutionMatrix("tiny", NUCLEOTIDE, np.where(np.eye(16, dtype=bool), 2, -1).astype(np.int16))
    for gap_first, gap_extend in ((2, 1), (1, 1), (3, 0)):
        scheme = ScoringScheme(matrix, gap_first, gap_extend)
        for _ in range(3):
            query, subject = query_of(random_codes(rng, 6, 2)), random_codes(rng, 6, 2)
            best, *corners = slow_alignment(query, subject, scheme)
            if best:
                found = find_rectangle(query, subject, scheme)
                got = [found.query_start, found.query_end, found.subject_start, found.subject_end]
                assert (found.score, got) == (best, corners)


def test_proteins(form, protein_scheme, rng):
    for length in (1, 5, 40, 120):
        query = query_of(random_codes(rng, length, 20))
        for subject in (relative(rng, query.codes, 20), random_codes(rng, 90, 20), query.codes):
            check(align_local(query, subject, protein_scheme), query, subject, protein_scheme)


@pytest.mark.parametrize(
    ("gap_first", "gap_extend"), [(12, 1), (11, 10), (3, 2), (1, 1), (5, 0), (0, 0), (8, 8), (1000, 1000)]
)
def test_gap_costs(protein_scheme, rng, gap_first, gap_extend):
    scheme = ScoringScheme(protein_scheme.matrix, gap_first, gap_extend)
    for _ in range(6):
        query = query_of(random_codes(rng, 50, 20))
        subject = relative(rng, query.codes, 20)
        check(align_local(query, subject, scheme), query, subject, scheme)


@pytest.mark.parametrize(("low", "high"), [(-3, 4), (-120, 130), (-16_000, 16_000)])
def test_asymmetric_matrices(form, rng, low, high):
    scheme = ScoringScheme(random_matrix(rng, PROTEIN, low, high), 9, 2)
    for _ in range(4):
        query = query_of(random_codes(rng, 45, 27))
        subject = relative(rng, query.codes, 27)
        check(align_local(query, subject, scheme), query, subject, scheme)


def test_profiles(form, protein_scheme, rng):
    for length in (1, 30, 64):
        codes = random_codes(rng, length, 20)
        query = EncodedQuery("own", codes, rng.integers(-9, 9, (length, 27)).astype(np.int16))
        subject = random_codes(rng, 70, 20)
        check(align_local(query, subject, protein_scheme), query, subject, protein_scheme)


def test_same_alignment_in_both_forms(monkeypatch, dna_scheme, rng):
    # Four letters and low costs: many best alignments to choose from.
    scheme = ScoringScheme(dna_scheme.matrix, 3, 1)
    pairs = [(query_of(random_codes(rng, 40, 4)), random_codes(rng, 45, 4)) for _ in range(25)]
    found = [align_local(query, subject, scheme).path for query, subject in pairs]
    monkeypatch.setattr(library, "SCORE_BOUND", 0)
    assert [align_local(query, subject, scheme).path for query, subject in pairs] == found


def biopython_path(query, subject, scheme, rectangle):
    """Align the rectangle globally with Biopython's aligner, whose first path is chosen by the same rule."""
    aligner = PairwiseAligner(mode="global")
    matrix = scheme.matrix.scores.astype(float)
    aligner.substitution_matrix = substitution_matrices.Array(alphabet=scheme.alphabet.letters, dims=2, data=matrix)
    aligner.open_gap_score, aligner.extend_gap_score = -scheme.gap_first, -scheme.gap_extend
    rows = scheme.alphabet.decode(query.codes[rectangle.query_start : rectangle.query_end]).decode()
    columns = scheme.alphabet.decode(subject[rectangle.subject_start : rectangle.subject_end]).decode()
    best = next(iter(aligner.align(rows, columns)))
    kinds = {(True, True): Op.MATCH, (True, False): Op.INSERTION, (False, True): Op.DELETION}
    steps = np.diff(np.asarray(best.coordinates), axis=1).T.tolist()
    runs = [(int(kinds[bool(rows), bool(columns)]), max(rows, columns)) for rows, columns in steps]
    return Alignment.from_runs(rectangle.query_start, rectangle.subject_start, runs, rectangle.score).path


@pytest.mark.parametrize(("gap_first", "gap_extend"), [(3, 1), (5, 0), (2, 1), (12, 1)])
def test_library_and_own_step_take_the_same_path_as_biopython(dna_scheme, rng, gap_first, gap_extend):
    scheme = ScoringScheme(dna_scheme.matrix, gap_first, gap_extend)
    for _ in range(40):
        query = query_of(random_codes(rng, int(rng.integers(1, 60)), 3))
        subject = random_codes(rng, int(rng.integers(1, 60)), 3)
        rectangle = find_rectangle(query, subject, scheme)
        path = align_local(query, subject, scheme).path
        assert path == align_within(query, subject, scheme, rectangle, compiled=False).path
        if rectangle.score:
            assert path == biopython_path(query, subject, scheme, rectangle)


@pytest.mark.parametrize(("block", "checkpoints"), [(1, 2), (1, 3), (2_000, 2), (2_000, 64), (50_000, 5)])
def test_checkpointed_step_is_the_full_matrix(monkeypatch, protein_scheme, rng, block, checkpoints):
    for gap_first, gap_extend in ((12, 1), (4, 4), (6, 0)):
        query = random_codes(rng, 70, 20)
        profile = protein_scheme.matrix.scores[query]
        for subject in (relative(rng, query, 20), random_codes(rng, 35, 20)):
            whole = global_path(profile, subject, gap_first, gap_extend)
            with monkeypatch.context() as patch:
                patch.setattr(path_module, "BLOCK_BYTES", block)
                patch.setattr(path_module, "MAX_CHECKPOINTS", checkpoints)
                patch.setattr(path_module, "CHECKPOINT_BYTES", 1)
                assert global_path(profile, subject, gap_first, gap_extend) == whole
                assert global_path(profile, subject, gap_first, gap_extend, whole[0]) == whole
            assert whole[0] == global_score(profile.tolist(), subject.tolist(), gap_first, gap_extend)
            runs = Alignment.from_runs(0, 0, whole[1], whole[0])
            scheme = ScoringScheme(protein_scheme.matrix, gap_first, gap_extend)
            assert rescore(runs, query_of(query), subject, scheme) == whole[0]


def test_checkpointed_step_with_long_gaps_across_checkpoints(wide, monkeypatch, protein_scheme, rng):
    # Gaps of hundreds of residues in either sequence run through many stretches of rows.
    monkeypatch.setattr(path_module, "BLOCK_BYTES", 20_000)
    monkeypatch.setattr(path_module, "CHECKPOINT_BYTES", 30_000)
    left, right, filler = (random_codes(rng, length, 20) for length in (150, 150, 400))
    with_filler, without = np.concatenate([left, filler, right]), np.concatenate([left, right])
    for query, subject in ((with_filler, without), (without, with_filler)):
        encoded = query_of(query)
        alignment = align_local(encoded, subject, protein_scheme)
        check(alignment, encoded, subject, protein_scheme)
        # A gap of length k costs 11 + k; one of 400 is in the way of a single best alignment.
        scheme = ScoringScheme(protein_scheme.matrix, 12, 0)
        joined = align_local(encoded, subject, scheme)
        check(joined, encoded, subject, scheme)
        assert joined.lengths[joined.ops != Op.MATCH].sum() >= 400


@pytest.mark.parametrize(("gap_first", "gap_extend"), [(12, 1), (3, 3), (2, 0), (0, 0)])
def test_no_best_path_strays_beyond_the_reach(protein_scheme, rng, gap_first, gap_extend):
    for _ in range(10):
        query = random_codes(rng, 40, 20)
        subject = relative(rng, query, 20)
        profile = protein_scheme.matrix.scores[query]
        score, runs = global_path(profile, subject, gap_first, gap_extend)
        low, high = reach(profile, len(subject), gap_first, gap_extend, score)
        columns = spell_out(Alignment.from_runs(0, 0, runs, score))
        used = np.cumsum(columns.subject >= 0) - np.cumsum(columns.query >= 0)
        assert low <= used.min(initial=0) <= used.max(initial=0) <= high
        assert global_path(profile, subject, gap_first, gap_extend, score) == (score, runs)


def test_reach_is_narrow_for_similar_sequences(protein_scheme, rng):
    profile = protein_scheme.matrix.scores[random_codes(rng, 500, 20)]
    best = int(profile.max(axis=1).sum())
    assert reach(profile, 500, 12, 1, best) == (0, 0)
    low, high = reach(profile, 500, 12, 1, best - 200)
    assert -40 < low < 0 < high < 40
    with pytest.raises(ValueError, match="can score"):
        reach(profile, 500, 12, 1, best + 1)


def test_very_large_gap_costs_do_not_overflow_the_step(protein_scheme, rng):
    scheme = ScoringScheme(protein_scheme.matrix, 10**6, 10**6)
    query = query_of(random_codes(rng, 80, 20))
    subject = relative(rng, query.codes, 20)
    check(align_local(query, subject, scheme), query, subject, scheme)


def test_score_zero_is_an_alignment_without_columns(form, protein_scheme):
    for query, subject in ((b"PPPP", b"WWWW"), (b"", b"ACD"), (b"ACD", b""), (b"", b""), (b"XX", b"XX")):
        alignment = align_local(query_of(PROTEIN.encode(query)), PROTEIN.encode(subject), protein_scheme, 0)
        assert alignment.columns == alignment.score == 0
        assert alignment.path == (0, 0, "")


def test_wrong_score_is_reported_never_hidden(protein_scheme):
    query, subject = query_of(PROTEIN.encode(b"WWWW")), PROTEIN.encode(b"WWCW")
    right = align_local(query, subject, protein_scheme).score
    with pytest.raises(ScoreMismatch, match="'P1'") as caught:
        align_local(query, subject, protein_scheme, right + 1, subject_id="P1")
    assert (caught.value.expected, caught.value.actual) == (right + 1, right)
    with pytest.raises(ScoreMismatch):
        align_local(query, PROTEIN.encode(b"PPPP"), protein_scheme, 5)


def test_scores_beyond_16_bits(form, protein_scheme):
    w = PROTEIN.encode(b"W" * 6_100)
    alignment = align_local(query_of(w[:6_000]), w, protein_scheme, 66_000)
    assert alignment.path == (0, 0, "6000M")


def test_reading_only_views_of_a_read_only_database(protein_scheme, rng):
    codes = random_codes(rng, 100, 20)
    codes.setflags(write=False)
    alignment = align_local(query_of(codes[10:60]), codes[::1], protein_scheme)
    assert alignment.path == (0, 10, "50M")


def test_giving_up_a_long_one(wide, protein_scheme, rng):
    class GivenUpError(Exception):
        pass

    def give_up():
        raise GivenUpError

    query = query_of(random_codes(rng, 100, 20))
    with pytest.raises(GivenUpError):
        align_local(query, query.codes, protein_scheme, check=give_up)
