"""Searches without end: the job as the command line runs it, and the window.

python -m tests.long.loops searches --seconds 3600
python -m tests.long.loops window --seconds 3600
"""

from __future__ import annotations

import argparse
import io
import itertools
import os
import random
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.hits.results import SearchResult
from swgui.core.records import SequenceRecord
from swgui.io.export import FORMATS, write_hits
from swgui.io.saved.search import load_search
from swgui.jobs.events import Finished
from swgui.runs import Runs
from tests.asking import BLOSUM62, search_request
from tests.described import describe_hits
from tests.long.meter import Meter

SAMPLE_EVERY = 10  # searches between two looks at the meter
EXTRAS_EVERY = 25  # searches between two that are also written, read again, or stopped half-way
KEPT = 20  # runs the history keeps, so that it reaches its limit early


def material(subjects: int = 300, length: int = 120) -> tuple[EncodedDatabase, list[SequenceRecord]]:
    """Random proteins as a database, and pieces of them as queries."""
    chance = np.random.default_rng(3)
    records = [
        SequenceRecord(f"s{n}", f"random {n}", PROTEIN.decode(chance.integers(0, 20, length - n % 50, dtype=np.uint8)))
        for n in range(subjects)
    ]
    queries = [SequenceRecord(f"q{n}", "", record.residues[n % 7 :][: 20 + n % 90]) for n, record in enumerate(records)]
    return encode_database(records, PROTEIN, "random"), queries


def requests(engine: str) -> Any:
    """Yield one request after the other, without end."""
    database, queries = material()
    for query in itertools.cycle(queries):
        yield search_request(queries=(query,), database=database, scheme=BLOSUM62, engine=engine, top=50)


def run_searches(seconds: float, folder: Path, *, engine: str = "cpu", log: Path | None = None) -> Meter:
    """Search, keep in the history, align, export, open again and stop, until the time is up."""
    history = Runs(folder / "runs", max_runs=KEPT)
    meter = Meter(folder, log)
    source = random.Random(5)
    for number, request in enumerate(requests(engine), start=1):
        cancel = threading.Event()
        result = None
        for event in history.run("search", request, cancel):
            if number % EXTRAS_EVERY == 7 and source.random() < 0.3:
                cancel.set()
            if isinstance(event, Finished):
                result = event.outcome
        if result is not None and number % EXTRAS_EVERY == 0:
            use(result, history)
        if number % SAMPLE_EVERY == 0:
            meter.sample(number)
        if meter.seconds > seconds:
            break
    meter.sample(number)
    return meter


def use(result: SearchResult, history: Runs) -> None:
    """Do with a result what people do: look at alignments, write it in every text format, open the last run."""
    assert result.state == "complete"
    hits = list(describe_hits(result, 0, range(min(5, len(result.queries[0].hits)))))
    assert hits
    assert hits[0].score == max(hit.score for hit in hits)
    for name in (name for name, form in FORMATS.items() if form.is_text):
        text = io.StringIO()
        write_hits(name, result, hits, text)
        assert text.tell() > 0
    newest = history.list()[0]
    loaded = load_search(history.path(newest.id))
    assert loaded.result.queries[0].subjects_scored == len(result.database)


def main() -> int:
    """Run a loop and print what it used."""
    parser = argparse.ArgumentParser(prog="python -m tests.long.loops")
    parser.add_argument("loop", choices=("searches", "window"))
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--engine", default="cpu")
    parser.add_argument("--limit", type=float, default=0.0, help="bytes a search may leave; more is a failure")
    parser.add_argument("--log", type=Path, help="write every sample to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="swgui-long-") as name:
        folder = Path(name)
        for variable in ("CONFIG", "CACHE", "DATA"):
            os.environ[f"SWGUI_{variable}_DIR"] = str(folder / variable.lower())
        if options.loop == "window":
            from tests.long.window_loop import run_window

            meter = run_window(options.seconds, folder, engine=options.engine, log=options.log)
        else:
            meter = run_searches(options.seconds, folder, engine=options.engine, log=options.log)
    print(meter.report())
    return 1 if options.limit and meter.growth() > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
