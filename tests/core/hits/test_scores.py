from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.hits.scores import (
    ChunkScores,
    StrandScores,
    TopHits,
    WindowScores,
    among,
    best_indices,
    distinct,
    highest,
    reaching,
)
from swgui.core.hits.tally import Stretches, Tally, best_of_strands, best_vector
from swgui.core.packing import ChunkPlan

SCORES = st.lists(st.integers(0, 6), max_size=40)


def _expected(scores, limit):
    return sorted(((-s, i) for i, s in enumerate(scores)))[:limit]


def _as_pairs(top):
    return [(-int(s), int(i)) for s, i in zip(top.scores, top.db_index, strict=True)]


@given(SCORES, st.integers(0, 12), st.randoms())
def test_any_order_of_updates_gives_the_best_in_fixed_order(scores, limit, random):
    indices = list(range(len(scores)))
    random.shuffle(indices)
    top = TopHits(limit)
    for start in range(0, len(indices), 7):
        part = indices[start : start + 7]
        top.update(np.array([scores[i] for i in part], dtype=np.int32), np.array(part, dtype=np.int64))
        if random.random() < 0.3:
            assert _as_pairs(top) == sorted((-scores[i], i) for i in indices[: start + 7])[:limit]
    assert _as_pairs(top) == _expected(scores, limit)
    assert all(scores[index] >= top.least for _, index in _expected(scores, limit))


def test_a_list_holds_little_more_than_its_limit(rng):
    top = TopHits(100)
    for first in range(0, 50_000, 500):
        top.update(rng.integers(0, 1000, 500, dtype=np.int32), np.arange(first, first + 500))
        assert top.held <= 150
    assert top.least > 990


@given(SCORES, st.integers(1, 50))
def test_best_indices_sorts_like_a_full_sort(scores, limit):
    values = np.array(scores, dtype=np.int32)
    best = best_indices(values, np.arange(len(scores), dtype=np.int64), limit)
    assert best.tolist() == [i for _, i in _expected(scores, limit)]


def test_a_negative_limit_is_refused():
    with pytest.raises(ValueError, match="cannot be kept"):
        TopHits(-1)


def _chunk(row, index, scores, device="cpu"):
    return ChunkScores(row, np.array(index, np.int64), np.array(scores, np.int32), 10 * len(index), device=device)


def test_a_tally_adds_up_and_knows_what_is_missing():
    tally = Tally(2, 4, 3, keep_scores=True)
    plans = [ChunkPlan(0, 3, 30), ChunkPlan(3, 4, 10)]
    order, offsets = np.array([3, 1, 0, 2]), np.array([0, 10, 20, 30, 40])
    tally.add(_chunk(0, [3, 1], [5, 9]))
    assert tally.unscored(0, plans, order, offsets) == [ChunkPlan(2, 3, 10), ChunkPlan(3, 4, 10)]
    assert tally.unscored(1, plans, order, offsets) == plans
    tally.add(_chunk(0, [0, 2], [9, 0], device="gpu"))
    assert tally.unscored(0, plans, order, offsets) == []
    assert tally.scores[0].tolist() == [9, 9, 0, 5]
    assert tally.scores[1].tolist() == [-1] * 4
    assert tally.device_cells == {"cpu": 20, "gpu": 20}
    assert tally.cells == 40


def test_rows_are_empty_before_their_first_chunk():
    tally = Tally(3, 4, top=2, keep_scores=True)
    tally.add(ChunkScores(1, np.array([2, 0]), np.array([7, 9], dtype=np.int32), cells=8))
    assert tally.vector(0).tolist() == [-1] * 4
    assert tally.scores.tolist() == [[-1] * 4, [9, -1, 7, -1], [-1] * 4]
    assert tally.best(1).db_index.tolist() == [0, 2]


def test_without_vectors_a_tally_cannot_say_what_is_missing():
    tally = Tally(1, 2, 3, keep_scores=False)
    plans = [ChunkPlan(0, 2, 5)]
    assert tally.unscored(0, plans, np.arange(2), np.array([0, 3, 5])) == plans
    tally.add(_chunk(0, [0], [1]))
    with pytest.raises(ValueError, match="score vectors"):
        tally.unscored(0, plans, np.arange(2), np.array([0, 3, 5]))


def test_with_positions_a_tally_knows_what_is_missing_without_vectors():
    order, offsets = np.array([3, 0, 1, 2]), np.array([0, 4, 7, 9, 10])  # subject 3 is stored first
    position = np.argsort(order)
    with_scores = Tally(2, 4, 3, keep_scores=True)
    without = Tally(2, 4, 3, keep_scores=False, position=lambda: position)
    plans = [ChunkPlan(0, 2, 7), ChunkPlan(2, 4, 3)]
    for row, subjects in ((0, [3, 0]), (1, [1, 3])):  # consecutive in storage, and scattered
        for tally in (with_scores, without):
            tally.add(_chunk(row, subjects, [1, 2]))
        expected = with_scores.unscored(row, plans, order, offsets)
        assert without.unscored(row, plans, order, offsets) == expected
        assert len(expected) == row + 1
    assert without.scores is None


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9)), max_size=12), st.integers(0, 35), st.integers(0, 12))
def test_stretches_are_those_of_the_numbers_in_them(added, start, size):
    stretches, numbers = Stretches(), set()
    for first, count in added:
        stretches.add(first, first + count)
        numbers.update(range(first, first + count))
    inside = stretches.inside(start, start + size)
    assert [n for edges in inside for n in range(*edges)] == sorted(numbers & set(range(start, start + size)))
    assert all(stop < begin for (_, stop), (begin, _) in pairwise(inside))


