"""What listing every alignment of a subject costs beside scoring, in seconds of the clock and of all cores.

Genes and reads are cut out of the genome; repeats are aligned with themselves.

    python tests/benchmarks/every_alignment.py ../shared/data
"""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.search.run import run_search
from tests.asking import search_request
from tests.described import describe_hits

GENOME = "dna/GCF_000005845.2_ASM584v2_genomic.fna.gz"
GENES = {  # first and last residue in U00096.3
    "5S, rrfB": (4_171_637, 4_171_756),
    "IS1, insA and insB": (19_797, 20_564),
    "16S, rrsB": (4_166_659, 4_168_200),
    "23S, rrlB": (4_168_641, 4_171_544),
}
REPEATS = {"P20930": "filaggrin", "P08519": "apolipoprotein(a)"}
READS, READ_LENGTH = (10, 100, 1_000), 150


def clock() -> np.ndarray:
    return np.array([time.perf_counter(), time.process_time()])


def measure(name: str, queries: Sequence[SequenceRecord], database: EncodedDatabase, max_evalue: float = 10.0) -> None:
    """Search, list all alignments, and print what it took."""
    protein = database.alphabet is PROTEIN
    matrix = load_matrix("BLOSUM62", PROTEIN) if protein else match_mismatch(NUCLEOTIDE, 2, -3)
    request = search_request(
        queries=tuple(queries),
        database=database,
        scheme=ScoringScheme.from_blast(matrix, *((11, 1) if protein else (5, 2))),
        strand="plus" if protein else "both",
        engine="cpu",
        composition="none",
        max_evalue=max_evalue,
    )
    begin = clock()
    *_, last = run_search(request, threading.Event())
    scored = clock()
    hits = [
        hit
        for index in range(len(queries))
        for hit in describe_hits(last.result, index, range(len(last.result.queries[index].hits)))
    ]
    (search_wall, search_cpu), (list_wall, list_cpu) = scored - begin, clock() - scored
    every = [one for hit in hits for one in hit.hsps]
    sure = sum(one.log10_evalue <= -3 for one in every)
    times = " | ".join(f"{seconds:.2f}" for seconds in (search_wall, search_cpu, list_wall, list_cpu))
    print(f"| {name} | {len(every):,} | {sure:,} | {times} | {1 + list_cpu / search_cpu:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with dna and proteins")
    data = parser.parse_args().data
    genome = next(iter(read_sequences(data / GENOME, NUCLEOTIDE)))
    database = encode_database([genome], NUCLEOTIDE, "K-12")
    for name, (first, last) in GENES.items():
        measure(name, [SequenceRecord(name, "", genome.residues[first - 1 : last])], database)
    starts = np.random.default_rng(1).integers(0, len(genome.residues) - READ_LENGTH, max(READS)).tolist()
    reads = [SequenceRecord(f"read {at}", "", genome.residues[at : at + READ_LENGTH]) for at in starts]
    for number in READS:
        measure(f"{number:,} reads of {READ_LENGTH}", reads[:number], database)
    for record in read_sequences(data / "proteins" / "cudasw_20queries.fasta", PROTEIN):
        for accession, name in REPEATS.items():
            if accession in record.id:
                itself = encode_database([record], PROTEIN, name)
                measure(f"{name}, {len(record.residues):,}, itself", [record], itself, max_evalue=1e-3)


if __name__ == "__main__":
    main()
