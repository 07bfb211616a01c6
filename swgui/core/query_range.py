"""A stretch of the query that is searched with, in place of all of it."""

from __future__ import annotations

import re
from collections.abc import Sized
from typing import Protocol

import msgspec

from swgui.core.errors import InvalidParameter
from swgui.core.records import SequenceRecord
from swgui.core.translation.frames import SHIFTING, query_frame
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import Translation


class QueryRange(msgspec.Struct, frozen=True):
    """Residues of the query, counted from 1, both ends included; on the strand as given.

    Raises
    ------
    InvalidParameter
        If there is no residue in it.
    """

    first: int
    last: int

    def __post_init__(self) -> None:
        if self.first < 1 or self.last < self.first:
            raise _refused(str(self), f"The query range {self} is empty.")

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"

    def __len__(self) -> int:
        return self.last - self.first + 1

    @classmethod
    def read(cls, text: str) -> QueryRange | None:
        """Return the range of a text like ``10-250``; None for an empty one, `InvalidParameter` for any other."""
        if not text.strip():
            return None
        match = re.fullmatch(r"\s*(\d{1,15})\s*(?:-|–|\.\.|:)\s*(\d{1,15})\s*", text)
        if match is None:
            raise _refused(text, f"'{text.strip()}' is not a query range.")
        return cls(int(match[1]), int(match[2]))

    def check(self, query: SequenceRecord) -> None:
        """Raise `InvalidParameter` if the range ends beyond a query."""
        length = len(query.residues)
        if self.last > length:
            raise InvalidParameter(
                "query_range",
                str(self),
                f"The query range {self} ends beyond the query '{query.id}', which is {length:,} long.",
                hint=f"End it at {length:,} or before, or leave that query out.",
            )

    def within(self, length: int, strand: int = 1) -> slice:
        """Return the same residues as positions from 0 in a query, or in its reverse complement for strand -1."""
        return slice(self.first - 1, self.last) if strand > 0 else slice(length - self.last, length - self.first + 1)


class _Query(Protocol):
    """Sequence with residues, as text or bytes."""

    @property
    def residues(self) -> Sized:
        """Its residues."""


def searched_length(query: _Query, part: QueryRange | None, translation: Translation | None = None) -> int:
    """Return the number of searched residues of a query, in the longest frame of a translated one."""
    length = len(query.residues) if part is None else len(part)
    return length // CODON if translation is not None and translation.of.translates_query else length


def positions_within(part: QueryRange, length: int, strand: int = 1) -> slice:
    """Return the residues of a part as positions from 0 in a query of this many letters, in its strand or reading.

    In a frame these are the codons that lie wholly inside.
    """
    frame = query_frame(strand)
    if not frame:
        return part.within(length, strand)
    bases = part.within(length, 1 if frame > 0 else -1)
    if abs(frame) == SHIFTING:
        return slice(bases.start, max(bases.stop - (CODON - 1), bases.start))
    before = abs(frame) - 1
    first = -(-max(bases.start - before, 0) // CODON)
    return slice(first, max((bases.stop - before) // CODON, first))


def _refused(given: str, message: str) -> InvalidParameter:
    return InvalidParameter(
        "query_range", given, message, hint="Write the first and the last position, counted from 1, for example 10-250."
    )
