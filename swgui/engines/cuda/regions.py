"""Regions of hits and scores of shuffles on a GPU, for the correction of E; and the columns of alignments of pairs.

Scores are exact in both places, so either may answer. Work that would take one warp too long, cases that the kernels do
not know (scores beyond a byte, codes of two bytes that are no two tracks) and all calls after a failure of the GPU go
to the compiled library. Gap costs by position and two tracks have kernels of their own.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TwoTracks
from swgui.core.control import Check, start_thread
from swgui.core.errors import EngineFault
from swgui.core.hits.regions import Regions
from swgui.core.judging.correction_work import JOB, QueryScores, RegionRequest
from swgui.core.score_profile import PositionGaps, TrackProfile
from swgui.core.stretches import ScoredPairs, Subjects
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.tuning import TUNING
from swgui.engines.native.correction import HostWork
from swgui.engines.native.scoring import pointer

log = logging.getLogger(__name__)
T = TypeVar("T")

FILE: Final = "regions.cu"
STRIP: Final = 256  # rows of a pass, the strip height; longer queries spill the borders between strips
SYMBOL_BYTES: Final = STRIP  # of shared memory
SHARED: Final = 48 << 10  # bytes that a block may have
SIXTEEN_BITS: Final = 32_000  # that gaps may cost for scores in 16 bits
BYTE_SYMBOLS: Final = 160  # of both tracks; the shared memory of a block has no room for more
COPY_THREADS: Final = 128
MAX_ALIGNED: Final = (1 << 16) - 1  # aligned residues of a pair that can be counted
ROOM: Final = 256 << 20  # bytes of copies and borders at a time
HIGH_PRIORITY: Final = -1  # priority of streams: these kernels are short and waited for
_BORDER: Final = 8  # bytes of a column
ROWS, START, LENGTH, COUNT = (JOB.index(name) for name in ("rows", "start", "length", "count"))


@dataclass(frozen=True, slots=True, eq=False)
class _Query:
    """Queries, concatenated, as the kernels take them."""

    # Scores by symbol; in two tracks those of letters behind those of residues, shape (symbols, rows).
    lines: NDArray[np.int8]
    gap_first: int
    gap_extend: int
    costs: NDArray[np.int16] | None  # of gaps by position; without them those of the scheme, shape (rows, 4)
    tracks: TwoTracks | None
    fused: bool  # whether the GPU has fused instructions of 16 bits
    counts: bool = False  # True if the kernel counts the columns of alignments

    @property
    def packed(self) -> bool:
        """Whether most scores are found in 16 bits."""
        plain = self.fused and self.costs is None and self.tracks is None
        low = max(self.gap_first, self.gap_extend) <= SIXTEEN_BITS
        return plain and low and 2 * SYMBOL_BYTES * (len(self.lines) + 1) <= SHARED

    @property
    def defines(self) -> tuple[str, ...]:
        """Defines for the compilation of the kernels."""
        kind = defines_of(tracks=self.tracks is not None, gaps=self.costs is not None, packed=self.packed)
        return (*kind, "-DSW_COUNTS") if self.counts else kind

    @property
    def border_bytes(self) -> int:
        """Bytes of a column between two strips."""
        return 2 * _BORDER if self.counts else _BORDER

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block."""
        return 2 * SYMBOL_BYTES * (len(self.lines) + 1) if self.packed else SYMBOL_BYTES * len(self.lines)

    def codes(self, codes: NDArray[np.uint8]) -> NDArray[Any]:
        """Return codes as the kernels read them; `EngineFault` if one is not in the alphabet."""
        alphabet, symbols = self.tracks, len(self.lines)
        if int(codes.max(initial=0)) >= (symbols if alphabet is None else len(alphabet)):
            raise EngineFault("A subject has a residue that is not in the alphabet.")
        if alphabet is None:
            return codes
        residues, letters = alphabet.split(codes)
        return residues + ((letters + np.uint16(len(alphabet.residue_alphabet))) << 8)


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Pairs of concatenated queries and subjects: k of them."""

    # rows, above: rows of the query of each, and those of all before it, shape (k,)
    rows: NDArray[np.int64]
    above: NDArray[np.int64]
    subjects: Subjects
    scores: NDArray[np.integer]  # shape (k,)

    @property
    def cells(self) -> NDArray[np.int64]:
        """Cells of each."""
        return self.rows * self.subjects.lengths


def defines_of(*, tracks: bool, gaps: bool, packed: bool) -> tuple[str, ...]:
    """Return the defines of the kernels: for two tracks, gap costs by position, or scores of 16 bits."""
    kinds = ("-DSW_TRACKS", tracks), ("-DSW_GAPS", gaps), ("-DSW_PACKED", packed and not tracks and not gaps)
    return tuple(name for name, wanted in kinds if wanted)


@dataclass(slots=True, eq=False)
class _QueryOnDevice:
    """The query and the subjects' codes of a call, on the device."""

    stream: Any
    head: tuple[Any, ...] = ()  # first arguments of both kernels
    kept: list[Any] = field(default_factory=list)


