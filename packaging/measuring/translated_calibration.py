"""Counts what chance finds in translated searches: hits of E up to 1 and 10 in random DNA, where as many are expected.

    python packaging/measuring/translated_calibration.py PROTEINS.fasta [--program tblastn] [--queries 100]
        [--gc 0.508] [--length 2000] [--bases 1000000] [--composition full] [--frameshift 0] [--seed 5]

Queries of blastx and tblastx are random DNA of 1,500 bases, the database of blastx are the proteins.
"""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.limits import Limits
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.translation.programs import PROGRAMS, Translation
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.events import Finished, finishing
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps

QUERY_BASES = 1_500


def main() -> None:
    """Search and count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("proteins", type=Path)
    parser.add_argument("--program", default="tblastn", choices=("blastx", "tblastn", "tblastx"))
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--gc", type=float, default=0.508, help="share of G and C; that of E. coli by default")
    parser.add_argument("--length", type=int, default=2_000, help="bases of a subject")
    parser.add_argument("--bases", type=int, default=1_000_000, help="of the database")
    parser.add_argument("--composition", default="full", choices=("none", "lambda", "full"))
    parser.add_argument("--frameshift", type=int, default=0, help="cost of a frameshift; 0 for none")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    rng, program = np.random.default_rng(options.seed), PROGRAMS[options.program]
    shares = np.array([1 - options.gc, options.gc, options.gc, 1 - options.gc]) / 2

    def dna(name: str, length: int) -> SequenceRecord:
        return SequenceRecord(name, "", NUCLEOTIDE.decode(rng.choice(4, length, p=shares).astype(np.uint8)))

    proteins = [one for one in read_sequences(options.proteins) if 100 <= len(one.residues) <= 700]
    chosen = [proteins[at] for at in rng.permutation(len(proteins))[: options.queries]]
    queries = [dna(f"q{at}", QUERY_BASES) for at in range(options.queries)] if program.translates_query else chosen
    subjects = [dna(f"s{at}", options.length) for at in range(options.bases // options.length)]
    database = (subjects, NUCLEOTIDE) if program.translates_database else (proteins, PROTEIN)
    request = SearchRequest(
        queries=tuple(queries),
        database=encode_database(*database, "chance"),
        search=Search(
            scheme=ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1),
            translation=Translation(options.program, shift=options.frameshift),
            limits=Limits(top=5_000),
            composition=options.composition,
            engine="cpu",
        ),
    )
    for event in finishing(search_steps(request, threading.Event())):
        if isinstance(event, Finished):
            found = [query.hits.log10_evalues for query in event.outcome.queries]
            for limit in (1, 10):
                mean = np.mean([(of_query <= np.log10(limit)).sum() for of_query in found])
                print(f"{options.program}, G+C {options.gc}: {mean:.2f} hits a query of E up to {limit}")


if __name__ == "__main__":
    main()
