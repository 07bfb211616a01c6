"""The scanners on the CPU (``kernels/cpu/rules.c``), and exact fits."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.rules.base import Limits
from swgui.engines import host
from swgui.engines.native import library
from swgui.engines.native.stopping import stop_flag
from swgui.engines.native.subjects import in_parallel, in_pieces
from swgui.engines.rules.scanner import Hits, Patterns, joined

ROOM: Final = 1 << 16  # hits of a call
PIECE_STEPS: Final = 2_000_000_000  # residues times queries of a piece of work: a tenth of a second of one core
PIECE_CELLS: Final = 200_000_000
IDENTITY_STEPS: Final = 30  # cells of a score that take as long as a cell of `best_identities`
FIT_STEPS: Final = 10  # and those of a cell of `fits`
_FINE, _FULL, _NO_MEMORY = 0, 1, 2
_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_Flag = NDArray[np.int32]
FIT: Final = np.dtype(
    [("start", "i8"), ("end", "i8"), ("mismatches", "i4"), ("insertions", "i4"), ("deletions", "i4"), ("", "i4")]
)


class _Queries(ctypes.Structure):
    _fields_ = (("codes", _POINTER), ("begins", _POINTER), ("count", _LONG), ("masks", _POINTER))


class _Hits(ctypes.Structure):
    _fields_ = (
        ("room", _LONG),
        ("found", _LONG),
        ("query", _POINTER),
        ("position", _POINTER),
        ("differences", _POINTER),
    )


class _Limits(ctypes.Structure):
    _fields_ = tuple((name, _INT) for name in (*Limits._fields, "matching_ends"))


class HostScanner:
    """The scanners in compiled code, on several threads.

    Parameters
    ----------
    level : str
        Instruction set; the best without it.

    Raises
    ------
    EngineUnavailable
        If there is no compiled library.
    """

    def __init__(self, threads: int = 0, level: str = "") -> None:
        self._threads = threads or host.usable_cores()
        self._level = level
        pointers = [_POINTER] * 3
        self._mismatches = library.function("rule_mismatches", _POINTER, _LONG, _POINTER, _INT, *pointers, level=level)
        self._ends = library.function(
            "rule_ends", _POINTER, _LONG, _LONG, _POINTER, _INT, _POINTER, *pointers, level=level
        )
        self._scores = library.function(
            "rule_scores",
            *(_POINTER, _POINTER, _POINTER, _LONG, _POINTER, _LONG, *[_POINTER] * 5),
            level=level,
        )

    def mismatches(self, text: NDArray[np.uint8], queries: Patterns, most: int, check: Check) -> Hits:
        """Return every window that differs from a query in at most so many residues."""
        overlap = queries.longest - 1

        def work(first: int, last: int, stop: _Flag) -> Hits:
            part = text[first : last + overlap]
            hits = _called(
                lambda given, hits, cursor: self._mismatches(
                    part.ctypes.data, len(part), given, most, hits, cursor, stop.ctypes.data
                ),
                queries,
                stop,
            )
            inside = hits.position < last - first
            return Hits(hits.query[inside], hits.position[inside] + first, hits.differences[inside])

        return self._in_pieces(len(text), PIECE_STEPS // max(len(queries), 1), work, check)

    def ends(
        self, text: NDArray[np.uint8], queries: Patterns, most: int, allowed: NDArray[np.uint8] | None, check: Check
    ) -> Hits:
        """Return every end position at which a query may fit with so many differences."""

        def work(first: int, last: int, stop: _Flag) -> Hits:
            mark = None if allowed is None else allowed.ctypes.data
            return _called(
                lambda given, hits, cursor: self._ends(
                    text.ctypes.data, last, first, given, most, mark, hits, cursor, stop.ctypes.data
                ),
                queries,
                stop,
            )

        return self._in_pieces(len(text), PIECE_STEPS // 20 // max(len(queries), 1), work, check)

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
        starts, ends = (np.ascontiguousarray(border, np.int64) for border in ranges)
        up, down = (np.ascontiguousarray(weights, np.int32) for weights in (up, down))
        count = len(starts)
        out = np.empty((len(queries), count), np.int32)
        cells = int((ends - starts).sum()) * queries.longest
        parts = max(1, min(count // 32, -(-cells // PIECE_CELLS)))
        borders = [count * part // parts for part in range(parts + 1)]

        def work(piece: tuple[int, int, int], stop: _Flag) -> None:
            query, first, last = piece
            codes = np.ascontiguousarray(queries[query])
            state = self._scores(
                *(text.ctypes.data, starts[first:].ctypes.data, ends[first:].ctypes.data, last - first),
                *(
                    codes.ctypes.data,
                    len(codes),
                    queries.masks.ctypes.data,
                    up[first:].ctypes.data,
                    down[first:].ctypes.data,
                ),
                *(out[query, first:].ctypes.data, stop.ctypes.data),
            )
            if state == _NO_MEMORY:
                raise MemoryError("There is no memory for a column of scores.")

        pieces = [(q, a, b) for q in range(len(queries)) for a, b in pairwise(borders) if a < b]
        with stop_flag(check) as stop:
            in_parallel(pieces, partial(work, stop=stop), threads=self._threads, check=check)
        return out

    def _in_pieces(self, size: int, piece: int, work: Callable[[int, int, _Flag], Hits], check: Check) -> Hits:
        """Scan a text in pieces on several threads; `work` is given a range of positions and a flag."""
        piece = max(1 << 16, min(piece, -(-size // self._threads)))
        hits_of: dict[int, Hits] = {}
        with stop_flag(check) as stop:

            def scan(first: int) -> None:
                hits_of[first] = work(first, min(first + piece, size), stop)

            in_parallel(list(range(0, size, piece)), scan, threads=self._threads, check=check)
        return joined([hits_of[first] for first in sorted(hits_of)])


def _called(scan: Callable[[Any, Any, Any], int], queries: Patterns, stop: _Flag) -> Hits:
    """Call a scanner until it has given all its hits, or is stopped."""
    given = _given(queries)
    cursor = np.zeros(3, np.int64)
    parts = []
    while True:
        part = Hits(np.empty(ROOM, np.int32), np.empty(ROOM, np.int64), np.empty(ROOM, np.uint8))
        hits = _Hits(ROOM, 0, part.query.ctypes.data, part.position.ctypes.data, part.differences.ctypes.data)
        state = scan(ctypes.byref(given), ctypes.byref(hits), cursor.ctypes.data)
        if state == _NO_MEMORY:
            raise MemoryError("There is no memory for the planes of a scan.")
        parts.append(part.take(np.arange(hits.found)))
        if state != _FULL or stop[0]:
            return joined(parts)


def fits(
    text: NDArray[np.uint8],
    queries: Patterns,
    candidates: Hits,
    origins: NDArray[np.int64],
    limits: Limits,
    *,
    matching_ends: bool = False,
    check: Check = lambda: None,
) -> NDArray[np.void]:
    """Return the best fit of each candidate that `Scanner.ends` lists.

    That is the one with the fewest differences, then the fewest gap positions, then the leftmost start.

    Parameters
    ----------
    origins : ndarray, shape=(k,), dtype=int64
        Where the subject of each candidate begins in the text.

    Returns
    -------
    ndarray, shape=(k,), dtype=FIT
        Positions are those of the text; ``start`` is -1 where no fit keeps the limits.
    """
    out = np.zeros(len(candidates), FIT)
    call = library.function("rule_fits", *[_POINTER] * 3, _LONG, *[_POINTER] * 4)
    query, ends = np.ascontiguousarray(candidates.query), np.ascontiguousarray(candidates.position)
    origins = np.ascontiguousarray(origins)
    most, insertions = limits.differences, limits.insertions
    kinds = (min(most, insertions) + 1) * (min(most, limits.deletions) + 1)
    sizes = np.diff(queries.begins)[query]
    cells = sizes * (sizes + insertions + 1) * kinds * FIT_STEPS

    def work(part: slice) -> None:
        given = (query[part].ctypes.data, ends[part].ctypes.data, origins[part].ctypes.data, out[part].ctypes.data)
        count = part.stop - part.start
        state = call(
            *(text.ctypes.data, ctypes.byref(_given(queries)), ctypes.byref(_Limits(*limits, matching_ends)), count),
            *given,
        )
        if state == _NO_MEMORY:
            raise MemoryError("There is no memory for the cells of a fit.")

    in_pieces(cells, work, check=check)
    return out


def best_identities(
    text: NDArray[np.uint8],
    queries: Patterns,
    pairs: NDArray[np.int32],
    ranges: NDArray[np.int64],
    up: int,
    down: int,
    *,
    once: bool = False,
    columns: int = 0,
    check: Check = lambda: None,
) -> NDArray[np.void]:
    """Return for pairs of a query and a subject the fit of the whole query with the largest identity.

    Among equal ones the one with the fewest gap positions, then the leftmost.

    Parameters
    ----------
    pairs : ndarray, shape=(k,), dtype=int32
        Query of each.
    ranges : ndarray, shape=(2, k), dtype=int64
        Begin and end of each subject in the text.
    up, down : int
        What a match gains and every other column costs, to begin with: of a smaller identity than any of the pairs.
    once : bool
        Return the best alignments by these scores instead.
    columns : int
        Smallest denominator of identities; above 0, only those above the one of the scores are exact.

    Returns
    -------
    ndarray, shape=(k,), dtype=FIT
    """
    out = np.zeros(len(pairs), FIT)
    out["start"] = -1
    types = *[_POINTER] * 2, _LONG, *[_POINTER] * 2, _LONG, _LONG
    call = library.function("rule_identities", *types, _INT, *[_POINTER] * 2)
    if columns:
        call = library.function("rule_short_windows", *types, _LONG, *[_POINTER] * 2)
    pairs, ranges = np.ascontiguousarray(pairs, np.int32), np.ascontiguousarray(ranges, np.int64)
    cells = np.diff(queries.begins)[pairs] * (ranges[1] - ranges[0]) * IDENTITY_STEPS

    def work(part: slice, stop: _Flag) -> None:
        some, borders, fitted = pairs[part], np.ascontiguousarray(ranges[:, part]), out[part]
        state = call(
            *(text.ctypes.data, ctypes.byref(_given(queries)), len(some), some.ctypes.data, borders.ctypes.data),
            *(up, down, columns or once, fitted.ctypes.data, stop.ctypes.data),
        )
        if state == _NO_MEMORY:
            raise MemoryError("There is no memory for the cells of an alignment.")

    with stop_flag(check) as stop:
        in_pieces(cells, partial(work, stop=stop), check=check)
    return out


def fit_columns(
    query: NDArray[np.uint8],
    part: NDArray[np.uint8],
    masks: NDArray[np.uint32],
    insertions: int,
    deletions: int,
    weights: tuple[int, int] | None = None,
) -> str:
    """Return the columns of a fit: ``=`` match, ``X`` mismatch, ``I`` insertion, ``D`` deletion.

    Parameters
    ----------
    query, part : ndarray, dtype=uint8
        The residues that are aligned, of the query and of the subject.
    masks : ndarray, shape=(32,), dtype=uint32
    insertions, deletions : int
        Numbers of the fit.
    weights : tuple of int, optional
        What a match gains and every other column costs, where no alignment of these residues is better by that, or as
        good with fewer gap positions. Memory then grows with the number of gap positions, not with its square.
    """
    room = ctypes.create_string_buffer(len(query) + insertions + 1)
    name, costs = ("rule_best_columns", weights) if weights else ("rule_columns", ())
    given = _POINTER, _LONG, _POINTER, _LONG, _POINTER, _INT, _INT, *[_LONG] * len(costs), ctypes.c_char_p
    part, query = np.ascontiguousarray(part), np.ascontiguousarray(query)
    residues = part.ctypes.data, len(part), query.ctypes.data, len(query), masks.ctypes.data
    state = library.function(name, *given)(*residues, insertions, deletions, *costs, room)
    if state != _FINE:
        raise MemoryError("There is no memory for the columns of an alignment.")
    return room.value[::-1].decode()


def _given(queries: Patterns) -> _Queries:
    return _Queries(queries.codes.ctypes.data, queries.begins.ctypes.data, len(queries), queries.masks.ctypes.data)
