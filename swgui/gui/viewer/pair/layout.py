"""What stands in the columns of a pair alignment: rows, match line, blocks and rulers. Pure, without Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Op, spell_out
from swgui.core.hits.results import Hit
from swgui.core.scoring import ScoringScheme

GAP = ord("-")
BLANK = ord(" ")


class Kind(IntEnum):
    """What one column of a pair alignment is."""

    IDENTITY = 0
    POSITIVE = 1  # different residues with a matrix value above zero
    MISMATCH = 2
    GAP = 3
    FLANK = 4  # beyond the local alignment


@dataclass(frozen=True, slots=True, eq=False)
class PairLayout:
    """A pair alignment as columns; all arrays have shape (k,).

    Parameters
    ----------
    query, match, subject : ndarray, dtype=uint8
        ASCII symbols; ``-`` in a gap, blank where a flank is shorter than the other.
    query_positions, subject_positions : ndarray, dtype=int64
        Residue numbers as shown, from 1; 0 where there is no residue.
    scores : ndarray, dtype=int32
        What the column adds: the matrix value of a pair, minus the cost of a residue in a gap.
    running : ndarray, dtype=int64
        Sum of `scores` from the left.
    kinds : ndarray, dtype=uint8
        `Kind` of each column.
    strand : {1, -1}
        On the minus strand the subject runs backwards and both rows are complemented, as BLAST shows it.
    """

    query: NDArray[np.uint8] = field(repr=False)
    match: NDArray[np.uint8] = field(repr=False)
    subject: NDArray[np.uint8] = field(repr=False)
    query_positions: NDArray[np.int64] = field(repr=False)
    subject_positions: NDArray[np.int64] = field(repr=False)
    scores: NDArray[np.int32] = field(repr=False)
    running: NDArray[np.int64] = field(repr=False)
    kinds: NDArray[np.uint8] = field(repr=False)
    strand: int = 1

    def __len__(self) -> int:
        return len(self.kinds)

    def column_of_query(self, position: int) -> int:
        """Return the column of a query residue, -1 if it is not shown."""
        found = np.flatnonzero(self.query_positions == position)
        return int(found[0]) if len(found) else -1


def lay_out_pair(hit: Hit, scheme: ScoringScheme, flank: int = 0) -> PairLayout:
    """Spell out a hit's alignment for the screen.

    Parameters
    ----------
    hit : Hit
        With an alignment.
    flank : int
        Residues beyond the alignment to show on either side, where the sequences have them.
    """
    alignment, alphabet = hit.alignment, scheme.alphabet
    if alignment is None:
        raise ValueError("This hit has no alignment.")
    subject_codes = alphabet.encode(hit.subject.residues)
    columns = spell_out(alignment)
    left = _flank(alignment.query_start, alignment.subject_start, flank, -1, 0, 0)
    right = _flank(alignment.query_end, alignment.subject_end, flank, 1, len(hit.query.codes), len(subject_codes))
    q = np.concatenate([left[0], columns.query, right[0]])
    s = np.concatenate([left[1], columns.subject, right[1]])
    inside = slice(len(left[0]), len(left[0]) + len(columns.query))
    in_alignment = np.zeros(len(q), dtype=bool)
    in_alignment[inside] = True

    # On the minus strand they are read as the user wrote them: to complement a U twice would make a T of it.
    given = alphabet.encode(hit.query_record.residues)[::-1] if hit.strand < 0 else hit.query.codes
    query_symbols = np.frombuffer(alphabet.decode(given), dtype=np.uint8)
    subject_symbols = np.frombuffer(alphabet.decode(subject_codes), dtype=np.uint8)
    paired = in_alignment & (q >= 0) & (s >= 0)
    scores = np.zeros(len(q), dtype=np.int32)
    scores[paired] = hit.query.scores(scheme)[q[paired], subject_codes[s[paired]]]
    kinds = np.full(len(q), Kind.FLANK, dtype=np.uint8)
    kinds[in_alignment] = Kind.GAP
    same = np.zeros(len(q), dtype=bool)
    same[paired] = alphabet.same(hit.query.codes[q[paired]], subject_codes[s[paired]])
    kinds[paired] = np.where(same[paired], Kind.IDENTITY, np.where(scores[paired] > 0, Kind.POSITIVE, Kind.MISMATCH))
    empty = np.where(in_alignment, GAP, BLANK).astype(np.uint8)
    query = np.where(q >= 0, query_symbols[np.maximum(q, 0)] if len(query_symbols) else empty, empty)
    subject = np.where(s >= 0, subject_symbols[np.maximum(s, 0)] if len(subject_symbols) else empty, empty)
    query_positions, subject_positions = np.where(q >= 0, q + 1, 0), np.where(s >= 0, s + 1, 0)

    if hit.strand < 0:  # show the query forwards, as the user wrote it, and the subject backwards
        query = query[::-1]
        subject = _complement(subject, alphabet.complements)[::-1]
        query_positions = np.where(q >= 0, len(query_symbols) - q, 0)[::-1]
        subject_positions = subject_positions[::-1]
        kinds, scores, same = kinds[::-1].copy(), scores[::-1].copy(), same[::-1]

    _charge_gaps(scores, kinds, query == GAP, scheme)
    symbols = query if alphabet.name == "protein" else np.full(len(query), ord("|"), dtype=np.uint8)
    match = np.where(same, symbols, np.where(kinds == Kind.POSITIVE, ord("+"), BLANK)).astype(np.uint8)
    return PairLayout(
        query=query.astype(np.uint8),
        match=match,
        subject=subject.astype(np.uint8),
        query_positions=query_positions.astype(np.int64),
        subject_positions=subject_positions.astype(np.int64),
        scores=scores,
        running=np.cumsum(scores, dtype=np.int64),
        kinds=kinds,
        strand=hit.strand,
    )


def _flank(
    query_edge: int, subject_edge: int, length: int, direction: int, query_limit: int, subject_limit: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return positions beyond one end of an alignment, -1 where a sequence has ended."""
    query_left = min(length, abs(query_limit - query_edge))
    subject_left = min(length, abs(subject_limit - subject_edge))
    columns = np.arange(max(query_left, subject_left), dtype=np.int64)
    step = columns if direction > 0 else -1 - columns
    query = np.where(columns < query_left, query_edge + step, -1)
    subject = np.where(columns < subject_left, subject_edge + step, -1)
    return (query, subject) if direction > 0 else (query[::-1], subject[::-1])


