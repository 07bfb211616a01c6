"""The hit that the views show, and lines of plots."""

from dataclasses import replace

import numpy as np
import pytest

from swgui.gui.viewer.matrix.plot_view import polyline
from swgui.gui.viewer.shown import ShownHit


def test_a_hit_knows_its_pair(made):
    hit = next(iter(made.describe(made.result.hit_list(0), [0])))
    shown = ShownHit.of(made.result, hit)
    assert shown.alignment is hit.alignment
    assert shown.lengths == (60, 60)
    assert shown.query_index == 0
    assert shown.query_number(3) == 3
    assert shown.describe_pair(3, 3) == "Q 3 W : S 3 W, +5"


def test_residues_of_the_minus_strand_have_the_numbers_of_the_query_as_written(minus_hit):
    result, hit = minus_hit
    shown = ShownHit.of(result, hit)
    assert shown.query_number(1) == len(hit.query)
    assert shown.describe_pair(1, 1).startswith(f"Q {len(hit.query)} ")


def test_a_hit_without_an_alignment_cannot_be_shown(made):
    hit = next(iter(made.describe(made.result.hit_list(0), [0])))
    with pytest.raises(ValueError, match="no alignment"):
        ShownHit.of(made.result, replace(hit, alignment=None))


def test_lines_are_joined_with_breaks():
    x, y = polyline([(np.array([1, 2]), np.array([3, 4])), (np.array([5]), np.array([6]))])
    assert x.tolist()[:2] + x.tolist()[3:4] == [1.0, 2.0, 5.0]
    assert np.flatnonzero(np.isnan(x)).tolist() == np.flatnonzero(np.isnan(y)).tolist() == [2, 4]
    assert [column.shape for column in polyline([])] == [(0,), (0,)]
