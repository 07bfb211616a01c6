"""Getters of columns: the values of all lines of a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core import table as tables
from swgui.core.hits.table import Hit, HitTable
from swgui.core.table import Value, Values
from swgui.core.texts import PickedTexts
from swgui.core.translation.frames import bases_each, begun_in, query_frame, subject_frame
from swgui.core.translation.programs import shifting
from swgui.core.words import format_evalue
from swgui.io.cells import EVALUE_DIGITS, evalue_texts
from swgui.io.export.rows import covered_of, joins, spans

if TYPE_CHECKING:
    from swgui.core.headers import Header
    from swgui.core.hits.rounds import QueryRounds, RoundColumns
    from swgui.core.organisms.subjects import Organism
    from swgui.core.profiles.evidence import Evidence
    from swgui.core.structures.superposition import Superposition

Read = tables.Read[HitTable]  # returns the value of each line of a table


class FromHeader(msgspec.Struct, frozen=True):
    """A value that the header of the subject gives."""

    read: Callable[[Header], str]

    def __call__(self, table: HitTable) -> Values:
        """Return the facts in the header of each line's subject."""
        from swgui.core.headers import parse_header  # here: tables of hits need no more than the identifier

        headers = map(parse_header, table.subjects.ids, table.subjects.descriptions)
        return table.per_line([self.read(header) or None for header in headers])


class FromOrganism(msgspec.Struct, frozen=True):
    """A value that the organism of the subject gives: from the database where it stores that, else from the header."""

    read: Callable[[Organism], str]

    def __call__(self, table: HitTable) -> Values:
        """Return the organism of each line's subject."""
        return table.per_line([self.read(organism) or None for organism in table.subjects.organisms])


def verdicts(table: HitTable) -> Values:
    """Return the verdict on each line: whether its hit is more than chance."""
    from swgui.core.verdict.hits import kinds_in  # here: few tables say it

    return kinds_in(table)


def of_alignment(read: Read) -> Read:
    """Return a getter of a value that only aligned hits have."""

    def many(table: HitTable) -> Values:
        there = table.there
        if table.aligned is None or not there.any():
            return [None] * table.lines
        values = read(table)
        if there.all():
            return values
        if isinstance(values, np.ndarray) and values.dtype.kind == "f":
            return np.where(there, values, np.nan)
        if isinstance(values, np.ndarray):
            values = values.tolist()
        return [value if is_there else None for value, is_there in zip(values, there.tolist(), strict=True)]

    return many


def counted(name: str) -> Read:
    """Return a getter of one of the counts of an alignment."""
    return of_alignment(lambda table: _number(table, name))


def share(part: str) -> Read:
    """Return a getter of a share of the columns of an alignment, in percent."""
    return of_alignment(lambda t: 100.0 * _number(t, part) / np.maximum(_number(t, "length"), 1))


def end_of(index: int) -> Read:
    """Return a getter of one end of an alignment, by its place in the result of `spans`."""
    return of_alignment(lambda table: spans(table)[index])


def joins_of(table: HitTable) -> Values:
    """Return where the alignment of each line crosses the origin of a circular record; None where it does not."""
    return [join or None for join in joins(table)]


def covered(
    side: str, length: Callable[[HitTable], NDArray[np.int64]], frames: Callable[[NDArray[np.int64]], NDArray[np.int64]]
) -> Read:
    """Return a getter of the percentage of a sequence that an alignment covers.

    Parameters
    ----------
    side : {"query", "subject"}
    frames : callable
        Returns the frame of that side from strands or readings, 0 where it is not translated.
    """

    def many(table: HitTable) -> Values:
        letters = bases_each(frames(table.strands)) * _number(table, f"{side}_span")
        return np.minimum(100.0 * letters / np.maximum(length(table), 1), 100.0)  # more where it runs round a circle

    return of_alignment(many)


def of_shape(read: Callable[[Superposition], float]) -> Read:
    """Return a getter of a figure of the superposition on the query; None without coordinates on both sides."""

    def of(hit: Hit) -> Value:
        from swgui.core.structures.superposition import superposition_of  # here: few databases have coordinates

        fit = superposition_of(hit)
        return None if fit is None else read(fit)

    def many(table: HitTable) -> Sequence[Value]:
        possible = table.record.places and table.aligned is not None
        return [of(row) for row in table.rows] if possible else [None] * table.lines

    return lambda table: table.by_part(many)


def covered_by_all(side: int) -> Read:
    """Return a getter of the coverage by all alignments of a subject: 0 for that of the query, 1 of the subject."""
    return of_alignment(lambda table: covered_of(table)[side][table.hit])


def _number(table: HitTable, name: str) -> NDArray[np.int64]:
    assert table.aligned is not None
    return table.aligned.number(name)


def bias(table: HitTable) -> NDArray[np.float64]:
    """Return the bits that the correction for composition takes off."""
    return (table.log10_evalues - table.log10_uncorrected) / math.log10(2.0)


def sum_evalues(table: HitTable) -> NDArray[np.float64]:
    """Return log10 of E of all alignments of the subject; of one that has one alignment its own."""
    several = table.alignments[table.hit] > 1
    return np.where(several, table.sum_log10_evalues[table.hit], table.log10_evalues)


def stars(table: HitTable) -> Values:
    """Return 1 for hits with a star."""
    return table.per_line(["1" if star else None for star in table.starred.tolist()])


