"""What a search found, in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, AlignmentCounts
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet, TwoTracks
from swgui.core.database import EncodedDatabase
from swgui.core.hits.encoding import encode_part, encode_query
from swgui.core.hits.regions import Regions
from swgui.core.hits.scores import StrandScores, WindowScores
from swgui.core.organisms.subjects import Organism
from swgui.core.profiles.rounds import HitRounds, QueryRounds
from swgui.core.query_range import searched_length
from swgui.core.records import SequenceRecord, letters_beside
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.search import Search
from swgui.core.statistics.fit import FittedStatistics
from swgui.core.translation.database import searched
from swgui.core.translation.frames import SHIFTING, bases_each, begun_in, codons, query_frame, subject_frame, translate
from swgui.core.translation.programs import Translation

if TYPE_CHECKING:
    from swgui.core.hits.table import HitTable

State = Literal["complete", "stopped", "failed"]


@dataclass(frozen=True, slots=True, eq=False)
class CompositionColumns:
    """What composition did to the E-values of ranked hits.

    Parameters
    ----------
    log10_uncorrected : ndarray, shape=(k,), dtype=float64
        Decadic logarithm of E as it is without a correction.
    lambda_ratio : ndarray, shape=(k,), dtype=float64
        Lambda of the compositions of both sequences over that of the background, at most 1; NaN where unknown.
    shuffle_z : ndarray, shape=(k,), dtype=float64
        Standard deviations of the score above those of shuffled copies; NaN where none were made.
    """

    log10_uncorrected: NDArray[np.float64] = field(repr=False)
    lambda_ratio: NDArray[np.float64] = field(repr=False)
    shuffle_z: NDArray[np.float64] = field(repr=False)

    def of(self, row: int) -> tuple[float, float, float]:
        """Return log10 of E without correction, lambda ratio and Z of one hit."""
        return float(self.log10_uncorrected[row]), float(self.lambda_ratio[row]), float(self.shuffle_z[row])

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> CompositionColumns:
        """Return those of some of the hits."""
        return CompositionColumns(self.log10_uncorrected[rows], self.lambda_ratio[rows], self.shuffle_z[rows])


@dataclass(frozen=True, slots=True, eq=False)
class HitColumns:
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
        Where the best alignments lie in what was searched of the query, as far as somebody found out: another score
        than that of the hit says nothing. Not of saved searches.
    """

    db_index: NDArray[np.int64] = field(repr=False)
    scores: NDArray[np.int32] = field(repr=False)
    strands: NDArray[np.int8] = field(repr=False)
    bit_scores: NDArray[np.float64] = field(repr=False)
    log10_evalues: NDArray[np.float64] = field(repr=False)
    composition: CompositionColumns | None = field(default=None, repr=False)
    regions: Regions | None = field(default=None, repr=False)

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
            self.composition.take(rows) if self.composition is not None else None,
            self.regions.take(rows) if self.regions is not None else None,
        )

    @classmethod
    def join(cls, parts: Sequence[HitColumns]) -> HitColumns:
        """Return the hits of one or more lists, all corrected or none, one behind the other."""
        corrected = [part.composition for part in parts if part.composition is not None]
        regions = [part.regions.columns for part in parts if part.regions is not None]
        return cls(
            np.concatenate([part.db_index for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.strands for part in parts]),
            np.concatenate([part.bit_scores for part in parts]),
            np.concatenate([part.log10_evalues for part in parts]),
            CompositionColumns(
                np.concatenate([part.log10_uncorrected for part in corrected]),
                np.concatenate([part.lambda_ratio for part in corrected]),
                np.concatenate([part.shuffle_z for part in corrected]),
            )
            if corrected
            else None,
            Regions(*map(np.concatenate, zip(*regions, strict=True))) if len(regions) == len(parts) else None,
        )


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class QueryResult:
    """All that is known of one query.

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
        By source index and strand, where long subjects score, if not all of them, and what hits score in each strand,
        if there are several; neither of saved searches.
    rounds : QueryRounds, optional
        Of an iterated search, whose last one this is.
    """

    query: SequenceRecord
    hits: HitColumns
    subjects_scored: int
    scores: NDArray[np.int32] | None = field(default=None, repr=False)
    strands: NDArray[np.int8] | None = field(default=None, repr=False)
    fit: FittedStatistics | None = None
    windows: Mapping[tuple[int, int], WindowScores] = field(default_factory=dict, repr=False)
    rounds: QueryRounds | None = None
    by_strand: StrandScores | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """Result of a run, with what is needed to repeat and to explain it.

    Parameters
    ----------
    queries : tuple of QueryResult
    database : EncodedDatabase
        Kept open: alignments are drawn from it.
    search : Search
        As it was scored: a plain search with this of `queries` in `database` has these scores and these hits.
    asked : Search
        As the user asked for it: with its rounds, for example, its mask, and the organisms of the whole database.
    devices : tuple of str
    state : {"complete", "stopped", "failed"}
    seconds : float
        Wall time of scoring.
    rescored : int
        Subjects scored again in 32 bits.
    statistics : str
        Where bit scores and E-values come from, in words; empty if there are none.
    message : str
        Warnings: why the run failed, or what went otherwise than was asked for.
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
        """What decides a score."""
        return self.search.scheme

    @property
    def translation(self) -> Translation | None:
        """How it translates; queries and database are what the user gave, and the scheme is of proteins."""
        return self.search.translation

    @property
    def remarks(self) -> str:
        """Warnings and information, for texts that tell no difference."""
        return " ".join(filter(None, (self.message, self.information)))

    @property
    def searched(self) -> EncodedDatabase:
        """What was scored of the database: itself, or its translation."""
        return searched(self.database, self.translation)

    @property
    def gcups(self) -> float:
        """Giga cell updates per second of the whole scoring, wall time."""
        return self.cells_done / self.seconds / 1e9 if self.seconds > 0 else 0.0

    def hit_list(self, query_index: int) -> HitList:
        """Return the hits of a query as a list whose rows can be described, shown and exported."""
        return HitList(self, query_index, self.queries[query_index].hits)

    def encoded_query(self, query_index: int, strand: int = 1) -> EncodedQuery:
        """Return a query whole, so that positions are its own; only what was searched can be aligned with."""
        return encode_query(
            self.queries[query_index].query, self.scheme, strand, self.search.query_range, self.translation
        )

    def searched_query(self, query_index: int, strand: int = 1) -> EncodedQuery:
        """Return what engines score: the query, or the part of it that is searched with."""
        return encode_part(
            self.queries[query_index].query, self.scheme, strand, self.search.query_range, self.translation
        )

    def searched_length(self, query_index: int) -> int:
        """Return the residues of a query that were searched with: what E is computed for."""
        return searched_length(self.queries[query_index].query, self.search.query_range, self.translation)

    def whole_length(self, query_index: int) -> int:
        """Return the residues of a whole query, in the longest frame if it is translated; bases if it may shift."""
        query = self.queries[query_index].query
        bases = abs(query_frame(self.search.strands[0])) == SHIFTING
        return len(query.residues) if bases else searched_length(query, None, self.translation)


@dataclass(frozen=True, slots=True, eq=False)
class HitList:
    """Subjects of a run in the ranked order of one query: its hits, or others that are looked at like hits.

    Parameters
    ----------
    result : SearchResult
        The run itself, whose own hits stay what they are.
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


