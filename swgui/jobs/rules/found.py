"""Findings of a search by rule, from which its answer is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core import words
from swgui.core.answer import Count, Where, chosen_rows
from swgui.core.database import EncodedDatabase
from swgui.core.rules.places import Places
from swgui.core.rules.request import RuleRequest
from swgui.jobs.rules.table import NUMBERS, PlaceNames, PlaceRows

QUERY: Final = "query"  # column of `Where`: number of the query
SEED: Final = 1  # of the shuffles of a background


@dataclass(frozen=True, slots=True)
class Background:
    """Subjects that pass a rule when the residues of each query stand in random order."""

    passing: tuple[int, ...]  # for each shuffle, how many subjects
    subjects: int  # of the database
    seed: int = SEED

    @property
    def mean(self) -> float:
        """Subjects that pass, on average over the shuffles."""
        return sum(self.passing) / len(self.passing)

    def sentence(self) -> str:
        """Return it in words."""
        order = "in random order" if len(self.passing) == 1 else f"in {len(self.passing)} random orders"
        average = "" if len(self.passing) == 1 else f" on average, {max(self.passing):,} at most"
        return (
            f"By chance: with the residues of each query {order}, {self.mean:,.4g} of {self.subjects:,} sequences "
            f"pass{average}."
        )


@dataclass(frozen=True, eq=False)
class Found:
    """Places of a search by rule by query, and how much was scanned.

    Parameters
    ----------
    places : Places
        As `RuleRun.found` returns them, by query.
    scanned : int
        Sequences of the database.
    complete : bool
        Whether all were scanned and the places were checked again.
    fasta : ndarray, shape=(k,), dtype=float64, optional
        Of an allergen check: the identity of each place as FASTA gives it.
    background : Background, optional
        Of an allergen check: how many sequences pass by chance.
    """

    request: RuleRequest
    database: EncodedDatabase = field(repr=False)
    places: Places = field(repr=False)
    scanned: int
    complete: bool
    fasta: NDArray[np.float64] | None = field(default=None, repr=False)
    background: Background | None = None
    _columns: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)  # that were read

    @cached_property
    def rows(self) -> PlaceRows:
        """The places as a table reads them."""
        return PlaceRows(self.request, self.database, self.places, PlaceNames((), {}), self.fasta)

    @cached_property
    def names(self) -> Sequence[str]:
        """Name of each query."""
        return self.request.names

    @cached_property
    def unmet(self) -> Mapping[int, str]:
        """Why no place could meet the rule, by query."""
        return self.request.unmet

    def of(self, number: int) -> slice:
        """Return the rows of a query."""
        first, last = np.searchsorted(self.places.query, [number, number + 1])
        return slice(int(first), int(last))

    def count(self, head: str, number: int, *where: Where) -> Count:
        """Return a number of an answer: the rows of a query for which all of some conditions hold."""
        rows = self.of(number)
        columns = {one.column: self.column(one.column)[rows] for one in where}
        chosen = chosen_rows(where, columns, rows.stop - rows.start)
        return Count(head, len(chosen), (Where.equal(QUERY, number), *where))

    def chosen(self, where: Sequence[Where]) -> NDArray[np.int64]:
        """Return the rows that some conditions choose."""
        return chosen_rows(where, {one.column: self.column(one.column) for one in where}, len(self.places))

    def column(self, key: str) -> NDArray[Any]:
        """Return the number of the query of each place, or a column of numbers of tables."""
        if key not in self._columns:
            self._columns[key] = self.places.query if key == QUERY else NUMBERS[key].numbers(self.rows)
        return self._columns[key]

    @property
    def where(self) -> str:
        """The size of the database in words, without its name: a file may be renamed."""
        return words.count(len(self.database), "sequence")


def sequences_of(places: Places) -> int:
    """Return in how many sequences some places lie."""
    return distinct(places.subject)


def distinct(values: NDArray[Any]) -> int:
    """Return how many different values there are; `np.unique` would import masked arrays."""
    return len(set(values.tolist()))
