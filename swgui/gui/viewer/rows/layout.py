"""Contents of the columns of an alignment: rows, match line, blocks and rulers. Pure, without Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, Op, frameshifts, spell_out
from swgui.core.alphabet import PROTEIN, Alphabet, TwoTracks
from swgui.core.circular import folded
from swgui.core.hits.table import Hit
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.frames import bases_of, query_frame, residues_at, subject_frame
from swgui.io.export.rows import SIGNS

GAP = ord("-")
BLANK = ord(" ")
_ARRAYS = ("query", "match", "subject", "query_positions", "subject_positions", "scores", "running", "kinds")
_BYTES, _NUMBERS = np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int64)


class Kind(IntEnum):
    """Kind of a column of an alignment."""

    IDENTITY = 0
    POSITIVE = 1  # different residues with a matrix value above zero
    MISMATCH = 2
    GAP = 3
    FLANK = 4  # beyond the local alignment


@dataclass(frozen=True, slots=True, eq=False)
class RowsLayout:
    """An alignment as columns; all arrays have shape (k,)."""

    # query, match, subject: ASCII symbols; ``-`` in a gap, blank where a flank is shorter than the other.
    query: NDArray[np.uint8] = field(repr=False)
    match: NDArray[np.uint8] = field(repr=False)
    subject: NDArray[np.uint8] = field(repr=False)
    # query_positions, subject_positions: residue numbers as shown, from 1; 0 where there is no residue. Of what is
    # translated the first base of each codon in the direction of reading.
    query_positions: NDArray[np.int64] = field(repr=False)
    subject_positions: NDArray[np.int64] = field(repr=False)
    # Contribution of the column: the matrix value of a pair, minus the cost of a residue in a gap.
    scores: NDArray[np.int32] = field(repr=False)
    running: NDArray[np.int64] = field(repr=False)  # sum of `scores` from the left
    kinds: NDArray[np.uint8] = field(repr=False)  # `Kind` of each column
    strand: int = 1  # on the minus strand the subject runs backwards and both rows are complemented, as BLAST shows it

    def __len__(self) -> int:
        return len(self.kinds)

    def part(self, start: int, stop: int) -> RowsLayout:
        """Return some columns, half open."""
        columns = slice(start, stop)
        return RowsLayout(
            self.query[columns],
            self.match[columns],
            self.subject[columns],
            self.query_positions[columns],
            self.subject_positions[columns],
            self.scores[columns],
            self.running[columns],
            self.kinds[columns],
            self.strand,
        )

    def backwards(self) -> RowsLayout:
        """Return the columns from the last to the first."""
        turned = {name: getattr(self, name)[::-1] for name in _ARRAYS}
        return replace(self, **turned)

    def residue_numbers(self, hit: Hit) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return numbers of residues from 1 in the aligned parts of query and subject; 0 where there is none."""
        sides = (
            (self.query_positions, query_frame(hit.strand), hit.query_record),
            (self.subject_positions, subject_frame(hit.strand), hit.subject),
        )
        query, subject = (
            np.where(positions > 0, residues_at(frame, positions, len(record.residues)) + 1, 0)
            for positions, frame, record in sides
        )
        return query, subject

    def column_of_query(self, position: int) -> int:
        """Return the column of a query residue, -1 if it is not shown."""
        columns = np.flatnonzero(self.query_positions == position)
        return int(columns[0]) if len(columns) else -1


EMPTY = RowsLayout(_BYTES, _BYTES, _BYTES, _NUMBERS, _NUMBERS, _NUMBERS.astype(np.int32), _NUMBERS, _BYTES)


