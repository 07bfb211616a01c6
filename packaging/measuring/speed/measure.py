"""How one search is timed."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from swgui.core.database import EncodedDatabase
from swgui.core.hits.scores import TopHits
from swgui.core.packing import plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import Engine
from swgui.engines.cuda.engine import CudaEngine

TOP = 10


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line of a benchmark.

    Parameters
    ----------
    job : str
        Which benchmark it belongs to.
    label : str
        What was measured, for example a query's name.
    length : int
        Residues of the query, or of all of them.
    cells : int
        Query residues x database residues; padding does not count.
    seconds : float
        From queries on the host to ranked hits on the host, median.
    kernel_seconds : float
        Time the kernels took in the median run; 0 where it was not taken apart.
    """

    job: str
    label: str
    length: int
    cells: int
    seconds: float
    kernel_seconds: float = 0.0

    @property
    def gcups(self) -> float:
        """10^9 cells per second of the whole scan."""
        return self.cells / self.seconds / 1e9

    @property
    def kernel_gcups(self) -> float:
        """10^9 cells per second of the kernels; 0 where they were not timed."""
        return self.cells / self.kernel_seconds / 1e9 if self.kernel_seconds else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return everything, figures included."""
        return {**asdict(self), "gcups": self.gcups, "kernel_gcups": self.kernel_gcups}


def whole_scan(
    job: str, query: EncodedQuery, database: EncodedDatabase, scheme: ScoringScheme, engine: CudaEngine, repeats: int
) -> Measurement:
    """Time a query against a resident database: query on the host to ranked top 10 on the host."""
    engine.best(query, database, scheme, TOP)  # compiles, and brings the database to the device
    runs = []
    for _ in range(repeats):
        began = time.perf_counter()
        found = engine.best(query, database, scheme, TOP)
        seconds = time.perf_counter() - began
        if found is None:
            raise RuntimeError("The database does not fit the device's memory.")
        runs.append((seconds, found[1] / 1000))
    seconds, kernel_seconds = sorted(runs)[len(runs) // 2]
    return Measurement(job, query.id, len(query), len(query) * database.residues, seconds, kernel_seconds)


def all_scores(
    job: str,
    label: str,
    queries: Sequence[EncodedQuery],
    database: EncodedDatabase,
    scheme: ScoringScheme,
    engine: Engine,
    repeats: int,
) -> Measurement:
    """Time queries through the engine's protocol: every score to the host, ranked there."""
    plans = plan_chunks(database.offsets, engine.chunk_limits(queries, database))
    runs = []
    for _ in range(repeats + 1):
        began = time.perf_counter()
        top = [TopHits(TOP) for _ in queries]
        for chunk in engine.score(queries, database, plans, scheme, threading.Event()):
            top[chunk.query_index].update(chunk.scores, chunk.db_index)
        runs.append(time.perf_counter() - began)
    length = sum(len(query) for query in queries)
    return Measurement(job, label, length, length * database.residues, statistics.median(runs[1:]))
