"""Hits of one query as columns, from the ranked list to the file; objects are made where one is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.marks import Marks
from swgui.core.hits.results import Hit, Hsp
from swgui.core.organisms.subjects import Organism, organism_of
from swgui.core.profiles.rounds import HitRounds, QueryRounds, RoundColumns
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.sums import sum_log10_evalues
from swgui.core.texts import decoded
from swgui.core.translation.database import searched
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import Translation

T = TypeVar("T")
_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
_AT_ONCE = 256  # hits that were made one by one taken together


@dataclass(frozen=True, eq=False)
class ListedSubjects:
    """What is known of the subjects of k hits; names are read when they are asked for.

    Parameters
    ----------
    database : EncodedDatabase
    db_index : ndarray, shape=(k,), dtype=int64
    """

    database: EncodedDatabase
    db_index: _Ints = field(repr=False)

    @cached_property
    def ids(self) -> list[str]:
        """Identifiers."""
        return decoded(self.database.ids, self.db_index)

    @cached_property
    def descriptions(self) -> list[str]:
        """Descriptions, without the identifiers."""
        return decoded(self.database.descriptions, self.db_index)

    @cached_property
    def lengths(self) -> _Ints:
        """Residues, shape (k,)."""
        return self.database.lengths[self.db_index].astype(np.int64)

    @cached_property
    def organisms(self) -> list[Organism]:
        """The organisms: what the database stores, or what headers say."""
        return list(map(self.database.organism, self.db_index.tolist()))

    def record(self, place: int) -> SequenceRecord:
        """Return one subject."""
        return self.database.record(int(self.db_index[place]))

    def stretches(
        self, places: _Ints, strands: _Ints, starts: _Ints, ends: _Ints, translation: Translation | None
    ) -> Iterator[bytes]:
        """Yield residues that alignments lie on, of their frames in a translated search.

        Parameters
        ----------
        places, strands, starts, ends : ndarray, shape=(n,), dtype=int64
            Of each: the subject, its reading, and which of its residues.
        """
        view = searched(self.database, translation)
        codes, at, lengths = view.placed(self.db_index[places], strands, (starts, ends))
        for start, end in zip(at.tolist(), (at + lengths).tolist(), strict=True):
            yield view.alphabet.decode(codes[start:end])


@dataclass(frozen=True, eq=False)
class HitTable:
    """k hits of one query, in n lines: one for each alignment, best first, or one for a hit without.

    Parameters
    ----------
    record : SequenceRecord
        The query as it was given.
    query : callable
        Returns the encoded query of a strand.
    subjects : ListedSubjects
    ranks : ndarray, shape=(k,), dtype=int64
    lambda_ratio, shuffle_z : ndarray, shape=(k,), dtype=float64
        As in `CompositionColumns`; NaN where not known.
    hit : ndarray, shape=(n,), dtype=int64
        Place of the hit of each line, ascending from 0.
    hsp : ndarray, shape=(n,), dtype=int64
        Number of each line within its hit.
    scores, strands : ndarray, shape=(n,), dtype=int64
    bit_scores, log10_evalues, log10_uncorrected, z_scores, fitted : ndarray, shape=(n,), dtype=float64
        As in `Hit.rows`; NaN where not known.
    aligned : AlignedColumns, optional
        Of each line; None where hits were not aligned.
    residues : float
        Of the database that E refers to.
    marks : Marks, optional
        What was noted about the hits of the run.
    query_index : int
        Of the query in the run.
    rounds : QueryRounds, optional
        Of an iterated search.
    translation : Translation, optional
        Of a translated search, as in `Hit`.
    """

    record: SequenceRecord
    query: Callable[[int], EncodedQuery] = field(repr=False)
    subjects: ListedSubjects
    ranks: _Ints = field(repr=False)
    lambda_ratio: _Floats = field(repr=False)
    shuffle_z: _Floats = field(repr=False)
    hit: _Ints = field(repr=False)
    hsp: _Ints = field(repr=False)
    scores: _Ints = field(repr=False)
    strands: _Ints = field(repr=False)
    bit_scores: _Floats = field(repr=False)
    log10_evalues: _Floats = field(repr=False)
    log10_uncorrected: _Floats = field(repr=False)
    z_scores: _Floats = field(repr=False)
    fitted: _Floats = field(repr=False)
    aligned: AlignedColumns | None = field(default=None, repr=False)
    residues: float = float("nan")
    marks: Marks | None = None
    query_index: int = 0
    rounds: QueryRounds | None = None
    translation: Translation | None = None

    def __len__(self) -> int:
        """Return the number of hits."""
        return len(self.ranks)

    @property
    def lines(self) -> int:
        """Number of lines."""
        return len(self.hit)

    @cached_property
    def first(self) -> _Ints:
        """The first line of each hit, shape (k,)."""
        return np.searchsorted(self.hit, np.arange(len(self)))

    @cached_property
    def alignments(self) -> _Ints:
        """Number of alignments of each hit, shape (k,)."""
        counted = np.bincount(self.hit, minlength=len(self))
        return counted if self.aligned is None else counted * self.aligned.there[self.first]

    @cached_property
    def sum_log10_evalues(self) -> _Floats:
        """Decadic logarithm of E of all alignments of each hit together, shape (k,); NaN without any."""
        lengths = self.subjects.lengths // (
            CODON if self.translation and self.translation.of.translates_database else 1
        )
        copies = self.residues / np.maximum(lengths, 1)
        together = sum_log10_evalues(self.log10_evalues, self.first, copies)
        return np.where(self.there[self.first], together, np.nan)

    def of_query(self, read: Callable[[SequenceRecord], T]) -> list[T]:
        """Return what is read of the query of each line."""
        return [read(self.record)] * self.lines

    def by_part(self, read: Callable[[HitTable], Sequence[T]]) -> Sequence[T]:
        """Return what is read of a table of one query for each line."""
        return read(self)

    @cached_property
    def query_lengths(self) -> _Ints:
        """Letters of the query of each line, shape (n,)."""
        return np.array(self.of_query(lambda record: len(record.residues)), dtype=np.int64)

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Which lines have an alignment, shape (n,)."""
        return np.zeros(self.lines, dtype=bool) if self.aligned is None else self.aligned.there

    @property
    def starred(self) -> NDArray[np.bool_]:
        """Which hits have a star, shape (k,)."""
        marks = Marks() if self.marks is None else self.marks
        return marks.mask("starred", self.query_index, self.subjects.db_index)

    @property
    def notes(self) -> list[str]:
        """What was written about each hit."""
        if self.marks is None:
            return [""] * len(self)
        return [self.marks.note(self.query_index, index) for index in self.subjects.db_index.tolist()]

    def per_line(self, of_hits: list[T]) -> list[T]:
        """Return what is known of each hit for each line."""
        return of_hits if self.lines == len(self) else list(map(of_hits.__getitem__, self.hit.tolist()))

    @cached_property
    def rows(self) -> list[Hit]:
        """Every line as a hit of its own (`Hit.rows`)."""
        return [row for hit in self.hits() for row in hit.rows()]

    def rounds_of(self, place: int) -> HitRounds | None:
        """Return what the rounds of an iterated search say of a hit."""
        return None if self.rounds is None else self.rounds.of(int(self.subjects.db_index[place]))

    @cached_property
    def round_columns(self) -> RoundColumns | None:
        """What the rounds of an iterated search say of the hits of a query; None for other searches."""
        return None if self.rounds is None else self.rounds.columns(self.subjects.db_index)

    def hits(self) -> Iterator[Hit]:
        """Yield every hit as an object, with its alignments."""
        ends = [*self.first[1:].tolist(), self.lines]
        starred, notes = self.starred.tolist(), self.notes
        together = self.sum_log10_evalues.tolist() if self.aligned is not None else [float("nan")] * len(self)
        for place, (start, end) in enumerate(zip(self.first.tolist(), ends, strict=True)):
            strand = int(self.strands[start])
            hsps = tuple(self._hsp(line) for line in range(start, end)) if self.there[start] else ()
            yield Hit(
                rank=int(self.ranks[place]),
                query=self.query(strand),
                query_record=self.record,
                db_index=int(self.subjects.db_index[place]),
                subject=self.subjects.record(place),
                organism=self.subjects.organisms[place],
                score=int(self.scores[start]),
                bit_score=float(self.bit_scores[start]),
                log10_evalue=float(self.log10_evalues[start]),
                strand=strand,
                alignment=hsps[0].alignment if hsps else None,
                counts=hsps[0].counts if hsps else None,
                z_score=float(self.z_scores[start]),
                fitted_log10_evalue=float(self.fitted[start]),
                star=starred[place],
                note=notes[place],
                log10_uncorrected=float(self.log10_uncorrected[start]),
                lambda_ratio=float(self.lambda_ratio[place]),
                shuffle_z=float(self.shuffle_z[place]),
                hsps=hsps,
                sum_log10_evalue=together[place],
                rounds=self.rounds_of(place),
                translation=self.translation,
            )

    def _hsp(self, line: int) -> Hsp:
        assert self.aligned is not None
        pair, strand = self.aligned.pair(line), int(self.strands[line])
        assert pair is not None
        numbers = float(self.bit_scores[line]), float(self.log10_evalues[line])
        return Hsp(*pair, self.query(strand), int(self.scores[line]), *numbers, strand)


