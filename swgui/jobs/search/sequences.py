"""The work of a search whose subjects are sequences."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.contexts import NO_CONTEXT
from swgui.core.control import Check
from swgui.core.database import EncodedDatabase, Parts
from swgui.core.engines import EngineOptions
from swgui.core.hits.regions import Regions
from swgui.core.plain import replace
from swgui.core.query_range import positions_within
from swgui.core.stretches import Subjects
from swgui.engines.base import Engine
from swgui.jobs.events import Stage
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.subjects import FitRequest, Fits, SubjectWork

if TYPE_CHECKING:
    from swgui.engines.traceback.many import QueryAlignments
    from swgui.jobs.search.listed_rows import ListedRows

_Ints = NDArray[np.int64]


def _prepared(
    request: SearchRequest, database: EncodedDatabase, cancel: threading.Event
) -> tuple[SearchRequest, list[str]]:
    """Return a request with its queries masked and scored by context, and sentences on that."""
    if not request.search.mask and request.search.context == NO_CONTEXT:
        return request, []
    from swgui.jobs.search.queries import as_searched  # here, as below: few searches change their queries

    return as_searched(request, cancel)


def _engine(engine: Engine, database: EncodedDatabase, options: EngineOptions, cells: float) -> Engine:
    return engine


def _fits(asked: FitRequest, engine: Engine, cancel: threading.Event) -> Generator[Stage, None, Fits]:
    """Return statistics that are fitted to shuffled subjects, those of lengths alike once."""
    from swgui.jobs.search.kept_fits import KeptFits, fit_all

    fits = KeptFits(asked.request.scheme, asked.database, asked.cells, asked.request.lengths)
    return (yield from fit_all(fits, asked.queries, engine, cancel))


def _aligned(listed: ListedRows, places: _Ints, threads: int, check: Check) -> tuple[_Ints, QueryAlignments]:
    """Return the best alignments of places, all of them."""
    from swgui.engines.traceback.many import align_each

    result, hits = listed.result, listed.hits.take(places)
    asked, which = listed.strands(places)
    regions, parts = _known(listed, hits.regions, asked, which), _parts(listed, places)
    aligned = align_each(
        [listed.query(*key) for key in asked],
        which,
        Subjects.of(result.searched, hits.db_index, hits.strands, parts),
        result.scheme,
        hits.scores,
        known=regions if regions is None or parts is None else regions.moved(0, -parts[0]),
        names=lambda row: result.database.ids.decoded(hits.db_index[row : row + 1])[0],
        threads=threads,
        check=check,
    )
    if parts is not None:
        aligned = replace(aligned, paths=replace(aligned.paths, regions=aligned.paths.regions.moved(0, parts[0])))
    return np.arange(len(places)), aligned


def _parts(listed: ListedRows, places: _Ints) -> Parts | None:
    """Return the parts of subjects that hold the best alignments, where looking at all of them would translate them.

    These are the regions, or the first windows that reach the scores, as far as the search found either.
    """
    how, hits = listed.result.translation, listed.hits.take(places)
    if how is None or not how.of.translates_database:
        return None
    starts, stops = np.zeros(len(places), dtype=np.int64), np.full(len(places), -1, dtype=np.int64)
    if hits.regions is not None:
        told = hits.regions.scores == hits.scores
        starts[told], stops[told] = hits.regions.subject_start[told], hits.regions.subject_end[told]
    for row in np.flatnonzero(stops < 0).tolist():
        subject = int(hits.db_index[row]), int(hits.strands[row])
        window = listed.lists[listed.of[places[row]]].query.windows.get(subject)
        reached = np.flatnonzero(window.scores == hits.scores[row]).tolist() if window is not None else []
        if reached and window is not None:
            starts[row], stops[row] = window.starts[reached[0]], window.stops[reached[0]]
    return starts, stops


def _known(
    listed: ListedRows, regions: Regions | None, asked: Sequence[tuple[int, int]], which: _Ints
) -> Regions | None:
    """Return where alignments lie in whole queries, if the search found out."""
    part = listed.result.search.query_range
    if regions is None or part is None:
        return regions
    letters = (len(listed.lists[of].query.query.residues) for of, _ in asked)
    starts = [positions_within(part, m, strand).start for m, (_, strand) in zip(letters, asked, strict=True)]
    return regions.moved(np.array(starts, dtype=np.int64)[which], 0)


SEQUENCES: Final = SubjectWork(_prepared, _engine, _fits, _aligned)
