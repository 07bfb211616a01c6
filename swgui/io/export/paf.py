"""PAF: coordinates and CIGAR of every alignment in one line, as minimap2 writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.alignment import Alignment, AlignmentCounts
from swgui.core.hits.results import Hit, SearchResult
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.grouping import by_alignment
from swgui.io.export.sam import NO_MAPPING_QUALITY, tags
from swgui.io.export.values import clean_text


def write_paf(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write PAF, a line per alignment; the best alignment of the first hit of each query is primary (``tp:A:P``).

    Starts count from 0. Query positions are those of the query as it was given, also on the minus strand; ``cg``
    goes in the direction of the subject. Hits without an alignment (score 0) are left out.
    """
    previous: object = None
    for hit in by_alignment(hits):
        if (found := hit.alignment) is None or hit.counts is None:
            continue
        length = len(hit.query)
        start, end = found.query_start, found.query_end
        if hit.strand < 0:
            start, end = length - end, length - start
        query = (one_word(hit.query_record.id), length, start, end)
        subject = (one_word(hit.subject.id), len(hit.subject.residues))
        plus, primary = hit.strand > 0, hit.query_record is not previous
        more = tags(hit.score, hit.counts, hit.bit_score, hit.log10_evalue)
        file.write(paf_line(query, subject, found, hit.counts, more, plus=plus, primary=primary))
        previous = hit.query_record


def one_word(identifier: str) -> str:
    """Return an identifier that fits into one field."""
    return "_".join(clean_text(identifier).split()) or "*"


def paf_line(
    query: tuple[str, int, int, int],
    subject: tuple[str, int],
    found: Alignment,
    counts: AlignmentCounts,
    more: Iterable[str],
    *,
    plus: bool,
    primary: bool,
) -> str:
    """Return one line, for searches and for pairs.

    Parameters
    ----------
    query : (str, int, int, int)
        Name, length, first position (from 0) and end on the query as it was given.
    subject : (str, int)
        Name and length.
    found : Alignment
    counts : AlignmentCounts
    more : iterable of str
        Tags between ``tp`` and ``cg``.
    plus, primary : bool
    """
    fields = (
        *query,
        "+" if plus else "-",
        *subject,
        found.subject_start,
        found.subject_end,
        counts.nident,
        counts.length,
        NO_MAPPING_QUALITY,
        f"tp:A:{'P' if primary else 'S'}",
        *more,
        f"cg:Z:{found.cigar}",
    )
    return "\t".join(map(str, fields)) + "\n"


FORMATS: Final = (ExportFormat("paf", "PAF", ".paf", "PAF: coordinates and CIGAR, a line per alignment", write_paf),)
