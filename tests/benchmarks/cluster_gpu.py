"""Time several GPU workers of the cluster engine against one, on one computer.

    python -m tests.benchmarks.cluster_gpu [--devices 0,1] [--times 4] [--rounds 3] [--data FOLDER]

The 20 queries of CUDASW++ against the proteomes of 16 species, taken `--times` times so that the job is long
enough. One worker process per GPU; the same processes serve both searches, the single worker being chosen by
name. Each contender searches once cold (its shards are sent, its kernels compiled) and then in turns. Every
score of all workers must be that of one; the first round also compares with the cuda engine without a cluster.
The line to look at is the last: how many times as fast all workers are as one (two should reach 1.8).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from contextlib import closing
from pathlib import Path

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import registry
from swgui.engines.cluster import engine as cluster
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from tests.benchmarks.cluster_cpu import DATA, search, wait_for
from tests.engines.cluster.processes import Processes


def read_database(folder: Path, times: int) -> EncodedDatabase:
    """Return the proteomes, several times over."""
    records = list(read_sequences(folder / "uniprot_16proteomes.fasta.gz", PROTEIN))
    return encode_database(
        (
            SequenceRecord(f"{record.id}/{number}", record.description, record.residues)
            for number in range(times)
            for record in records
        ),
        PROTEIN,
    )


def main() -> None:
    """Print one line per round and the median ratio."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", default="0,1")
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shard-residues", default=str(1 << 24))
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    devices = options.devices.split(",")
    folder = options.data / "proteins"
    database = read_database(folder, options.times)
    records = read_sequences(folder / "cudasw_20queries.fasta", PROTEIN)
    queries = [EncodedQuery(record.id, PROTEIN.encode(record.residues)) for record in records]
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    cells = sum(map(len, queries)) * database.residues
    print(f"{len(queries)} queries, {len(database)} subjects, {database.residues} residues, {cells:.4g} cells")
    with closing(registry.make_engine("cuda", EngineOptions(devices=(devices[0],)))) as local:
        search(local, queries, database, scheme)
        seconds, expected = search(local, queries, database, scheme)
        print(f"cuda engine, one card, no cluster: {seconds:.2f} s, {cells / seconds / 1e9:.0f} GCUPS", flush=True)
    with tempfile.TemporaryDirectory() as home, closing(Processes(Path(home))) as processes:
        for device in devices:
            processes.worker(f"gpu-{device}", ["--engine", "cuda", "--device", device])
        settings = {"scheduler": processes.address, "shard-residues": options.shard_residues}
        with closing(cluster.create(EngineOptions(settings=settings))) as many:
            wait_for(many, len(devices))
            chosen = EngineOptions(devices=(f"gpu-{devices[0]}",), settings=settings)
            with closing(cluster.create(chosen)) as one:
                print("round    one s    all s    one/all    GCUPS of all")
                ratios = []
                for number in range(options.rounds + 1):
                    alone, single = search(one, queries, database, scheme)
                    together, scores = search(many, queries, database, scheme)
                    assert (single == expected).all(), "one worker differs"
                    assert (scores == expected).all(), "all workers differ"
                    name = str(number) if number else "cold"
                    speed = cells / together / 1e9
                    print(f"{name:5s} {alone:8.2f} {together:8.2f} {alone / together:10.3f} {speed:15.0f}", flush=True)
                    if number:
                        ratios.append(alone / together)
                if ratios:
                    print(f"median {statistics.median(ratios):26.3f}")


if __name__ == "__main__":
    main()
