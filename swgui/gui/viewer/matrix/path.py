"""The scoring matrix around an alignment, the cells of paths, as plain arrays for a picture. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, advances
from swgui.core.control import Check
from swgui.core.scoring import EncodedQuery, ScoringScheme

MAX_SIDE = 1500  # cells along a side of the picture; on longer sides each dot means several
MARGIN_SHARE, MIN_MARGIN = 0.15, 50  # shown beyond the alignment: of its longer side, and residues at least


@dataclass(frozen=True, slots=True)
class Tile:
    """A part of the matrix in residues: half-open ranges, from 0."""

    query_start: int
    query_end: int
    subject_start: int
    subject_end: int

    @classmethod
    def around(cls, alignment: Alignment, query_length: int, subject_length: int) -> Tile:
        """Return the part around an alignment; all of it if the whole matrix fits into a picture."""
        if max(query_length, subject_length) <= MAX_SIDE:
            return cls(0, query_length, 0, subject_length)
        longer = max(alignment.query_end - alignment.query_start, alignment.subject_end - alignment.subject_start)
        margin = max(MIN_MARGIN, int(MARGIN_SHARE * longer))
        return cls(
            max(0, alignment.query_start - margin),
            min(query_length, alignment.query_end + margin),
            max(0, alignment.subject_start - margin),
            min(subject_length, alignment.subject_end + margin),
        )


@dataclass(frozen=True, slots=True, eq=False)
class PathMap:
    """Best local scores by the cell they end in."""

    # Best score of an alignment that ends with a subject residue (row) and a query residue (column), gaps included, 0
    # for none; the largest of a square where the picture is thinned out.
    scores: NDArray[np.int32]
    tile: Tile
    step: int  # residues for each row and column

    def score(self, query_position: int, subject_position: int) -> int | None:
        """Return the score shown for two residues (from 0); None outside the tile."""
        row = (subject_position - self.tile.subject_start) // self.step
        column = (query_position - self.tile.query_start) // self.step
        rows, columns = self.scores.shape
        return int(self.scores[row, column]) if 0 <= row < rows and 0 <= column < columns else None


def path_map(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    tile: Tile,
    *,
    check: Check = lambda: None,
) -> PathMap:
    """Score all cells of a tile, exactly: everything above and to the left of it is scored too.

    Subject residues are the rows here, and a row is computed at once. A gap along it is a running maximum (see
    `swgui.engines.rowscan`). Only the two last rows and the picture are kept.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
        Codes.
    check : callable
        Called once per row; may raise to give up.

    Returns
    -------
    PathMap
        Thinned out where a side of the tile is longer than `MAX_SIDE`. Time is O(rows x columns), from the first
        cell of the matrix to the last of the tile.
    """
    sides = tile.query_end - tile.query_start, tile.subject_end - tile.subject_start
    step = max(1, -(-max(sides) // MAX_SIDE))
    by_residue = np.ascontiguousarray(query.scores(scheme)[: tile.query_end].T.astype(np.int64))
    width = tile.query_end
    first, extend, gone_first, gone_extend = _gap_costs(query, scheme, width)
    ramp = np.cumsum(gone_extend)  # what leaving out all positions up to one costs beyond its opening
    opened = ramp[1:] - gone_first[1:]
    above = np.zeros(width, dtype=np.int64)
    gap = np.full(width, -(1 << 40), dtype=np.int64)  # ends in this row with a subject residue against a gap
    starts = np.arange(tile.query_start, tile.query_end, step)
    scores = np.zeros((-(-sides[1] // step), len(starts)), dtype=np.int32)
    for number, residue in enumerate(subject[: tile.subject_end].tolist()):
        check()
        cell = by_residue[residue].copy()
        cell[1:] += above[:-1]
        np.maximum(gap - extend, above - first, out=gap)
        np.maximum(cell, gap, out=cell)
        np.maximum(cell, 0, out=cell)
        along = np.maximum.accumulate(cell[:-1] + opened)
        np.maximum(cell[1:], along - ramp[1:], out=cell[1:])
        above = cell
        if number >= tile.subject_start:
            row = scores[(number - tile.subject_start) // step]
            np.maximum(row, np.maximum.reduceat(cell, starts) if step > 1 else cell[starts], out=row)
    return PathMap(scores, tile, step)


def _gap_costs(query: EncodedQuery, scheme: ScoringScheme, width: int) -> NDArray[np.int64]:
    """Return the gap costs of the first positions in the order of `PositionGaps.columns`, shape (4, width)."""
    if query.gaps is not None:
        return np.stack([costs[:width] for costs in query.gaps.columns]).astype(np.int64)
    return np.repeat(
        np.array([[scheme.gap_first], [scheme.gap_extend]] * 2, dtype=np.int64).reshape(4, 1), width, axis=1
    )


def path_cells(alignment: Alignment) -> NDArray[np.int64]:
    """Return the cells of the scoring matrix that an alignment runs through.

    Returns
    -------
    ndarray, shape=(columns + 1, 2), dtype=int64
        Number of query and of subject residues used before the first column and after each.
    """
    moved = advances(alignment)
    query, subject = alignment.query_start + np.cumsum(moved[0]), alignment.subject_start + np.cumsum(moved[1])
    cells = np.stack([query, subject], axis=1)
    return np.concatenate([[[alignment.query_start, alignment.subject_start]], cells]).astype(np.int64)


def steps_of(cells: NDArray[np.int64]) -> set[tuple[int, int, int, int]]:
    """Return the steps between neighbouring cells of one path (`path_cells`): query and subject before, and after."""
    return {(*a, *b) for a, b in zip(cells[:-1].tolist(), cells[1:].tolist(), strict=True)}


def chains(steps: Iterable[tuple[int, int, int, int]]) -> list[NDArray[np.int64]]:
    """Join steps into as few lines as following them greedily gives.

    Returns
    -------
    list of ndarray, shape=(k, 2), dtype=int64
        Cells; every step is in exactly one line.
    """
    leaving: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for a, b, c, d in sorted(steps):
        leaving.setdefault((a, b), []).append((c, d))
    lines = []
    for start in sorted(leaving):
        while leaving[start]:
            line, point = [start], start
            while leaving.get(point):
                point = leaving[point].pop(0)
                line.append(point)
            lines.append(np.array(line, dtype=np.int64))
    return lines
