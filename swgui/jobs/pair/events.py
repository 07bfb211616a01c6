"""What the alignment of one long pair tells its listeners. Plain frozen data; the last event is `PairFinished`."""

from __future__ import annotations

from dataclasses import dataclass

from swgui.core.pair.problem import PairPlan, PairProgress, Strand
from swgui.core.pair.result import PairAlignment, PairResult


@dataclass(frozen=True, slots=True)
class PairStarted:
    """Work begins.

    Parameters
    ----------
    plan : PairPlan
        What each strand will cost.
    strands : tuple of {"plus", "minus"}
        Those that are aligned, in turn.
    """

    plan: PairPlan
    strands: tuple[Strand, ...]


@dataclass(frozen=True, slots=True)
class PairProgressed:
    """Work goes on.

    Parameters
    ----------
    strand : {"plus", "minus"}
    index : int
        Number of the alignment that is being looked for, from 1.
    step : PairProgress
        Of this alignment on this strand, as the engine tells it.
    seconds : float
        Wall time since the work began, pauses left out.
    seconds_left : float or None
        Of all that is known to be left to do, from the speed so far; None in the first moments.
    """

    strand: Strand
    index: int
    step: PairProgress
    seconds: float
    seconds_left: float | None


@dataclass(frozen=True, slots=True, eq=False)
class PairFound:
    """One more alignment is known; they come best first."""

    found: PairAlignment


@dataclass(frozen=True, slots=True, eq=False)
class PairFinished:
    """The last event: all there is, whether finished, stopped or failed."""

    result: PairResult


PairEvent = PairStarted | PairProgressed | PairFound | PairFinished
