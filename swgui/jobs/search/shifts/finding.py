"""Alignments of a query with subjects whose reading may shift: the best of a strand, then the best of what it leaves.

Long strands are cut into pieces that overlap by what an alignment can span at most, so none is lost at a border; where
the search found out which pieces score, the others are not looked at again. Alignments of a pair share no base of a
strand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.errors import ScoreMismatch
from swgui.core.frameshift import Shifted
from swgui.core.hits.results import HitColumns
from swgui.core.hits.scores import WindowScores, reaching
from swgui.core.plain import replace
from swgui.core.ranges import places_within
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.stretches import Subjects
from swgui.core.translation.database import TranslatedDatabase
from swgui.core.translation.genetic_codes import CODON
from swgui.engines.native.library import lanes as lanes_of_bytes
from swgui.engines.native.shifting import UNKNOWN, shift_paths, shift_paths_each, shift_sums, shifted_at
from swgui.engines.native.tracing import Paths
from swgui.engines.native.translating import parts_of_subjects
from swgui.engines.shift_search import cut_strands
from swgui.engines.shifted import CpuShifts, ShiftScheme

# Boxes of many strands, in which a device found alignments: where the best of each lies, what of a stretch is left.

ROUNDS: Final = 1_000  # of what alignments leave of one strand
_Ints = NDArray[np.int64]


class KnownBoxes:
    """Where the subjects of items score, as far as it is known from boxes.

    Parameters
    ----------
    windows : sequence of WindowScores or None
        Of each item.
    least : ndarray, shape=(n,), dtype=int64
        The lowest score that is wanted of each.

    Attributes
    ----------
    has_boxes : ndarray, shape=(n,), dtype=bool
        The items that have boxes.
    """

    def __init__(self, windows: Sequence[WindowScores | None], least: _Ints) -> None:
        both = zip(windows, least.tolist(), strict=True)
        own = [one if one is not None and one.boxes(low) else None for one, low in both]
        self.least, self.has_boxes = least, np.array([one is not None for one in own], dtype=bool)
        known, item = [one for one in own if one is not None], np.flatnonzero(self.has_boxes)
        of, *columns = reaching(known, least[item])
        self._boxes = np.stack([item[of], *columns])
        self._begins = self._enough(item, [one.begins for one in known])
        self._ends = self._enough(item, [one.ends for one in known])
        # Places of different items are far away from each other, so that one search finds those of all.
        self._apart = 2 + max(int(ranges[2].max(initial=0)) for ranges in (self._boxes, self._begins, self._ends))
        self._stops = [
            np.maximum.accumulate(self._place(ranges[0], ranges[2])) for ranges in (self._begins, self._ends)
        ]

    def _enough(self, item: _Ints, ranges: Sequence[_Ints]) -> _Ints:
        """Return those ranges of items that have their least scores, and the item of each as the first row."""
        of = np.repeat(item, [some.shape[1] for some in ranges])
        every = np.concatenate([np.zeros((3, 0), dtype=np.int64), *ranges], axis=1)
        enough = np.flatnonzero(every[2] >= self.least[of])
        return np.concatenate([of[np.newaxis, enough], every[:, enough]])

    def _place(self, item: _Ints, at: _Ints) -> _Ints:
        return np.asarray(item * self._apart + at)

    def around_best(self) -> tuple[_Ints, _Ints, _Ints, _Ints, _Ints]:
        """Return the boxes that reach the least score, as five columns.

        They are the item, the residues, or codons, of its best alignment (of equals the one that ends first), and those
        of the box.
        """
        item, starts, stops, _ = self._boxes
        first, last = (self._first_with(ranges)[number] for ranges, number in ((self._begins, 1), (self._ends, 2)))
        return item, first, last, starts, stops

    def _first_with(self, ranges: _Ints) -> _Ints:
        """Return the first range of each box that has its score."""
        item, starts, _, scores = self._boxes
        box = np.searchsorted(self._place(item, starts), self._place(ranges[0], ranges[2] - 1), side="right") - 1
        enough = np.flatnonzero(ranges[3] >= scores[box])
        return np.asarray(ranges[:, enough[np.searchsorted(box[enough], np.arange(len(item)))]])

    def left_of(self, item: _Ints, starts: _Ints, stops: _Ints) -> tuple[_Ints, _Ints, _Ints]:
        """Return the parts of stretches that may hold a complete alignment: items, first columns and columns."""
        begins, ends = self._begins, self._ends
        first = np.searchsorted(self._stops[0], self._place(item, starts), side="right")
        last = np.searchsorted(self._place(ends[0], ends[1]), self._place(item, np.minimum(stops, self._apart - 1))) - 1
        low, high = starts.copy(), stops.copy()
        known = self.has_boxes[item]
        some = np.flatnonzero(known)
        if len(some):
            padded = np.concatenate([begins, [[len(self.has_boxes)], [0], [0], [0]]], axis=1)
            of_begin, begin = padded[0, first[some]], padded[1, first[some]]
            reached = np.concatenate([self._stops[1], [-1]])[last[some]] - item[some] * self._apart
            there = (of_begin == item[some]) & (begin < stops[some]) & (reached > starts[some])
            low[some] = np.maximum(starts[some], begin)
            high[some] = np.where(there, np.minimum(stops[some], reached), low[some])
        kept = high > low
        return item[kept], low[kept], (high - low)[kept]


@dataclass(frozen=True, slots=True, eq=False)
class ShiftAlignments:
    """Alignments of some hits, n of them, those of a hit together and best first."""

    # hits, readings: the hits ascending, shape (n,)
    hits: _Ints
    readings: _Ints
    # As of `shift_paths`, on the whole protein and the whole strand, or the part of it that is searched with.
    paths: Paths
    sums: _Ints  # as of `shift_sums`, shape (n, 3)
    # residues, codons: what each reads of the protein and of the strand
    residues: Subjects
    codons: Subjects

    @classmethod
    def join(cls, parts: Sequence[ShiftAlignments]) -> ShiftAlignments:
        """Return those of one or more."""
        joined = (np.concatenate([getattr(part, name) for part in parts]) for name in ("hits", "readings", "sums"))
        hits, readings, sums = joined
        sides = [Subjects.join([getattr(part, name) for part in parts]) for name in ("residues", "codons")]
        return cls(hits, readings, Paths.join([part.paths for part in parts]), sums, *sides)

    def take(self, numbers: _Ints) -> ShiftAlignments:
        """Return some of them, in the order given."""
        of, paths = (self.hits[numbers], self.readings[numbers]), self.paths.take(numbers)
        return ShiftAlignments(*of, paths, self.sums[numbers], self.residues.take(numbers), self.codons.take(numbers))


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """Hits, each in a reading in which its alignments are looked for."""

    hits: _Ints  # which hit each is of, shape (n,)
    # of, db_index, readings: the list of each hit, its subject, and the reading, shape (n,)
    of: _Ints
    db_index: _Ints
    readings: _Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Stretches of strands that are looked at, each of one hit in one reading."""

    item: _Ints  # which hit and reading each is of, shape (n,)
    # begins, lengths: first codon on the strand, and codons, shape (n,)
    begins: _Ints
    lengths: _Ints
    # firsts, stops: the codons between which other alignments may be, where a piece holds the best one alone; -1
    # elsewhere, shape (n,)
    firsts: _Ints
    stops: _Ints

    @classmethod
    def of(cls, item: _Ints, begins: _Ints, lengths: _Ints) -> _Pieces:
        """Make those that hold all that is looked for."""
        return cls(item, begins, lengths, *np.full((2, len(item)), -1, dtype=np.int64))

    @classmethod
    def join(cls, one: _Pieces, other: _Pieces) -> _Pieces:
        """Return those of both."""
        names = cls.__dataclass_fields__
        return cls(*(np.concatenate([getattr(one, name), getattr(other, name)]) for name in names))

    @classmethod
    def cut(cls, item: _Ints, begins: _Ints, lengths: _Ints, overlap: int) -> _Pieces:
        """Cut stretches into pieces that overlap."""
        of, inside, sizes = cut_strands(lengths, overlap).T
        return cls.of(item[of], begins[of] + inside, sizes.copy())

    def take(self, numbers: _Ints | NDArray[np.bool_]) -> _Pieces:
        """Return some of them."""
        return _Pieces(*(getattr(self, name)[numbers] for name in self.__dataclass_fields__))


