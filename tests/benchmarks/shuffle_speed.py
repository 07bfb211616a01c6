"""How long Z-values take: 100 hits x 1,000 shuffles, and the self-check, on an engine.

Random subjects of 350 residues and a random query; scores do not matter for the time. Needs no real sequences.

    python tests/benchmarks/shuffle_speed.py --engine cuda
"""

from __future__ import annotations

import argparse
import threading
import time

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.hits.results import HitColumns, QueryResult, SearchResult
from swgui.core.records import SequenceRecord
from swgui.core.statistics.shuffling import ShufflePlan, ZValue
from swgui.jobs.check.device import SelfCheck, check_engine, stored_checks
from swgui.jobs.search.shuffles import ZRequest, z_values
from tests.asking import search_result


def searched(hits: int, length: int, query_length: int) -> SearchResult:
    """What a search would have found, made up."""
    chance = np.random.default_rng(1)
    sequences = [PROTEIN.decode(chance.integers(0, 20, length).astype(np.uint8)) for _ in range(hits)]
    query = SequenceRecord("query", "", PROTEIN.decode(chance.integers(0, 20, query_length).astype(np.uint8)))
    scores = np.full(hits, 60, dtype=np.int32)
    unknown = np.full(hits, np.nan)
    columns = HitColumns(np.arange(hits, dtype=np.int64), scores, np.ones(hits, dtype=np.int8), unknown, unknown)
    return search_result(
        queries=(QueryResult(query, columns, hits),),
        database=encode_database((SequenceRecord(f"s{i}", "", text) for i, text in enumerate(sequences)), PROTEIN),
        scheme=stored_checks()[0].scheme,
        strand="plus",
        max_evalue=10.0,
        top=hits,
        engine="",
        devices=(),
        state="complete",
        cells_done=0,
        cells_total=0,
        seconds=0.0,
        rescored=0,
        statistics="",
        message="",
        version="",
        finished_at="",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--hits", type=int, default=100)
    parser.add_argument("--shuffles", type=int, default=1000)
    parser.add_argument("--lengths", type=int, nargs="+", default=[144, 374, 1000], help="of queries")
    given = parser.parse_args()
    names = ["cuda", "cpu"] if given.engine == "auto" else [given.engine]
    for name in names:
        for event in check_engine(name, threading.Event()):
            if isinstance(event, SelfCheck):
                print(f"self-check in {event.seconds:.2f} s: {event.describe()}", *event.differences, sep="\n  ")
        for length in given.lengths:
            result = searched(given.hits, 350, length)
            for window in (0, 20):
                began = time.perf_counter()
                request = ZRequest(result.hit_list(0), range(given.hits), ShufflePlan(given.shuffles, window), name)
                values = [v for v in z_values(request, threading.Event()) if isinstance(v, ZValue)]
                seconds = time.perf_counter() - began
                print(
                    f"{name}: {len(values)} hits x {given.shuffles} shuffles (window {window}), query of {length}: "
                    f"{seconds:.2f} s, mean score {np.mean([v.mean for v in values]):.3f}"
                )


if __name__ == "__main__":
    main()
