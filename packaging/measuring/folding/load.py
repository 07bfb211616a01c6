#!/usr/bin/env python3
"""Measure a folding server on a database: cold start, one chain, many chains, dimers, answers under load, kills.

    python packaging/measuring/folding/load.py DATABASE [--engine cuda] [--chains 100] [--clients 50] [--dimers 40]

Starts ``swgui serve`` in a process of its own and asks it over HTTP from threads, as programs do, but looks every
0.05 s whether a job is done, every 0.5 s where there are many. Chains of about `--length` residues are drawn from the
database at random, the same ones each time. Printed as a table:

* cold start: from the start of the process to the archive of a first chain
* one chain: from POST to archive, of chains that were never asked for; median and longest
* many chains: `--chains` jobs of one chain posted at once, to the last archive; with the longest POST
* clients at once: `--clients` POSTs while a search runs; the longest must be below 5 s
* dimers: two jobs each, unpaired and paired, one after the other as clients send them; per hour
* kills: ``kill -9`` at moments spread over the work of some jobs, each time with a new start; none may be lost

Exit status 1 if a POST took 5 s or more, or a job was lost.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.io.database.any_file import open_any_database

ROOT: Final = Path(__file__).resolve().parents[3]
LOOK: Final = 0.05  # seconds between two questions of one client
LOOK_OF_MANY: Final = 0.5  # of each of many clients, which would keep the server busy with answers otherwise
POST_LIMIT: Final = 5.0


class Server:
    """``swgui serve`` in a process of its own."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            self.port = listening.getsockname()[1]
        self._words = [
            *(sys.executable, "-m", "swgui", "serve", "-d", arguments.database, "--engine", arguments.engine),
            *("--address", f"127.0.0.1:{self.port}", "--folder", str(folder / "jobs"), "--max-waiting", "100000"),
        ]
        self._log = (folder / "log").open("a")
        self.posts: list[float] = []
        self.look = LOOK

    def start(self) -> None:
        """Start it, and wait until it answers."""
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(self._words, stderr=self._log, env=environment)
        while self.process.poll() is None:
            with suppress(OSError, http.client.HTTPException):
                self.ask("GET", "/queue")
                return
            time.sleep(0.01)
        raise SystemExit("The server did not start: " + Path(self._log.name).read_text()[-500:])

    def end(self, number: int = signal.SIGTERM) -> None:
        """End it by a signal."""
        self.process.send_signal(number)
        self.process.wait()

    def ask(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """Return the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(
                method, path, body, {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
            )
            return connection.getresponse().read()
        finally:
            connection.close()

    def post(self, chains: Sequence[str], kind: str = "msa", mode: str = "env") -> dict[str, str]:
        """Send a job, and note how long the answer took."""
        text = "".join(f">{101 + number}\n{chain}\n" for number, chain in enumerate(chains))
        began = time.monotonic()
        answer = self.ask("POST", f"/ticket/{kind}", urllib.parse.urlencode({"q": text, "mode": mode}).encode())
        self.posts.append(time.monotonic() - began)
        return dict(json.loads(answer))

    def fetch(self, chains: Sequence[str], kind: str = "msa", mode: str = "env") -> int:
        """Wait for the archive of a job, and return its bytes."""
        ticket = self.post(chains, kind, mode)
        while ticket["status"] in ("PENDING", "RUNNING"):
            time.sleep(self.look)
            ticket = json.loads(self.ask("GET", f"/ticket/{ticket['id']}"))
        if ticket["status"] != "COMPLETE":
            raise SystemExit(f"A job ended as {ticket}")
        return len(self.ask("GET", f"/result/download/{ticket['id']}"))


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that something took."""
    began = time.monotonic()
    work()
    return time.monotonic() - began


def at_once(works: Sequence[Callable[[], object]]) -> float:
    """Return the seconds that several things took at the same time."""
    with ThreadPoolExecutor(len(works)) as pool:
        return timed(lambda: list(pool.map(lambda work: work(), works)))


class Chains:
    """Chains of a database, none of which is given twice."""

    def __init__(self, database: str, length: int, tolerance: float = 0.05) -> None:
        found = open_any_database(database, alphabet=PROTEIN)
        near = np.flatnonzero(np.abs(found.lengths - length) <= length * tolerance)
        order = np.random.default_rng(1).permutation(near)
        self._chains = (found.record(int(index)).residues.decode().rstrip("*") for index in order)
        print(f"{found.name}: {len(found):,} sequences, {found.residues:,} residues; {len(near):,} to ask for.")
        self._given: set[str] = set()

    def take(self, number: int) -> list[str]:
        """Return so many."""
        made: list[str] = []
        while len(made) < number:
            chain = next(self._chains, None)
            if chain is None:
                raise SystemExit("The database has too few chains of this length; ask for fewer.")
            if chain not in self._given and "*" not in chain:
                self._given.add(chain)
                made.append(chain)
        return made


def killed(server: Server, chains: Chains, kills: int) -> int:
    """Kill the server again and again while it works, and return how many jobs did not come to an end."""
    jobs = chains.take(6)
    server.post([jobs[0]])
    for number in range(kills):
        with ThreadPoolExecutor(4) as pool:
            for chain in jobs[1:]:
                pool.submit(server.post, [chain])
            time.sleep(0.1 + 0.4 * number / max(1, kills - 1))
            server.end(signal.SIGKILL)
        server.start()
    return sum(server.fetch([chain]) == 0 for chain in jobs)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--length", type=int, default=300)
    parser.add_argument("--chains", type=int, default=100)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--dimers", type=int, default=40)
    parser.add_argument("--kills", type=int, default=3)
    arguments = parser.parse_args()
    arguments.database = str(Path(arguments.database).resolve())
    chains = Chains(arguments.database, arguments.length)
    threading.excepthook = lambda args: None  # of POSTs whose server was killed
    with tempfile.TemporaryDirectory(prefix="swgui-folding-") as place:
        server = Server(arguments, Path(place))
        try:
            status = _measure(server, chains, arguments)
        finally:
            server.end()
    return status


def _measure(server: Server, chains: Chains, arguments: argparse.Namespace) -> int:
    def say(what: str, seconds: float, more: str = "") -> None:
        print(f"| {what} | {seconds:.2f} | {more} |", flush=True)

    def dimer(two: Sequence[str]) -> None:
        server.fetch(two, "pair", "pairgreedy-env")
        server.fetch(two)

    print("| what | seconds | |\n|---|---|---|")
    began = time.monotonic()
    server.start()
    ready = time.monotonic() - began
    server.fetch(chains.take(1))
    say("cold start to a first archive", time.monotonic() - began, f"answers after {ready:.2f} s")
    singles = [timed(lambda chain=chain: server.fetch([chain])) for chain in chains.take(5)]  # type: ignore[misc]
    say("one chain, POST to archive", statistics.median(singles), f"longest {max(singles):.2f} s")
    server.posts.clear()
    server.look = LOOK_OF_MANY
    many = [lambda chain=chain: server.fetch([chain]) for chain in chains.take(arguments.chains)]  # type: ignore[misc]
    say(
        f"{arguments.chains} single chains at once, to the last archive",
        at_once(many),
        f"longest POST {max(server.posts):.2f} s",
    )
    longest = max(server.posts)
    busy = threading.Thread(target=lambda: server.fetch(chains.take(3)))
    busy.start()
    time.sleep(0.3)
    server.posts.clear()
    clients = [lambda chain=chain: server.post([chain]) for chain in chains.take(arguments.clients)]  # type: ignore[misc]
    say(f"{arguments.clients} POSTs while a search runs", at_once(clients), f"longest {max(server.posts):.2f} s")
    longest = max(longest, *server.posts)
    busy.join()
    while json.loads(server.ask("GET", "/queue"))["queued"]:
        time.sleep(LOOK)
    pairs = [chains.take(2) for _ in range(arguments.dimers)]
    took = at_once([lambda two=two: dimer(two) for two in pairs])  # type: ignore[misc]
    say(
        f"{arguments.dimers} dimers, unpaired and paired", took, f"{3600 * arguments.dimers / took:,.0f} dimers an hour"
    )
    lost = 0
    if arguments.kills:
        began = time.monotonic()
        lost = killed(server, chains, arguments.kills)
        say(f"{arguments.kills} kills, until all is done", time.monotonic() - began, f"{lost} jobs lost")
    return 1 if lost or longest >= POST_LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
