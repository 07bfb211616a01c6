"""Two chains laid on each other by their aligned residues, and how well they fit: RMSD, TM-score and LDDT of CA atoms.

All of them look at pairs of residues that are aligned and have coordinates on both sides.

* RMSD: root of the mean squared distance after the rotation that makes it smallest (Kabsch 1976).
* TM-score (Zhang and Skolnick 2004): sum of ``1 / (1 + (d / d0)^2)`` over the pairs, divided by a length L;
  ``d0 = 1.24 (L - 15)^(1/3) - 1.8``, at least 0.5. The superposition is the one that makes it largest among those that
  start from pieces of the alignment, as in their program.
* LDDT (Mariani et al. 2013): of the distances up to 15 Å between aligned residues of the query, the share that is the
  same in the subject to 0.5, 1, 2 and 4 Å, averaged over these four and over the residues.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, spell_out
from swgui.core.hits.table import Hit
from swgui.core.structures.compact import unpack

Points: TypeAlias = NDArray[np.float64]  # shape (n, 3), in ångström

MIN_PAIRS: Final = 3  # below it no rotation is defined
_LDDT_RADIUS: Final = 15.0
_LDDT_STEPS: Final = (0.5, 1.0, 2.0, 4.0)
_LDDT_ROWS: Final = 256  # residues whose distances are in memory at a time
_SHORTEST_D0: Final = 0.5
_SEEDS: Final = 40  # pieces of each length that are tried
_SHORTEST_SEED: Final = 4
_ROUNDS: Final = 20


class Motion(msgspec.Struct, frozen=True, eq=False):
    """A rotation and a shift: a point p moves to ``p @ rotation + shift``."""

    rotation: NDArray[np.float64]  # shape (3, 3)
    shift: NDArray[np.float64]

    def moved(self, points: NDArray[np.floating]) -> Points:
        """Return the moved points, shape (n, 3)."""
        placed: Points = points.astype(np.float64) @ self.rotation + self.shift
        return placed


class Superposition(msgspec.Struct, frozen=True, eq=False):
    """The subject laid on the query."""

    motion: Motion  # takes the subject onto the query, with the smallest RMSD
    pairs: int  # aligned residues with coordinates on both sides
    rmsd: float  # in ångström
    # tm_query, tm_subject: TM-score, by the length of the query and of the subject
    tm_query: float
    tm_subject: float
    lddt: float  # 0 to 1


def kabsch(moving: Points, fixed: Points) -> Motion:
    """Return the motion that brings points nearest to as many others, by the sum of squared distances."""
    weights = np.ones((1, len(moving)))
    rotations, shifts = _motions(moving, fixed, weights)
    return Motion(rotations[0], shifts[0])


def rmsd(points: Points, other: Points) -> float:
    """Return the root of the mean squared distance of pairs of points, in ångström."""
    return float(np.sqrt(((points - other) ** 2).sum(axis=1).mean()))


def d0(length: int) -> float:
    """Return the distance at which a pair counts a half in the TM-score, in ångström."""
    return max(_SHORTEST_D0, 1.24 * float(np.cbrt(length - 15.0)) - 1.8)


def tm_score(moving: Points, fixed: Points, length: int) -> float:
    """Return the TM-score of aligned pairs of points, by a length.

    Returns
    -------
    float
        The largest over the superpositions that start from pieces of the alignment and add pairs that come near.
    """
    scale = d0(length)
    weights = _seeds(len(moving))
    best = 0.0
    for _ in range(_ROUNDS):
        rotations, shifts = _motions(moving, fixed, weights)
        squares = ((moving @ rotations + shifts[:, None] - fixed) ** 2).sum(axis=2)
        scores = (1 / (1 + squares / scale**2)).sum(axis=1) / length
        best = max(best, float(scores.max()))
        near = _near(squares, max(scale, 4.5) if scale < 8 else 8.0)
        if np.array_equal(near, weights):
            break
        weights = near
    return best


def lddt(query: Points, subject: Points) -> float:
    """Return the LDDT of aligned pairs of points, that of the query being the model; 0 without any distance."""
    shares = [_kept_distances(query, subject, slice(row, row + _LDDT_ROWS)) for row in range(0, len(query), _LDDT_ROWS)]
    share = np.concatenate([np.zeros(0), *shares])
    return float(share.mean()) if len(share) else 0.0


def _kept_distances(query: Points, subject: Points, rows: slice) -> NDArray[np.float64]:
    """Return the share of kept distances of some residues, of those that have a neighbour."""
    sizes = (query**2).sum(axis=1)
    near = sizes[rows, None] + sizes - 2 * query[rows] @ query.T < _LDDT_RADIUS**2 + 1  # nearly; exact test below
    residue, other = np.nonzero(near)
    residue += rows.start
    own, its = (np.sqrt(((points[residue] - points[other]) ** 2).sum(axis=1)) for points in (query, subject))
    counted = (own < _LDDT_RADIUS) & (residue != other)
    kept = sum(np.abs(own - its) < step for step in _LDDT_STEPS) / len(_LDDT_STEPS)
    sums, neighbours = (np.bincount(residue[counted] - rows.start, weights) for weights in (kept[counted], None))
    has = neighbours > 0
    shares: NDArray[np.float64] = sums[has] / neighbours[has]
    return shares


def superpose(query: NDArray[np.floating], subject: NDArray[np.floating], alignment: Alignment) -> Superposition | None:
    """Lay a subject on a query.

    Parameters
    ----------
    query, subject : ndarray, shape=(residues, 3)
        CA atoms of the whole chains, nan where there are none.

    Returns
    -------
    Superposition
        None with fewer than `MIN_PAIRS` pairs.
    """
    columns = spell_out(alignment)
    both = (columns.query >= 0) & (columns.subject >= 0)
    fixed, moving = query[columns.query[both]].astype(np.float64), subject[columns.subject[both]].astype(np.float64)
    resolved = ~(np.isnan(fixed).any(axis=1) | np.isnan(moving).any(axis=1))
    fixed, moving = fixed[resolved], moving[resolved]
    if len(fixed) < MIN_PAIRS:
        return None
    motion = kabsch(moving, fixed)
    return Superposition(
        motion,
        len(fixed),
        rmsd(motion.moved(moving), fixed),
        tm_score(moving, fixed, len(query)),
        tm_score(moving, fixed, len(subject)),
        lddt(fixed, moving),
    )


@lru_cache(maxsize=2048)
def superposed(
    query: bytes, residues: int, subject: bytes, subject_residues: int, path: tuple[int, int, str]
) -> Superposition | None:
    """Return `superpose` of packed coordinates along a path (`Alignment.path`); None where they are not known."""
    query_chain, subject_chain = unpack(query, residues), unpack(subject, subject_residues)
    if query_chain is None or subject_chain is None:
        return None
    return superpose(query_chain.ca, subject_chain.ca, Alignment.from_cigar(*path, 0))


def _motions(moving: Points, fixed: Points, weights: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the best rotation and shift for each row of weights, shapes (s, 3, 3) and (s, 3)."""
    sums = weights.sum(axis=1, keepdims=True)
    middles, others = weights @ moving / sums, weights @ fixed / sums
    products = (moving[:, :, None] * fixed[:, None, :]).reshape(len(moving), 9)
    covariance = (weights @ products / sums).reshape(-1, 3, 3) - middles[:, :, None] * others[:, None, :]
    left, _, right = np.linalg.svd(covariance)
    left[:, :, 2] *= np.sign(np.linalg.det(left @ right))[:, None]  # or it would be a mirror
    rotations = left @ right
    return rotations, others - (middles[:, None] @ rotations)[:, 0]


