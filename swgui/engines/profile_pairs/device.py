"""Profiles against profiles on a GPU (``kernels/profile_pairs.cu``)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import POLL_SECONDS, Check
from swgui.core.profiles.pairs import PairGaps, ProfileSet

FILE: Final = "profile_pairs.cu"
WHOLE, IN_STRIPS = "profile_pairs", "profile_pairs_in_strips"  # kernels, by the length of the queries
LANES: Final = 32
ROWS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)  # columns of a query that a lane has; with more, registers do not last
PACK_THREADS: Final = 256
AROUND: Final = 32  # columns on both sides that a lane reads and nothing uses, as PAIR_AROUND
CHUNK_COLUMNS: Final = 4096  # of targets that a warp reads without a pause; 32 more at its end
LAUNCH_CELLS: Final = 200_000_000_000  # some 0.2 s
BORDER_BYTES: Final = 1 << 28
STREAMS: Final = 4  # launches that fill each other's ends


class _Columns(NamedTuple):
    """Profiles on the device."""

    of: ProfileSet
    codes: Any  # uint4 of each column
    rests: Any  # uint2 of each column


class _Targets(NamedTuple):
    """Targets on the device, and how they are cut."""

    columns: _Columns
    offsets: Any  # int64, as of the set
    chunks: Any  # int32, the first target of each chunk and the end of the last
    chunk_count: int
    width: int  # columns of the longest


class DevicePairs:
    """Scores profiles on one GPU; used by one thread at a time.

    Parameters
    ----------
    gpu : Gpu
    """

    def __init__(self, gpu: Any) -> None:
        self._gpu = gpu
        self._held: _Targets | None = None
        with gpu.at_work():
            self._streams = [gpu.cupy.cuda.Stream(non_blocking=True) for _ in range(STREAMS)]

    def scores(
        self, queries: ProfileSet, targets: ProfileSet, gaps: PairGaps, check: Check = lambda: None
    ) -> NDArray[np.int32]:
        """Score every query against every target, see `PairEngine.scores`."""
        found = np.zeros((len(queries), len(targets)), dtype=np.int32)
        if not found.size:
            return found
        gpu = self._gpu
        with gpu.at_work():
            against = self._targets(targets)
            asked = self._packed(queries)
            scores = gpu.constant(found.reshape(-1))
            kept = []  # what the launches under way read
            try:
                for turn, (rows, numbers) in enumerate(_launches(queries.lengths, int(targets.offsets[-1]))):
                    stream = self._streams[turn % STREAMS]
                    self._wait(stream, check)
                    kept.append(self._launch(stream, rows, numbers, asked, against, gaps, scores))
                for stream in self._streams:
                    self._wait(stream, check)
            except BaseException:
                gpu.stop()
                raise
            gpu.download(found, scores, self._streams[0])
            self._streams[0].synchronize()
        return found

    def _launch(
        self,
        stream: Any,
        rows: int,
        numbers: NDArray[np.int64],
        asked: _Columns,
        against: _Targets,
        gaps: PairGaps,
        scores: Any,
    ) -> tuple[Any, ...]:
        """Start the kernel for some queries; returns what it reads."""
        gpu = self._gpu
        lengths = asked.of.lengths[numbers].astype(np.int32)
        width = against.width if lengths.max() > LANES * rows else 0
        kernel = gpu.kernel(FILE, IN_STRIPS if width else WHOLE, (f"-DPAIR_ROWS={rows}",))
        blocks = gpu.multiprocessors * gpu.blocks_at_once(kernel, LANES, 0)
        if width:
            blocks = max(min(blocks, BORDER_BYTES // (8 * width)), 1)
        blocks = min(blocks, len(numbers) * against.chunk_count)
        begins, sizes, places = (
            gpu.constant(values) for values in (asked.of.offsets[:-1][numbers], lengths, numbers.astype(np.int32))
        )
        border, taken = gpu.empty(max(2 * blocks * width, 2), np.int32), gpu.constant(np.zeros(1, np.int32))
        queries = asked.codes, asked.rests, begins, sizes, places, np.int32(len(numbers))
        columns = against.columns
        targets = columns.codes, columns.rests, against.offsets, against.chunks, np.int32(against.chunk_count)
        costs = np.int64(len(columns.of)), np.int32(gaps.first), np.int32(gaps.extend)
        with stream:
            kernel(
                (blocks,),
                (LANES,),
                (*queries, *targets, *costs, border, np.int64(width), scores, taken, gpu.cancel_flag),
            )
        return begins, sizes, places, border, taken

    def _targets(self, targets: ProfileSet) -> _Targets:
        """Return targets on the device; those of the last call stay there."""
        if self._held is None or self._held.columns.of is not targets:
            self._held = None
            chunks = _chunks(targets.offsets)
            widths = np.diff(targets.offsets[chunks])
            offsets = self._gpu.constant(np.ascontiguousarray(targets.offsets))
            device_chunks = self._gpu.constant(chunks.astype(np.int32))
            self._held = _Targets(self._packed(targets), offsets, device_chunks, len(widths), int(widths.max()))
        return self._held

    def _packed(self, profiles: ProfileSet) -> _Columns:
        """Bring profiles to the device, and lay their columns out."""
        gpu, columns = self._gpu, len(profiles.scales)
        words = gpu.constant(np.ascontiguousarray(profiles.codes).reshape(-1))
        scales = gpu.constant(np.ascontiguousarray(profiles.scales))
        room = columns + 2 * AROUND
        codes, rests = gpu.empty(4 * room, np.uint32), gpu.empty(2 * room, np.uint32)
        kernel = gpu.kernel(FILE, "pair_pack", (f"-DPAIR_ROWS={ROWS[0]}",))
        with self._streams[0]:
            kernel((-(-room // PACK_THREADS),), (PACK_THREADS,), (words, scales, np.int64(columns), codes, rests))
        self._streams[0].synchronize()
        return _Columns(profiles, codes, rests)

    @staticmethod
    def _wait(stream: Any, check: Check) -> None:
        """Wait for a stream; `check` may raise meanwhile."""
        check()
        looked = time.perf_counter()
        while not stream.done:
            time.sleep(POLL_SECONDS / 100)
            if time.perf_counter() - looked > POLL_SECONDS:
                check()
                looked = time.perf_counter()


def rows_of(length: int) -> int:
    """Return how many columns of a query of this length each lane has: as few strips as can be, alike."""
    strips = -(-length // (LANES * ROWS[-1]))
    return next(rows for rows in ROWS if rows * LANES * strips >= length)


def _launches(lengths: NDArray[np.int64], columns: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield the queries of each launch, those with most rows of a lane first, and these rows."""
    rows = np.array([rows_of(int(length)) for length in lengths])
    for each in ROWS[::-1]:
        numbers = np.flatnonzero(rows == each)
        numbers = numbers[np.argsort(-lengths[numbers], kind="stable")]
        shares = np.cumsum(lengths[numbers]) * columns // LAUNCH_CELLS
        for share in np.unique(shares):
            yield each, numbers[shares == share]


def _chunks(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first target of each chunk of about `CHUNK_COLUMNS` columns, and the number of targets."""
    borders = np.arange(0, int(offsets[-1]), CHUNK_COLUMNS)
    firsts = np.searchsorted(offsets[:-1], borders)
    return np.unique(np.append(firsts[firsts < len(offsets) - 1], len(offsets) - 1))
