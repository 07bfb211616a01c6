"""Depth of alignments, counted row by row, and in words."""

import numpy as np
import pytest

from swgui.core.profiles.depth import SHALLOW, depth_of_a3m, depth_said, shallow_stretches

A3M = b">q\nMKVL\nAW\n>one\nMK--AW\n>two\n-KaaVLA-\n>three\n------\n"


def test_each_column_counts_its_residues_below_the_query():
    assert depth_of_a3m(A3M).tolist() == [1, 2, 1, 1, 2, 1]
    assert depth_of_a3m(b">q\nMKV\n").tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="differ in their columns"):
        depth_of_a3m(b">q\nMKV\n>one\nMK\n")


@pytest.mark.parametrize(
    ("depth", "stretches", "said"),
    [
        ([SHALLOW] * 3, [], "30 in every column"),
        ([1, 2, 3], [(1, 3)], "1 to 3 in a column, median 2; fewer than 30 everywhere"),
        ([29, 31, 31, 4, 4], [(1, 1), (4, 5)], "4 to 31 in a column, median 29; fewer than 30 at 1, 4–5"),
        (
            [9, 40] * 4 + [9, 9],
            [(1, 1), (3, 3), (5, 5), (7, 7), (9, 10)],
            "9 to 40 in a column, median 9; fewer than 30 at 1, 3, 9–10 and 2 shorter stretches",
        ),
    ],
)
def test_shallow_stretches_are_named(depth, stretches, said):
    values = np.array(depth)
    assert shallow_stretches(values) == stretches
    assert depth_said(values) == said
