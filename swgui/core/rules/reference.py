"""The rules by their definitions, one residue at a time: the judge of every scanner, never used for a large search.

Queries and subjects are lists of codes; `table` says which codes match (`swgui.core.rules.matching`). Positions count
from 0, ends are exclusive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import le
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.rules.base import Limits

Codes = Sequence[int] | NDArray[np.uint8]
Table = NDArray[np.bool_]
Counts = tuple[int, int, int]  # mismatches, insertions, deletions


@dataclass(frozen=True, slots=True)
class Fit:
    """Alignment of a query with a place of a subject; `start` and `end` are those of the subject."""

    start: int
    end: int
    mismatches: int = 0
    insertions: int = 0
    deletions: int = 0

    @property
    def differences(self) -> int:
        """Mismatches and gap positions."""
        return self.mismatches + self.insertions + self.deletions

    def identity(self, query: int) -> Fraction:
        """Return the identities over all columns, for a query of this length."""
        return Fraction(query - self.mismatches - self.deletions, query + self.insertions)


def mismatch_fits(query: Codes, subject: Codes, table: Table, most: int) -> Iterator[Fit]:
    """Yield every window that differs from the query in at most so many residues; `table` as of `match_table`."""
    for start in range(len(subject) - len(query) + 1):
        wrong = sum(not table[q, subject[start + i]] for i, q in enumerate(query))
        if wrong <= most:
            yield Fit(start, start + len(query), wrong)


def all_fits(
    query: Codes, subject: Codes, table: Table, limits: Limits, *, matching_ends: bool = False
) -> Iterator[Fit]:
    """Yield for each end position and each count of mismatches, insertions and deletions the leftmost fit.

    Insertions stand between residues of the query, never behind its last one. `table` as of `match_table`.
    """
    most, last = limits.differences, len(query) - 1
    row: list[dict[Counts, int]] = [{(0, 0, 0): j} for j in range(len(subject) + 1)]
    for i, q in enumerate(query):
        fixed = matching_ends and i in (0, last)
        below: list[dict[Counts, int]] = []
        for j in range(len(subject) + 1):
            steps = []
            if j:
                wrong = int(not table[q, subject[j - 1]])
                steps += [] if wrong and fixed else [(row[j - 1], (wrong, 0, 0))]
                steps += [(below[j - 1], (0, 1, 0))] if i < last else []
            steps += [] if fixed else [(row[j], (0, 0, 1))]
            cell: dict[Counts, int] = {}
            for before, (wrong, added, missing) in steps:
                for (x, a, d), start in before.items():
                    counts = x + wrong, a + added, d + missing
                    if sum(counts) <= most and sum(counts[1:]) <= limits.gaps and all(map(le, counts, limits[1:4])):
                        cell[counts] = min(start, cell.get(counts, start))
            below.append(cell)
        row = below
    for end, cell in enumerate(row):
        for (x, a, d), start in cell.items():
            if start < end:
                yield Fit(start, end, x, a, d)


def edit_fits(
    query: Codes, subject: Codes, table: Table, limits: Limits, *, matching_ends: bool = False
) -> Iterator[Fit]:
    """Yield, of `all_fits`, for each end the one with the fewest differences, then gap positions, then the leftmost."""
    for _, fits in groupby(all_fits(query, subject, table, limits, matching_ends=matching_ends), lambda fit: fit.end):
        yield min(fits, key=lambda fit: (fit.differences, fit.insertions + fit.deletions, fit.start))


def best_identity(
    query: Codes, subject: Codes, table: Table, columns: int = 0, over: Literal["columns", "query"] = "columns"
) -> tuple[Fraction, Fit] | None:
    """Return the largest identity of the whole query, ends of the subject free, and its fit; None for an empty subject.

    Identities are counted over all columns, and over `columns` at least, or over the query. Among equal ones the one
    with the fewest gap positions counts, then the leftmost. `table` as of `match_table`.
    """
    unlimited = Limits(*[len(query) + len(subject)] * 5)
    best: tuple[Fraction, Fit] | None = None
    for fit in all_fits(query, subject, table, unlimited):
        matches = len(query) - fit.mismatches - fit.deletions
        whole = len(query) if over == "query" else max(len(query) + fit.insertions, columns)
        identity = Fraction(matches, whole)
        if best is None or _rank(identity, fit) > _rank(*best):
            best = identity, fit
    return best


def _rank(identity: Fraction, fit: Fit) -> tuple[Fraction, int, int, int]:
    return identity, -(fit.insertions + fit.deletions), -fit.start, -fit.end


def words(query: Codes, subject: Codes, table: Table, length: int) -> Iterator[tuple[int, Fit]]:
    """Yield where in the query each longest common run of `length` residues or more begins, and its place.

    `table` as of `match_table`.
    """
    for i in range(len(query)):
        for j in range(len(subject)):
            if i and j and table[query[i - 1], subject[j - 1]]:
                continue
            run = 0
            while max(i + run - len(query), j + run - len(subject)) < 0 and table[query[i + run], subject[j + run]]:
                run += 1
            if run >= length:
                yield i, Fit(j, j + run)


def aligned_columns(query: Codes, part: Codes, table: Table, fit: Fit) -> str:
    """Return the columns of a fit: ``=`` match, ``X`` mismatch, ``I`` insertion, ``D`` deletion.

    A cell is the fewest mismatches with which the first residues of the query fit with so many insertions and
    deletions; the fit's are exact, since it was the best.

    Parameters
    ----------
    query : codes
        Those residues that are aligned.
    part : codes
        Those of the subject.
    table : ndarray, shape=(symbols, symbols), dtype=bool
    """
    size, added, missing = len(query), fit.insertions, fit.deletions
    cells: dict[tuple[int, int, int], tuple[int, str]] = {(0, 0, 0): (0, "")}
    for i in range(size + 1):
        for a in range(added + 1):
            for d in range(min(i, missing) + 1):
                j = i - d + a
                options = []
                if i and (i - 1, a, d) in cells and 0 < j <= len(part):
                    match = bool(table[query[i - 1], part[j - 1]])
                    options.append((cells[i - 1, a, d][0] + (not match), "=" if match else "X"))
                if a and 0 < i < size and (i, a - 1, d) in cells and j <= len(part):
                    options.append((cells[i, a - 1, d][0], "I"))
                if d and (i - 1, a, d - 1) in cells:
                    options.append((cells[i - 1, a, d - 1][0], "D"))
                if options:
                    cells[i, a, d] = min(options, key=lambda one: one[0])
    columns, i, a, d = [], size, added, missing
    while (i, a, d) != (0, 0, 0):
        column = cells[i, a, d][1]
        columns.append(column)
        i, a, d = i - (column != "I"), a - (column == "I"), d - (column == "D")
    return "".join(reversed(columns))
