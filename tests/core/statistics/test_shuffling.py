"""Shuffled subjects: what stays the same, what changes, and the databases made of them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.statistics.shuffling import ShufflePlan, rearranged, shuffled_batches, shuffles, z_value


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(residues=st.text("ACDEFGHIKLMNPQRSTVWYX*", max_size=80), window=st.sampled_from([0, 2, 7, 20, 200]))
def test_every_window_keeps_its_composition(residues: str, window: int) -> None:
    codes = PROTEIN.encode(residues.encode())
    shuffled = shuffles(codes, 5, window, generator())
    assert shuffled.shape == (5, codes.size)
    width = window or max(codes.size, 1)
    for row in shuffled:
        for start in range(0, codes.size, width):
            part, original = row[start : start + width], codes[start : start + width]
            assert Counter(part.tolist()) == Counter(original.tolist())


def test_every_order_is_equally_likely() -> None:
    codes = np.array([0, 1, 2], dtype=np.uint8)
    counts = Counter(map(tuple, shuffles(codes, 6000, 0, generator()).tolist()))
    assert len(counts) == 6
    assert max(abs(count - 1000) for count in counts.values()) < 5 * math.sqrt(1000)


def test_rows_differ_and_the_seed_repeats_them() -> None:
    codes = np.arange(20, dtype=np.uint8)
    first, again = shuffles(codes, 50, 0, generator(3)), shuffles(codes, 50, 0, generator(3))
    assert np.array_equal(first, again)
    assert len({tuple(row) for row in first.tolist()}) == 50
    assert not np.array_equal(first, shuffles(codes, 50, 0, generator(4)))


def everything(subjects: list[np.ndarray], keys: list[int], plan: ShufflePlan, residues: int) -> dict[int, list[bytes]]:
    made: dict[int, list[bytes]] = {}
    for database, owners in shuffled_batches(subjects, keys, plan, PROTEIN, residues):
        assert len(database) == len(owners)
        assert database.residues <= max(residues, max(s.size for s in subjects))
        assert (np.diff(np.diff(database.offsets)) <= 0).all()  # longest first, as every database
        for index, owner in enumerate(owners.tolist()):
            assert database.lengths[index] == subjects[owner].size
            made.setdefault(owner, []).append(database.subject(index).tobytes())
    return made


@pytest.mark.parametrize("residues", [10_000_000, 5_000, 333, 1])
def test_batches_do_not_change_what_is_made(residues: int) -> None:
    chance = generator(9)
    subjects = [chance.integers(0, 20, n).astype(np.uint8) for n in (30, 7, 200, 30)]
    plan = ShufflePlan(100, seed=5)
    made = everything(subjects, [11, 12, 13, 14], plan, residues)
    assert [len(made[owner]) for owner in range(4)] == [100] * 4
    alone = everything(subjects[2:3], [13], plan, 10_000_000)
    assert made[2] == alone[0]


def test_equal_content_has_an_equal_checksum_and_other_seeds_another() -> None:
    subject = np.arange(20, dtype=np.uint8)
    sums = [next(shuffled_batches([subject], [1], ShufflePlan(100, seed=s), PROTEIN))[0].checksum for s in (1, 1, 2)]
    assert sums[0] == sums[1] != sums[2]


def test_empty_subjects_are_kept() -> None:
    made = everything([np.zeros(0, np.uint8), np.arange(4, dtype=np.uint8)], [1, 2], ShufflePlan(100), 1000)
    assert made[0] == [b""] * 100


@pytest.mark.parametrize("changes", [{"count": 0}, {"window": 1}, {"window": -2}, {"seed": -1}])
def test_senseless_plans_are_refused(changes: dict[str, int]) -> None:
    with pytest.raises(InvalidParameter) as refused:
        ShufflePlan(**changes)
    assert refused.value.name in changes


def test_z_value_written_out() -> None:
    scores = np.array([30, 34, 38, 30, 33] * 20, dtype=np.int32)
    found = z_value(4, 77, 60, scores, ShufflePlan(100))
    assert found.mean == 33
    assert found.standard_deviation == pytest.approx(scores.std(ddof=1))
    assert found.z == pytest.approx(27 / scores.std(ddof=1))
    t = math.pi / math.sqrt(6) * found.z + 0.57721566490153286
    assert found.log10_p == pytest.approx(math.log10(1 - math.exp(-math.exp(-t))))
    assert found.reached == 0
    assert found.counted_p == pytest.approx(1 / 101)
    assert f"{found.z:.2f}" in found.explain()
    assert z_value(0, 0, 34, scores, ShufflePlan(100)).reached == 40


def test_p_does_not_underflow_and_equal_scores_have_no_z() -> None:
    scores = np.array([30, 31] * 50, dtype=np.int32)
    assert z_value(0, 0, 100_000, scores, ShufflePlan(100)).log10_p < -10_000
    flat = z_value(0, 0, 30, np.full(100, 30, np.int32), ShufflePlan(100))
    assert math.isnan(flat.z)
    assert math.isnan(flat.log10_p)
    assert "no Z-value" in flat.explain()


def test_what_is_rearranged_is_read_from_behind_in_whole_stretches():
    codes = np.arange(100, dtype=np.uint8)
    made = rearranged(codes, 50, 30, np.random.default_rng(1))
    assert (np.sort(made, axis=1) == codes).all()
    steps = np.diff(made.astype(np.int64), axis=1)
    assert ((steps != -1).sum(axis=1) <= 4).all()  # three cuts, and where the sequence begins again
    assert len({row.tobytes() for row in made}) > 45
    assert rearranged(codes[:0], 3, 30, np.random.default_rng(1)).shape == (3, 0)
    assert (np.sort(rearranged(codes[:5], 3, 30, np.random.default_rng(1)), axis=1) == codes[:5]).all()
