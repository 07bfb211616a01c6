"""Time single-core workers of the cluster engine against the cpu engine with as many threads.

    python -m tests.benchmarks.cluster_cpu [--workers 2] [--rounds 5] [--queries 20] [--times 2] [--data FOLDER]

The 20 queries of CUDASW++, each `--times` times, against the reviewed proteins of 16 species. Scheduler, workers
and client are processes of this computer; the client and the scheduler thus use the same cores.
The two contenders take turns, so that a busy computer slows both alike; the result is the median over the rounds
of the ratio within one round. The first search of each is cold: the cluster's sends the database to the workers.
Every score must be the same. Next to the wall time the CPU time is given: on a
computer with other work the ratio of the latter is the one to trust.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.packing import plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import cpu
from swgui.engines.base import Engine
from swgui.engines.cluster import engine as cluster
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from tests.engines.cluster.processes import Processes

DATA = Path(os.environ.get("SWGUI_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


def search(
    engine: Engine, queries: list[EncodedQuery], database: EncodedDatabase, scheme: ScoringScheme
) -> tuple[float, NDArray[np.int32]]:
    """Return seconds and scores."""
    began = time.perf_counter()
    plans = plan_chunks(database.offsets, engine.chunk_limits(queries, database))
    scores = np.full((len(queries), len(database)), -1, dtype=np.int32)
    for part in engine.score(queries, database, plans, scheme, threading.Event()):
        scores[part.query_index, part.db_index] = part.scores
    return time.perf_counter() - began, scores


def processor_seconds(processes: Processes) -> float:
    """Return the seconds used so far by this process and those of the cluster."""
    used = time.process_time()
    ticks = os.sysconf("SC_CLK_TCK")
    for process in processes.all:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        used += (int(fields[11]) + int(fields[12])) / ticks
    return used


def wait_for(engine: cluster.ClusterEngine, workers: int) -> None:
    """Wait until the scheduler knows all workers."""
    while len(engine.devices) < workers:
        time.sleep(0.1)
        engine.refresh()


def main() -> None:
    """Print one line per round and the median."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--times", type=int, default=2, help="how often every query is searched")
    parser.add_argument("--unit-seconds", default="2")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    folder = options.data / "proteins"
    database = encode_database(read_sequences(folder / "swissprot_16species.fasta.gz", PROTEIN), PROTEIN)
    records = list(read_sequences(folder / "cudasw_20queries.fasta", PROTEIN))[-options.queries :]
    queries = [EncodedQuery(record.id, PROTEIN.encode(record.residues)) for record in records] * options.times
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    cells = sum(map(len, queries)) * database.residues
    with tempfile.TemporaryDirectory() as home, closing(Processes(Path(home))) as processes:
        for number in range(options.workers):
            processes.worker(f"worker-{number}")
        settings = {"scheduler": processes.address, "unit-seconds": options.unit_seconds}
        with (
            closing(cluster.create(EngineOptions(settings=settings))) as many,
            closing(cpu.create(EngineOptions(threads=options.workers))) as one,
        ):
            wait_for(many, options.workers)
            print(f"{len(queries)} queries, {cells:.3g} cells, {options.workers} workers or threads")
            print("round    cpu s  cluster s   cpu/cluster  processor time cpu/cluster")
            ratios, efforts = [], []
            for number in range(options.rounds + 1):
                at = processor_seconds(processes)
                alone, expected = search(one, queries, database, scheme)
                middle = processor_seconds(processes)
                together, scores = search(many, queries, database, scheme)
                effort = (middle - at) / (processor_seconds(processes) - middle)
                assert (scores == expected).all(), "the scores differ"
                name = str(number) if number else "cold"
                print(f"{name:5s} {alone:8.1f} {together:10.1f} {alone / together:13.3f} {effort:13.3f}", flush=True)
                if number:
                    ratios.append(alone / together)
                    efforts.append(effort)
            if ratios:
                print(f"median                    {statistics.median(ratios):13.3f} {statistics.median(efforts):13.3f}")


if __name__ == "__main__":
    main()
