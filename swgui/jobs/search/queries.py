"""Queries as they are searched with: masked, and with scores by context."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.contexts import NO_CONTEXT
from swgui.core.control import checking
from swgui.core.plain import replace
from swgui.core.profiles.context import ContextLibrary, context_profile
from swgui.core.profiles.log_odds import profile_scheme
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.search import Search
from swgui.core.statistics.masking import mask_record
from swgui.core.translation.frames import FRAMES
from swgui.core.translation.stretches import translate_open
from swgui.engines.native.context import ColumnMaker
from swgui.io.profiles.contexts import load_contexts
from swgui.jobs.search.request import SearchRequest

LIBRARIES: Final = 2  # kept for later searches, 8 MB each


def as_searched(request: SearchRequest, cancel: threading.Event) -> tuple[SearchRequest, list[str]]:
    """Return a request with its queries masked and scored by context, as far as it asks for that, and what was masked.

    Scores by context are in eighths of a bit, with the gap costs of profiles. The new request asks for neither, so that
    it is scored the same again.

    Returns
    -------
    SearchRequest
    list of str
        A sentence on each query that was masked.

    Raises
    ------
    SwguiError
        If a library cannot be read.
    Stopped
        If `cancel` was set.
    """
    request, remarks = _masked(request)
    return _in_context(request, cancel), remarks


def _masked(request: SearchRequest) -> tuple[SearchRequest, list[str]]:
    """Return a request with its queries masked, if it asks for that, and a sentence on each that was changed."""
    if not request.search.mask or request.queries_masked:
        return request, []
    queries: list[SequenceRecord] = []
    remarks = []
    for query in request.queries:
        record, _, said = mask_record(query, request.search.query_alphabet)
        queries.append(record)
        remarks += [remark.message for remark in said]
    return replace(request, queries=tuple(queries), queries_masked=True), remarks


def _in_context(request: SearchRequest, cancel: threading.Event) -> SearchRequest:
    """Return a request whose queries have scores by context, if it asks for them; its queries are masked."""
    search = request.search
    if search.context == NO_CONTEXT:
        return request
    contexts, maker = context_library(search.context)
    scheme = profile_scheme(search.scheme.matrix, Recipe())
    codes = [_residues(query, search) for query in request.queries]
    frames = [of for of_query in codes for of in of_query]
    columns = iter(maker.of_residues(frames, threads=search.options.threads, check=checking(cancel)))
    made = [(np.concatenate(of_query), np.concatenate([next(columns) for _ in of_query])) for of_query in codes]
    back = search.context if search.both_directions else NO_CONTEXT
    profiles = (context_profile(of, its, contexts, scheme) for of, its in made)
    queries = tuple(replace(query, profile=profile) for query, profile in zip(request.queries, profiles, strict=True))
    return replace(
        request, queries=queries, search=replace(search, scheme=scheme, context=NO_CONTEXT, subject_context=back)
    )


def _residues(query: SequenceRecord, search: Search) -> list[NDArray[np.uint8]]:
    """Residues of a query, each of its frames by itself where it is translated."""
    how = search.translation
    if how is None or not how.of.translates_query:
        return [PROTEIN.encode(query.residues)]
    bases = NUCLEOTIDE.encode(query.residues)
    return [translate_open(bases, frame, how.query_code, how.min_orf) for frame in FRAMES]


def context_library(context: str) -> tuple[ContextLibrary, ColumnMaker]:
    """Return a library, and the maker of columns by it; the last ones are kept.

    Parameters
    ----------
    context : str
        ``own``, or a file.

    Raises
    ------
    SwguiError
        If it cannot be read.
    """
    return _library(context, _version(context))


def _version(context: str) -> tuple[int, int]:
    """Return time and size of a file, which change with its content; zeros for any other name."""
    try:
        facts = Path(context).stat()
    except (OSError, ValueError):
        return 0, 0
    return facts.st_mtime_ns, facts.st_size


@lru_cache(maxsize=LIBRARIES)
def _library(context: str, version: tuple[int, int]) -> tuple[ContextLibrary, ColumnMaker]:
    """Return a library, and what makes columns by it."""
    contexts = load_contexts(context)
    return contexts, ColumnMaker(contexts)
