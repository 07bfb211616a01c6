"""How far bits and E-values agree with blastp and ssearch36: all 20 queries of the CUDASW++ papers.

Compares with the golden tables of ``tests/data/statistics`` (its README names the programs). A minute on two cores.

    python tests/benchmarks/statistics_agreement.py ../shared/data/proteins
"""

from __future__ import annotations

import argparse
import csv
import math
import threading
from pathlib import Path

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.fit import fit_statistics
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.io.statistics import load_statistics
from swgui.jobs.search.run import run_search
from tests.asking import search_request

TABLES = Path(__file__).resolve().parent.parent / "data" / "statistics"


def read_table(name: str) -> list[dict[str, str]]:
    with open(TABLES / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("proteins", type=Path, help="folder with the protein files")
    parser.add_argument("--engine", default="auto")
    given = parser.parse_args()
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    request = search_request(
        queries=tuple(read_sequences(given.proteins / "cudasw_20queries.fasta", PROTEIN)),
        database=given.proteins / "swissprot_16species.fasta.gz",
        scheme=scheme,
        engine=given.engine,
    )
    *_, last = run_search(request, threading.Event())
    result, database = last.result, last.result.database
    size = database.residues, len(database)
    queries = {query.query.id: query for query in result.queries}
    index = {database.ids[i]: i for i in range(len(database))}
    published = load_statistics(scheme)

    ratios, bits, unequal = [], [], 0
    for row in read_table("blastp_queries.tsv"):
        at, query = index[row["subject"]], queries[row["query"]]
        if query.scores[at] != int(row["score"]):
            unequal += 1  # blastp is a heuristic: its alignment is not always the best one
            continue
        found = published.log10_evalues(query.scores[[at]], len(query.query.residues), database.lengths[[at]], *size)[0]
        ratios.append(10 ** (found - math.log10(float(row["evalue"]))))
        bits.append(published.bit_scores(query.scores[[at]])[0] - float(row["bits"]))
    print(
        f"blastp: {len(ratios)} hits with equal score ({unequal} scored lower by blastp); E within "
        f"{np.abs(np.array(ratios) - 1).max():.2e}, bits within {np.abs(bits).max():.4f}"
    )

    worst = dict.fromkeys(("rho", "mu", "variance"), 0.0)
    trims, ratios, bits = 0, [], []
    for row in read_table("ssearch36_fit.tsv"):
        query = queries[row["query"]]
        fit = fit_statistics(query.scores, database.lengths, len(query.query.residues), scheme)
        for name in worst:
            worst[name] = max(worst[name], abs(getattr(fit, name) / float(row[name]) - 1))
        trims += all(getattr(fit, name) == int(row[name]) for name in ("related", "odd_sequences", "odd_bins"))
        for hit in read_table("ssearch36_hits.tsv"):
            if hit["query"] != row["query"] or float(hit["evalue"]) == 0:
                continue
            at = [index[hit["subject"]]]
            assert query.scores[at] == int(hit["score"])
            found = fit.log10_evalues(query.scores[at], len(query.query.residues), database.lengths[at], *size)[0]
            ratios.append(10 ** (found - math.log10(float(hit["evalue"]))))
            bits.append(fit.bit_scores(query.scores[at], database.lengths[at])[0] - float(hit["bits"]))
    close = np.mean(np.abs(np.array(ratios) - 1) < 0.2)
    print(
        "ssearch36 -z 1: "
        + ", ".join(f"{name} within {value:.3%}" for name, value in worst.items())
        + f", same sequences trimmed for {trims} of {len(result.queries)} queries; {len(ratios)} hits with equal "
        f"scores, E within 20 % for {close:.1%}, bits within {np.abs(bits).max():.2f}"
    )


if __name__ == "__main__":
    main()
