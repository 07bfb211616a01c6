"""One profile against others."""

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.against import GAP_EXTEND, GAP_FIRST, SHIFT, local_scores, shuffled
from swgui.core.statistics.background import background

CHANCE = background(PROTEIN)[:20]


def profile(rng: np.random.Generator, columns: int) -> np.ndarray:
    return rng.dirichlet(np.full(20, 0.3), columns)


def column_scores(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The score of every pair of columns, by its definition."""
    return np.log2(own @ (other / CHANCE).T) - SHIFT


def by_cells(scores: np.ndarray) -> float:
    """The recurrence cell by cell."""
    rows, columns = scores.shape
    h, across, down = (np.zeros((rows + 1, columns + 1)) for _ in range(3))
    across[:] = down[:] = -1e9
    for i in range(1, rows + 1):
        for j in range(1, columns + 1):
            across[i, j] = max(h[i, j - 1] - GAP_FIRST, across[i, j - 1] - GAP_EXTEND)
            down[i, j] = max(h[i - 1, j] - GAP_FIRST, down[i - 1, j] - GAP_EXTEND)
            h[i, j] = max(0.0, h[i - 1, j - 1] + scores[i - 1, j - 1], across[i, j], down[i, j])
    return float(h.max())


def test_scores_are_those_of_the_recurrence() -> None:
    rng = np.random.default_rng(2)
    own = profile(rng, 25)
    others = [profile(rng, n) for n in (1, 7, 40)]
    others.append(np.concatenate([own[:9], profile(rng, 3), own[9:12], own[14:]]))  # with gaps of both kinds
    expected = [by_cells(column_scores(own, other)) for other in others]
    assert local_scores(own, others, CHANCE) == pytest.approx(expected)
    assert expected[-1] > 2 * max(expected[:-1])


def test_many_profiles_score_as_each_alone() -> None:
    rng = np.random.default_rng(3)
    own, others = profile(rng, 12), [profile(rng, 5 + n % 4) for n in range(70)]
    alone = [local_scores(own, [other], CHANCE)[0] for other in others]
    assert local_scores(own, others, CHANCE) == pytest.approx(alone)
    assert len(local_scores(own, [], CHANCE)) == 0


def test_shuffled_profiles_have_the_same_columns_in_another_order() -> None:
    rng = np.random.default_rng(4)
    some = [profile(rng, 30), profile(rng, 8)]
    copies = shuffled(some, 3)
    assert len(copies) == 6
    for at, copy in enumerate(copies):
        of = some[at % 2]
        assert not np.array_equal(copy, of)
        assert np.array_equal(np.sort(copy[:, 0]), np.sort(of[:, 0]))
