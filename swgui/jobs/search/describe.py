"""Hits made whole: from a row of the ranked list to names, alignment and counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import ScoreMismatch, Stopped
from swgui.core.hits.aligned import HspColumns
from swgui.core.hits.ranking import limits_of, measure
from swgui.core.hits.results import CompositionColumns, Hit, HitColumns, HitList, SearchResult
from swgui.core.hits.subjects import Place
from swgui.core.hits.table import HitStream, HitTable, ListedSubjects
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.fitting import fit_of
from swgui.jobs.ahead import Check, one_after_the_other
from swgui.jobs.search.hsps import HspFinder
from swgui.jobs.search.ranking import at_once, corrected

ROWS_AT_ONCE: Final = 10_000


def describe_hits(
    result: SearchResult, query_index: int, rows: Sequence[int], *, align: bool = True, fit: bool = True
) -> HitStream:
    """Make full hits from rows of a query's hits; as `describe_list` otherwise.

    Parameters
    ----------
    rows : sequence of int
        Positions in ``result.queries[query_index].hits``.
    align : bool
        Whether to trace back the optimal alignment (a tenth of a millisecond per hit and core) and count its columns.
    fit : bool
        Whether to say what the fit to all scores of the search makes of them; unknown otherwise.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to the score of the search.
    """
    return describe_list(result.hit_list(query_index), rows, align=align, fit=fit)


def describe_list(
    listed: HitList,
    rows: Sequence[int],
    *,
    align: bool = True,
    fit: bool = True,
    check: Callable[[], None] = lambda: None,
) -> HitStream:
    """Make full hits from rows of a list, in the order of the rows; as `describe_columns` otherwise."""
    return HitStream(describe_columns(listed, rows, align=align, fit=fit, check=check))


def describe_columns(
    listed: HitList,
    rows: Sequence[int],
    *,
    align: bool = True,
    fit: bool = True,
    check: Callable[[], None] = lambda: None,
    threads: int = 0,
) -> Iterator[HitTable]:
    """Yield rows of a list some hundred at a time, with all alignments within its limits, in the order of the rows.

    Parameters
    ----------
    listed : HitList
        Hits of a query, or other subjects of the run.
    rows : sequence of int
        Positions in ``listed.columns``.
    align : bool
        Whether to trace back the optimal alignment (a tenth of a millisecond per hit and core) and count its columns.
    fit : bool
        Whether to say what the fit to all scores of the search makes of them; unknown otherwise.
    check : callable
        Called many times a second while alignments are looked for, by several threads; may raise to give up.
    threads : int
        0 for all cores; below 0 for many lists side by side, as for `in_pieces`.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to the score of the search.
    """
    wanted = np.asarray(rows, dtype=np.int64)
    by_fit = np.stack(_by_fit(listed, wanted)) if fit else np.full((2, len(wanted)), np.nan)
    if not align:
        query = lru_cache(partial(listed.result.encoded_query, listed.query_index))
        for start in range(0, len(wanted), ROWS_AT_ONCE):
            part = slice(start, start + ROWS_AT_ONCE)
            yield _table(listed, query, wanted[part], by_fit[:, part])
        return
    finder = HspFinder(listed, wanted, check, threads)
    minimums, length = listed.result.minimums, listed.result.whole_length(listed.query_index)
    start = 0
    try:
        for lines in finder.columns():
            if minimums:
                lines = lines.take((lines.hsp == 0) | minimums.reached_by(lines.aligned, length))
            part = slice(start, start + int(lines.hit[-1]) + 1)
            yield _table(listed, finder.query, wanted[part], by_fit[:, part], lines)
            start = part.stop
    except ScoreMismatch:
        if len(wanted) < 2:
            raise
        for row in wanted[start:].tolist():  # those before the wrong one are right
            yield from describe_columns(listed, [row], fit=fit, check=check, threads=threads)


def describe_all(
    result: SearchResult,
    rows: Sequence[Sequence[int]],
    *,
    align: bool = True,
    fit: bool = True,
    enough: threading.Event | None = None,
) -> Iterator[HitTable]:
    """Yield rows of every query, in order, while other threads describe those of the next queries.

    Parameters
    ----------
    rows : sequence of sequence of int
        Of each query: positions in its hits.
    align, fit : bool
        As of `describe_columns`, which this raises as.
    enough : threading.Event, optional
        Once it is set, hits that are not described yet get their best alignments alone, which takes little time.
    """
    alone = replace(result, max_hsps=1)

    def describe(index: int, check: Check) -> Iterator[HitTable]:
        how, done = partial(describe_columns, align=align, fit=fit, threads=threads), 0

        def until_enough() -> None:
            check()
            if enough is not None and enough.is_set():
                raise Stopped

        try:
            until_enough()
            for table in how(result.hit_list(index), rows[index], check=until_enough):
                yield table
                done += len(table)
        except Stopped:
            check()
            yield from how(alone.hit_list(index), rows[index][done:], check=check)

    together, threads = at_once(len(rows), 0)
    makers = [partial(describe, index) for index in range(len(rows))]
    return one_after_the_other(makers, together)


def _table(
    listed: HitList,
    query: Callable[[int], EncodedQuery],
    rows: NDArray[np.int64],
    by_fit: NDArray[np.float64],
    lines: HspColumns | None = None,
) -> HitTable:
    """Return some rows as a table, with their alignments if there are any."""
    result, hits = listed.result, listed.columns.take(rows)
    unknown = np.full(len(rows), np.nan)
    by = hits.composition or CompositionColumns(unknown, unknown, unknown)
    hit = np.arange(len(rows)) if lines is None else lines.hit
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
        scores=(hits.scores if lines is None else lines.aligned.number("score")).astype(np.int64),
        strands=(hits.strands if lines is None else lines.strands).astype(np.int64),
        bit_scores=hits.bit_scores if lines is None else lines.bit_scores,
        log10_evalues=hits.log10_evalues if lines is None else lines.log10_evalues,
        log10_uncorrected=of_best(by.log10_uncorrected),
        z_scores=of_best(by_fit[0]),
        fitted=of_best(by_fit[1]),
        aligned=None if lines is None else lines.aligned,
        residues=limits_of(result).database_size(result.searched)[0],
        query_index=listed.query_index,
        rounds=listed.query.rounds,
        translation=result.translation,
    )


def _by_fit(listed: HitList, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return z-scores and log10 of E by the fit to all scores of the search, of some rows; NaN where there is none."""
    result, hits = listed.result, listed.columns.take(rows)
    statistics = fit_of(result, listed.query_index).statistics
    length = result.searched_length(listed.query_index)
    _, fitted = measure(length, hits.db_index, hits.scores, result.searched, statistics, limits_of(result))
    if statistics is None:
        return fitted, fitted
    return statistics.z_scores(hits.scores, result.searched.lengths[hits.db_index]), fitted


def describe_subject(result: SearchResult, query_index: int, subject: Place) -> Hit:
    """Make a full hit, with its alignment and the E that counts, of any subject, listed or not."""
    query = result.queries[query_index]
    listed = np.flatnonzero(query.hits.db_index == subject.db_index)
    if len(listed):
        return next(describe_hits(result, query_index, listed.tolist()))
    only = result.strands[0]
    columns = HitColumns(
        np.array([subject.db_index], dtype=np.int64),
        np.array([subject.score], dtype=np.int32),
        np.array([query.strands[subject.db_index] if query.strands is not None else only], dtype=np.int8),
        np.array([subject.bit_score]),
        np.array([subject.log10_evalue]),
    )
    hit = next(describe_list(HitList(result, query_index, corrected(result, query_index, columns)), [0]))
    return replace(hit, rank=subject.rank)
