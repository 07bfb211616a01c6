"""The work of the correction for composition: what is asked, and the compiled library, which does it for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.regions import Regions
from swgui.core.profiles.score_profile import PositionGaps
from swgui.engines.native.scoring import regions
from swgui.engines.native.shuffling import shuffled_scores
from swgui.engines.native.subjects import Subjects


class RegionWork(Protocol):
    """What the correction for composition asks: regions of hits, and scores of shuffles. Several threads may ask."""

    def regions(
        self,
        profile: NDArray[np.int16],
        subjects: Subjects,
        gap_first: int,
        gap_extend: int,
        *,
        gaps: PositionGaps | None = None,
        known: NDArray[np.integer] | None = None,
        threads: int = 0,
        check: Callable[[], None] = ...,
    ) -> Regions:
        """Do as `swgui.engines.native.scoring.regions`."""

    def shuffled_scores(
        self,
        profile: NDArray[np.int16],
        codes: NDArray[np.uint8],
        jobs: NDArray[np.int64],
        gap_first: int,
        gap_extend: int,
        seed: int,
        *,
        gaps: PositionGaps | None = None,
        threads: int = 0,
        check: Callable[[], None] = ...,
    ) -> NDArray[np.int32]:
        """Do as `swgui.engines.native.shuffling.shuffled_scores`."""


@runtime_checkable
class Correcting(Protocol):
    """What an engine offers besides whose device can do the work of the correction for composition."""

    def region_work(self) -> RegionWork:
        """Return what does it until the engine is closed."""


class HostWork:
    """The compiled library, on all cores."""

    regions = staticmethod(regions)
    shuffled_scores = staticmethod(shuffled_scores)


HOST: Final[RegionWork] = HostWork()
