"""Results of a search, in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.columns import ColumnRecord, Rows
from swgui.core.database import EncodedDatabase
from swgui.core.hits.encoding import encode_part, encode_query
from swgui.core.hits.regions import Regions
from swgui.core.hits.scores import StrandScores, WindowScores
from swgui.core.query_range import searched_length
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.search import Search
from swgui.core.statistics.fit import FittedStatistics
from swgui.core.translation.database import searched
from swgui.core.translation.frames import SHIFTING, query_frame
from swgui.core.translation.programs import Translation

if TYPE_CHECKING:
    from swgui.core.hits.rounds import QueryRounds

State = Literal["complete", "stopped", "failed"]


class CompositionColumns(ColumnRecord, frozen=True):
    """Effect of composition on the E-values of ranked hits."""

    # Decadic logarithm of E as it is without a correction, shape (k,).
    log10_uncorrected: NDArray[np.float64]
    # Lambda of the compositions of both sequences over that of the background, at most 1; NaN where unknown, shape
    # (k,).
    lambda_ratio: NDArray[np.float64]
    # Standard deviations of the score above those of shuffled copies; NaN where none were made, shape (k,).
    shuffle_z: NDArray[np.float64]

    def of(self, row: int) -> tuple[float, float, float]:
        """Return log10 of E without correction, lambda ratio and Z of one hit."""
        return float(self.log10_uncorrected[row]), float(self.lambda_ratio[row]), float(self.shuffle_z[row])


class DirectionColumns(ColumnRecord, frozen=True):
    """Scores and E of both directions of ranked hits, below 0 and NaN where they are not known.

    E are decadic logarithms, corrected for composition.
    """

    back_scores: NDArray[np.int32]  # of the subject's own profile against the query, shape (k,)
    forward: NDArray[np.float64]  # E of the query's profile against the subject, shape (k,)
    back: NDArray[np.float64]  # E of the other direction, shape (k,)


class HitColumns(ColumnRecord, frozen=True):
    """Ranked hits of one query: E ascending, then score descending, then source index.

    Parameters
    ----------
    db_index : ndarray, shape=(k,), dtype=int64
    scores : ndarray, shape=(k,), dtype=int32
    strands : ndarray, shape=(k,), dtype=int8
        1, or -1 if the reverse complement of the query scored; of translated searches the reading
        (`swgui.core.translation.frames`).
    bit_scores : ndarray, shape=(k,), dtype=float64
        Those that belong to the E that counts; NaN where no statistics are known for the scheme.
    log10_evalues : ndarray, shape=(k,), dtype=float64
        Decadic logarithm of the E that counts, never underflowed; NaN as above.
    composition : CompositionColumns, optional
        None where E was not corrected for composition.
    regions : Regions, optional
        Corners of the best alignments in the searched part of the query, as far as computed: an entry with another
        score than the hit says nothing. Not of saved searches.
    directions : DirectionColumns, optional
        Scores and E of each direction, where the E that counts is that of both.
    """

    db_index: NDArray[np.int64]
    scores: NDArray[np.int32]
    strands: NDArray[np.int8]
    bit_scores: NDArray[np.float64]
    log10_evalues: NDArray[np.float64]
    composition: CompositionColumns | None = None
    regions: Regions | None = None
    directions: DirectionColumns | None = None


class JoinedHits(msgspec.Struct, frozen=True, eq=False):
    """Lists of hits of several queries as one, list after list."""

    hits: HitColumns
    of: NDArray[np.int64]  # the list of each, ascending, shape (k,)
    lists: int  # how many there are; some may be empty

    @classmethod
    def joined(cls, lists: Sequence[HitColumns]) -> JoinedHits:
        """Concatenate one or more lists."""
        sizes = [len(hits) for hits in lists]
        return cls(HitColumns.join(lists), np.repeat(np.arange(len(lists)), sizes), len(lists))

    def __len__(self) -> int:
        return len(self.of)

    def take(self, rows: Rows) -> JoinedHits:
        """Return some of the hits, in an order that keeps each list together."""
        return JoinedHits(self.hits.take(rows), self.of[rows], self.lists)

    def first(self, top: int) -> JoinedHits:
        """Return as many hits of each list at most, those in front."""
        places = np.arange(len(self)) - np.searchsorted(self.of, np.arange(self.lists))[self.of]
        return self if not (beyond := places >= top).any() else self.take(~beyond)

    def lists_of(self, places: Sequence[int]) -> JoinedHits:
        """Return some of the lists, by place, ascending."""
        if len(places) == self.lists:
            return self
        place = np.full(self.lists, -1, dtype=np.int64)
        place[places] = np.arange(len(places))
        kept = self.take(place[self.of] >= 0)
        return JoinedHits(kept.hits, place[kept.of], len(places))

    def parts(self) -> list[HitColumns]:
        """Return the lists one by one, as views."""
        edges = np.searchsorted(self.of, np.arange(self.lists + 1)).tolist()
        return self.hits.parts(list(map(slice, edges[:-1], edges[1:])))


class QueryResult(msgspec.Struct, frozen=True, eq=False, weakref=True):
    """All results of one query.

    Parameters
    ----------
    hits : HitColumns
        Within the request's limits.
    subjects_scored : int
        Fewer than the database holds if the search was stopped.
    scores : ndarray, shape=(N,), dtype=int32, optional
        Score of every subject in source order, -1 where not scored; better strand if both were searched.
    strands : ndarray, shape=(N,), dtype=int8, optional
        The strand each score comes from, only if both were searched.
    fit : FittedStatistics, optional
        Statistics fitted to shuffled subjects, where the database is too small for a fit to its own scores.
    windows, by_strand : mapping of (int, int) to WindowScores; StrandScores, optional
        Windows by source index and strand in which long subjects score, perhaps not of all of them, and scores of hits
        in each strand, if there are several; neither of saved searches.
    rounds : QueryRounds, optional
        Rounds of an iterated search, of which this is the last one.
    """

    query: SequenceRecord
    hits: HitColumns
    subjects_scored: int
    scores: NDArray[np.int32] | None = None
    strands: NDArray[np.int8] | None = None
    fit: FittedStatistics | None = None
    windows: Mapping[tuple[int, int], WindowScores] = msgspec.field(default_factory=dict)
    rounds: QueryRounds | None = None
    by_strand: StrandScores | None = None


class SearchResult(msgspec.Struct, frozen=True, eq=False):
    """Result of a run, with all data needed to repeat and to explain it.

    Parameters
    ----------
    database : EncodedDatabase
        Kept open: alignments are drawn from it.
    search : Search
        As it was scored: a plain search with this of `queries` in `database` has these scores and these hits.
    asked : Search
        As the user asked for it: with its rounds, for example, its mask, and the organisms of the whole database.
    state : {"complete", "stopped", "failed"}
    seconds : float
        Wall time of scoring.
    rescored : int
        Subjects scored again in 32 bits.
    statistics : str
        Where bit scores and E-values come from, in words; empty if there are none.
    message : str
        Warnings: causes of a failure, or differences from the request.
    version : str
        Version of the program.
    finished_at : str
        Local time, ISO 8601.
    run_id : str
        Name of the run in the history; empty if it is not kept there.
    content_checked : bool
        Whether every residue of the database file was compared with its checksums, for this search or before.
    left_out : int
        Subjects within all limits but those of identity and coverage.
    information : str
        What was searched and scored, where that is worth saying and nothing is wrong.
    """

    queries: tuple[QueryResult, ...]
    database: EncodedDatabase
    search: Search
    asked: Search
    engine: str
    devices: tuple[str, ...]
    state: State
    cells_done: int
    cells_total: int
    seconds: float
    rescored: int
    statistics: str
    message: str
    version: str
    finished_at: str
    run_id: str = ""
    content_checked: bool = False
    left_out: int = 0
    information: str = ""

    @property
    def scheme(self) -> ScoringScheme:
        """Scoring scheme of the run."""
        return self.search.scheme

    @property
    def translation(self) -> Translation | None:
        """Translation of the search; queries and database are the user's, and the scheme is of proteins."""
        return self.search.translation

    @property
    def score_unit(self) -> str:
        """Unit of the scores where it is not the one of the matrix: of profiles; empty otherwise."""
        if unit := self.database.subject_kind.unit:
            return unit
        units = {query.query.profile.units_per_bit for query in self.queries if query.query.profile is not None}
        known = f"1/{max(units):g} bit" if len(units) == 1 and max(units) else "their profiles"
        return known if units else ""

    @property
    def remarks(self) -> str:
        """Warnings and information, for texts that tell no difference."""
        return " ".join(filter(None, (self.message, self.information)))

    @property
    def searched(self) -> EncodedDatabase:
        """The scored form of the database: itself, or its translation."""
        return searched(self.database, self.translation)

    @property
    def gcups(self) -> float:
        """Giga cell updates per second of the whole scoring, wall time."""
        return self.cells_done / self.seconds / 1e9 if self.seconds > 0 else 0.0

    def hit_list(self, query_index: int) -> HitList:
        """Return the hits of a query as a list whose rows can be described, shown and exported."""
        return HitList(self, query_index, self.queries[query_index].hits)

    def encoded_query(self, query_index: int, strand: int = 1) -> EncodedQuery:
        """Return a whole query, so that positions are its own; alignments are possible in the searched part only."""
        return encode_query(
            self.queries[query_index].query, self.scheme, strand, self.search.query_range, self.translation
        )

    def searched_query(self, query_index: int, strand: int = 1) -> EncodedQuery:
        """Return the query that engines score: the whole, or its searched part."""
        return encode_part(
            self.queries[query_index].query, self.scheme, strand, self.search.query_range, self.translation
        )

    def searched_length(self, query_index: int) -> int:
        """Return the number of searched residues of a query, which E is computed for."""
        return searched_length(self.queries[query_index].query, self.search.query_range, self.translation)

    def whole_length(self, query_index: int) -> int:
        """Return the residues of a whole query, in the longest frame if it is translated; bases if it may shift."""
        query = self.queries[query_index].query
        bases = abs(query_frame(self.search.strands[0])) == SHIFTING
        return len(query.residues) if bases else searched_length(query, None, self.translation)


class HitList(msgspec.Struct, frozen=True, eq=False):
    """Subjects of a run in the ranked order of one query: its hits, or others in the same form."""

    result: SearchResult  # the run itself, whose own hits stay unchanged
    query_index: int
    columns: HitColumns  # the table that rows refer to

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def query(self) -> QueryResult:
        """All results of the query."""
        return self.result.queries[self.query_index]

    @property
    def are_hits(self) -> bool:
        """Whether these are the hits of the run, not subjects beyond its limits."""
        return self.columns is self.query.hits
