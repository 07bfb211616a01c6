"""Filters and order of the hits in a view, over NumPy columns, without Qt.

`arrange` returns the rows of the ranked list in the order seen. It runs on a million rows in about a
tenth of a second, and anywhere: the page hands large lists to a worker.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.organisms.subjects import UNKNOWN, SubjectOrganisms
from swgui.core.plain import replace
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.words import formatting

SHOWN_NAMES = 2  # organisms named on a chip


@dataclass(frozen=True, slots=True)
class Range:
    """Limits of one column, both included; E-values are given as decadic logarithms."""

    key: str
    low: float = -math.inf
    high: float = math.inf

    def describe(self) -> str:
        """Return the condition in words: ``identity ≥ 30``."""
        column = BY_KEY[self.key]
        name = column.title if column.title.startswith("E-") else column.title.lower()
        show = formatting.limit if self.key == "evalue" else column.show
        low = show(self.low) if self.low > -math.inf else ""
        high = show(self.high) if self.high < math.inf else ""
        if low and high:
            return f"{name} {low} to {high}"
        return f"{name} ≥ {low}" if low else f"{name} ≤ {high}"


@dataclass(frozen=True, slots=True)
class HitFilter:
    """Conditions of the hits to show."""

    text: str = ""  # words that must all occur in the header
    ranges: tuple[Range, ...] = ()  # at most one for each key
    # First and last residue of the query (from 1) that an alignment must reach over
    covers: tuple[int, int] | None = None
    ticked: bool = False  # show ticked hits only
    starred: bool = False  # show hits with a star only
    with_hidden: bool = False  # show hidden hits, too
    organisms: tuple[str, ...] = ()  # organisms of which one must be the subject's; any if empty
    best_of_organism: bool = False  # show only the best of the hits of each organism that pass everything else

    def __bool__(self) -> bool:
        of_organisms = self.organisms or self.best_of_organism
        return bool(self.text.split() or self.ranges or of_organisms or self.covers or self.ticked or self.starred)

    @property
    def needs_alignments(self) -> bool:
        return bool(self.awaits())

    @property
    def without_alignments(self) -> HitFilter:
        """The conditions that need no alignments."""
        return replace(self, ranges=tuple(r for r in self.ranges if not BY_KEY[r.key].late), covers=None)

    def with_range(self, wanted: Range) -> HitFilter:
        others = tuple(r for r in self.ranges if r.key != wanted.key)
        unlimited = wanted.low == -math.inf and wanted.high == math.inf
        return replace(self, ranges=others if unlimited else (*others, wanted))

    def range(self, key: str) -> Range:
        return next((r for r in self.ranges if r.key == key), Range(key))

    def chips(self) -> list[tuple[str, str]]:
        """Return each active condition as (name for `without`, words)."""
        chips = [("text", f"“{' '.join(self.text.split())}”")] if self.text.split() else []
        chips += [(r.key, r.describe()) for r in self.ranges]
        if self.organisms:
            chips.append(("organisms", short_list(self.organisms)))
        if self.best_of_organism:
            chips.append(("best_of_organism", "best hit of each organism"))
        if self.covers:
            chips.append(("covers", f"covers {self.covers[0]:,} to {self.covers[1]:,} of the query"))
        if self.ticked:
            chips.append(("ticked", "ticked"))
        if self.starred:
            chips.append(("starred", "with a star"))
        if self.with_hidden:
            chips.append(("with_hidden", "hidden hits shown"))
        return chips

    def awaits(self) -> list[str]:
        """Return the names of the conditions that need alignments, as `chips` gives them."""
        return [r.key for r in self.ranges if BY_KEY[r.key].late] + (["covers"] if self.covers else [])

    def without(self, name: str) -> HitFilter:
        if name in BY_KEY:
            return self.with_range(Range(name))
        return replace(self, **{name: getattr(HitFilter(), name)})


@dataclass(frozen=True, slots=True)
class Sorting:
    """A column and a direction; rows of equal value keep their rank order, unknown values come last."""

    key: str = "rank"
    descending: bool = False

    @property
    def needs_alignments(self) -> bool:
        return BY_KEY[self.key].late


def keep(data: HitData, wanted: HitFilter) -> NDArray[np.bool_]:
    """Return which rows pass the filter; a row whose value is not known does not pass a range."""
    kept = np.ones(len(data), dtype=bool) if wanted.with_hidden else ~data.marked("hidden")
    for limits in wanted.ranges:
        values = np.asarray(data.values(limits.key), dtype=np.float64)
        kept &= (values >= limits.low) & (values <= limits.high)
    if wanted.covers:
        kept &= data.covering(*wanted.covers)
    if wanted.ticked:
        kept &= data.marked("ticked")
    if wanted.starred:
        kept &= data.marked("starred")
    if wanted.text.split():
        kept &= data.matches(wanted.text)
    if wanted.organisms:
        chosen = [name in wanted.organisms for name in data.organisms.names]
        kept &= np.array([*chosen, False], dtype=bool)[data.organisms.of]
    if wanted.best_of_organism:
        kept &= _best_of_each(data.organisms, kept)
    return kept


def _best_of_each(organisms: SubjectOrganisms, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows are the first of their organism among those kept, or of no known organism."""
    best: NDArray[np.bool_] = organisms.of == UNKNOWN
    rows = np.flatnonzero(kept)
    best[rows[np.unique(organisms.of[rows], return_index=True)[1]]] = True
    return best


