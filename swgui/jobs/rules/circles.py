"""Circular records: the residues behind their ends are read on from their beginning, so that rules see no border there.

Before a circular subject its last residues are put, and behind it its first ones, as many as a place can take; places
that begin in the subject itself are kept. One that crosses the origin ends behind the length of its subject.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.circular import folded, location
from swgui.core.database import EncodedDatabase
from swgui.core.plain import replace
from swgui.core.rules.places import Places
from swgui.core.rules.request import RuleRequest
from swgui.core.translation.genetic_codes import CODON
from swgui.jobs.rules.text import Text

_NO_SUBJECTS: Final = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Circles:
    """Which subjects are circular, and how far they are read on.

    Parameters
    ----------
    members : ndarray of int64, shape (k,)
        Their source indices, ascending; None if all are.
    before, behind : int
        Residues of a subject that are put before and behind it.
    one_turn : bool
        Whether a place is no longer than its subject, of which then no more is put behind it than it has.
    """

    members: NDArray[np.int64] | None = field(default_factory=lambda: _NO_SUBJECTS, repr=False)
    before: int = 0
    behind: int = 0
    one_turn: bool = False

    def among(self, subjects: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which of some subjects are circular, by source index, shape (n,)."""
        if self.members is None:
            return np.ones(len(subjects), np.bool_)
        at = np.searchsorted(self.members, subjects)
        found = np.zeros(len(subjects), np.bool_)
        inside = at < len(self.members)
        found[inside] = self.members[at[inside]] == np.asarray(subjects)[inside]
        return found

    def scanned(self, subjects: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.int64]:
        """Return how many residues of each subject are scanned, by source index and length, shape (n,)."""
        sizes = np.asarray(lengths, np.int64)
        more = self.before + (np.minimum(self.behind, sizes) if self.one_turn else self.behind)
        return sizes + np.where(self.among(subjects) & (sizes > 0), more, 0)

    def unrolled(self, text: Text, subjects: NDArray[np.int64]) -> Text:
        """Return a text in which circular subjects are read on at both ends."""
        sizes = np.diff(text.begins)
        rows = np.flatnonzero(self.among(subjects) & (sizes > 0))
        if not len(rows):
            return text
        parts, done = [], 0
        for row in rows.tolist():
            begin, end = int(text.begins[row]), int(text.begins[row + 1])
            behind = min(self.behind, end - begin) if self.one_turn else self.behind
            ends = np.arange(-self.before, 0), np.arange(behind)
            left, right = (text.codes[begin + places % (end - begin)] for places in ends)
            parts += [text.codes[done:begin], left, text.codes[begin:end], right]
            done = end
        codes = np.concatenate([*parts, text.codes[done:]])
        return Text(codes, np.concatenate([[0], np.cumsum(self.scanned(subjects, sizes))]).astype(np.int64))

    def rolled(self, places: Places, subjects: NDArray[np.int64], sizes: NDArray[np.int64]) -> Places:
        """Return places of an unrolled text as those of its subjects, of which each is listed once.

        Parameters
        ----------
        subjects, sizes : ndarray, shape=(n,)
            Source index and length of each subject of the text.
        """
        circular = self.among(subjects[places.subject])
        if not circular.any():
            return places
        shift = np.where(circular, self.before, 0)
        moved = replace(places, start=places.start - shift, end=places.end - shift)
        size = sizes[places.subject]
        kept = ~circular | ((moved.start >= 0) & (moved.start < size))
        if self.one_turn:
            kept &= ~circular | (moved.end - moved.start <= size)
        return moved.take(kept)


def circles_of(request: RuleRequest, database: EncodedDatabase) -> Circles:
    """Return which subjects a rule reads as circular, and how far."""
    if not request.reads_circles:
        return Circles()
    members = None if request.circular else database.circular
    if members is not None and not len(members):
        return Circles()
    before, behind = request.rule.reach(max(len(record.residues) for record in request.queries))
    if request.frames:  # in which reading frame a residue stands does not change
        before, behind = CODON * before, CODON * behind
    return Circles(members, before, behind, request.rule.paired)


def ends_of(places: Places, database: EncodedDatabase) -> NDArray[np.int64]:
    """Return the end of each place in its subject, before its start where it crosses the origin, shape (k,)."""
    lengths = np.asarray(database.lengths_of(places.subject), np.int64)
    return folded(places.end, lengths)


def joins_of(places: Places, database: EncodedDatabase) -> list[str]:
    """Return where each place lies that crosses the origin, as GenBank writes it: ``join(98..100,1..5)``."""
    lengths = np.asarray(database.lengths_of(places.subject), np.int64)
    joins = [""] * len(places)
    for row in np.flatnonzero(places.end > lengths).tolist():
        joins[row] = location(int(places.start[row]), int(places.end[row]), int(lengths[row]))
    return joins


def residues_of(database: EncodedDatabase, subject: int, start: int, end: int) -> NDArray[np.uint8]:
    """Return the codes of a subject from one residue to another, read on behind its end where they lie there."""
    codes = database.reading(subject)
    size = len(codes)
    if 0 <= start <= end <= size:
        return codes[start:end]
    parts = []
    while start < end:
        first = start % size
        last = min(size, first + end - start)
        parts.append(codes[first:last])
        start += last - first
    return np.concatenate([np.zeros(0, np.uint8), *parts])
