"""Places that a rule lists, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.plain import replace
from swgui.core.rules.base import Limits, Rule

_DTYPES: dict[str, Any] = {
    **dict.fromkeys(("subject", "start", "end"), np.int64),
    **dict.fromkeys(
        (
            *("query", "mismatches", "insertions", "deletions", "query_start", "query_end"),
            *("windows", "other_readings"),
        ),
        np.int32,
    ),
    "strand": np.int8,
}


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Places in subjects, k of them."""

    query: NDArray[np.int32] = field(repr=False)  # number of the query, or of the pair of primers
    subject: NDArray[np.int64] = field(repr=False)  # ``db_index`` of the subject
    # start, end: residues of the subject, from 0, the end exclusive; bases of the plus strand
    start: NDArray[np.int64] = field(repr=False)
    end: NDArray[np.int64] = field(repr=False)
    strand: NDArray[np.int8] = field(repr=False)  # 1, or -1 where the reverse complement of the query stands here
    # mismatches, insertions, deletions: of the fit; an insertion is a residue of the subject that the query lacks
    mismatches: NDArray[np.int32] = field(repr=False)
    insertions: NDArray[np.int32] = field(repr=False)
    deletions: NDArray[np.int32] = field(repr=False)
    # query_start, query_end: residues of the query that are aligned, in its own direction
    query_start: NDArray[np.int32] = field(repr=False)
    query_end: NDArray[np.int32] = field(repr=False)
    # Windows of the query that exceed the limit, where the rule has windows; 0 otherwise
    windows: NDArray[np.int32] = field(repr=False)
    # Other readings of the site of a guide (`best_readings`); 0 for other rules
    other_readings: NDArray[np.int32] = field(repr=False)

    @classmethod
    def of(cls, size: int, **columns: Any) -> Self:
        """Return `size` places; a column that is not given is 0, or 1 for the strand."""
        made = {}
        for column in fields(cls):
            dtype = _DTYPES[column.name]
            value = columns.get(column.name, 1 if column.name == "strand" else 0)
            made[column.name] = np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype), (size,)))
        return cls(**made)

    def __len__(self) -> int:
        return len(self.query)

    @property
    def differences(self) -> NDArray[np.int32]:
        """Mismatches and gap positions."""
        return self.mismatches + self.insertions + self.deletions

    @property
    def matches(self) -> NDArray[np.int32]:
        """Residues of the query that match."""
        return self.query_end - self.query_start - self.mismatches - self.deletions

    @property
    def columns(self) -> NDArray[np.int32]:
        """Columns of the alignment."""
        return self.query_end - self.query_start + self.insertions

    def take(self, rows: NDArray[Any] | slice) -> Self:
        """Return some of them."""
        return type(self)(**{column.name: getattr(self, column.name)[rows] for column in fields(self)})

    def sorted(self) -> Self:
        """Return them by query, differences, subject, strand and position."""
        keys = self.query_start, self.end, self.start, -self.strand, self.subject, self.differences, self.query
        return self.take(np.lexsort(keys))


def concatenated(parts: Sequence[Places]) -> Places:
    """Return the places of several tables as one."""
    tables = [Places.of(0), *parts]
    return Places(
        **{column.name: np.concatenate([getattr(t, column.name) for t in tables]) for column in fields(Places)}
    )


def denominators(rule: Rule, places: Places) -> NDArray[np.int64]:
    """Return the denominators of the identities of k places by a rule, shape (k,)."""
    return rule.denominators(places.query_end - places.query_start, places.columns)


def without_implied(places: Places, limits: Limits, check: Check = lambda: None) -> Places:
    """Leave out end positions that a better one nearby implies.

    An end at a distance of s residues from a listed place is left out if it has at least s differences more, and if the
    limits leave that place s more insertions, for an end behind it, or s more deletions, for one before it.

    Parameters
    ----------
    places : Places
        One for each query, subject, strand and end.
    limits : Limits
        Those of the rule, which all places keep.
    """
    order = np.lexsort((places.end, places.strand, places.subject, places.query))
    kept = places.take(order)
    group = np.stack([kept.query.astype(np.int64), kept.subject, kept.strand.astype(np.int64)])
    differences, gaps = kept.differences, kept.insertions + kept.deletions
    left = limits.gaps - gaps  # gap positions that a place may have more
    more, fewer = (
        np.minimum(left, most) for most in (limits.insertions - kept.insertions, limits.deletions - kept.deletions)
    )
    implied = np.zeros(len(kept), np.bool_)
    for level in range(limits.differences):  # whether a place is listed is known once those with fewer differences are
        listed = (differences == level) & ~implied
        if not listed.any():
            continue
        check()
        for shift in range(1, min(limits.differences - level, len(kept) - 1) + 1):
            same = (group[:, shift:] == group[:, :-shift]).all(axis=0)
            apart = np.where(same, kept.end[shift:] - kept.end[:-shift], 1 << 40)
            able = listed[:-shift] & (apart <= more[:-shift])
            implied[shift:] |= able & (level + apart <= differences[shift:])
            able = listed[shift:] & (apart <= fewer[shift:])
            implied[:-shift] |= able & (level + apart <= differences[:-shift])
    return kept.take(~implied)


def best_readings(places: Places) -> Places:
    """Return of the fits of a query that begin at one base the one with the fewest differences.

    With bulges, a search finds a guide before NGGG next to both PAMs, from the same base on. Among fits with equally
    many differences the one with the fewest gap positions counts, then the shortest. `Places.other_readings` counts the
    others.

    Parameters
    ----------
    places : Places
        Places on one strand, with PAMs behind them.
    """
    gaps = places.insertions + places.deletions
    order = np.lexsort((places.end, gaps, places.differences, places.start, places.subject, places.query))
    listed = places.take(order)
    site = np.stack([listed.query.astype(np.int64), listed.subject, listed.start])
    first = np.flatnonzero((np.diff(site, prepend=-1) != 0).any(axis=0))
    return replace(listed.take(first), other_readings=np.diff([*first, len(listed)]).astype(np.int32) - 1)
