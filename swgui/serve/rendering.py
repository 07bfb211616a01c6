"""Results of searches in the formats that exports have, as texts."""

from __future__ import annotations

import io

from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import HitStream
from swgui.core.plain import replace
from swgui.io.export import ExportOptions, find_text_format, write_hits
from swgui.io.export.base import NO_OPTIONS
from swgui.jobs.search.describe import describe


def rendered(result: SearchResult, form: str, options: ExportOptions = NO_OPTIONS) -> str:
    """Return all hits of a result in a format of text, as ``swgui search --format`` writes them."""
    found = find_text_format(form)
    parts = [(result.hit_list(index), range(len(query.hits))) for index, query in enumerate(result.queries)]
    stream = HitStream(describe(parts, align=found.aligned(options), fit=found.fitted(options)).tables)
    text = io.StringIO()
    write_hits(form, result, stream, text, options)
    return text.getvalue()


def within(result: SearchResult, low: float | None, high: float | None, most: int | None) -> SearchResult:
    """Return a result with those hits alone whose E-value is within limits, and so many of each query at most."""
    queries = []
    for query in result.queries:
        hits = query.hits
        if low is not None or high is not None:
            evalues = 10.0**hits.log10_evalues
            keep = (evalues >= (low or 0.0)) & (evalues <= (float("inf") if high is None else high))
            hits = hits.take(keep)
        queries.append(replace(query, hits=hits if most is None else hits.take(slice(most))))
    return replace(result, queries=tuple(queries))
