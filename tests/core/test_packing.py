import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.packing import ChunkLimits, plan_chunks, sort_by_length

LENGTHS = st.lists(st.integers(0, 50), max_size=40)


def _offsets(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


@given(LENGTHS)
def test_longest_first_and_ties_in_source_order(lengths):
    order = sort_by_length(np.array(lengths, dtype=np.int32))
    keys = [(-lengths[i], i) for i in order]
    assert keys == sorted(keys)
    assert sorted(order) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 120), st.integers(1, 7))
def test_chunks_cover_everything_once_and_keep_the_limits(lengths, residues, sequences):
    offsets = _offsets(lengths)
    plans = plan_chunks(offsets, ChunkLimits(residues, sequences))
    assert [i for plan in plans for i in range(plan.start, plan.stop)] == list(range(len(lengths)))
    assert sum(plan.residues for plan in plans) == sum(lengths)
    for plan in plans:
        assert plan.residues == sum(lengths[plan.start : plan.stop])
        assert len(plan) <= sequences
        assert plan.residues <= residues or len(plan) == 1


def test_a_chunk_is_as_full_as_it_may_be():
    plans = plan_chunks(_offsets([4, 4, 4, 4]), ChunkLimits(8))
    assert [(p.start, p.stop) for p in plans] == [(0, 2), (2, 4)]


def test_limits_that_hold_nothing_are_refused():
    with pytest.raises(ValueError, match="hold something"):
        plan_chunks(_offsets([1]), ChunkLimits(0))
