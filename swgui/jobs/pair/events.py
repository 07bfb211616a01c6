"""Events of the alignment of one long pair, in addition to those of every run (`swgui.jobs.events`)."""

from __future__ import annotations

import msgspec

from swgui.core.pair.problem import PairPlan, PairProgress, Strand
from swgui.core.pair.result import PairAlignment
from swgui.jobs.events import Finished, Foretold, Found, Progress


class PairStarted(msgspec.Struct, frozen=True):
    """Work begins."""

    plan: PairPlan  # costs of each strand
    strands: tuple[Strand, ...]  # those that are aligned, in turn


class PairProgressed(Progress, frozen=True, kw_only=True):
    """One strand proceeds; ``done`` and ``total`` count its cells, those that were left out among them."""

    strand: Strand
    index: int  # number of the alignment that is being looked for, from 1
    step: PairProgress  # of this alignment on this strand, from the engine
    # Of all that is known to be left to do, from the speed so far; None in the first moments.
    left: float | None

    @property
    def seconds_left(self) -> float | None:
        """Time left for all strands and alignments that are known to be wanted; None in the first moments."""
        return self.left


class PairFound(Found, frozen=True, eq=False):
    """One more alignment is known; they come best first."""

    found: PairAlignment


PairEvent = PairStarted | Foretold | PairProgressed | PairFound | Finished