@given(SCORES.flatmap(lambda a: st.tuples(st.just(a), st.lists(st.integers(0, 6), min_size=len(a), max_size=len(a)))))
def test_the_better_strand_counts_and_plus_wins_ties(vectors):
    plus, minus = vectors
    tally = Tally(2, len(plus), 4, keep_scores=True)
    for row, vector in enumerate(vectors):
        tally.add(_chunk(row, range(len(vector)), vector))
    expected = sorted(
        (-max(p, m), i, 1 if p >= m else -1) for i, (p, m) in enumerate(zip(plus, minus, strict=True)) if max(p, m)
    )
    index, scores, strands = best_of_strands(range(2), (1, -1), tally)
    assert [(-int(s), int(i), int(t)) for s, i, t in zip(scores, index, strands, strict=True)] == expected[:4]
    vector, signs = best_vector(range(2), (1, -1), tally)
    assert vector.tolist() == [max(p, m) for p, m in zip(plus, minus, strict=True)]
    assert signs.tolist() == [1 if p >= m else -1 for p, m in zip(plus, minus, strict=True)]


def test_without_vectors_lower_scores_are_known_to_be_lower():
    order = np.array([3, 0, 1, 2])
    tally = Tally(2, 4, 4, keep_scores=False, position=lambda: np.argsort(order), least=[6, 7])
    tally.add(_chunk(0, [0, 1, 2, 3], [5, 6, 7, 8]))
    tally.add(_chunk(1, [1, 3], [9, 2]))  # a stopped search
    index, scores, strands = best_of_strands(range(2), (1, -1), tally)
    assert [index.tolist(), scores.tolist(), strands.tolist()] == [[1, 3, 2], [9, 8, 7], [-1, 1, 1]]
    known = tally.by_strand(range(2), (1, -1), np.array([3, 1, 0]))
    assert known.db_index.tolist() == [0, 1, 3]
    assert known.scores.tolist() == [[5, 6, 8], [-1, 9, 6]]
    assert tally.by_strand(range(1), (1,), np.array([0])) is None


def test_without_vectors_scores_of_strands_are_unknown_where_too_many_are_high():
    tally = Tally(2, 4, 1, keep_scores=False, position=lambda: np.arange(4), least=[6, 6])
    tally.add(_chunk(0, [0, 1, 2, 3], [5, 6, 7, 8]))
    tally.add(_chunk(1, [0, 1, 2, 3], [0, 0, 0, 0]))
    assert tally.by_strand(range(2), (1, -1), np.array([3])) is None


@pytest.mark.parametrize(("kept", "rows"), [(True, 2), (True, 1), (False, 2)])
def test_scores_of_each_strand_are_known_where_several_were_kept(kept, rows):
    tally = Tally(2, 4, 4, keep_scores=kept)
    for row in range(2):
        tally.add(_chunk(row, [0, 1, 2, 3], [5 + row, 6, 7, 8 - row]))
    found = tally.by_strand(range(rows), (1, -1)[:rows], np.array([3, 0]))
    if not kept or rows < 2:
        assert found is None
    else:
        assert (found.db_index.tolist(), found.scores.tolist()) == ([0, 3], [[5, 8], [6, 7]])


def test_scores_of_strands_are_known_where_all_are_kept():
    tally = Tally(3, 3, 2, keep_scores=True)
    tally.add(_chunk(1, [2, 0], [5, 9]))
    tally.add(_chunk(2, [2], [7]))
    known = tally.by_strand(range(1, 3), (1, -1), np.array([2, 0]))
    assert known is not None
    assert (known.strands, known.db_index.tolist()) == ((1, -1), [0, 2])
    assert known.scores.tolist() == [[9, 5], [-1, 7]]
    assert tally.by_strand(range(1, 2), (1,), np.array([0])) is None
    without = Tally(2, 3, 2, keep_scores=False)
    assert without.by_strand(range(2), (1, -1), np.array([0])) is None


def test_what_subjects_score_in_every_strand():
    known = StrandScores((1, -1), np.array([0, 2]), np.array([[9, 5], [-1, 7]], dtype=np.int32))
    there, scores = known.of(np.array([2, 1, 0, 3]))
    assert there.tolist() == [True, False, True, False]
    assert scores[:, there].tolist() == [[5, 9], [7, -1]]
    there, scores = StrandScores((1, -1), np.zeros(0, np.int64), np.zeros((2, 0), np.int32)).of(np.array([2, 1]))
    assert (there.tolist(), scores.shape) == ([False, False], (2, 2))


@pytest.mark.parametrize(("count", "others"), [(0, 3), (5, 0), (200, 40), (40, 200)])
def test_sets_are_those_of_numpy(rng, count, others):
    values, some = rng.integers(-50, 50, count), rng.integers(-50, 50, others)
    assert np.array_equal(among(values, some), np.isin(values, some))
    assert np.array_equal(distinct(values), np.unique(values))


@given(st.lists(st.tuples(st.lists(st.integers(-2, 9), max_size=4), st.integers(1, 8)), max_size=6))
def test_windows_of_several_subjects_as_columns(given_):
    each = [np.array(scores, dtype=np.int32) for scores, _ in given_]
    windows = [WindowScores(0, 10 * np.arange(len(own)), 10 * np.arange(len(own)) + 15, own) for own in each]
    least = np.array([low for _, low in given_], dtype=np.int64)
    expected = [
        (of, 10 * at, 10 * at + 15, score)
        for of, (scores, low) in enumerate(given_)
        for at, score in enumerate(scores)
        if score >= low
    ]
    assert list(zip(*(column.tolist() for column in reaching(windows, least)), strict=True)) == expected
    assert highest(windows).tolist() == [max([0, *scores]) for scores, _ in given_]
