"""Edges of all pairs of real proteins against scores of parasail, which is installed for this alone.

    python -m tests.long.all_pairs                      # 5,000 x 5,000; some ten minutes of two cores
    python -m tests.long.all_pairs --write EDGES.tsv    # the sample of tests/jobs/network

The exit status is 1 if one edge is missing, too much, or has another score. E is computed from parasail's scores with
the program's statistics.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.io.database.any_file import open_any_database
from swgui.jobs.events import run_to_end
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.edges import edges_of
from tests.asking import BLOSUM62

KNOWN = set(b"ARNDCQEGHILKMFPSTWYVBZX")  # that parasail's BLOSUM62 scores
SHARE = 20  # queries that a process takes at a time
SAMPLE, SAMPLE_OF = 300, "uniprot_500queries.fasta"
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "proteins"

Edge = tuple[int, int, int]


def proteins(path: Path, wanted: int) -> EncodedDatabase:
    """Return some proteins of a file, from all over it, without residues that parasail does not know."""
    whole = open_any_database(path)
    records = [whole.record(index) for index in range(len(whole))]
    records = [record for record in records if set(record.residues) <= KNOWN]
    step = max(len(records) // wanted, 1)
    return encode_database(records[::step][:wanted], PROTEIN, path.name)


def asked_of(database: EncodedDatabase, evalue: float) -> AllAgainstAll:
    return AllAgainstAll(database, database, BLOSUM62, evalue, "cpu")


def scores_of(texts: Sequence[str], firsts: Sequence[int]) -> list[tuple[int, list[int]]]:
    """Return by parasail what some sequences score with all that come behind them in a list."""
    import parasail

    made = []
    for first in firsts:
        profile = parasail.profile_create_sat(texts[first], parasail.blosum62)
        score = partial(parasail.sw_striped_profile_sat, profile)
        gaps = BLOSUM62.gap_first, BLOSUM62.gap_extend
        made.append((first, [score(text, *gaps).score for text in texts[first + 1 :]]))
    return made


def oracle(asked: AllAgainstAll, processes: int) -> list[Edge]:
    """Return the edges by parasail's scores, the smaller source index first."""
    database = asked.subjects
    order, lengths = database.order.tolist(), database.lengths
    texts = [database.record(index).residues.decode() for index in order]
    shares = [range(first, min(first + SHARE, len(texts))) for first in range(0, len(texts), SHARE)]
    edges: list[Edge] = []
    with ProcessPoolExecutor(processes) as pool:
        for done in pool.map(partial(scores_of, texts), shares):
            for first, scores in done:
                if not scores:
                    continue
                query, others = order[first], np.array(order[first + 1 :])
                known = np.array(scores), int(lengths[query]), lengths[others].astype(np.int64)
                log10 = asked.statistics.log10_evalues(*known, *database.search_space)
                for row in np.flatnonzero(log10 <= np.log10(asked.evalue)).tolist():
                    a, b = sorted((query, int(others[row])))
                    edges.append((a, b, scores[row]))
    return sorted(edges)


def edges_by_program(asked: AllAgainstAll) -> list[Edge]:
    edges = run_to_end(edges_of(asked, threading.Event()))
    return list(zip(edges.first.tolist(), edges.second.tolist(), edges.scores.tolist(), strict=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path, default=DATA / "swissprot_16species.fasta.gz")
    parser.add_argument("--proteins", type=int, default=5000)
    parser.add_argument("--evalue", type=float, default=1e-3)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", type=Path, help="write the sample by parasail, and compare nothing")
    arguments = parser.parse_args()
    if arguments.write:
        database = proteins(DATA / SAMPLE_OF, SAMPLE)
        found = oracle(asked_of(database, arguments.evalue), arguments.processes)
        rows = "".join(f"{database.ids[a]}\t{database.ids[b]}\t{score}\n" for a, b, score in found)
        arguments.write.write_text(f"first\tsecond\tscore\n{rows}", encoding="utf-8")
        return 0
    asked = asked_of(proteins(arguments.file, arguments.proteins), arguments.evalue)
    made = set(edges_by_program(asked))  # first: it takes seconds, and may fail
    expected = set(oracle(asked, arguments.processes))
    different = sorted(expected ^ made)
    print(f"{len(asked.queries):,} proteins, {len(expected):,} edges by parasail, {len(made):,} by the program")
    for a, b, score in different[:20]:
        by = "parasail" if (a, b, score) in expected else "the program"
        print(f"{asked.queries.ids[a]} and {asked.queries.ids[b]} score {score} by {by} alone")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
