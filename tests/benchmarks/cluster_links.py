"""Measure what a cluster can carry, with one worker and a scheduler on this computer.

    python -m tests.benchmarks.cluster_links [--seconds 5]

Three figures for the model in docs/howto/cluster.md: how many messages a second client, scheduler and worker can
exchange if there is nothing to compute; how many bytes a second of shards reach a worker; and how many scores
a second come back (the worker's own handling of them included). All three go through the scheduler. On the
loopback this is the programs' own limit; a network can only be slower.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import ArrayDatabase, TextColumn
from swgui.core.engines import EngineOptions
from swgui.core.packing import plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cluster import engine as cluster
from swgui.engines.cluster import tasks
from swgui.io.matrices import load_matrix
from tests.engines.cluster.processes import Processes


def even_database(subjects: int, length: int) -> ArrayDatabase:
    """Return subjects of one length, of the letter A."""
    nothing = TextColumn(np.zeros(0, dtype=np.uint8), np.zeros(subjects + 1, dtype=np.int64))
    offsets = np.arange(subjects + 1, dtype=np.int64) * length
    codes = np.zeros(subjects * length, dtype=np.uint8)
    order = np.arange(subjects, dtype=np.int64)
    return ArrayDatabase("even", PROTEIN, codes, offsets, order, nothing, nothing, f"{time.time_ns():032x}")


def search(engine: cluster.ClusterEngine, database: ArrayDatabase, queries: list[EncodedQuery]) -> float:
    """Return seconds."""
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    plans = plan_chunks(database.offsets, engine.chunk_limits(queries, database))
    began = time.perf_counter()
    for _ in engine.score(queries, database, plans, scheme, threading.Event()):
        pass
    return time.perf_counter() - began


def exchange(engine: cluster.ClusterEngine, seconds: float) -> float:
    """Ask the worker its version for a while, with as many questions under way; return answers per second."""
    session = engine.session
    (address,) = session.members
    answers = 0

    async def ask() -> None:
        nonlocal answers
        while time.perf_counter() < end:
            await session.ask(address, tasks.worker_version)
            answers += 1

    async def ask_all() -> None:
        await asyncio.gather(*(ask() for _ in range(32)))

    end = time.perf_counter() + seconds
    session.call(ask_all())
    return answers / seconds


def main() -> None:
    """Print the three figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    empty = EncodedQuery("empty", np.zeros(0, dtype=np.uint8))
    with tempfile.TemporaryDirectory() as home, closing(Processes(Path(home))) as processes:
        processes.worker("only")
        with closing(cluster.create(EngineOptions(settings={"scheduler": processes.address}))) as engine:
            print(f"exchanges: {exchange(engine, options.seconds):.0f} per second")
            large = even_database(2_000, 1 << 18)
            sent = search(engine, large, [empty]) - search(engine, large, [empty])
            print(f"shards: {large.residues / 1e6:.0f} MB in {sent:.2f} s, {large.residues / sent / 1e6:.0f} MB/s")
            short = even_database(200_000, 10)
            search(engine, short, [empty])
            scores = 500 * len(short)
            seconds = search(engine, short, [empty] * 500)
            print(f"scores: {scores / 1e6:.0f} million in {seconds:.2f} s, {scores / seconds / 1e6:.0f} million/s")


if __name__ == "__main__":
    main()
