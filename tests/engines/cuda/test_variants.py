"""Choices of the host for the CUDA kernels: arithmetic, tiles, layout. Pure functions."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.engines.cuda import tiles
from swgui.engines.cuda.arithmetic import PACKED_LIMIT, Costs, Twins, plan_arithmetic
from swgui.engines.cuda.streaming.alone import plan_long
from swgui.engines.cuda.streaming.layout import DatabaseLayout, cut_units, twin_blocks
from swgui.engines.cuda.streaming.tuning import TUNING
from swgui.engines.cuda.streaming.twins import spread_launches
from swgui.engines.cuda.streaming.variants import KernelVariant, Load, Tile, passes, select_tile
from tests.fakes import FakeGpu

SHARED = 227 * 1024


def blosum62(twins=Twins.SUBJECTS, *, dpx=True):
    return plan_arithmetic(twins, Costs(27, 12, 1, -4, 11), dpx=dpx)


@given(
    gap_first=st.integers(0, 3000),
    share=st.floats(0, 1),
    lowest=st.integers(-3000, 0),
    highest=st.integers(0, 3000),
    twins=st.sampled_from(list(Twins)),
    dpx=st.booleans(),
)
def test_stored_values_stay_in_their_range(gap_first, share, lowest, highest, twins, dpx):
    gap_extend = int(gap_first * share)
    arithmetic = plan_arithmetic(twins, Costs(27, gap_first, gap_extend, lowest, highest), dpx=dpx)
    assert arithmetic.twins in (twins, Twins.NONE)
    # G above a query, the lowest diagonal sum and a gap taken back by one column are not negative.
    assert arithmetic.floor - gap_first >= 0
    assert arithmetic.floor + arithmetic.worst >= 0
    assert arithmetic.floor - gap_extend >= 0
    # Two gaps are never dearer than the worst score, so raising scores to it changes nothing.
    assert arithmetic.worst == max(lowest, -2 * gap_first)
    # Padding must not score.
    assert (arithmetic.period - 1) * gap_extend <= gap_first
    if arithmetic.twins is not Twins.NONE:
        offset = arithmetic.floor + gap_extend * (arithmetic.period + 2)
        assert arithmetic.limit - 1 + offset + max(highest, 0) < 0x7BFF
    low, high = arithmetic.stored_range(max(highest, arithmetic.worst))
    assert not arithmetic.packed or -PACKED_LIMIT <= low <= high <= PACKED_LIMIT


def test_usual_schemes_are_packed_and_wide_ones_are_not():
    assert blosum62().packed
    assert not blosum62(Twins.QUERIES).packed
    wide = plan_arithmetic(Twins.SUBJECTS, Costs(27, 12, 1, -4, 200), dpx=True)
    assert (wide.twins, wide.packed) == (Twins.SUBJECTS, False)
    for costs in (Costs(27, 12, 1, -4, 16_000), Costs(27, 40_000, 1, -4, 11)):
        assert plan_arithmetic(Twins.SUBJECTS, costs, dpx=True).twins is Twins.NONE


# Costs; packed, floor, period, worst and limit in frames, and the limit of published methods. None: 32 bits.
CHOICES = {
    (27, 12, 1, -4, 11): ((True, 13, 4, -4, 31_712), 32_757),
    (16, 7, 2, -3, 2): ((True, 8, 4, -3, 31_720), 32_766),
    (4, 0, 0, -1, 1): ((True, 1, 4, 0, 31_740), 32_767),
    (27, 12, 1, -4, 200): ((False, 13, 4, -4, 31_523), 32_568),
    (27, 40, 40, -4, 11): ((False, 41, 2, -4, 31_530), 32_757),
    (27, 30, 7, -900, 300): ((False, 61, 4, -60, 31_339), 32_468),
    (27, 40_000, 1, -4, 11): (None, 32_757),
    (27, 12, 1, -4, 16_000): (None, None),
}


@pytest.mark.parametrize("costs", CHOICES)
def test_choices_are_those_that_were_measured(costs):
    framed, plain = (plan_arithmetic(Twins.SUBJECTS, Costs(*costs), dpx=True, period=period) for period in (4, 0))
    chosen = (framed.packed, framed.floor, framed.period, framed.worst, framed.limit)
    in_16_bits = (chosen if framed.subjects == 2 else None, plain.limit if plain.subjects == 2 else None)
    assert in_16_bits == CHOICES[costs]
    assert not plain.packed


@pytest.mark.parametrize("twins", list(Twins))
@pytest.mark.parametrize("shared", [64 * 1024, 99 * 1024, SHARED])
def test_tiles_fit_shared_memory_and_cover_the_query(twins, shared):
    arithmetic = blosum62(twins)
    for length in [*range(1, 200), 464, 1000, 5478, 100_000]:
        tile = select_tile(length, arithmetic, shared)
        assert tile.shared_bytes(arithmetic) <= shared
        steps = list(passes(tile, arithmetic, length))
        assert len(steps) * tile.height >= length
        assert [row for row, _ in steps] == [number * tile.height for number in range(len(steps))]
        assert [v.reads_border for _, v in steps] == [number > 0 for number in range(len(steps))]
        assert [v.writes_border for _, v in steps] == [number + 1 < len(steps) for number in range(len(steps))]


@pytest.mark.parametrize("length", [144, 189, 222, 375, 464, 567, 657, 729, 850, 1000, 1500, 2005, 2504, 3005, 5478])
def test_little_of_a_tile_is_padding(length):
    arithmetic = blosum62()
    tile = select_tile(length, arithmetic, SHARED)
    count = len(list(passes(tile, arithmetic, length)))
    assert count * tile.height <= 1.06 * length


def test_a_long_subject_in_a_small_database_gets_more_lanes():
    arithmetic = blosum62()
    small = Load(blocks=1_000_000, longest=2_600, multiprocessors=132)
    large = Load(blocks=41_000_000, longest=2_600, multiprocessors=132)
    assert select_tile(464, arithmetic, SHARED, small).lanes > select_tile(464, arithmetic, SHARED, large).lanes


def test_the_longest_subjects_of_a_small_database_get_blocks_of_their_own(rng):
    lengths = np.sort(rng.lognormal(5.8, 0.7, 20_000).astype(np.int64))[::-1]
    small = DatabaseLayout.of(np.concatenate([[0], np.cumsum([10_000, 9_000, *lengths])]))
    large = DatabaseLayout.of(np.concatenate([[0], np.cumsum(np.repeat(lengths, 20))]))
    costs, gpu = Costs(27, 12, 1, -4, 11), FakeGpu()
    for length, layout, alone in ((5_478, small, True), (5_478, large, False), (144, small, False)):
        long, load = plan_long(np.zeros((27, length), np.int16), costs, blosum62(), gpu, layout)
        count = long.count if long else 0
        assert (count > 0) == alone
        assert load.blocks == layout.blocks(count, layout.twins)
        assert load.longest == round(layout.blocks(count, count + 1) * (TUNING.crowded if count else 1))
        assert load.multiprocessors == 132 - count // TUNING.freed
        assert long is None or long.variant.shared_bytes <= gpu.shared_limit


def test_one_record_gives_defines_and_launch():
    variant = KernelVariant(blosum62(), Tile(8, 24, 384, 4), reads_border=True)
    assert "-DSW_THREADS=384" in variant.defines()
    assert "-DSW_READ_BORDER=1" in variant.defines()
    assert variant.groups == 48
    assert variant.tile.registers == 168
    assert len(set(variant.defines())) == len(variant.defines())


def test_the_table_of_tiles_is_in_order():
    for table in (tiles.PACKED, tiles.WORDS, tiles.QUERIES, tiles.SINGLE):
        rows = [rate.rows for rate in table]
        assert rows == sorted(set(rows))
        assert all(rate.threads % 128 == 0 and rate.speed > 0 for rate in table)


def layout_of(lengths):
    lengths = np.sort(np.asarray(lengths, dtype=np.int64))[::-1]
    return DatabaseLayout.of(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


@given(st.lists(st.integers(0, 5000), max_size=60), st.integers(1, 500))
def test_units_cover_every_twin_once(lengths, groups):
    layout = layout_of(lengths)
    units = cut_units(layout.block_of, 0, layout.twins, groups)
    assert units[-1] == layout.twins
    assert not layout.twins or units[0] == 0
    assert (np.diff(units) > 0).all()


def test_units_shrink_towards_the_end():
    layout = layout_of([400] * 100_000)
    blocks = np.diff(layout.block_of[cut_units(layout.block_of, 0, layout.twins, 1000)].astype(np.int64))
    assert blocks[0] > 20 * TUNING.min_unit_blocks
    assert blocks[-2] < 20 * TUNING.min_unit_blocks


@given(st.lists(st.integers(0, 300), min_size=1, max_size=60), st.integers(1, 200))
def test_windows_cover_every_twin_once(lengths, blocks):
    layout = layout_of(lengths)
    windows = list(layout.windows(0, layout.twins, blocks))
    assert [first for first, _ in windows] == [0, *(last for _, last in windows[:-1])]
    assert windows[-1][1] == layout.twins
    assert all(layout.blocks(a, b) <= blocks or b == a + 1 for a, b in windows)


def test_a_twin_has_room_for_an_empty_last_column():
    assert np.diff(twin_blocks(np.array([0, 8, 15, 18, 18]))).tolist() == [3, 1]
    assert np.diff(twin_blocks(np.array([0, 0]))).tolist() == [1]


def test_a_database_beyond_the_layout_is_refused():
    with pytest.raises(OverflowError, match="blocks"):
        twin_blocks(np.array([0, 1 << 35]))


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [("", ""), ("AAA", "AAA"), ("sss", "sss"), ("AAAss", "AsAsA"), ("Assss", "Assss"), ("AAAAs", "AAsAA")],
)
def test_launches_of_many_queries_lie_between_the_others(kinds, expected):
    plans = [SimpleNamespace(number=number, several=kind == "s") for number, kind in enumerate(kinds)]
    spread = spread_launches(plans)
    assert "".join("s" if plan.several else "A" for plan in spread) == expected
    for several in (False, True):
        numbers = [plan.number for plan in spread if plan.several == several]
        assert numbers == sorted(numbers)
