"""Bottleneck of a search of a packed database block by block: reading, unpacking, or the device that scores.

    python packaging/measuring/scale.py large.swdb --residues 6e9 --packed
    python -m tests.benchmarks.blocks large.swdb [--engine cuda] [--queries 1 100] [--length 400] [--again 2] [--direct]

Reads all blocks, reads and unpacks them, and searches with random queries, each search several times with one
engine, which may keep residues; prints rates and the most memory that was used.
"""

from __future__ import annotations

import argparse
import resource
import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from swgui.core.records import SequenceRecord
from swgui.core.statistics.background import background
from swgui.core.trace import tracing
from swgui.engines.cuda.streaming.kept import KeptResidues
from swgui.engines.registry import KeptEngines
from swgui.io.database.file import open_database
from swgui.io.database.packed import reading
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.reading import BlockReader
from swgui.jobs.events import run_to_end
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from tests.asking import search_request
from tests.core.several.test_joined import BLOSUM62


def timed(what: str, residues: int, size: int, work: Callable[[], object]) -> None:
    """Print how long something takes for so many residues and bytes."""
    began, used = perf_counter(), process_time()
    work()
    seconds, used = perf_counter() - began, process_time() - used
    rates = f"{residues / seconds / 1e9:.2f} G residues/s, {size / seconds / 1e9:.2f} GB/s"
    print(f"{what}: {seconds:.2f} s, {used:.2f} s of CPU time, {rates}", flush=True)


def read(path: Path, threads: int, *, unpack: bool, direct: bool) -> None:
    """Read all blocks with so many threads."""

    def use(block: object) -> None:
        if unpack:
            index = block.index  # type: ignore[attr-defined]
            out = np.empty(index.residues, np.uint8)
            block.unpack(np.array([0, index.residues]), np.zeros(1, np.int64), out)  # type: ignore[attr-defined]

    with BlockReader(PackedFile(path), threads=threads, direct=direct) as reader:
        for _ in reader.each(use):
            pass


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.blocks")
    parser.add_argument("file", type=Path)
    parser.add_argument("--engine", default="cuda")
    parser.add_argument("--queries", type=int, nargs="*", default=[1, 100])
    parser.add_argument("--length", type=int, default=400)
    parser.add_argument("--again", type=int, default=2)
    parser.add_argument("--whole", action="store_true", help="in memory as a whole as well")
    parser.add_argument("--reading", action="store_true", help="reading alone as well")
    parser.add_argument("--unkept", action="store_true", help="have the device keep no residues")
    parser.add_argument("--direct", action="store_true", help="read past the system's cache, however small the file")
    given = parser.parse_args()
    if given.direct:
        reading.memory = lambda: 0  # type: ignore[attr-defined]
    if given.unkept:
        KeptResidues.keep = lambda *_: None  # type: ignore[method-assign, assignment]
    facts, size = PackedFile(given.file).header.facts, given.file.stat().st_size
    if given.reading:
        ways = (False, True), (False, False), (True, False)
        for threads in (1, 4, 8):
            for unpack, direct in ways[:1] if given.direct else ways:
                what = f"read{' and unpack' if unpack else ''}, {threads} threads{', past the cache' if direct else ''}"
                work = partial(read, given.file, threads, unpack=unpack, direct=direct)
                timed(what, facts.residues, size, work)
    chance, letters = np.random.default_rng(1), np.frombuffer(b"ARNDCQEGHILKMFPSTWYV", np.uint8)
    shares = np.asarray(background_of(), np.float64)
    for in_blocks in (True, False) if given.whole else (True,):
        with closing(KeptEngines()) as kept:
            for count in given.queries:
                made = [chance.choice(letters, given.length, p=shares).tobytes() for _ in range(count)]
                queries = tuple(SequenceRecord(f"q{n}", "", residues) for n, residues in enumerate(made))
                for _ in range(given.again):
                    search(given.file, in_blocks, queries, given.engine, kept)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"most memory: {peak:.0f} MiB")


def background_of() -> list[float]:
    """Return the shares of the twenty amino acids, in the order of BLOSUM62."""
    from swgui.core.alphabet import PROTEIN

    shares = background(PROTEIN)
    twenty = [float(shares[PROTEIN.letters.index(letter)]) for letter in "ARNDCQEGHILKMFPSTWYV"]
    return [share / sum(twenty) for share in twenty]


def search(path: Path, in_blocks: bool, queries: tuple[SequenceRecord, ...], engine: str, kept: KeptEngines) -> None:
    """Search once."""
    began, used = perf_counter(), process_time()
    with tracing() as trace:
        database = open_database(path, in_blocks=in_blocks)
        opened = perf_counter() - began
        request: SearchRequest = search_request(
            queries=queries, database=database, scheme=BLOSUM62, engine=engine, composition="none", keep_scores=False
        )
        result = run_to_end(search_steps(request, threading.Event(), use=kept.use))
        parts = trace.text()
    assert result is not None
    assert result.state == "complete", result.message
    seconds = perf_counter() - began
    each = result.database.residues / result.seconds
    how = "in blocks" if in_blocks else f"in memory (opened in {opened:.2f} s)"
    print(
        f"{len(queries)} queries, {how}: {seconds:.2f} s, scan {result.seconds:.2f} s, {each / 1e9:.2f} G residues/s, "
        f"{result.cells_total / result.seconds / 1e12:.2f} TCUPS, {process_time() - used:.1f} s of CPU time; {parts} "
        f"best {[int(one.hits.scores[0]) if len(one.hits) else 0 for one in result.queries[:3]]}",
        flush=True,
    )


if __name__ == "__main__":
    main()
