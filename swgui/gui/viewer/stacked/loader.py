"""Fills the stacked view in the background, some subjects at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from swgui.core.hits.results import Hit
from swgui.gui.hits.data import HitData
from swgui.gui.hits.filler import Describe, describe_some
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.viewer.stacked.layout import Stack, StackRow, build_rows

KEY = "results-stack"
FIRST_SECONDS, SECONDS = 0.05, 0.25  # the first screen comes soon, all others in larger portions


class StackLoader(QObject):
    """Builds a `Stack` of some hits."""

    started = Signal(object, object)  # the new `Stack`, still empty, and the `HitData` it is made of
    grown = Signal(list)  # whole hits that were added now
    faults = Signal(dict)  # rows that could not be aligned, with the reason

    def __init__(self, tasks: Tasks, describe: Describe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._describe = describe
        self._wanted: tuple[int, tuple[int, ...]] | None = None
        self.stack: Stack | None = None

    def clear(self) -> None:
        self._tasks.drop(KEY)
        self._wanted = self.stack = None

    def load(self, data: HitData, rows: Sequence[int]) -> None:
        """Stack these rows of the ranked list, in this order; nothing happens if they are stacked already."""
        wanted = (id(data), tuple(rows))
        if wanted == self._wanted:
            return
        self._tasks.drop(KEY)
        self._wanted = wanted
        self.stack = Stack(np.frombuffer(data.query.residues.upper(), dtype=np.uint8))
        self.started.emit(self.stack, data)
        self._load_more(data, self.stack, list(rows), FIRST_SECONDS)

    def _load_more(self, data: HitData, stack: Stack, left: list[int], seconds: float) -> None:
        if not left:
            return

        def work(control: threading.Event) -> tuple[list[Hit], dict[int, str], list[StackRow]]:
            kept = [hit for hit in map(data.hit, left[:64]) if hit is not None and hit.alignment is not None]
            if len(kept) == len(left[:64]):
                return kept, {}, build_rows(kept, data.result.scheme)
            hits, faults = describe_some(self._describe, data.listed, left, seconds, control)
            return hits, faults, build_rows(hits, data.result.scheme)

        def done(outcome: tuple[list[Hit], dict[int, str], list[StackRow]]) -> None:
            hits, faults, rows = outcome
            stack.add(rows)
            if faults:
                self.faults.emit(faults)
            self.grown.emit(hits)
            reached = len(hits) + len(faults)
            self._load_more(data, stack, left[reached:] if reached else [], SECONDS)

        def failed(error: Exception) -> None:
            self.faults.emit(dict.fromkeys(left, f"This hit could not be aligned: {error!r}"))

        self._tasks.start(KEY, work, done, failed)


def rows_to_stack(shown: Sequence[int], ticked: Sequence[int], max_rows: int) -> list[int]:
    """Return the rows to stack: the ticked ones among those shown if `max_rows` is 0, else the first ones shown."""
    if max_rows:
        return [int(row) for row in shown[:max_rows]]
    chosen = set(ticked)
    return [int(row) for row in shown if int(row) in chosen]


STACK_SIZES = (("First 50 hits", 50), ("First 200 hits", 200), ("First 1,000 hits", 1000), ("First 5,000 hits", 5000),
               ("Ticked hits", 0))  # fmt: skip