class GpuRegions(HostWork):
    """Answers on one GPU if it can, else as `HostWork` does on the CPU; for several threads at once."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._own = threading.local()
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(TUNING.launches_at_once)
        self._codes: tuple[NDArray[np.uint8], Any] | None = None  # on the host, which holds its place, and here
        self.gave_up = False

    def begin(self, *, tracks: bool = False, gaps: bool = False) -> None:
        """Have kernels compiled and brought to the GPU in a thread of its own; returns at once.

        Parameters
        ----------
        tracks, gaps : bool
            Whether codes are in two tracks, and whether queries have gap costs by position.
        """

        def load() -> None:
            given = defines_of(tracks=tracks, gaps=gaps, packed=self._gpu.dpx)
            self.run_on_gpu(lambda: [self._kernel(name, given) for name in ("find_regions", "score_copies")])

        # Not a daemon: the compiler must not run during the end of the process.
        start_thread(load, "compile regions")

    def regions_of(
        self, asked: RegionRequest, *, threads: int = 0, check: Callable[[], None] = lambda: None
    ) -> Regions:
        """Find regions, those of all queries in one launch."""
        cells = asked.rows * asked.subjects.lengths
        few = int(cells.sum()) <= TUNING.few_cells
        lines, fits = (None, None) if few else _lines_that_fit(asked)
        if lines is None or fits is None:
            return super().regions_of(asked, threads=threads, check=check)
        here = (asked.scores > 0) & (cells <= TUNING.region_cells) & fits[asked.of]
        corners = self.run_on_gpu(lambda: self._find(asked, lines, here)) if here.any() else None
        if corners is None:
            return super().regions_of(asked, threads=threads, check=check)
        found = Regions(asked.scores.astype(np.int64), *np.ascontiguousarray(corners.T, dtype=np.int64))
        if found.query_start.min(initial=0) < 0:
            left = np.flatnonzero(found.query_start < 0)
            found.put(left, super().regions_of(asked.take(left), threads=threads, check=check))
        return found

    def shuffled_scores(
        self,
        profile: QueryScores,
        codes: NDArray[np.uint8],
        jobs: NDArray[np.int64],
        gap_first: int,
        gap_extend: int,
        seed: int,
        *,
        gaps: PositionGaps | None = None,
        tracks: TwoTracks | None = None,
        threads: int = 0,
        check: Callable[[], None] = lambda: None,
    ) -> NDArray[np.int32]:
        """Score copies."""
        cells = jobs[:, ROWS] * jobs[:, LENGTH]
        here = np.zeros(len(jobs), dtype=np.bool_)
        found = None
        lines = None
        if int((cells * jobs[:, COUNT]).sum()) > TUNING.few_cells:
            lines = self._lines(profile, codes)
        if lines is not None:
            query = _Query(lines, gap_first, gap_extend, _costs_of(gaps), tracks, self._gpu.dpx)
            here = (cells > 0) & (cells <= TUNING.region_cells) & (jobs[:, LENGTH] * jobs[:, COUNT] * _BORDER <= ROOM)
            if here.any():
                found = self.run_on_gpu(lambda: self._score(query, codes, jobs[here], seed))
        others = np.ones(len(jobs), dtype=np.bool_) if found is None else ~here
        if found is not None and not others.any():
            return found
        left = profile, codes, jobs[others], gap_first, gap_extend, seed
        rest = super().shuffled_scores(*left, gaps=gaps, tracks=tracks, threads=threads, check=check)
        if found is None:
            return rest
        scores = np.zeros(int(jobs[:, COUNT].sum()), dtype=np.int32)
        is_other = np.repeat(others, jobs[:, COUNT])
        scores[is_other], scores[~is_other] = rest, found
        return scores

    def _lines(self, profile: QueryScores, codes: NDArray[np.uint8]) -> NDArray[np.int8] | None:
        """Return `_lines_of`, made once for this thread's calls with the same arrays in turn: portions of shuffles."""
        made: tuple[Any, Any, NDArray[np.int8] | None] | None = getattr(self._own, "lines", None)
        if made is None or made[0] is not profile or made[1] is not codes:
            made = self._own.lines = profile, codes, _lines_of(profile, codes)
        return made[2]

    def run_on_gpu(self, work: Callable[[], T]) -> T | None:
        """Do something with the GPU as the current device; None if that failed, now or before."""
        if self.gave_up:
            return None
        try:
            with self._gpu.at_work(), self._stream():
                return work()
        except EngineFault as fault:
            self.gave_up = True
            log.info("Regions are found on the CPU: %s", fault)
            return None

    def _stream(self) -> Any:
        """Return this thread's stream."""
        if not hasattr(self._own, "stream"):
            self._own.stream = self._gpu.cupy.cuda.Stream(non_blocking=True, priority=HIGH_PRIORITY)
        return self._own.stream

    def _asked(self, query: _Query, codes: NDArray[np.uint8]) -> _QueryOnDevice:
        asked = _QueryOnDevice(self._stream())
        costs = np.int32(query.gap_first), np.int32(query.gap_extend)
        sizes = np.int32(query.lines.shape[1]), np.int32(len(query.lines))
        by_row = self._brought(asked, np.zeros(1, np.int16) if query.costs is None else query.costs.ravel())
        head = self._brought(asked, query.lines.ravel()), by_row, *sizes, *costs
        asked.head = (*head, self._codes_on_gpu(asked, query, codes))
        return asked

    def _brought(self, asked: _QueryOnDevice, host: NDArray[Any]) -> Any:
        """Return a host array on the device; both live as long as the call."""
        array = self._gpu.empty(len(host), host.dtype)
        self._gpu.upload(array, host, asked.stream)
        asked.kept += [array, host]
        return array

    def _codes_on_gpu(self, asked: _QueryOnDevice, query: _Query, codes: NDArray[np.uint8]) -> Any:
        """Return all codes that subjects lie in on the device, brought and looked at when they are first needed.

        Codes in two tracks that may change are those of one call, or of some in turn that score shuffles; others are
        those of a database (`swgui.core.tracks`).
        """
        if query.tracks is not None and codes.flags.writeable:
            combined = getattr(self._own, "combined", None)
            if combined is None or combined[0] is not codes:
                combined = self._own.combined = codes, self._brought(asked, query.codes(codes))
            return combined[1]
        with self._lock:
            held = self._codes
            if held is None or len(held[0]) != len(codes) or pointer(held[0]) != pointer(codes):
                held = self._codes = codes, self._gpu.constant(query.codes(codes))
            return held[1]

    def _kernel(self, name: str, defines: tuple[str, ...]) -> Any:
        with self._lock:
            return self._gpu.kernel(FILE, name, defines)

    def _find(self, asked: RegionRequest, lines: NDArray[np.int8], here: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return corners of the pairs `here`, shape (k, 4); -1 of others, and where the score is not reached."""
        query = _Query(lines, asked.gap_first, asked.gap_extend, _costs_of(asked.gaps), asked.tracks, self._gpu.dpx)
        pairs = _Pairs(asked.rows, asked.begins[asked.of], asked.subjects, asked.scores)
        return self._answered("find_regions", query, pairs, here)

    def count_pairs(self, asked: ScoredPairs, check: Check = lambda: None) -> NDArray[np.int32] | None:
        """Count the columns of alignments; as of `DeviceEngine`."""
        queries, subjects, scheme = asked.queries, asked.subjects, asked.scheme
        codes = np.concatenate([query.codes for query in queries])
        tall = np.array([len(query) for query in queries], dtype=np.int64)
        table = _lines_of(scheme.matrix.scores, subjects.codes)
        if table is None or codes.dtype != np.uint8 or any(query.profile is not None for query in queries):
            return None
        query = _Query(table[:, codes], scheme.gap_first, scheme.gap_extend, None, None, self._gpu.dpx, counts=True)
        pairs = _Pairs(tall[asked.of], _before(tall)[asked.of], subjects, np.asarray(asked.scores))
        here = (
            (pairs.scores > 0)
            & (pairs.cells <= TUNING.counted_cells)
            & (np.minimum(pairs.rows, subjects.lengths) <= MAX_ALIGNED)
        )
        more = codes, np.ascontiguousarray(scheme.alphabet.alike_codes)
        found = self.run_on_gpu(lambda: self._answered("count_pairs", query, pairs, here, more, check))
        if found is None:
            return None
        query_span, subject_span = found[:, 1] - found[:, 0], found[:, 3] - found[:, 2]
        columns = query_span + subject_span - found[:, 4]
        answered = found[:, 0] >= 0
        return np.where(answered[:, None], np.stack([found[:, 5], columns, query_span, subject_span], axis=1), -1)

    def _answered(
        self,
        name: str,
        query: _Query,
        pairs: _Pairs,
        here: NDArray[np.bool_],
        more: Sequence[NDArray[Any]] = (),
        check: Check = lambda: None,
    ) -> NDArray[np.int32]:
        """Return a kernel's results for the pairs `here`, corners first, shape (k, 4 or 6); -1 for others.

        Parameters
        ----------
        more : sequence of ndarray
            Its arguments behind those of `find_regions`.
        """
        subjects, fields = pairs.subjects, 6 if query.counts else 4
        kernel, asked = self._kernel(name, query.defines), self._asked(query, subjects.codes)
        behind = [self._brought(asked, array) for array in more]
        chosen = np.flatnonzero(here)
        chosen = chosen[np.argsort(-pairs.cells[chosen], kind="stable")]
        widths = np.where(pairs.rows > STRIP, subjects.lengths, 0)[chosen]
        out = np.full((len(pairs.rows), fields), -1, dtype=np.int32)
        room_of_cells = pairs.cells[chosen] * ROOM // TUNING.launch_cells
        for part in portions(np.maximum(widths * query.border_bytes, room_of_cells)):
            some, borders = chosen[part], _before(widths[part])
            starts = subjects.starts[some]
            columns = pairs.rows[some], starts, starts >> 32, subjects.lengths[some], pairs.scores[some]
            table = np.stack([*columns, borders, borders >> 32, pairs.above[some]], axis=1)
            words = table.astype(np.uint32).view(np.int32)
            answers = np.empty(fields * len(some), np.int32)
            with self._turns if query.counts else nullcontext():
                check()
                room = self._gpu.empty(query.border_bytes // 4 * max(int(widths[part].sum()), 1), np.int32)
                found = self._gpu.empty(len(answers), np.int32)
                given = self._brought(asked, words.ravel()), room, found, *behind
                kernel((len(some),), (32,), (*asked.head, *given), shared_mem=query.shared_bytes)
                asked.stream.synchronize()  # or the copy would wait, and other callers that ask the driver for the copy
            self._gpu.download(answers, found, asked.stream)
            asked.stream.synchronize()
            out[some, :4], out[some, 4:] = (one.reshape(len(some), -1) for one in np.split(answers, [4 * len(some)]))
        return out

    def _score(self, query: _Query, codes: NDArray[np.uint8], jobs: NDArray[np.int64], seed: int) -> NDArray[np.int32]:
        """Return the scores of all copies, job by job."""
        kernel, asked = self._kernel("score_copies", query.defines), self._asked(query, codes)
        counts = jobs[:, COUNT]
        ends = np.cumsum(counts)
        order = np.argsort(-jobs[:, ROWS] * jobs[:, LENGTH] * counts, kind="stable")
        residues = (jobs[:, LENGTH] * counts)[order]
        widths = np.where(jobs[order, ROWS] > STRIP, residues, 0)
        scores, highest = self._gpu.empty(int(ends[-1]), np.int32), np.int32(query.lines.max(initial=0))
        for part in portions(residues * (2 if query.tracks else 1) + widths * _BORDER):
            some = order[part]
            places = np.stack([ends[some] - counts[some], _before(residues[part]), _before(widths[part])], axis=1)
            given = np.ascontiguousarray(np.concatenate([jobs[some], places], axis=1))
            copies = self._gpu.empty(max(int(residues[part].sum()), 1), np.uint16 if query.tracks else np.uint8)
            room = self._gpu.empty(2 * max(int(widths[part].sum()), 1), np.int32)
            brought = self._brought(asked, given.ravel())
            arguments = (*asked.head, brought, np.uint64(seed), highest, copies, room, scores)
            kernel((len(some),), (COPY_THREADS,), arguments, shared_mem=query.shared_bytes)
            asked.kept += [copies, room]
        out = np.zeros(int(ends[-1]), dtype=np.int32)
        asked.stream.synchronize()
        self._gpu.download(out, scores, asked.stream)
        asked.stream.synchronize()
        return out


def _lines_of(profile: QueryScores, codes: NDArray[np.uint8]) -> NDArray[np.int8] | None:
    """Return scores by symbol, shape (symbols, rows), in two tracks letters behind residues.

    None if the kernels do not know codes or scores: those beyond a byte, which are rare.
    """
    tables = profile.tables if isinstance(profile, TrackProfile) else (profile,)
    edges = np.cumsum([0, *(table.shape[1] for table in tables)]).tolist()
    wide = len(tables) == 1 and codes.dtype != np.uint8
    if not len(profile) or wide or not 0 < edges[-1] <= BYTE_SYMBOLS:
        return None
    if any(table.min() < -128 or table.max() > 127 for table in tables):
        return None
    lines = np.empty((edges[-1], len(profile)), dtype=np.int8)
    for table, edge in zip(tables, pairwise(edges), strict=True):
        lines[slice(*edge)] = table.T
    return lines


def _lines_that_fit(asked: RegionRequest) -> tuple[NDArray[np.int8] | None, NDArray[np.bool_]]:
    """Return `_lines_of` the queries, and a mask of those whose scores are right in them, shape (q,)."""
    profile, queries = asked.profile, len(asked.begins) - 1
    if (lines := _lines_of(profile, asked.subjects.codes)) is not None or queries == 1:
        return lines, np.ones(queries, dtype=np.bool_)
    tables = profile.tables if isinstance(profile, TrackProfile) else (profile,)
    beyond = np.any([(table < -128).any(axis=1) | (table > 127).any(axis=1) for table in tables], axis=0)
    sums = np.concatenate([[0], np.cumsum(beyond)])
    cut = [np.clip(table, -128, 127) for table in tables]
    lines = _lines_of(TrackProfile(*cut) if len(cut) > 1 else cut[0], asked.subjects.codes)
    return lines, sums[asked.begins[1:]] == sums[asked.begins[:-1]]


def _costs_of(gaps: PositionGaps | None) -> NDArray[np.int16] | None:
    """Return gap costs by position, shape (rows, 4)."""
    return None if gaps is None else np.stack(gaps.columns, axis=1)


def _before(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of all sizes before each."""
    return np.cumsum(sizes) - sizes


def portions(sizes: NDArray[np.int64]) -> list[slice]:
    """Cut a list by sizes, shape (n,), so that no part takes much more than the room there is."""
    number = np.cumsum(sizes) // ROOM
    edges = [*np.flatnonzero(np.diff(number, prepend=-1)).tolist(), len(sizes)]
    return [slice(start, stop) for start, stop in pairwise(edges)]
