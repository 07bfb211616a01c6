"""Hits made whole: from a row of the ranked list to names, alignment and counts."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import LISTED_SECONDS, Check, Grace
from swgui.core.errors import ScoreMismatch, Stopped
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import CompositionColumns, HitColumns, HitList, SearchResult
from swgui.core.hits.table import Hit, HitStream, HitTable, ListedSubjects
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import measure, statistics_of
from swgui.core.plain import replace
from swgui.core.statistics.fit import FitsOfHits
from swgui.core.translation.programs import shifting
from swgui.engines.host import usable_cores
from swgui.io.statistics import load_statistics
from swgui.jobs.search.hsps import HspFinder
from swgui.jobs.search.listed_rows import ListedRows
from swgui.jobs.search.ranking import corrected
from swgui.jobs.threads import in_order, workers_and_threads

if TYPE_CHECKING:
    from swgui.core.judging.subjects import SubjectRank

T = TypeVar("T")
Part = tuple[HitList, Sequence[int]]  # rows of a list
ROWS_OF_TABLE: Final = 10_000
LISTS_OF_BATCH: Final = 256  # lists whose hits are described together, at most
ROWS_OF_BATCH: Final = 2_048  # rows of such lists
BEST_ALONE_SECONDS: Final = 0.4  # for which listing continues after Stop, with the best alignment of each hit
PORTIONS: Final = 24  # of many lists, at least: so that all cores have some, and end at about the same time
PORTIONS_OF_WORKER: Final = 3  # likewise
WORKERS_IN_BULK: Final = 3  # that describe hits in boxes, whose alignments one compiled call finds, on all cores


def describe(
    parts: Sequence[Part],
    *,
    align: bool = True,
    fit: bool = True,
    check: Check = lambda: None,
    cancel: threading.Event | None = None,
) -> HitStream:
    """Make hits whole: rows of one or more lists of a run, in order, some hundred at a time.

    Those of the next lists are described meanwhile, by other threads.

    Parameters
    ----------
    parts : sequence of (HitList, sequence of int)
        Hits of a query, or other subjects of the run, and positions in their columns.
    align : bool
        Whether to trace back all alignments within the limits (a tenth of a millisecond per hit and core) and count
        their columns.
    fit : bool
        Whether to say what the fit to all scores of the search makes of them; unknown otherwise.
    cancel : threading.Event, optional
        Once it is set, hits that are not described yet get their best alignments alone, `BEST_ALONE_SECONDS` later
        none, and `LISTED_SECONDS` later they are left out; see `Grace`.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to the score of the search.
    """
    return HitStream(Describing(iter, align=align, fit=fit, check=check, cancel=cancel).in_order(parts))


class Describing(Generic[T]):
    """The way in which hits are made whole, and the form that a caller wants them in.

    Parameters
    ----------
    form : callable
        Takes the tables of some lists, in order, and yields them in another form; several threads call it.
    align, fit, check, cancel
        As of `describe`.
    """

    def __init__(
        self,
        form: Callable[[Iterable[HitTable]], Iterable[T]],
        *,
        align: bool = True,
        fit: bool = True,
        check: Check = lambda: None,
        cancel: threading.Event | None = None,
    ) -> None:
        self._form, self._align, self._fit, self._check, self.cancel = form, align, fit, check, cancel
        self._grace = Grace()

    def stopped_for(self, seconds: float) -> bool:
        """Return True so many seconds after Stop, as `Grace` counts them."""
        if self.cancel is None or not self.cancel.is_set():
            return False
        self._grace.begin(self.cancel)
        return self._grace.over(seconds)

    def in_order(self, parts: Sequence[Part]) -> Iterator[T]:
        """Yield rows of lists, in order, in that form; those of the next ones are described meanwhile."""
        workers, threads = describers(parts, len(parts))

        def made(portion: Sequence[Part], check_others: Check) -> Iterator[T]:
            def check_both() -> None:
                self._check()
                check_others()

            yield from self._made(portion, check_both, threads, self.cancel)

        if len(parts) == 1 or not (self._align or self._fit):  # to hand a table over takes as long as to make it
            return (value for portion in portions(parts) for value in made(portion, lambda: None))
        return in_order([partial(made, portion) for portion in portions(parts, workers)], workers)

    def at_once(self, portion: Sequence[Part], check: Check, threads: int) -> list[T]:
        """Return rows of lists in that form, all described together; only `check` ends it early, by an error."""
        return list(self._made(portion, check, threads, None))

    def _made(self, portion: Sequence[Part], check: Check, threads: int, cancel: threading.Event | None) -> Iterable[T]:
        how = partial(_until, cancel, self._grace, portion, check)
        return self._form(how(align=self._align, fit=self._fit, threads=threads))


def describers(parts: Sequence[Part], total: int) -> tuple[int, int]:
    """Return how many portions of lists are described at a time, and the threads of each, as `in_pieces` takes them.

    Parameters
    ----------
    parts : sequence of (HitList, sequence of int)
        Some of them.
    total : int
        Number of all.
    """
    workers, threads = workers_and_threads(total, 0)
    translation = parts[0][0].result.translation if parts else None
    if translation is not None and not shifting(translation):
        # Most of it is compiled, and done by one thread for each, or by all cores at once.
        windows = (one for listed, _ in parts for one in listed.query.windows.values())
        in_boxes = any(one.least for one in windows)
        workers = max(min(total, WORKERS_IN_BULK if in_boxes else usable_cores()), 1)
    return workers, threads


def describe_list(
    listed: HitList, rows: Sequence[int], *, align: bool = True, fit: bool = True, check: Check = lambda: None
) -> HitStream:
    """Do as `describe` for rows of one list."""
    return describe([(listed, rows)], align=align, fit=fit, check=check)


def _until(
    cancel: threading.Event | None,
    grace: Grace,
    parts: Sequence[Part],
    check: Check,
    *,
    align: bool,
    fit: bool,
    threads: int,
) -> Iterator[HitTable]:
    """Yield rows of lists; once `cancel` is set their best alignments alone for a while, then none, then no rows.

    Parameters
    ----------
    grace : Grace
        Shared by all threads of a listing.
    """
    how = partial(_described, fit=fit, threads=threads)
    if cancel is None:
        yield from how(parts, align=align, check=check)
        return
    done = 0  # hits of all lists, in order
    ends = np.cumsum([len(rows) for _, rows in parts]).tolist()

    def until_stop() -> None:
        check()
        if cancel.is_set():
            grace.begin(cancel)
            raise Stopped

    def within(seconds: float) -> None:
        check()
        if grace.over(seconds):
            raise Stopped

    def left(check: Check, most: int | None, align: bool) -> Iterator[HitTable]:
        nonlocal done
        rest = [
            (_limited(listed, most), rows[max(done - end + len(rows), 0) :])
            for (listed, rows), end in zip(parts, ends, strict=True)
            if done < end
        ]
        for table in how(rest, align=align, check=check) if rest else ():
            yield table
            done += len(table)

    ways = (
        (until_stop, None, align),
        (partial(within, BEST_ALONE_SECONDS), 1, align),
        (partial(within, LISTED_SECONDS), 1, False),
    )
    for way in ways:
        with suppress(Stopped):
            way[0]()
            yield from left(*way)
            return
    check()


def _limited(listed: HitList, max_hsps: int | None) -> HitList:
    """Return a list of which each hit has so many alignments at most; itself for None."""
    if max_hsps is None:
        return listed
    search = replace(listed.result.search, max_hsps=max_hsps)
    return replace(listed, result=replace(listed.result, search=search))


def lists_together(total: int, workers: int) -> int:
    """Return how many of some lists are described together at most."""
    return max(min(total // max(PORTIONS, PORTIONS_OF_WORKER * workers), LISTS_OF_BATCH), 1)


def portions(parts: Sequence[Part], workers: int = 1, total: int | None = None) -> Iterator[list[Part]]:
    """Yield lists whose hits are described together: several short lists of many.

    Parameters
    ----------
    total : int, optional
        Number of all lists, of which `parts` are some.
    """
    most = lists_together(len(parts) if total is None else total, workers)
    some, rows = list[Part](), 0
    for part in parts:
        full = len(some) >= most or rows + len(part[1]) > ROWS_OF_BATCH
        if some and (full or _in_rounds(part[0]) != _in_rounds(some[0][0])):
            yield some
            some, rows = [], 0
        some.append(part)
        rows += len(part[1])
    if some:
        yield some


def _in_rounds(listed: HitList) -> bool:
    """Return True for a list of a search in rounds, whose E is corrected in another way."""
    return listed.query.rounds is not None


def _described(parts: Sequence[Part], *, align: bool, fit: bool, check: Check, threads: int) -> Iterator[HitTable]:
    """Yield rows of lists, in order, as tables of one or more lists.

    Parameters
    ----------
    threads : int
        0 for all cores; below 0 for many lists side by side, as for `in_pieces`.
    """
    together, done = ListedRows([listed for listed, _ in parts], [rows for _, rows in parts]), 0
    fitted = _by_fits(together) if fit else np.full((2, len(together)), np.nan)
    try:
        for size, lines in _aligned(together, check, threads) if align else _unaligned(together, check):
            part = slice(done, done + size)
            yield _table(together, part, fitted[:, part], lines)
            done = part.stop
    except ScoreMismatch:
        if len(together) < 2:
            raise
        # Those before the wrong one are right; the others are tried list by list, and row by row.
        alone, left = list[Part](), len(together) - done
        for listed, rows in reversed(parts):
            some, left = rows[max(len(rows) - left, 0) :] if left else [], max(left - len(rows), 0)
            alone += [(listed, some)] if len(some) else []
        if len(alone) == 1:
            alone = [(listed, [row]) for listed, rows in alone for row in reversed(rows)]
        for one in reversed(alone):
            yield from _described([one], align=True, fit=fit, check=check, threads=threads)


def _aligned(together: ListedRows, check: Check, threads: int) -> Iterator[tuple[int, AlignedColumns]]:
    """Yield some hits at a time: how many, and their alignments within the limits."""
    minimums = together.result.search.limits.minimums
    lengths = np.array([together.result.whole_length(listed.query_index) for listed in together.lists], dtype=np.int64)
    done = 0
    for found in _finder_of(together.result)(together, check, threads).columns():
        hit, lines = found.number("hit"), found
        size = int(hit[-1]) + 1
        if minimums:
            reached = found.reaching(minimums, lengths[together.of[done + hit]])
            lines = found.take(np.flatnonzero((found.hsp == 0) | reached))
        yield size, lines
        done += size


def _unaligned(together: ListedRows, check: Check) -> Iterator[tuple[int, None]]:
    """Yield numbers of hits, some at a time."""
    for start in range(0, len(together), ROWS_OF_TABLE):
        check()
        yield min(ROWS_OF_TABLE, len(together) - start), None


def unaligned(listed: HitList) -> HitTable:
    """Return all hits of a list as a table, without alignments and without what the fit to all scores says."""
    together = ListedRows([listed], [range(len(listed))])
    return _table(together, slice(0, len(listed)), np.full((2, len(listed)), np.nan))


def _table(
    together: ListedRows, part: slice, by_fit: NDArray[np.float64], lines: AlignedColumns | None = None
) -> HitTable:
    """Return consecutive rows as a table, with their alignments if there are any."""
    from swgui.core.hits.joined import TableQuery, table_of  # here: a search alone makes no tables

    result, hits, lists = together.result, together.hits.take(part), together.lists
    unknown = np.full(len(hits), np.nan)
    by = hits.composition or CompositionColumns(unknown, unknown, unknown)
    hit = np.arange(len(hits)) if lines is None else lines.number("hit")
    best = np.ones(len(hit), dtype=bool) if lines is None else lines.hsp == 0

    def of_best(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(best, values[hit], np.nan)

    numbers, of = np.unique(together.of[part], return_inverse=True)
    queries = [
        TableQuery(one.query.query, partial(together.query, k), one.query_index, one.query.rounds)
        for k, one in ((k, lists[k]) for k in (numbers.tolist() or [0]))
    ]
    return table_of(
        queries,
        of,
        subjects=ListedSubjects(result.database, hits.db_index),
        ranks=together.rows[part] + 1,
        lambda_ratio=by.lambda_ratio,
        shuffle_z=by.shuffle_z,
        directions=hits.directions,
        hit=hit,
        hsp=np.zeros_like(hit) if lines is None else lines.hsp,
        scores=(hits.scores if lines is None else lines.number("score")).astype(np.int64),
        strands=(hits.strands if lines is None else lines.number("strand")).astype(np.int64),
        bit_scores=hits.bit_scores if lines is None else lines.significance[0],
        log10_evalues=hits.log10_evalues if lines is None else lines.significance[1],
        log10_uncorrected=of_best(by.log10_uncorrected),
        z_scores=of_best(by_fit[0]),
        fitted=of_best(by_fit[1]),
        aligned=lines,
        residues=result.search.limits.database_size(result.searched)[0],
        translation=result.translation,
    )


def _by_fits(together: ListedRows) -> NDArray[np.float64]:
    """Return z-scores and log10 of E by the fits to all scores of the search, shape (2, k); NaN where there is none."""
    result, found = together.result, np.full((2, len(together)), np.nan)
    fits = [fit_of(result, listed.query_index).statistics for listed in together.lists]
    known = [by for by in fits if by is not None]
    number = np.cumsum([by is not None for by in fits]) - 1
    rows = np.flatnonzero(np.array([by is not None for by in fits], dtype=bool)[together.of])
    if len(rows):
        of_hits, hits = FitsOfHits.of(known, number[together.of[rows]]), together.hits.take(rows)
        given = hits.scores, result.searched.lengths_of(hits.db_index)
        found[0, rows] = of_hits.z_scores(*given)
        found[1, rows] = of_hits.measure(*given, *result.search.limits.database_size(result.searched))[1]
    return found


def find_subject(result: SearchResult, query_index: int, db_index: int) -> SubjectRank:
    """Return the rank of any subject, listed or not, with the E that counts and its bits; errors as of `locate`."""
    from swgui.core.judging.subjects import locate  # here: searches list the best

    place = locate(result, query_index, db_index, load_statistics(result.scheme))
    if place.listed or place.score <= 0 or result.database.at_hand is not None:
        return place
    columns = _unlisted(result, query_index, place)
    return replace(place, bit_score=float(columns.bit_scores[0]), log10_evalue=float(columns.log10_evalues[0]))


def describe_subject(result: SearchResult, query_index: int, subject: SubjectRank) -> Hit:
    """Make a full hit, with its alignment and the E that counts, of any subject, listed or not."""
    listed = np.flatnonzero(result.queries[query_index].hits.db_index == subject.db_index)
    if len(listed):
        return next(describe_list(result.hit_list(query_index), listed.tolist()))
    columns = _unlisted(result, query_index, subject)
    (table,) = describe_list(HitList(result, query_index, columns), [0]).tables
    return Hit(replace(table, ranks=np.array([subject.rank])), 0)


def unlisted_place(result: SearchResult, query_index: int, db_index: int) -> tuple[int, float]:
    """Return the score of any subject, below 0 where it is not known, and log10 of the E that counts, NaN likewise."""
    query = result.queries[query_index]
    if query.scores is None or query.scores[db_index] < 0:
        return -1, math.nan
    place = find_subject(result, query_index, db_index)
    return place.score, place.log10_evalue


def _unlisted(result: SearchResult, query_index: int, subject: SubjectRank) -> HitColumns:
    """Return a subject that is not listed as a row of a list, with the E that counts."""
    query, index = result.queries[query_index], np.array([subject.db_index], dtype=np.int64)
    scores = np.array([subject.score], dtype=np.int32)
    strand = query.strands[subject.db_index] if query.strands is not None else result.search.strands[0]
    statistics = statistics_of(result, query_index, load_statistics(result.scheme))
    length, limits = result.searched_length(query_index), result.search.limits
    measured = measure(length, index, scores, result.searched, statistics, limits)
    columns = HitColumns(index, scores, np.array([strand], dtype=np.int8), *measured)
    return corrected(result, query_index, columns)


def _finder_of(result: SearchResult) -> type[HspFinder]:
    """Return the finder of a search's alignments."""
    if not shifting(result.translation):
        return HspFinder
    from swgui.jobs.search.shifts.columns import ShiftedHsps  # here: few searches have frameshifts

    return ShiftedHsps
