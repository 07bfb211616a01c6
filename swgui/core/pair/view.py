"""Looking at a long alignment kept as runs: positions, residues, differences and its path, without spelling it out.

An alignment of two genomes has tens of thousands of runs and millions of columns. Everything here works on the runs
(binary search) and on the columns asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, AlignmentCounts, Op
from swgui.core.scoring import EncodedQuery, ScoringScheme

BLOCK_COLUMNS: Final = 1 << 20  # spelled out at a time
SUBSTITUTION, INSERTION, DELETION = 0, 1, 2
KINDS: Final = ("substitution", "insertion", "deletion")


class AlignmentMap:
    """Places of columns, query positions and subject positions of an alignment; positions count from 0."""

    def __init__(self, alignment: Alignment) -> None:
        self.alignment = alignment
        lengths, ops = alignment.lengths, alignment.ops
        zero = np.zeros(1, dtype=np.int64)
        self.columns_at = np.concatenate([zero, np.cumsum(lengths)])  # first column of each run, and the end
        in_query = np.where(ops != Op.DELETION, lengths, 0)
        in_subject = np.where(ops != Op.INSERTION, lengths, 0)
        self.query_at = alignment.query_start + np.concatenate([zero, np.cumsum(in_query)])
        self.subject_at = alignment.subject_start + np.concatenate([zero, np.cumsum(in_subject)])

    @property
    def columns(self) -> int:
        """Number of columns."""
        return int(self.columns_at[-1])

    def positions(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return query and subject positions of columns `start` to `stop`, -1 in gaps; shape (stop - start,)."""
        wanted = np.arange(max(0, start), min(stop, self.columns), dtype=np.int64)
        run = np.searchsorted(self.columns_at, wanted, side="right") - 1
        inside = wanted - self.columns_at[run]
        ops = self.alignment.ops[run] if len(wanted) else np.zeros(0, dtype=np.uint8)
        query = np.where(ops != Op.DELETION, self.query_at[run] + inside, -1)
        subject = np.where(ops != Op.INSERTION, self.subject_at[run] + inside, -1)
        return query, subject

    def column_of_query(self, position: int) -> int | None:
        """Return the column of a query position; None outside the alignment."""
        return self._column(self.query_at, position, Op.DELETION)

    def column_of_subject(self, position: int) -> int | None:
        """Return the column of a subject position; None outside the alignment."""
        return self._column(self.subject_at, position, Op.INSERTION)

    def _column(self, starts: NDArray[np.int64], position: int, other: Op) -> int | None:
        if not starts[0] <= position < starts[-1]:
            return None
        # The last run that starts at or before it: runs of the other sequence only have the same start and come before.
        run = int(np.searchsorted(starts, position, side="right")) - 1
        assert self.alignment.ops[run] != other
        return int(self.columns_at[run] + position - starts[run])


@dataclass(frozen=True, slots=True)
class TextWindow:
    """Some columns as text; ``-`` in gaps."""

    # query, middle, subject: `middle` has ``|`` where residues are equal and ``+`` where a pair of different ones
    # scores above 0
    query: str
    middle: str
    subject: str
    # query_first, query_last, subject_first, subject_last: positions of the first and last residue in the window,
    # from 0; -1 if it has none
    query_first: int
    query_last: int
    subject_first: int
    subject_last: int


def text_window(
    mapping: AlignmentMap, query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme, start: int, stop: int
) -> TextWindow:
    """Return columns `start` to `stop` as text; positions and residues are those of the strand that is aligned.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
    """
    in_query, in_subject = mapping.positions(start, stop)
    letters = np.frombuffer(scheme.alphabet.letters.encode("ascii"), dtype=np.uint8)
    rows = []
    for codes, positions in ((query.codes, in_query), (subject, in_subject)):
        row = np.full(len(positions), ord("-"), dtype=np.uint8)
        row[positions >= 0] = letters[codes[positions[positions >= 0]]]
        rows.append(row)
    both = np.flatnonzero((in_query >= 0) & (in_subject >= 0))
    middle = np.full(len(in_query), ord(" "), dtype=np.uint8)
    q, s = in_query[both], in_subject[both]
    middle[both[pair_scores(query, scheme, q, subject[s]) > 0]] = ord("+")
    middle[both[scheme.alphabet.same(query.codes[q], subject[s])]] = ord("|")
    ends = [(int(p[0]), int(p[-1])) if len(p := x[x >= 0]) else (-1, -1) for x in (in_query, in_subject)]
    texts = [row.tobytes().decode("ascii") for row in (rows[0], middle, rows[1])]
    return TextWindow(texts[0], texts[1], texts[2], *ends[0], *ends[1])