class ShiftFinder:
    """Finds the alignments of one or more lists of a search with frameshifts.

    Parameters
    ----------
    queries : sequence of mapping of int to EncodedQuery
        What was searched with in each list, by reading.
    windows : sequence of mapping of (int, int) to WindowScores
        Where long subjects score, by source index and reading, as far as it is known; of each list.
    threads : int
        0 for all cores; below 0 for many lists side by side, as for `in_pieces`.
    """

    def __init__(
        self,
        queries: Sequence[Mapping[int, EncodedQuery]],
        database: EncodedDatabase,
        scheme: ScoringScheme,
        windows: Sequence[Mapping[tuple[int, int], WindowScores]],
        check: Check = lambda: None,
        threads: int = 0,
    ) -> None:
        assert isinstance(database, TranslatedDatabase)
        how = database.translation
        self._database, self._windows, self._check, self._threads = database, windows, check, threads
        self._dna_query = how.of.translates_query
        self._scheme = ShiftScheme.of(scheme, how.shift, protein_query=not self._dna_query)
        self._ends = CpuShifts(self._scheme, threads if threads >= 0 else 1)
        self._readings = tuple(queries[0])
        different: dict[tuple[int, bytes], int] = {}  # parts that are alike in several readings are one sequence
        codes: list[NDArray[np.uint8]] = []
        self._order = np.sort(np.array(self._readings, dtype=np.int64))
        self._number = np.zeros((len(queries), len(self._order)), dtype=np.int64)  # by list and place of the reading
        for of, own in enumerate(queries):
            for place, reading in enumerate(self._order.tolist()):
                number = different.setdefault((of, own[reading].codes.tobytes()), len(codes))
                codes += [own[reading].codes] if number == len(codes) else []
                self._number[of, place] = number
        self._packed = Subjects.stacked(codes)

    def find(
        self,
        hits: HitColumns,
        of: _Ints,
        least: _Ints,
        most: int,
        may_reach: Callable[[int], NDArray[np.bool_]] | None = None,
    ) -> ShiftAlignments:
        """Return the alignments of some hits, best first; of equals those of the hit's reading come first.

        Parameters
        ----------
        hits : HitColumns
            k of them, one or more, all with a score above 0.
        of : ndarray, shape=(k,), dtype=int64
            The list of each.
        least : ndarray, shape=(k,), dtype=int64
            The lowest score that is wanted of each, at least 1 and at most its own.
        most : int
            Alignments of a subject.
        may_reach : callable, optional
            Returns which hits may hold such an alignment in a reading, shape (k,); by default each in its own alone.

        Raises
        ------
        ScoreMismatch
            If an alignment does not add up, or the best one not to the score of the search.
        """
        own, readings = hits.strands.astype(np.int64), np.array(self._readings, dtype=np.int64)
        asked = [own == reading if may_reach is None else may_reach(reading) for reading in self._readings]
        hit, which = np.nonzero(np.stack(asked, axis=1))
        items = _Items(hit, of[hit], hits.db_index[hit], readings[which])
        alignments = ShiftAlignments.join([self._none(), *self._found(items, least)])
        scores, hit, start = alignments.paths.regions.scores, alignments.hits, alignments.paths.regions.subject_start
        order = np.lexsort((start, alignments.readings != own[hit], -scores, hit))
        ranked = hit[order]
        order = order[np.arange(len(order)) - np.searchsorted(ranked, ranked) < most]
        best, expected = np.zeros(len(hits), dtype=np.int64), hits.scores.astype(np.int64)
        np.maximum.at(best, hit, scores)
        for row in np.flatnonzero(best != expected)[:1].tolist():
            raise ScoreMismatch(self._database.ids[int(hits.db_index[row])], int(expected[row]), int(best[row]))
        return alignments.take(order)

    def beside(self, db_index: int, reading: int, held: Sequence[tuple[int, int]]) -> Shifted | None:
        """Return the best alignment on what some stretches of bases leave of a strand; None where nothing scores."""
        items = _Items(*(np.array([value]) for value in (0, 0, db_index, reading)))
        proteins = self._proteins(items)
        rest = [(0, int(self._codons(items)[0]))]
        for bases in held:
            rest = [part for begin, length in rest for part in _left(begin, length, bases)]
        begins, lengths = np.array(rest, dtype=np.int64).reshape(-1, 2).T
        highest = self._scheme.bounds(proteins)
        span = self._scheme.span(proteins, highest)
        pieces = _Pieces.cut(np.zeros_like(begins), begins, lengths, span)
        parts = self._parts(items, pieces)
        ends, _ = self._reached(proteins, parts, pieces.item, np.ones(len(pieces.item), dtype=np.int64))
        best = np.argsort(-ends[:, 0], kind="stable")[:1]
        if not ends[best, 0].any():
            return None
        earliest = np.maximum(ends[best, 2] - span, 0) if span >= 0 else np.zeros(1, dtype=np.int64)
        alignments = self._aligned(items, proteins, highest, parts, pieces, ends, best, earliest)
        return shifted_at(alignments.paths, 0)

    def sides(self, hits: HitColumns, of: _Ints) -> tuple[_Ints, _Ints, _Ints]:
        """Return residues of the protein of each hit, the most that a strand scores with it, and codons of the strand.

        There is one codon from each base on.
        """
        items = _Items(np.arange(len(hits)), of, hits.db_index, hits.strands.astype(np.int64))
        proteins = self._proteins(items)
        return proteins.lengths, self._scheme.bounds(proteins), self._codons(items)

    def _none(self) -> ShiftAlignments:
        nothing, codes, paths = np.zeros(0, dtype=np.int64), Subjects.stacked([]), Paths.of([])
        return ShiftAlignments(nothing, nothing, paths, np.zeros((0, 3), np.int64), codes, codes)

    def _proteins(self, items: _Items) -> Subjects:
        """Return the protein of each item."""
        return Subjects.of(self._database, items.db_index, items.readings) if self._dna_query else self._of_query(items)

    def _codons(self, items: _Items) -> _Ints:
        """Return how many codons the strand of each item has, one from each base on."""
        if self._dna_query:
            return self._of_query(items).lengths
        bases = self._database.given.lengths[items.db_index].astype(np.int64)
        return np.asarray(np.maximum(bases - (CODON - 1), 0))

    def _parts(self, items: _Items, pieces: _Pieces) -> Subjects:
        """Return the codons of pieces of strands; of a database only these are translated."""
        if self._dna_query:
            strands = self._of_query(items)
            return Subjects(strands.codes, strands.starts[pieces.item] + pieces.begins, pieces.lengths)
        bases = pieces.begins, pieces.begins + pieces.lengths + (CODON - 1)
        return parts_of_subjects(self._database, items.db_index[pieces.item], items.readings[pieces.item], bases)

    def _of_query(self, items: _Items) -> Subjects:
        """Return the query of each item, in its reading."""
        return self._packed.take(self._number[items.of, np.searchsorted(self._order, items.readings)])

    def _windows_of(self, items: _Items, least: _Ints) -> list[WindowScores | None]:
        """Return where the subjects of items score, as far as it is known of all alignments that are wanted."""
        keys = zip(items.of.tolist(), items.db_index.tolist(), items.readings.tolist(), least.tolist(), strict=True)
        found = ((self._windows[of].get((db_index, reading)), low) for of, db_index, reading, low in keys)
        return [windows if windows is not None and windows.known(low) else None for windows, low in found]

    def _pieces(
        self, items: _Items, windows: Sequence[WindowScores | None], boxes: KnownBoxes, overlap: int
    ) -> _Pieces:
        """Return the first candidates: strands whose pieces reach far enough, if pieces were scored."""
        codons, scored = self._codons(items), [(number, one) for number, one in enumerate(windows) if one is not None]
        unscored = np.ones(len(windows), dtype=bool)
        unscored[[number for number, _ in scored]] = False
        wide = [(number, one) for number, one in scored if not boxes.has_boxes[number]]
        whole, number = np.flatnonzero(unscored), np.array([number for number, _ in wide], dtype=np.int64)
        chosen, starts, stops, _ = reaching([one for _, one in wide], boxes.least[number])
        of = np.concatenate([whole, number[chosen]])
        begins = np.concatenate([np.zeros_like(whole), starts])
        lengths = np.concatenate([codons[whole], stops - starts - (CODON - 1)])
        order = np.argsort(of, kind="stable")
        of, begins, lengths = of[order], begins[order], lengths[order]
        item, first, last, begin, stop = boxes.around_best()
        narrow = _Pieces(item, first, last - first, begin, stop - (CODON - 1))
        return _Pieces.join(_Pieces.cut(of, begins, lengths, overlap), narrow)

    def _found(self, items: _Items, least: _Ints) -> Iterator[ShiftAlignments]:
        """Yield alignments: the best of each strand, and then those of the rest."""
        proteins, needed = self._proteins(items), least[items.hits]
        highest = self._scheme.bounds(proteins)
        span = self._scheme.span(proteins, highest)
        windows = self._windows_of(items, needed)
        boxes = KnownBoxes(windows, needed)
        countable = bool(self._scheme.countable(highest).all())
        pieces = self._pieces(items, windows, boxes, span)
        taken: dict[int, list[tuple[int, int]]] = {}
        for _ in range(ROUNDS):
            parts = self._parts(items, pieces)
            alone, least_of = pieces.stops >= 0, needed[pieces.item]
            ends, codons = self._ends_of(proteins, parts, pieces.item, least_of, span, alone & countable)
            kept = np.flatnonzero((ends[:, 0] >= least_of) | (ends[:, 0] == UNKNOWN))
            if not len(kept):
                return
            froms, wide = np.zeros(len(kept), dtype=np.int64), np.flatnonzero(~boxes.has_boxes[pieces.item[kept]])
            if len(wide):  # of boxes little lies before an alignment
                froms[wide] = self._starts(proteins, parts, pieces.item, kept[wide], ends, span)
            alignments = self._aligned(items, proteins, highest, parts, pieces, ends, kept, froms)
            scores = alignments.paths.regions.scores
            order = np.argsort(-scores, kind="stable")
            order = order[scores[order] >= least_of[kept[order]]]
            alignments, kept = alignments.take(order), kept[order]
            within = np.stack([np.maximum(codons[:, 0] - span, 0), codons[:, 0], codons[:, 1]], axis=1)
            if span < 0:
                within[:, 0] = 0
            within += pieces.begins[:, None]
            within[alone] = np.stack([pieces.firsts, pieces.firsts, pieces.stops], axis=1)[alone]
            shortest = -(-needed[pieces.item] // self._scheme.highest)  # a codon moves on by a base at least
            where = np.column_stack([within, shortest])[kept]
            chosen, rest = _separated(alignments, pieces.item[kept], where, taken)
            pieces = _Pieces.of(*boxes.left_of(*rest))
            yield alignments.take(chosen)

    def _reached(
        self, proteins: Subjects, parts: Subjects, item: _Ints, least: _Ints, *, backwards: bool = False
    ) -> tuple[_Ints, _Ints]:
        """Return `shift_reached` of each piece."""
        sides = [_different(proteins.take(item)), _different(parts)]
        pairs = np.stack([number for _, number in sides], axis=1)
        return self._ends.reached(sides[0][0], sides[1][0], pairs, least, self._check, backwards=backwards)

    def _ends_of(
        self, proteins: Subjects, parts: Subjects, item: _Ints, least: _Ints, span: int, later: NDArray[np.bool_]
    ) -> tuple[_Ints, _Ints]:
        """Return the result of `_in_windows`; `UNKNOWN` as the score of pieces whose ends are found with their paths.

        Parameters
        ----------
        later : ndarray, shape=(n,), dtype=bool
            These pieces.
        """
        ends, codons = np.full((len(item), 3), UNKNOWN, dtype=np.int64), np.zeros((len(item), 2), dtype=np.int64)
        now = np.flatnonzero(~later)
        if len(now):
            ends[now], codons[now] = self._in_windows(proteins, parts.take(now), item[now], least[now], span)
        return ends, codons

    def _in_windows(
        self, proteins: Subjects, parts: Subjects, item: _Ints, least: _Ints, span: int
    ) -> tuple[_Ints, _Ints]:
        """Return the same of pieces that are cut into windows, so that all lanes of a vector have some.

        Any alignment lies wholly in a window, and so does any other that ends there.
        """
        of, starts, lengths = _windows(parts.lengths, span)
        if len(of) == len(item) or len(_different(parts)[0]) < len(item):
            return self._reached(proteins, parts, item, least)
        some = Subjects(parts.codes, parts.starts[of] + starts, lengths)
        ends, codons = self._reached(proteins, some, item[of], least[of])
        reached = ends[:, 0] > 0
        ends[reached, 2] += starts[reached]
        best = np.lexsort((ends[:, 1], ends[:, 2], -ends[:, 0], of))
        first = np.searchsorted(of, np.arange(len(item)))
        none = codons[:, 1] == codons[:, 0]
        low = np.minimum.reduceat(np.where(none, np.iinfo(np.int64).max, codons[:, 0] + starts), first)
        high = np.maximum.reduceat(np.where(none, 0, codons[:, 1] + starts), first)
        return ends[best[first]], np.stack([np.minimum(low, high), high], axis=1)

    def _starts(self, proteins: Subjects, parts: Subjects, item: _Ints, kept: _Ints, ends: _Ints, span: int) -> _Ints:
        """Return a codon of each of some pieces before which no alignment begins that ends where the best one does."""
        some, stop = parts.take(kept), np.maximum(ends[kept, 2] - (CODON - 1), 0)
        shared = len(_different(parts)[0]) < len(_different(proteins.take(item))[0])
        begins = np.zeros_like(stop) if span < 0 or shared else np.maximum(stop - span, 0)
        lengths = some.lengths if shared else stop - begins
        cut = Subjects(some.codes, some.starts + begins, lengths)
        _, back = self._reached(proteins, cut, item[kept], ends[kept, 0], backwards=True)
        return np.asarray(begins + lengths - back[:, 1])

    def _aligned(
        self,
        items: _Items,
        proteins: Subjects,
        highest: _Ints,
        parts: Subjects,
        pieces: _Pieces,
        ends: _Ints,
        kept: _Ints,
        froms: _Ints,
    ) -> ShiftAlignments:
        """Return the alignments that end there and do not begin before a codon, added up again."""
        item = pieces.item[kept]
        ours, theirs = proteins.take(item), parts.take(kept)
        how: dict[str, Any] = {"threads": self._threads, "check": self._check}
        costs, scored = self._scheme.costs, ends[kept]
        if not len(kept) or self._scheme.countable(highest[item]).all():
            paths = shift_paths_each(self._scheme.table, costs, ours, theirs, scored, froms, **how)
        else:
            made = []
            for number in range(len(kept)):
                one, query = np.array([number]), self._scheme.by_residues(ours[number])
                made.append(shift_paths(query, theirs.take(one), scored[one], froms[one], **how))
            paths = Paths.join(made)
        sums, codons = shift_sums(self._scheme.table, costs, ours, theirs, paths)
        regions = paths.regions
        for wrong in np.flatnonzero(sums[:, 0] != regions.scores)[:1].tolist():
            name = self._database.ids[int(items.db_index[item[wrong]])]
            raise ScoreMismatch(name, int(regions.scores[wrong]), int(sums[wrong, 0]))
        residues = Subjects(ours.codes, ours.starts + regions.query_start, regions.query_end - regions.query_start)
        whole = replace(paths, regions=regions.moved(0, pieces.begins[kept]))
        return ShiftAlignments(items.hits[item], items.readings[item], whole, sums, residues, codons)


def _separated(
    alignments: ShiftAlignments, item: _Ints, where: _Ints, taken: dict[int, list[tuple[int, int]]]
) -> tuple[_Ints, tuple[_Ints, _Ints, _Ints]]:
    """Return which alignments, best first, share no base with one before, and the rest where others can be.

    The rest comes as three columns: item, first codon, first codon behind it.

    Parameters
    ----------
    where : ndarray, shape=(n, 4), dtype=int64
        Of the piece of each: the first codon that an alignment with enough score can have, the first and behind the
        last that it can end with, and how many it has at least, from its first to its last.
    taken : dict
        Bases of the alignments of each item; these are added.
    """
    regions, chosen = alignments.paths.regions, np.ones(len(item), dtype=bool)
    spans = np.stack([regions.subject_start, regions.subject_end], axis=1)
    rows = zip(item.tolist(), spans.tolist(), strict=True)
    for number, (of, (start, end)) in enumerate(rows):
        held = taken.setdefault(of, [])
        clash = next((span for span in held if span[0] < end and start < span[1]), None)
        if clash is None:
            held.append((start, end))
        else:
            chosen[number], spans[number] = False, clash
    first, first_end, behind, shortest = where.T
    before = np.stack([first, np.minimum(behind, spans[:, 0] - CODON + 1)])
    after = np.stack([np.maximum(first, spans[:, 1]), behind])
    starts, stops = np.stack([before, after], axis=2).reshape(2, -1)  # those of an alignment in turn
    of, first_end, shortest = (np.repeat(column, 2) for column in (item, first_end, shortest))
    left = (stops > starts) & (first_end < stops) & (stops - starts >= shortest)
    return np.flatnonzero(chosen), (of[left], starts[left], stops[left])


def _windows(lengths: _Ints, span: int) -> tuple[_Ints, _Ints, _Ints]:
    """Cut pieces into windows that overlap by a span: the piece of each, its start there and its length.

    There are as many as make the longest lane shortest in sum; one of each piece where nothing bounds an alignment.
    """
    count, longest = len(lengths), int(lengths.max(initial=0))
    lanes = max(lanes_of_bytes(), 16) // 2

    def columns(windows: int) -> float:
        return -(-count * windows // lanes) * (-(-(longest - span) // windows) + span)

    windows = min(range(1, lanes + 1), key=columns) if 0 <= span < longest else 1
    step = np.maximum(-(-(lengths - span) // windows), 1)
    counts = np.where(lengths <= step + span, 1, -(-(lengths - span) // step)) if windows > 1 else np.ones_like(lengths)
    of = np.repeat(np.arange(count), counts)
    starts = places_within(counts) * step[of]
    stops = np.minimum(starts + step[of] + span, lengths[of]) if windows > 1 else lengths
    return of, starts, stops - starts


def _different(given: Subjects) -> tuple[Subjects, _Ints]:
    """Return each stretch once, and which of these each of those given is."""
    spans = given.starts * (int(given.lengths.max(initial=0)) + 1) + given.lengths
    _, first, number = np.unique(spans, return_index=True, return_inverse=True)
    return given.take(first), number


def _left(begin: int, length: int, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield first codon and codons of what a stretch of bases leaves of a piece."""
    end = begin + length
    for first, last in ((begin, min(end, span[0] - CODON + 1)), (max(begin, span[1]), end)):
        if last > first:
            yield first, last - first
