"""What sweeps found, in a search that is asked for."""

from __future__ import annotations

from dataclasses import replace

from swgui import settings
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.sweep.in_use import for_search


def tuned_search(request: SearchRequest) -> tuple[SearchRequest, str]:
    """Return a search with the settings that a sweep found for such queries, where it brings none, and which they are.

    Where the user has switched that off, or there are none, the search stays as it is, and nothing is said.
    """
    if not settings.load().devices.tuned:
        return request, ""
    symbols = len(request.scheme.alphabet)
    options, found = for_search(request.engine, request.options, set(request.lengths), symbols)
    if found is None:
        return request, ""
    values = ", ".join(f"{name} {value}" for name, value in found.settings.items())
    low, high = found.key.query_class.split("-")
    said = f"settings of a sweep for queries of {low} to {high} residues are used: {values}"
    return replace(request, options=options), said
