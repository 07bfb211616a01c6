"""Alignments in the background: first for the rows on the screen, on demand for all hits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from swgui.core.control import checking
from swgui.core.errors import Stopped, SwguiError
from swgui.core.hits.results import HitList
from swgui.core.hits.table import Hit
from swgui.gui.hits.data import HitData
from swgui.gui.kit.tasks.pool import Tasks

BATCH_SECONDS = 0.08  # time limit of a batch; the current hit never waits longer for it
BATCH_ROWS = 64
KEY = "results-fill"
NO_ALIGNMENT = "This subject has no alignment: its score is 0."


class Describe(Protocol):
    """Makes whole hits of rows of a query's ranked list, as `swgui.jobs.search.describe.describe_list` does."""

    def __call__(
        self, listed: HitList, rows: Sequence[int], /, *, align: bool = True, check: Callable[[], None] = ...
    ) -> Iterator[Hit]:
        """Return the hits in the order of `rows`, without alignments and counts unless `align`; `check` may raise."""


def describe_some(
    describe: Describe, listed: HitList, rows: Sequence[int], seconds: float, stop: threading.Event | None = None
) -> tuple[list[Hit], dict[int, str]]:
    """Align rows until the time is up.

    Parameters
    ----------
    stop : event, optional
        Ends it within a subject, however long that is.

    Returns
    -------
    hits : list of Hit
    faults : dict[int, str]
        Rows that could not be aligned, with the reason. Rows in neither were not reached.

    Raises
    ------
    Stopped
        If `stop` was set.
    """
    check = checking(stop)
    hits: list[Hit] = []
    faults: dict[int, str] = {}
    end = time.perf_counter() + seconds
    first = 0
    while first < len(rows):
        try:
            for hit in describe(listed, rows[first:], check=check):
                hits.append(hit)
                if hit.alignment is None:
                    faults[int(rows[first])] = NO_ALIGNMENT
                first += 1
                if time.perf_counter() > end:
                    return hits, faults
        except Stopped:
            raise
        except SwguiError as error:
            faults[int(rows[first])] = str(error)
            first += 1
        else:
            break
    return hits, faults


class AlignmentFiller(QObject):
    """Aligns hits in small batches on the pool and hands them to the `HitData` of the current query."""

    filled = Signal(list)  # rows whose values were computed, or that have none
    progress = Signal(int, int)  # hits aligned and hits wanted, while all hits of a list are being aligned
    completed = Signal()  # all hits of the list are aligned

    def __init__(self, tasks: Tasks, describe: Describe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self.describe = describe
        self._data: HitData | None = None
        self._wanted: dict[str, list[int]] = {}
        self._all: NDArray[np.int64] | None = None  # the rows of which all are being aligned

    def use(self, data: HitData | None) -> None:
        """Work for another query; drop the work for the last one."""
        self._tasks.drop(KEY)
        self._data = data
        self._wanted = {}
        self._all = None

    @property
    def filling_all(self) -> bool:
        return self._all is not None

    def want(self, view: str, rows: Iterable[int]) -> None:
        """Align these rows next, in this order.

        Parameters
        ----------
        view : str
            The view that asks; its newer request replaces the older one, and views take turns by name.
        """
        if self._data is not None:
            self._wanted[view] = list(rows)
            self.resume()

    def want_all(self, rows: NDArray[np.int64] | None = None) -> None:
        """Align every hit of the query, or of some rows; `completed` follows, at once if nothing is left to do."""
        if self._data is None:
            return
        self._all = np.arange(len(self._data), dtype=np.int64) if rows is None else np.sort(rows)
        self._tell_progress(self._data)
        self.resume()

    def stop_all(self) -> None:
        """Align requested hits only."""
        self._all = None

    def resume(self) -> None:
        """Begin the next batch unless one is under way; to be called after rows were aligned elsewhere."""
        if self._data is None or self._tasks.pending(KEY):
            return
        data = self._data
        wishes = dict.fromkeys(row for view in sorted(self._wanted) for row in self._wanted[view])
        rows = data.unaligned(wishes)[:BATCH_ROWS]
        if not rows and self._all is not None:
            left = self._tell_progress(data)
            rows = data.unaligned(left[:BATCH_ROWS]) or data.unaligned(left)[:BATCH_ROWS]
            if not rows and data.awaited:
                return  # `resume` follows
            if not rows:
                self._all = None
                self.completed.emit()
                return
        if rows:
            self._tasks.start(
                KEY,
                lambda control: describe_some(self.describe, data.listed, rows, BATCH_SECONDS, control),
                lambda outcome: self._take(data, *outcome),
                lambda error: self._give_up(data, rows, error),
            )

    def _tell_progress(self, data: HitData) -> list[int]:
        """Report the number of aligned hits, and return the remaining rows."""
        rows = self._all if self._all is not None else np.zeros(0, dtype=np.int64)
        left: list[int] = rows[~data.aligned[rows]].tolist()
        self.progress.emit(len(rows) - len(left), len(rows))
        return left

    def _take(self, data: HitData, hits: list[Hit], faults: dict[int, str]) -> None:
        if data is not self._data:
            return
        data.faults.update(faults)
        rows = [*data.add(hits), *faults]
        self.filled.emit(rows)
        self.resume()

    def _give_up(self, data: HitData, rows: list[int], error: Exception) -> None:
        self._take(data, [], dict.fromkeys(rows, f"This hit could not be aligned: {error!r}"))
