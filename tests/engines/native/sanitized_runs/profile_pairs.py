"""Profiles against profiles, around the lanes of vectors and strips of queries; run in a process of its own."""

from __future__ import annotations

import numpy as np

from swgui.core.profiles.pairs import PairGaps
from swgui.engines.native import library
from swgui.engines.profile_pairs.cpu import CpuPairs
from swgui.engines.profile_pairs.reference import ReferencePairs
from tests.engines.profile_pairs.examples import related


def main() -> None:
    queries, targets = related(7, (1, 2, 33, 1024, 1025, 1, 2, 3, 4, 5, 6, 7, 8, 9, 40, 41, *range(20, 40)), split=5)
    expected = ReferencePairs().scores(queries, targets, PairGaps())
    for level in library.levels():
        assert np.array_equal(CpuPairs(2, level).scores(queries, targets, PairGaps()), expected), level
    print("clean")


if __name__ == "__main__":
    main()
