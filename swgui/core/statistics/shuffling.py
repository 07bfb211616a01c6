"""Shuffled subjects as a database, and the statistics of their scores for the real one.

A shuffle keeps a subject's length and composition and destroys everything else, so the scores of shuffles show the
chance scores of exactly this pair. Windowed shuffles also keep the composition of every stretch: they are the stricter
test for subjects with biased stretches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.database import ArrayDatabase, TextColumn, content_checksum, tracks_of
from swgui.core.errors import InvalidParameter
from swgui.core.packing import sort_by_length
from swgui.core.statistics.evalue import LN10
from swgui.core.statistics.fit import EULER, SCALE

CODES: Final = 32  # symbols for which 5 bits are enough
BLOCK_KEYS: Final = 2_000_000  # sort keys held at a time
BATCH_RESIDUES: Final = 64_000_000  # shuffled residues held at a time


@dataclass(frozen=True, slots=True)
class ShufflePlan:
    """Number and kind of the shuffles of subjects."""

    count: int = 1000  # shuffles of each subject
    window: int = 0  # residues are shuffled within consecutive windows of this many; 0 shuffles the whole sequence
    seed: int = 1  # the same seed gives the same shuffles of a subject, whatever else is shuffled with it

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InvalidParameter("count", self.count, f"{self.count} shuffles are none.")
        if self.window < 0 or self.window == 1:
            raise InvalidParameter(
                "window",
                self.window,
                f"A window of {self.window} leaves nothing to shuffle.",
                hint="Choose 2 or more, or 0 for the whole sequence.",
            )
        if self.seed < 0:
            raise InvalidParameter("seed", self.seed, f"The seed {self.seed} is below 0.")

    def describe(self) -> str:
        """Return the plan in words."""
        within = f"within windows of {self.window} residues" if self.window else "over the whole sequence"
        return f"{self.count:,} shuffles {within}, seed {self.seed}"


def shuffles(codes: NDArray[np.uint8], count: int, window: int, generator: np.random.Generator) -> NDArray[np.uint8]:
    """Shuffle a sequence several times.

    Residues are sorted by random keys of 59 bits, with the code in the 5 bits below (48 and 16 in two tracks): several
    times quicker than exchanging residues, and every order is equally likely as long as no two keys are equal.

    Parameters
    ----------
    codes : ndarray, shape=(n,), dtype=uint8 or uint16
    window : int
        0 for the whole sequence.

    Returns
    -------
    ndarray, shape=(count, n), of the same dtype
    """
    low = np.uint64(31 if codes.max(initial=0) < CODES else np.iinfo(np.uint16).max)
    n = codes.size
    width = window if 0 < window < n else max(n, 1)
    whole = n // width * width
    shuffled = np.empty((count, n), dtype=codes.dtype)
    step = max(1, BLOCK_KEYS // max(n, 1))
    for start in range(0, count, step):
        rows = min(step, count - start)
        keys = generator.integers(0, 1 << 64, (rows, n), dtype=np.uint64)
        keys &= ~low
        keys |= codes
        windows = keys[:, :whole].reshape(rows, -1, width)
        windows.sort(axis=2)
        rest = np.sort(keys[:, whole:], axis=1)
        shuffled[start : start + rows, :whole] = (windows & low).reshape(rows, whole)
        shuffled[start : start + rows, whole:] = rest & low
    return shuffled


def rearranged(codes: NDArray[np.uint8], count: int, stretch: int, generator: np.random.Generator) -> NDArray[np.uint8]:
    """Read a sequence from behind, in stretches of which each stays whole and comes somewhere else.

    Parameters
    ----------
    codes : ndarray, shape=(n,), dtype=uint8 or uint16
    stretch : int
        Residues of one; where the first is cut is left to chance, too.

    Returns
    -------
    ndarray, shape=(count, n), of the same dtype
    """
    n, places = codes.size, np.arange(codes.size)
    turned = (places[::-1] + generator.integers(0, max(n, 1), (count, 1))) % max(n, 1)
    order = generator.random((count, n // stretch + 1))[:, places // stretch].argsort(axis=1, kind="stable")
    return np.asarray(codes[np.take_along_axis(turned, order, axis=1)])


def shuffled_batches(
    subjects: Sequence[NDArray[np.uint8]],
    keys: Sequence[int],
    plan: ShufflePlan,
    alphabet: Alphabet,
    batch_residues: int = BATCH_RESIDUES,
    make: Callable[[NDArray[np.uint8], int, int, np.random.Generator], NDArray[np.uint8]] = shuffles,
) -> Iterator[tuple[ArrayDatabase, NDArray[np.int64]]]:
    """Yield the shuffles of subjects as databases of bounded size, which any engine can score.

    Parameters
    ----------
    subjects : sequence of ndarray, dtype=uint8
    keys : sequence of int
        A number of each subject that seeds its shuffles, its source index for example.
    batch_residues : int
        Residues per database; a single longer shuffle is a database of its own.
    make : callable
        `shuffles` or `rearranged`, which is given the window of the plan.

    Yields
    ------
    ArrayDatabase
        Subjects in source order are the shuffles in the order made; they have no names.
    ndarray, shape=(N,), dtype=int64
        Position in `subjects` of each of its sequences.
    """
    blocks: list[NDArray[np.uint8]] = []
    owners: list[int] = []
    filled = 0
    for owner, (codes, key) in enumerate(zip(subjects, keys, strict=True)):
        generator = np.random.default_rng([plan.seed, key])
        left = plan.count
        while left:
            room = max(1, (batch_residues - filled) // max(codes.size, 1))
            if blocks and codes.size > batch_residues - filled:
                yield _database(blocks, owners, alphabet)
                blocks, owners, filled = [], [], 0
                continue
            take = min(left, room)
            blocks.append(make(codes, take, plan.window, generator))
            owners.append(owner)
            filled += take * codes.size
            left -= take
    if blocks:
        yield _database(blocks, owners, alphabet)


def _database(
    blocks: Sequence[NDArray[np.uint8]], owners: Sequence[int], alphabet: Alphabet
) -> tuple[ArrayDatabase, NDArray[np.int64]]:
    """Put blocks of equally long sequences together; source order is the order of the blocks."""
    counts = np.array([len(block) for block in blocks])
    widths = np.array([block.shape[1] for block in blocks])
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    by_length = sort_by_length(widths)
    offsets = np.concatenate([[0], np.cumsum(np.repeat(widths[by_length], counts[by_length]))]).astype(np.int64)
    symbols = np.concatenate([blocks[i].ravel() for i in by_length])
    codes, track = tracks_of(alphabet, symbols)
    order = np.concatenate([np.arange(first[i], first[i] + counts[i]) for i in by_length]).astype(np.int64)
    nameless = TextColumn(np.zeros(0, dtype=np.uint8), np.zeros(len(order) + 1, dtype=np.int64))
    database = ArrayDatabase(
        name="shuffled subjects",
        alphabet=alphabet,
        codes=codes,
        offsets=offsets,
        order=order,
        ids=nameless,
        descriptions=nameless,
        checksum=content_checksum(alphabet, symbols, offsets, nameless),
        track=track,
    )
    return database, np.repeat(np.array(owners, dtype=np.int64), counts)


@dataclass(frozen=True, slots=True, eq=False)
class ZValue:
    """Distance of a score from those of shuffles of the same subject."""

    row: int  # row of the hit in its query's list
    db_index: int
    score: int
    # mean, standard_deviation: of the shuffles' scores
    mean: float
    standard_deviation: float
    z: float  # ``(score - mean) / standard deviation``; NaN if all shuffles score the same
    # Decadic logarithm of the chance that one shuffle scores at least as high, from an extreme-value distribution
    # with this mean and standard deviation; NaN like z.
    log10_p: float
    reached: int  # shuffles that score at least as high
    plan: ShufflePlan
    shuffled_scores: NDArray[np.int32] = field(repr=False)  # shape (count,)

    @property
    def counted_p(self) -> float:
        """Chance by counting, ``(reached + 1) / (count + 1)``: never 0, and no distribution is assumed."""
        return (self.reached + 1) / (self.plan.count + 1)

    def explain(self) -> str:
        """Return the derivation of Z and p, with the values put in."""
        head = f"{self.plan.describe()}: mean score {self.mean:.2f}, standard deviation {self.standard_deviation:.3f}"
        counted = (
            f"{self.reached} of {self.plan.count} shuffles score {self.score} or more: "
            f"p = ({self.reached} + 1) / ({self.plan.count} + 1) = {self.counted_p:.3g} by counting."
        )
        if math.isnan(self.z):
            return f"{head}.\nAll shuffles score the same, so there is no Z-value.\n{counted}"
        return (
            f"{head}.\n"
            f"Z = (S − mean) / standard deviation = ({self.score} − {self.mean:.2f}) / {self.standard_deviation:.3f} "
            f"= {self.z:.2f}\n"
            f"p = 1 − exp(−exp(−(π/√6 Z + 0.5772))), log10 p = {self.log10_p:.2f}\n{counted}"
        )


def z_value(row: int, db_index: int, score: int, shuffled_scores: NDArray[np.int32], plan: ShufflePlan) -> ZValue:
    """Compare a score with those of shuffles.

    Parameters
    ----------
    shuffled_scores : ndarray, shape=(plan.count,), dtype=int32
    """
    values = shuffled_scores.astype(np.float64)
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    z = (score - mean) / deviation if deviation > 0 else math.nan
    t = SCALE * z + EULER
    # ln(1 - exp(-exp(-t))), which is -t to the last digit once exp(-t) is tiny.
    ln_p = -t if t > 36 else math.log(-math.expm1(-math.exp(-t)))
    return ZValue(
        row=row,
        db_index=db_index,
        score=score,
        mean=mean,
        standard_deviation=deviation,
        z=z,
        log10_p=ln_p / LN10,
        reached=int((shuffled_scores >= score).sum()),
        plan=plan,
        shuffled_scores=shuffled_scores,
    )
