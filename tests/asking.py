"""Searches of tests in one call: what decides them by name, wherever it belongs, and what comes of them."""

from __future__ import annotations

import threading
from typing import Any, TypeVar

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.hits.results import SearchResult
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.core.search import Search
from swgui.io.matrices import load_matrix
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps

BLOSUM62 = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
DNA_SCHEME = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
T = TypeVar("T", SearchRequest, SearchResult)
_LIMITS = {*Limits.__struct_fields__}
_SEARCH = {*Search.__struct_fields__}


def deciding(search: Search | None = None, **given: Any) -> Search:
    """Return a search with some parameters, those of its limits among them."""
    limits = {name: given.pop(name) for name in _LIMITS & set(given)}
    if search is None:
        return Search(limits=Limits(**limits), **given)
    return replace(search, limits=replace(search.limits, **limits), **given)


def search_request(**given: Any) -> SearchRequest:
    """Return a request; parameters of `SearchRequest`, `Search` and `Limits` by their names."""
    decides = {name: given.pop(name) for name in (_LIMITS | _SEARCH) & set(given)}
    return SearchRequest(search=deciding(**decides), **given)


def answer(request: SearchRequest) -> SearchResult:
    """Search, in rounds if it has some, and return the result."""
    steps = search_steps if request.search.iteration is None else iteration_steps
    result = run_to_end(steps(request, threading.Event()))
    assert result is not None
    return result


def altered(one: T, **given: Any) -> T:
    """Return a request or a result with other parameters."""
    own = {*one.__struct_fields__}
    decides = {name: given.pop(name) for name in ((_LIMITS | _SEARCH) - own) & set(given)}
    return replace(one, search=deciding(one.search, **decides), **given)


def search_result(**given: Any) -> SearchResult:
    """Return a result as requested; parameters of `SearchResult`, `Search` and `Limits` by their names."""
    own = {*SearchResult.__struct_fields__}
    decides = {name: given.pop(name) for name in ((_LIMITS | _SEARCH) - own) & set(given)}
    search = deciding(**{"composition": "none", "max_hsps": 1} | decides)
    return SearchResult(search=search, asked=search, **given)


def result_for(request: SearchRequest, **given: Any) -> SearchResult:
    """Return a result without any list, as an engine that did nothing would leave it."""
    usual = {
        "queries": (), "engine": "cpu", "devices": ("Test CPU",), "state": "complete", "cells_done": 10,
        "cells_total": 10, "seconds": 1.0, "rescored": 0, "statistics": "", "message": "", "version": "0",
        "finished_at": "2026-01-01T00:00:00+00:00",
    }  # fmt: skip
    return SearchResult(database=request.database, search=request.search, asked=request.search, **(usual | given))
