"""Whether and how far a search reads circular records on, across their origins, and what it says of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from swgui.core.circular import Circles, as_given, in_memory, unrolled
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.encoding import encode_part
from swgui.core.plain import replace
from swgui.core.words import agree, count
from swgui.engines import host
from swgui.engines.windows import longest_span
from swgui.jobs.search.request import SearchRequest

MEMORY_SHARE: Final = 4  # of the memory, the part that a copy of the database may take


def in_circles(request: SearchRequest, database: EncodedDatabase) -> tuple[SearchRequest, EncodedDatabase, str]:
    """Return request and database as they are searched, and a sentence on circular records; empty without any.

    Raises
    ------
    InvalidParameter
        If all records are to be read as circular, and those of this database cannot be.
    """
    search, given = request.search, as_given(database)
    asked = Circles(search.circles.which)
    if search.circles.behind:
        request = replace(request, search=replace(search, circles=asked))
    if asked.which == "all" and not given.in_stretches:
        message = "Records of proteins have no origin: only those of nucleotides are read as circular."
        raise InvalidParameter("circular", True, message, hint="Leave --circular out.")
    rows = asked.rows(given)
    lines = _lines(sum(query.circular for query in request.queries), "query", "queries")
    if not len(rows):
        declared = _lines(len(given.circular), "record of the database", "records of the database")
        return request, given, _sentence([lines, declared])
    if why := _why_not(request, given):
        if asked.which == "all":
            hint = "Leave --circular out, or search a FASTA or GenBank file."
            message = f"The records of '{given.name}' cannot be read across their origins: {why}."
            raise InvalidParameter("circular", True, message, hint=hint)
        declared = _lines(len(rows), "record of the database", "records of the database")
        return request, given, f"{_sentence([lines, declared])} The reason: {why}."
    circles = replace(asked, behind=_behind(request, given))
    request = replace(request, search=replace(search, circles=circles))
    return request, unrolled(given, circles), " ".join(filter(None, [_read_on(len(rows), given), _sentence([lines])]))


def _behind(request: SearchRequest, database: EncodedDatabase) -> int:
    """Return how many bases an alignment that begins in a record may reach behind its end, at least 1."""
    search, longest = request.search, int(database.lengths.max(initial=0))
    spans = [
        longest_span(encode_part(query, request.scheme, strand, search.query_range, None), request.scheme)
        for query in request.queries
        for strand in search.strands
    ]
    return max(1, *(longest - 1 if span is None else min(span, longest) - 1 for span in spans))


def _why_not(request: SearchRequest, database: EncodedDatabase) -> str:
    """Return why records cannot be read across their origins; empty if they can."""
    if request.translation is not None:
        return f"{request.translation.program} translates records as lines"
    if database.residues > host.memory() // MEMORY_SHARE:
        return "the computer has too little memory for a copy of the database"
    if not in_memory(database):
        return "the database is packed and searched block by block"
    return ""


def _read_on(circular: int, database: EncodedDatabase) -> str:
    if circular == len(database):
        return f"{'The record was' if circular == 1 else 'All records were'} read as circular, across the origin."
    are = count(circular, "record is", "records are")
    return f"{are} circular and {agree(circular, 'was', 'were')} read across the origin, all others as linear."


def _lines(number: int, one: str, several: str) -> tuple[int, str]:
    return number, count(number, one, several)


def _sentence(parts: Sequence[tuple[int, str]]) -> str:
    """Return a sentence on circular records across whose origin the search does not look; empty if there are none."""
    some = [(number, text) for number, text in parts if number]
    if not some:
        return ""
    alone = sum(number for number, _ in some) == 1
    verb, each = ("is circular and was", "its") if alone else ("are circular and were", "their")
    return (
        f"{' and '.join(text for _, text in some)} {verb} searched as a line from the first base to the last: an "
        f"alignment across {each} origin is cut there."
    )
