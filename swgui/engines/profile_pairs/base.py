"""Protocol of the engines that compare profiles with profiles."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.profiles.pairs import PairGaps, ProfileSet


class PairEngine(Protocol):
    """Scores profiles against profiles, exactly: the integers of `swgui.core.profiles.pairs.pair_score`.

    Used by one thread at a time. A device keeps the targets of the last call while the same object is given again.
    """

    def scores(
        self, queries: ProfileSet, targets: ProfileSet, gaps: PairGaps, check: Check = lambda: None
    ) -> NDArray[np.int32]:
        """Score every query against every target.

        Parameters
        ----------
        queries, targets : ProfileSet
            Quantised with the same background.
        check : callable
            Called several times a second; may raise to give up, which takes less than two seconds.

        Returns
        -------
        ndarray, shape=(queries, targets), dtype=int32
            Of the best local alignments, in 1/32 bit; 0 where nothing aligns.
        """
