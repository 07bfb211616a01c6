"""What columns read: the value of one hit, and those of all lines of a table at once."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.headers import Header, header_of, parse_header
from swgui.core.hits.results import Hit
from swgui.core.hits.table import HitTable
from swgui.core.organisms.subjects import Organism, organism_of
from swgui.core.profiles.evidence import Evidence
from swgui.core.profiles.rounds import HitRounds, RoundColumns
from swgui.core.structures.of_hits import superposition_of
from swgui.core.structures.superposition import Superposition
from swgui.core.translation.frames import (
    bases_each,
    begun_in,
    query_frame,
    query_frames,
    subject_frame,
    subject_frames,
)
from swgui.core.translation.programs import shifting
from swgui.core.verdict.hits import kind_of_hit, kinds_in
from swgui.core.words import format_evalue
from swgui.io.export.rows import (
    Span,
    aligned_residues,
    aligned_texts,
    cigar,
    covered,
    covered_of,
    span,
    spans,
)
from swgui.io.export.values import evalue_texts

EVALUE_DIGITS: Final = 3  # in tables; BLAST writes as many
Value = str | int | float | None
Values = NDArray[Any] | Sequence[Value]  # NaN in an array of floats, and None in a list, where not known


class InBulk(ABC):
    """Reads the value of one hit, and the values of a table without making objects of its hits."""

    @abstractmethod
    def __call__(self, hit: Hit) -> Value:
        """Return the value of a hit, None where it is not known."""

    @abstractmethod
    def many(self, table: HitTable) -> Values:
        """Return the value of each line."""


def values_of(read: Callable[[Hit], Value], table: HitTable) -> Values:
    """Return what is read of every line; a getter of single hits is given an object for each."""
    return read.many(table) if isinstance(read, InBulk) else [read(row) for row in table.rows]


@dataclass(frozen=True, slots=True)
class Both(InBulk):
    """A getter as two functions."""

    one: Callable[[Hit], Value]
    of_table: Callable[[HitTable], Values]

    def __call__(self, hit: Hit) -> Value:
        """Return the value of a hit."""
        return self.one(hit)

    def many(self, table: HitTable) -> Values:
        """Return the value of each line."""
        return self.of_table(table)


@dataclass(frozen=True, slots=True)
class FromHeader(InBulk):
    """A value that the header of the subject gives; tables of a million rows ask `read` without making hits."""

    read: Callable[[Header], str]

    def __call__(self, hit: Hit) -> Value:
        """Return what the header says, None if it does not say it."""
        return self.read(header_of(hit.subject)) or None

    def many(self, table: HitTable) -> Values:
        """Return what the header of each line's subject says."""
        headers = map(parse_header, table.subjects.ids, table.subjects.descriptions)
        return table.per_line([self.read(header) or None for header in headers])


@dataclass(frozen=True, slots=True)
class FromOrganism(InBulk):
    """A value that the organism of the subject gives: from the database where it stores that, else from the header."""

    read: Callable[[Organism], str]

    def __call__(self, hit: Hit) -> Value:
        """Return what is known of the organism, None if it is not."""
        return self.read(hit.organism or organism_of(hit.subject.id, hit.subject.description)) or None

    def many(self, table: HitTable) -> Values:
        """Return what is known of the organism of each line's subject."""
        return table.per_line([self.read(organism) or None for organism in table.subjects.organisms])


def known(value: float) -> float | None:
    """Return a number, None for NaN."""
    return None if math.isnan(value) else value


def number(one: Callable[[Hit], float], of_table: Callable[[HitTable], NDArray[np.float64]]) -> Both:
    """Return what reads a number that is NaN where it is not known."""
    return Both(lambda hit: known(one(hit)), of_table)


def of_alignment(one: Callable[[Hit], Value], of_table: Callable[[HitTable], Values]) -> Both:
    """Return what reads a value that only aligned hits have."""

    def many(table: HitTable) -> Values:
        there = table.there
        if table.aligned is None or not there.any():
            return [None] * table.lines
        values = of_table(table)
        if there.all():
            return values
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            return np.where(there, values, np.nan)
        if isinstance(values, np.ndarray):
            values = values.tolist()
        return [value if is_there else None for value, is_there in zip(values, there.tolist(), strict=True)]

    def of_one(hit: Hit) -> Value:
        if hit.alignment is None:
            return None
        value = one(hit)
        return None if isinstance(value, float) and math.isnan(value) else value

    return Both(of_one, many)


