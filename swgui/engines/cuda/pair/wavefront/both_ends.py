"""One long pair on two devices: one begins at the first row, the other at the last.

With a known alignment, most of the matrix is left out, and the rest lies along one path: devices that share the columns
wait for each other. From both ends none waits. The pass forwards is the one that counts: it goes through all rows, and
score, end and alignment are its own. The pass backwards sends it, border by border, the gain still possible beyond
each, and the other way round; so each leaves out more the more it knows of the other, and behind the place where they
meet the pass forwards keeps to a few columns along its path. A message that is late, or never comes, costs time and no
exactness.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.plain import replace
from swgui.engines.cuda.pair.wavefront.cells import Cells, PassGoal, fit_blocks
from swgui.engines.cuda.pair.wavefront.device import LOOK_SECONDS, WAIT_SECONDS
from swgui.engines.cuda.pair.wavefront.letters import Pair, Rectangle
from swgui.engines.cuda.pair.wavefront.one_pass import BEST, Outlook, Pass
from swgui.engines.cuda.pair.wavefront.tuning import TUNING
from swgui.engines.pair.anchors import Chain

LAUNCH_BANDS: Final = 1 << 30  # at a time; a message counts at once, within a launch, too


def worth_it(best: int, highest: int, rows: int, columns: int) -> bool:
    """Whether a score that is known beforehand leaves little enough of the matrix."""
    return best >= TUNING.enough * max(highest, 1) * min(rows, columns)


def _outlook(sweep: Pass, other: Pass) -> Outlook:
    """Prepare the messages between a pass and another over the same matrix from its other end."""
    device, rectangle, count = sweep.pair.device, sweep.rectangle, sweep.saved_rows
    rows, size = sweep.save_every * sweep.cells.band, _size(sweep)
    columns, left = np.full(count, -1), np.zeros(count, dtype=np.int64)
    if other.chain is not None:  # where it crosses this pass's borders, as the other pass counts rows and columns
        columns, left = other.chain.behind(rectangle.rows - rows * np.arange(1, count + 1) - 1)
        columns = np.where((columns < 0) | (columns > rectangle.columns - 2), -1, rectangle.columns - 2 - columns)
    return Outlook(
        device.empty(count * size, np.int64),
        device.upload(np.zeros(2, dtype=np.uint64)),
        rows,
        TUNING.shared_columns,
        device.empty(count * size, np.int64),
        device.upload(np.zeros(count, dtype=np.int32)),
        device.upload(np.stack([columns, left], axis=1).astype(np.int32).ravel()),
    )


def _size(sweep: Pass) -> int:
    """Numbers of one border's message."""
    return 2 * (sweep.rectangle.columns // TUNING.shared_columns + 1) + 1


class _Messages:
    """Carries the messages of one pass to the other, each border as soon as it is known.

    Copies only: during the passes no kernel would find room or could be loaded.

    Parameters
    ----------
    source, target : Pass
        Over the same matrix, from its two ends; both with an outlook.
    """

    def __init__(self, source: Pass, target: Pass) -> None:
        assert source.outlook is not None, "both were given one"
        assert target.outlook is not None, "both were given one"
        self._source, self._device, self._there = source, source.pair.device, target.pair.device
        self._from, self._to = source.outlook, target.outlook
        self._size, self._sent = _size(source), 0
        with self._device.at_work():
            self._counts = self._device.upload(np.arange(source.saved_rows + 1, dtype=np.uint64))
            self._device.download(self._counts)  # all that was prepared is there for other lanes
        with self._there.at_work():
            self._there.download(self._to.received)
        self.send_columns(0, 0)  # finds the way, before anything would have to wait for that

    def pass_on(self) -> None:
        """Enqueue new messages; does not wait."""
        if self._sent == self._source.saved_rows:
            return
        ready = np.append(self._device.peek(self._from.ready) != 0, False)
        number = int(np.argmin(ready))
        if number > self._sent:
            self.send_columns(self._sent, number)
            self._sent = number

    def send_columns(self, first: int, last: int) -> None:
        """Enqueue copies of the messages of some borders, then of their number and the best score."""
        part = slice(first * self._size, last * self._size)
        counters, received = self._source.counters, self._to.received
        if last > first:
            self._device.send(self._from.outgoing[part], self._there, self._to.incoming[part], ())
        self._device.send(self._counts[last : last + 1], self._there, received[:1], ())
        self._device.send(counters[BEST : BEST + 1], self._there, received[1:], ())


class BothEnds(Pass):
    """The forward pass of one local pair, with a pass backwards on a second device; to be used like a `Pass`.

    Parameters
    ----------
    pairs : tuple of Pair
        The same one on each device.
    task : PassGoal
        Local, with pruning.
    save_every : int
        Bands between two borders that are kept, and told.
    chain, best
        See `Pass`.
    """

    def __init__(
        self, pairs: tuple[Pair, Pair], cells: Cells, task: PassGoal, *, save_every: int, chain: Chain | None, best: int
    ) -> None:
        pair, other = pairs
        rows, columns = pair.rows, pair.columns
        super().__init__(
            pair, Rectangle(0, rows, 0, columns), cells, task, save_every=save_every, chain=chain, best=best
        )
        with other.device.at_work():
            self._other = Pass(
                other,
                Rectangle(0, rows, 0, columns, backward=True),
                replace(fit_blocks(cells, other.device), dpx=other.device.dpx),
                task,
                save_every=save_every,
                chain=chain.backward(rows, columns) if chain else None,
                best=best,
            )
            self._other.outlook = _outlook(self._other, self)
        self.outlook = _outlook(self, self._other)
        self._messages = _Messages(self._other, self), _Messages(self, self._other)
        self._begun = self._at_work = False

    def launch(self, first_band: int, last_band: int, counter: Any = None, most_blocks: int = 0) -> None:
        """Enqueue some bands; with the first of them the pass backwards begins."""
        if not self._begun:
            self._begun = True
            with self._other.pair.device.at_work():
                _launch_parts(self._other, 0, self._other.bands)
        self._at_work = True
        _launch_parts(super(), first_band, last_band)

    def wait(self, cancel: threading.Event) -> Iterator[NDArray[np.uint64]]:
        """Wait for the bands that were launched; meanwhile give copies of the counters now and then.

        Ends early, with everything stopped, once `cancel` is set.
        """
        device = self.pair.device
        done, looked = device.mark(), time.monotonic()
        while not device.reached(done):
            if cancel.wait(WAIT_SECONDS):
                self.close()
                return
            for messages in self._messages:
                messages.pass_on()
            if time.monotonic() - looked > LOOK_SECONDS:
                looked = time.monotonic()
                yield device.peek(self.counters)
        self._at_work = False

    def close(self) -> None:
        """Stop all running work once messages on their way have arrived: no pass reads them any more."""
        if not self._begun:
            return
        self._other.pair.device.halt()
        if self._at_work:
            self.pair.device.halt()
        for device in (self._other.pair.device, self.pair.device):
            device.settle()
        self._begun = self._at_work = False

    def take_up(self, arrays: Mapping[str, NDArray[Any]], band: int) -> None:
        """Continue from such a state; the pass backwards begins again."""
        super().take_up(arrays, band)
        self.pair.device.download(self.counters)


def _launch_parts(sweep: Any, first: int, last: int) -> None:
    for band in range(first, last, LAUNCH_BANDS):
        sweep.launch(band, min(band + LAUNCH_BANDS, last))
