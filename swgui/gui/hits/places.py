"""Rows of the ranked list below each other, unfolded ones followed by their alignments. Without Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.table import Hit
from swgui.gui.hits.columns import ColumnView
from swgui.gui.hits.data import HitData
from swgui.gui.words import formatting
from swgui.io.export.columns import is_of_alignment
from swgui.io.export.rows import span

SUBJECT = -1  # the part of a place that means a whole subject


@dataclass(frozen=True, eq=False)
class Places:
    """The row or alignment at each place of a list."""

    subjects: NDArray[np.int64] = field(repr=False)  # rows of the ranked list in the order shown, shape (k,)
    # Row of each place; `subjects` itself while nothing is unfolded, shape (n,)
    rows: NDArray[np.int64] = field(repr=False)
    # Number of the alignment of each place from 0, `SUBJECT` for all of them; None while nothing is unfolded,
    # shape (n,)
    parts: NDArray[np.int64] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, subjects: NDArray[np.int64], unfolded: Mapping[int, int]) -> Places:
        """Return the places of some rows.

        Parameters
        ----------
        subjects : ndarray, shape=(k,), dtype=int64
        unfolded : mapping of int to int
            Rows to unfold, with how many alignments they have.
        """
        if not unfolded:
            return cls(subjects, subjects)
        sizes = np.ones(len(subjects), dtype=np.int64)
        for row in np.flatnonzero(np.isin(subjects, list(unfolded))).tolist():
            sizes[row] += unfolded[int(subjects[row])]
        starts = np.cumsum(sizes) - sizes
        parts = np.arange(sizes.sum(), dtype=np.int64) - np.repeat(starts, sizes) - 1
        return cls(subjects, np.repeat(subjects, sizes), parts)

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, place: int) -> int:
        """Return the alignment at a place, `SUBJECT` for all of them."""
        return SUBJECT if self.parts is None else int(self.parts[place])

    @cached_property
    def _place_of_row(self) -> NDArray[np.int64]:
        whole = np.arange(len(self.rows)) if self.parts is None else np.flatnonzero(self.parts == SUBJECT)
        places = np.full(int(self.subjects.max(initial=-1)) + 1, -1, dtype=np.int64)
        places[self.rows[whole]] = whole
        return places

    def place_of(self, row: int, part: int = SUBJECT) -> int:
        """Return the place of a row, or of an alignment of it; the row's if it is folded, -1 if it is not shown."""
        place = int(self._place_of_row[row]) if 0 <= row < len(self._place_of_row) else -1
        inside = place >= 0 and part >= 0 and self.at(place + 1 + part) == (row, part)
        return place + 1 + part if inside else place

    def places_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of the shown ones among some rows, shape (n,), dtype int64."""
        places = self._place_of_row[rows[rows < len(self._place_of_row)]]
        shown: NDArray[np.int64] = places[places >= 0]
        return shown

    def at(self, place: int) -> tuple[int, int]:
        """Return row and part of a place, (-1, `SUBJECT`) beyond the ends."""
        return (int(self.rows[place]), self.part(place)) if 0 <= place < len(self.rows) else (-1, SUBJECT)

    def between(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the rows from one place to another, both included, each once, shape (n,), dtype int64."""
        rows = self.rows[first : last + 1]
        if self.parts is None or len(rows) < 2:
            return rows
        first_of_each = np.concatenate([[True], rows[1:] != rows[:-1]])
        return np.compress(first_of_each, rows)


def part_of(data: HitData, row: int, part: int) -> Hit | None:
    """Return one alignment of a hit, as a hit; None while the hit is not kept."""
    alignments = data.alignments(row)
    return alignments[part] if part < len(alignments) else None


def part_text(data: HitData, row: int, part: int, view: ColumnView) -> str:
    """Return one cell; empty in columns that describe the whole subject."""
    if view.key == "sseqid":
        return f"{part + 1:,} of {data.how_many(row)[0]:,}"
    hit = part_of(data, row, part)
    if hit is None:
        return formatting.NOTHING if view.kind in ("number", "bar") and is_of_alignment(view.column) else ""
    if view.key == "stitle":  # short: the strand has a column of its own
        place = span(hit)
        return f"{place.subject_start:,} to {place.subject_end:,}" if place else ""
    if view.kind in ("map", "tick", "star") or not is_of_alignment(view.column):
        return ""
    value = data.part_values(row, view.column)[part]
    return str(value) if view.column.kind == "text" else view.show(float(value))


def part_tip(data: HitData, row: int, part: int, view: ColumnView) -> str:
    """Return one cell in words that can be read alone, for tool tips and screen readers."""
    text, hit = part_text(data, row, part, view), part_of(data, row, part)
    if view.key == "sseqid":
        return f"Alignment {text}"
    if view.key == "stitle" and hit is not None:
        return f"Subject {text}{f', {read}' if (read := formatting.strand(hit.strand)) else ''}"
    return text


def map_of(data: HitData, row: int, part: int) -> tuple[list[tuple[int, int]], int]:
    """Return the stretches of the query, from 1, that an alignment or all of a hit cover, and the query's length."""
    spans = data.along_query(row)
    shown = spans if part < 0 else spans[part : part + 1]
    return [ends for _, ends in shown], data.query_length
