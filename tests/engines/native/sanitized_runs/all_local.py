"""All alignments of a pair under AddressSanitizer; run by test_sanitized.py in a process of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines import native
from swgui.engines.native.grid import Found, Grid, rest_scores, takes
from swgui.engines.traceback.every import all_local
from swgui.engines.traceback.many import align_many
from tests.engines.conftest import random_gaps
from tests.engines.native.sanitized_runs._levels import with_each_level

SCHEME = ScoringScheme(match_mismatch(NUCLEOTIDE, 2, -3), 7, 2)
EDGES = (1, 63, 64, 65, 127, 128, 129)  # at and next to the edges of tiles of 64 and of 128
TILES = ((64, 64), (128, 64), (64, 512))
THREADS = 3


def alike(rng: np.random.Generator, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a query and a subject that ends with a changed piece of it."""
    query, subject = (rng.integers(0, 4, size).astype(np.uint8) for size in (rows, columns))
    both = min(rows, columns)
    subject[columns - both :] = query[:both]
    subject[::9] = 0
    return query, subject


def costs_of(rng: np.random.Generator, rows: int, factor: int) -> PositionGaps:
    """Return costs by position that no deletion pays back, so that the grid takes them."""
    gaps = random_gaps(rng, rows, 9, factor)
    made = PositionGaps(
        gaps.insertion_first, gaps.insertion_extend, gaps.deletion_first, np.maximum(gaps.deletion_extend, 0)
    )
    assert takes(made)
    return made


def every(profile: np.ndarray, subject: np.ndarray, gaps: PositionGaps | None, tile: tuple[int, int]) -> list[Found]:
    """Return the first alignments of a pair."""
    with Grid(profile, subject, 7, 2, gaps=gaps, tile=tile) as grid:
        return [found for _ in range(6) if (found := grid.next(5)) is not None]


def tiles(rng: np.random.Generator) -> None:
    """The same alignments from tiles of every shape, with and without costs by position, in 16 and in 32 bits."""
    jobs = []
    for factor in (1, 300):
        for rows in EDGES:
            query, subject = alike(rng, rows, int(rng.choice(EDGES)))
            profile = SCHEME.matrix.scores[query] * np.int16(factor)
            jobs += [(profile, subject, gaps) for gaps in (None, costs_of(rng, rows, factor))]
    with ThreadPoolExecutor(THREADS) as pool:
        first, *others = (list(pool.map(lambda job, tile=tile: every(*job, tile), jobs)) for tile in TILES)
    assert all(other == first for other in others)
    assert sum(map(len, first)) > len(jobs)
    known.append(first)
    assert first == known[0]


def seconds(rng: np.random.Generator) -> None:
    """Second-best alignments of many subjects, on all cores; the same as one by one."""
    query, _ = alike(rng, 129, 1)
    codes = [alike(rng, 129, size)[1] for size in EDGES[1:] for _ in range(20)]
    subjects = native.Subjects.packed(np.concatenate(codes), np.cumsum([0, *map(len, codes)]))
    for gaps in (None, costs_of(rng, len(query), 1)):
        asked = EncodedQuery("q", query, SCHEME.matrix.scores[query], gaps=gaps)
        aligned = align_many(asked, subjects, SCHEME)
        costs = SCHEME.gap_first, SCHEME.gap_extend
        spans = np.tile([0, len(query)], (len(codes), 1))
        found = rest_scores(asked.scores(SCHEME), spans, subjects, aligned.paths, *costs, gaps=gaps)
        for at in range(0, len(codes), 11):
            both = [one.score for _, one in zip(range(2), all_local(asked, codes[at], SCHEME), strict=False)]
            assert both == [aligned.alignment(at).score, *[score for score in [int(found[at])] if score > 0]]


known: list[list[list[Found]]] = []


def run(rng: np.random.Generator) -> None:
    tiles(rng)
    seconds(rng)


def main() -> None:
    with_each_level(run, seed=3)


if __name__ == "__main__":
    main()
