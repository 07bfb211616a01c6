"""All local alignments of queries with many subjects, in a few compiled calls.

A step aligns only those parts of a long subject that can hold an alignment: windows that reach the score, cut to the
columns between which alignments with that score begin and end. An alignment and all that are as good lie wholly inside
such a box, so they are those of the whole matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.hits.scores import WindowScores, reaching
from swgui.core.plain import replace
from swgui.core.ranges import places_within
from swgui.core.scoring import EncodedQuery, ScoringScheme, bounds
from swgui.core.stretches import Stack, Subjects, stack
from swgui.engines import native
from swgui.engines.native.further import find_all, reach_again, reached_columns
from swgui.engines.native.translating import parts_of_subjects, subject_lengths
from swgui.engines.traceback.boxes import LONG, NARROW
from swgui.engines.traceback.every import BULK_CELLS, all_local, fit_grid, without_unscoring_ends
from swgui.engines.windows import cut, longest_span, longest_spans, window_step

NARROWEST: Final = 512  # smallest number of residues between the starts of two parts in the backward pass
TOGETHER: Final = 1 << 26  # residues of windows that are translated and scored at a time
_Ints = NDArray[np.int64]
# Alignments of items, those of an item together and best first: the paths, the box each lies in, and its residues.
Found = tuple[native.Paths, "Boxes", Subjects]


class Items(msgspec.Struct, frozen=True, eq=False):
    """Subjects, each in one strand or reading, n of them."""

    # db_index, strands: shape (n,)
    db_index: _Ints
    strands: _Ints
    least: _Ints  # the lowest score that is wanted of each, at least 1, shape (n,)
    windows: Sequence[WindowScores | None]  # where each scores, as far as the search found out

    def take(self, numbers: _Ints) -> Items:
        """Return some of them."""
        windows = [self.windows[number] for number in numbers.tolist()]
        return Items(self.db_index[numbers], self.strands[numbers], self.least[numbers], windows)


class Boxes(msgspec.Struct, frozen=True, eq=False):
    """Half-open ranges of residues of items, n of them."""

    items: _Ints
    starts: _Ints
    stops: _Ints
    scores: _Ints  # the best score in each, below 0 where it is not known

    @classmethod
    def unscored(cls, items: _Ints, starts: _Ints, stops: _Ints) -> Boxes:
        """Return ranges whose scores are not known."""
        return cls(items, starts, stops, np.full(len(items), -1, dtype=np.int64))

    @classmethod
    def join(cls, parts: Sequence[Boxes]) -> Boxes:
        """Return those of one or more."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__struct_fields__))

    def take(self, numbers: _Ints | NDArray[np.bool_]) -> Boxes:
        """Return some of them."""
        return Boxes(*(getattr(self, name)[numbers] for name in self.__struct_fields__))

    def moved(self, by: _Ints) -> Boxes:
        """Return the same ranges so many residues further."""
        return replace(self, starts=self.starts + by, stops=self.stops + by)

    def subjects(self, database: EncodedDatabase, items: Items) -> Subjects:
        """Return their residues."""
        return parts_of_subjects(
            database, items.db_index[self.items], items.strands[self.items], (self.starts, self.stops)
        )


def find_each(
    queries: Sequence[EncodedQuery],
    of: _Ints,
    database: EncodedDatabase,
    scheme: ScoringScheme,
    items: Items,
    most: int,
    *,
    threads: int = 0,
    check: Check = lambda: None,
) -> Found:
    """Return the alignments that `all_local` gives of many subjects with one or more queries, not rescored.

    Parameters
    ----------
    queries : sequence of EncodedQuery
    of : ndarray, shape=(n,), dtype=int64
        The query of each item.
    most : int
        Alignments of an item.
    """
    how: dict[str, Any] = {"threads": threads, "check": check}
    scoring = [without_unscoring_ends(query, scheme) for query in queries]
    parts, before = [part for part, _ in scoring], np.array([left for _, left in scoring], dtype=np.int64)
    length, long, alone = _kinds(parts, of, database, scheme, items)
    short = np.flatnonzero(~long & ~alone & (length > 0))
    boxes = Boxes.join(
        [
            Boxes.unscored(short, np.zeros_like(short), length[short]),
            *_boxes_of_long(parts, of, database, scheme, items, np.flatnonzero(long), length, how),
        ]
    )
    subjects, least = boxes.subjects(database, items), items.least[boxes.items]
    kept = stack(parts, scheme), of[boxes.items], subjects, boxes.scores
    number, paths = _found_in(*kept, scheme, least, np.flatnonzero(long[boxes.items]), most, how)
    boxes = boxes.take(number)
    paths = replace(paths, regions=paths.regions.moved(before[of[boxes.items]], 0))
    serial = np.flatnonzero(alone).tolist()
    others = [_one_by_one(queries[of[item]], database, scheme, items, item, most, check) for item in serial]
    return _in_order([(paths, boxes, subjects.take(number)), *others], most)


