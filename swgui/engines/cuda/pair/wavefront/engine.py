"""The program's own method for one long pair: `wavefront`.

The matrix is computed along packed anti-diagonals (``kernels/pair_wavefront.cu``), with borders kept every so many
rows; the alignment is found from these (`trace`). Everything is exact: any length that the
device's memory holds a few rows of, any scheme, with pairs of residues excluded that were aligned before.

Several devices share the matrix as a pipeline of blocks of columns (`pipeline`), or begin at both of its ends
(`both_ends`), and then the work on the alignment. The result does not depend on their number.

Among several best alignments the engine finds the one that ends first in the subject, then first in the query; its
start and path are fixed too, see `trace`, but may differ from those of `swgui.engines.traceback`. A run that continues
from a checkpoint has fewer borders to follow, and may find another one of the best.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter, Stopped
from swgui.core.methods.pair import PAIR_METHODS
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairPlan,
    PairProblem,
    PairProgress,
    PairScored,
    PairStep,
)
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import device as cuda_device
from swgui.engines.cuda.pair.wavefront.both_ends import BothEnds, worth_it
from swgui.engines.cuda.pair.wavefront.cells import (
    MAX_BORDER,
    Cells,
    PassGoal,
    SchemeFacts,
    choose_cells,
    fit_cells,
    plan_cells,
)
from swgui.engines.cuda.pair.wavefront.device import CudaDevice, Device
from swgui.engines.cuda.pair.wavefront.direct import BATCH_BYTES
from swgui.engines.cuda.pair.wavefront.follow import MAX_SAVED, Forward, Saved
from swgui.engines.cuda.pair.wavefront.letters import PADDING, Pair, Rectangle
from swgui.engines.cuda.pair.wavefront.one_pass import BEST, BORDER_BYTES, DONE, PRUNED, Border, Pass
from swgui.engines.cuda.pair.wavefront.pipeline import Pipeline, Share, divide
from swgui.engines.cuda.pair.wavefront.trace import Traceback
from swgui.engines.cuda.pair.wavefront.tuning import TUNING
from swgui.engines.pair.anchors import Chain, find_chain
from swgui.engines.pair.base import nothing_aligned, rescored

SCORING: Final = "Scoring"
METHOD: Final = "wavefront"
SAVED_SHARE: Final = 0.3  # of the free memory that kept borders may take
SAVED_BYTES: Final = 4 << 30  # and at most so many bytes
ROUND_SECONDS: Final = 8.0  # between two checkpoints
ALIGNING: Final = "Aligning"
BOTH: Final = 2  # devices that begin at both ends of a matrix of which most is left out
GRID: Final = 256  # squares along each side


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
        """Bands of the forward pass."""
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
        """Number of launches in flight during the wait for one."""

    def launch(self, first_band: int, last_band: int) -> None:
        """Enqueue some bands."""

    def launch_tail(self) -> None:
        """Enqueue the rows that do not fill a thread."""

    def wait(self, cancel: threading.Event) -> Iterator[NDArray[np.uint64]]:
        """Wait for a launch."""

    def close(self) -> None:
        """Stop all running work."""

    def read_counters(self) -> NDArray[np.uint64]:
        """Return the counters."""

    def state(self, band: int) -> dict[str, NDArray[Any]]:
        """Return the state from which a band can continue."""

    def take_up(self, arrays: Mapping[str, NDArray[Any]], band: int) -> None:
        """Continue with a band."""

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
        """Return the input of the trace."""
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
        return Forward(sweep.pair.device, 0, 0, sweep.left, free, tuple(sorted(saved, key=lambda border: border.row)))

    def _progress(self, counters: NDArray[np.uint64]) -> PairProgress:
        # Cells are counted by whole steps and bands, so both together may be too many.
        self.pruned = min(int(counters[PRUNED]), self.total - self.done)
        self.done = min(max(self.done, int(counters[DONE])), self.total - self.pruned)
        best = PairEnd(int(counters[BEST]), 0, 0) if self.mode is PairMode.LOCAL and counters[BEST] else None
        return PairProgress(SCORING, self.done, self.total, self.pruned, best)

    def _checkpoint(self, band: int) -> PairCheckpoint:
        arrays = self._sweep.state(band)
        self._kept[band] = arrays[f"border {band}"]
        arrays.update({f"border {number}": kept for number, kept in self._kept.items()})
        arrays["band"] = np.array([band, self._choice.cells.band, self._choice.cells.bits], dtype=np.int64)
        return PairCheckpoint(SCORING, min(self.done, int(arrays["counters"][DONE])), arrays)

    def _restore(self, resume: PairCheckpoint) -> None:
        band, height, bits = (int(number) for number in resume.arrays["band"])
        if (height, bits) != (self._choice.cells.band, self._choice.cells.bits):
            return  # made with other settings: begin again
        last_column = resume.arrays.get("last column")
        if last_column is not None and len(last_column) != 2 * self._choice.rows:
            return  # made by an earlier version, which kept less of it
        self._first_band = band
        for name, array in resume.arrays.items():
            if name.startswith("border "):
                self._kept[int(name.split()[1])] = np.asarray(array, dtype=np.int32)
        self._sweep.take_up(resume.arrays, band)


def column_work(rows: int, columns: int, scheme: ScoringScheme, chain: Chain) -> NDArray[np.float64]:
    """Return the fraction of the work left of each column that cuts the matrix into `GRID` strips.

    Parameters
    ----------
    chain : Chain
        A local alignment that is known.

    Returns
    -------
    ndarray, shape=(GRID + 1,), dtype=float64
        From 0 to 1, ascending.
    """
    high, wide = rows / GRID, columns / GRID
    heights = np.zeros((GRID, GRID))
    sums = chain.sums
    local = sums - np.minimum.accumulate(sums)
    ends = [
        np.stack([first, first + chain.lengths - 1], axis=1).ravel()  # of every stretch
        for first in (chain.rows, chain.columns, chain.first)
    ]
    along = np.linspace(ends[0][0], ends[0][-1], 8 * GRID)
    cells = (np.minimum(along // high, GRID - 1)).astype(np.int64)
    across = (np.minimum(np.interp(along, ends[0], ends[1]) // wide, GRID - 1)).astype(np.int64)
    np.maximum.at(heights, (cells, across), np.interp(along, ends[0], local[ends[2]]))
    falls = scheme.gap_extend * wide * np.arange(GRID)
    for row in range(GRID):
        if row:
            heights[row] = np.maximum(heights[row], heights[row - 1] - scheme.gap_extend * high)
        heights[row] = np.maximum.accumulate(heights[row] + falls) - falls
    left = np.minimum.outer(rows - high * np.arange(GRID), columns - wide * np.arange(GRID))
    step = max(0, int(scheme.matrix.scores.max()))
    reaches = np.maximum(heights, 0) + step * left >= chain.score
    work = np.where(reaches, 1.0, TUNING.skipped).sum(axis=0)
    shares: NDArray[np.float64] = np.concatenate([[0.0], np.cumsum(work) / work.sum()])
    return shares


def create_pair_engine(method: str, options: EngineOptions) -> WavefrontEngine:
    """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
    probed = cuda_device.probe()
    if not probed.available:
        raise EngineUnavailable(method, probed.reason, hint=probed.hint)
    PAIR_METHODS[method].check(options.settings)
    infos = cuda_device.choose(probed.devices, options.devices)
    cupy = cuda_device.import_cupy()
    return WavefrontEngine([CudaDevice(cupy, info) for info in infos], infos, options.settings)


