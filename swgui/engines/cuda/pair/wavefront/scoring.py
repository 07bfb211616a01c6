"""The forward pass over the whole matrix of a pair: rounds of bands, checkpoints, score and end."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import Stopped
from swgui.core.pair.problem import PairCheckpoint, PairEnd, PairMode, PairProgress, PairStep
from swgui.engines.cuda.pair.wavefront.cells import Cells
from swgui.engines.cuda.pair.wavefront.follow import Forward, Saved
from swgui.engines.cuda.pair.wavefront.letters import Pair, Rectangle
from swgui.engines.cuda.pair.wavefront.one_pass import BEST, DONE, PRUNED, Border
from swgui.engines.cuda.pair.wavefront.pipeline import Share

STAGE: Final = "Scoring"


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that is decided before a pair is computed."""

    cells: Cells
    save_every: int
    prune: bool
    round_bands: int
    columns: int
    rows: int
    share: Share
    both_ends: bool = False  # one device begins at the last row

    @property
    def bands(self) -> int:
        """Of the forward pass."""
        return -(-self.rows // self.cells.band)

    @property
    def saved_rows(self) -> int:
        """Borders that are kept."""
        return self.bands // self.save_every if self.save_every else 0


class ForwardPass(Protocol):
    """A `Pass` on one device, or a `Pipeline` of several; see there."""

    @property
    def pair(self) -> Pair:
        """On the device of the trace."""

    @property
    def rectangle(self) -> Rectangle:
        """The whole matrix."""

    @property
    def left(self) -> Border:
        """H left of the first column."""

    @property
    def bands(self) -> int:
        """Without the rows that do not fill a thread."""

    @property
    def saved_rows(self) -> int:
        """Borders that are kept."""

    @property
    def ahead(self) -> int:
        """How many launches go on while one is waited for."""

    def launch(self, first_band: int, last_band: int) -> None:
        """Enqueue some bands."""

    def launch_tail(self) -> None:
        """Enqueue the rows that do not fill a thread."""

    def wait(self, cancel: threading.Event) -> Iterator[NDArray[np.uint64]]:
        """Wait for a launch."""

    def close(self) -> None:
        """Stop what still goes on."""

    def read_counters(self) -> NDArray[np.uint64]:
        """Return the counters."""

    def state(self, band: int) -> dict[str, NDArray[Any]]:
        """Return what is needed to go on with a band."""

    def take_up(self, arrays: Mapping[str, NDArray[Any]], band: int) -> None:
        """Go on with a band."""

    def saved_border(self, number: int) -> Any:
        """Return a saved border on the device of the trace."""

    def first_best(self) -> tuple[int, int, int]:
        """Return best score, column and row."""

    def corner(self) -> int:
        """H of the last cell."""

    def bottom_scores(self) -> NDArray[np.int64]:
        """H of the last row."""

    def right_scores(self) -> NDArray[np.int64]:
        """H of the last column."""


class Scoring:
    """Computes a whole matrix in launches of some bands, with a checkpoint after each."""

    def __init__(self, sweep: ForwardPass, choice: Config, mode: PairMode) -> None:
        self.mode = mode
        self._choice = choice
        self._sweep = sweep
        self.total = sweep.rectangle.cells
        self.done = self.pruned = 0
        self._kept: dict[int, NDArray[np.int32]] = {}  # borders by band, from checkpoints
        self._first_band = 0

    def run(self, cancel: threading.Event, resume: PairCheckpoint | None) -> Iterator[PairStep]:
        """Compute it; `Stopped` if `cancel` was set."""
        sweep, size = self._sweep, self._choice.round_bands
        if resume is not None:
            self._restore(resume)
        starts = range(self._first_band, sweep.bands, size)
        launches = [(first, min(first + size, sweep.bands)) for first in starts] or [(sweep.bands, sweep.bands)]
        launched = 0
        try:
            for number, (_, last) in enumerate(launches):
                for upcoming in launches[launched : number + 1 + sweep.ahead]:
                    self._launch(*upcoming)
                    launched += 1
                for counters in sweep.wait(cancel):
                    yield self._progress(counters)
                if cancel.is_set():
                    raise Stopped
                counters = sweep.read_counters()
                if last < sweep.bands:
                    yield self._checkpoint(last)
                yield self._progress(counters)
        finally:
            sweep.close()
        self.done = self.total - self.pruned

    def _launch(self, first: int, last: int) -> None:
        self._sweep.launch(first, last)
        if last == self._sweep.bands:
            self._sweep.launch_tail()

    def end(self) -> PairEnd:
        """Score and end of the best alignment."""
        sweep, rows, columns = self._sweep, self._sweep.rectangle.rows, self._sweep.rectangle.columns
        if self.mode is PairMode.LOCAL:
            score, column, row = sweep.first_best()
            return PairEnd(score, row + 1, column + 1) if score else PairEnd(0, 0, 0)
        if self.mode is PairMode.GLOBAL:
            return PairEnd(sweep.corner(), rows, columns)
        below, right = sweep.bottom_scores(), sweep.right_scores()
        score = max(int(below.max()), int(right.max()))
        if score <= 0:
            return PairEnd(0, 0, 0)
        column = int(np.argmax(below == score)) if (below == score).any() else columns - 1
        row = rows - 1 if column < columns - 1 else int(np.argmax(right == score))
        return PairEnd(score, row + 1, column + 1)

    def forward(self) -> Forward:
        """Return what the trace needs."""
        sweep, band = self._sweep, self._choice.cells.band
        every = self._choice.save_every
        upload = sweep.pair.device.upload
        saved = [Saved(number * band, partial(upload, kept.ravel())) for number, kept in self._kept.items()]
        saved += [
            Saved((number + 1) * every * band, partial(sweep.saved_border, number))
            for number in range(sweep.saved_rows)
            if (number + 1) * every > self._first_band
        ]
        free = self.mode is not PairMode.GLOBAL
        return Forward(sweep.pair.device, 0, 0, sweep.left, free, tuple(sorted(saved, key=lambda one: one.row)))

    def _progress(self, counters: NDArray[np.uint64]) -> PairProgress:
        # Cells are counted by whole steps and bands, so both together may be too many.
        self.pruned = min(int(counters[PRUNED]), self.total - self.done)
        self.done = min(max(self.done, int(counters[DONE])), self.total - self.pruned)
        best = PairEnd(int(counters[BEST]), 0, 0) if self.mode is PairMode.LOCAL and counters[BEST] else None
        return PairProgress(STAGE, self.done, self.total, self.pruned, best)

    def _checkpoint(self, band: int) -> PairCheckpoint:
        arrays = self._sweep.state(band)
        self._kept[band] = arrays[f"border {band}"]
        arrays.update({f"border {number}": kept for number, kept in self._kept.items()})
        arrays["band"] = np.array([band, self._choice.cells.band, self._choice.cells.bits], dtype=np.int64)
        return PairCheckpoint(STAGE, min(self.done, int(arrays["counters"][DONE])), arrays)

    def _restore(self, resume: PairCheckpoint) -> None:
        band, height, bits = (int(one) for one in resume.arrays["band"])
        if (height, bits) != (self._choice.cells.band, self._choice.cells.bits):
            return  # made with other settings: begin anew
        last_column = resume.arrays.get("last column")
        if last_column is not None and len(last_column) != 2 * self._choice.rows:
            return  # made by an earlier version, which kept less of it
        self._first_band = band
        for name, array in resume.arrays.items():
            if name.startswith("border "):
                self._kept[int(name.split()[1])] = np.asarray(array, dtype=np.int32)
        self._sweep.take_up(resume.arrays, band)