def _found_in(
    stacked: Stack,
    of: _Ints,
    subjects: Subjects,
    scores: _Ints,
    scheme: ScoringScheme,
    least: _Ints,
    narrow: _Ints,
    most: int,
    how: dict[str, Any],
) -> tuple[_Ints, native.Paths]:
    """Return all alignments of subjects, as `find_all`.

    Most narrow boxes hold one alignment, which lanes find, and that nothing is left of the box, in a fraction of the
    time that its grid takes.

    Parameters
    ----------
    of : ndarray, shape=(k,), dtype=int64
        The query of each subject.
    scores : ndarray, shape=(k,), dtype=int64
        The best score of each, below 0 where it is not known.
    narrow : ndarray, dtype=int64
        The subjects that are such boxes.
    """
    profile, costs, spans = stacked.query.scores(scheme), (scheme.gap_first, scheme.gap_extend), stacked.spans(of)
    best, alone = native.Paths.of([]), narrow[:0]
    if stacked.query.gaps is None and len(narrow) and native.usable(profile) and native.lanes():
        some, needed, begins = subjects.take(narrow), least[narrow], stacked.begins[of[narrow]]
        pairs = stacked.begins, of[narrow], some
        regions = native.regions_each(profile, *pairs, *costs, known=scores[narrow], **how)
        traced = native.trace(profile, some, regions.moved(begins, 0), *costs, **how)
        there = (traced.status == 0) & (regions.scores >= needed)
        given = spans[narrow], some, replace(traced, regions=regions), needed, np.flatnonzero(there)
        single = np.flatnonzero(there & ~reach_again(profile, *given, *costs, **how))
        best, alone = given[2].take(single), narrow[single]
    left = np.ones(len(subjects), dtype=np.bool_)
    left[alone] = False
    others = np.flatnonzero(left)
    rest = spans[others], subjects.take(others), least[others], most
    number, paths = find_all(profile, *rest, *costs, gaps=stacked.query.gaps, **how)
    number = np.concatenate([alone, others[number]])
    order = np.argsort(number, kind="stable")
    return number[order], native.Paths.join([best, paths]).take(order)


def _in_boxes(items: Items) -> NDArray[np.bool_]:
    """Return of which items it is known in which boxes they score."""
    both = zip(items.windows, items.least.tolist(), strict=True)
    return np.array([windows is not None and windows.boxes(least) for windows, least in both], dtype=np.bool_)


