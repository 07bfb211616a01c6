"""PAF: coordinates and CIGAR of every alignment in one line, as minimap2 writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TextIO

import numpy as np

from swgui.core.alignment import PLAIN
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import Hit, SearchResult
from swgui.core.hits.table import HitTable, tables_of
from swgui.core.translation.genetic_codes import CODON
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.rows import spans
from swgui.io.export.sam import NO_MAPPING_QUALITY, tags_of
from swgui.io.export.values import clean_text


def write_paf(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write PAF, a line per alignment; the best alignment of the first hit of each query is primary (``tp:A:P``).

    Starts count from 0. Query positions are those of the query as it was given, also on the minus strand; ``cg``
    goes in the direction of the subject. Hits without an alignment (score 0) are left out.

    Of translated searches positions count letters as they were given, bases of DNA and residues of proteins. ``cg``
    goes in the direction of reading and counts codons, as that of miniprot does: ``M`` takes one codon or residue of
    either side, ``I`` of the query, ``D`` of the subject; so columns 10 and 11 count three bases a column. Where the
    reading may shift ``F`` counts bases that are skipped, as miniprot's does, and ``R`` bases that are read twice; tag
    ``fs`` is the number of shifts. Strand
    ``-`` says that one of the two sides, and not the other, is read on its opposite strand.
    """
    previous: object = None
    for table in tables_of(hits):
        if table.aligned is None or not table.there.any():
            continue
        file.write("".join(_lines(table, table.aligned, first=table.record is not previous)))
        previous = table.record


def _lines(table: HitTable, aligned: AlignedColumns, *, first: bool) -> Iterator[str]:
    """Yield the lines of a table; the first one is primary if these are the first hits of their query."""
    query, length = one_word(table.record.id), len(table.record.residues)
    start, end, *ends = spans(table)
    subjects = list(zip(map(one_word, table.subjects.ids), table.subjects.lengths.tolist(), strict=True))
    places = zip((np.minimum(start, end) - 1).tolist(), np.maximum(start, end).tolist(), strict=True)
    of_query = ((query, length, *place) for place in places)
    letters = CODON if table.translation else 1
    numbers = [(np.minimum(*ends) - 1).tolist(), np.maximum(*ends).tolist()]
    numbers += [(letters * aligned.number(name)).tolist() for name in ("nident", "length")]
    plus = (((start <= end) == (ends[0] <= ends[1])) if table.translation else table.strands > 0).tolist()
    more = tags_of(table)
    if aligned.steps != PLAIN:
        more = [[*tags, f"fs:i:{n}"] for tags, n in zip(more, aligned.number("frameshifts").tolist(), strict=True)]
    lines = zip(of_query, table.per_line(subjects), *numbers, more, aligned.cigars(), plus, strict=True)
    for place, subject, low, high, nident, columns, tags, found, forward in lines:
        if columns:
            yield paf_line(place, (*subject, low, high), nident, columns, tags, found, plus=forward, primary=first)
            first = False


def one_word(identifier: str) -> str:
    """Return an identifier that fits into one field."""
    return "_".join(clean_text(identifier).split()) or "*"


def paf_line(
    query: tuple[str, int, int, int],
    subject: tuple[str, int, int, int],
    nident: int,
    columns: int,
    more: Iterable[str],
    cigar: str,
    *,
    plus: bool,
    primary: bool,
) -> str:
    """Return one line, for searches and for pairs.

    Parameters
    ----------
    query, subject : (str, int, int, int)
        Name, length, first position (from 0) and end; those on the query as it was given.
    nident, columns : int
        Identities and columns of the alignment.
    more : iterable of str
        Tags between ``tp`` and ``cg``.
    cigar : str
        In the direction of the subject.
    """
    fields = (
        *query,
        "+" if plus else "-",
        *subject,
        nident,
        columns,
        NO_MAPPING_QUALITY,
        f"tp:A:{'P' if primary else 'S'}",
        *more,
        f"cg:Z:{cigar}",
    )
    return "\t".join(map(str, fields)) + "\n"


FORMATS: Final = (ExportFormat("paf", "PAF", ".paf", "PAF: coordinates and CIGAR, a line per alignment", write_paf),)
