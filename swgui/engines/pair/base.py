"""The protocol of engines that align one long pair, and the common form of their results."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Protocol

from swgui.core.alignment import Alignment, Op
from swgui.core.engines import EngineOptions
from swgui.core.errors import ScoreMismatch
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairPlan,
    PairProblem,
    PairScored,
    PairStep,
)
from swgui.core.pair.view import score_and_count
from swgui.engines.base import DeviceInfo


class PairEngine(Protocol):
    """Finds the best alignment of one pair, exactly.

    Made by `swgui.engines.pair.registry.make_pair_engine`, used by one thread at a time, closed by its owner.
    """

    @property
    def method(self) -> str:
        """Name in `PAIR_METHODS`."""

    @property
    def devices(self) -> tuple[DeviceInfo, ...]:
        """Devices it will use."""

    def plan(self, problem: PairProblem) -> PairPlan:
        """Return a plan with the cost, before the run.

        Parameters
        ----------
        problem : PairProblem
            Problem of which only the lengths of sequences count, so it may be a `PairProblem.outline`.

        Raises
        ------
        InvalidParameter
            If the method cannot solve the problem (mode, length, settings), with the one that can.
        """

    def run(
        self, problem: PairProblem, cancel: threading.Event, resume: PairCheckpoint | None = None
    ) -> Iterator[PairStep]:
        """Find the best alignment of the query (rows) with the subject (columns).

        Yields `PairProgress` several times a second, a `PairCheckpoint` every few seconds of long work, one
        `PairScored`, and unless only the score is wanted, one `PairAligned`. Ends early, without the latter two, within
        0.3 s of `cancel` being set.

        Parameters
        ----------
        resume : PairCheckpoint, optional
            The last one of a run of the same problem.

        Raises
        ------
        EngineFault
            If the device fails or memory is short.
        ScoreMismatch
            If the alignment does not rescore to the score.
        """

    def close(self) -> None:
        """Release memory and threads."""


class PairAdapter(Protocol):
    """Contents of the module of a pair method."""

    def create_pair_engine(self, method: str, options: EngineOptions) -> PairEngine:
        """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""


def nothing_aligned(problem: PairProblem) -> Iterator[PairStep]:
    """Report a pair of which one side is empty or nothing scores above 0: one gap in global mode, else nothing."""
    rows, columns = (problem.rows, problem.columns) if problem.mode is PairMode.GLOBAL else (0, 0)
    score = -problem.scheme.gap_cost(rows + columns)
    yield PairScored(PairEnd(score, rows, columns))
    if not problem.score_only:
        runs = [(int(Op.INSERTION), rows), (int(Op.DELETION), columns)]
        yield PairAligned(Alignment.from_runs(0, 0, runs, score))


def rescored(problem: PairProblem, alignment: Alignment, score: int, memory_bytes: int) -> PairAligned:
    """Return an alignment as the answer; `ScoreMismatch` if its residues do not add up to the score."""
    actual, _ = score_and_count(alignment, problem.query, problem.subject, problem.scheme)
    if actual != score:
        raise ScoreMismatch("the subject", score, actual)
    return PairAligned(alignment, memory_bytes)
