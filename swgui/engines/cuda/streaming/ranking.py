"""The best subjects of a scan, found on the device."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.scores import TopHits
from swgui.engines.cuda.scans import Slot

BINS: Final = 8192  # scores from 8191 on are not told apart until they are on the host
THREADS: Final = 256  # of a block that ranks
CAPACITY: Final = 1 << 16  # subjects that a ranking may find
_DEFINES: Final = (f"-DRANK_BINS={BINS}",)


def launch_ranking(slot: Slot, scores: Any, subjects: int, wanted: int) -> None:
    """Enqueue the search for the subjects that reach the score of the `wanted`-th best one.

    Parameters
    ----------
    scores : device array, dtype=int32
        At least `subjects` scores, storage order.
    """
    gpu, stream = slot.gpu, slot.stream
    histogram = slot.device("histogram", BINS, np.int32)
    state = slot.device("rank state", 2, np.int32)
    best = slot.device("rank best", 2 * CAPACITY, np.int32)
    gpu.clear(histogram, stream)
    gpu.clear(state, stream)
    count = gpu.kernel("ranking.cu", "count_scores", _DEFINES, 4 * BINS)
    find = gpu.kernel("ranking.cu", "find_threshold", _DEFINES, 4 * THREADS)
    collect = gpu.kernel("ranking.cu", "collect_scores", _DEFINES)
    grid = max(1, min(2 * gpu.multiprocessors, -(-subjects // THREADS)))
    with stream:
        count((grid,), (THREADS,), (scores, np.int32(subjects), histogram), shared_mem=4 * BINS)
        find((1,), (THREADS,), (histogram, np.int32(min(wanted, subjects)), state), shared_mem=4 * THREADS)
        collect((grid,), (THREADS,), (scores, np.int32(subjects), np.int32(CAPACITY), state, best))


def fetch_best(slot: Slot, head: int = 256) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """Return storage positions and scores of the subjects found, in no order; waits for them.

    Parameters
    ----------
    head : int
        Entries fetched together with their number; more take a second transfer.

    Returns
    -------
    tuple of ndarrays, or None
        None if so many subjects share the last score that they were not all kept.
    """
    gpu, stream = slot.gpu, slot.stream
    state = slot.host("rank state", 2, np.int32)
    best = slot.host("rank best", 2 * CAPACITY, np.int32)
    gpu.download(state, slot.device("rank state", 2, np.int32), stream)
    gpu.download(best[: 2 * head], slot.device("rank best", 2 * CAPACITY, np.int32), stream)
    stream.synchronize()
    count = int(state[1])
    if count > CAPACITY:
        return None
    if count > head:
        gpu.download(best[: 2 * count], slot.device("rank best", 2 * CAPACITY, np.int32), stream)
        stream.synchronize()
    rows = best[: 2 * count].reshape(-1, 2)
    return rows[:, 0].astype(np.int64), rows[:, 1].copy()


def best_hits(slot: Slot, scores: Any, subjects: int, limit: int, order: NDArray[np.int64]) -> TopHits:
    """Return the subjects that `launch_ranking` found, ranked; all are ranked here if too many share the last score.

    Parameters
    ----------
    scores : device array, dtype=int32
        At least `subjects` scores, storage order.
    order : ndarray, shape=(N,), dtype=int64
        Source index of each storage position.
    """
    best = fetch_best(slot)
    if best is None:
        best = np.arange(subjects, dtype=np.int64), scores[:subjects].get(slot.stream)
    hits = TopHits(limit)
    hits.update(best[1], order[best[0]])
    return hits
