"""The columns of hit tables: one table for every export and for the window."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from swgui.core.alignment import AlignmentCounts
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import Hit
from swgui.io.export.rows import Span, aligned_letters, cigar, span
from swgui.io.export.values import clean_text, format_evalue

EVALUE_DIGITS: Final = 3  # in tables; BLAST writes as many

Value = str | int | float | None
Kind = Literal["text", "integer", "real", "evalue"]


@dataclass(frozen=True, slots=True)
class HitColumn:
    """One column.

    Parameters
    ----------
    key : str
        Name in files, as in BLAST where BLAST has the column.
    title : str
        Heading for people.
    description : str
        One sentence: what the number is and how it is counted.
    kind : {"text", "integer", "real", "evalue"}
        ``evalue`` columns give log10(E) as their value and E as their text.
    value : callable
        Takes a `Hit`; None where it is not known (no alignment, no statistics).
    decimals : int
        Written digits of a ``real`` column.
    needs_alignment : bool
    """

    key: str
    title: str
    description: str
    kind: Kind
    value: Callable[[Hit], Value]
    decimals: int = 0
    needs_alignment: bool = False

    def text(self, hit: Hit) -> str:
        """Return the value as written to files; empty where it is not known."""
        value = self.value(hit)
        if value is None:
            return ""
        if self.kind == "evalue":
            return format_evalue(float(value), EVALUE_DIGITS)
        if self.kind == "real":
            return f"{value:.{self.decimals}f}"
        return clean_text(str(value))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _counted(read: Callable[[AlignmentCounts], int | float]) -> Callable[[Hit], Value]:
    return lambda hit: None if hit.counts is None else read(hit.counts)


def _placed(read: Callable[[Span], int]) -> Callable[[Hit], Value]:
    def value(hit: Hit) -> Value:
        found = span(hit)
        return None if found is None else read(found)

    return value


def _in_alignment(read: Callable[[Hit], str]) -> Callable[[Hit], Value]:
    return lambda hit: None if hit.alignment is None else read(hit)


_ALL: Final = (
    HitColumn("rank", "Rank", "Place in the list of this query: score, then order of the database.", "integer",
              lambda hit: hit.rank),
    HitColumn("qseqid", "Query", "Identifier of the query.", "text", lambda hit: hit.query_record.id),
    HitColumn("qtitle", "Query description", "Description of the query.", "text",
              lambda hit: hit.query_record.description),
    HitColumn("sseqid", "Subject", "Identifier of the subject.", "text", lambda hit: hit.subject.id),
    HitColumn("stitle", "Description", "Description of the subject, without its identifier.", "text",
              lambda hit: hit.subject.description),
    HitColumn("score", "Score", "Smith-Waterman score of the optimal local alignment, exact.", "integer",
              lambda hit: hit.score),
    HitColumn("bitscore", "Bits", "Bit score: (lambda x score - ln K) / ln 2.", "real",
              lambda hit: _known(hit.bit_score), 1),
    HitColumn("evalue", "E", "Hits of this score or better that chance alone would bring in this database.", "evalue",
              lambda hit: _known(hit.log10_evalue)),
    HitColumn("log10_evalue", "log10 E", "Decadic logarithm of E; tells apart what E rounds to 0.", "real",
              lambda hit: _known(hit.log10_evalue), 4),
    HitColumn("zscore", "Z-score", "Score corrected for length: unrelated subjects have 50, one deviation is 10.",
              "real", lambda hit: _known(hit.z_score), 1),
    HitColumn("evalue_fit", "Fitted E", "E from the scores of this search itself instead of published parameters.",
              "evalue", lambda hit: _known(hit.fitted_log10_evalue)),
    HitColumn("pident", "Identity %", "Columns with the same letter, in percent of all columns.", "real",
              _counted(lambda c: c.pident), 3, True),
    HitColumn("ppos", "Positives %", "Columns with a score above 0, in percent of all columns.", "real",
              _counted(lambda c: c.ppos), 2, True),
    HitColumn("nident", "Identities", "Columns with the same letter.", "integer",
              _counted(lambda c: c.nident), 0, True),
    HitColumn("positive", "Positives", "Columns with a score above 0.", "integer",
              _counted(lambda c: c.positive), 0, True),
    HitColumn("mismatch", "Mismatches", "Columns with two different letters.", "integer",
              _counted(lambda c: c.mismatch), 0, True),
    HitColumn("gaps", "Gaps", "Columns with a gap, on either side.", "integer", _counted(lambda c: c.gaps), 0, True),
    HitColumn("gapopen", "Gap openings", "Gaps, each counted once whatever its length.", "integer",
              _counted(lambda c: c.gapopen), 0, True),
    HitColumn("length", "Length", "Columns of the alignment, gaps included.", "integer",
              _counted(lambda c: c.length), 0, True),
    HitColumn("qstart", "Query start", "First aligned residue of the query, from 1.", "integer",
              _placed(lambda s: s.query_start), 0, True),
    HitColumn("qend", "Query end", "Last aligned residue of the query.", "integer",
              _placed(lambda s: s.query_end), 0, True),
    HitColumn("sstart", "Subject start", "First aligned residue of the subject; above the end on the minus strand.",
              "integer", _placed(lambda s: s.subject_start), 0, True),
    HitColumn("send", "Subject end", "Last aligned residue of the subject.", "integer",
              _placed(lambda s: s.subject_end), 0, True),
    HitColumn("qlen", "Query length", "Residues of the query.", "integer", lambda hit: len(hit.query)),
    HitColumn("slen", "Subject length", "Residues of the subject.", "integer", lambda hit: len(hit.subject.residues)),
    HitColumn("qcovhsp", "Query coverage %", "Part of the query inside the alignment.", "real",
              lambda hit: _known(hit.query_coverage), 1, True),
    HitColumn("scovhsp", "Subject coverage %", "Part of the subject inside the alignment.", "real",
              lambda hit: _known(hit.subject_coverage), 1, True),
    HitColumn("sstrand", "Strand", "plus, or minus if the reverse complement scored.", "text",
              lambda hit: "plus" if hit.strand > 0 else "minus"),
    HitColumn("cigar", "CIGAR", "Runs of the alignment along the query: M aligned, I gap in subject, D gap in query.",
              "text", _in_alignment(cigar), 0, True),
    HitColumn("qseq", "Query letters", "The aligned part of the query, with gap signs.", "text",
              _in_alignment(lambda hit: aligned_letters(hit)[0]), 0, True),
    HitColumn("sseq", "Subject letters", "The aligned part of the subject, with gap signs.", "text",
              _in_alignment(lambda hit: aligned_letters(hit)[1]), 0, True),
    HitColumn("star", "Star", "1 where the user has put a star.", "text", lambda hit: "1" if hit.star else None),
    HitColumn("note", "Note", "What the user wrote about the hit.", "text",
              lambda hit: " ".join(hit.note.split()) or None),
)  # fmt: skip

HIT_COLUMNS: Final[dict[str, HitColumn]] = {column.key: column for column in _ALL}

_ON_REQUEST: Final = ("qtitle", "zscore", "evalue_fit", "qseq", "sseq", "star", "note")

DEFAULT_COLUMNS: Final = tuple(key for key in HIT_COLUMNS if key not in _ON_REQUEST)

# BLAST's other names for the same things.
_ALIASES: Final = {"qaccver": "qseqid", "saccver": "sseqid", "qacc": "qseqid", "sacc": "sseqid", "qcovs": "qcovhsp"}


def choose_columns(keys: Sequence[str] | None) -> tuple[HitColumn, ...]:
    """Return columns by key; the default ones for None.

    Raises
    ------
    InvalidParameter
        If there is no such column.
    """
    chosen = []
    for key in DEFAULT_COLUMNS if keys is None else keys:
        column = HIT_COLUMNS.get(_ALIASES.get(key, key))
        if column is None:
            choices = ", ".join(HIT_COLUMNS)
            raise InvalidParameter("columns", key, f"There is no column '{key}'.", hint=f"Columns are {choices}.")
        chosen.append(column)
    return tuple(chosen)


def columns_need_alignment(keys: Sequence[str] | None) -> bool:
    """Return whether any of the columns can only be filled from an alignment."""
    return any(column.needs_alignment for column in choose_columns(keys))
