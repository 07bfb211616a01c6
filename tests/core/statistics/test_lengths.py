"""Memory of facts of arrays."""

import gc

import numpy as np

from swgui.core.columns import ByIdentity
from swgui.core.statistics.lengths import SubjectLengths


def test_values_are_known_by_the_array_and_die_with_it():
    known: ByIdentity[str] = ByIdentity()
    first, alike = np.arange(3), np.arange(3)
    known.put(first, "first")
    assert known.get(first) == "first"
    assert known.get(alike) is None
    known.put(first, "again")
    assert known.get(first) == "again"
    del first
    gc.collect()
    assert len(known) == 0


def test_lengths_of_a_database_are_looked_at_once():
    lengths = np.array([10, 400, 0, 35_000], dtype=np.int32)
    made = SubjectLengths.of(lengths)
    assert SubjectLengths.of(lengths) is made
    assert SubjectLengths.of(lengths.copy()) is not made
    assert made.bins.tolist() == [23, 60, 0, 105]
    assert np.array_equal(made.logarithms[[0, 1, 3]], np.log([10, 400, 35_000]))
    assert made.take(lengths > 10).values.tolist() == [400, 35_000]
