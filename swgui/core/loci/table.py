"""Features of one sequence as columns, found by position or by name.

Positions count from 0, ends are exclusive. A feature that crosses the origin of a circular sequence ends behind its
length, as places do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.features import KINDS, Feature
from swgui.core.loci.intervals import Intervals, Overlaps
from swgui.core.ranges import range_offsets

_Ints = NDArray[np.int64]
KEYS: Final = tuple(KINDS)
_CODES: Final = {key: code for code, key in enumerate(KEYS)}
GENES: Final = ("gene", "rna")  # groups of features that sentences name first
_GENIC: Final = np.array([KINDS[key].group in GENES for key in KEYS])


class Neighbours(NamedTuple):
    """The nearest feature before and behind each of k places; -1 where there is none."""

    left: _Ints  # shape (k,)
    right: _Ints  # shape (k,)
    # left_gap, right_gap: bases between place and feature, shape (k,)
    left_gap: _Ints
    right_gap: _Ints


class FeatureTable(msgspec.Struct, frozen=True, eq=False, dict=True):
    """k features of a sequence, ascending by their start; of one start the longest first."""

    kinds: NDArray[np.uint8]  # places in `KEYS`, shape (k,)
    name_of: NDArray[np.int32]  # places in `names`, shape (k,)
    names: tuple[str, ...]
    strands: NDArray[np.int8]  # 1 or -1, shape (k,)
    offsets: _Ints  # where the spans of each begin, shape (k + 1,)
    # span_starts, span_ends: parts of all features, those of one ascending
    span_starts: _Ints
    span_ends: _Ints
    length: int = 0  # of the sequence; 0 if unknown
    circular: bool = False

    def __len__(self) -> int:
        return len(self.kinds)

    @classmethod
    def of(cls, features: Iterable[Feature], length: int = 0, *, circular: bool = False) -> FeatureTable:
        """Table of some features.

        Parameters
        ----------
        length : int
            Of the sequence; 0 if unknown, which leaves features of a circular sequence as they are.
        """
        given = [(_unrolled(one.spans, length) if circular else one.spans, one) for one in features]
        given.sort(key=lambda pair: (pair[0][0][0], -pair[0][-1][1]))
        names: dict[str, int] = {}
        codes = [names.setdefault(one.name, len(names)) for _, one in given]
        spans = np.array([span for of_one, _ in given for span in of_one], np.int64).reshape(-1, 2)
        return cls(
            np.array([_CODES[one.kind] for _, one in given], np.uint8),
            np.array(codes, np.int32),
            tuple(names),
            np.array([one.strand for _, one in given], np.int8),
            range_offsets(np.array([len(of_one) for of_one, _ in given], np.int64)),
            np.ascontiguousarray(spans[:, 0]),
            np.ascontiguousarray(spans[:, 1]),
            length,
            circular,
        )

    @cached_property
    def starts(self) -> _Ints:
        """First position of each feature, shape (k,)."""
        return self.span_starts[self.offsets[:-1]]

    @cached_property
    def ends(self) -> _Ints:
        """Position behind the last one of each feature, shape (k,)."""
        if not len(self):
            return np.zeros(0, np.int64)
        return np.maximum.reduceat(self.span_ends, self.offsets[:-1])

    @cached_property
    def primary(self) -> NDArray[np.bool_]:
        """Mask of the features that sentences name first: genes and RNAs, or all where there are none, shape (k,)."""
        genic = _GENIC[self.kinds]
        return genic if genic.any() else np.ones(len(self), np.bool_)

    @property
    def has_genes(self) -> bool:
        """Whether any feature is a gene or an RNA."""
        return bool(_GENIC[self.kinds].any())

    def kind(self, row: int) -> str:
        """Key of the kind of a feature, of `swgui.core.features.KINDS`."""
        return KEYS[int(self.kinds[row])]

    def name(self, row: int) -> str:
        """Name of a feature; may be empty."""
        return self.names[int(self.name_of[row])]

    def spans(self, row: int) -> list[tuple[int, int]]:
        """Parts of a feature, ascending."""
        part = slice(self.offsets[row], self.offsets[row + 1])
        return list(zip(self.span_starts[part].tolist(), self.span_ends[part].tolist(), strict=True))

    def feature(self, row: int) -> Feature:
        """One feature as a record."""
        return Feature(self.kind(row), tuple(self.spans(row)), self.name(row), int(self.strands[row]))

    def features(self) -> Iterator[Feature]:
        """Yield every feature as a record."""
        return map(self.feature, range(len(self)))

    def find(self, text: str) -> _Ints:
        """Rows of the features with a name, upper and lower case alike; if none has it, of those that contain it."""
        wanted = text.casefold().strip()
        if not wanted:
            return np.zeros(0, np.int64)
        folded = [name.casefold() for name in self.names]
        hits = [code for code, name in enumerate(folded) if name == wanted]
        hits = hits or [code for code, name in enumerate(folded) if wanted in name]
        return np.flatnonzero(np.isin(self.name_of, hits))

    @cached_property
    def intervals(self) -> Intervals:
        """First and last positions of all features."""
        return Intervals(self.starts, self.ends)

    def overlapping(self, starts: _Ints, ends: _Ints) -> Overlaps:
        """Pairs of places and features that have a position in common, at most one of each two.

        Parameters
        ----------
        starts, ends : ndarray, shape=(k,), dtype=int64
            Half-open ranges; on a circle they may end behind its length.
        """
        return self.intervals.overlapping(starts, ends, self.length if self.circular else 0)

    def neighbours(self, starts: _Ints, ends: _Ints) -> Neighbours:
        """Return the nearest `primary` features before and behind places, which overlap none of these.

        Parameters
        ----------
        starts, ends : ndarray, shape=(k,), dtype=int64
            As of `overlapping`.
        """
        by_start, begins, by_end, stops = self._sides
        nothing = np.full(len(starts), -1, np.int64)
        if not len(begins):
            return Neighbours(nothing, nothing, nothing, nothing)
        right = np.searchsorted(begins, ends, "left")
        left = np.searchsorted(stops, starts, "right") - 1
        there, before = right < len(begins), left >= 0
        at_right, at_left = np.minimum(right, len(begins) - 1), np.maximum(left, 0)
        return Neighbours(
            np.where(before, by_end[at_left], -1),
            np.where(there, by_start[at_right], -1),
            np.where(before, starts - stops[at_left], -1),
            np.where(there, begins[at_right] - ends, -1),
        )

    @cached_property
    def _sides(self) -> tuple[_Ints, _Ints, _Ints, _Ints]:
        """Rows of primary features by start and by end, and these; on a circle once more a turn before and behind."""
        rows = np.flatnonzero(self.primary)
        starts, ends = self.starts[rows], self.ends[rows]
        if self.circular and self.length:
            turns = np.repeat([-self.length, 0, self.length], len(rows))
            rows, starts, ends = np.tile(rows, 3), np.tile(starts, 3) + turns, np.tile(ends, 3) + turns
        by_start, by_end = np.argsort(starts, kind="stable"), np.argsort(ends, kind="stable")
        return rows[by_start], starts[by_start], rows[by_end], ends[by_end]


def _unrolled(spans: tuple[tuple[int, int], ...], length: int) -> tuple[tuple[int, int], ...]:
    """Spans of a feature that touches both ends of a circle, read across the origin: split at the widest gap."""
    if not length or len(spans) < 2 or spans[0][0] != 0 or spans[-1][1] != length:
        return spans
    gaps = [after[0] - before[1] for before, after in pairwise(spans)]
    cut = gaps.index(max(gaps)) + 1
    first, second = spans[cut:], tuple((start + length, end + length) for start, end in spans[:cut])
    return (*first[:-1], (first[-1][0], second[0][1]), *second[1:])
