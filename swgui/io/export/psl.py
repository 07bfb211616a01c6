"""PSL, the table of BLAT: blocks of aligned residues without gaps, counted from 0, as genome browsers read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import spell_out
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.scoring import ScoringScheme
from swgui.io.export.base import ExportOptions, refuse_codons
from swgui.io.export.grouping import by_alignment


class PslRow(NamedTuple):
    """One alignment, with the fields of PSL in their order.

    Ends are half open and count from 0. On the minus strand ends of the query are those on the query as it is, and
    starts of its blocks those on its reverse complement, which the target as it is aligns with.
    """

    matches: int
    misMatches: int  # noqa: N815 - as the format names it, and all below
    repMatches: int  # noqa: N815
    nCount: int  # noqa: N815
    qNumInsert: int  # noqa: N815
    qBaseInsert: int  # noqa: N815
    tNumInsert: int  # noqa: N815
    tBaseInsert: int  # noqa: N815
    strand: str
    qName: str  # noqa: N815
    qSize: int  # noqa: N815
    qStart: int  # noqa: N815
    qEnd: int  # noqa: N815
    tName: str  # noqa: N815
    tSize: int  # noqa: N815
    tStart: int  # noqa: N815
    tEnd: int  # noqa: N815
    blockCount: int  # noqa: N815
    blockSizes: str  # noqa: N815
    qStarts: str  # noqa: N815
    tStarts: str  # noqa: N815


def write_psl(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write PSL without a header, a line for each alignment.

    Raises
    ------
    InvalidParameter
        If the search was a translated one.
    """
    refuse_codons(result, "psl")
    for hit in by_alignment(hits):
        for row in psl_rows(hit, result.scheme):
            file.write("\t".join(map(str, row)) + "\n")


def psl_rows(hit: Hit, scheme: ScoringScheme) -> Iterator[PslRow]:
    """Yield the row of an alignment: none without one, two of one across the origin of a circular record."""
    if hit.alignment is None:
        return
    columns = spell_out(hit.alignment)
    aligned = (columns.query >= 0) & (columns.subject >= 0)
    query, subject = columns.query[aligned], columns.subject[aligned]
    first = hit.alignment.subject_start
    of_subject = hit.subject_codes(scheme.alphabet, first, hit.alignment.subject_end)
    codes = hit.query.codes[query], of_subject[subject - first]
    known = scheme.alphabet.encode(scheme.alphabet.plain.encode())
    plain = np.isin(codes[0], known) & np.isin(codes[1], known)
    same = scheme.alphabet.same(*codes)
    size = len(hit.subject.residues)
    for turn in np.unique(subject // size).tolist():
        here = subject // size == turn
        yield _row(hit, query[here], subject[here] - turn * size, plain[here], same[here])


def _row(
    hit: Hit,
    query: NDArray[np.int64],
    subject: NDArray[np.int64],
    plain: NDArray[np.bool_],
    same: NDArray[np.bool_],
) -> PslRow:
    """Return the row of columns of an alignment without gaps, shape (n,) each."""
    breaks = np.flatnonzero((np.diff(query) != 1) | (np.diff(subject) != 1)) + 1
    starts, ends = np.concatenate(([0], breaks)), np.concatenate((breaks, [len(query)]))
    of_query, of_subject = (np.diff(places)[breaks - 1] - 1 for places in (query, subject))
    length, forward = len(hit.query_record.residues), hit.strand >= 0
    low, high = int(query[0]), int(query[-1]) + 1
    return PslRow(
        int((same & plain).sum()),
        int((~same & plain).sum()),
        0,
        int((~plain).sum()),
        int((of_query > 0).sum()),
        int(of_query.sum()),
        int((of_subject > 0).sum()),
        int(of_subject.sum()),
        "+" if forward else "-",
        "_".join(hit.query_record.id.split()),
        length,
        low if forward else length - high,
        high if forward else length - low,
        "_".join(hit.subject.id.split()),
        len(hit.subject.residues),
        int(subject[0]),
        int(subject[-1]) + 1,
        len(starts),
        _listed(ends - starts),
        _listed(query[starts]),
        _listed(subject[starts]),
    )


def _listed(numbers: NDArray[np.int64]) -> str:
    return "".join(f"{number}," for number in numbers.tolist())