def lay_out_rows(hit: Hit, scheme: ScoringScheme, flank: int = 0) -> RowsLayout:
    """Spell out a hit's alignment for the screen: the query forwards, as the user wrote it."""
    alignment, alphabet = hit.alignment, scheme.alphabet
    if alignment is None:
        raise ValueError("This hit has no alignment.")
    subject_codes = hit.subject_codes(alphabet)
    q, s, inside = _positions(alignment, flank, len(hit.query), len(subject_codes))
    paired = inside & (q >= 0) & (s >= 0)
    scores = np.zeros(len(q), dtype=np.int32)
    scores[paired] = hit.query.scores(scheme)[q[paired], subject_codes[s[paired]]]
    same = alphabet.same(hit.query.codes[q[paired]], subject_codes[s[paired]])
    kinds = np.where(inside, Kind.GAP, Kind.FLANK).astype(np.uint8)
    kinds[paired] = np.where(same, Kind.IDENTITY, np.where(scores[paired] > 0, Kind.POSITIVE, Kind.MISMATCH))

    # On the minus strand they are read as the user wrote them: to complement a U twice would make a T of it.
    given = alphabet.encode(hit.query_record.residues)[::-1] if hit.strand < 0 else hit.query.codes
    empty = np.where(inside, GAP, BLANK).astype(np.uint8)
    query = _row(alphabet.decode(given), q, empty)
    subject = _row(alphabet.decode(subject_codes), s, empty)
    signs, charges = _shifts(hit, alignment, inside)
    shifted = signs > 0
    (query if alignment.steps[0] > 1 else subject)[shifted] = signs[shifted]
    query_positions = _numbers(q, query_frame(hit.strand), hit.query_record)
    subject_positions = _numbers(s, subject_frame(hit.strand), hit.subject)
    if hit.strand < 0:  # show the subject backwards and complemented
        query, subject = query[::-1], complement_table(alphabet)[subject][::-1]
        query_positions = np.where(q >= 0, len(given) - q, 0)[::-1]
        subject_positions = subject_positions[::-1]
        kinds, scores = kinds[::-1].copy(), scores[::-1].copy()

    side = np.where(kinds != Kind.GAP, -1, np.where(query == GAP, Op.DELETION, Op.INSERTION))
    side[shifted] = -1
    charge_gaps(scores, side, scheme)
    scores[shifted] = charges[shifted]
    if hit.query.gaps is not None:
        charge_by_position(scores, side, q, hit.query.gaps)
    return RowsLayout(
        query=query,
        match=match_line(query, kinds, alphabet),
        subject=subject,
        query_positions=query_positions,
        subject_positions=subject_positions,
        scores=scores,
        running=np.cumsum(scores, dtype=np.int64),
        kinds=kinds,
        strand=hit.strand,
    )


