"""Contents of the locus view: one sequence, and tracks of stretches on it. Without widgets; made by a worker."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, TwoTracks
from swgui.core.database import EncodedDatabase
from swgui.core.features import Feature, is_circular
from swgui.core.loci.annotation import Annotation, Locator
from swgui.core.loci.intervals import Intervals
from swgui.core.loci.place import Marks, Place
from swgui.core.loci.sentence import locate
from swgui.core.loci.table import FeatureTable
from swgui.core.plain import replace

LANES: Final = 8  # rows of a track at most
_NO_BASES: Final = np.zeros(0, np.int64)


class Lane(NamedTuple):
    """Stretches of a track in one row, ascending; they overlap in the last row alone."""

    rows: NDArray[np.int64]  # of the track, shape (k,)
    # starts, ends: half-open ranges, shape (k,)
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    reach: NDArray[np.int64]  # largest end so far, shape (k,)

    def within(self, first: int, last: int) -> slice:
        """Return which of them may overlap a stretch, and all that do."""
        return slice(int(np.searchsorted(self.reach, first, "right")), int(np.searchsorted(self.starts, last)))


class Track(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Stretches of one kind in lanes.

    A stretch that crosses the origin of a circular sequence is in it twice, at both ends.
    """

    title: str
    intervals: Intervals
    of: NDArray[np.int64]  # place of each stretch among those of the source, shape (k,)
    strands: NDArray[np.int8]  # shape (k,)
    lanes: NDArray[np.int16]  # shape (k,)
    feature: Callable[[int], Feature]  # returns a stretch of the source as a feature, for names, parts and colours
    is_result: bool = False  # whether it shows places of a result
    shifts: NDArray[np.int64] = _NO_BASES  # bases at which the reading shifts

    def __len__(self) -> int:
        return len(self.of)

    @cached_property
    def rows(self) -> tuple[Lane, ...]:
        """The stretches by lane, the first one on top."""
        made = []
        for lane in range(int(self.lanes.max(initial=-1)) + 1):
            rows = np.flatnonzero(self.lanes == lane)
            starts, ends = self.intervals.starts[rows], self.intervals.ends[rows]
            made.append(Lane(rows, starts, ends, np.maximum.accumulate(ends)))
        return tuple(made)

    def shown(self, row: int) -> tuple[Feature, int]:
        """Return a stretch as a feature, and the distance that moves it where it is a copy across the origin."""
        feature = self.feature(int(self.of[row]))
        return feature, int(self.intervals.starts[row]) - feature.start


class Scene(msgspec.Struct, frozen=True, eq=False):
    """One sequence as the view shows it."""

    place: Place
    name: str
    length: int
    circular: bool
    alphabet: Alphabet
    codes: NDArray[np.uint8]  # residues, shape (length,)
    table: FeatureTable | None  # None without features
    source: str  # sentence on where features come from, or that there are none
    tracks: tuple[Track, ...]

    def bases(self, first: int, last: int) -> NDArray[np.uint8]:
        """Return the codes of a stretch, half open, inside the sequence."""
        return self.codes[max(first, 0) : min(last, self.length)]

    def sentence(self, start: int, end: int) -> str:
        """Return where a stretch lies among the features; empty without features."""
        if self.table is None:
            return ""
        (locus,) = locate(self.table, np.array([start]), np.array([end]))
        return locus.sentence

    @property
    def marked(self) -> list[tuple[int, int]]:
        """Stretches of the result, ascending, half open."""
        of = [track.intervals for track in self.tracks if track.is_result]
        return sorted({pair for one in of for pair in zip(one.starts.tolist(), one.ends.tolist(), strict=True)})


def open_scene(place: Place, annotation: Annotation | None) -> Scene:
    """Read a sequence and its features, and lay everything into lanes; for a worker.

    Parameters
    ----------
    annotation : Annotation or None
        Features of a file; None for those of the database.
    """
    database, index = place.database, place.db_index
    name, length = database.ids[index], int(database.lengths_of(np.array([index]))[0])
    circular = database.feature_texts is not None and is_circular(database.feature_texts[index])
    table = Locator(database, annotation).table(index)
    circular = circular or (table is not None and table.circular)
    features = [] if table is None else [_feature_track(table, length, circular)]
    results = [_mark_track(marks, length, circular) for marks in place.marks()]
    codes = database.subject(index)[:length]
    alphabet = database.alphabet
    return Scene(
        place,
        name,
        length,
        circular,
        alphabet.parts[0] if isinstance(alphabet, TwoTracks) else alphabet,
        codes,
        table,
        _source(database, annotation, name, table),
        (*results, *features),
    )


def _source(database: EncodedDatabase, annotation: Annotation | None, name: str, table: FeatureTable | None) -> str:
    if annotation is None:
        return f"Features of {database.name}." if table is not None else f"{database.name} has no features of {name}."
    if table is not None:
        return f"Features of {annotation.file}."
    theirs = ", ".join(list(annotation.tables)[:3])
    return f"{annotation.file} has no features of {name}; its sequences are called {theirs}."


def _feature_track(table: FeatureTable, length: int, circular: bool) -> Track:
    return _track("Features", table.starts, table.ends, table.strands, table.feature, length, circular)


def _mark_track(marks: Marks, length: int, circular: bool) -> Track:
    order = np.argsort(marks.starts, kind="stable")

    def feature(number: int) -> Feature:
        row = int(order[number])
        span = int(marks.starts[row]), int(marks.ends[row])
        return Feature("misc_feature", (span,), marks.names[row], int(marks.strands[row]))

    track = _track(marks.title, marks.starts[order], marks.ends[order], marks.strands[order], feature, length, circular)
    return replace(track, is_result=True, shifts=np.unique(marks.shifts))


def _track(
    title: str,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    strands: NDArray[np.int8],
    feature: Callable[[int], Feature],
    length: int,
    circular: bool,
) -> Track:
    of = np.arange(len(starts))
    if circular and (across := np.flatnonzero(ends > length)).size:
        of = np.concatenate([of, across])
        starts, ends = (np.concatenate([edges, edges[across] - length]) for edges in (starts, ends))
        order = np.argsort(starts, kind="stable")
        of, starts, ends = of[order], starts[order], ends[order]
    intervals = Intervals(starts, ends)
    return Track(title, intervals, of, strands[of], intervals.lanes(LANES), feature)
