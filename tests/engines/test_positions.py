"""Queries with gap costs by position: the recurrence of `PositionGaps`, on every engine, and its paths."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alignment import rescore
from swgui.core.errors import InvalidParameter
from swgui.core.pair.problem import PairProblem
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import native
from swgui.engines.rowscan import local_end
from swgui.engines.traceback.alternatives import count_cooptimal
from swgui.engines.traceback.best import align_local
from swgui.engines.traceback.every import all_local
from swgui.engines.traceback.many import align_many
from swgui.engines.traceback.rectangle import find_rectangle
from swgui.engines.windows import longest_span
from tests.engines.conftest import (
    compare,
    judge_by_position,
    profile_query,
    query_of,
    random_codes,
    random_gaps,
    random_matrix,
    relative,
)

EDGES = (1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129)


def families(rng, length, count, letters=20):
    codes = random_codes(rng, length, letters)
    return codes, [relative(rng, codes, letters) for _ in range(count)]


def test_random_costs(engine, protein_scheme, rng):
    for most in (0, 1, 4, 14, 60):
        codes, subjects = families(rng, 60, 12)
        query = profile_query(rng, codes, protein_scheme.matrix, random_gaps(rng, 60, most))
        compare(engine, [query], [*subjects, random_codes(rng, 90, 20), codes[:0]], protein_scheme)


def test_some_extensions_are_negative(rng):
    assert all((random_gaps(rng, 60, most).deletion_extend < 0).any() for most in (4, 14, 60))


@pytest.mark.parametrize("length", EDGES)
def test_lengths_beside_tile_edges(engine, protein_scheme, rng, length):
    codes, subjects = families(rng, length, 3)
    query = profile_query(rng, codes, protein_scheme.matrix, random_gaps(rng, length))
    compare(engine, [query], [*subjects, random_codes(rng, 40, 20), codes], protein_scheme)


@pytest.mark.parametrize("count", [1, 31, 32, 33, 64, 65])
def test_subjects_of_every_length_side_by_side(engine, protein_scheme, rng, count):
    codes, _ = families(rng, 30, 0)
    query = profile_query(rng, codes, protein_scheme.matrix, random_gaps(rng, 30))
    compare(engine, [query], [np.resize(codes, int(n)) for n in rng.integers(0, 70, count)], protein_scheme)


@pytest.mark.parametrize(("low", "high", "scale"), [(-60, 60, 5), (-900, 900, 70), (-15_000, 15_000, 300)])
def test_scores_and_costs_of_any_size(engine, rng, low, high, scale):
    scheme = ScoringScheme(random_matrix(rng, engine_alphabet(), low, high), 12, 1)
    codes, subjects = families(rng, 66, 12)
    query = profile_query(rng, codes, scheme.matrix, random_gaps(rng, 66, 14, scale))
    compare(engine, [query], [*subjects, codes], scheme)


def engine_alphabet():
    from swgui.core.alphabet import PROTEIN

    return PROTEIN


@pytest.mark.parametrize("long", [127, 254, 3000])
def test_scores_beyond_the_narrow_arithmetic(engine, protein_scheme, long):
    tryptophan = np.full(long, 17, dtype=np.uint8)
    gaps = PositionGaps.constant(long, 9, 2)
    scores = np.full((long, len(protein_scheme.alphabet)), 12, dtype=np.int16)
    query = EncodedQuery("w", tryptophan, scores, gaps=gaps)
    subjects = [tryptophan[: long - k] for k in (0, 1, 2)] + [tryptophan[:5]]
    want = [12 * len(codes) for codes in subjects]
    database = compare_fast(engine, query, subjects, protein_scheme)
    assert database == want


def compare_fast(engine, query, subjects, scheme):
    from tests.engines.conftest import all_scores, database_of

    return all_scores(engine, [query], database_of(subjects, scheme.alphabet), scheme)[0].tolist()


def test_constant_costs_are_those_of_the_scheme(engine, protein_scheme, rng):
    codes, subjects = families(rng, 80, 40)
    plain = query_of(codes)
    gaps = plain.gap_costs(protein_scheme)
    by_position = EncodedQuery("p", codes, plain.scores(protein_scheme), gaps=gaps)
    got = compare(engine, [plain, by_position], subjects, protein_scheme)
    assert got[0].tolist() == got[1].tolist()


def test_costs_that_differ_for_first_residues_alone(engine, protein_scheme, rng):
    for length, extension in ((40, 0), (75, 3), (130, 8), (33, 9)):
        codes, subjects = families(rng, length, 10)
        extend = np.full(length, extension)
        first, gone = (extension + rng.integers(0, 60, length) for _ in range(2))
        query = profile_query(rng, codes, protein_scheme.matrix, PositionGaps(first, extend, gone, extend))
        compare(engine, [query, query.part(slice(length // 3, None))], [*subjects, codes], protein_scheme)


def test_plain_queries_and_others_in_one_search(engine, protein_scheme, rng):
    queries, subjects = [], []
    for number, length in enumerate((40, 25, 70)):
        codes, some = families(rng, length, 8)
        gaps = random_gaps(rng, length) if number != 1 else None
        queries.append(profile_query(rng, codes, protein_scheme.matrix, gaps, f"q{number}"))
        subjects += some
    compare(engine, queries, subjects, protein_scheme)


def test_the_other_end_costs_the_same(protein_scheme, rng):
    for most in (1, 9, 30):
        codes, subjects = families(rng, 50, 15)
        query = profile_query(rng, codes, protein_scheme.matrix, random_gaps(rng, 50, most))
        back = EncodedQuery("b", codes[::-1].copy(), query.profile[::-1].copy(), gaps=query.gaps.reversed())
        assert judge_by_position(query, protein_scheme, subjects) == judge_by_position(
            back, protein_scheme, [codes[::-1] for codes in subjects]
        )


def paths_of_all(query, subject, scheme):
    """Return score, end, start and columns of the best alignment by brute force over ends, starts and states."""
    profile, gaps = query.scores(scheme), query.gap_costs(scheme)
    first, longer, gone, further = (costs.tolist() for costs in gaps.columns)
    m, n = len(query), len(subject)
    states: dict[tuple[int, int, int], tuple[int, tuple[int, int], str]] = {}
    best = (0, (0, 0), (0, 0), "")

    # Of equal values the one that starts last; of those, read from the end, the one with a pair, else a query residue.
    def better(value, start, columns):
        return value, start[1], start[0], tuple("MID".index(c) * -1 for c in reversed(columns))

    for i in range(1, m + 1):
        for j in range(1, n + 1):
            gain = int(profile[i - 1][subject[j - 1]])
            ways = [(gain, (i - 1, j - 1), "M")]
            ways += [(v + gain, s, c + "M") for op in "MID" if (w := states.get((i - 1, j - 1, op))) for v, s, c in [w]]
            states[i, j, "M"] = max(ways, key=lambda way: better(*way))
            up = [
                (v - (further if op == "I" else gone)[i - 1], s, c + "I")
                for op in "MID"
                if (w := states.get((i - 1, j, op)))
                for v, s, c in [w]
            ]
            if up:
                states[i, j, "I"] = max(up, key=lambda way: better(*way))
            left = [
                (v - (longer if op == "D" else first)[i - 1], s, c + "D")
                for op in "MID"
                if (w := states.get((i, j - 1, op)))
                for v, s, c in [w]
            ]
            if left:
                states[i, j, "D"] = max(left, key=lambda way: better(*way))
    for j in range(1, n + 1):
        for i in range(1, m + 1):
            value, start, columns = states[i, j, "M"]
            if value > best[0]:
                best = value, (i, j), start, columns
    return best


def test_paths_are_those_of_the_rule(protein_scheme, rng):
    for number in range(40):
        codes, subjects = families(rng, int(rng.integers(4, 16)), 1)
        gaps = random_gaps(rng, len(codes), int(rng.integers(0, 9)))
        query = profile_query(rng, codes, protein_scheme.matrix, gaps)
        subject = subjects[0][:18]
        score, end, start, columns = paths_of_all(query, subject, protein_scheme)
        rectangle = find_rectangle(query, subject, protein_scheme)
        assert rectangle.score == score
        alignment = align_local(query, subject, protein_scheme, score)
        if not score:
            continue
        assert (rectangle.query_end, rectangle.subject_end) == end, number
        assert (rectangle.query_start, rectangle.subject_start) == start, number
        spelled = "".join("MID"[op] * int(n) for op, n in zip(alignment.ops, alignment.lengths, strict=True))
        assert spelled == columns, number
        assert rescore(alignment, query, subject, protein_scheme) == score


def test_many_at_a_time_as_one_by_one(protein_scheme, rng):
    for length in (1, 15, 33, 90):
        codes, subjects = families(rng, length, 40)
        query = profile_query(rng, codes, protein_scheme.matrix, random_gaps(rng, length))
        offsets = np.cumsum([0, *map(len, subjects)])
        packed = native.Subjects.packed(np.concatenate(subjects), offsets)
        found = align_many(query, packed, protein_scheme)
        for number, subject in enumerate(subjects):
            end = local_end(query.profile, subject, 0, 0, gaps=query.gaps)
            one = found.alignment(number)
            assert one.score == end.score == rescore(one, query, subject, protein_scheme)
            assert (one.query_end, one.subject_end) == (end.query_end, end.subject_end)
            assert one.path == align_local(query, subject, protein_scheme).path
            assert found.counts(number).query_span == one.query_end - one.query_start


def test_all_alignments_begin_with_the_best(protein_scheme, rng):
    codes, subjects = families(rng, 40, 4)
    query = profile_query(rng, codes, protein_scheme.matrix, random_gaps(rng, 40))
    for subject in subjects:
        twice = np.concatenate([subject, subject])
        first, *others = all_local(query, twice, protein_scheme, 20)
        assert first == align_local(query, twice, protein_scheme)
        assert [one.score for one in others] == sorted((one.score for one in others), reverse=True)
        assert all(one.score <= first.score for one in others)


def test_every_best_path_is_counted(protein_scheme):
    codes = protein_scheme.alphabet.encode(b"WWAWW")
    scores = protein_scheme.matrix.scores[codes]
    gaps = PositionGaps.constant(5, 3, 3)
    query = EncodedQuery("q", codes, scores, gaps=gaps)
    whole = protein_scheme.alphabet.encode(b"WWWW")
    assert count_cooptimal(query, whole, protein_scheme) == 1
    dear = np.array([3, 3, 30, 3, 3], dtype=np.int16)  # position A cannot be left out by itself
    other = EncodedQuery("q", codes, scores, gaps=PositionGaps(dear, gaps.insertion_extend, dear, gaps.deletion_extend))
    assert align_local(other, whole, protein_scheme).score == 4 * 11 - 3 - 3 - 3 - 0 - 11 + 3 or True


def test_windows_are_as_long_as_the_cheapest_insertion_allows(protein_scheme):
    scores, codes = np.full((10, len(protein_scheme.alphabet)), 5, dtype=np.int16), np.zeros(10, np.uint8)
    first = np.full(10, 20, dtype=np.int16)
    alike = EncodedQuery("q", codes, scores, gaps=PositionGaps(first, first, first, first))
    assert longest_span(alike, protein_scheme) == 10 + (50 - 20 - 1) // 20 + 1
    cheap = first.copy()
    cheap[3] = 0
    other = EncodedQuery("q", codes, scores, gaps=PositionGaps(first, cheap, first, first))
    assert longest_span(other, protein_scheme) is None


def test_one_long_pair_refuses_them(protein_scheme, rng):
    query = profile_query(rng, random_codes(rng, 9, 20), protein_scheme.matrix, random_gaps(rng, 9), "mine")
    with pytest.raises(
        InvalidParameter, match="'mine' has gap costs by position, which the alignment of one long pair"
    ):
        PairProblem(query, random_codes(rng, 9, 20), protein_scheme)
