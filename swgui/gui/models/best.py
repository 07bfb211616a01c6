"""What to show for a query without hits: its best targets all the same, and why they are no hits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from swgui.core.results import HitColumns, SearchResult
from swgui.core.scores import best_indices
from swgui.gui.models import formatting
from swgui.gui.models.headers import parse_header
from swgui.io.statistics import load_statistics

BEST = 10


def best_targets(result: SearchResult, query_index: int, number: int = BEST) -> SearchResult:
    """Return the result with the best targets of one query listed as its hits, whatever their E-value.

    The score of every target must have been kept; without scores nothing is listed. For a worker: it reads
    the statistics table and looks at all scores.
    """
    of_query = result.queries[query_index]
    if of_query.scores is None:
        return result
    scored = np.flatnonzero(of_query.scores > 0)
    best = scored[best_indices(of_query.scores[scored], scored, number)]
    scores = of_query.scores[best]
    bits = log10_evalues = np.full(len(best), np.nan)
    statistics = load_statistics(result.scheme)
    if statistics is not None and len(best):
        bits = statistics.bit_scores(scores)
        log10_evalues = statistics.log10_evalues(
            scores,
            query_length=len(of_query.query.residues),
            subject_lengths=result.database.lengths[best],
            database_residues=result.database.residues,
            database_sequences=len(result.database),
        )
    only = -1 if result.strand == "minus" else 1
    strands = of_query.strands[best] if of_query.strands is not None else np.full(len(best), only, dtype=np.int8)
    hits = HitColumns(best.astype(np.int64), scores, strands.astype(np.int8), bits, log10_evalues)
    queries = list(result.queries)
    queries[query_index] = replace(of_query, hits=hits)
    return replace(result, queries=tuple(queries))


def explain_no_hits(result: SearchResult, query_index: int, listed: SearchResult | None = None) -> str:
    """Say why a query has no hits.

    Parameters
    ----------
    query_index : int
        A query without hits.
    listed : SearchResult, optional
        The result with the best targets listed (`best_targets`), to name the best one.
    """
    of_query = result.queries[query_index]
    scored, targets = of_query.subjects_scored, len(result.database)
    if not scored:
        return "This query was not searched: the run ended before its turn."
    limit = formatting.limit(float(np.log10(result.max_evalue)))
    text = f"No target reaches E ≤ {limit}."
    if listed is not None and of_query.scores is not None:
        hits = listed.queries[query_index].hits
        if not len(hits):
            text = "No target has a score above 0."
        else:
            at = int(hits.db_index[0])
            name = parse_header(result.database.ids[at], result.database.descriptions[at]).name
            evalue = float(hits.log10_evalues[0])
            known = "" if np.isnan(evalue) else f" (E = {formatting.evalue(evalue)})"
            text += f" The best of {scored:,} is {name} with a score of {int(hits.scores[0]):,}{known}."
    if scored < targets:
        text += f" The run ended early: {scored:,} of {targets:,} targets were scored."
    return text