def counted(name: str) -> Both:
    """Return what reads one of the counts of an alignment."""
    return of_alignment(lambda hit: getattr(hit.counts, name, None), lambda table: _number(table, name))


def share(name: str, part: str) -> Both:
    """Return what reads a share of the columns of an alignment, in percent."""

    def many(table: HitTable) -> Values:
        return 100.0 * _number(table, part) / np.maximum(_number(table, "length"), 1)

    return of_alignment(lambda hit: getattr(hit.counts, name, None), many)


def placed(read: Callable[[Span], int], at: int) -> Both:
    """Return what reads one end of an alignment.

    Parameters
    ----------
    read : callable
        Reads it from the ends of one alignment.
    at : int
        Its place in what `spans` returns.
    """

    def one(hit: Hit) -> Value:
        found = span(hit)
        return None if found is None else read(found)

    return of_alignment(one, lambda table: spans(table)[at])


def coverage(
    read: Callable[[Hit], float],
    side: str,
    length: Callable[[HitTable], NDArray[np.int64]],
    frames: Callable[[NDArray[np.int64]], NDArray[np.int64]],
) -> Both:
    """Return what reads how much of a sequence an alignment covers, in percent.

    Parameters
    ----------
    side : {"query", "subject"}
    frames : callable
        Returns the frame of that side from strands or readings, 0 where it is not translated.
    """

    def many(table: HitTable) -> Values:
        letters = bases_each(frames(table.strands)) * _number(table, f"{side}_span")
        return 100.0 * letters / np.maximum(length(table), 1)

    return of_alignment(read, many)


def of_shape(read: Callable[[Superposition], float]) -> Both:
    """Return what reads a figure of how a subject lies on its query; None without coordinates on both sides."""

    def of(hit: Hit) -> Value:
        found = superposition_of(hit)
        return None if found is None else read(found)

    def many(table: HitTable) -> Sequence[Value]:
        known = table.record.places and table.aligned is not None
        return [of(row) for row in table.rows] if known else [None] * table.lines

    return Both(of, lambda table: table.by_part(many))


def covered_by_all(side: int) -> Both:
    """Return what reads how much all alignments of a subject cover: 0 for of the query, 1 for of the subject."""
    return of_alignment(lambda hit: covered(hit)[side], lambda table: covered_of(table)[side][table.hit])


def _number(table: HitTable, name: str) -> NDArray[np.int64]:
    assert table.aligned is not None
    return table.aligned.number(name)


def _bias(hit: Hit) -> float:
    return (hit.log10_evalue - hit.log10_uncorrected) / math.log10(2.0)


def _sum_evalue(hit: Hit) -> float:
    return hit.sum_log10_evalue if len(hit.hsps) > 1 else hit.log10_evalue


def _sum_evalues(table: HitTable) -> NDArray[np.float64]:
    several = table.alignments[table.hit] > 1
    return np.where(several, table.sum_log10_evalues[table.hit], table.log10_evalues)


def _star(star: bool) -> Value:
    return "1" if star else None


def _note(note: str) -> Value:
    return " ".join(note.split()) or None


def _of_rounds(read: Callable[[HitRounds], Value], of_columns: Callable[[RoundColumns], Sequence[Value]]) -> Both:
    """Return what reads a value of the rounds of an iterated search; None for other searches."""

    def many(table: HitTable) -> Sequence[Value]:
        columns = table.round_columns
        return [None] * table.lines if columns is None else table.per_line(list(of_columns(columns)))

    return Both(lambda hit: None if hit.rounds is None else read(hit.rounds), lambda table: table.by_part(many))


def _as_member(hit: Hit) -> float:
    return hit.fitted_log10_evalue if hit.rounds is not None and hit.rounds.member else math.nan


