"""A card as the striped and chunked methods use it: arrays counted by purpose, kernels launched, their work watched."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda.card import SHORT_SECONDS, Card
from swgui.papers.memory import CountedMemory
from swgui.papers.striped.run import Launch

LOOK_SECONDS: Final = 0.0005  # between two looks whether the kernel is done
TELL_SECONDS: Final = 0.15  # between two reports of progress


class CardMachine(CountedMemory):
    """Runs kernels on a card, one after the other; used inside `Card.at_work`."""

    def __init__(self, card: Card) -> None:
        super().__init__(card)
        self.stream = card.copy_stream
        self._mark: Any = None

    def zeros(self, purpose: str, size: int, dtype: Any) -> Any:
        """Allocate a device array of zeros, counted under a purpose."""
        array = self.counted(purpose, self.card.empty(size, dtype))
        if array.nbytes:
            self.card.clear(array, self.stream)
        return array

    def put(self, purpose: str, host: NDArray[Any]) -> Any:
        """Copy a host array to the device."""
        return self.counted(purpose, self.card.constant(np.ascontiguousarray(host)))

    def get(self, array: Any) -> NDArray[Any]:
        """Copy a device array to the host, after everything that was launched."""
        host = np.zeros(array.size, array.dtype)
        self.stream.synchronize()
        if host.nbytes:
            self.card.download(host, array, self.stream)
            self.stream.synchronize()
        return host

    def peek(self, array: Any) -> NDArray[Any]:
        """Copy a small device array to the host while kernels run."""
        return self.card.peek(array)

    @property
    def cancel(self) -> Any:
        """The flag that ends kernels."""
        return self.card.cancel_flag

    def launch(
        self, file: str, kernel: str, defines: tuple[str, ...], blocks: int, shape: Launch, args: list[Any]
    ) -> None:
        """Start a kernel with at most so many blocks, fewer if the card cannot hold as many at once."""
        function = self.card.kernel(file, kernel, defines, shape.shared_bytes)
        grid = min(blocks, self.resident(function, shape))
        with self.stream:
            function((grid,), (shape.threads,), tuple(args), shared_mem=shape.shared_bytes)

    def resident(self, function: Any, shape: Launch) -> int:
        """Blocks of a kernel that the card holds at once."""
        each = self.card.blocks_at_once(function, shape.threads, shape.shared_bytes)
        return max(1, each) * self.card.multiprocessors

    def watch(self, cancel: threading.Event, expected: float, seconds: list[float]) -> Iterator[bool]:
        """Wait for what was launched since `mark`; yields now and then, and False at the end if it was cancelled.

        Closing the iterator early stops the kernels, too.

        Parameters
        ----------
        expected : float
            Seconds it may take. What is over before anyone could cancel it is waited for without looking up.
        seconds : list of float
            The time it took is appended.
        """
        with self.card.at_work():
            event = self.card.cupy.cuda.Event()
            event.record(self.stream)
            if expected < SHORT_SECONDS and not cancel.is_set():
                event.synchronize()
        told = time.perf_counter()
        over = False
        try:
            while not over:
                with self.card.at_work():
                    over = bool(event.done)
                if over:
                    break
                if cancel.wait(LOOK_SECONDS):
                    yield False
                    return
                if time.perf_counter() - told > TELL_SECONDS:
                    told = time.perf_counter()
                    yield True
        finally:
            if not over:
                with self.card.at_work():
                    self.card.stop()
        with self.card.at_work():
            self.stream.synchronize()  # says what went wrong, if anything did
            seconds.append(self.card.cupy.cuda.get_elapsed_time(self._mark, event) / 1000)

    def mark(self) -> None:
        """Begin what `watch` will time."""
        self._mark = self.card.cupy.cuda.Event()
        self._mark.record(self.stream)

    def elapsed(self) -> float:
        """Seconds since `mark`, after everything that was launched."""
        event = self.card.cupy.cuda.Event()
        event.record(self.stream)
        event.synchronize()
        return float(self.card.cupy.cuda.get_elapsed_time(self._mark, event)) / 1000
