"""Events of a search, in rounds or not, in addition to those of every run (`swgui.jobs.events`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.jobs.events import Finished, Foretold, Found, Progress, Stage

if TYPE_CHECKING:
    from swgui.core.hits.results import SearchResult
    from swgui.core.hits.scores import ChunkScores
    from swgui.core.statistics.counts import Counted


class DatabaseAltered(msgspec.Struct, frozen=True):
    """The database is not letter for letter what its file holds."""

    name: str
    summary: str  # residues and records that were read, replaced and left out, in a sentence or two
    residues: bool = True  # whether residues or records were; gap signs, digits and the like otherwise


class Started(msgspec.Struct, frozen=True):
    """Scoring begins: how much there is to do, and on what; `db_index` of what follows refers to `database`."""

    queries: int
    subjects: int
    residues: int
    cells_total: int
    engine: str
    devices: tuple[str, ...]
    database: EncodedDatabase | None = None
    seconds: float = 0.0  # of scoring before, in a run that is resumed; `Progress` follows at once then


class PartialHits(Found, frozen=True, eq=False):
    """The best subjects of one query so far."""

    query_index: int  # position in the request's queries
    db_index: NDArray[np.int64]  # shape (k,)
    scores: NDArray[np.int32]  # shape (k,)


class Parted(msgspec.Struct, frozen=True):
    """The time of the search so far, by phase."""

    # By part, one of `swgui.core.trace.PARTS` or `OTHER`.
    seconds: Mapping[str, float]


class Listed(msgspec.Struct, frozen=True, eq=False):
    """Lists of some queries are made and final; with an engine that is no processor, where the caller wants them.

    The result of the search has the same `QueryResult` of each of these queries.
    """

    result: SearchResult  # the lists made so far; other queries have no hits in it
    numbers: Sequence[int]  # of these queries
    seconds: float  # for which others are still scored, by the speed so far; 0 once all are


SearchEvent = Stage | Foretold | DatabaseAltered | Started | Progress | PartialHits | Listed | Parted | Finished


class RoundStarted(msgspec.Struct, frozen=True):
    """A round begins: `number` of at most `total`, from 1, with as many queries as still change.

    With `hits` it is a search with hits of a result, for further evidence; with `behind` the search of a database of
    this name behind the rounds, with their profiles.
    """

    number: int
    total: int
    queries: int
    hits: bool = False
    behind: str = ""

    @property
    def name(self) -> str:
        """Name and number of the round: ``Round 2 of 6``."""
        if self.behind:
            return f"Search of '{self.behind}' with the profiles"
        return f"{'Search with the hits, round' if self.hits else 'Round'} {self.number} of {self.total}"


class RoundFinished(msgspec.Struct, frozen=True):
    """A round has ended."""

    number: int
    # included, new, lost: sequences that were included, of all queries of the round together
    included: int
    new: int
    lost: int
    changing: int  # queries whose next profile differs: the next round searches them
    so_far: Callable[[], SearchResult]  # makes the result of a search that is stopped now, before the next event


IterationEvent = SearchEvent | RoundStarted | RoundFinished


class Journal(Protocol):
    """Keeps the scores of a run, so that another run of the same request can continue from there."""

    @property
    def seconds(self) -> float:
        """Time that earlier runs spent scoring."""

    @property
    def whole(self) -> bool:
        """Whether it certainly has all scores of the run."""

    @property
    def of_each_strand(self) -> bool:
        """Whether it has the score of each strand or reading; otherwise of the better one, and 0 for the others."""

    @property
    def counts(self) -> Sequence[Counted]:
        """How often scores occur by length, of each query and of all subjects but those whose scores it gives."""

    def begin(self, database: EncodedDatabase, rows: int, best: int) -> Iterable[ChunkScores]:
        """Return the scores of earlier runs; called once, when the database is open.

        Parameters
        ----------
        rows : int
            Queries times strands; ``query_index`` of a chunk is below it.
        best : int
            How many subjects of a row are enough; 0 for all.

        Raises
        ------
        SwguiError
            If the database is not the one that was searched before.
        """

    def add(self, chunk: ChunkScores) -> None:
        """Keep one more chunk."""
