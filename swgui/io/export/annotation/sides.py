"""Which of the two sequences of a search is annotated, and where an alignment lies on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.hits.results import Hit, SearchResult
from swgui.core.records import SequenceRecord
from swgui.io.export.grouping import query_numbers
from swgui.io.export.rows import span
from swgui.io.export.values import free_name

COMPLEMENT: Final = bytes.maketrans(
    NUCLEOTIDE.letters.encode(), "".join(NUCLEOTIDE.complements[c] for c in NUCLEOTIDE.letters).encode()
)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two sequences of an alignment.

    Parameters
    ----------
    record : SequenceRecord
        As it was given.
    first, last : int
        Ends of the aligned part, from 1, ascending.
    plus : bool
        Whether it is read forwards.
    frame : int
        0 where it is not translated.
    """

    record: SequenceRecord
    first: int
    last: int
    plus: bool
    frame: int

    def residues(self, flank: int = 0) -> tuple[int, int, bytes]:
        """Return first and last position, and residues of the part with its flanks, in the direction of reading."""
        first, last = max(1, self.first - flank), min(len(self.record.residues), self.last + flank)
        part = self.record.residues[first - 1 : last]
        return (first, last, part) if self.plus else (last, first, part.upper().translate(COMPLEMENT)[::-1])


def on_query(result: SearchResult) -> bool:
    """Return whether hits annotate the queries: where these alone are DNA."""
    return result.translation is not None and not result.translation.of.translates_database


class AnnotatedNames:
    """Names of the annotated sequences in one file: each has its own, whatever their identifiers are.

    Parameters
    ----------
    write : callable
        Makes an identifier fit for the format.
    """

    def __init__(self, result: SearchResult, write: Callable[[str], str]) -> None:
        self._write, self._of_queries = write, query_numbers(result) if on_query(result) else None
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()

    def name(self, hit: Hit) -> tuple[str, bool]:
        """Return the name of the sequence that a hit annotates, and whether this is the first hit on it."""
        if self._of_queries is None:
            record, number = hit.subject, hit.db_index
        else:
            record, number = hit.query_record, self._of_queries(hit.query_record)
        if new := number not in self._names:
            self._names[number] = free_name(self._write(record.id), number + 1, self._taken)
            self._taken.add(self._names[number])
        return self._names[number], new


def annotated_kind(result: SearchResult) -> Alphabet:
    """Return the kind of sequence that is annotated."""
    if result.translation is None:
        return result.scheme.alphabet
    return result.translation.of.query if on_query(result) else result.translation.of.database


def sides(result: SearchResult, hit: Hit) -> tuple[Side, Side] | None:
    """Return the sequence that a row of hits annotates, and the other one; None without an alignment."""
    ends = span(hit)
    if ends is None:
        return None
    query = _side(hit.query_record, ends.query_start, ends.query_end, hit.frames[0])
    subject = _side(hit.subject, ends.subject_start, ends.subject_end, hit.frames[1], minus=hit.strand < 0)
    return (query, subject) if on_query(result) else (subject, query)


def _side(record: SequenceRecord, start: int, end: int, frame: int, *, minus: bool = False) -> Side:
    return Side(record, min(start, end), max(start, end), not (frame < 0 or minus), frame)
