"""Profiles against profiles in plain NumPy: slow, and easy to check."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.profiles.pairs import PairGaps, ProfileSet, pair_score


class ReferencePairs:
    """The definition, pair by pair."""

    def scores(
        self, queries: ProfileSet, targets: ProfileSet, gaps: PairGaps, check: Check = lambda: None
    ) -> NDArray[np.int32]:
        """Score every query against every target, see `PairEngine.scores`."""
        found = np.zeros((len(queries), len(targets)), dtype=np.int32)
        for row in range(len(queries)):
            for column in range(len(targets)):
                found[row, column] = pair_score(queries[row], targets[column], gaps, check)
        return found
