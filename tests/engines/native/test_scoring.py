"""Scores and regions of many subjects: those of plain dynamic programming, by every instruction set and without any."""

from __future__ import annotations

import threading
from itertools import product

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PositionGaps
from swgui.core.stretches import Subjects
from swgui.engines import native
from swgui.engines.native.correction import HOST
from swgui.engines.native.subjects import cut_long, in_pieces
from swgui.engines.rowscan import local_end
from swgui.io.matrices import load_matrix
from tests.engines.conftest import random_codes, random_matrix, relative
from tests.reference import gotoh_score_wide, remembered
from tests.region_data import assert_same_regions, joined_request, region_request

COSTS = ((12, 1), (11, 11), (3, 0), (0, 0), (5, 2), (30_000, 40), (900_000, 900_000))


def packed(subjects):
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in subjects])])
    return Subjects.packed(np.concatenate([*subjects, np.zeros(0, np.uint8)]), offsets)


def problems(rng, alphabet, factor=1, way=""):
    """Profiles of a matrix and position-specific ones, with subjects that are related, random, equal and empty."""
    several = (1,) if way == "plain" else (1, 5)  # a few are scored one after the other, many side by side
    for length in (1, 7, 33, 64, 150):
        codes = random_codes(rng, length, len(alphabet))
        matrix = random_matrix(rng, alphabet, -5, 9).scores.astype(np.int64) * factor
        own = rng.integers(-5, 6, (length, len(alphabet))) * factor
        some = [random_codes(rng, int(n), len(alphabet)) for n in (0, 1, 2, 31, 200)]
        subjects = [*some, codes, relative(rng, codes, len(alphabet)), relative(rng, codes, 4), np.repeat(codes, 3)]
        for times, profile in product(several, (matrix[codes], own)):
            yield profile.astype(np.int16), packed(subjects * times)


@remembered
def corners(profile, subject, *costs):
    """Score and corners by the rule, from plain row scans forwards and backwards."""
    last = local_end(profile, subject, *costs)
    rows, columns = last.query_end, last.subject_end
    first = local_end(profile[:rows][::-1], subject[:columns][::-1], *costs)
    return [last.score, rows - first.query_end, rows, columns - first.subject_end, columns]


@pytest.mark.parametrize("alphabet", [PROTEIN, NUCLEOTIDE], ids=lambda alphabet: alphabet.name)
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.sampled
def test_scores_and_regions_are_those_of_plain_programming(way, rng, alphabet, costs):
    for profile, subjects in problems(rng, alphabet, way=way):
        expected = [corners(profile, subjects[k], *costs) for k in range(len(subjects))]
        assert native.scores(profile, subjects, *costs, threads=1).tolist() == [one[0] for one in expected]
        for known in (None, np.array([one[0] for one in expected])):
            found = native.regions(profile, subjects, *costs, known=known, threads=1)
            assert np.stack(found.columns, axis=1).tolist() == expected


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.sampled
def test_regions_of_pairs_of_several_queries_are_those_of_each(way, rng, threads):
    profiles, some = zip(*problems(rng, PROTEIN), strict=True)
    begins = np.cumsum([0, *map(len, profiles)])
    of = np.repeat(
        np.arange(len(profiles)), [len(subjects) if number % 3 else 0 for number, subjects in enumerate(some)]
    )
    pairs = rng.permutation(len(of))
    joined = Subjects.join([subjects for number, subjects in enumerate(some) if number % 3])
    expected = [native.regions(profile, subjects, 12, 1) for profile, subjects in zip(profiles, some, strict=True)]
    corners_of = np.concatenate([np.stack(one.columns, axis=1) for number, one in enumerate(expected) if number % 3])
    for known in (None, corners_of[pairs, 0]):
        given = np.concatenate(profiles), begins, of[pairs], joined.take(pairs), 12, 1
        found = native.regions_each(*given, known=known, threads=threads)
        assert np.array_equal(np.stack(found.columns, axis=1), corners_of[pairs])


def test_plain_programming_here_is_the_textbook(rng):
    for profile, subjects in problems(rng, PROTEIN):
        found = native.scores(profile, subjects, 7, 2)
        assert found.tolist() == [gotoh_score_wide(profile, subjects[k], 7, 2) for k in range(len(subjects))]


