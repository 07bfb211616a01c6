"""Changes of the hits of a search in a newer release of its database, and their causes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.several.releases import Releases, places_of
from swgui.core.verdict.kinds import Kind as Verdict
from swgui.core.verdict.kinds import kind_of

Kind = Literal["gained", "lost", "moved"]
REMOVED: Final = "removed"
MERGED: Final = "merged"
RENAMED: Final = "renamed"
CHANGED: Final = "changed sequence"
TAXON: Final = "taxon moved"
BELOW: Final = "below E by size"
PUSHED: Final = "pushed below the limit of hits"
NEW: Final = "new sequence"
WITHIN: Final = "within E by size"
ROSE: Final = "risen into the limit of hits"
SIZE: Final = "size"
OTHERS: Final = "other hits"
CAUSES: Final[dict[str, str]] = {
    REMOVED: "the newer database has neither the identifier nor the sequence",
    MERGED: "the sequence is there under another identifier, which the older database had as well",
    RENAMED: "the sequence is there under another identifier, which is new",
    CHANGED: "the identifier stands for another sequence",
    TAXON: "the organism is another one, and the search is limited to some",
    BELOW: "the sequence is the same, and its E-value is now above the limit",
    PUSHED: "E is within the limit, but others fill the list",
    NEW: "the older database has neither the identifier nor the sequence",
    WITHIN: "the sequence is the same, and its E-value was above the limit before",
    ROSE: "E was within the limit before, but others filled the list",
    SIZE: "the sequence is the same, and E refers to another size",
    OTHERS: "E is the same; other hits came or went",
}
ALIKE: Final = 1e-9  # logarithms of E that differ by less are the same
# Returns score and decadic logarithm of E of a subject of a query, by source index, that is not listed.
Measure = Callable[[SearchResult, int, int], tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Side:
    """A subject in one of two searches: rank 0 where it is not listed, score -1 where that is not known."""

    rank: int = 0
    score: int = -1
    log10_evalue: float = float("nan")

    @property
    def verdict(self) -> Verdict | Literal[""]:
        """The verdict on its E alone; empty where there is no such hit."""
        nan = float("nan")
        return kind_of(self.log10_evalue, nan, nan, nan) if self.score >= 0 else ""


@dataclass(frozen=True, slots=True)
class Change:
    """Change of one hit."""

    change: Kind
    cause: str  # one of `CAUSES`
    query: str
    subject: str  # identifier
    other: str  # the other identifier of a renamed or merged subject
    description: str
    before: Side
    now: Side
    # True if a hit that moved has its place among the hits of both searches, and its verdict, as before
    in_order: bool = False

    @property
    def verdict(self) -> Verdict | Literal[""]:
        """The verdict on the hit: of the newer database, of the older one where it is lost."""
        return (self.before if self.change == "lost" else self.now).verdict

    @property
    def significant(self) -> bool:
        """Whether it is a significant hit, as `verdict`."""
        return self.verdict == "significant"


def significant_in_words(changes: Sequence[Change]) -> str:
    """Return how many of some changes are significant, and how many have no E-value, as ``2 significant``."""
    unknown = sum(change.verdict == "unknown" for change in changes)
    significant = sum(change.significant for change in changes)
    if 0 < unknown == len(changes):
        return "no E-values"
    number = f"{significant:,}" if significant else "none"
    return f"{number} significant{f', {unknown:,} without E-value' if unknown else ''}"


def changes_in_words(changes: Sequence[Change]) -> str:
    """Return a sentence: how many hits were gained, lost and moved, and how many of them are significant."""
    if not changes:
        return "All hits are the same."
    parts = []
    for kind in ("gained", "lost"):
        those = [change for change in changes if change.change == kind]
        parts.append(f"{len(those):,} {kind}{f' ({significant_in_words(those)})' if those else ''}")
    moved = [change for change in changes if change.change == "moved"]
    ordered = sum(change.in_order for change in moved)
    parts.append(f"{len(moved) - ordered:,} moved")
    if ordered:
        parts.append(f"{ordered:,} with another E alone")
    return f"{', '.join(parts)}."


@dataclass(frozen=True, slots=True, eq=False)
class TwoSearches:
    """The same search in two releases of a database.

    Parameters
    ----------
    whole : EncodedDatabase
        The newer database with all organisms.
    before_whole : EncodedDatabase
        The older database, if available.
    """

    before: SearchResult
    now: SearchResult
    releases: Releases
    whole: EncodedDatabase
    before_whole: EncodedDatabase
    measure: Measure

    def changes(self) -> Iterator[Change]:
        """Yield changes, query by query: hits of the older run by their rank, then the new ones."""
        older, newer = self.before.database, self.now.database
        wanted = {older.ids[int(row)] for query in self.before.queries for row in query.hits.db_index}
        wanted |= {newer.ids[int(row)] for query in self.now.queries for row in query.hits.db_index}
        names = _Names(
            places_of(older, wanted),
            places_of(newer, wanted),
            places_of(self.before_whole, wanted) if self.before_whole is not older else {},
            places_of(self.whole, wanted) if self.whole is not newer else {},
        )
        self.releases.complete(self._looked_up(names))
        for query_index in range(len(self.before.queries)):
            yield from _OfQuery(self, query_index, names).changes()

    def _looked_up(self, names: _Names) -> set[int]:
        """Return the older subjects whose residues the comparison looks up in the newer database."""
        rows = set[int]()
        for row in {int(row) for query in self.before.queries for row in query.hits.db_index}:
            name = self.before.database.ids[row]
            if name not in names.newer or len(names.older[name]) > 1:
                rows.add(row)
        for row in {int(row) for query in self.now.queries for row in query.hits.db_index}:
            if self.now.database.ids[row] not in names.older:
                rows.update(self.releases.older_like(row))
        return rows


@dataclass(frozen=True, slots=True)
class _Names:
    """Source indices by identifier: as searched, and of all organisms where some alone were searched."""

    older: dict[str, list[int]]
    newer: dict[str, list[int]]
    older_whole: dict[str, list[int]]
    newer_whole: dict[str, list[int]]


class _OfQuery:
    """The changes of one query."""

    def __init__(self, searches: TwoSearches, query_index: int, names: _Names) -> None:
        self._of, self._query, self._names = searches, query_index, names
        self._sides = tuple(
            {
                int(row): Side(rank, int(score), float(evalue))
                for rank, (row, score, evalue) in enumerate(
                    zip(hits.db_index, hits.scores, hits.log10_evalues, strict=True), start=1
                )
            }
            for hits in (result.queries[query_index].hits for result in (searches.before, searches.now))
        )

    def changes(self) -> Iterator[Change]:
        """Yield the changes."""
        before, now = self._sides
        pairs = dict[int, int | None]()  # by older subject
        matched = set[int]()
        for older in before:
            pairs[older] = newer = self._same_name(older, matched)
            if newer is not None and newer in now:
                matched.add(newer)
        kept = {newer: place for place, newer in enumerate(newer for newer in pairs.values() if newer in matched)}
        order = {newer: place for place, newer in enumerate(newer for newer in now if newer in matched)}
        for older, newer in pairs.items():
            if newer is not None and newer in matched:
                moved = self._moved(older, newer, before[older], now[newer])
                if moved is not None:
                    as_before = kept[newer] == order[newer] and moved.before.verdict == moved.now.verdict
                    yield replace(moved, in_order=as_before and moved.cause != CHANGED)
            else:
                yield self._lost(older, newer, before[older])
        for newer, side in now.items():
            if newer not in matched:
                yield self._gained(newer, side)

    def _same_name(self, older: int, matched: set[int]) -> int | None:
        """Return the newer subject that an older one is by its name: rather a listed one, and one with its sequence."""
        named = self._names.newer.get(self._of.before.database.ids[older], [])
        left = [newer for newer in named if newer not in matched]
        same = self._of.releases.are_same
        return min(left, key=lambda newer: (not same(older, newer), newer not in self._sides[1]), default=None)

    def _moved(self, older: int, newer: int, before: Side, now: Side) -> Change | None:
        both = np.array([before.log10_evalue, now.log10_evalue])
        alike = bool(np.isnan(both).all() or abs(both[0] - both[1]) < ALIKE)
        if alike and before.rank == now.rank and before.score == now.score:
            return None
        same = self._is_same(older, newer, now.score)
        cause = (OTHERS if alike else SIZE) if same else CHANGED
        return self._change("moved", cause, newer, before, now)

    def _is_same(self, older: int, newer: int, score: int) -> bool:
        """Whether two subjects of one name have one sequence; without the older one, as far as its score tells."""
        if self._of.releases.is_known(older):
            return self._of.releases.are_same(older, newer)
        before, lengths = self._of.before.queries[self._query], self._of.before.database.lengths
        scored = before.scores is None or int(before.scores[older]) == score
        return scored and int(lengths[older]) == int(self._of.now.database.lengths[newer])

    def _lost(self, older: int, newer: int | None, before: Side) -> Change:
        database, now = self._of.before.database, Side()
        name, description = database.ids[older], database.descriptions[older]
        cause, other = REMOVED, ""
        if newer is not None:
            now = Side(0, *self._of.measure(self._of.now, self._query, newer))
            cause = CHANGED
            if self._is_same(older, newer, now.score):
                cause = BELOW if now.log10_evalue > self._limit() else PUSHED
        elif name in self._names.newer_whole:
            cause = TAXON
        elif twins := self._of.releases.newer_like(older):
            ids = [self._of.now.database.ids[twin] for twin in twins]
            known = {database.ids[row] for row in self._of.releases.older_like(twins[0])}
            merged = [one for one in ids if one in known]
            cause, other = (MERGED, merged[0]) if merged else (RENAMED, ids[0])
            now = self._sides[1].get(twins[0], now)
        return Change("lost", cause, self._name, name, other, description, before, now)

    def _gained(self, newer: int, now: Side) -> Change:
        name, before, cause = self._of.now.database.ids[newer], Side(), NEW
        if named := self._names.older.get(name, []):
            same = [older for older in named if self._is_same(older, newer, now.score)]
            older = same[0] if same else named[0]
            before = self._sides[0].get(older) or Side(0, *self._of.measure(self._of.before, self._query, older))
            cause = CHANGED
            if same:
                cause = WITHIN if before.log10_evalue > self._limit() else ROSE
        elif name in self._names.older_whole:
            cause = TAXON
        elif gone := [one for one in self._of.releases.older_like(newer) if not self._stays(one)]:
            other = self._of.before.database.ids[gone[0]]
            return self._change("gained", RENAMED, newer, self._sides[0].get(gone[0], before), now, other)
        return self._change("gained", cause, newer, before, now)

    def _stays(self, older: int) -> bool:
        """Whether the newer database has the name of an older subject for the same sequence."""
        name, newer = self._of.before.database.ids[older], self._of.now.database.ids
        return any(newer[twin] == name for twin in self._of.releases.newer_like(older))

    def _limit(self) -> float:
        return float(np.log10(self._of.now.search.limits.max_evalue))

    @property
    def _name(self) -> str:
        return self._of.now.queries[self._query].query.id

    def _change(self, kind: Kind, cause: str, newer: int, before: Side, now: Side, other: str = "") -> Change:
        database = self._of.now.database
        named = database.ids[newer], other, database.descriptions[newer]
        return Change(kind, cause, self._name, *named, before, now)
