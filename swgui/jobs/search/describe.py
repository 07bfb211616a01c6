"""Hits made whole: from a row of the ranked list to names, alignment and counts."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import LISTED_SECONDS, Check
from swgui.core.errors import ScoreMismatch, Stopped
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import CompositionColumns, HitColumns, HitList, SearchResult
from swgui.core.hits.table import Hit, HitStream, HitTable, ListedSubjects
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import measure, statistics_of
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery
from swgui.core.translation.programs import shifting
from swgui.engines.host import usable_cores
from swgui.io.statistics import load_statistics
from swgui.jobs.search.hsps import HspFinder
from swgui.jobs.search.listed_rows import ListedRows
from swgui.jobs.search.ranking import corrected
from swgui.jobs.threads import in_order, workers_and_threads

if TYPE_CHECKING:
    from swgui.core.judging.subjects import SubjectRank

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
        none, and `LISTED_SECONDS` later they are left out.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to the score of the search.
    """
    workers, threads = workers_and_threads(len(parts), 0)
    translation = parts[0][0].result.translation if parts else None
    if translation is not None and not shifting(translation):
        # Most of it is compiled, and done by one thread for each, or by all cores at once.
        windows = (one for listed, _ in parts for one in listed.query.windows.values())
        in_boxes = any(one.least for one in windows)
        workers = max(min(len(parts), WORKERS_IN_BULK if in_boxes else usable_cores()), 1)

    stopped: list[float] = []  # when Stop was seen
    how = partial(_until, cancel, stopped, align=align, fit=fit, threads=threads)

    def made(portion: Sequence[Part], check_others: Check) -> Iterator[HitTable]:
        def check_both() -> None:
            check()
            check_others()

        return how(portion, check_both)

    if len(parts) == 1 or not (align or fit):  # to hand a table over takes as long as to make it
        return HitStream(table for portion in portions(parts) for table in made(portion, lambda: None))
    return HitStream(in_order([partial(made, portion) for portion in portions(parts, workers)], workers))


def describe_list(
    listed: HitList, rows: Sequence[int], *, align: bool = True, fit: bool = True, check: Check = lambda: None
) -> HitStream:
    """Do as `describe` for rows of one list."""
    return describe([(listed, rows)], align=align, fit=fit, check=check)