def pair_scores(
    query: EncodedQuery, scheme: ScoringScheme, positions: NDArray[np.int64], letters: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Return the score of query positions against codes, all of shape (k,), without making the whole profile."""
    if query.profile is not None:
        return query.profile[positions, letters].astype(np.int64)
    return scheme.matrix.scores[query.codes[positions], letters].astype(np.int64)


def score_and_count(
    alignment: Alignment, query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme
) -> tuple[int, AlignmentCounts]:
    """Add up an alignment's score from the residues and count its columns, a million columns at a time.

    Gives the results of `swgui.core.alignment.rescore` and `count_columns`.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
    """
    mapping = AlignmentMap(alignment)
    score = nident = positive = aligned = 0
    for start in range(0, mapping.columns, BLOCK_COLUMNS):
        in_query, in_subject = mapping.positions(start, start + BLOCK_COLUMNS)
        both = (in_query >= 0) & (in_subject >= 0)
        q, letters = in_query[both], subject[in_subject[both]]
        scores = pair_scores(query, scheme, q, letters)
        score += int(scores.sum())
        positive += int(np.count_nonzero(scores > 0))
        nident += int(np.count_nonzero(scheme.alphabet.same(query.codes[q], letters)))
        aligned += len(q)
    gaps = alignment.lengths[alignment.ops != Op.MATCH]
    residues, number = int(gaps.sum()), len(gaps)
    return score - number * scheme.gap_first - (residues - number) * scheme.gap_extend, AlignmentCounts(
        length=mapping.columns,
        nident=nident,
        positive=positive,
        mismatch=aligned - nident,
        gaps=residues,
        gapopen=number,
        query_span=alignment.query_end - alignment.query_start,
        subject_span=alignment.subject_end - alignment.subject_start,
    )


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of the two sequences inside an alignment, in its order; one entry per run of equal kind.

    Neighbouring substituted residues are one entry each, a gap is one entry whatever its length.
    """

    # Place in `KINDS`. An insertion has residues in the query only, a deletion in the subject only. Shape (k,).
    kind: NDArray[np.uint8]
    # query, subject: first position concerned, from 0; in the sequence that has a gap the position before which it
    # lies, shape (k,)
    query: NDArray[np.int64]
    subject: NDArray[np.int64]
    length: NDArray[np.int64]  # residues concerned; 1 for substitutions, shape (k,)
    # query_codes, subject_codes: the whole sequences, from which `letters` reads
    query_codes: NDArray[np.uint8]
    subject_codes: NDArray[np.uint8]
    alphabet_letters: str

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def _letters(self) -> bytes:
        return self.alphabet_letters.encode("ascii").ljust(256, b"?")

    def letters(self, row: int) -> tuple[str, str]:
        """Return the subject's and the query's residues of one entry; empty for the one with a gap."""
        kind, length = int(self.kind[row]), int(self.length[row])
        q, s = int(self.query[row]), int(self.subject[row])
        of_subject = b"" if kind == INSERTION else self.subject_codes[s : s + length].tobytes()
        of_query = b"" if kind == DELETION else self.query_codes[q : q + length].tobytes()
        return of_subject.translate(self._letters).decode(), of_query.translate(self._letters).decode()


def differences(
    alignment: Alignment, query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme
) -> Differences:
    """List all substitutions, insertions and deletions of an alignment; T against U is none.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
    """
    mapping = AlignmentMap(alignment)
    columns, queries, subjects = [], [], []
    for start in range(0, mapping.columns, BLOCK_COLUMNS):
        in_query, in_subject = mapping.positions(start, start + BLOCK_COLUMNS)
        both = (in_query >= 0) & (in_subject >= 0)
        both[both] = ~scheme.alphabet.same(query.codes[in_query[both]], subject[in_subject[both]])
        differing = np.flatnonzero(both)
        columns.append(differing + start)
        queries.append(in_query[differing])
        subjects.append(in_subject[differing])
    gap = np.flatnonzero(alignment.ops != Op.MATCH)
    substituted = sum(len(part) for part in columns)
    kind = np.concatenate([np.zeros(substituted, dtype=np.uint8), alignment.ops[gap]])
    order = np.argsort(np.concatenate([*columns, mapping.columns_at[gap]]), kind="stable")
    return Differences(
        kind=kind[order],
        query=np.concatenate([*queries, mapping.query_at[gap]])[order],
        subject=np.concatenate([*subjects, mapping.subject_at[gap]])[order],
        length=np.concatenate([np.ones(substituted, dtype=np.int64), alignment.lengths[gap]])[order],
        query_codes=query.codes,
        subject_codes=subject,
        alphabet_letters=scheme.alphabet.letters,
    )


def density(
    alignment: Alignment, query_range: tuple[int, int], subject_range: tuple[int, int], shape: tuple[int, int]
) -> NDArray[np.float32]:
    """Return the number of aligned pairs of the path in each cell of a map.

    Every run of pairs is cut at the borders of the map's cells, so the cost grows with runs and map size, not with
    columns.

    Parameters
    ----------
    query_range, subject_range : tuple of int
        The part of either sequence that is shown, half open.
    shape : tuple of int
        Rows (query) and columns (subject) of the map.

    Returns
    -------
    ndarray, shape=shape, dtype=float32
    """
    rows, width = shape
    mapping = AlignmentMap(alignment)
    runs = np.flatnonzero(alignment.ops == Op.MATCH)
    q0, s0, lengths = mapping.query_at[runs], mapping.subject_at[runs], alignment.lengths[runs]
    query_step = (query_range[1] - query_range[0]) / rows
    subject_step = (subject_range[1] - subject_range[0]) / width
    # Every run in pieces no longer than half a cell; a piece counts at its middle.
    piece = max(1, int(min(query_step, subject_step) / 2))
    shown = _clip(q0, s0, lengths, query_range, subject_range)
    q0, s0, lengths = q0 + shown[0], s0 + shown[0], shown[1]
    keep = lengths > 0
    q0, s0, lengths = q0[keep], s0[keep], lengths[keep]
    pieces = -(-lengths // piece)
    first = np.repeat(np.cumsum(pieces) - pieces, pieces)
    offset = (np.arange(int(pieces.sum())) - first) * piece
    size = np.minimum(np.repeat(lengths, pieces) - offset, piece)
    middle = offset + size / 2
    row = ((np.repeat(q0, pieces) + middle - query_range[0]) / query_step).astype(np.int64)
    column = ((np.repeat(s0, pieces) + middle - subject_range[0]) / subject_step).astype(np.int64)
    cell = np.minimum(row, rows - 1) * width + np.minimum(column, width - 1)
    return np.bincount(cell, weights=size, minlength=rows * width).reshape(shape).astype(np.float32)


def _clip(
    query: NDArray[np.int64],
    subject: NDArray[np.int64],
    lengths: NDArray[np.int64],
    query_range: tuple[int, int],
    subject_range: tuple[int, int],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for diagonal runs, how much to leave off at the start and the length left inside both ranges."""
    start = np.maximum(np.maximum(query_range[0] - query, subject_range[0] - subject), 0)
    stop = np.minimum(np.minimum(query_range[1] - query, subject_range[1] - subject), lengths)
    return start, np.maximum(stop - start, 0)