def _seeds(count: int) -> Points:
    """Return masks of the pairs of the first superpositions, shape (seeds, count): pieces of several lengths."""
    rows = []
    length = count
    while length >= min(_SHORTEST_SEED, count):
        starts = np.unique(np.linspace(0, count - length, min(_SEEDS, count - length + 1)).astype(np.int64))
        positions = np.arange(count)
        rows.append((positions >= starts[:, None]) & (positions < starts[:, None] + length))
        if length <= _SHORTEST_SEED:
            break
        length = max(_SHORTEST_SEED, length // 2)
    return np.concatenate(rows).astype(np.float64)


def _near(squares: Points, limit: float) -> Points:
    """Return the pairs that lie near each other, shape (seeds, pairs); of the nearest ones if too few do."""
    near = squares < limit**2
    few = near.sum(axis=1) < MIN_PAIRS
    if few.any():
        last = np.partition(squares[few], MIN_PAIRS - 1, axis=1)[:, MIN_PAIRS - 1 : MIN_PAIRS]
        near[few] = squares[few] <= last
    return near.astype(np.float64)


def superposition_of(hit: Hit) -> Superposition | None:
    """Return the superposition of the subject of a hit on its query; None without coordinates or alignment."""
    query, subject = hit.query_record, hit.subject
    if not (query.places and subject.places and hit.alignment) or hit.strand < 0:
        return None
    path = hit.alignment.path
    return superposed(query.places, len(query.residues), subject.places, len(subject.residues), path)
