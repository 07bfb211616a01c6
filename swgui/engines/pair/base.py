"""The protocol of engines that align one long pair."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.pair.problem import PairCheckpoint, PairPlan, PairStep, PairTask
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import DeviceInfo, EngineOptions


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

    def plan(self, query_length: int, subject_length: int, scheme: ScoringScheme, task: PairTask) -> PairPlan:
        """Say beforehand what it will cost.

        Raises
        ------
        InvalidParameter
            If the method cannot do the task (mode, length, settings), with what can.
        """

    def run(
        self,
        query: EncodedQuery,
        subject: NDArray[np.uint8],
        scheme: ScoringScheme,
        task: PairTask,
        cancel: threading.Event,
        found: Sequence[Alignment] = (),
        resume: PairCheckpoint | None = None,
    ) -> Iterator[PairStep]:
        """Find the best alignment of the query (rows) with the subject (columns).

        Yields `PairProgress` several times a second, a `PairCheckpoint` every few seconds where the work is
        long, one `PairScored`, and unless only the score was asked for, one `PairAligned`. Ends early, without
        the latter two, within 0.3 s of `cancel` being set.

        Parameters
        ----------
        query : EncodedQuery
        subject : ndarray, shape=(n,), dtype=uint8
        scheme : ScoringScheme
        task : PairTask
        cancel : threading.Event
        found : sequence of Alignment
            No pair of residues that is aligned in one of these may be aligned again (Waterman and Eggert,
            1987), as in `swgui.engines.traceback.next_local`.
        resume : PairCheckpoint, optional
            The last one of a run of the same task with the same inputs.

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
