"""Time the cpu engine against plain loops over two of its libraries, or with each of its libraries alone.

    python -m tests.benchmarks.cpu_engine [--rounds 7] [--threads 2] [--data FOLDER]
    python -m tests.benchmarks.cpu_engine --libraries [--rounds 3]     # GCUPS of one core, by processor time

Queries of five lengths are taken from the reviewed proteins of 16 species and searched against all of
them. The three contenders take turns, so that a busy computer slows all of them alike; what counts is the
median, over the rounds, of the ratio within one round. The loops have their subjects encoded beforehand and
are cut as each library likes it best: pyopal in length-sorted runs of 500, parasail with one profile and
its Python function per pair. The engine is timed from plans to scores, once cold (handing the subjects to
pyopal included) and then warm like the loops. All three must agree on every score.
On a computer with other work the last column is the one to trust: the least processor time of the better
loop divided by the engine's.
"""

from __future__ import annotations

import argparse
import os
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import parasail
import pyopal
from scoring_matrices import ScoringMatrix

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.packing import plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import cpu
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences

LENGTHS = (31, 149, 374, 991, 5005)
RUN = 500
DATA = Path(os.environ.get("SWGUI_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")

Search = Callable[[np.ndarray], np.ndarray]


def engine_search(database: EncodedDatabase, threads: int, library: str = "auto") -> Search:
    """Search with the engine; scores in storage order."""
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    engine = cpu.create(EngineOptions(threads=threads, settings={"library": library}))

    def search(codes: np.ndarray) -> np.ndarray:
        query = [EncodedQuery("q", codes)]
        plans = plan_chunks(database.offsets, engine.chunk_limits(query, database))
        scores = np.zeros(len(database), dtype=np.int32)
        for part in engine.score(query, database, plans, scheme, threading.Event()):
            scores[part.db_index] = part.scores
        return scores[database.order]

    return search


def pyopal_search(subjects: list[bytes], pool: ThreadPoolExecutor) -> Search:
    """Search with pyopal alone."""
    matrix = ScoringMatrix.from_name("BLOSUM62")
    aligner = pyopal.Aligner(matrix, gap_open=12, gap_extend=1)
    database = pyopal.Database(subjects, alphabet=pyopal.Alphabet(matrix.alphabet))

    def part(query: bytes, start: int) -> list[int]:
        found = aligner.align(query, database, mode="score", overflow="simple", start=start, end=start + RUN)
        return [result.score for result in found]

    def search(codes: np.ndarray) -> np.ndarray:
        query = PROTEIN.decode(codes)
        parts = pool.map(lambda start: part(query, start), range(0, len(subjects), RUN))
        return np.array([score for scores in parts for score in scores])

    return search


def parasail_search(subjects: list[bytes], pool: ThreadPoolExecutor) -> Search:
    """Search with parasail alone."""
    texts = [subject.decode() for subject in subjects]

    def part(profile: parasail.bindings_v2.Profile, start: int) -> list[int]:
        align = parasail.sw_striped_profile_sat
        return [align(profile, text, 12, 1).score for text in texts[start : start + RUN]]

    def search(codes: np.ndarray) -> np.ndarray:
        profile = parasail.profile_create_sat(PROTEIN.decode(codes).decode(), parasail.blosum62)
        parts = pool.map(lambda start: part(profile, start), range(0, len(texts), RUN))
        return np.array([score for scores in parts for score in scores])

    return search


def timed(search: Search, codes: np.ndarray) -> tuple[float, float, np.ndarray]:
    """Return wall seconds, processor seconds and scores."""
    wall, processor = time.perf_counter(), time.process_time()
    scores = search(codes)
    return time.perf_counter() - wall, time.process_time() - processor, scores


def main() -> None:
    """Print one line per query length."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--libraries", action="store_true", help="the engine with each library alone")
    options = parser.parse_args()

    file = options.data / "proteins" / "swissprot_16species.fasta.gz"
    database = encode_database(read_sequences(file, PROTEIN), PROTEIN)
    if options.libraries:
        by_library(database, options.rounds, options.threads)
        return
    # The libraries' own matrix knows no U; it scores as C, as in the engine.
    table = bytes.maketrans(b"U", b"C")
    subjects = [PROTEIN.decode(database.subject(int(at))).translate(table) for at in database.order]
    with ThreadPoolExecutor(options.threads) as pool:
        loops = {"pyopal": pyopal_search(subjects, pool), "parasail": parasail_search(subjects, pool)}
        print(f"{len(subjects)} subjects, {database.residues} residues, {options.threads} threads, medians in GCUPS")
        print("query  engine   cold  pyopal  parasail   engine/better (quartiles)       processor time")
        for length in LENGTHS:
            line(database, loops, length, options.rounds, options.threads)


def by_library(database: EncodedDatabase, rounds: int, threads: int) -> None:
    """Print GCUPS of one core for each query length and library, from the least processor time of the rounds."""
    names = ["auto", *cpu.LIBRARIES]
    print(f"| query length | {' | '.join(names)} |\n|" + "---|" * (1 + len(names)))
    for length in LENGTHS:
        codes = database.subject(int(np.argmin(np.abs(database.lengths - length))))
        cells, found = len(codes) * database.residues / 1e9, []
        for name in names:
            search = engine_search(database, threads, name)
            found.append(cells / min(timed(search, codes)[1] for _ in range(rounds)))
        print(f"| {len(codes):,} | " + " | ".join(f"{one:.1f}" for one in found) + " |", flush=True)


def line(database: EncodedDatabase, loops: dict[str, Search], length: int, rounds: int, threads: int) -> None:
    """Time one query length and print its line."""
    codes = database.subject(int(np.argmin(np.abs(database.lengths - length))))
    engine = engine_search(database, threads)
    cold, _, expected = timed(engine, codes)
    times: dict[str, list[float]] = {name: [] for name in ("engine", *loops)}
    processor: dict[str, list[float]] = {name: [] for name in ("engine", *loops)}
    for _ in range(rounds):
        for name, search in {"engine": engine, **loops}.items():
            wall, used, scores = timed(search, codes)
            assert (scores == expected).all(), f"{name} disagrees"
            times[name].append(wall)
            processor[name].append(used)
    gcups = {name: len(codes) * database.residues / 1e9 / statistics.median(found) for name, found in times.items()}
    better = min(loops, key=lambda name: statistics.median(times[name]))
    ratios = [loop / own for loop, own in zip(times[better], times["engine"], strict=True)]
    low, middle, high = np.percentile(ratios, (25, 50, 75))
    least = {name: min(found) for name, found in processor.items()}
    effort = min(least[name] for name in loops) / least["engine"]
    print(
        f"{len(codes):5d}  {gcups['engine']:6.1f} {len(codes) * database.residues / 1e9 / cold:6.1f}"
        f"  {gcups['pyopal']:6.1f}  {gcups['parasail']:8.1f}   {middle:.2f} ({low:.2f} to {high:.2f}), {better:8s}"
        f"  {effort:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
