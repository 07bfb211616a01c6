"""Hits made whole: from a row of the ranked list to names, alignment and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.ranking import limits_of, measure
from swgui.core.hits.results import Hit, HitColumns, HitList, SearchResult
from swgui.core.hits.subjects import Place
from swgui.core.statistics.fitting import fit_of
from swgui.jobs.search.hsps import HspFinder
from swgui.jobs.search.ranking import corrected


def describe_hits(
    result: SearchResult, query_index: int, rows: Sequence[int], *, align: bool = True, fit: bool = True
) -> Iterator[Hit]:
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
) -> Iterator[Hit]:
    """Make full hits from rows of a list, with all alignments within its limits, in the order of the rows.

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

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to the score of the search.
    """
    result, hits = listed.result, listed.columns
    record, by = listed.query.query, hits.composition
    wanted = np.asarray(rows, dtype=np.int64)
    z_scores, fitted = _by_fit(listed, wanted) if fit else np.full((2, len(wanted)), np.nan)
    finder = HspFinder(listed, wanted, check)
    alignments = finder.every() if align else iter([()] * len(wanted))
    for place, (row, hsps) in enumerate(zip(rows, alignments, strict=True)):
        db_index, score, strand = int(hits.db_index[row]), int(hits.scores[row]), int(hits.strands[row])
        best = hsps[0] if hsps else None
        reached = (one for one in hsps[1:] if result.minimums.reached(one.score, one.counts, len(one.query)))
        hsps = (*hsps[:1], *reached)
        yield Hit(
            rank=int(row) + 1,
            query=finder.query(strand),
            query_record=record,
            db_index=db_index,
            subject=result.database.record(db_index),
            organism=result.database.organism(db_index),
            score=score,
            bit_score=float(hits.bit_scores[row]),
            log10_evalue=float(hits.log10_evalues[row]),
            strand=strand,
            alignment=best.alignment if best else None,
            counts=best.counts if best else None,
            z_score=float(z_scores[place]),
            fitted_log10_evalue=float(fitted[place]),
            log10_uncorrected=float(by.log10_uncorrected[row]) if by else float("nan"),
            lambda_ratio=float(by.lambda_ratio[row]) if by else float("nan"),
            shuffle_z=float(by.shuffle_z[row]) if by else float("nan"),
            hsps=hsps,
            sum_log10_evalue=finder.together(hsps, db_index),
        )


def _by_fit(listed: HitList, rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return z-scores and log10 of E by the fit to all scores of the search, of some rows; NaN where there is none."""
    result, hits = listed.result, listed.columns.take(rows)
    statistics = fit_of(result, listed.query_index).statistics
    length = result.searched_length(listed.query_index)
    _, fitted = measure(length, hits.db_index, hits.scores, result.database, statistics, limits_of(result))
    if statistics is None:
        return fitted, fitted
    return statistics.z_scores(hits.scores, result.database.lengths[hits.db_index]), fitted


def describe_subject(result: SearchResult, query_index: int, subject: Place) -> Hit:
    """Make a full hit, with its alignment and the E that counts, of any subject, listed or not."""
    query = result.queries[query_index]
    listed = np.flatnonzero(query.hits.db_index == subject.db_index)
    if len(listed):
        return next(describe_hits(result, query_index, listed.tolist()))
    only = -1 if result.strand == "minus" else 1
    columns = HitColumns(
        np.array([subject.db_index], dtype=np.int64),
        np.array([subject.score], dtype=np.int32),
        np.array([query.strands[subject.db_index] if query.strands is not None else only], dtype=np.int8),
        np.array([subject.bit_score]),
        np.array([subject.log10_evalue]),
    )
    hit = next(describe_list(HitList(result, query_index, corrected(result, query_index, columns)), [0]))
    return replace(hit, rank=subject.rank)
