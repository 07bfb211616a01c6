"""One pair as a grid of tiles (``kernels/cpu/all_local.c``), which gives its local alignments one after the other."""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.score_profile import PositionGaps
from swgui.core.stretches import Subjects
from swgui.engines.native.library import function
from swgui.engines.native.scoring import pointers
from swgui.engines.native.subjects import in_pieces
from swgui.engines.native.tracing import Paths

# Cells of a pair up to which a tile has so many query and subject residues at most; borders take 4 to 8 bytes each.
# High and narrow ones fill the lanes: boxes of 317 x 96 take 8 % less time than with 256 x 64.
TILES: Final = ((200_000_000, 512, 32), (4_000_000_000, 256, 256), (1 << 62, 512, 512))
TOTAL_BOUND: Final = 1 << 30  # limit of the sum of a profile's rows
_NO_MEMORY, _STOPPED = 1, 2
_NO_ROOM: Final = "There is no memory for the borders of an alignment's tiles."
_CHECK = ctypes.CFUNCTYPE(ctypes.c_int)

Found = tuple[int, int, int, list[tuple[int, int]]]


def tile_of(rows: int, columns: int) -> tuple[int, int]:
    """Return the numbers of query and subject residues in a tile of a pair of these lengths."""
    tallest, wide = next((tall, wide) for cells, tall, wide in TILES if rows * columns <= cells)
    high = -(-rows // tallest)
    return 64 * -(-rows // (64 * high)), wide


def tiles_of(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `tile_of` many pairs, shape (k, 2)."""
    limits, tallest, wide = np.array(TILES, dtype=np.int64).T
    kind = np.searchsorted(limits, rows * columns)
    high = np.maximum(-(-rows // tallest[kind]), 1)
    return np.ascontiguousarray(np.stack([64 * -(-rows // (64 * high)), wide[kind]], axis=1))


def takes(gaps: PositionGaps | None) -> bool:
    """Return True if a grid can have these costs: it counts values below 0 as 0, so no gap may add to a score."""
    return gaps is None or not (gaps.deletion_extend < 0).any()


def by_row(gaps: PositionGaps | None) -> NDArray[np.int16] | None:
    """Return costs by row, shape (4, m): insertions, then deletions on the way to the next row, first and extend."""
    if gaps is None:
        return None
    further = (np.append(costs[1:], costs[-1:]) for costs in (gaps.deletion_first, gaps.deletion_extend))
    return np.stack([gaps.insertion_first, gaps.insertion_extend, *further])


def by_row_each(gaps: PositionGaps | None, spans: NDArray[np.int64]) -> NDArray[np.int16] | None:
    """Return costs by row of one or more queries, those of each together, in the order of the queries.

    Parameters
    ----------
    gaps : PositionGaps, optional
        Of all queries, concatenated.
    spans : ndarray, shape=(k, 2), dtype=int64
        The first row of the query of each subject, and its rows.
    """
    if gaps is None:
        return None
    costs = np.zeros(4 * len(gaps), dtype=np.int16)
    for first, rows in set(map(tuple, spans.tolist())):
        of_query = by_row(gaps.take(slice(first, first + rows)))
        assert of_query is not None
        costs[4 * first : 4 * (first + rows)] = of_query.ravel()
    return costs


class Grid:
    """The alignments of one pair; close it after use, as a context manager does.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
        m >= 1; its rows add up to at most `TOTAL_BOUND`.
    subject : ndarray, shape=(n,), dtype=uint8
        n >= 1.
    gap_first, gap_extend : int
        Gap costs, ``gap_extend <= gap_first``.
    gaps : PositionGaps, optional
        Costs by position in their place, for which `takes` says so.
    tile : tuple of int, optional
        Query and subject residues of a tile, multiples of 64.
    level : str
        Instruction set; the best without it.

    Raises
    ------
    MemoryError
    """

    def __init__(
        self,
        profile: NDArray[np.int16],
        subject: NDArray[np.uint8],
        gap_first: int,
        gap_extend: int,
        *,
        gaps: PositionGaps | None = None,
        check: Check = lambda: None,
        tile: tuple[int, int] | None = None,
        level: str = "",
    ) -> None:
        pointer, number, wide = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
        sizes = (wide, number, pointer, wide, number, number, pointer, number, number)
        how: Any = {"level": level, "symbols": profile.shape[1]}
        open_it = function("sw_all_open", pointer, pointer, *sizes, _CHECK, **how)
        self._next = function("sw_all_next", pointer, wide, pointer, _CHECK, **how)
        self._runs = function("sw_all_runs", pointer, pointer, **how)
        self._close = function("sw_all_close", pointer, **how)
        self._user_check = check
        self._raised: BaseException | None = None
        self._check = _CHECK(self._ask)
        self._handle = ctypes.c_void_p()
        rows, letters = profile.shape
        scores = np.ascontiguousarray(profile, dtype=np.int16)
        codes = np.ascontiguousarray(subject)
        costs = by_row(gaps)
        place = costs.ctypes.data if costs is not None else None
        arguments = scores.ctypes.data, rows, letters, codes.ctypes.data, len(codes), gap_first, gap_extend, place
        try:
            self._judge(
                open_it(ctypes.byref(self._handle), *arguments, *(tile or tile_of(rows, len(codes))), self._check)
            )
        except BaseException:
            self.close()
            raise

    def next(self, least: int = 1) -> Found | None:
        """Return the best alignment that shares no aligned pair with any returned before.

        Parameters
        ----------
        least : int
            Score below which none is wanted, at least 1.

        Returns
        -------
        tuple or None
            Score, first query and first subject residue (from 0), and runs as (op, length); None if there is none.
        """
        head = np.zeros(4, dtype=np.int64)
        self._judge(self._next(self._handle, least, head.ctypes.data, self._check))
        score, row, column, count = head.tolist()
        if not score:
            return None
        runs = np.empty((count, 2), dtype=np.int64)
        self._runs(self._handle, runs.ctypes.data)
        return score, row, column, [(op, length) for op, length in runs.tolist()]

    def close(self) -> None:
        """Give the memory back."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        self._close(handle)

    def __enter__(self) -> Grid:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def _ask(self) -> int:
        try:
            self._user_check()
        except BaseException as raised:  # an exception cannot pass through C
            self._raised = raised
            return 1
        return 0

    def _judge(self, status: int) -> None:
        if status == _STOPPED and self._raised is not None:
            raised, self._raised = self._raised, None
            raise raised
        if status == _NO_MEMORY:
            raise MemoryError(_NO_ROOM)


def rest_scores(
    profile: NDArray[np.int16],
    spans: NDArray[np.int64],
    subjects: Subjects,
    paths: Paths,
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    threads: int = 0,
    check: Check = lambda: None,
) -> NDArray[np.int32]:
    """Score pairs without the aligned pairs of residues of an alignment of each, on all cores.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
        As for `Grid`; of several queries those of all, concatenated.
    spans : ndarray, shape=(k, 2), dtype=int64
        The first row of each subject's query, and its rows.
    subjects : Subjects
        k of them, none empty.
    paths : Paths
        One alignment of each.
    gaps : PositionGaps, optional
        As for `Grid`; of several queries those of all, concatenated.

    Returns
    -------
    ndarray, shape=(k,), dtype=int32
        The score of the best alignment that shares no aligned pair with the one given.

    Raises
    ------
    MemoryError
    """
    place, number, wide = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
    scores = np.ascontiguousarray(profile, dtype=np.int16)
    kinds = place, place, number, *[place] * 3, wide, *[place] * 4, number, number, *[place] * 3
    call = function("sw_all_rest", *kinds, symbols=scores.shape[1])
    tiles = tiles_of(spans[:, 1], np.ones(len(spans), dtype=np.int64))
    corners = np.stack([paths.regions.query_start, paths.regions.subject_start], axis=1).astype(np.int64)
    best = np.zeros(len(subjects), dtype=np.int32)
    costs, kept = by_row_each(gaps, spans), np.ascontiguousarray(spans)
    by_position = costs.ctypes.data if costs is not None else None

    def work(piece: slice) -> None:
        part, places = subjects.take(piece), np.ascontiguousarray(paths.offsets[piece.start : piece.stop + 1])
        query = *pointers(scores, kept[piece]), scores.shape[1]
        given = *pointers(part.codes, part.starts, part.lengths), len(part)
        runs = pointers(corners[piece], places, paths.ops, paths.lengths)
        if call(*query, *given, *runs, gap_first, gap_extend, by_position, *pointers(tiles[piece], best[piece])):
            raise MemoryError(_NO_ROOM)

    in_pieces(subjects.lengths * spans[:, 1], work, threads=threads, check=check)
    return best