class _GivenSubjects(ListedSubjects):
    """Subjects of hits that are objects already."""

    def __init__(self, hits: Sequence[Hit]) -> None:
        values: dict[str, Any] = {
            "database": None,
            "db_index": np.array([hit.db_index for hit in hits], dtype=np.int64),
            "ids": [hit.subject.id for hit in hits],
            "descriptions": [hit.subject.description for hit in hits],
            "lengths": np.array([len(hit.subject.residues) for hit in hits], dtype=np.int64),
            "organisms": [h.organism or organism_of(h.subject.id, h.subject.description) for h in hits],
            "_records": [hit.subject for hit in hits],
            "_hits": hits,
        }  # fmt: skip
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def record(self, place: int) -> SequenceRecord:
        return self._records[place]

    def stretches(
        self, places: _Ints, strands: _Ints, starts: _Ints, ends: _Ints, translation: Translation | None
    ) -> Iterator[bytes]:
        of_lines = (one.tolist() for one in (places, strands, starts, ends))
        for place, strand, start, end in zip(*of_lines, strict=True):
            yield replace(self._hits[place], strand=strand).subject_stretch(start, end)

    _records: list[SequenceRecord]
    _hits: Sequence[Hit]


@dataclass(frozen=True, eq=False)
class _GivenHits(HitTable):
    """Hits that are objects already, of one query; their stars and notes are their own unless `marks` are given."""

    objects: Sequence[Hit] = ()

    def rounds_of(self, place: int) -> HitRounds | None:
        return self.objects[place].rounds

    @property
    def round_columns(self) -> RoundColumns | None:
        said = [one for hit in self.objects if (one := hit.rounds) is not None]
        if len(said) < len(self.objects):
            return None
        first, member = (np.array([getattr(one, of) for one in said]) for of in ("first_included", "member"))
        return RoundColumns(np.array([one.log10_evalues for one in said]), first, [one.status for one in said], member)

    @property
    def starred(self) -> NDArray[np.bool_]:
        own = np.array([hit.star for hit in self.objects], dtype=bool)
        return own if self.marks is None else super().starred

    @property
    def notes(self) -> list[str]:
        return [hit.note for hit in self.objects] if self.marks is None else super().notes

    @property
    def sum_log10_evalues(self) -> _Floats:
        return np.array([hit.sum_log10_evalue for hit in self.objects])

    def hits(self) -> Iterator[Hit]:
        marks = zip(self.objects, self.starred.tolist(), self.notes, strict=True)
        return (
            hit if (hit.star, hit.note) == (star, note) else replace(hit, star=star, note=note)
            for hit, star, note in marks
        )


