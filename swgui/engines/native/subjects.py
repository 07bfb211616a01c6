"""Distribution of subjects among threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.hits.scores import distinct
from swgui.engines import host

T = TypeVar("T")

PIECE_CELLS: Final = 20_000_000  # a few milliseconds of one core: how long a Stop may go unseen
LANES_CELLS: Final = 500_000_000  # the same where lanes of bytes are full
PIECES_PER_THREAD: Final = 4
ALONE: Final = 8  # subjects that one thread takes one after the other rather than side by side
SIDE: Final = 32  # subjects that may be scored side by side
WORTH_SHARING: Final = 8  # pieces from which on background work is shared among threads


def in_pieces(
    cells: NDArray[np.int64],
    work: Callable[[slice], None],
    *,
    threads: int = 0,
    check: Check = lambda: None,
) -> None:
    """Do a piece of work for consecutive stretches of a list, on several threads.

    Parameters
    ----------
    cells : ndarray, shape=(k,)
        What each entry costs.
    work : callable
        Takes a slice of the list; writes its results to places that no other thread writes.
    threads : int
        0 for all cores. Below 0 so many, but only for long calls: for work in the background of other work, which keeps
        the cores busy anyway.
    check : callable
        Called in this thread after each piece; may raise to give up, which waits for the pieces under way.
    """
    if threads < 0 and int(cells.sum()) < WORTH_SHARING * PIECE_CELLS:
        threads = 1
    in_parallel(cut_long(cells, abs(threads) or host.usable_cores()), work, threads=threads, check=check)


def in_parallel(
    pieces: Sequence[T],
    work: Callable[[T], None],
    *,
    threads: int = 0,
    check: Check = lambda: None,
) -> None:
    """Do work for each of some pieces; as `in_pieces` otherwise."""
    threads = abs(threads) or host.usable_cores()
    if len(pieces) < 2 or threads < 2:
        for piece in pieces:
            work(piece)
            check()
        return
    futures = [_pool(threads).submit(work, piece) for piece in pieces]
    try:
        for future in futures:
            future.result()
            check()
    finally:
        for future in [future for future in futures if not future.cancel()]:  # none begins while one is waited for
            future.exception()


def dealt_out(order: NDArray[np.int64], cells: int, threads: int, lanes: int = 1) -> list[NDArray[np.int64]]:
    """Deal out subjects, longest first, to pieces that are alike and keep that order, none longer than a Stop may wait.

    Parameters
    ----------
    order : ndarray, shape=(k,)
    cells : int
        What all of them cost.
    threads : int
        As for `in_pieces`.
    lanes : int
        Subjects that cost as much as one, where the call always takes so many side by side: pieces have as many, and
        the call itself looks for a Stop.
    """
    if not len(order):
        return []
    most = 1 if threads < 0 and cells < 2 * LANES_CELLS else abs(threads) or host.usable_cores()
    few = len(order) if len(order) <= most * ALONE else -(-len(order) // SIDE)
    number = min(max(min(most, few), cells // LANES_CELLS), -(-len(order) // lanes))
    return [np.ascontiguousarray(order[first::number]) for first in range(number)]


def cut_long(cells: NDArray[np.int64], threads: int) -> Sequence[slice]:
    """Return slices of about equal cost; `cells` has the cost of each item, shape (n,)."""
    if not len(cells):
        return []
    sums = np.cumsum(np.maximum(cells, 1))
    total = int(sums[-1])
    few = min(PIECES_PER_THREAD * threads, max(threads, len(cells) // SIDE), total // (PIECE_CELLS // 16))
    wanted = max(few, total // PIECE_CELLS, 1)
    if wanted == 1:
        return [slice(0, len(cells))]
    ends = np.searchsorted(sums, np.linspace(0, total, wanted + 1)[1:]) + 1
    ends = distinct(np.minimum(ends, len(cells)))
    return [slice(int(a), int(b)) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


@lru_cache(maxsize=4)
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=threads, thread_name_prefix="swgui-native")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # the threads are not in the new process
