"""One long pair on several devices: a pipeline of blocks of columns.

    device 0   block 0   rounds 0 1 2 3 ... then block 2   rounds 0 1 2 3 ...
    device 1              block 1   rounds 0 1 2 3 ... then block 3   rounds 0 1 2 ...
                          ^ each round begins when the border left of its rows has arrived

A round is some bands of one block. The values right of its last column (G, and E of the column behind) are copied to
the device of the next block, with the best score known. Rounds wait for such copies by events alone; no kernel waits
for another device. On one device a few rounds run at the same time, so that a round begins while the one before ends:
bands of a later one wait for bands of an earlier one, which always has places on the GPU, since each launch takes only
its share of them.

Every device takes several blocks in turns, so that the last one need not wait until the first has gone through its
whole share of the columns.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.plain import replace
from swgui.engines.cuda.pair.wavefront.cells import Cells, PassGoal, fit_blocks
from swgui.engines.cuda.pair.wavefront.device import LOOK_SECONDS, NULL, WAIT_SECONDS, Device
from swgui.engines.cuda.pair.wavefront.letters import Pair, Rectangle
from swgui.engines.cuda.pair.wavefront.one_pass import BEST, DONE, PRUNED, Border, Pass, first_of, new_counters
from swgui.engines.cuda.pair.wavefront.tuning import TUNING
from swgui.engines.pair.anchors import Chain

CUT: Final = 256  # blocks of columns begin at multiples of this


@dataclass(frozen=True, slots=True)
class Share:
    """Division of a matrix among devices."""

    devices: int  # how many take part, from the first on
    # Starts of the blocks of columns, and the end of the last; block k is computed by device k modulo `devices`.
    edges: tuple[int, ...]
    round_bands: int  # bands of a round

    def columns(self, device: int) -> int:
        """Columns that a device computes, in all of its blocks."""
        widths = [end - start for start, end in zip(self.edges, self.edges[1:], strict=False)]
        return sum(widths[device :: self.devices])

    @property
    def turns(self) -> int:
        """Blocks of each device."""
        return (len(self.edges) - 1) // self.devices


def divide(
    devices: Sequence[Device], cells: Cells, rows: int, columns: int, work: NDArray[np.float64] | None = None
) -> Share:
    """Divide a matrix among as many devices as can be kept at work.

    Widths follow the numbers of multiprocessors, and `column_work`, shape (strips,), if it is given. How many blocks a
    device gets is a matter of waiting: with more of them the other devices begin earlier, but each begins with its
    consecutive bands.
    """
    bands = -(-rows // cells.band)
    count = max(1, min(len(devices), columns // TUNING.min_columns, bands // TUNING.min_bands))
    used = devices[:count]
    at_once = min(device.multiprocessors for device in used) * cells.shape.blocks
    round_bands = max(1, min(at_once // TUNING.rounds_at_once, -(-bands // (TUNING.rounds * count))))
    steps = columns / cells.shape.columns / count

    def waiting_and_working(turns: int) -> float:
        one_round = steps / turns + cells.lag * round_bands
        one_block = max(bands / at_once * one_round, steps / turns + cells.lag * bands)
        return turns * one_block + (count - 1) * one_round

    turns = min(range(1, TUNING.max_turns + 1), key=waiting_and_working) if count > 1 else 1
    if work is not None and count > 1:
        turns = TUNING.turns_pruned
    weights = np.tile([device.multiprocessors for device in used], turns).cumsum()
    places = weights[:-1] / weights[-1]
    if work is not None:
        places = np.interp(places, work, np.linspace(0, 1, len(work)))
    cuts = (columns * places / CUT).round().astype(np.int64) * CUT
    edges = sorted({0, columns, *(int(cut) for cut in cuts if 0 < cut < columns)})
    if len(edges) - 1 < count * turns:  # columns so few that cuts fall together
        return Share(1, (0, columns), round_bands)
    return Share(count, tuple(edges), round_bands)


def cells_for(cells: Cells, device: Device) -> Cells:
    """Return the same cells as another device computes them: its instructions, as many blocks as its memory holds."""
    return replace(fit_blocks(cells, device), dpx=device.dpx)


@dataclass(eq=False)
class _Block:
    """A block of columns at work."""

    sweep: Pass
    first: int
    device: Device
    number: int  # of the device
    heard: Any  # best score known to the block before, as it arrives
    arrived: Any = None  # mark of the values left of the next round
    done: Any = None  # mark of the last round launched
    kept: Any = None  # mark of the last border kept


class Pipeline:
    """The forward pass of one pair on several devices; to be used like a `Pass`.

    Parameters
    ----------
    pairs : sequence of Pair
        The same one on each device.
    edge : Border
        Left of and above the matrix.
    save_every : int
        Bands between two saved borders; 0 for none.
    exact, right, chain, best
        See `Pass`.
    """

    ahead: ClassVar[int] = 1  # launches in flight during the wait for one

    def __init__(
        self,
        pairs: Sequence[Pair],
        share: Share,
        cells: Cells,
        task: PassGoal,
        edge: Border,
        *,
        save_every: int,
        exact: bool,
        right: bool,
        chain: Chain | None = None,
        best: int = 0,
    ) -> None:
        self.pair, self.cells, self.task, self.left, self.right = pairs[0], cells, task, edge, right
        self.rectangle = Rectangle(0, self.pair.rows, 0, self.pair.columns)
        self._pairs = pairs
        self._share = share
        self._earlier: NDArray[np.int32] | None = None  # records from before a restart
        self._turns = [0] * len(pairs)
        self._segments: list[dict[tuple[int, int], Any]] = []  # marks by device and lane, of each launch not waited for
        self._borders: dict[int, list[Any]] = {}  # kept borders by band
        self._counters: list[Any] = []
        self._slots: list[Any] = []
        self._blocks: list[_Block] = []
        for number, pair in enumerate(pairs):
            with pair.device.at_work():
                self._set_up(number, pair, edge, save_every, exact, chain, best)
        self._blocks.sort(key=lambda block: block.first)
        self._settle()
        sweep = self._blocks[0].sweep
        self.bands, self.saved_rows = sweep.bands, sweep.saved_rows

    def _set_up(
        self, number: int, pair: Pair, edge: Border, save_every: int, exact: bool, chain: Chain | None, best: int
    ) -> None:
        device, rows, columns = pair.device, self.rectangle.rows, self.rectangle.columns
        self._counters.append(device.upload(new_counters(best)))
        self._slots.append(device.upload(np.zeros(TUNING.rounds_at_once, dtype=np.int32)))
        last_column = device.empty(2 * rows, np.int32)
        edges = self._share.edges
        for first, end in list(itertools.pairwise(edges))[number :: self._share.devices]:
            here = Border(edge.lead + edge.slope * first, edge.slope) if first else edge
            handed_on = end < columns or self.right
            sweep = Pass(
                pair,
                Rectangle(0, rows, first, end - first),
                cells_for(self.cells, device),
                self.task,
                left=here,
                above=here,
                save_every=save_every,
                exact=exact,
                beside=device.empty(2 * rows, np.int32) if first else NULL,
                beyond=columns - end,
                right=handed_on,
                last_column=last_column if handed_on else NULL,
                chain=chain,
                counters=self._counters[number],
            )
            heard = device.upload(np.zeros(1, dtype=np.uint64))
            self._blocks.append(_Block(sweep, first, device, number, heard))

    def _settle(self) -> None:
        """Wait until all that was prepared is there: other lanes and the host's glances wait for no mark of it."""
        for device, counters in zip(self._devices, self._counters, strict=True):
            with device.at_work():
                device.download(counters)

    @cached_property
    def _devices(self) -> list[Device]:
        return [pair.device for pair in self._pairs]

    # -- launching ---------------------------------------------------------------------------------

    def launch(self, first_band: int, last_band: int) -> None:
        """Enqueue some bands on all devices; those before must have been enqueued."""
        self._segments.append({})
        size = self._share.round_bands
        rounds = [(band, min(band + size, last_band)) for band in range(first_band, last_band, size)]
        # Each launch waits for earlier ones only. A device goes through all rounds of a block.
        stride = max(len(rounds), len(self._devices))
        order = sorted(
            (turn + block.number + index // len(self._devices) * stride, index, turn)
            for index, block in enumerate(self._blocks)
            for turn in range(len(rounds))
        )
        for _, index, turn in order:
            self._launch_round(index, *rounds[turn])
        if last_band < self.bands:
            self._keep(last_band)

    def launch_tail(self) -> None:
        if self._blocks[0].sweep.tail_bands:
            for index in range(len(self._blocks)):
                self._launch_round(index, self.bands, self.bands + 1)

    def _launch_round(self, index: int, first: int, last: int) -> None:
        """Enqueue a round of one block, and the copies of its values on the right."""
        block = self._blocks[index]
        sweep, device = block.sweep, block.device
        lane = self._turns[block.number] % TUNING.rounds_at_once
        self._turns[block.number] += 1
        with device.at_work(1 + lane):
            for mark in (block.arrived, block.kept):
                if mark is not None:
                    device.wait_for(mark)
            if self.task.track and index:
                sweep.hear(block.heard)
            counter = self._slots[block.number][lane : lane + 1]
            if first < self.bands:
                at_once = min(sweep.cells.shape.blocks, device.blocks_at_once(sweep.cells.kernel(self.task)))
                most = max(1, device.multiprocessors * at_once // TUNING.rounds_at_once)
                sweep.launch(first, last, counter, most)
                rows = first * sweep.cells.band, min(last * sweep.cells.band, sweep.main_rows)
            else:
                sweep.launch_tail(counter)
                rows = sweep.main_rows, self.rectangle.rows
            block.done = device.mark()
        self._segments[-1][block.number, lane] = block.done
        if index + 1 < len(self._blocks):
            self._hand_on(block, self._blocks[index + 1], 2 * rows[0], 2 * rows[1])

    def _hand_on(self, block: _Block, following: _Block, start: int, end: int) -> None:
        """Enqueue copies of the border right of a round, and of the best score, for the next block."""
        if self.task.track:
            best = block.sweep.counters[BEST : BEST + 1]
            block.device.send(best, following.device, following.heard, (block.done,))
        source, target = block.sweep.last_column[start:end], following.sweep.beside[start:end]
        following.arrived = block.device.send(source, following.device, target, (block.done,))

    def _keep(self, band: int) -> None:
        """Enqueue copies of the border below some bands, which the bands to come overwrite."""
        kept = self._borders[band] = []
        for block in self._blocks:
            with block.device.at_work():
                kept.append(block.device.empty(2 * block.sweep.rectangle.columns, np.int32))
                block.device.wait_for(block.done)
                block.sweep.keep_border(band, kept[-1])
                block.kept = block.device.mark()
            self._segments[-1][block.number, -1] = block.kept

    # -- waiting -----------------------------------------------------------------------------------

    def wait(self, cancel: threading.Event) -> Iterator[NDArray[np.uint64]]:
        """Wait for the first launch that was not waited for; meanwhile give counters now and then.

        Ends early, with everything stopped, once `cancel` is set.
        """
        looked = time.monotonic()
        while not self._over(self._segments[0]):
            if cancel.wait(WAIT_SECONDS):
                self.close()
                return
            if time.monotonic() - looked > LOOK_SECONDS:
                looked = time.monotonic()
                yield self.read_counters()
        self._segments.pop(0)

    def _over(self, marks: dict[tuple[int, int], Any]) -> bool:
        return all(self._devices[number].reached(mark) for (number, _), mark in marks.items())

    def close(self) -> None:
        """Stop all running work: first on all devices, as one may wait for another."""
        if self._segments:
            for device in self._devices:
                device.halt()
            for device in self._devices:
                device.settle()
            self._segments.clear()

    def read_counters(self) -> NDArray[np.uint64]:
        """Return the counters of all devices together, as they are now."""
        total = new_counters()
        for device, counters in zip(self._devices, self._counters, strict=True):
            with device.at_work():
                own = device.peek(counters)
            total[[DONE, PRUNED]] += own[[DONE, PRUNED]]
            total[BEST] = max(total[BEST], own[BEST])
        return total

    # -- results -------------------------------------------------------------------------------------

    def state(self, band: int) -> dict[str, NDArray[Any]]:
        """Return the input of `take_up` that continues with a band, after the wait for its launch: as of one device."""
        parts = []
        for block, kept in zip(self._blocks, self._borders.pop(band), strict=True):
            with block.device.at_work():
                parts.append(block.device.peek(kept).reshape(-1, 2))
        counters = self.read_counters()  # the next bands may have begun: use at most the earlier number
        most = np.uint64(min(band * self.cells.band, self.rectangle.rows) * self.rectangle.columns)
        counters[[DONE, PRUNED]] = np.minimum(counters[[DONE, PRUNED]], most)
        arrays: dict[str, NDArray[Any]] = {f"border {band}": np.concatenate(parts), "counters": counters}
        if self.task.track:
            records = self._records()
            records[band * self.cells.band // self.cells.shape.rows :] = 0
            arrays["records"] = np.append(records, np.zeros((1, 4), np.int32), axis=0).ravel()
        if self.right:
            last = self._blocks[-1]
            with last.device.at_work():
                arrays["last column"] = last.device.peek(last.sweep.last_column)
        return arrays

    def take_up(self, arrays: Mapping[str, NDArray[Any]], band: int) -> None:
        """Continue from a state of a pass or a pipeline, of however many devices."""
        border = np.asarray(arrays[f"border {band}"], dtype=np.int32)
        counters = np.asarray(arrays["counters"], dtype=np.uint64)
        above = band * self.cells.band - 1  # the last row that is done
        for number, device in enumerate(self._devices):
            with device.at_work():
                own = counters.copy()
                own[[DONE, PRUNED]] *= np.uint64(number == 0)
                self._counters[number] = device.upload(own)
                for block in self._blocks[number :: len(self._devices)]:
                    sweep, first = block.sweep, block.first
                    sweep.restore(border[first : first + sweep.rectangle.columns], band)
                    sweep.counters = self._counters[number]
                    if self.task.track:  # earlier results are in the records of the argument
                        sweep.records = device.upload(np.zeros(len(sweep.records), dtype=np.int32))
                    if first:
                        beside = np.zeros(2 * self.rectangle.rows, dtype=np.int32)
                        beside[2 * above] = border[first - 1, 0]
                        sweep.beside = device.upload(beside)
        if self.task.track:
            self._earlier = np.asarray(arrays["records"], dtype=np.int32).reshape(-1, 4)[:-1]
        if self.right:
            last = self._blocks[-1]
            with last.device.at_work():
                last.sweep.last_column = last.device.upload(np.asarray(arrays["last column"], dtype=np.int32))
        self._settle()

    def saved_border(self, number: int) -> Any:
        """Return a saved border, put together on the first device for its lane: G and F of every column."""
        first = self._devices[0]
        whole = first.empty(2 * self.rectangle.columns, np.int32)
        ready = first.mark()
        for block in self._blocks:
            part = block.sweep.saved_border(number)[: 2 * block.sweep.rectangle.columns]
            arrived = block.device.send(part, first, whole[2 * block.first :][: len(part)], (ready,))
            first.wait_for(arrived)
        return whole

    def corner(self) -> int:
        with self._blocks[-1].device.at_work():
            return self._blocks[-1].sweep.corner()

    def bottom_scores(self) -> NDArray[np.int64]:
        parts = []
        for block in self._blocks:
            with block.device.at_work():
                parts.append(block.sweep.bottom_scores())
        return np.concatenate(parts)

    def right_scores(self) -> NDArray[np.int64]:
        with self._blocks[-1].device.at_work():
            return self._blocks[-1].sweep.right_scores()

    def first_best(self) -> tuple[int, int, int]:
        return first_of(self._records(), self.rectangle.rows)

    def _records(self) -> NDArray[np.int32]:
        """Best score of each group of rows, and the first cell that has it, over all blocks."""
        groups = -(-self.rectangle.rows // self.cells.shape.rows)
        merged = np.zeros((groups, 4), dtype=np.int32)
        if self._earlier is not None:
            merged[:] = self._earlier
        for block in self._blocks:
            with block.device.at_work():
                own = block.device.peek(block.sweep.records).reshape(-1, 4)[:groups].copy()
            own[:, 1] += block.first
            before = (own[:, 1] < merged[:, 1]) | ((own[:, 1] == merged[:, 1]) & (own[:, 2] < merged[:, 2]))
            better = (own[:, 0] > merged[:, 0]) | ((own[:, 0] == merged[:, 0]) & before)
            merged[better] = own[better]
        return merged
