#!/usr/bin/env python3
"""Looks for every protein of an organism in its own genome with tblastn, and says how it stands there.

    python packaging/measuring/translated_genes.py PROTEINS.fasta GENOME.fna [--take OX=83333] [--engine auto]

Prints how many stand there whole, with which difference, in part or not at all, and a line for each of the rest.
"""

from __future__ import annotations

import argparse
import resource
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.hits.limits import Limits
from swgui.core.hits.table import Hit
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.translation.programs import Translation
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.events import Finished
from swgui.jobs.search.describe import describe
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import run_search

WHOLE, START, SELENO, NEARLY, PART, NONE = (
    "whole, 100 % identity",
    "whole but for the first residue, an alternative start codon",
    "whole but for selenocysteine",
    "whole, other residues differ",
    "in part, or with gaps",
    "not within the limit of E",
)


def kind_of(hit: Hit) -> str:
    """Return how a protein stands in the genome."""
    if hit.alignment is None or hit.counts is None:
        return NONE
    length, counts, first = len(hit.query), hit.counts, hit.alignment.query_start
    if counts.gaps or counts.query_span < length - 1 or (counts.query_span < length and first != 1):
        return PART
    differ = counts.mismatch
    if not differ:
        return WHOLE if counts.query_span == length else START
    residues = hit.query_record.residues[first : hit.alignment.query_end]
    other = hit.subject_stretch(hit.alignment.subject_start, hit.alignment.subject_end)
    pairs = [(a, b) for a, b in zip(residues.upper(), other, strict=True) if a != b]
    if all(pair == (ord("U"), ord("*")) for pair in pairs):
        return SELENO
    return START if first == 0 and len(pairs) == 1 and residues[0] != other[0] else NEARLY


def main() -> None:
    """Search, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("proteins", type=Path)
    parser.add_argument("genome", type=Path)
    parser.add_argument("--take", default="", help="only proteins with this text in their header")
    parser.add_argument("--every", type=int, default=1, help="only every n-th of them")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--code", type=int, default=11)
    parser.add_argument("--evalue", type=float, default=1e-3)
    parser.add_argument("--max-hsps", type=int, default=1, help="alignments of a subject at most")
    given = parser.parse_args()
    queries = [one for one in read_sequences(given.proteins) if given.take in f"{one.id} {one.description}"]
    queries = queries[:: given.every]
    began = time.perf_counter()
    request = SearchRequest(
        queries=tuple(queries),
        database=encode_database(list(read_sequences(given.genome)), NUCLEOTIDE, given.genome.name),
        search=Search(
            scheme=ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1),
            translation=Translation("tblastn", subject_code=given.code),
            limits=Limits(top=1, max_evalue=given.evalue),
            max_hsps=given.max_hsps,
            engine=given.engine,
        ),
    )
    (result,) = [event.outcome for event in run_search(request, threading.Event()) if isinstance(event, Finished)]
    searched = time.perf_counter()
    rows = [list(range(min(1, len(query.hits)))) for query in result.queries]
    found: dict[str, list[str]] = defaultdict(list)
    missing = {query.id: len(query.residues) for query in queries}
    for hit in describe([(result.hit_list(at), some) for at, some in enumerate(rows)]):
        said = f", {hit.counts.pident:.1f} %, {hit.query_coverage:.1f} % covered" if hit.counts else ""
        found[kind_of(hit)].append(f"{hit.query_record.id} {missing.pop(hit.query_record.id)}{said}")
    found[NONE] += [f"{name} {length}" for name, length in missing.items()]
    ended = time.perf_counter()
    count = Counter({name: len(of) for name, of in found.items()})
    for name in (WHOLE, START, SELENO, NEARLY, PART, NONE):
        print(f"{count[name]:6,}  {name}")
        for line in found[name] if name in (SELENO, NEARLY, PART, NONE) else ():
            print(f"          {line}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    times = f"scan {result.seconds:.1f} s, search {searched - began:.1f} s, alignments {ended - searched:.1f} s"
    size = f"{len(queries):,} proteins, {result.cells_total / 1e12:.2f} Tcells"
    print(f"{result.engine}: {size}, {times}; at most {peak:.1f} GiB of memory")


if __name__ == "__main__":
    main()