def notes(table: HitTable) -> Values:
    """Return the user's note on each hit, on one line."""
    return table.per_line([" ".join(note.split()) or None for note in table.notes])


def of_rounds(read: Callable[[RoundColumns], Sequence[Value]]) -> Read:
    """Return a getter of a value of the rounds of an iterated search; None for other searches."""

    def many(table: HitTable) -> Sequence[Value]:
        columns = table.round_columns
        return [None] * table.lines if columns is None else table.per_line(list(read(columns)))

    return lambda table: table.by_part(many)


def round_statuses(table: HitTable) -> Values:
    """Return the status of each line's subject in the last round; ``query`` for the query itself."""

    def many(part: HitTable) -> Sequence[Value]:
        columns = part.round_columns
        if columns is None:
            return [None] * part.lines
        subjects, query = part.subjects, part.record
        alike = subjects.lengths == len(query.residues)
        said = (
            status or ("query" if alike[place] and subjects.record(place).residues == query.residues else None)
            for place, status in enumerate(columns.status)
        )
        return part.per_line(list(said))

    return table.by_part(many)


def as_members(table: HitTable) -> NDArray[np.float64]:
    """Return log10 of E with the sequence in the profile, of those that are in it, or by all members of profiles."""

    def of(part: HitTable) -> list[bool]:
        if part.subjects.database.subject_kind.doubted:
            return list(part.doubted.tolist())
        return part.per_line([False] * len(part) if (of := part.round_columns) is None else of.member.tolist())

    return np.where(np.array(table.by_part(of), dtype=bool), table.fitted, np.nan)


def evalues_of(columns: RoundColumns) -> list[Value]:
    """Return E in every round of each hit."""
    evalues, rounds = columns.log10_evalues, columns.log10_evalues.shape[1]
    texts = np.array(evalue_texts(np.where(np.isnan(evalues), 0.0, evalues).ravel(), EVALUE_DIGITS), dtype=object)
    texts[np.isnan(evalues.ravel())] = "."
    return list(map(";".join, texts.reshape(-1, rounds).tolist()))


def path_evalues(evidence: Evidence) -> str | None:
    """Return E of the steps of a path."""
    if evidence.path is None:
        return None
    return ";".join("." if math.isnan(e) else format_evalue(e, EVALUE_DIGITS) for e in evidence.path.evalues)


def of_evidence(read: Callable[[Evidence], Value]) -> Read:
    """Return a getter of a value of further evidence; None where there is none."""

    def of(rounds: QueryRounds, db_index: int) -> Value:
        evidence = None if rounds.database else rounds.evidence.get(db_index)
        value = None if evidence is None else read(evidence)
        return None if isinstance(value, float) and math.isnan(value) else value

    def many(table: HitTable) -> Sequence[Value]:
        if (rounds := table.rounds) is None:
            return [None] * table.lines
        return table.per_line([of(rounds, index) for index in table.subjects.db_index.tolist()])

    return lambda table: table.by_part(many)


def strand_of(strand: int) -> str:
    """Return the strand in a word; of translated searches that of the subject, or of the query where it has none."""
    frame = subject_frame(strand) or query_frame(strand)
    return "minus" if (frame or strand) < 0 else "plus"


def frames_of(query: int, subject: int) -> str | None:
    """Return both frames as BLAST writes them; None where nothing is translated."""
    return f"{query}/{subject}" if query or subject else None


def of_strand(read: Callable[[int], str]) -> Read:
    """Return a getter of a word on the strand, or the reading, of an alignment."""

    def many(table: HitTable) -> Values:
        strands = sorted(set(table.strands.tolist()))
        return PickedTexts(list(map(read, strands)), np.searchsorted(np.array(strands), table.strands))

    return many


def of_frames(read: Callable[[int, int], Value]) -> Read:
    """Return a getter of a value of the frames in which an alignment begins."""

    def many(table: HitTable) -> Values:
        strands = table.strands.tolist()
        if not shifting(table.translation) or table.aligned is None:
            by_strand = {strand: read(*begun_in(strand, None)) for strand in set(strands)}
            return [by_strand[strand] for strand in strands]
        starts = zip(*(_number(table, f"{side}_start").tolist() for side in ("query", "subject")), strict=True)
        return [read(*begun_in(*pair)) for pair in zip(strands, starts, strict=True)]

    return many


def query_ids(table: HitTable) -> Values:
    """Return the identifier of the query of each line."""
    return table.query_texts(lambda record: record.id)


def query_titles(table: HitTable) -> Values:
    """Return the description of the query of each line."""
    return table.query_texts(lambda record: record.description)


def subject_ids(table: HitTable) -> Values:
    """Return the identifier of the subject of each line."""
    return table.texts_per_line(table.subjects.ids)


def databases(table: HitTable) -> list[str]:
    """Return the name of the database that the subject of each line is of."""
    return table.per_line(table.subjects.databases)


def subject_titles(table: HitTable) -> Values:
    """Return the description of the subject of each line."""
    return table.texts_per_line(table.subjects.descriptions)


def subject_lengths(table: HitTable) -> NDArray[np.int64]:
    """Return the residues of the subject of each line."""
    return table.subjects.lengths[table.hit]


def cigars(table: HitTable) -> Sequence[str]:
    """Return the CIGAR string of each line, in the direction of the query as it was given."""
    return [] if table.aligned is None else table.aligned.cigars(table.strands < 0)
