"""How often chance is taken for a hit: shuffled real queries against real subjects.

A shuffled query is related to nothing, so the number of subjects with E <= 1 must be about 1 on average. Prints it for
the fitted and for the published statistics. A few minutes on two cores.

    python tests/benchmarks/calibration.py ../shared/data/proteins --queries 200
"""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.events import Finished
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics_fit import fit_statistics
from swgui.io.matrices import load_matrix
from swgui.io.sequences import read_sequences
from swgui.io.statistics import load_statistics
from swgui.search import SearchRequest, run_search


def shuffled_queries(path: Path, count: int, seed: int) -> tuple[SequenceRecord, ...]:
    chance = np.random.default_rng(seed)
    records = [record for record in read_sequences(path, PROTEIN) if len(record.residues) >= 30][:count]
    return tuple(
        SequenceRecord(record.id, "", chance.permutation(np.frombuffer(record.residues, dtype=np.uint8)).tobytes())
        for record in records
    )


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
    request = SearchRequest(
        queries=shuffled_queries(given.proteins / "uniprot_500queries.fasta", given.queries, given.seed),
        database=given.proteins / "swissprot_16species.fasta.gz",
        scheme=scheme,
        engine=given.engine,
    )
    *_, last = run_search(request, threading.Event())
    assert isinstance(last, Finished)
    result, published = last.result, load_statistics(scheme)
    lengths, size = result.database.lengths, (result.database.residues, len(result.database))
    hits: dict[str, list[int]] = {"fitted": [], "published": []}
    for query in result.queries:
        assert query.scores is not None
        m = len(query.query.residues)
        fit = fit_statistics(query.scores, lengths, m, scheme)
        hits["fitted"].append(int((fit.log10_evalues(query.scores, m, lengths, *size) <= 0).sum()))
        if published is not None:
            log10_e = published.log10_evalues(query.scores, m, lengths, *size)
            hits["published"].append(int((log10_e <= 0).sum()))
    print(f"{len(result.queries)} shuffled queries, {size[1]} subjects, {scheme.describe()}, {result.gcups:.1f} GCUPS")
    for name, counts in hits.items():
        if counts:
            mean, share = np.mean(counts), np.mean(np.array(counts) > 0)
            print(f"{name}: mean {mean:.3f} subjects with E <= 1, most {max(counts)}, in {share:.0%} of queries")


if __name__ == "__main__":
    main()
