"""How often chance is taken for a hit: shuffled real queries against real subjects.

A shuffled query is related to nothing, so the number of subjects with E <= 1 must be about 1 on average. Prints it for
the fitted and for the published statistics, with the database as it is and with its low-complexity stretches masked: a
shuffled query keeps its composition, and stretches of the same biased composition score high without being related. A
few minutes on two cores.

    python tests/benchmarks/calibration.py ../shared/data/proteins --queries 200
"""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.hits.results import SearchResult
from swgui.core.masking import mask_database
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.fit import fit_statistics
from swgui.io.database.library import open_any_database
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.io.statistics import load_statistics
from swgui.jobs.search.run import run_search
from tests.asking import search_request


def shuffled_queries(path: Path, count: int, seed: int) -> tuple[SequenceRecord, ...]:
    chance = np.random.default_rng(seed)
    records = [record for record in read_sequences(path, PROTEIN) if len(record.residues) >= 30][:count]
    return tuple(
        SequenceRecord(record.id, "", chance.permutation(np.frombuffer(record.residues, dtype=np.uint8)).tobytes())
        for record in records
    )


def count_hits(result: SearchResult) -> dict[str, list[int]]:
    """Subjects with E <= 1 of every query, by the kind of statistics."""
    lengths, size = result.database.lengths, (result.database.residues, len(result.database))
    published = load_statistics(result.scheme)
    hits: dict[str, list[int]] = {"fitted": [], "published": []}
    for query in result.queries:
        m = len(query.query.residues)
        fit = fit_statistics(query.scores, lengths, m, result.scheme)
        hits["fitted"].append(int((fit.log10_evalues(query.scores, m, lengths, *size) <= 0).sum()))
        if published is not None:
            hits["published"].append(int((published.log10_evalues(query.scores, m, lengths, *size) <= 0).sum()))
    return hits


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proteins", type=Path, help="folder with the protein files")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--matrix", default="BLOSUM62")
    parser.add_argument("--gaps", type=int, nargs=2, default=(11, 1))
    parser.add_argument("--engine", default="auto")
    given = parser.parse_args()
    scheme = ScoringScheme.from_blast(load_matrix(given.matrix, PROTEIN), *given.gaps)
    queries = shuffled_queries(given.proteins / "uniprot_500queries.fasta", given.queries, given.seed)
    plain = open_any_database(given.proteins / "swissprot_16species.fasta.gz", alphabet=PROTEIN)
    print(f"{len(queries)} shuffled queries (seed {given.seed}), {len(plain)} subjects, {scheme.describe()}")
    for name, database in (("as it is", plain), ("low complexity masked", mask_database(plain)[0])):
        request = search_request(queries=queries, database=database, scheme=scheme, engine=given.engine)
        *_, last = run_search(request, threading.Event())
        for kind, counts in count_hits(last.result).items():
            if counts:
                mean, median, share = np.mean(counts), np.median(counts), np.mean(np.array(counts) > 0)
                print(
                    f"database {name}, {kind}: mean {mean:.3f} subjects with E <= 1, median {median:g}, "
                    f"most {max(counts)}, at least one in {share:.0%} of queries"
                )


if __name__ == "__main__":
    main()