class Hit:
    """A row of a `HitTable`: a subject with its best alignment, or (`rows`) with another one of them.

    Coverage is in percent of the sequence inside the alignment (BLAST ``qcovhsp`` for the query).
    Coordinates in `alignment` refer to `query` as searched, which for strand -1 is the reverse
    complement. In a search with `translation` the two records are what the user gave, `strand` is the reading, and
    `alignment` counts residues of its frames.

    Parameters
    ----------
    place : int
        Of the hit in the table.
    hsp : int
        Which of its alignments the row stands for, the best one first.
    """

    def __init__(self, table: HitTable, place: int, hsp: int = 0) -> None:
        self.table, self.place, self.hsp = table, place, hsp

    @cached_property
    def line(self) -> int:
        """Line of the table."""
        return int(self.table.first[self.place]) + self.hsp

    @cached_property
    def alone(self) -> HitTable:
        """The hit with all its alignments as a table of its own, in which `hsp` is the line of this row."""
        return self.table.take(np.array([self.place]))

    @property
    def rank(self) -> int:
        """Place in the list of its query, from 1."""
        return int(self.table.ranks[self.place])

    @property
    def query(self) -> EncodedQuery:
        """The query in the strand or reading that is aligned."""
        return self.table.query(self.strand)

    @property
    def query_record(self) -> SequenceRecord:
        """The query as it was given."""
        return self.table.record

    @property
    def db_index(self) -> int:
        """Source index of the subject in the database."""
        return int(self.table.subjects.db_index[self.place])

    @cached_property
    def subject(self) -> SequenceRecord:
        """The subject as it was given."""
        return self.table.subjects.record(self.place)

    @property
    def organism(self) -> Organism:
        """Organism of the subject: what the database stores, or what its header says."""
        return self.table.subjects.organism(self.place)

    @property
    def score(self) -> int:
        """Score of the alignment."""
        return int(self.table.scores[self.line])

    @property
    def bit_score(self) -> float:
        """Bit score of the alignment; NaN without statistics."""
        return float(self.table.bit_scores[self.line])

    @property
    def log10_evalue(self) -> float:
        """Decadic logarithm of E of the alignment; NaN without statistics."""
        return float(self.table.log10_evalues[self.line])

    @property
    def strand(self) -> int:
        """1, or -1 for the reverse complement of the query; the reading of a translated search."""
        return int(self.table.strands[self.line])

    @property
    def z_score(self) -> float:
        """50 for the mean of unrelated subjects, 10 more a standard deviation; NaN without a fit to all scores."""
        return float(self.table.z_scores[self.line])

    @property
    def fitted_log10_evalue(self) -> float:
        """Decadic logarithm of E by that fit; NaN without one."""
        return float(self.table.fitted[self.line])

    @property
    def log10_uncorrected(self) -> float:
        """As in `CompositionColumns`; of the best alignment alone."""
        return float(self.table.log10_uncorrected[self.line])

    @property
    def lambda_ratio(self) -> float:
        """As in `CompositionColumns`."""
        return float(self.table.lambda_ratio[self.place])

    @property
    def shuffle_z(self) -> float:
        """As in `CompositionColumns`."""
        return float(self.table.shuffle_z[self.place])

    @cached_property
    def _aligned(self) -> tuple[Alignment, AlignmentCounts] | None:
        return None if self.table.aligned is None else self.table.aligned.pair(self.line)

    @property
    def alignment(self) -> Alignment | None:
        """The alignment; None where there is none, or none was asked for."""
        return self._aligned[0] if self._aligned else None

    @property
    def counts(self) -> AlignmentCounts | None:
        """What its columns add up to."""
        return self._aligned[1] if self._aligned else None

    def rows(self) -> Iterator[Hit]:
        """Yield the hit once for each of its alignments, with the numbers of that alignment; once if it has none."""
        for hsp in range(self.table.sizes[self.place]):
            yield self if hsp == self.hsp else Hit(self.table, self.place, hsp)

    @property
    def hsps(self) -> tuple[Hit, ...]:
        """The rows of all alignments within the limits, best first; no two share an aligned pair of residues."""
        return tuple(self.rows()) if self.alignment is not None else ()

    @property
    def sum_log10_evalue(self) -> float:
        """Decadic logarithm of E of all alignments together; NaN without any."""
        return float(self.table.sum_log10_evalues[self.place])

    @property
    def star(self) -> bool:
        """Whether the user marked it with a star."""
        return self.table.is_starred(self.place)

    @property
    def note(self) -> str:
        """What the user wrote about it."""
        return self.table.note(self.place)

    @property
    def rounds(self) -> HitRounds | None:
        """What the rounds of an iterated search say of it."""
        return self.table.rounds_of(self.place)

    @property
    def translation(self) -> Translation | None:
        """How a translated search translated."""
        return self.table.translation

    @property
    def frames(self) -> tuple[int, int]:
        """Frames of query and subject in which the alignment begins; 0 for what is not translated, or not known."""
        return begun_in(self.strand, (path.query_start, path.subject_start) if (path := self.alignment) else None)

    @property
    def query_letters(self) -> bytes:
        """What the alignment's query is made of: the query as it was given, or its frame."""
        return PROTEIN.decode(self.query.codes) if query_frame(self.strand) else self.query_record.residues

    @property
    def subject_letters(self) -> bytes:
        """What positions of the alignment's subject refer to: the subject as it was given, or its frame."""
        return self.subject_stretch(0, None)

    def subject_stretch(self, start: int, end: int | None) -> bytes:
        """Return some of the `subject_letters`."""
        frame = subject_frame(self.strand)
        if not frame or self.translation is None:
            return self.subject.residues[start:end]
        part = codons(frame, start, end, len(self.subject.residues))
        bases = NUCLEOTIDE.encode(self.subject.residues[part])
        read = frame if abs(frame) == SHIFTING else 1 if frame > 0 else -1
        return PROTEIN.decode(translate(bases, read, self.translation.subject_code))

    def subject_codes(self, alphabet: Alphabet, start: int = 0, end: int | None = None) -> NDArray[np.uint8]:
        """Return codes of the `subject_letters`, or of some of them: of two tracks symbols of both."""
        if isinstance(alphabet, TwoTracks):
            letters = letters_beside(self.subject, alphabet.parts[1].name)
            return alphabet.encode_tracks(self.subject.residues[start:end], letters[start:end])
        return alphabet.encode(self.subject_stretch(start, end))

    @property
    def query_coverage(self) -> float:
        """Percent of the query inside the alignment; NaN without one."""
        length, unit = len(self.query_record.residues), int(bases_each(query_frame(self.strand)))
        return 100.0 * unit * self.counts.query_span / length if self.counts and length else float("nan")

    @property
    def subject_coverage(self) -> float:
        """Percent of the subject inside the alignment; NaN without one."""
        length, unit = len(self.subject.residues), int(bases_each(subject_frame(self.strand)))
        return 100.0 * unit * self.counts.subject_span / length if self.counts and length else float("nan")
