"""How good the estimate of the Search page is: calibrates an engine, then searches and compares.

    python tests/benchmarks/estimate_accuracy.py [--engine cpu] [--method NAME,...] [--data FOLDER] [--times 1]
                                                 [--json FILE]

With the folder of real sequences, queries of many lengths are searched in real proteomes, one by one and together;
without it in made-up sequences. Each search runs twice, because the first compiles; the second counts. The last line
gives the largest factor between what was estimated and what a search took.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.records import SequenceRecord
from swgui.core.sweep.data import synthetic_database, synthetic_query
from swgui.jobs.events import finishing
from swgui.jobs.search.calibration import calibrate
from swgui.jobs.search.estimate import Calibration
from swgui.jobs.search.run import search_steps
from tests.asking import search_request

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging" / "measuring"))

from speed.data import data_folder, load_database, load_records, protein_scheme, repeat

PROTEINS = "proteins"
LARGE = "uniprot_16proteomes.fasta.gz"


def main() -> int:
    """Compare; the status is 1 if an estimate was off by more than a factor of 2."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default="cpu")
    parser.add_argument("--method", default="", help="search methods, each measured by itself (default: automatic)")
    parser.add_argument("--data")
    parser.add_argument("--times", type=int, default=1, help="copies of the larger database")
    parser.add_argument("--json")
    given = parser.parse_args()
    jobs = list(searches(given))
    rows = []
    for method in given.method.split(","):
        options = EngineOptions(settings={"method": method} if method else {})
        rows += compare(given.engine, options, jobs)
    worst = max(max(row["estimated"] / row["taken"], row["taken"] / row["estimated"]) for row in rows)
    print(f"largest factor {worst:.2f}")
    if given.json:
        Path(given.json).write_text(json.dumps({"rows": rows, "worst": worst}, indent=1), encoding="utf-8")
    return 0 if worst <= 2 else 1


def compare(engine, options, jobs):
    """Calibrate an engine with its settings, search, and return what was estimated and what it took."""
    found = None
    for event in calibrate(engine, options, threading.Event()):
        found = event
    assert isinstance(found, Calibration)
    method = options.settings.get("method", "")
    speeds = ", ".join(f"{n}: {n / rate / 1e9:,.1f} GCUPS" for n, rate in found.rates)
    print(f"{method} start {found.start:.3f} s, per query {1000 * found.per_query:.2f} ms, "
          f"cold {1e9 * found.cold:.2f} ns per residue; {speeds}")  # fmt: skip
    rows = []
    for label, queries, database in jobs:
        request = search_request(
            queries=tuple(queries), database=database, scheme=protein_scheme(), engine=engine, options=options
        )
        for _ in range(2):
            began = time.perf_counter()
            for _event in finishing(search_steps(request, threading.Event())):
                pass
            taken = time.perf_counter() - began
        estimated = found.seconds([len(query.residues) for query in queries], database.residues)
        rows.append({"method": method, "search": label, "residues": database.residues, "estimated": estimated,
                     "taken": taken})  # fmt: skip
        print(f"{label:34} {database.residues / 1e6:8.1f} M  estimated {estimated:8.3f} s  took {taken:8.3f} s  "
              f"ratio {estimated / taken:5.2f}", flush=True)  # fmt: skip
    return rows


def searches(given):
    """Yield label, queries and database of each search."""
    folder = data_folder(given.data) / PROTEINS
    if folder.is_dir():
        records = load_records(folder, "cudasw_20queries.fasta", PROTEIN)
        databases = [load_database(folder, "swissprot_16species.fasta.gz")]
        if given.engine != "cpu" or given.times > 1:
            databases.append(repeat(databases[0], 10))
            if (folder / LARGE).is_file():
                databases.append(load_database(folder, LARGE, times=given.times))
    else:
        whole = PROTEIN.decode(synthetic_query(8000).codes)
        records = [SequenceRecord(f"{n} residues", "", whole[:n]) for n in (30, 144, 375, 1000, 2005, 5478)]
        databases = [synthetic_database(size) for size in (1_000_000, 10_000_000)]
    records = sorted(records, key=lambda record: len(record.residues))
    for database in databases:
        for record in records[:: max(1, len(records) // 6)]:
            yield f"{record.id[:20]} ({len(record.residues)})", [record], database
        yield f"{len(records)} queries", records, database


if __name__ == "__main__":
    raise SystemExit(main())