def _complement(symbols: NDArray[np.uint8], complements: object) -> NDArray[np.uint8]:
    table = np.arange(256, dtype=np.uint8)
    for symbol, other in dict(complements).items():  # type: ignore[call-overload]
        table[ord(symbol)] = ord(other)
    return table[symbols]


def _charge_gaps(
    scores: NDArray[np.int32], kinds: NDArray[np.uint8], in_query: NDArray[np.bool_], scheme: ScoringScheme
) -> None:
    """Write the cost of every gap residue; a gap of the other sequence starts a new gap."""
    gap = kinds == Kind.GAP
    side = np.where(gap, np.where(in_query, Op.DELETION, Op.INSERTION), -1)
    starts = gap & (np.concatenate([[-1], side[:-1]]) != side)
    scores[gap] = -scheme.gap_extend
    scores[starts] = -scheme.gap_first


@dataclass(frozen=True, slots=True)
class Block:
    """One line of a wrapped alignment: columns ``start`` to ``stop`` and the residue numbers at its ends.

    A number is 0 if the sequence has no residue in the block.
    """

    start: int
    stop: int
    query_first: int
    query_last: int
    subject_first: int
    subject_last: int


def block(layout: PairLayout, width: int, index: int) -> Block:
    """Return one line of the alignment wrapped to `width` columns."""
    start = index * width
    stop = min(start + width, len(layout))
    ends: list[int] = []
    for positions in (layout.query_positions, layout.subject_positions):
        present = positions[start:stop][positions[start:stop] > 0]
        ends += [int(present[0]), int(present[-1])] if len(present) else [0, 0]
    return Block(start, stop, *ends)


def block_count(layout: PairLayout, width: int) -> int:
    """Return how many lines the alignment has when wrapped to `width` columns."""
    return -(-len(layout) // width)


def ruler(positions: NDArray[np.int64], step: int = 10) -> list[tuple[int, int]]:
    """Return (column, residue number) of every number divisible by `step`, for one line.

    Parameters
    ----------
    positions : ndarray, shape=(n,), dtype=int64
        Residue numbers of the line's columns, 0 where there is none.
    """
    marked = np.flatnonzero((positions > 0) & (positions % step == 0))
    return [(int(column), int(positions[column])) for column in marked]


def fitting_columns(available: int) -> int:
    """Return the columns to wrap at: whole tens below `available`, at least 10."""
    return max(10, available // 10 * 10)


def describe_column(layout: PairLayout, column: int) -> str:
    """Say what stands in a column: ``Q 37 W : S 31 W, +11, running score 164``."""
    names = []
    for name, symbols, positions in (
        ("Q", layout.query, layout.query_positions),
        ("S", layout.subject, layout.subject_positions),
    ):
        symbol, position = chr(symbols[column]), int(positions[column])
        names.append(f"{name} {position:,} {symbol}" if position else f"{name} {'gap' if symbol == '-' else 'end'}")
    pair = " : ".join(names)
    if layout.kinds[column] == Kind.FLANK:
        return f"{pair}, outside the local alignment"
    value = f"{int(layout.scores[column]):+d}".replace("-", "\N{MINUS SIGN}").replace("+0", "0")
    return f"{pair}, {value}, running score {int(layout.running[column]):,}"
