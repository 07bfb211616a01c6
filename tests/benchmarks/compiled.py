"""Time the compiled library on one core, at every instruction set of this CPU.

    python -m tests.benchmarks.compiled [--rounds 5] [--positions]

Random queries of four lengths against random subjects: *scores* of 6,400 subjects of 200 to 400 residues; *regions*,
*paths* and *sums* of 512 subjects of 450 residues that share 40 % of the query's residues, their scores known.
BLOSUM62, first 12, extend 1; processor time of the calling thread, least of the rounds, so that other work on the
computer matters little. With ``--positions`` the queries are profiles with gap costs by position
(`packaging/measuring/speed/data.py: as_profile`).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import native
from swgui.engines.native import library
from swgui.io.matrices import load_matrix

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging" / "measuring"))

from speed.data import as_profile

LENGTHS = (60, 150, 400, 1500)
COSTS = (12, 1)


def least(rounds: int, work: Callable[[], object]) -> float:
    """Return the least processor seconds of some calls."""
    times = []
    for _ in range(rounds):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return min(times)


def random_subjects(rng: np.random.Generator) -> native.Subjects:
    """Return unrelated subjects for scores."""
    offsets = np.concatenate([[0], np.cumsum(rng.integers(200, 401, 6_400))])
    return native.Subjects.packed(rng.integers(0, 20, offsets[-1]).astype(np.uint8), offsets)


def relatives(rng: np.random.Generator, codes: np.ndarray) -> native.Subjects:
    """Return subjects that share residues with the query, place by place."""
    subjects = rng.integers(0, 20, (512, 450)).astype(np.uint8)
    width = min(len(codes), 450)
    kept = rng.random((512, width)) < 0.4
    subjects[:, :width] = np.where(kept, codes[:width], subjects[:, :width])
    return native.Subjects.packed(subjects.ravel(), np.arange(513) * 450)


def line(level: str, length: int, rounds: int, *, positions: bool) -> None:
    """Time one query length and print its line."""
    rng = np.random.default_rng(length)
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), *COSTS)
    query = EncodedQuery("q", rng.integers(0, 20, length).astype(np.uint8))
    if positions:
        query = as_profile(query, scheme, model=True)
    gaps = query.gaps
    profile, many, some = query.scores(scheme), random_subjects(rng), relatives(rng, query.codes)
    found = native.regions(profile, some, *COSTS, gaps=gaps, threads=1)
    paths = native.trace(profile, some, found, *COSTS, gaps=gaps, threads=1)
    scores = least(rounds, lambda: native.Scorer(profile, *COSTS, gaps).scores(many))
    works = (
        lambda: native.regions(profile, some, *COSTS, gaps=gaps, known=found.scores, threads=1),
        lambda: native.trace(profile, some, found, *COSTS, gaps=gaps, threads=1),
        lambda: native.add_up(query, some, paths, scheme),
    )
    each = [least(rounds, work) / len(some) * 1e6 for work in works]
    gcups = length * int(many.lengths.sum()) / scores / 1e9
    cells = int(found.cells.mean())
    print(
        f"| {level} | {length:,} | {gcups:.1f} | {cells:,} | " + " | ".join(f"{one:.1f}" for one in each) + " |",
        flush=True,
    )


def main() -> None:
    """Print a table, one line for each instruction set and length."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--positions", action="store_true")
    options = parser.parse_args()
    loaded, levels, why = library.probe()
    if loaded is None:
        raise SystemExit(why)
    print(
        "| instruction set | query | scores, GCUPS | cells of a region | regions, µs | paths, µs | sums, µs |\n|"
        + "---|" * 7
    )
    for number, level in enumerate(levels):
        library.probe = lambda only=levels[: number + 1]: (loaded, only, "")  # type: ignore[assignment]
        for length in LENGTHS:
            line(library.LEVELS[level], length, options.rounds, positions=options.positions)


if __name__ == "__main__":
    main()
