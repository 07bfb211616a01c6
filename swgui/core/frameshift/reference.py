"""The recurrence in NumPy, one residue at a time, and its paths: the reference of every engine.

E runs along a row in steps of three columns, which is three running maxima, as gaps along rows are elsewhere
(`swgui.engines.rowscan`): ``gap_extend <= gap_first``, so a gap need not be opened from inside another one of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.frameshift.alignment import BASES, RESIDUES, Shifted, ShiftOp
from swgui.core.ranges import places_within

MOVES: Final = (1, -1, 2, -2)  # in the order in which a path prefers them
NEVER: Final = -(1 << 40)

_Row = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ends:
    """The last cell of a best alignment: of all with the best score the first column's, and there the first row's."""

    score: int
    # protein_end, dna_end: Residues and bases before the end. Both 0 if the score is 0.
    protein_end: int
    dna_end: int


def best_end(
    profile: NDArray[np.int16],
    codons: NDArray[np.integer],
    gap_first: int,
    gap_extend: int,
    shift: int,
    moves: tuple[int, ...] = MOVES,
) -> Ends:
    """Score a protein with a strand of DNA.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
        Rows of a matrix or of a position-specific protein.
    codons : ndarray, shape=(n - 2,), dtype=uint8 or int64
        Translations of the three bases from each base on; empty for fewer than three bases.
    gap_first, gap_extend : int
        Costs of the first and of each other residue of a gap, ``0 <= gap_extend <= gap_first``.
    shift : int
        Cost of a frameshift, 0 or more.
    moves : tuple of int
        By how many bases a frameshift may move.
    """
    best = np.zeros(len(codons) + 3, dtype=np.int64)
    best_row = np.zeros(len(codons) + 3, dtype=np.int64)
    for number, (h, _, _) in enumerate(_rows(profile, codons, (gap_first, gap_extend, shift), moves)):
        best_row[h > best] = number + 1
        np.maximum(best, h, out=best)
    column = int(np.argmax(best))
    return Ends(int(best[column]), int(best_row[column]), column) if best[column] else Ends(0, 0, 0)


def shifted_alignment(
    profile: NDArray[np.int16],
    codons: NDArray[np.integer],
    gap_first: int,
    gap_extend: int,
    shift: int,
    moves: tuple[int, ...] = MOVES,
) -> Shifted | None:
    """Find the alignment that ends where `best_end` says; None if nothing scores above 0.

    Ties are broken, read from the end, in this order: a pair before a residue without codon before a codon without
    residue; a pair that follows another without a shift before shifts in the order of `MOVES`; the start as soon as it
    may be one. Parameters as of `best_end`.
    """
    ends = best_end(profile, codons, gap_first, gap_extend, shift, moves)
    if not ends.score:
        return None
    profile, codons = profile[: ends.protein_end], codons[: ends.dna_end - 2]
    costs = (gap_first, gap_extend, shift)
    h, e, f = (np.array(rows) for rows in zip(*_rows(profile, codons, costs, moves), strict=True))
    steps: list[tuple[int, int]] = []
    i, j, state = ends.protein_end, ends.dna_end, ShiftOp.PAIR
    while True:
        cell = _Cell(h, e, f, i, j, costs, moves)
        if state == ShiftOp.PAIR:
            if h[i - 1, j] == 0:
                break
            state = cell.origin(profile, codons)
            if state == ShiftOp.PAIR:
                steps.append((ShiftOp.PAIR, 1))
                moved = cell.moved()
                if moved:
                    steps.append((ShiftOp.SKIP if moved > 0 else ShiftOp.AGAIN, abs(moved)))
                i, j = i - 1, j - 3 - moved
                if i == 0 or j < 3:
                    break
        elif state == ShiftOp.RESIDUE:
            steps.append((ShiftOp.RESIDUE, 1))
            opened = i > 1 and f[i - 1, j] == h[i - 2, j] - gap_first
            i, state = i - 1, ShiftOp.PAIR if opened else state
        else:
            steps.append((ShiftOp.CODON, 1))
            opened = e[i - 1, j] == h[i - 1, j - 3] - gap_first
            j, state = j - 3, ShiftOp.PAIR if opened else state
    return Shifted.from_end((ends.protein_end, ends.dna_end), steps, ends.score)


@dataclass(frozen=True, slots=True)
class _Cell:
    """One cell of a kept matrix, row i (from 1) and column j."""

    h: _Row
    e: _Row
    f: _Row
    i: int
    j: int
    costs: tuple[int, int, int]
    moves: tuple[int, ...]

    def before(self, move: int) -> int:
        """Return H of the cell that a pair here follows after a move."""
        j = self.j - 3 - move
        return int(self.h[self.i - 2, j]) if self.i > 1 and 0 <= j < self.h.shape[1] else 0

    def moved(self) -> int:
        """Return by how many bases the reading moved before the pair that ends here."""
        chosen, best = 0, self.before(0)
        for move in sorted(self.moves, key=MOVES.index):
            if self.before(move) - self.costs[2] > best:
                chosen, best = move, self.before(move) - self.costs[2]
        return chosen

    def origin(self, profile: NDArray[np.int16], codons: NDArray[np.integer]) -> ShiftOp:
        """Return the step that gave H of this cell."""
        value = self.h[self.i - 1, self.j]
        if self.j >= 3:
            moved = self.moved()
            pair = self.before(moved) - (self.costs[2] if moved else 0) + profile[self.i - 1, codons[self.j - 3]]
            if value == pair:
                return ShiftOp.PAIR
        return ShiftOp.RESIDUE if value == self.f[self.i - 1, self.j] else ShiftOp.CODON


def rescored(
    alignment: Shifted,
    profile: NDArray[np.int16],
    codons: NDArray[np.integer],
    gap_first: int,
    gap_extend: int,
    shift: int,
) -> int:
    """Add up an alignment's score from its runs. Parameters as of `best_end`."""
    ops, lengths = alignment.ops, alignment.lengths
    residues, bases = RESIDUES[ops] * lengths, BASES[ops] * lengths
    paired, gaps = ops == ShiftOp.PAIR, (ops == ShiftOp.RESIDUE) | (ops == ShiftOp.CODON)
    run = np.repeat(np.flatnonzero(paired), lengths[paired])
    within = places_within(lengths[paired])
    rows = alignment.protein_start + (np.cumsum(residues) - residues)[run] + within
    columns = alignment.dna_start + (np.cumsum(bases) - bases)[run] + 3 * within
    score = int(profile[rows, codons[columns]].sum(dtype=np.int64)) - shift * alignment.shifts
    return score - int(gaps.sum()) * gap_first - int((lengths[gaps] - 1).sum()) * gap_extend


