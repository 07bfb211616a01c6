#!/usr/bin/env python3
"""Measure how what follows the scan scales with cores: ranking with its correction, then aligning, formatting, writing.

    python packaging/measuring/host_scaling.py QUERIES DATABASE --engine cuda --cores 1,2,4,8,16 [--first 100]

The scores are made once (`--scores FILE.npz` keeps them). Then each number of cores has a process of its own, which
ranks and writes the same search. Printed are seconds by the clock, of the processor in the program and in the system,
how often a thread waited for something, and a checksum of what was written, which must be the same each time. Linux.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.hits.table import HitStream
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.engines import registry
from swgui.engines.native import subjects
from swgui.io.database.any_file import open_any_database
from swgui.io.export import FORMATS, ExportOptions, save_hits
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from swgui.jobs.events import run_to_end
from swgui.jobs.search.describe import describe
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import _Run

T = TypeVar("T")


def scored(request: SearchRequest, kept: Path | None) -> _Run:
    """Return a search that has all its scores."""
    run = fresh(request)
    if kept is None or not kept.is_file():
        for _ in run.score(threading.Event()):
            pass
        if kept is not None:
            np.savez(kept, scores=run.tally.scores)
        return run
    run.tally.scores[:] = np.load(kept)["scores"][: len(request.queries)]
    run.tally.scored[:] = len(request.database)
    run.tally.cells = run.cells_total
    return run


def fresh(request: SearchRequest) -> _Run:
    """Return a search without scores, which ranks nothing before it is told to."""
    run = _Run(request, request.database, None, registry.new_engine)
    run._rank_early = lambda cancel, helped: None
    return run


def timed(name: str, work: Callable[[], T]) -> T:
    """Do some work and say what it took."""
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    value = work()
    took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    waits = after.ru_nvcsw - before.ru_nvcsw
    print(f"  {name:8} {took:7.3f} s, user {user:7.3f}, system {system:6.3f}, waits {waits}", flush=True)
    return value


def measure(run: _Run, arguments: argparse.Namespace, cores: int) -> None:
    """Rank and write in this process."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    subjects._pool.cache_clear()
    print(f"{cores} cores", flush=True)
    again = fresh(run.request)
    again.tally = run.tally
    result = timed("ranking", lambda: run_to_end(again.ranked(threading.Event())))
    form = FORMATS[arguments.format]
    options = ExportOptions(tuple(arguments.columns.split(",")) if arguments.columns else None)
    rows = [range(len(query.hits)) for query in result.queries]
    parts = [(result.hit_list(at), some) for at, some in enumerate(rows)]
    tables = describe(parts, align=form.aligned(options), fit=form.fitted(options)).tables
    out = Path(f"{arguments.out}.{cores}")
    timed("writing", lambda: save_hits(out, form.name, result, HitStream(tables), options))
    print(f"  {hashlib.md5(out.read_bytes()).hexdigest()} {sum(map(len, rows)):,} hits", flush=True)


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("database", type=Path)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--first", type=int, help="so many queries alone")
    parser.add_argument("--cores", default="1,2")
    parser.add_argument("--scores", type=Path)
    parser.add_argument("--composition", default="full")
    parser.add_argument("--max-hsps", type=int, default=100)
    parser.add_argument("--format", default="tsv")
    parser.add_argument("--columns", default="")
    parser.add_argument("--out", default="/tmp/host_scaling")
    arguments = parser.parse_args()
    how = {"engine": arguments.engine, "composition": arguments.composition, "max_hsps": arguments.max_hsps}
    queries = tuple(read_sequences(arguments.queries, PROTEIN))[: arguments.first]
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    search = Search(scheme=scheme, **how)
    run = scored(SearchRequest(queries, open_any_database(arguments.database), search), arguments.scores)
    for cores in map(int, arguments.cores.split(",")):
        sys.stdout.flush()
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        try:
            measure(run, arguments, cores)
        finally:
            sys.stdout.flush()
            os._exit(0)


if __name__ == "__main__":
    main()
