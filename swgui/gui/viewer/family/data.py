"""The alignment of a search in rounds as the window shows it, and the logo of its profile. Pure, without Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.headers import Header, parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment
from swgui.core.profiles.log_odds import UNITS_PER_BIT
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.scoring import SubstitutionMatrix
from swgui.core.statistics.background import background
from swgui.gui.viewer.pair.layout import BLANK, GAP
from swgui.gui.viewer.stacked.layout import Stack, StackRow
from swgui.jobs.iterate.request import profile_of

_Floats = NDArray[np.float64]

EVALUE_HEAD: Final = "E incl."  # E when included: that of the round that made the alignment, not of the list


@dataclass(frozen=True, eq=False)
class Family:
    """The rows of an alignment, stacked on the query."""

    result: SearchResult
    query: SequenceRecord
    alignment: MasterAlignment
    stack: Stack  # all its rows but the query, as they are sorted; their `row` is the place in `alignment`
    # Row of the hit list of each row of the alignment; -1 for the query and what is not listed.
    hits: NDArray[np.int64] = field(repr=False)

    def header(self, row: int) -> Header:
        one = self.alignment.rows[row]
        return parse_header(one.id, one.description)

    def rows_of(self, hit: int) -> NDArray[np.int64]:
        """Return the rows of the alignment that are of a hit, by its row in the hit list."""
        return np.flatnonzero(self.hits == hit) if hit >= 0 else np.zeros(0, dtype=np.int64)

    @cached_property
    def coverage(self) -> NDArray[np.int64]:
        """How many rows, the query aside, have a residue in each column, shape (m,)."""
        return np.asarray((self.alignment.codes[1:] < DELETION).sum(axis=0), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Order:
    """A way to sort rows: its title, and the key of a row with its identity."""

    title: str
    key: Callable[[AlignedRow, float], Any]


def _begin(row: AlignedRow) -> int:
    return int(np.argmax(row.codes < DELETION))


ORDERS: Final = (
    Order("Best E first", lambda row, _identity: 0),  # as they are
    Order("Most identical first", lambda _row, identity: -identity),
    Order("By place on the query", lambda row, _identity: (_begin(row), -row.residues)),
    Order("Longest first", lambda row, _identity: -row.residues),
    Order("By name", lambda row, _identity: parse_header(row.id, row.description).name.casefold()),
)


def make_family(result: SearchResult, query_index: int, order: int = 0) -> Family:
    """Return the alignment that the last round of a query ended with; for a worker.

    Parameters
    ----------
    order : int
        Of `ORDERS`.
    """
    rounds = result.queries[query_index].rounds
    assert rounds is not None
    alignment = rounds.last.alignment
    codes = alignment.codes
    letters = np.full(256, BLANK, dtype=np.uint8)
    letters[: len(alignment.alphabet)] = np.frombuffer(alignment.alphabet.letters.encode("ascii"), dtype=np.uint8)
    letters[DELETION] = GAP
    symbols = letters[codes]
    identities = _identities(alignment, codes)
    seen: dict[str, int] = {}
    rows = []
    for number, row in enumerate(alignment.rows[1:], start=1):
        part = seen[row.id] = seen.get(row.id, -1) + 1
        insertions = {column + 1: residues.decode("ascii") for column, residues in row.insertions.items()}
        evalue, identity = row.log10_evalue, float(identities[number])
        rows.append(StackRow(number, part, evalue, identity, symbols[number], insertions, row.start + 1, 1))
    key = ORDERS[order].key
    rows.sort(key=lambda one: key(alignment.rows[one.row], one.identity))
    stack = Stack(symbols[0], EVALUE_HEAD)
    stack.add(rows)
    return Family(result, result.queries[query_index].query, alignment, stack, _hits_of(alignment, result, query_index))


def _identities(alignment: MasterAlignment, codes: NDArray[np.uint8]) -> _Floats:
    """Return how many of the columns of each row's alignment are identical, in percent; gaps count as columns."""
    inside = np.array([np.ptp(np.flatnonzero(row < DELETION)) + 1 if (row < DELETION).any() else 0 for row in codes])
    columns = inside + alignment.inserted.sum(axis=1)
    same = (codes == codes[0]).sum(axis=1)
    return np.asarray(100.0 * same / np.maximum(columns, 1), dtype=np.float64)


def _hits_of(alignment: MasterAlignment, result: SearchResult, query_index: int) -> NDArray[np.int64]:
    of_query = result.queries[query_index]
    if of_query.rounds is not None and of_query.rounds.database:  # the rows are of another database
        return np.full(len(alignment), -1, dtype=np.int64)
    ids = result.database.ids
    listed: dict[str, int] = {}
    for row, at in enumerate(of_query.hits.db_index.tolist()):
        listed.setdefault(ids[at], row)
    rows = [-1, *(listed.get(row.id, -1) for row in alignment.rows[1:])]
    return np.array(rows, dtype=np.int64)


# -- the profile -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Logo:
    """The profile of an alignment, to be drawn."""

    letters: str  # residues, in the order of their codes
    frequencies: _Floats = field(repr=False)  # with pseudocounts
    information: _Floats = field(repr=False)  # relative entropy against the background, in bits
    # Letters of each column from the rarest to the most frequent: from the bottom of the logo to its top.
    order: NDArray[np.int64] = field(repr=False)
    # insertion, deletion: cost of the first residue of an insertion behind a column, and of a deletion that begins
    # with it, in bits.
    insertion: _Floats = field(repr=False)
    deletion: _Floats = field(repr=False)

    def describe(self, column: int) -> str:
        """Say what a column shows, by its position from 0."""
        shares = self.frequencies[column]
        common = self.order[column][::-1][:4].tolist()
        named = ", ".join(f"{self.letters[at]} {100 * shares[at]:.0f} %" for at in common)
        costs = f"a gap costs {self.insertion[column]:.1f} bits behind it, {self.deletion[column]:.1f} in its place"
        return f"{self.information[column]:.2f} bits: {named}   ·   {costs}"


def make_logo(alignment: MasterAlignment, matrix: SubstitutionMatrix, recipe: Recipe) -> Logo:
    """Return the profile that the next round would search with; for a worker."""
    built = profile_of(alignment, matrix, recipe, "")
    shares = built.frequencies
    chance = background(alignment.alphabet)[: shares.shape[1]]
    information = (shares * np.log2(shares / chance)).sum(axis=1)
    gaps = built.profile.gaps
    return Logo(
        alignment.alphabet.letters[: shares.shape[1]],
        shares,
        information,
        np.argsort(shares, axis=1, kind="stable"),
        gaps.insertion_first / UNITS_PER_BIT,
        gaps.deletion_first / UNITS_PER_BIT,
    )


def find_row(stack: Stack, family: Family, words: str, behind: int) -> int:
    """Return the next row of a stack, behind a place, that has all the words in its name; -1 for none."""
    wanted = words.casefold().split()
    texts: Sequence[int] = [*range(behind + 1, len(stack)), *range(behind + 1)]
    for at in texts:
        one = family.alignment.rows[stack.rows[at].row]
        text = f"{one.id} {one.description}".casefold()
        if wanted and all(word in text for word in wanted):
            return at
    return -1
