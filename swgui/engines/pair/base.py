"""The protocol of engines that align one long pair."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Protocol

from swgui.core.engines import EngineOptions
from swgui.core.pair.problem import PairCheckpoint, PairPlan, PairProblem, PairStep
from swgui.engines.base import DeviceInfo


class PairEngine(Protocol):
    """Finds the best alignment of one pair, exactly.

    Made by `swgui.engines.pair.registry.make_pair_engine`, used by one thread at a time, closed by
    whoever made it.
    """

    @property
    def method(self) -> str:
        """Name in `PAIR_METHODS`."""

    @property
    def devices(self) -> tuple[DeviceInfo, ...]:
        """Devices it will use."""

    def plan(self, problem: PairProblem) -> PairPlan:
        """Say beforehand what it will cost.

        Parameters
        ----------
        problem : PairProblem
            Of its sequences only the lengths count, so it may be a `PairProblem.outline`.

        Raises
        ------
        InvalidParameter
            If the method cannot solve the problem (mode, length, settings), with what can.
        """

    def run(
        self, problem: PairProblem, cancel: threading.Event, resume: PairCheckpoint | None = None
    ) -> Iterator[PairStep]:
        """Find the best alignment of the query (rows) with the subject (columns).

        Yields `PairProgress` several times a second, a `PairCheckpoint` every few seconds where the work is
        long, one `PairScored`, and unless only the score was asked for, one `PairAligned`. Ends early, without
        the latter two, within 0.3 s of `cancel` being set.

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
        """Release what it holds."""


class PairAdapter(Protocol):
    """What the module of a pair method offers."""

    def create_pair_engine(self, method: str, options: EngineOptions) -> PairEngine:
        """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
