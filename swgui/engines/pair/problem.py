"""The scores of one pair, or of a part of it, as the tiles need them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.pair.problem import PairProblem

_PLAIN_MIN: Final = 2  # symbols that all match and mismatch alike, for the quick way to be worth it


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """Letters between which a matrix knows only one score for equal and one for different ones."""

    match: int
    mismatch: int
    # query, subject: a number for each position such that two of them are equal exactly if the symbols are, and
    # otherwise their exclusive or is at least ``match - mismatch``
    query: NDArray[np.signedinteger]
    subject: NDArray[np.signedinteger]
    # odd_query, odd_subject: positions, ascending, of the symbols without this property
    odd_query: NDArray[np.int64]
    odd_subject: NDArray[np.int64]

    def holds(self, rows: slice, columns: slice) -> bool:
        """Whether a tile has only symbols with this property."""
        return not (_any_in(self.odd_query, rows) or _any_in(self.odd_subject, columns))

    def part(self, rows: slice, columns: slice, step: int) -> Plain:
        """Return a part of the pair; with step -1 reversed."""
        return Plain(
            self.match,
            self.mismatch,
            np.ascontiguousarray(self.query[rows][::step]),
            np.ascontiguousarray(self.subject[columns][::step]),
            _moved(self.odd_query, rows, step),
            _moved(self.odd_subject, columns, step),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """One pair: query positions are rows, subject positions columns, both from 0."""

    # Scores of a kind of row against each symbol. Its type is the one to compute in: int32 wherever no sum that can
    # occur goes beyond it. Shape (r, symbols).
    table: NDArray[np.signedinteger]
    rows: NDArray[np.int64]  # shape (m,): each query position's kind of row
    subject: NDArray[np.int64]  # shape (n,): as codes
    gap_first: int
    gap_extend: int
    step: int  # largest score of a pair of residues, at least 0
    plain: Plain | None
    forbidden: NDArray[np.int64]  # shape (f, 2): pairs of positions that must not be aligned, ordered by query position

    @property
    def shape(self) -> tuple[int, int]:
        """Query and subject length."""
        return len(self.rows), len(self.subject)

    @property
    def dtype(self) -> np.dtype[np.signedinteger]:
        return self.table.dtype

    @property
    def never(self) -> int:
        """A value below every score, far enough from the end of the type."""
        return -(1 << 30) if self.dtype.itemsize == 4 else -(1 << 61)

    def part(self, r0: int, r1: int, c0: int, c1: int, *, backward: bool = False) -> Problem:
        """Return rows r0 to r1 against columns c0 to c1; `backward` reads both from the end."""
        rows, columns, step = slice(r0, r1), slice(c0, c1), -1 if backward else 1
        low, high = np.searchsorted(self.forbidden[:, 0], (r0, r1))
        forbidden = self.forbidden[low:high]
        forbidden = forbidden[(forbidden[:, 1] >= c0) & (forbidden[:, 1] < c1)] - (r0, c0)
        if backward:
            forbidden = (np.array([r1 - r0 - 1, c1 - c0 - 1]) - forbidden)[::-1]
        return Problem(
            self.table,
            np.ascontiguousarray(self.rows[rows][::step]),
            np.ascontiguousarray(self.subject[columns][::step]),
            self.gap_first,
            self.gap_extend,
            self.step,
            None if self.plain is None else self.plain.part(rows, columns, step),
            forbidden,
        )

    def pair_scores(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.signedinteger]:
        """Return the scores of some pairs of positions."""
        scores: NDArray[np.signedinteger] = self.table[self.rows[rows], self.subject[columns]]
        return scores

    def gap(self, length: int) -> int:
        return self.gap_first + (length - 1) * self.gap_extend if length > 0 else 0

    def gaps(self, longest: int) -> NDArray[np.signedinteger]:
        """Return the costs of gaps of 0 to `longest` residues, below zero."""
        costs: NDArray[np.signedinteger] = np.arange(longest + 1, dtype=self.dtype) * -self.gap_extend
        costs -= self.gap_first - self.gap_extend
        costs[0] = 0
        return costs


def make_problem(pair: PairProblem) -> Problem:
    """Return the scores of a pair as the tiles need them."""
    query, subject, scheme = pair.query, pair.subject, pair.scheme
    table = scheme.matrix.scores if query.profile is None else query.profile
    largest = int(np.abs(table.astype(np.int64)).max(initial=0))
    gap_first, gap_extend = scheme.gap_first, scheme.gap_extend
    wide = gap_first + (gap_extend + largest) * (len(query) + len(subject)) >= 1 << 28
    table = table.astype(np.int64 if wide else np.int32)
    rows = query.codes.astype(np.int64) if query.profile is None else np.arange(len(query), dtype=np.int64)
    plain = _plain(table, query.codes, subject) if query.profile is None else None
    step = max(0, int(table.max(initial=0)))
    return Problem(table, rows, subject.astype(np.int64), gap_first, gap_extend, step, plain, pair.excluded_pairs())


def _plain(table: NDArray[np.signedinteger], query: NDArray[np.uint8], subject: NDArray[np.uint8]) -> Plain | None:
    """Find the symbols, among those that occur, between which there are only matches and mismatches."""
    counts = np.bincount(query, minlength=len(table)) + np.bincount(subject, minlength=len(table))
    symbols = [int(code) for code in np.argsort(-counts, kind="stable") if counts[code]]
    # Letters that score alike against everything (U and T) are one.
    same: dict[bytes, int] = {}
    kind = {code: same.setdefault(table[code].tobytes() + table[:, code].tobytes(), code) for code in symbols}
    if not symbols:
        return None
    lead = symbols[0]
    match = int(table[lead, lead])
    others = [code for code in symbols[1:] if kind[code] != kind[lead]]
    mismatch = int(table[lead, others[0]]) if others else match - 1
    chosen: list[int] = []
    for code in symbols:
        fits = table[code, code] == match and all(
            table[code, other] == table[other, code] == (match if kind[code] == kind[other] else mismatch)
            for other in chosen
        )
        if fits:
            chosen.append(code)
    delta = match - mismatch
    if len(chosen) < _PLAIN_MIN or not 0 < delta < 1 << 16:
        return None
    if 2 * int(counts[chosen].sum()) < int(counts.sum()):
        return None
    numbers = np.zeros(256, dtype=table.dtype)
    odd = np.ones(256, dtype=bool)
    kinds = sorted({kind[code] for code in chosen})
    for code in chosen:
        numbers[code] = kinds.index(kind[code]) << delta.bit_length()
        odd[code] = False
    return Plain(
        match,
        mismatch,
        numbers[query],
        numbers[subject],
        np.flatnonzero(odd[query]),
        np.flatnonzero(odd[subject]),
    )


def _any_in(positions: NDArray[np.int64], part: slice) -> bool:
    low, high = np.searchsorted(positions, (part.start, part.stop))
    return bool(high > low)


def _moved(positions: NDArray[np.int64], part: slice, step: int) -> NDArray[np.int64]:
    low, high = np.searchsorted(positions, (part.start, part.stop))
    inside: NDArray[np.int64] = positions[low:high] - part.start
    return inside if step > 0 else np.ascontiguousarray((part.stop - part.start - 1 - inside)[::-1])