def span_bound(profile: NDArray[np.int16], gap_first: int, gap_extend: int, shift: int) -> int:
    """Return the number of bases that an alignment with a score above 0 can span; -1 if costs do not bound it.

    Parameters as of `best_end`.

    The sum of its pairs is at most the sum of the rows' highest scores, and codons without residue and skipped bases
    must cost less. So two strands that overlap by it have every alignment in one of them.
    """
    highest = profile.max(axis=1, initial=0).sum(dtype=np.int64, keepdims=True)
    return int(widest_spans(np.array([len(profile)]), highest, gap_first, gap_extend, shift)[0])


def widest_spans(residues: _Row, highest: _Row, gap_first: int, gap_extend: int, shift: int) -> _Row:
    """Return `span_bound` of several proteins, from their residues and the most that their pairs score, shape (k,)."""
    if gap_extend == 0 or shift == 0:
        return np.full(len(residues), -1, dtype=np.int64)
    codons = np.maximum(0, highest - gap_first) // gap_extend + 1
    return np.asarray(3 * (residues + codons) + 2 * (highest // shift))


def _rows(
    profile: NDArray[np.int16], codons: NDArray[np.integer], costs: tuple[int, int, int], moves: tuple[int, ...]
) -> Iterator[tuple[_Row, _Row, _Row]]:
    """Yield H, E and F of each row, [bases + 1] each."""
    gap_first, gap_extend, shift = costs
    columns = len(codons) + 3
    ramp = np.arange(columns) // 3 * gap_extend
    above, down = np.zeros(columns, dtype=np.int64), np.full(columns, NEVER, dtype=np.int64)
    for scores in profile.astype(np.int64):
        ahead = np.pad(above, 2)
        reached = above.copy()
        for move in moves:
            np.maximum(reached, ahead[2 - move : 2 - move + columns] - shift, out=reached)
        h = np.zeros(columns, dtype=np.int64)
        np.maximum(reached[:-3] + scores[codons], 0, out=h[3:])
        down = np.maximum(above - gap_first, down - gap_extend)
        np.maximum(h, down, out=h)
        along = np.full(columns, NEVER, dtype=np.int64)
        for frame in range(3):
            lifted = np.maximum.accumulate(h[frame::3] + ramp[frame::3])
            along[frame + 3 :: 3] = lifted[:-1] - ramp[frame + 3 :: 3] + (gap_extend - gap_first)
        np.maximum(h, along, out=h)
        yield h, along, down
        above = h
