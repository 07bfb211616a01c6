"""A search in parts: scoring a share of a database, and making of all shares what one search would have made."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.hits.results import SearchResult
from swgui.core.hits.scores import ChunkScores
from swgui.core.plain import replace
from swgui.core.several.shares import Share, ShareScores
from swgui.core.statistics.counts import Counted, ScoreCounts
from swgui.engines import registry
from swgui.io.database.packed.opening import in_blocks
from swgui.jobs.search.events import SearchEvent
from swgui.jobs.search.opening import open_steps
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import scored_share, search_steps


@dataclass(frozen=True, slots=True, eq=False)
class SharedSearch:
    """A search of which shares were scored; all of them say the same."""

    request: SearchRequest  # whose database is open
    shares: tuple[ShareScores, ...]


def share_steps(
    request: SearchRequest, share: Share, cancel: threading.Event
) -> Generator[SearchEvent, None, SharedSearch | None]:
    """Score a share of the database; returns that alone, or None if it was stopped.

    Raises
    ------
    InvalidParameter
        If the search has rounds.
    SwguiError
        As `search_steps`; if scoring fails as well.
    """
    if request.search.iteration is not None:
        raise InvalidParameter(
            "part",
            str(share),
            "Searches in rounds are not done in parts: each round needs the hits of the whole one before.",
            hint="Search the last profile in parts: write it with --save-profile, and give it to --start-from.",
        )
    try:
        database = yield from open_steps(request, cancel)
    except Stopped:
        return None
    request = replace(request, database=in_blocks(database))
    scores = yield from scored_share(request, share, cancel, registry.new_engine)
    return None if scores is None else SharedSearch(request, (scores,))


def merge_steps(shared: SharedSearch, cancel: threading.Event) -> Generator[SearchEvent, None, SearchResult | None]:
    """Return the result of a search all of whose shares were scored; None if it was stopped early.

    Whatever of E is fitted to shuffles or corrected is done here, by whatever engine there is.
    """
    asked = shared.request.search
    search = replace(asked, engine=registry.AUTO, options=EngineOptions(threads=asked.options.threads))
    given = GivenShares(shared.shares)
    result = yield from search_steps(replace(shared.request, search=search), cancel, journal=given)
    if result is None:
        return None
    engine, devices = given.scored_by
    return replace(
        result,
        search=replace(result.search, engine=asked.engine, options=asked.options),
        asked=replace(result.asked, engine=asked.engine, options=asked.options),
        engine=engine,
        devices=devices,
    )


class GivenShares:
    """Gives a run what was scored of shares, as a journal gives what was scored before."""

    def __init__(self, shares: Sequence[ShareScores]) -> None:
        self._shares = shares

    @property
    def seconds(self) -> float:
        """Time that scoring took, of all shares together."""
        return sum(share.seconds for share in self._shares)

    @property
    def whole(self) -> bool:
        """Whether it is known to give all scores there are."""
        return True

    @property
    def of_each_strand(self) -> bool:
        """Whether its scores are those of each strand: a full list may have left out subjects of one strand."""
        return all(
            share.scores is not None or all(len(best) < best.limit for best in share.best) for share in self._shares
        )

    @property
    def scored_by(self) -> tuple[str, tuple[str, ...]]:
        """The engines and devices that scored, each once."""
        engines = dict.fromkeys(share.engine for share in self._shares if share.engine)
        return "+".join(engines), tuple(dict.fromkeys(name for share in self._shares for name in share.devices))

    @property
    def counts(self) -> list[Counted]:
        """How often scores occur by length, of each query and of all shares."""
        made = []
        for of_query in zip(*(share.counts for share in self._shares), strict=True):
            together = ScoreCounts(np.zeros(0, np.int32).take, 1)
            for part in of_query:
                together.merge(*part)
            made.append(together.counted)
        return made

    def begin(self, database: EncodedDatabase, rows: int, best: int) -> Iterator[ChunkScores]:
        """Yield the scores."""
        for share in self._shares:
            sources = database.sources(*(share.stretch if share.scores is not None else (0, 0)))
            for row in range(rows):
                own = None if share.scores is not None else share.best[row]
                yield ChunkScores(
                    query_index=row,
                    db_index=sources if own is None else own.db_index,
                    scores=share.scores[row] if share.scores is not None else share.best[row].scores,
                    cells=0 if row else share.cells,
                    rescored=0 if row else share.rescored,
                    windows=share.windows[row],
                    best_of=None if own is None else share.stretch,
                )

    def add(self, chunk: ChunkScores) -> None:
        """Refuse: shares are whole."""
        raise ValueError(f"Of a share {np.size(chunk.scores)} scores are missing.")