def test_scores_beyond_16_bits_are_counted_in_32(way, rng):
    beyond = 0
    for profile, subjects in problems(rng, PROTEIN, factor=1500, way=way):
        expected = [corners(profile, subjects[k], 3000, 100) for k in range(len(subjects))]
        beyond += sum(one[0] > 1 << 15 for one in expected)
        assert native.scores(profile, subjects, 3000, 100).tolist() == [one[0] for one in expected]
        assert native.regions(profile, subjects, 3000, 100).subject_start.tolist() == [one[3] for one in expected]
    assert beyond > (3 if way == "plain" else 10)


@pytest.mark.sampled(1)  # the best instruction set: others take seconds
def test_scores_next_to_the_end_of_16_bits(way):
    # 11 a residue: just below, at and above every limit that a lane could have.
    profile = np.full((2990, 2), -4, dtype=np.int16)
    profile[:, 0] = 11
    lengths = [2950, 2976, 2977, 2978, 2979, 2980, 2990]
    subjects = packed([np.zeros(n, np.uint8) for n in lengths])
    assert native.scores(profile, subjects, 12, 1).tolist() == [11 * n for n in lengths]
    assert native.regions(profile, subjects, 12, 1).scores.tolist() == [11 * n for n in lengths]


def test_questions_in_one_call_are_answered_as_alone(way, rng):
    profiles = [rng.integers(-4, 8, size=(rows, 24)).astype(np.int16) for rows in (30, 1, 80)]
    codes = rng.integers(0, 24, size=900).astype(np.uint8)
    starts, lengths = rng.integers(0, 700, 20), rng.integers(1, 200, 20)
    parts = [Subjects(codes, starts[some], lengths[some]) for some in (slice(0, 9), slice(9, 10), slice(10, 20))]
    both = list(zip(profiles, parts, strict=True))
    questions = [region_request(one, some, native.scores(one, some, 9, 1), 9, 1) for one, some in both]
    expected = list(map(HOST.regions_of, questions))
    assert_same_regions(HOST.regions_of(joined_request(questions)), expected)
    by_position = [replace(one, gaps=PositionGaps.constant(len(one.profile), 9, 1)) for one in questions]
    assert_same_regions(HOST.regions_of(joined_request(by_position)), expected)


def test_many_regions_of_subjects_of_all_lengths(way, rng):
    # Lanes take one subject after the other; a long one is waited for or taken alone.
    query = random_codes(rng, 50, 20)
    profile = load_matrix("BLOSUM62", PROTEIN).scores[query]
    subjects = [relative(rng, query, 20)[: int(n)] for n in rng.integers(0, 50, 80)]
    subjects += [random_codes(rng, int(n), 20) for n in rng.integers(0, 100, 80)]
    subjects += [np.concatenate([random_codes(rng, 2_000, 20), query]), np.tile(query, 3)]
    every = packed(subjects)
    expected = [corners(profile, one, 12, 1) for one in subjects]
    for threads in (1, 3):
        known = np.array([one[0] for one in expected])
        found = native.regions(profile, every, 12, 1, known=known, threads=threads)
        assert np.stack(found.columns, axis=1).tolist() == expected


def test_of_equals_in_lanes_the_first_end_and_the_last_start_count(way, rng):
    query = random_codes(rng, 20, 20)
    profile = load_matrix("BLOSUM62", PROTEIN).scores[np.tile(query, 3)]  # every subject fits at three places
    subjects = [np.concatenate([random_codes(rng, k, 20), query, query[: k % 7]]) for k in range(80)]
    expected = [corners(profile, one, 12, 1) for one in subjects]
    known = np.array([one[0] for one in expected])
    found = native.regions(profile, packed(subjects), 12, 1, known=known, threads=1)
    assert np.stack(found.columns, axis=1).tolist() == expected


def test_a_score_that_is_none_gives_the_region_of_the_best(way, rng):
    query = random_codes(rng, 60, 20)
    profile = load_matrix("BLOSUM62", PROTEIN).scores[query]
    subjects = [relative(rng, query, 20) for _ in range(80)]
    expected = [corners(profile, one, 12, 1) for one in subjects]
    known = np.array([one[0] for one in expected])
    known[::3] += 1
    known[1::3] = 1 << 20
    found = native.regions(profile, packed(subjects), 12, 1, known=known, threads=1)
    assert np.stack(found.columns, axis=1).tolist() == expected


def test_a_profile_too_large_for_32_bits_is_counted_further():
    profile = np.full((140_000, 1), 16_000, dtype=np.int16)
    subjects = packed([np.zeros(3, np.uint8)])
    assert native.scores(profile, subjects, 12, 1).tolist() == [48_000]