def _as_members(table: HitTable) -> NDArray[np.float64]:
    def of(part: HitTable) -> list[bool]:
        return part.per_line([False] * len(part) if (of := part.round_columns) is None else of.member.tolist())

    return np.where(np.array(table.by_part(of), dtype=bool), table.fitted, np.nan)


def _evalues(log10_evalues: Sequence[float]) -> str:
    return ";".join("." if math.isnan(one) else format_evalue(one, EVALUE_DIGITS) for one in log10_evalues)


def _evalues_of(columns: RoundColumns) -> list[Value]:
    """Return `_evalues` of each hit."""
    known, rounds = columns.log10_evalues, columns.log10_evalues.shape[1]
    texts = np.array(evalue_texts(np.where(np.isnan(known), 0.0, known).ravel(), EVALUE_DIGITS), dtype=object)
    texts[np.isnan(known.ravel())] = "."
    return list(map(";".join, texts.reshape(-1, rounds).tolist()))


def _of_evidence(read: Callable[[Evidence], Value]) -> Both:
    """Return what reads something of further evidence; None where nothing is known."""

    def of(rounds: HitRounds | None) -> Value:
        value = None if rounds is None or rounds.evidence is None else read(rounds.evidence)
        return None if isinstance(value, float) and math.isnan(value) else value

    def many(table: HitTable) -> Sequence[Value]:
        return table.per_line([of(table.rounds_of(place)) for place in range(len(table))])

    return Both(lambda hit: of(hit.rounds), lambda table: table.by_part(many))


def _strand(strand: int) -> str:
    """Return the strand in a word; of translated searches that of the subject, or of the query where it has none."""
    frame = subject_frame(strand) or query_frame(strand)
    return "minus" if (frame or strand) < 0 else "plus"


def _frames(query: int, subject: int) -> str | None:
    """Return both frames as BLAST writes them; None where nothing is translated."""
    return f"{query}/{subject}" if query or subject else None


def _of_strand(read: Callable[[int], Value]) -> Both:
    """Return what reads something of the strand, or the reading, of an alignment."""

    def many(table: HitTable) -> Values:
        known = {strand: read(strand) for strand in set(table.strands.tolist())}
        return [known[strand] for strand in table.strands.tolist()]

    return Both(lambda hit: read(hit.strand), many)


def _of_frames(read: Callable[[int, int], Value]) -> Both:
    """Return what reads something of the frames in which an alignment begins."""

    def many(table: HitTable) -> Values:
        strands = table.strands.tolist()
        if not shifting(table.translation) or table.aligned is None:
            known = {strand: read(*begun_in(strand, None)) for strand in set(strands)}
            return [known[strand] for strand in strands]
        starts = zip(*(_number(table, f"{side}_start").tolist() for side in ("query", "subject")), strict=True)
        return [read(*begun_in(*one)) for one in zip(strands, starts, strict=True)]

    return Both(lambda hit: read(*hit.frames), many)


RANK: Final = Both(lambda hit: hit.rank, lambda t: t.ranks[t.hit])
QUERY_ID: Final = Both(lambda hit: hit.query_record.id, lambda t: t.of_query(lambda record: record.id))
QUERY_TITLE: Final = Both(
    lambda hit: hit.query_record.description, lambda t: t.of_query(lambda record: record.description)
)
QUERY_LENGTH: Final = Both(lambda hit: len(hit.query_record.residues), lambda t: t.query_lengths)
SUBJECT_ID: Final = Both(lambda hit: hit.subject.id, lambda t: t.per_line(t.subjects.ids))
SUBJECT_TITLE: Final = Both(lambda hit: hit.subject.description, lambda t: t.per_line(t.subjects.descriptions))
SUBJECT_LENGTH: Final = Both(lambda hit: len(hit.subject.residues), lambda t: t.subjects.lengths[t.hit])
STRAND: Final = _of_strand(_strand)
QUERY_FRAME: Final = _of_frames(lambda query, _: query or None)
SUBJECT_FRAME: Final = _of_frames(lambda _, subject: subject or None)
FRAMES: Final = _of_frames(_frames)
FRAMESHIFTS: Final = counted("frameshifts")
VERDICT: Final = Both(kind_of_hit, kinds_in)
STAR: Final = Both(lambda hit: _star(hit.star), lambda t: t.per_line(list(map(_star, t.starred.tolist()))))
NOTE: Final = Both(lambda hit: _note(hit.note), lambda t: t.per_line(list(map(_note, t.notes))))

