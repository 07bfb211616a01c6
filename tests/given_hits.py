"""Hits made of given values, and others made of them with some values changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from types import SimpleNamespace
from typing import Any

import numpy as np

from swgui.core.alignment import AlignmentCounts, count_columns
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.marks import Marks
from swgui.core.hits.table import Hit, HitTable, ListedSubjects
from swgui.core.organisms.subjects import organism_of
from swgui.core.records import SequenceRecord
from swgui.core.subject_kind import SEQUENCES

NOWHERE: Any = SimpleNamespace(subject_kind=SEQUENCES)  # the database of subjects that are records


class GivenSubjects(ListedSubjects):
    """Subjects that are records, of no database."""

    records: tuple[SequenceRecord, ...] = ()

    def __post_init__(self):
        facts = {
            "databases": ["Test proteins"] * len(self.records),  # as the results of `tests.gui.made_results` have it
            "ids": [record.id for record in self.records],
            "descriptions": [record.description for record in self.records],
            "lengths": np.array([len(record.residues) for record in self.records], dtype=np.int64),
            "organisms": [organism_of(record.id, record.description) for record in self.records],
        }
        vars(self).update(facts)

    def record(self, place):
        return self.records[place]

    def letters(self, place, part):
        return self.records[place].residues[part]

    def organism(self, place):
        return self.organisms[place]

    def take(self, places):
        return GivenSubjects(self.database, self.db_index[places], tuple(self.records[at] for at in places.tolist()))

    def join(self, others):
        db_index = np.concatenate([self.db_index, *(other.db_index for other in others)])
        records = [other.record(place) for other in (self, *others) for place in range(len(other.db_index))]
        return GivenSubjects(NOWHERE, db_index, tuple(records))

    def stretches(self, places, strands, starts, ends, translation):
        for place, strand, start, end in zip(places, strands, starts, ends, strict=True):
            assert abs(strand) == 1, "no translated hits are made so"
            yield self.records[place].residues[start:end]


class GivenTable(HitTable):
    """A table of one hit, whose E of all alignments together is given."""

    sum_log10_evalue: float = nan

    @property
    def sum_log10_evalues(self):
        return np.full(len(self), self.sum_log10_evalue)


@dataclass(frozen=True)
class Line:
    """One alignment of a hit, or a hit without one."""

    query: Any
    score: int
    bit_score: float
    log10_evalue: float
    strand: int = 1
    alignment: Any = None
    counts: Any = None


def given_hit(
    query_record: SequenceRecord,
    subject: SequenceRecord,
    lines: Sequence[Line],
    *,
    rank: int = 1,
    db_index: int = 0,
    star: bool = False,
    note: str = "",
    sum_log10_evalue: float = nan,
    z_score: float = nan,
    fitted_log10_evalue: float = nan,
    log10_uncorrected: float = nan,
    lambda_ratio: float = nan,
    shuffle_z: float = nan,
) -> Hit:
    """Make a hit of its alignments, best first."""
    marks = Marks()
    marks.change("starred", 0, [db_index], star)
    marks.set_note(0, db_index, note)

    def column(name: str) -> Any:
        return np.array([getattr(line, name) for line in lines])

    def of_best(value: float) -> Any:
        return np.array([value] + [nan] * (len(lines) - 1))

    table = GivenTable(
        record=query_record,
        query=lambda strand: next(line.query for line in lines if line.strand == strand),
        subjects=GivenSubjects(NOWHERE, np.array([db_index]), (subject,)),
        ranks=np.array([rank]),
        lambda_ratio=np.array([lambda_ratio]),
        shuffle_z=np.array([shuffle_z]),
        hit=np.zeros(len(lines), dtype=np.int64),
        hsp=np.arange(len(lines)),
        scores=column("score").astype(np.int64),
        strands=column("strand").astype(np.int64),
        bit_scores=column("bit_score").astype(np.float64),
        log10_evalues=column("log10_evalue").astype(np.float64),
        log10_uncorrected=of_best(log10_uncorrected),
        z_scores=of_best(z_score),
        fitted=of_best(fitted_log10_evalue),
        aligned=AlignedColumns.of(_aligned(line) for line in lines),
        marks=marks,
        sum_log10_evalue=sum_log10_evalue,
    )
    return Hit(table, 0)


def _aligned(line: Line) -> Any:
    if line.alignment is None:
        return None
    nothing = dict.fromkeys(AlignmentCounts.__struct_fields__, 0)  # where no counts exist
    return line.alignment, line.counts or AlignmentCounts(**{**nothing, "length": line.alignment.columns})


def changed(hit: Hit, scheme: Any = None, **values: Any) -> Hit:
    """Return a hit with some values changed: those of `given_hit`, those of its best alignment, or its `lines`.

    With a scheme its columns are counted again.
    """
    lines = list(values.pop("lines", map(line_of, hit.rows())))
    of_line = {name: values.pop(name) for name in list(values) if name in Line.__dataclass_fields__}
    lines[0] = Line(**{**vars(lines[0]), **of_line})
    names = ("rank", "db_index", "star", "note", "sum_log10_evalue", "z_score", "fitted_log10_evalue")
    names += ("log10_uncorrected", "lambda_ratio", "shuffle_z", "query_record", "subject")
    facts = {name: getattr(hit, name) for name in names} | values
    if scheme is not None:
        codes = scheme.alphabet.encode(facts["subject"].residues)
        counts = count_columns(lines[0].alignment, lines[0].query, codes, scheme)
        lines[0] = Line(**{**vars(lines[0]), "counts": counts})
    return given_hit(facts.pop("query_record"), facts.pop("subject"), lines, **facts)


def line_of(row: Hit) -> Line:
    """Return the fields of a row of a hit about its alignment."""
    numbers = row.score, row.bit_score, row.log10_evalue, row.strand
    return Line(row.query, *numbers, row.alignment, row.counts)
