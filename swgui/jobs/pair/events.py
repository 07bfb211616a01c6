"""What the alignment of one long pair tells its listeners. Plain frozen data; the last event is `PairFinished`."""

from __future__ import annotations

from dataclasses import dataclass

from swgui.core.pair.problem import PairPlan, PairProgress, Strand
from swgui.core.pair.result import PairAlignment, PairResult


@dataclass(frozen=True, slots=True)
class PairStarted:
    """Work begins."""

    plan: PairPlan  # what each strand will cost
    strands: tuple[Strand, ...]  # those that are aligned, in turn


@dataclass(frozen=True, slots=True)
class PairProgressed:
    """Work goes on."""

    strand: Strand
    index: int  # number of the alignment that is being looked for, from 1
    step: PairProgress  # of this alignment on this strand, as the engine tells it
    seconds: float  # wall time since the work began, pauses left out
    # Of all that is known to be left to do, from the speed so far; None in the first moments.
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
