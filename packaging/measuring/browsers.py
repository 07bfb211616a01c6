#!/usr/bin/env python3
"""Measure the page of ``swgui serve`` with several browsers at once, from the form to the page with hits.

    python packaging/measuring/browsers.py                    # 20, 300 residues x 41 M; on a GPU if there is one
    python packaging/measuring/browsers.py --subjects 3000    # a small database

Sequences are made up, the same in every run; each query has relatives. The browsers begin at the same moment and ask
for progress as the page's script does. A line for each round: the median, the 95th percentile and the longest, in
seconds. Then 100 records go through NCBI's interface as one request.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Final

import numpy as np

from swgui.commands.serve import serve_arguments
from swgui.serve.server import FoldingServer

LETTERS: Final = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)
LOOK_SECONDS: Final = 0.05  # between two looks at the progress


def made(place: Path, subjects: int, queries: int, length: int) -> list[str]:
    """Write the database; return queries: subjects of which 40 % of the residues are others."""
    random, kept = np.random.default_rng(54), []
    with place.open("w") as file:
        for number in range(subjects):
            codes = LETTERS[random.integers(0, 20, int(random.integers(100, 645)))]
            kept += [codes] * (number < queries)
            file.write(f">s{number}\n{codes.tobytes().decode()}\n")
    texts = []
    for codes in kept:
        query = np.resize(codes, length)
        changed = random.random(length) < 0.4
        query[changed] = LETTERS[random.integers(0, 20, int(changed.sum()))]
        texts.append(query.tobytes().decode())
    return texts


def sent(url: str, **fields: str) -> tuple[str, str]:
    """Send a form; returns where the answer is, and the answer."""
    with urllib.request.urlopen(url, urllib.parse.urlencode(fields).encode()) as answer:
        return answer.geturl(), answer.read().decode()


def browse(url: str, query: str) -> float:
    """Search as a browser does; returns the seconds until the page with hits was there."""
    began = time.monotonic()
    place, page = sent(f"{url}/search", query=query, database="db", program="blastp")
    while "<table" not in page and "reaches the largest" not in page:
        with urllib.request.urlopen(f"{place}/state") as answer:
            done = json.load(answer)["done"]
        if not done:
            time.sleep(LOOK_SECONDS)
            continue
        with urllib.request.urlopen(place) as answer:
            page = answer.read().decode()
    return time.monotonic() - began


def at_once(url: str, queries: list[str]) -> list[float]:
    """Search with all queries at the same moment; returns the seconds of each, the shortest first."""
    times: list[float] = []
    gate = threading.Barrier(len(queries))

    def one(query: str) -> None:
        gate.wait()
        times.append(browse(url, query))

    threads = [threading.Thread(target=one, args=(query,)) for query in queries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(times)


def records(url: str, queries: list[str]) -> tuple[float, int]:
    """Send records as one request of NCBI's interface; returns the seconds until their XML was there, and its hits."""
    began = time.monotonic()
    fasta = "".join(f">q{number}\n{text}\n" for number, text in enumerate(queries))
    _, page = sent(f"{url}/Blast.cgi", CMD="Put", PROGRAM="blastp", DATABASE="db", QUERY=fasta)
    rid = re.findall(r"RID = (\S+)", page)[0]
    text = "<!DOCTYPE html>"
    while text.startswith("<!DOCTYPE html>"):
        _, text = sent(f"{url}/Blast.cgi", CMD="Get", RID=rid, FORMAT_TYPE="XML")
    return time.monotonic() - began, text.count("<Hit>")


def main() -> int:
    """Measure; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--browsers", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--subjects", type=int, default=110_000, help="sequences of 100 to 644 residues")
    parser.add_argument("--length", type=int, default=300, help="residues of a query")
    given = parser.parse_args()
    number = given.browsers
    with tempfile.TemporaryDirectory(prefix="swgui-browsers-") as name:
        folder = Path(name)
        queries = made(folder / "db.fasta", given.subjects, 1 + number * given.rounds + 100, given.length)
        arguments = serve_arguments(
            search_database=[f"db={folder}/db.fasta"], address="127.0.0.1:0", folder=f"{folder}/jobs"
        )
        server = FoldingServer(arguments)
        server.start(threading.Event())
        try:
            print(f"alone, the first search: {browse(server.url, queries[0]):.2f} s", flush=True)
            for first in range(1, 1 + number * given.rounds, number):
                times = at_once(server.url, queries[first : first + number])
                p95 = times[round(0.95 * (number - 1))]
                print(
                    f"{number} at once: p50 {times[number // 2]:.2f}, p95 {p95:.2f}, most {times[-1]:.2f} s", flush=True
                )
            seconds, hits = records(server.url, queries[-100:])
            print(f"100 records in one request, XML: {seconds:.2f} s, {hits:,} hits")
        finally:
            server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
