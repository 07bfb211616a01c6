"""Hits of one query as columns, from the ranked list to the file; objects are made on access."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, AlignmentCounts
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet, TwoTracks
from swgui.core.database import EncodedDatabase
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import DirectionColumns
from swgui.core.plain import replace
from swgui.core.ranges import concatenated_ranges
from swgui.core.records import SequenceRecord, letters_beside
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.sums import sum_log10_evalues
from swgui.core.texts import PickedTexts
from swgui.core.translation.database import searched
from swgui.core.translation.frames import SHIFTING, bases_each, begun_in, codons, query_frame, subject_frame, translate
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import Translation

if TYPE_CHECKING:
    from swgui.core.hits.marks import Marks
    from swgui.core.hits.rounds import HitRounds, QueryRounds, RoundColumns
    from swgui.core.organisms.subjects import Organism

T = TypeVar("T")
_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
EQUAL: Final = 1e-6  # difference of decadic logarithms of E that are the same
OF_HITS: Final = ("ranks", "lambda_ratio", "shuffle_z")
OF_LINES: Final = (
    "hsp", "scores", "strands", "bit_scores", "log10_evalues", "log10_uncorrected", "z_scores", "fitted",
)  # fmt: skip


class ListedSubjects(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Data of the subjects of k hits; names are read on access."""

    database: EncodedDatabase
    db_index: _Ints  # shape (k,)

    @cached_property
    def ids(self) -> Sequence[str]:
        """Identifiers, read on access."""
        return PickedTexts(self.database.ids, self.db_index)

    @cached_property
    def databases(self) -> list[str]:
        """Names of the databases they are of."""
        return self.database.names_of(self.db_index)

    @cached_property
    def descriptions(self) -> Sequence[str]:
        """Descriptions, without the identifiers, read on access."""
        return PickedTexts(self.database.descriptions, self.db_index)

    @cached_property
    def lengths(self) -> _Ints:
        """Residues, shape (k,)."""
        return self.database.lengths_of(self.db_index).astype(np.int64)

    @cached_property
    def organisms(self) -> list[Organism]:
        """Organisms: from the database, or from headers."""
        return list(map(self.database.organism, self.db_index.tolist()))

    def record(self, place: int) -> SequenceRecord:
        """Return one subject."""
        return self.database.record(int(self.db_index[place]))

    def letters(self, place: int, part: slice) -> bytes:
        """Return some residues of one subject: of a chromosome nothing else is spelled out."""
        return self.database.alphabet.decode(self.database.subject(int(self.db_index[place]))[part])

    def organism(self, place: int) -> Organism:
        """Return the organism of one subject."""
        return self.database.organism(int(self.db_index[place]))

    def take(self, places: _Ints | slice) -> ListedSubjects:
        """Return some of the subjects, in the order given."""
        return ListedSubjects(self.database, self.db_index[places])

    def join(self, others: Sequence[ListedSubjects]) -> ListedSubjects:
        """Return these subjects and others of the same database behind them."""
        return ListedSubjects(self.database, np.concatenate([self.db_index, *(other.db_index for other in others)]))

    def stretches(
        self, places: _Ints, strands: _Ints, starts: _Ints, ends: _Ints, translation: Translation | None
    ) -> Iterator[bytes]:
        """Yield residues that alignments lie on, of their frames in a translated search.

        Parameters
        ----------
        places, strands, starts, ends : ndarray, shape=(n,), dtype=int64
            Subject, reading and residues of each.
        """
        view = searched(self.database, translation)
        codes, begins, lengths = view.placed(self.db_index[places], strands, (starts, ends))
        for start, end in zip(begins.tolist(), (begins + lengths).tolist(), strict=True):
            yield view.alphabet.decode(codes[start:end])


