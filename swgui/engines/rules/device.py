"""The scanners on a GPU (``kernels/rules.cu``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.engines.rules.scanner import Hits, Patterns, joined

FILE: Final = "rules.cu"
ROOM: Final = 1 << 20  # hits that are expected of a launch
STEPS: Final = 200_000_000_000  # residues times queries of a launch: a tenth of a second
CELLS: Final = 100_000_000_000
BORDER: Final = 1 << 28  # values of borders at a time
THREADS: Final = 256
SCORE_THREADS: Final = 128


class DeviceScanner:
    """The scanners on one GPU; used by one thread at a time.

    Parameters
    ----------
    gpu : Gpu
    """

    def __init__(self, gpu: Any) -> None:
        self._gpu = gpu
        self._text: tuple[NDArray[np.uint8], Any] | None = None
        with gpu.at_work():
            self._stream = gpu.cupy.cuda.Stream(non_blocking=True)

    def mismatches(self, text: NDArray[np.uint8], queries: Patterns, most: int, check: Check) -> Hits:
        """Return every window that differs from a query in at most so many residues."""

        def launch(kernel: Any, part: Patterns, masks: Any, begins: Any, out: tuple[Any, ...]) -> None:
            grid = (-(-len(text) // THREADS),)
            sizes = np.int64(len(text)), masks, begins, np.int32(len(part)), np.int32(most)
            kernel(grid, (THREADS,), (self._on_device(text), *sizes, *out))

        return self._scanned("rule_mismatches", text, queries, launch, check)

    def ends(
        self, text: NDArray[np.uint8], queries: Patterns, most: int, allowed: NDArray[np.uint8] | None, check: Check
    ) -> Hits:
        """Return every end position at which a query may fit with so many differences."""
        chunk = min(max(len(text) // (1 << 18), 256), 4096)
        marks = None

        def launch(kernel: Any, part: Patterns, masks: Any, begins: Any, out: tuple[Any, ...]) -> None:
            nonlocal marks
            if allowed is not None and marks is None:
                marks = self._gpu.constant(allowed)
            tiles = -(-len(text) // (THREADS * chunk))
            sizes = np.int64(len(text)), masks, begins, np.int32(most)
            given = np.uint64(0) if marks is None else marks, np.int32(tiles), np.int32(chunk)
            kernel((tiles * len(part),), (THREADS,), (self._on_device(text), *sizes, *given, *out))

        return self._scanned("rule_ends", text, queries, launch, check)

    def scores(
        self,
        text: NDArray[np.uint8],
        ranges: NDArray[np.int64],
        queries: Patterns,
        up: NDArray[np.int32],
        down: NDArray[np.int32],
        check: Check,
    ) -> NDArray[np.int32]:
        """Return the best score of each whole query for each part of the text."""
        sizes = ranges[1] - ranges[0]
        total, count = int(sizes.sum()), sizes.size
        out = np.empty((len(queries), count), np.int32)
        if not count:
            return out
        with self._gpu.at_work():
            codes = self._on_device(text)
            starts, ends, borders = (
                self._gpu.constant(np.ascontiguousarray(values, np.int64))
                for values in (ranges[0], ranges[1], np.cumsum(sizes) - sizes)
            )
            weights = [self._gpu.constant(np.ascontiguousarray(one, np.int32)) for one in (up, down)]
            kernel = self._gpu.kernel(FILE, "rule_scores", ())
            cost = max(total * queries.longest, 1)
            for first, part in _groups(queries, max(1, min(CELLS // cost, BORDER // max(total, 1)))):
                check()
                border = self._gpu.empty(max(len(part) * total, 1), np.int32)
                scores = self._gpu.empty(len(part) * count, np.int32)
                masks, begins = self._patterns(part)
                tiles = -(-count // SCORE_THREADS)
                given = starts, ends, borders, np.int32(count), masks, begins, *weights
                rest = np.int32(tiles), np.int64(total), border, scores
                with self._stream:
                    kernel((tiles * len(part),), (SCORE_THREADS,), (codes, *given, *rest))
                self._download(out[first : first + len(part)], scores)
        return out

    def _scanned(
        self, name: str, text: NDArray[np.uint8], queries: Patterns, launch: Callable[..., None], check: Check
    ) -> Hits:
        """Launch a kernel for some queries at a time, again with more room where there were more hits."""
        parts = []
        with self._gpu.at_work():
            kernel = self._gpu.kernel(FILE, name, ())
            for first, part in _groups(queries, max(1, STEPS // max(len(text) * queries.longest, 1))):
                check()
                masks, begins = self._patterns(part)
                room = ROOM
                while True:
                    query, position, differences = (
                        self._gpu.empty(room, dtype) for dtype in (np.int32, np.int64, np.uint8)
                    )
                    found = self._gpu.constant(np.zeros(1, np.uint64))
                    with self._stream:
                        launch(kernel, part, masks, begins, (query, position, differences, np.uint64(room), found))
                    number = int(self._download(np.zeros(1, np.uint64), found)[0])
                    if number <= room:
                        break
                    room = number
                columns = (
                    self._download(np.empty(number, dtype), column)
                    for dtype, column in ((np.int32, query), (np.int64, position), (np.uint8, differences))
                )
                which, places, counts = columns
                parts.append(Hits(which + np.int32(first), places, counts))
        return joined(parts)

    def _patterns(self, queries: Patterns) -> tuple[Any, Any]:
        """Return on the device which symbols match each residue of the queries, and where each query begins."""
        return self._gpu.constant(queries.masks[queries.codes]), self._gpu.constant(queries.begins)

    def _on_device(self, text: NDArray[np.uint8]) -> Any:
        """Return a text on the device, brought when it is first asked for."""
        held = self._text
        if held is None or held[0] is not text:
            held = self._text = text, self._gpu.constant(text if len(text) else np.zeros(1, np.uint8))
        return held[1]

    def _download(self, target: NDArray[Any], source: Any) -> NDArray[Any]:
        self._gpu.download(target, source, self._stream)
        self._stream.synchronize()
        return target


def _groups(queries: Patterns, size: int) -> Iterator[tuple[int, Patterns]]:
    """Yield so many queries at a time, with the number of the first."""
    for first in range(0, len(queries), size):
        begins = queries.begins[first : first + size + 1]
        yield first, Patterns(queries.codes[begins[0] : begins[-1]], begins - begins[0], queries.masks)