def _until(
    cancel: threading.Event | None,
    stopped: list[float],
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
    stopped : list of float
        When Stop was seen by the first of several threads; shared by all of a listing.
    """
    how = partial(_described, fit=fit, threads=threads)
    if cancel is None:
        yield from (table for _, table in how(parts, align=align, check=check))
        return
    done = [0] * len(parts)

    def until_stop() -> None:
        check()
        if cancel.is_set():
            stopped.append(time.monotonic())
            raise Stopped

    def within(seconds: float) -> None:
        check()
        if time.monotonic() > stopped[0] + seconds:
            raise Stopped

    def left(check: Check, most: int | None, align: bool) -> Iterator[HitTable]:
        rest = [number for number, (_, rows) in enumerate(parts) if done[number] < len(rows)]
        some = [(_limited(parts[number][0], most), parts[number][1][done[number] :]) for number in rest]
        for number, table in how(some, align=align, check=check) if some else ():
            yield table
            done[rest[number]] += len(table)

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


def portions(parts: Sequence[Part], workers: int = 1) -> Iterator[list[Part]]:
    """Yield lists whose hits are described together: several short lists of many, or one that is scored by position."""
    most = min(len(parts) // max(PORTIONS, PORTIONS_OF_WORKER * workers), LISTS_OF_BATCH)
    plain = all(listed.query.rounds is None and listed.query.query.profile is None for listed, _ in parts)
    most, some, total = most if plain else 1, list[Part](), 0
    for part in parts:
        if some and (len(some) >= most or total + len(part[1]) > ROWS_OF_BATCH):
            yield some
            some, total = [], 0
        some.append(part)
        total += len(part[1])
    if some:
        yield some


def _described(
    parts: Sequence[Part], *, align: bool, fit: bool, check: Check, threads: int
) -> Iterator[tuple[int, HitTable]]:
    """Yield rows of lists, several only where none is scored by position, in order and with the number of the list.

    Parameters
    ----------
    threads : int
        0 for all cores; below 0 for many lists side by side, as for `in_pieces`.
    """
    lists = [listed for listed, _ in parts]
    wanted = [np.asarray(rows, dtype=np.int64) for _, rows in parts]
    by_fit = [_by_fit(*part) if fit else np.full((2, len(part[1])), np.nan) for part in zip(lists, wanted, strict=True)]
    if not align:
        for k, (listed, some) in enumerate(zip(lists, wanted, strict=True)):
            check()
            query = lru_cache(partial(listed.result.encoded_query, listed.query_index))
            for start in range(0, len(some), ROWS_OF_TABLE):
                part = slice(start, start + ROWS_OF_TABLE)
                yield k, _table(listed, query, some[part], by_fit[k][:, part])
        return
    together, done = ListedRows(lists, wanted), [0] * len(lists)
    minimums = together.result.search.limits.minimums
    finder = _finder_of(together.result)
    try:
        for k, lines in finder(together, check, threads).columns():
            if minimums:
                length = together.result.whole_length(lists[k].query_index)
                lines = lines.take(np.flatnonzero((lines.hsp == 0) | lines.reaching(minimums, length)))
            part = slice(done[k], done[k] + int(lines.number("hit")[-1]) + 1)
            yield k, _table(lists[k], partial(together.query, k), wanted[k][part], by_fit[k][:, part], lines)
            done[k] = part.stop
    except ScoreMismatch:
        if len(together) < 2:
            raise
        # Those before the wrong one are right; the others are tried list by list, and row by row.
        left = [(k, some[done[k] :]) for k, some in enumerate(wanted) if done[k] < len(some)]
        if len(left) == 1:
            left = [(k, some[row : row + 1]) for k, some in left for row in range(len(some))]
        for k, some in left:
            alone = [(lists[k], some.tolist())]
            for _, table in _described(alone, align=True, fit=fit, check=check, threads=threads):
                yield k, table


def unaligned(listed: HitList) -> HitTable:
    """Return all hits of a list as a table, without alignments and without what the fit to all scores says."""
    rows = np.arange(len(listed))
    query = lru_cache(partial(listed.result.encoded_query, listed.query_index))
    return _table(listed, query, rows, np.full((2, len(rows)), np.nan))


def _table(
    listed: HitList,
    query: Callable[[int], EncodedQuery],
    rows: NDArray[np.int64],
    by_fit: NDArray[np.float64],
    lines: AlignedColumns | None = None,
) -> HitTable:
    """Return some rows as a table, with their alignments if there are any."""
    result, hits = listed.result, listed.columns.take(rows)
    unknown = np.full(len(rows), np.nan)
    by = hits.composition or CompositionColumns(unknown, unknown, unknown)
    hit = np.arange(len(rows)) if lines is None else lines.number("hit")
    best = np.ones(len(hit), dtype=bool) if lines is None else lines.hsp == 0

    def of_best(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(best, values[hit], np.nan)

    return HitTable(
        record=listed.query.query,
        query=query,
        subjects=ListedSubjects(result.database, hits.db_index),
        ranks=rows + 1,
        lambda_ratio=by.lambda_ratio,
        shuffle_z=by.shuffle_z,
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
        query_index=listed.query_index,
        rounds=listed.query.rounds,
        translation=result.translation,
    )


def _by_fit(listed: HitList, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return z-scores and log10 of E by the fit to all scores of the search, shape (2, k); NaN where there is none."""
    result = listed.result
    statistics = fit_of(result, listed.query_index).statistics
    if statistics is None:
        return np.full((2, len(rows)), np.nan)
    hits, length = listed.columns.take(rows), result.searched_length(listed.query_index)
    _, fitted = measure(length, hits.db_index, hits.scores, result.searched, statistics, result.search.limits)
    return np.stack([statistics.z_scores(hits.scores, result.searched.lengths_of(hits.db_index)), fitted])


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
