"""The work of the correction for composition: what is asked, and the compiled library, which does it for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.regions import Regions
from swgui.core.hits.stretches import Subjects
from swgui.core.profiles.score_profile import PositionGaps
from swgui.engines.native.scoring import regions
from swgui.engines.native.shuffling import shuffled_scores


@dataclass(frozen=True, slots=True, eq=False)
class RegionQuestion:
    """Where a query has its best alignments with some subjects: what `regions` is given."""

    profile: NDArray[np.int16]
    subjects: Subjects
    gap_first: int
    gap_extend: int
    gaps: PositionGaps | None = None
    known: NDArray[np.integer] | None = None

    def answer(self, *, threads: int = 0, check: Callable[[], None] = lambda: None) -> Regions:
        """Return it, as the compiled library finds it."""
        costs = self.gap_first, self.gap_extend
        return regions(
            self.profile, self.subjects, *costs, gaps=self.gaps, known=self.known, threads=threads, check=check
        )


class RegionWork(Protocol):
    """What the correction for composition asks: regions of hits, and scores of shuffles. Several threads may ask."""

    def regions_of(
        self, questions: Sequence[RegionQuestion], *, threads: int = 0, check: Callable[[], None] = ...
    ) -> list[Regions]:
        """Do as `swgui.engines.native.scoring.regions` for each question."""

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

    def regions_of(
        self, questions: Sequence[RegionQuestion], *, threads: int = 0, check: Callable[[], None] = lambda: None
    ) -> list[Regions]:
        """Answer one question after the other."""
        return [question.answer(threads=threads, check=check) for question in questions]

    shuffled_scores = staticmethod(shuffled_scores)


HOST: Final[RegionWork] = HostWork()