class HitTable(msgspec.Struct, frozen=True, eq=False, dict=True, weakref=True):
    """k hits of one query, in n lines: one for each alignment, best first, or one for a hit without.

    Tables of several queries are made by `swgui.core.hits.joined.table_of`.
    """

    record: SequenceRecord  # the query as it was given
    query: Callable[[int], EncodedQuery]  # returns the encoded query of a strand
    subjects: ListedSubjects
    ranks: _Ints  # shape (k,)
    # lambda_ratio, shuffle_z: as in `CompositionColumns`; NaN where not known, shape (k,)
    lambda_ratio: _Floats
    shuffle_z: _Floats
    hit: _Ints  # place of the hit of each line, ascending from 0, shape (n,)
    hsp: _Ints  # number of each line within its hit, shape (n,)
    # scores, strands: shape (n,)
    scores: _Ints
    strands: _Ints
    # bit_scores, log10_evalues, log10_uncorrected, z_scores, fitted: the last three of the best line of each hit
    # alone; NaN where not known, shape (n,)
    bit_scores: _Floats
    log10_evalues: _Floats
    log10_uncorrected: _Floats
    z_scores: _Floats
    fitted: _Floats
    aligned: AlignedColumns | None = None  # of each line; None where hits were not aligned
    directions: DirectionColumns | None = None  # of each hit; None where one direction was scored
    residues: float = float("nan")  # of the database that E refers to
    marks: Marks | None = None  # notes about the hits of the run
    query_index: int = 0  # of the query in the run
    rounds: QueryRounds | None = None  # of an iterated search
    translation: Translation | None = None  # of a translated search, as in `Hit`

    def __len__(self) -> int:
        """Return the number of hits."""
        return len(self.ranks)

    @property
    def lines(self) -> int:
        """Number of lines."""
        return len(self.hit)

    @property
    def doubted(self) -> NDArray[np.bool_]:
        """Lines whose E that counts is larger than that of their score, shape (n,)."""
        return np.asarray(self.log10_evalues > self.fitted + EQUAL)

    @cached_property
    def first(self) -> _Ints:
        """The first line of each hit, shape (k,)."""
        return np.searchsorted(self.hit, np.arange(len(self)))

    @cached_property
    def sizes(self) -> _Ints:
        """Number of lines of each hit, shape (k,)."""
        return np.bincount(self.hit, minlength=len(self))

    @property
    def parts(self) -> tuple[HitTable, ...]:
        """The table of each query."""
        return (self,)

    @property
    def counts(self) -> list[tuple[int, int]]:
        """Number of each query in the run, and of its hits."""
        return [(self.query_index, len(self))]

    @property
    def lines_each(self) -> list[int]:
        """Number of lines of each query."""
        return [self.lines]

    @property
    def nbytes(self) -> int:
        """Size of the columns in bytes, without names and what is read on access."""
        columns = [getattr(self, name) for name in ("hit", *OF_HITS, *OF_LINES)]
        if self.aligned is not None:
            columns += [self.aligned.numbers, self.aligned.ops, self.aligned.lengths, self.aligned.significance]
        return sum(column.nbytes for column in columns)

    @property
    def numbers(self) -> _Ints:
        """Place of each hit among those of its query, from 0, shape (k,)."""
        return np.arange(len(self))

    def at(self, place: int) -> Hit:
        """Return a hit, as the row of its best alignment."""
        return Hit(self, place)

    def take(self, places: _Ints) -> HitTable:
        """Return some of the hits with all their lines, in the order given."""
        lines = places if self.lines == len(self) else concatenated_ranges(self.first[places], self.sizes[places])
        return self._take(places, lines, np.repeat(np.arange(len(places)), self.sizes[places]))

    def take_line(self, line: int) -> HitTable:
        """Return a hit with one of its lines."""
        return self._take(self.hit[line : line + 1], np.array([line]), np.zeros(1, dtype=np.int64))

    def _take(self, places: _Ints, lines: _Ints, hit: _Ints) -> HitTable:
        aligned = None if self.aligned is None else self.aligned.take(lines)
        of_hits = {name: getattr(self, name)[places] for name in OF_HITS}
        of_lines = {name: getattr(self, name)[lines] for name in OF_LINES}
        of_hits["directions"] = self.directions if self.directions is None else self.directions.take(places)
        return replace(self, subjects=self.subjects.take(places), hit=hit, aligned=aligned, **of_hits, **of_lines)

    @cached_property
    def alignments(self) -> _Ints:
        """Number of alignments of each hit, shape (k,)."""
        return self.sizes if self.aligned is None else self.sizes * self.aligned.there[self.first]

    @cached_property
    def sum_log10_evalues(self) -> _Floats:
        """Decadic logarithm of E of all alignments of each hit together, shape (k,); NaN without any."""
        if self.aligned is None:
            return np.full(len(self), np.nan)
        lengths = self.subjects.lengths // (
            CODON if self.translation and self.translation.of.translates_database else 1
        )
        copies = self.residues / np.maximum(lengths, 1)
        together = sum_log10_evalues(self.log10_evalues, self.first, copies)
        return np.where(self.there[self.first], together, np.nan)

    def of_query(self, read: Callable[[SequenceRecord], T]) -> list[T]:
        """Return the result of `read` for the query of each line."""
        return [read(self.record)] * self.lines

    def query_texts(self, read: Callable[[SequenceRecord], str]) -> PickedTexts:
        """Return the result of `read` for the query of each line; that of a query is one object."""
        return PickedTexts([read(self.record)], np.zeros(self.lines, dtype=np.int64))

    def by_part(self, read: Callable[[HitTable], Sequence[T]]) -> Sequence[T]:
        """Return the result of `read` on the table of one query for each line."""
        return read(self)

    @cached_property
    def query_lengths(self) -> _Ints:
        """Letters of the query of each line, shape (n,)."""
        return np.array(self.of_query(lambda record: len(record.residues)), dtype=np.int64)

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Mask of the lines that have an alignment, shape (n,)."""
        return np.zeros(self.lines, dtype=bool) if self.aligned is None else self.aligned.there

    @property
    def both_directions(self) -> DirectionColumns:
        """Scores and E of both directions of each hit, unknown ones where one was scored."""
        unknown = np.full(len(self), np.nan)
        return self.directions or DirectionColumns(np.full(len(self), -1, dtype=np.int32), unknown, unknown)

    @property
    def starred(self) -> NDArray[np.bool_]:
        """Mask of the hits that have a star, shape (k,)."""
        if self.marks is None:
            return np.zeros(len(self), dtype=bool)
        return self.marks.mask("starred", self.query_index, self.subjects.db_index)

    @property
    def notes(self) -> list[str]:
        """Notes about each hit."""
        if self.marks is None:
            return [""] * len(self)
        return [self.marks.note(self.query_index, index) for index in self.subjects.db_index.tolist()]

    def texts_per_line(self, of_hits: Sequence[str]) -> Sequence[str]:
        """Return texts of hits repeated for each of their lines; those that are read on access still are."""
        if isinstance(of_hits, PickedTexts) and not of_hits.before:
            return PickedTexts(of_hits.texts, of_hits.at[self.hit])
        return self.per_line(list(of_hits))

    def per_line(self, of_hits: list[T]) -> list[T]:
        """Return values of hits repeated for each of their lines."""
        return of_hits if self.lines == len(self) else list(map(of_hits.__getitem__, self.hit.tolist()))

    def is_starred(self, place: int) -> bool:
        """Whether a hit has a star."""
        index = int(self.subjects.db_index[place])
        return self.marks is not None and self.marks.has("starred", self.query_index, index)

    def note(self, place: int) -> str:
        """Return the note about a hit."""
        index = int(self.subjects.db_index[place])
        return "" if self.marks is None else self.marks.note(self.query_index, index)

    def hits(self) -> Iterator[Hit]:
        """Yield every hit, as the row of its best alignment."""
        return (Hit(self, place) for place in range(len(self)))

    @cached_property
    def rows(self) -> list[Hit]:
        """Every line as a hit (`Hit.rows`)."""
        return [Hit(self, *of_line) for of_line in zip(self.hit.tolist(), self.hsp.tolist(), strict=True)]

    def rounds_of(self, place: int) -> HitRounds | None:
        """Return the data of the rounds of an iterated search about a hit."""
        return None if self.rounds is None else self.rounds.of(int(self.subjects.db_index[place]))

    @cached_property
    def round_columns(self) -> RoundColumns | None:
        """Data of the rounds of an iterated search about the hits of a query; None for other searches."""
        return None if self.rounds is None else self.rounds.columns(self.subjects.db_index)


class Hit:
    """A row of a `HitTable`: a subject with its best alignment, or (`rows`) with another one of them.

    Coverage is in percent of the sequence inside the alignment (BLAST ``qcovhsp`` for the query). Coordinates in
    `alignment` refer to `query` as searched, which for strand -1 is the reverse complement. In a search with
    `translation` the two records are the user's, `strand` is the reading, and `alignment` counts residues of its
    frames.

    Parameters
    ----------
    place : int
        Place of the hit in the table.
    hsp : int
        Number of its alignment in the row, the best one first.
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
        """Organism of the subject: from the database, or from its header."""
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
    def back_score(self) -> int:
        """Score of its own profile against the query; below 0 where it was not scored."""
        return -1 if self.table.directions is None else int(self.table.directions.back_scores[self.place])

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
        """The alignment; None if there is none, or the search made none."""
        return self._aligned[0] if self._aligned else None

    @property
    def counts(self) -> AlignmentCounts | None:
        """Sums over its columns."""
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
        """The user's note about it."""
        return self.table.note(self.place)

    @property
    def rounds(self) -> HitRounds | None:
        """Data of the rounds of an iterated search about it."""
        return self.table.rounds_of(self.place)

    @property
    def translation(self) -> Translation | None:
        """Translation of a translated search."""
        return self.table.translation

    @property
    def frames(self) -> tuple[int, int]:
        """Frames of query and subject in which the alignment begins; 0 if untranslated or unknown."""
        return begun_in(self.strand, (path.query_start, path.subject_start) if (path := self.alignment) else None)

    @property
    def query_letters(self) -> bytes:
        """Sequence of the alignment's query: the original query, or its frame."""
        return PROTEIN.decode(self.query.codes) if query_frame(self.strand) else self.query_record.residues

    @property
    def subject_letters(self) -> bytes:
        """Sequence that positions of the alignment's subject refer to: the original subject, or its frame."""
        return self.subject_stretch(0, None)

    def subject_stretch(self, start: int, end: int | None) -> bytes:
        """Return some of the `subject_letters`."""
        frame = subject_frame(self.strand)
        subjects = self.table.subjects
        if not frame or self.translation is None:
            return subjects.letters(self.place, slice(start, end))
        part = codons(frame, start, end, int(subjects.lengths[self.place]))
        bases = NUCLEOTIDE.encode(subjects.letters(self.place, part))
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
        length, unit = int(self.table.subjects.lengths[self.place]), int(bases_each(subject_frame(self.strand)))
        return min(100.0 * unit * self.counts.subject_span / length, 100.0) if self.counts and length else float("nan")


class HitStream(Iterator[Hit]):
    """Hits in the order of an output, as tables; as objects in a loop. Read once.

    Parameters
    ----------
    several : iterable of HitTable
        Of one or more queries each.
    """

    def __init__(self, several: Iterable[HitTable]) -> None:
        self.several = iter(several)
        self.tables = (part for table in self.several for part in table.parts)
        self._hits = (hit for table in self.tables for hit in table.hits())

    def __next__(self) -> Hit:
        return next(self._hits)


def tables_of(hits: Iterable[Hit]) -> Iterator[HitTable]:
    """Yield hits as tables, each of one query, those of a query together."""
    if isinstance(hits, HitStream):
        yield from hits.tables
        return
    for table, group in groupby(hits, key=lambda hit: hit.table):
        yield table.take(np.array([hit.place for hit in group]))