class WavefrontEngine:
    """Aligns long pairs on one device, or on as many as a pair can keep at work.

    Parameters
    ----------
    devices : tuple of DeviceInfo
        The same ones. Afterwards `devices` are those that the last pair is, or will be, computed on.
    """

    method = METHOD

    def __init__(self, workers: Sequence[Device], devices: tuple[DeviceInfo, ...], settings: Mapping[str, str]) -> None:
        self.devices = self._infos = devices
        self._workers = workers
        self._device = workers[0]  # which has the borders that the alignment is found from
        self.phases: dict[str, float] = {}  # seconds of the last run
        self._settings = dict(settings)

    def plan(self, problem: PairProblem) -> PairPlan:
        facts, rows, columns = SchemeFacts.in_general(problem.scheme), problem.rows, problem.columns
        _check_range(rows, columns, facts)
        with self._device.at_work():
            choice = self.choose_blocks(facts, problem)
        cells, shape, share = choice.cells, choice.cells.shape, choice.share
        cells_all = problem.cells
        memory = [_memory(choice, number, problem.mode) for number in range(share.devices)]
        if choice.prune and share.devices == BOTH:  # sequences that are alike: each may hold all columns
            alone = Share(1, (0, columns), share.round_bands)
            every = choice.save_every or self._save_every(cells, rows, columns)
            whole = _memory(replace(choice, save_every=every, share=alone), 0, problem.mode)
            memory = [{name: max(size, whole.get(name, 0)) for name, size in sizes.items()} for sizes in memory]
        again = 0
        if not problem.score_only:
            for sizes in memory:
                sizes["Alignment"] = min(BATCH_BYTES + MAX_SAVED, 3 * cells_all + (1 << 16)) + 8 * (rows + columns)
            strip = choice.save_every * cells.band if choice.saved_rows else rows
            again = 4 * strip * min(rows, columns) + 4 * min(rows, strip) * columns
            again = min(again, 4 * cells_all)
        steps = columns / shape.columns + rows / shape.rows
        together = sum(worker.multiprocessors for worker in self._workers[: share.devices])
        seconds = cells_all / (TUNING.speed * together) + again / (TUNING.speed * self._device.multiprocessors)
        seconds += steps * TUNING.step_seconds
        remarks = self._remarks(choice, memory)
        if cells.bits == 32:
            remarks.append("The scores of this scheme need 32 bits per cell, which takes about twice as long.")
        if self._settings.get("prune") == "on" and problem.mode is not PairMode.LOCAL:
            remarks.append("Only local alignments are pruned: nothing is left out here.")
        return PairPlan(
            METHOD,
            tuple(info.id for info in self.devices),
            cells_all,
            cells_all + again,
            {purpose: sum(sizes.get(purpose, 0) for sizes in memory) for purpose in memory[0]},
            {
                "bits": str(cells.bits),
                "rows": str(shape.rows),
                "columns": str(shape.columns),
                "prune": "on" if choice.prune else "off",
            },
            seconds,
            tuple(remarks),
        )

    def run(
        self, problem: PairProblem, cancel: threading.Event, resume: PairCheckpoint | None = None
    ) -> Iterator[PairStep]:
        facts = SchemeFacts.of(problem.query, problem.scheme)
        _check_range(problem.rows, problem.columns, facts)
        if not problem.cells:
            yield from nothing_aligned(problem)
            return
        steps = self._steps(problem, facts, cancel, resume)
        try:
            while True:
                with self._device.at_work():
                    step = next(steps, None)
                if step is None:
                    return
                yield step
        except Stopped:
            return
        finally:
            with self._device.at_work():
                steps.close()

    def close(self) -> None:
        for worker in self._workers:
            if isinstance(worker, CudaDevice):
                worker.close()

    def _remarks(self, choice: Config, memory: Sequence[Mapping[str, int]]) -> list[str]:
        remarks, share, names = [], choice.share, [info.id for info in self._infos]
        if share.devices > 1:
            parts = [
                f"{share.columns(number):,} columns and {sum(sizes.values()) / 2**20:,.0f} MiB on device {name}"
                for number, (name, sizes) in enumerate(zip(names, memory, strict=False))
            ]
            remarks.append(f"Blocks of columns go round the devices: {', '.join(parts)}.")
            if choice.prune and share.devices == BOTH:
                remarks.append("If the sequences are alike, both hold all columns, and one begins at the last row.")
            elif choice.prune:
                remarks.append(
                    "If the sequences are alike, columns are moved to where work is left, with their memory."
                )
        if share.devices < len(names):
            used = f"device {names[0]}" if share.devices == 1 else f"devices {', '.join(names[: share.devices])}"
            remarks.append(f"This pair is too small to keep {len(names)} devices at work: {used} will compute it.")
        return remarks

    def choose_blocks(self, facts: SchemeFacts, problem: PairProblem) -> Config:
        rows, columns = problem.rows, problem.columns
        wanted = {name: value for name, value in self._settings.items() if value != "auto"}
        prune = wanted["prune"] == "on" if "prune" in wanted else min(rows, columns) >= TUNING.prune_rows
        prune = prune and problem.mode is PairMode.LOCAL
        cells = choose_cells(facts, rows, self._device, prune=prune)
        if {"rows", "columns", "bits"} & set(wanted):
            rows_each = int(wanted.get("rows", cells.shape.rows))
            columns_each = int(wanted.get("columns", cells.shape.columns))
            shape = replace(cells.shape, rows=rows_each, columns=columns_each)
            cells = plan_cells(facts, shape, dpx=self._device.dpx, wide=wanted.get("bits") == "32")
            cells = fit_cells(cells, self._device)
            if wanted.get("bits") == "16" and cells.bits != 16:
                raise InvalidParameter(
                    "bits",
                    "16",
                    f"The scores of this scheme do not fit 16 bits with {rows_each} rows per thread.",
                    hint="Choose fewer rows, or leave the bits to the program.",
                )
        save_every = 0
        if not problem.score_only and rows > cells.band:
            save_every = self._save_every(cells, rows, columns)
        at_once = self._device.multiprocessors * cells.shape.blocks
        round_seconds = max(1e-9, at_once * cells.band * columns / (TUNING.speed * self._device.multiprocessors))
        share = divide(self._workers, cells, rows, columns)
        round_bands = share.devices * at_once * max(1, round(ROUND_SECONDS / round_seconds))
        self.devices = self._infos[: share.devices]
        return Config(cells, save_every, prune, round_bands, columns, rows, share)

    def _save_every(self, cells: Cells, rows: int, columns: int) -> int:
        """Return the number of bands between two kept borders, so that they fit the memory."""
        room = min(SAVED_BYTES, int(SAVED_SHARE * self._device.free_memory()))
        most, kept = max(1, room // (BORDER_BYTES * (columns + PADDING))), cells.shape.kept
        bands = -(-rows // (kept * cells.band))
        return kept * max(-(-TUNING.saved_rows // (kept * cells.band)), -(-bands // most))

    def _steps(
        self, problem: PairProblem, facts: SchemeFacts, cancel: threading.Event, resume: PairCheckpoint | None
    ) -> Generator[PairStep, None, None]:
        choice, mode = self.choose_blocks(facts, problem), problem.mode
        # A pass that skips cells which cannot reach the best score benefits from a known score at the beginning.
        plain = problem.query.profile is None and not problem.excluded
        chain = find_chain(problem) if choice.prune and plain else None
        best = max(problem.wanted, chain.score if chain else 0) if choice.prune else 0
        if choice.share.devices == BOTH and worth_it(best, facts.highest, problem.rows, problem.columns):
            every = self._save_every(choice.cells, problem.rows, problem.columns)
            choice = replace(choice, both_ends=choice.bands >= every, save_every=choice.save_every or every)
        if chain is not None and choice.share.devices > 1 and not choice.both_ends:
            work = column_work(problem.rows, problem.columns, problem.scheme, chain)
            used = self._workers[: choice.share.devices]
            share = divide(used, choice.cells, problem.rows, problem.columns, work)
            choice = replace(choice, share=share) if share.devices == len(used) else choice
        pairs = []
        for worker in self._workers[: choice.share.devices]:
            with worker.at_work():
                pairs.append(Pair(worker, problem))
        scoring = Scoring(_sweep(pairs, choice, mode, chain, problem.wanted), choice, mode)
        began = time.perf_counter()
        yield from scoring.run(cancel, resume)
        self.phases = {"matrix": time.perf_counter() - began}
        end = scoring.end()
        yield PairScored(end)
        if problem.score_only:
            return
        if not end.score and mode is not PairMode.GLOBAL:
            yield PairAligned(Alignment.from_runs(0, 0, [], 0), self._peak)
            return
        trace = Traceback(pairs, mode, choice.cells, end, scoring.forward(), cancel)
        began = time.perf_counter()
        reported = time.monotonic()
        for done in trace.run():
            if time.monotonic() - reported > 0.1:
                reported = time.monotonic()
                counted = scoring.done + done
                yield PairProgress(ALIGNING, counted, max(counted, scoring.total) + scoring.pruned, scoring.pruned, end)
        assert trace.alignment is not None, "the trace has ended"
        self.phases["path"] = time.perf_counter() - began
        yield rescored(problem, trace.alignment, end.score, self._peak)

    @property
    def _peak(self) -> int:
        return sum(worker.peak for worker in self._workers[: len(self.devices)])


def _sweep(
    pairs: Sequence[Pair], choice: Config, mode: PairMode, chain: Chain | None, wanted_score: int
) -> ForwardPass:
    """Prepare the forward pass on one device or several, with an alignment that is known."""
    pair, local = pairs[0], mode is PairMode.LOCAL
    facts = pair.facts
    edge = Border(facts.gap_first - facts.gap_extend, facts.gap_extend) if mode is PairMode.GLOBAL else Border()
    wanted = PassGoal(local, int(local), choice.prune, pair.excluded is not None)
    right = mode is PairMode.SEMIGLOBAL
    every, cells, exact = choice.save_every, choice.cells, not local
    best = max(wanted_score, chain.score if chain else 0) if local else 0
    if choice.both_ends:
        return BothEnds((pairs[0], pairs[1]), cells, wanted, save_every=every, chain=chain, best=best)
    if len(pairs) > 1:
        return Pipeline(
            pairs, choice.share, cells, wanted, edge, save_every=every, exact=exact, right=right, chain=chain, best=best
        )
    return Pass(
        pair,
        Rectangle(0, pair.rows, 0, pair.columns),
        cells,
        wanted,
        left=edge,
        above=edge,
        save_every=every,
        exact=exact,
        right=right,
        best=best,
        chain=chain,
    )


def _memory(choice: Config, number: int, mode: PairMode) -> dict[str, int]:
    """Bytes of a device by purpose, without those of the alignment."""
    share, rows = choice.share, choice.rows
    columns = share.columns(number) + share.turns * PADDING
    memory = {
        "Sequences": rows + choice.columns + (4 + 4 * share.turns) * rows + 4 * columns,
        "Borders": 2 * BORDER_BYTES * columns,
        "Best scores": 0,
        "Kept rows": choice.saved_rows * BORDER_BYTES * columns,
    }
    if mode is PairMode.LOCAL:
        memory["Best scores"] = 16 * share.turns * (rows // choice.cells.shape.rows + 1)
    if share.devices > 1:
        memory["Handed on"] = BORDER_BYTES * rows * (1 + share.turns)
    elif mode is PairMode.SEMIGLOBAL:
        memory["Last column"] = BORDER_BYTES * rows
    return memory


def _check_range(rows: int, columns: int, facts: SchemeFacts) -> None:
    """Refuse pairs whose values might not fit the 31 bits of a border."""
    highest = min(rows, columns) * max(facts.highest, 0)
    lowest = 4 * facts.gap_first + facts.gap_extend * (rows + columns)
    if max(highest, lowest) + 8 * facts.gap_first >= MAX_BORDER or rows >= MAX_BORDER or columns >= MAX_BORDER:
        raise InvalidParameter(
            "length",
            (rows, columns),
            f"Scores of {rows:,} x {columns:,} residues may not fit 31 bits with this scheme.",
            hint="Use a matrix and gap costs with smaller values; their ratios decide the alignment.",
        )
