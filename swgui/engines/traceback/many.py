"""The best local alignments of one query with many subjects, as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, AlignmentCounts, count_columns
from swgui.core.control import Check
from swgui.core.errors import ScoreMismatch
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.regions import Regions
from swgui.core.judging.correction_work import scores_of
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, bounds
from swgui.core.stretches import Stack, stack
from swgui.engines import native


class QueryAlignments(msgspec.Struct, frozen=True, eq=False):
    """Alignments of one query with k subjects, rescored and counted; objects are made on access."""

    paths: native.Paths
    totals: native.AlignmentTotals

    def __len__(self) -> int:
        return len(self.paths)

    def alignment(self, number: int) -> Alignment:
        """Return one alignment; without columns if its score is 0."""
        return self.paths.alignment(number)

    def counts(self, number: int) -> AlignmentCounts:
        """Return the counts of one alignment."""
        return self.totals.counts(number)

    def columns(self) -> AlignedColumns:
        """Return all of them for tables of hits."""
        regions, paths = self.paths.regions, self.paths
        numbers = {
            name: getattr(regions, name) for name in ("query_start", "query_end", "subject_start", "subject_end")
        }
        numbers["score"] = regions.scores
        numbers |= {name: getattr(self.totals, name) for name in AlignmentCounts.__struct_fields__}
        return AlignedColumns.counted(numbers, paths.ops, paths.lengths.astype(np.int64), paths.offsets)


def align_many(
    query: EncodedQuery,
    subjects: native.Subjects,
    scheme: ScoringScheme,
    scores: NDArray[np.integer] | None = None,
    *,
    names: Sequence[str] = (),
    threads: int = 0,
    check: Check = lambda: None,
) -> QueryAlignments:
    """Return the best local alignment of a query with each of many subjects; parameters and errors as of `align_each`.

    Parameters
    ----------
    names : sequence of str, optional
        Identifiers of the subjects, for an error.
    """
    of = np.zeros(len(subjects), dtype=np.int64)
    name = names.__getitem__ if names else _number
    return align_each([query], of, subjects, scheme, scores, names=name, threads=threads, check=check)


def _number(index: int) -> str:
    return str(index + 1)


def align_each(
    queries: Sequence[EncodedQuery],
    of: NDArray[np.int64],
    subjects: native.Subjects,
    scheme: ScoringScheme,
    scores: NDArray[np.integer] | None = None,
    *,
    known: Regions | None = None,
    names: Callable[[int], str] = _number,
    threads: int = 0,
    check: Check = lambda: None,
) -> QueryAlignments:
    """Return the best local alignment of many pairs of some queries and subjects: those of `align_local`.

    Parameters
    ----------
    queries : sequence of EncodedQuery
    of : ndarray, shape=(k,), dtype=int64
        The query of each pair.
    subjects : Subjects
        k of them.
    scores : ndarray, shape=(k,), optional
        What an engine scored them.
    known : Regions, optional
        Where the alignments lie, for those of them that have the score in `scores`.
    names : callable
        Returns the name of a subject, for an error.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to its score, or to that in `scores`.
    """
    if not len(of):
        nothing = dict.fromkeys(native.AlignmentTotals.__struct_fields__, np.zeros(0, dtype=np.int64))
        return QueryAlignments(native.Paths.of([]), native.AlignmentTotals(**nothing))
    costs = scheme.gap_first, scheme.gap_extend
    symbols = scheme.matrix.scores.shape[1]
    if not all(native.countable(symbols, bound) for bound in bounds(queries, scheme).tolist()):
        return _one_by_one(queries, of, subjects, scheme, scores, names, check)
    stacked = stack(queries, scheme)
    if len(queries) > 1:  # made once
        stacked = Stack(replace(stacked.query, profile=stacked.query.scores(scheme)), stacked.begins)
    regions = _all_regions(stacked, of, subjects, scheme, scores, known, threads, check)
    begins = stacked.begins[of]
    trace = partial(native.trace, gaps=stacked.query.gaps, threads=threads, check=check)
    paths = trace(scores_of(stacked.query, scheme), subjects, regions.moved(begins, 0), *costs)
    if paths.status.any():
        paths = _with_large_ones(stacked.query, subjects, scheme, paths, check)
    sums = native.add_up(stacked.query, subjects, paths, scheme)
    expected = regions.scores if scores is None else np.asarray(scores, dtype=np.int64)
    right = (sums.scores == expected) & (regions.scores == expected)
    right &= sums.query_span == regions.query_end - regions.query_start
    right &= sums.subject_span == regions.subject_end - regions.subject_start
    if not right.all():
        wrong = int(np.argmin(right))
        raise ScoreMismatch(names(wrong), int(expected[wrong]), int(sums.scores[wrong]))
    return QueryAlignments(replace(paths, regions=paths.regions.moved(-begins, 0)), sums)


def _all_regions(
    stacked: Stack,
    of: NDArray[np.int64],
    subjects: native.Subjects,
    scheme: ScoringScheme,
    scores: NDArray[np.integer] | None,
    known: Regions | None,
    threads: int,
    check: Check,
) -> Regions:
    """Return the regions of alignments: the known ones, or found ones."""
    new = np.arange(len(subjects)) if scores is None or known is None else np.flatnonzero(known.scores != scores)
    if known is not None and not len(new):
        return known
    told = None if scores is None else np.asarray(scores)[new]
    given, costs = subjects.take(new), (scheme.gap_first, scheme.gap_extend)
    profile, gaps = stacked.query.scores(scheme), stacked.query.gaps
    if len(stacked.begins) == 2:
        found = native.regions(profile, given, *costs, gaps=gaps, known=told, threads=threads, check=check)
    elif gaps is not None:
        found = _regions_by_position(stacked, of[new], given, scheme, told, threads, check)
    else:
        pairs = stacked.begins, of[new], given
        found = native.regions_each(profile, *pairs, *costs, known=told, threads=threads, check=check)
    if known is None:
        return found
    regions = known.take(np.arange(len(subjects)))
    regions.put(new, found)
    return regions


def _regions_by_position(
    stacked: Stack,
    of: NDArray[np.int64],
    subjects: native.Subjects,
    scheme: ScoringScheme,
    scores: NDArray[np.integer] | None,
    threads: int,
    check: Check,
) -> Regions:
    """Return the regions of pairs of several queries with gap costs by position, a query after the other."""
    found = Regions.unknown(len(of))
    order, profile = np.argsort(of, kind="stable"), stacked.query.scores(scheme)
    edges = np.searchsorted(of[order], np.arange(len(stacked.begins))).tolist()
    for query, (start, stop) in enumerate(pairwise(edges)):
        if start < stop:
            own, rows = order[start:stop], slice(*stacked.begins[query : query + 2].tolist())
            gaps = None if stacked.query.gaps is None else stacked.query.gaps.take(rows)
            costs = scheme.gap_first, scheme.gap_extend
            known = None if scores is None else scores[own]
            some = subjects.take(own)
            found.put(
                own, native.regions(profile[rows], some, *costs, gaps=gaps, known=known, threads=threads, check=check)
            )
    return found


def _one_by_one(
    queries: Sequence[EncodedQuery],
    of: NDArray[np.int64],
    subjects: native.Subjects,
    scheme: ScoringScheme,
    scores: NDArray[np.integer] | None,
    names: Callable[[int], str],
    check: Check,
) -> QueryAlignments:
    """Do without the compiled library."""
    from swgui.engines.traceback.best import align_local  # here, as below: for cases that the library does not cover

    alignments, totals = [], []
    _, *names_of_counts = native.AlignmentTotals.__struct_fields__
    for number in range(len(subjects)):
        query, subject = queries[of[number]], subjects[number]
        score = None if scores is None else int(scores[number])
        alignment = align_local(query, subject, scheme, score, subject_id=names(number), check=check)
        counts = count_columns(alignment, query, subject, scheme)
        totals.append([alignment.score, *(getattr(counts, name) for name in names_of_counts)])
        alignments.append(alignment)
        check()
    columns = np.array(totals, dtype=np.int64).reshape(-1, 1 + len(names_of_counts)).T
    return QueryAlignments(native.Paths.of(alignments), native.AlignmentTotals(*columns))


def _with_large_ones(
    query: EncodedQuery,
    subjects: native.Subjects,
    scheme: ScoringScheme,
    paths: native.Paths,
    check: Check,
) -> native.Paths:
    """Add the paths that take too much memory at once."""
    from swgui.engines.traceback.best import align_within
    from swgui.engines.traceback.rectangle import Rectangle

    alignments = []
    for number, status in enumerate(paths.status.tolist()):
        if status:
            rectangle = Rectangle.of(paths.regions.take(slice(number, number + 1)))
            subject = subjects[number]
            alignments.append(align_within(query, subject, scheme, rectangle, compiled=False, check=check))
        else:
            alignments.append(paths.alignment(number))
    return native.Paths.of(alignments)