SCORE: Final = Both(lambda hit: hit.score, lambda t: t.scores)
BIT_SCORE: Final = number(lambda hit: hit.bit_score, lambda t: t.bit_scores)
LOG10_E: Final = number(lambda hit: hit.log10_evalue, lambda t: t.log10_evalues)
LOG10_UNCORRECTED: Final = number(lambda hit: hit.log10_uncorrected, lambda t: t.log10_uncorrected)
BIAS: Final = number(_bias, lambda t: (t.log10_evalues - t.log10_uncorrected) / math.log10(2.0))
LAMBDA_RATIO: Final = number(lambda hit: hit.lambda_ratio, lambda t: t.lambda_ratio[t.hit])
SHUFFLE_Z: Final = number(lambda hit: hit.shuffle_z, lambda t: t.shuffle_z[t.hit])
Z_SCORE: Final = number(lambda hit: hit.z_score, lambda t: t.z_scores)
LOG10_FITTED: Final = number(lambda hit: hit.fitted_log10_evalue, lambda t: t.fitted)

QUERY_START, QUERY_END, SUBJECT_START, SUBJECT_END = (
    placed(lambda ends: ends.query_start, 0), placed(lambda ends: ends.query_end, 1),
    placed(lambda ends: ends.subject_start, 2), placed(lambda ends: ends.subject_end, 3),
)  # fmt: skip
QUERY_COVERAGE: Final = coverage(lambda hit: hit.query_coverage, "query", lambda t: t.query_lengths, query_frames)
SUBJECT_COVERAGE: Final = coverage(
    lambda hit: hit.subject_coverage, "subject", lambda t: t.subjects.lengths[t.hit], subject_frames
)
HSP: Final = of_alignment(lambda hit: hit.hsp + 1, lambda t: t.hsp + 1)
ALIGNMENTS: Final = of_alignment(lambda hit: max(1, len(hit.hsps)), lambda t: t.alignments[t.hit])
TOTAL_SCORE: Final = of_alignment(
    lambda hit: sum(hsp.score for hsp in hit.hsps) or hit.score, lambda t: np.add.reduceat(t.scores, t.first)[t.hit]
)
SUM_LOG10_E: Final = of_alignment(_sum_evalue, _sum_evalues)
CIGAR: Final = of_alignment(cigar, lambda t: [] if t.aligned is None else t.aligned.cigars(t.strands < 0))
QUERY_RESIDUES: Final = of_alignment(lambda hit: aligned_residues(hit)[0], lambda t: aligned_texts(t, of_query=True))
SUBJECT_RESIDUES: Final = of_alignment(lambda hit: aligned_residues(hit)[1], lambda t: aligned_texts(t, of_query=False))
LOG10_AS_MEMBER: Final = number(_as_member, _as_members)
FIRST_ROUND: Final = _of_rounds(
    lambda rounds: rounds.first_included or None,
    lambda columns: [first or None for first in columns.first_included.tolist()],
)
ROUND_STATUS: Final = _of_rounds(
    lambda rounds: rounds.status or None, lambda columns: [status or None for status in columns.status]
)
ROUND_EVALUES: Final = _of_rounds(lambda rounds: _evalues(rounds.log10_evalues), _evalues_of)

PROFILE_BITS: Final = _of_evidence(lambda known: known.profile_bits)
PROFILE_LOG10_E: Final = _of_evidence(lambda known: known.profile_log10_evalue)
FORWARD_BITS: Final = _of_evidence(lambda known: known.forward_bits)
FORWARD_LOG10_E: Final = _of_evidence(lambda known: known.forward_log10_evalue)
PATH: Final = _of_evidence(lambda known: known.path.name if known.path else None)
PATH_EVALUES: Final = _of_evidence(lambda known: _evalues(known.path.evalues) if known.path else None)
