"""What to show for a query without hits: its best subjects all the same, and why they are no hits."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from swgui.core.headers import parse_header
from swgui.core.hits.limits import NO_MINIMUMS
from swgui.core.hits.results import HitList, SearchResult
from swgui.gui.words import formatting
from swgui.io.statistics import load_statistics
from swgui.jobs.search.ranking import ranked

BEST = 10


def best_subjects(result: SearchResult, query_index: int, number: int = BEST) -> HitList:
    """Return the best subjects of one query that score at all, whatever their E-value.

    For a worker: it reads the statistics table and looks at all scores.

    Raises
    ------
    InvalidParameter
        If the score vectors were not kept.
    """
    limits = replace(result.search.limits, top=number, max_evalue=math.inf, minimums=NO_MINIMUMS)
    return HitList(result, query_index, ranked(result, query_index, load_statistics(result.scheme), limits))


def explain_no_hits(result: SearchResult, query_index: int, listed: HitList | None = None) -> str:
    """Say why a query has no hits.

    Parameters
    ----------
    query_index : int
        A query without hits.
    listed : HitList, optional
        The best subjects (`best_subjects`), to name the first one.
    """
    of_query = result.queries[query_index]
    scored, size = of_query.subjects_scored, len(result.database)
    if not scored:
        return "This query was not searched: the run ended before its turn."
    limit = formatting.limit(float(np.log10(result.search.limits.max_evalue)))
    wanted = ", ".join(part for part in (f"E ≤ {limit}", result.search.limits.minimums.describe()) if part)
    text = f"No subject reaches {wanted}."
    if listed is not None:
        hits = listed.columns
        if not len(hits):
            text = "No subject has a score above 0."
        else:
            db_index = int(hits.db_index[0])
            name = parse_header(result.database.ids[db_index], result.database.descriptions[db_index]).name
            evalue = float(hits.log10_evalues[0])
            expect = "" if np.isnan(evalue) else f" (E = {formatting.evalue(evalue)})"
            text += f" The best of {scored:,} is {name} with a score of {int(hits.scores[0]):,}{expect}."
    if scored < size:
        text += f" The run ended early: {scored:,} of {size:,} subjects were scored."
    return text
