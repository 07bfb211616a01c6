"""What a search found, in columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, AlignmentCounts
from swgui.core.database import EncodedDatabase
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.statistics.fit import FittedStatistics

Strand = Literal["both", "plus", "minus"]
State = Literal["complete", "stopped", "failed"]


@dataclass(frozen=True, slots=True, eq=False)
class HitColumns:
    """Ranked hits of one query: score descending, then source index ascending.

    Parameters
    ----------
    db_index : ndarray, shape=(k,), dtype=int64
    scores : ndarray, shape=(k,), dtype=int32
    strands : ndarray, shape=(k,), dtype=int8
        1, or -1 if the reverse complement of the query scored.
    bit_scores : ndarray, shape=(k,), dtype=float64
        NaN where no statistics are known for the scheme.
    log10_evalues : ndarray, shape=(k,), dtype=float64
        Decadic logarithm of E, never underflowed; NaN as above.
    """

    db_index: NDArray[np.int64] = field(repr=False)
    scores: NDArray[np.int32] = field(repr=False)
    strands: NDArray[np.int8] = field(repr=False)
    bit_scores: NDArray[np.float64] = field(repr=False)
    log10_evalues: NDArray[np.float64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.scores)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> HitColumns:
        """Return some of the hits."""
        return HitColumns(
            self.db_index[rows],
            self.scores[rows],
            self.strands[rows],
            self.bit_scores[rows],
            self.log10_evalues[rows],
        )


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class QueryResult:
    """All that is known of one query.

    Parameters
    ----------
    query : SequenceRecord
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
    """

    query: SequenceRecord
    hits: HitColumns
    subjects_scored: int
    scores: NDArray[np.int32] | None = field(default=None, repr=False)
    strands: NDArray[np.int8] | None = field(default=None, repr=False)
    fit: FittedStatistics | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """Result of a run, with what is needed to repeat and to explain it.

    Parameters
    ----------
    queries : tuple of QueryResult
    database : EncodedDatabase
        Kept open: alignments are drawn from it.
    scheme : ScoringScheme
    strand : {"both", "plus", "minus"}
    max_evalue : float
    top : int
    engine : str
    devices : tuple of str
    state : {"complete", "stopped", "failed"}
    cells_done, cells_total : int
    seconds : float
        Wall time of scoring.
    rescored : int
        Subjects scored again in 32 bits.
    statistics : str
        Where bit scores and E-values come from, in words; empty if there are none.
    message : str
        Why the run failed, or what the user should know about it.
    version : str
        Version of the program.
    finished_at : str
        Local time, ISO 8601.
    effective_residues : int
        Size of the database E refers to; 0 for its own.
    run_id : str
        Name of the run in the history; empty if it is not kept there.
    """

    queries: tuple[QueryResult, ...]
    database: EncodedDatabase
    scheme: ScoringScheme
    strand: Strand
    max_evalue: float
    top: int
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
    effective_residues: int = 0
    run_id: str = ""

    @property
    def gcups(self) -> float:
        """Giga cell updates per second of the whole scoring, wall time."""
        return self.cells_done / self.seconds / 1e9 if self.seconds > 0 else 0.0

    def hit_list(self, query_index: int) -> HitList:
        """Return the hits of a query as a list whose rows can be described, shown and exported."""
        return HitList(self, query_index, self.queries[query_index].hits)

    def encoded_query(self, query_index: int, strand: int = 1) -> EncodedQuery:
        """Return a query as the engine saw it."""
        return encode_query(self.queries[query_index].query, self.scheme, strand)


@dataclass(frozen=True, slots=True, eq=False)
class HitList:
    """Subjects of a run in the ranked order of one query: its hits, or others that are looked at like hits.

    Parameters
    ----------
    result : SearchResult
        The run itself, whose own hits stay what they are.
    query_index : int
    columns : HitColumns
        What rows refer to.
    """

    result: SearchResult
    query_index: int
    columns: HitColumns

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def query(self) -> QueryResult:
        """All that is known of the query."""
        return self.result.queries[self.query_index]

    @property
    def are_hits(self) -> bool:
        """Whether these are the hits of the run, not subjects beyond its limits."""
        return self.columns is self.query.hits


def encode_query(record: SequenceRecord, scheme: ScoringScheme, strand: int = 1) -> EncodedQuery:
    """Encode a query; for strand -1 its reverse complement."""
    codes = scheme.alphabet.encode(record.residues)
    if strand < 0:
        codes = scheme.alphabet.reverse_complement(codes)
    return EncodedQuery(record.id, codes, strand=strand)


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """One hit with everything a table or an export shows; made on demand for the rows needed.

    Coverage is in percent of the sequence inside the alignment (BLAST ``qcovhsp`` for the query).
    Coordinates in `alignment` refer to `query` as searched, which for strand -1 is the reverse
    complement. `z_score` (50 for the mean of unrelated subjects, 10 per standard deviation) and
    `fitted_log10_evalue` come from the fit to the search's own scores; NaN where there is none. `star` and
    `note` are what the user marked it with.
    """

    rank: int
    query: EncodedQuery
    query_record: SequenceRecord
    db_index: int
    subject: SequenceRecord
    score: int
    bit_score: float
    log10_evalue: float
    strand: int
    alignment: Alignment | None = None
    counts: AlignmentCounts | None = None
    z_score: float = float("nan")
    fitted_log10_evalue: float = float("nan")
    star: bool = False
    note: str = ""

    @property
    def query_coverage(self) -> float:
        """Percent of the query inside the alignment; NaN without one."""
        return 100.0 * self.counts.query_span / len(self.query) if self.counts and len(self.query) else float("nan")

    @property
    def subject_coverage(self) -> float:
        """Percent of the subject inside the alignment; NaN without one."""
        length = len(self.subject.residues)
        return 100.0 * self.counts.subject_span / length if self.counts and length else float("nan")
