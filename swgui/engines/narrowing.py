"""Places where long subjects of DNA score: from windows of a scan to boxes that hold whole alignments, and little else.

A scan finds the windows of a frame, or of a strand whose reading may shift, that hold a score, and a window is many
times as long as an alignment. Peaks, the best scores of a few columns each, show in which of them alignments end. Read
backwards from there, they show in which they begin. The range between is a box: an alignment with as much score, and
all that are as good, lie wholly in one. All windows of many queries are processed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.hits.scores import WindowScores, highest, reaching
from swgui.core.scoring import ScoringScheme
from swgui.core.stretches import Subjects
from swgui.core.translation.database import TranslatedDatabase
from swgui.core.translation.frames import SHIFTING, reading
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.peaks import Peaks, StrandCodons, Stretches
from swgui.core.translation.programs import shifting
from swgui.engines.native.translating import parts_of_subjects
from swgui.engines.shifted import ShiftScheme
from swgui.engines.windows import spans_within

MAX_BASES: Final = 1 << 28  # of a database that is translated as a whole: two codes for each
NO_SHIFT: Final = -1  # in place of the cost of a frameshift
_Ints = NDArray[np.int64]


def strand_codons(database: TranslatedDatabase) -> StrandCodons:
    """Translate all of a database."""
    count, strands = len(database), [reading(0, SHIFTING), reading(0, -SHIFTING)]
    both = np.tile(np.arange(count), 2)
    whole = np.zeros(2 * count, dtype=np.int64), database.given.lengths[both].astype(np.int64)
    made = parts_of_subjects(database, both, np.repeat(np.array(strands, dtype=np.int64), count), whole)
    return StrandCodons(made.codes, made.starts[:count], made.starts[count:])


def can_narrow(database: EncodedDatabase) -> TypeGuard[TranslatedDatabase]:
    """Return True if a device could narrow windows of a search."""
    if not isinstance(database, TranslatedDatabase):
        return False
    how = database.translation
    return how.of.translates_database and how.min_orf < 2 and int(database.given.residues) <= MAX_BASES


def spans_of(proteins: Subjects, database: TranslatedDatabase, scheme: ScoringScheme) -> _Ints:
    """Return the most columns that an alignment of each protein covers, shape (p,); below 0 without a limit."""
    how = database.translation
    shifts = ShiftScheme.of(scheme, how.shift, protein_query=True)
    most = shifts.bounds(proteins)
    return shifts.spans(proteins.lengths, most) if shifting(how) else spans_within(proteins.lengths, most, scheme)


@dataclass(frozen=True, slots=True, eq=False)
class _Ranges:
    """Half-open ranges of columns of items, n of them, with the best scores in them; items and starts ascending."""

    items: _Ints
    starts: _Ints
    stops: _Ints
    scores: _Ints

    @classmethod
    def within(cls, items: _Ints, starts: _Ints, stops: _Ints, scores: _Ints) -> _Ranges:
        """Put ranges in order, and leave out those that are empty."""
        order = np.lexsort((starts, items))
        order = order[starts[order] < stops[order]]
        return cls(items[order], starts[order], stops[order], scores[order])

    def merged(self) -> _Ranges:
        """Make one of those of an item that touch."""
        if not len(self.items):
            return self
        apart = self.items * (int(self.stops.max()) + 2)  # those of other items are far away
        reached = np.maximum.accumulate(apart + self.stops)
        first = np.flatnonzero(np.append(True, (apart + self.starts)[1:] > reached[:-1]))
        last = np.append(first[1:], len(self.items)) - 1
        best = np.maximum.reduceat(self.scores, first)
        return _Ranges(self.items[first], self.starts[first], (reached - apart)[last], best)

    def columns(self) -> _Ints:
        """Return starts, stops and scores, shape (3, n)."""
        return np.stack([self.starts, self.stops, self.scores])

    def edges(self, count: int) -> list[int]:
        """Return where those of each item begin, and the last ones end."""
        edges: list[int] = np.searchsorted(self.items, np.arange(count + 1)).tolist()
        return edges


@dataclass(frozen=True, slots=True, eq=False)
class Narrowing:
    """Items whose windows are narrowed, n of them: a protein with a frame, or with a strand whose reading may shift."""

    peaks: Peaks
    proteins: Subjects  # p of them
    spans: _Ints  # as of `spans_of`, shape (p,)
    # of, firsts: the protein of each item, and the codon of its subject's first column, shape (n,)
    of: _Ints
    firsts: _Ints
    windows: Sequence[WindowScores]  # where each scores
    least: _Ints  # the lowest score of later questions, at least 1, shape (n,)
    by_base: bool  # whether there is a column for each base, of strands whose reading may shift

    def boxes(self) -> list[WindowScores]:
        """Return the windows as boxes; those of an item that cannot be narrowed as they are."""
        can = (self.spans[self.of] >= 0) & (highest(self.windows) <= self.peaks.limit)
        made, some = list(self.windows), np.flatnonzero(can)
        if not len(some):
            return made
        ends = self._ends(some)
        runs = ends.merged()
        begins, earliest = self._begins(runs)
        boxes = _Ranges.within(runs.items, earliest, runs.stops, runs.scores).merged()
        stops, scores = boxes.stops + self._behind, boxes.scores.astype(np.int32)
        of_ends, of_begins, count = ends.columns(), begins.columns(), len(made)
        edges = zip(*(pairwise(ranges.edges(count)) for ranges in (boxes, ends, begins)), strict=True)
        columns = zip(made, self.least.tolist(), can.tolist(), edges, strict=True)
        for item, (window, least, narrow, ((a, b), (c, d), (e, f))) in enumerate(columns):
            if narrow:
                box = boxes.starts[a:b], stops[a:b], scores[a:b]
                made[item] = WindowScores(window.db_index, *box, least, of_ends[:, c:d], of_begins[:, e:f])
        return made

    @property
    def _step(self) -> int:
        return 1 if self.by_base else CODON

    @property
    def _behind(self) -> int:
        """Bases of a stretch behind the beginning of its last codon, where windows count bases."""
        return CODON - 1 if self.by_base else 0

    def _ends(self, some: _Ints) -> _Ranges:
        """Return the ends of alignments of some items."""
        of, starts, stops, _ = reaching([self.windows[item] for item in some.tolist()], self.least[some])
        item = some[of]
        lengths = stops - self._behind - starts
        stretches = Stretches(self.of[item], self.firsts[item] + self._step * starts, lengths, self.least[item])
        number, block, score = self.peaks.find(self.proteins, stretches)
        first = starts[number] + self.peaks.width * block
        stop = np.minimum(first + self.peaks.width, (starts + lengths)[number])
        return _Ranges.within(item[number], first, stop, score)

    def _begins(self, runs: _Ranges) -> tuple[_Ranges, _Ints]:
        """Return the starts of alignments that end in runs of columns, and the first such column of each run."""
        of = self.of[runs.items]
        low = np.maximum(runs.starts - self.spans[of], 0)
        last = self.firsts[runs.items] + self._step * (runs.stops - 1)
        turned = Stretches(of, last, runs.stops - low, self.least[runs.items])
        number, block, score = self.peaks.find(self.proteins, turned, backwards=True)
        stop = runs.stops[number] - self.peaks.width * block
        start = np.maximum(stop - self.peaks.width, low[number])
        earliest = runs.stops.copy()
        np.minimum.at(earliest, number, start)
        return _Ranges.within(runs.items[number], start, stop, score), earliest