def short_list(names: Sequence[str]) -> str:
    """Return up to two names without their strains: ``Homo sapiens, Mus musculus and 3 more``."""
    text = ", ".join(name.partition(" (")[0] for name in names[:SHOWN_NAMES])
    return text if len(names) <= SHOWN_NAMES else f"{text} and {len(names) - SHOWN_NAMES:,} more"


def order(data: HitData, sorting: Sorting) -> NDArray[np.int64]:
    """Return all rows in the order of a sorting, shape (hits,)."""
    column = BY_KEY[sorting.key]
    if column.key in ("rank", "tick"):
        rows = np.arange(len(data), dtype=np.int64)
        return rows[::-1] if sorting.descending else rows
    if column.kind == "text":
        values: NDArray[np.generic] = data.text_ranks(column.key)
    else:
        values = data.values("qstart" if column.kind == "map" else column.key)
    if sorting.descending:
        values = -values.astype(np.int64 if values.dtype.kind in "iu" else np.float64)  # NaN stays last
    return stable_order(values)


def stable_order(values: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return the same as ``np.argsort(values, kind="stable")``, several times faster for long arrays.

    NumPy sorts plain numbers with vector instructions, but not stably. So each value's place among the
    different values and its row are packed into one integer: no two are equal, and any sort is a stable one.
    """
    count = len(values)
    if values.dtype.kind == "f":
        rows = np.argsort(values)
        ordered = values[rows]
        differs = (ordered[1:] != ordered[:-1]) & ~np.isnan(ordered[:-1])  # NaN, all last, are equal here
        groups = np.zeros(count, dtype=np.int64)
        np.cumsum(differs, out=groups[1:])
    else:
        rows = np.arange(count, dtype=np.int64)
        groups = values.astype(np.int64)
        if count:
            groups -= groups.min()
    bits = count.bit_length()
    if count and int(groups.max()) >> (62 - bits):
        return np.argsort(values, kind="stable")
    packed = (groups << bits) | rows
    packed.sort()
    return packed & ((1 << bits) - 1)


def arrange(data: HitData, sorting: Sorting, wanted: HitFilter) -> NDArray[np.int64]:
    """Return the rows to show, in the order to show them.

    Returns
    -------
    ndarray, shape=(shown,), dtype=int64
    """
    rows = order(data, sorting)
    everything = not wanted and (wanted.with_hidden or not data.marks.count("hidden", data.query_index))
    return rows if everything else rows[keep(data, wanted)[rows]]


@dataclass(frozen=True, slots=True, eq=False)
class Arranged:
    """Orders and filters that the alignments known so far allow."""

    rows: NDArray[np.int64]  # rows to show, in the order to show them, shape (shown,)
    sorting: Sorting  # the order they are in; the one by rank while alignments are missing for another
    waits: bool  # whether alignments of these rows are missing for the order or the filter that is wanted


def arrange_known(data: HitData, sorting: Sorting, wanted: HitFilter) -> Arranged:
    """Return the rows to show; conditions that need alignments are left out while alignments are missing."""
    if sorting.needs_alignments or wanted.needs_alignments:
        known = Sorting() if sorting.needs_alignments else sorting
        rows = arrange(data, known, wanted.without_alignments)
        if any(int(row) not in data.faults for row in rows[~data.aligned[rows]]):
            return Arranged(rows, known, waits=True)
    return Arranged(arrange(data, sorting, wanted), sorting, waits=False)