def test_nothing_scores_nothing(way):
    profile = np.full((5, 4), -3, dtype=np.int16)
    subjects = packed([np.zeros(4, np.uint8), np.zeros(0, np.uint8)])
    for rows in (profile, profile[:0], np.zeros((5, 4), np.int16)):
        assert native.scores(rows, subjects, 2, 1).tolist() == [0, 0]
        assert native.regions(rows, subjects, 2, 1).query_end.tolist() == [0, 0]
    assert len(native.scores(profile, packed([]), 2, 1)) == 0
    assert len(native.regions(profile, packed([]), 2, 1)) == 0


def test_a_residue_outside_the_alphabet_is_an_error():
    subjects = packed([np.array([1, 2, 200], dtype=np.uint8)])
    profile = np.ones((4, 27), dtype=np.int16)
    for function in (native.scores, native.regions):
        with pytest.raises(ValueError, match="not in the alphabet"):
            function(profile, subjects, 2, 1)


def test_subjects_outside_their_codes_are_refused():
    with pytest.raises(ValueError, match="outside the 3 codes"):
        Subjects(np.zeros(3, np.uint8), np.array([1]), np.array([3]))


def test_subjects_of_a_database_are_those_of_its_file(rng):
    residues = [PROTEIN.decode(random_codes(rng, n, 20)) for n in (5, 90, 30)]
    database = encode_database([SequenceRecord(str(k), "", one) for k, one in enumerate(residues)], PROTEIN)
    subjects = Subjects.of(database, np.array([2, 0]))
    assert [PROTEIN.decode(subjects[k]) for k in range(2)] == [residues[2], residues[0]]


def test_threads_change_nothing(rng):
    codes = random_codes(rng, 300, 20)
    profile = random_matrix(rng, PROTEIN, -5, 9).scores[codes]
    subjects = packed([random_codes(rng, int(n), 20) for n in rng.integers(0, 400, 300)])
    one = native.regions(profile, subjects, 12, 1, threads=1)
    for threads in (2, 5):
        more = native.regions(profile, subjects, 12, 1, threads=threads)
        assert more.query_start.tolist() == one.query_start.tolist()
        assert native.scores(profile, subjects, 12, 1, threads=threads).tolist() == one.scores.tolist()


@pytest.mark.parametrize("threads", [1, 3])
def test_work_in_pieces_can_be_given_up(threads):
    class Enough(Exception):
        pass

    done, checked = [], threading.Event()

    def work(piece):
        done.append(piece)
        if len(done) > 50:
            checked.wait(60)  # so that not all is done before the first check

    def check():
        checked.set()
        raise Enough

    with pytest.raises(Enough):
        in_pieces(np.full(100, 10**8), work, threads=threads, check=check)
    assert len(done) < 100


@pytest.mark.parametrize("costs", [[5], [0, 0, 0], [10**9, 1, 10**9], list(range(10**5, 10**7, 10**5))])
def test_pieces_are_the_whole(costs):
    pieces = cut_long(np.array(costs), 2)
    assert [k for piece in pieces for k in range(piece.start, piece.stop)] == list(range(len(costs)))


@pytest.mark.parametrize("by_position", [False, True])
def test_a_compiled_call_that_is_stopped_gives_up(way, rng, by_position):
    codes = random_codes(rng, 40, 20)
    profile, subjects = load_matrix("BLOSUM62", PROTEIN).scores[codes], packed([random_codes(rng, 50, 20)] * 40)
    gaps = PositionGaps.constant(len(codes), 12, 1) if by_position else None
    scorer = native.Scorer(profile, 12, 1, gaps)
    assert scorer.scores(subjects).any()
    with pytest.raises(Stopped):
        scorer.scores(subjects, np.ones(1, dtype=np.int32))


def test_stop_reaches_into_the_score_of_one_long_subject():
    profile = np.full((100_000, 4), -1, dtype=np.int16)  # 5e11 cells: minutes, if nothing stopped them
    profile[:, 0] = 1
    subject = packed([np.zeros(5_000_000, np.uint8)])
    began = threading.Event()

    def check():
        if began.is_set():
            raise Stopped("The user stopped it.")
        began.set()

    with pytest.raises(Stopped, match="The user"):
        native.scores(profile, subject, 5, 1, check=check)
    began.clear()
    with pytest.raises(Stopped, match="The user"):
        native.regions(profile, subject, 5, 1, check=check)