def table_of(hits: Sequence[Hit]) -> HitTable:
    """Return a table of hits that are objects already, one or more of one query."""
    rows = [list(hit.rows()) for hit in hits]
    lines = [row for of_hit in rows for row in of_hit]
    queries = {line.strand: line.query for line in lines}

    def numbers(name: str, of: Sequence[Hit], dtype: type = np.float64) -> NDArray[Any]:
        return np.array([getattr(hit, name) for hit in of], dtype=dtype)

    return _GivenHits(
        record=hits[0].query_record,
        query=queries.__getitem__,
        subjects=_GivenSubjects(hits),
        ranks=numbers("rank", hits, np.int64),
        lambda_ratio=numbers("lambda_ratio", hits),
        shuffle_z=numbers("shuffle_z", hits),
        hit=np.repeat(np.arange(len(hits)), [len(of_hit) for of_hit in rows]),
        hsp=numbers("hsp", lines, np.int64),
        scores=numbers("score", lines, np.int64),
        strands=numbers("strand", lines, np.int64),
        bit_scores=numbers("bit_score", lines),
        log10_evalues=numbers("log10_evalue", lines),
        log10_uncorrected=numbers("log10_uncorrected", lines),
        z_scores=numbers("z_score", lines),
        fitted=numbers("fitted_log10_evalue", lines),
        aligned=AlignedColumns.of((a, c) if (a := line.alignment) and (c := line.counts) else None for line in lines),
        objects=hits,
        translation=hits[0].translation,
    )


class HitStream(Iterator[Hit]):
    """Hits in the order of an output, as tables, each of one query; as objects for whoever goes through it.

    Parameters
    ----------
    tables : iterable of HitTable
        Read one by one, and once.
    """

    def __init__(self, tables: Iterable[HitTable]) -> None:
        self.tables = iter(tables)
        self._hits = (hit for table in self.tables for hit in table.hits())

    def __next__(self) -> Hit:
        return next(self._hits)


def tables_of(hits: Iterable[Hit]) -> Iterator[HitTable]:
    """Yield hits as tables, each of one query, those of a query together."""
    if isinstance(hits, HitStream):
        yield from hits.tables
        return
    for _, group in groupby(hits, key=lambda hit: id(hit.query_record)):
        while some := list(islice(group, _AT_ONCE)):
            yield table_of(some)