def _shifts(hit: Hit, alignment: Alignment, inside: NDArray[np.bool_]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the sign of the frameshift in each column, 0 for none, and the cost of the column; a shift of two once."""
    signs, charges = np.zeros(len(inside), dtype=np.uint8), np.zeros(len(inside), dtype=np.int32)
    cost = hit.translation.shift if hit.translation is not None else 0
    ends = np.flatnonzero(inside)[:1].sum() + np.cumsum(alignment.lengths)
    for run in np.flatnonzero(frameshifts(alignment.ops)).tolist():
        first = int(ends[run] - alignment.lengths[run])
        signs[first : int(ends[run])] = ord(SIGNS[int(alignment.ops[run])])
        charges[first] = -cost
    return signs, charges


def _numbers(positions: NDArray[np.int64], frame: int, record: SequenceRecord) -> NDArray[np.int64]:
    """Return the numbers to show of positions from 0, of which -1 is none."""
    first, _ = bases_of(frame, positions, positions + 1, len(record.residues))
    return np.where(positions >= 0, folded(first, len(record.residues)), 0)


def match_line(query: NDArray[np.uint8], kinds: NDArray[np.uint8], alphabet: Alphabet) -> NDArray[np.uint8]:
    """Return the match line of two rows: residues of proteins or ``|`` where they are the same, ``+`` for similar.

    Parameters
    ----------
    query, kinds : ndarray, shape=(k,), dtype=uint8
        The row of the query in ASCII, and the `Kind` of each column.

    Returns
    -------
    ndarray, shape=(k,), dtype=uint8
        ASCII.
    """
    residues = alphabet.parts[0] if isinstance(alphabet, TwoTracks) else alphabet
    same = query if residues is PROTEIN else np.full(len(query), ord("|"), dtype=np.uint8)
    other = np.where(kinds == Kind.POSITIVE, ord("+"), BLANK)
    return np.where(kinds == Kind.IDENTITY, same, other).astype(np.uint8)


def complement_table(alphabet: Alphabet) -> NDArray[np.uint8]:
    """Return the complement of every byte, shape (256,); bytes without one stay unchanged."""
    table = np.arange(256, dtype=np.uint8)
    for symbol, other in alphabet.complements.items():
        table[ord(symbol)] = ord(other)
    return table


def charge_gaps(scores: NDArray[np.int32], side: NDArray[np.int64], scheme: ScoringScheme, open_gap: int = -1) -> None:
    """Write the cost of every gap residue into the scores of columns; a gap of the other sequence opens a new gap.

    Parameters
    ----------
    scores : ndarray, shape=(k,), dtype=int32
        Changed where there are gaps.
    side : ndarray, shape=(k,), dtype=int64
        `Op` of the gap in each column, -1 for none.
    open_gap : int
        `Op` of the gap that reaches the first column from before, -1 for none.
    """
    gap = side >= 0
    scores[gap] = -scheme.gap_extend
    scores[gap & (np.concatenate([[open_gap], side[:-1]]) != side)] = -scheme.gap_first


def charge_by_position(
    scores: NDArray[np.int32], side: NDArray[np.int64], query: NDArray[np.int64], gaps: PositionGaps
) -> None:
    """Write the profile's cost of every gap residue; `query` has the position in each column, -1 for none."""
    gap = side >= 0
    opens = (np.concatenate([[-1], side[:-1]]) != side)[gap]
    positions = np.maximum.accumulate(query)[gap]
    costs = np.stack(gaps.columns)[:, positions]  # an insertion, its extension, a deletion, its extension
    kind = np.where(side[gap] == Op.DELETION, 0, 2) + ~opens
    scores[gap] = -costs[kind, np.arange(len(positions))]


def _positions(
    alignment: Alignment, flank: int, query_length: int, subject_length: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return positions of query and subject in each column, -1 for none, and whether it is inside the alignment."""
    columns = spell_out(alignment)
    ends = (alignment.query_start, alignment.subject_start), (alignment.query_end, alignment.subject_end)
    left = _flank(ends[0], flank, -1, (0, 0), alignment.steps)
    right = _flank(ends[1], flank, 1, (query_length, subject_length), alignment.steps)
    inside = np.zeros(len(left[0]) + len(columns.query) + len(right[0]), dtype=bool)
    inside[len(left[0]) : len(left[0]) + len(columns.query)] = True
    query = np.concatenate([left[0], columns.query, right[0]])
    return query, np.concatenate([left[1], columns.subject, right[1]]), inside


def _row(symbols: bytes, positions: NDArray[np.int64], empty: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the symbols at some positions, and `empty` at position -1."""
    row = empty.copy()
    row[positions >= 0] = np.frombuffer(symbols, dtype=np.uint8)[positions[positions >= 0]]
    return row


def _flank(
    edges: tuple[int, int], length: int, direction: int, limits: tuple[int, int], steps: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return positions beyond one end of an alignment, -1 where a sequence has ended."""
    sides = list(zip(edges, limits, steps, strict=True))
    # The last codon of a strand that may shift begins two bases before its end: codes are that much fewer.
    room = [min(length, max(direction * (limit - edge) + (step - 1 if direction > 0 else 0), 0) // step)
            for edge, limit, step in sides]  # fmt: skip
    columns = np.arange(max(room), dtype=np.int64)
    away = columns if direction > 0 else -1 - columns
    query, subject = (
        np.where(columns < left, edge + step * away, -1) for (edge, _, step), left in zip(sides, room, strict=True)
    )
    return (query, subject) if direction > 0 else (query[::-1], subject[::-1])


@dataclass(frozen=True, slots=True)
class Block:
    """One line of a wrapped alignment."""

    start: int  # and stop: columns, half open, from 0
    stop: int
    # query_first, query_last, subject_first, subject_last: residue numbers (from 1) of the first and the last residue
    # in the line; 0 if the sequence has none there.
    query_first: int
    query_last: int
    subject_first: int
    subject_last: int


def block(layout: RowsLayout, width: int, index: int) -> Block:
    """Return one line of the alignment wrapped to `width` columns; `index` counts from 0."""
    start = index * width
    stop = min(start + width, len(layout))
    ends: list[int] = []
    for positions in (layout.query_positions, layout.subject_positions):
        present = positions[start:stop][positions[start:stop] > 0]
        ends += [int(present[0]), int(present[-1])] if len(present) else [0, 0]
    return Block(start, stop, *ends)


def block_count(layout: RowsLayout, width: int) -> int:
    """Return how many lines the alignment has when wrapped to `width` columns."""
    return -(-len(layout) // width)


def ruler(positions: NDArray[np.int64], step: int = 10) -> list[tuple[int, int]]:
    """Return (column, residue number) of every number divisible by `step`, for one line.

    Parameters
    ----------
    positions : ndarray, shape=(n,), dtype=int64
        Residue numbers of the line's columns, 0 where there is none.

    Returns
    -------
    list of (int, int)
        Columns count from 0 at the beginning of the line.
    """
    marked = np.flatnonzero((positions > 0) & (positions % step == 0))
    return [(int(column), int(positions[column])) for column in marked]


def fitting_columns(available: int) -> int:
    """Return the columns to wrap at: whole tens below `available`, at least 10."""
    return max(10, available // 10 * 10)


def describe_column(layout: RowsLayout, column: int) -> str:
    """Return a text on a column (from 0) and its contribution: ``Q 37 W : S 31 W, +11, running score 164``."""
    names = []
    for name, symbols, positions in (
        ("Q", layout.query, layout.query_positions),
        ("S", layout.subject, layout.subject_positions),
    ):
        symbol, position = chr(symbols[column]), int(positions[column])
        names.append(f"{name} {position:,} {symbol}" if position else f"{name} {'gap' if symbol == '-' else 'end'}")
    named = " : ".join(names)
    if layout.kinds[column] == Kind.FLANK:
        return f"{named}, outside the local alignment"
    value = f"{int(layout.scores[column]):+d}".replace("-", "\N{MINUS SIGN}").replace("+0", "0")
    return f"{named}, {value}, running score {int(layout.running[column]):,}"