def _kinds(
    queries: Sequence[EncodedQuery], of: _Ints, database: EncodedDatabase, scheme: ScoringScheme, items: Items
) -> tuple[_Ints, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the lengths of items, 0 where there is none, and masks of those aligned in windows, and one by one."""
    rows, plain = (np.array(some)[of] for some in zip(*((len(q), q.profile is None) for q in queries), strict=True))
    bound, fits = bounds(queries, scheme)[of], fit_grid(queries, scheme)[of]
    span = longest_spans(queries, scheme)[of]
    windowed = np.array([windows is not None for windows in items.windows], dtype=np.bool_)
    length = subject_lengths(database, items.db_index, items.strands)
    there = (length > 0) & (bound >= items.least)
    long = (span >= 0) & (windowed | (length > LONG * span)) & fits
    beside = (rows > LONG * length) & (length * rows > BULK_CELLS) & ~long & plain
    return np.where(there, length, 0), long & there, (beside | ~fits) & there


def _boxes_of_long(
    queries: Sequence[EncodedQuery],
    of: _Ints,
    database: EncodedDatabase,
    scheme: ScoringScheme,
    items: Items,
    long: _Ints,
    length: _Ints,
    how: dict[str, Any],
) -> Iterator[Boxes]:
    """Yield the parts of long items that can hold an alignment with their least score."""
    known = _in_boxes(items)[long]
    yield _wide_windows(items, long[known], length, 0)
    left = long[~known]
    for number in sorted(set(of[left].tolist())):
        yield _searched_boxes(queries[number], database, scheme, items, left[of[left] == number], length, how)


def _searched_boxes(
    query: EncodedQuery,
    database: EncodedDatabase,
    scheme: ScoringScheme,
    items: Items,
    long: _Ints,
    length: _Ints,
    how: dict[str, Any],
) -> Boxes:
    """Return these parts of long items of one query, which two passes over their windows find."""
    profile, costs = query.scores(scheme), (scheme.gap_first, scheme.gap_extend)
    span = longest_span(query, scheme)
    assert span is not None  # else none is long
    wide = _wide_windows(items, long, length, span)
    sizes = np.cumsum(wide.stops - wide.starts)
    sections = np.searchsorted(sizes, np.arange(0, int(sizes[-1]) if len(sizes) else 0, TOGETHER))
    boxes = []
    for section in np.split(np.arange(len(wide.items)), sections[1:]):
        some = wide.take(section)
        codes = some.subjects(database, items)
        portion = int(codes.lengths.sum()) // max(native.lanes(), 1)  # so that all lanes of a vector have some
        of, starts, stops = _narrow(codes.lengths, span, min(max(span, NARROW, portion), window_step(span)))
        least = items.least[some.items[of]]

        parts = Subjects(codes.codes, codes.starts[of] + starts, stops - starts)
        first, end = reached_columns(profile, parts, least, *costs, gaps=query.gaps, **how)
        kept = np.flatnonzero(end > first)
        first = np.maximum(first[kept] - span, 0)
        # Cut again, since those together with a long one would wait for it.
        piece, begins, ends = _narrow(end[kept] - first, span, max(2 * span, NARROWEST))
        kept, begins, ends = kept[piece], first[piece] + begins, first[piece] + ends
        parts = Subjects(codes.codes, parts.starts[kept] + begins, ends - begins)
        _, back = reached_columns(profile, parts, least[kept], *costs, gaps=query.gaps, backwards=True, **how)
        stop = some.starts[of[kept]] + starts[kept] + ends
        boxes.append(Boxes.unscored(some.items[of[kept]], stop - back, stop).take(back > 0))
    return _joined(Boxes.join(boxes)) if boxes else wide


def _wide_windows(items: Items, long: _Ints, length: _Ints, span: int) -> Boxes:
    """Return the windows of items that may reach their least scores."""
    known = np.array([items.windows[item] is not None for item in long.tolist()], dtype=np.bool_)
    given, own = long[known], [items.windows[item] for item in long[known].tolist()]
    of, *columns = reaching([one for one in own if one is not None], items.least[given])
    parts = [Boxes(given[of], *columns)]
    for item in long[~known].tolist():
        starts, stops = np.array(cut(int(length[item]), span, window_step(span)), dtype=np.int64).T
        parts.append(Boxes.unscored(np.full(len(starts), item, dtype=np.int64), starts, stops))
    boxes = Boxes.join(parts)
    return boxes if known.all() else boxes.take(np.argsort(boxes.items, kind="stable"))


def _narrow(lengths: _Ints, span: int, step: int) -> tuple[_Ints, _Ints, _Ints]:
    """Cut windows into narrower ones, as `cut` does: the window of each, its start and its stop there."""
    counts = np.where(lengths <= step + span, 1, -(-(lengths - span) // step))
    of = np.repeat(np.arange(len(lengths)), counts)
    starts = places_within(counts) * step
    return of, starts, np.minimum(starts + step + span, lengths[of])


def _joined(boxes: Boxes) -> Boxes:
    """Join boxes of an item that overlap."""
    order = np.lexsort((boxes.starts, boxes.items))
    some = boxes.take(order)
    if not len(order):
        return some
    apart = some.items * (int(some.stops.max()) + 1)  # those of other items are far away
    reached = np.maximum.accumulate(apart + some.stops)
    first = np.append(True, (apart + some.starts)[1:] >= reached[:-1])
    last = np.append(np.flatnonzero(first)[1:], len(order)) - 1
    return Boxes.unscored(some.items[first], some.starts[first], (reached - apart)[last])


def _one_by_one(
    query: EncodedQuery,
    database: EncodedDatabase,
    scheme: ScoringScheme,
    items: Items,
    item: int,
    most: int,
    check: Check,
) -> Found:
    """Return the alignments of one item, found one after the other."""
    given = items.take(np.array([item]))
    subject = Subjects.of(database, given.db_index, given.strands)
    every = all_local(query, subject[0], scheme, int(given.least[0]), check=check)
    paths = native.Paths.of([alignment for _, alignment in zip(range(most), every, strict=False)])
    nothing = np.zeros(len(paths), dtype=np.int64)
    return paths, Boxes.unscored(nothing + item, nothing, nothing + len(subject[0])), subject.take(nothing)


def _in_order(parts: Sequence[Found], most: int) -> Found:
    """Return the best alignments of items; of equals the one that ends first in the subject, then in the query."""
    paths, boxes, subjects = parts[0]
    if len(parts) > 1:
        of_all = zip(*parts, strict=True)
        paths, boxes, subjects = (type(some[0]).join(some) for some in of_all)
    regions = paths.regions
    order = np.lexsort((regions.query_end, regions.subject_end + boxes.starts, -regions.scores, boxes.items))
    ranked = boxes.items[order]
    order = order[np.arange(len(order)) - np.searchsorted(ranked, ranked) < most]
    return paths.take(order), boxes.take(order), subjects.take(order)
