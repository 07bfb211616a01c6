"""SAM and PAF: the query as the read, the subject as the reference. Coordinates of SAM follow its definition."""

from __future__ import annotations

import math
import os
import re
import tempfile
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

import numpy as np

from swgui.core.alignment import PLAIN
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.circular import turn_of
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit, HitTable, tables_of
from swgui.core.translation.genetic_codes import CODON
from swgui.io.cells import clean_text, free_name
from swgui.io.export.base import ExportOptions, refuse_codons
from swgui.io.export.provenance import provenance_lines
from swgui.io.export.rows import read_on_spans
from swgui.io.whole_file import FileNotWritten

# Characters that SAM allows in names: printable ASCII; in reference names some signs are excluded.
_NOT_IN_READ: Final = re.compile(r"[^!-?A-~]")
_NOT_IN_REFERENCE: Final = re.compile(r"[^0-9A-Za-z!#$%&+./:;?@^_|~-]")
_LONGEST_NAME: Final = 254
_CIRCULAR: Final = "\tTP:circular"
_SECONDARY: Final = 0x100
REVERSED: Final = 0x10
NO_MAPPING_QUALITY: Final = 255
NO_MATE: Final = ("*", "0", "0")


def write_sam(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write SAM 1.6; the best alignment of the first hit of each query is primary, all others are secondary.

    Secondary, not supplementary: they are other places of the same residues, as the specification says of
    repeats. Supplementary lines are the parts of one chimeric alignment, which together make the read.

    An alignment across the origin of a circular record begins before its end, and its CIGAR continues behind that; such
    references have ``TP:circular``. Bases outside the alignment are soft-clipped. Tags: ``AS`` score, ``NM``
    differences, ``ZB`` bits, ``ZL`` log10(E). Hits without an alignment (score 0) have no place in SAM and are left
    out.

    Raises
    ------
    InvalidParameter
        If the search was a translated one.
    """
    refuse_codons(result, "sam")
    references: dict[int, tuple[str, int]] = {}
    database = result.database
    taken: set[str] = set()
    # The header lists the references, which are known only after the last hit: the body waits on disk.
    with WaitingText() as body:
        for table, aligned, first in _aligned_tables(hits):
            body.write("".join(_lines(table, aligned, _names(table, references, taken), first=first)))
        circular = set(np.flatnonzero(turn_of(database, np.array([*references], np.int64))).tolist())
        file.write(sam_head(references.values(), result.version, provenance_lines(result), circular))
        for text in body.blocks():
            file.write(text)


def _lines(table: HitTable, aligned: AlignedColumns, references: list[str], *, first: bool) -> Iterator[str]:
    """Yield the lines of a table; the first one is primary if these are the first hits of their query."""
    name, length = _NOT_IN_READ.sub("_", table.record.id)[:_LONGEST_NAME], len(table.record.residues)
    reads: dict[int, str] = {}
    numbers = (aligned.number(key).tolist() for key in ("length", "query_start", "query_end", "subject_start"))
    of_lines = table.strands.tolist(), table.per_line(references), aligned.cigars(), tags_of(table)
    for columns, start, end, position, strand, reference, cigar, more in zip(*numbers, *of_lines, strict=True):
        if not columns:
            continue
        if strand not in reads:
            plus = table.record.residues if strand > 0 else NUCLEOTIDE.decode(table.query(strand).codes)
            reads[strand] = as_read(plus)
        flag = (REVERSED if strand < 0 else 0) | (0 if first else _SECONDARY)
        where = reference, str(position + 1), str(NO_MAPPING_QUALITY), clipped(cigar, start, length - end)
        yield "\t".join((name, str(flag), *where, *NO_MATE, reads[strand], "*", *more)) + "\n"
        first = False


def _names(table: HitTable, references: dict[int, tuple[str, int]], taken: set[str]) -> list[str]:
    """Return the reference names of the subjects of hits with an alignment, and note those that are new."""
    subjects = table.subjects
    hits = zip(
        subjects.db_index.tolist(), subjects.ids, subjects.lengths.tolist(), table.there[table.first], strict=True
    )
    names = []
    for db_index, identifier, length, present in hits:
        if present and db_index not in references:
            name = free_name(reference_name(identifier, "subject"), db_index + 1, taken, _LONGEST_NAME - 12)
            taken.add(name)
            references[db_index] = (name, length)
        names.append(references[db_index][0] if present else "")
    return names


def tags_of(table: HitTable) -> list[list[str]]:
    """Return the tags of each line."""
    assert table.aligned is not None
    differences = (table.aligned.number("mismatch") + table.aligned.number("gaps")).tolist()
    numbers = zip(
        table.scores.tolist(), differences, table.bit_scores.tolist(), table.log10_evalues.tolist(), strict=True
    )
    return [list(tags(*of_line)) for of_line in numbers]


# What SAM files of searches and of pairs share.


def sam_head(
    references: Iterable[tuple[str, int]], version: str, facts: Iterable[str], circular: Container[int] = ()
) -> str:
    """Return the header lines of a file: names and lengths of the references, and where the file comes from.

    Parameters
    ----------
    circular : container of int
        The places of those references that are circular.
    """
    sizes = enumerate(references)
    named = "".join(f"@SQ\tSN:{name}\tLN:{n}{_CIRCULAR * (place in circular)}\n" for place, (name, n) in sizes)
    # In one field, not in @CO lines, at which Biopython's reader stops.
    program = f"@PG\tID:swgui\tPN:swgui\tVN:{version}\tDS:{'; '.join(facts)}\n"
    return f"@HD\tVN:1.6\tSO:unknown\tGO:query\n{named}{program}"


def reference_name(identifier: str, otherwise: str) -> str:
    """Return a name that every format allows; `otherwise` where no character of it is left."""
    return _NOT_IN_REFERENCE.sub("_", identifier)[:_LONGEST_NAME] or otherwise


def clipped(cigar: str, before: int, behind: int) -> str:
    """Return a CIGAR string with the query residues before and behind the alignment soft-clipped."""
    return (f"{before}S" if before else "") + cigar + (f"{behind}S" if behind else "")


def as_read(residues: bytes) -> str:
    """Return residues as SAM has them: it knows no stop."""
    return residues.decode("ascii").replace("*", "X")


def tags(score: int, differences: int | None, bit_score: float, log10_evalue: float) -> Iterator[str]:
    """Yield ``AS`` score, ``NM`` differences, ``ZB`` bits and ``ZL`` log10(E), as far as they are known."""
    yield f"AS:i:{score}"
    if differences is not None:
        yield f"NM:i:{differences}"
    if not math.isnan(bit_score):
        yield f"ZB:f:{bit_score:.1f}"
    if math.isfinite(log10_evalue):
        yield f"ZL:f:{log10_evalue:.4f}"


def write_paf(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write PAF, a line per alignment; the best alignment of the first hit of each query is primary (``tp:A:P``).

    Starts count from 0. Query positions are those of the query as it was given, also on the minus strand; ``cg``
    goes in the direction of the subject. Hits without an alignment (score 0) are left out.

    The end of an alignment across the origin of a circular record is behind the length of that record.

    Of translated searches positions count letters as they were given, bases of DNA and residues of proteins. ``cg``
    goes in the direction of reading and counts codons, as that of miniprot does: ``M`` takes one codon or residue of
    either side, ``I`` of the query, ``D`` of the subject; so columns 10 and 11 count three bases a column. Where the
    reading may shift ``F`` counts bases that are skipped, as miniprot's does, and ``R`` bases that are read twice; tag
    ``fs`` is the number of shifts. Strand
    ``-`` says that one of the two sides, and not the other, is read on its opposite strand.
    """
    for table, aligned, first in _aligned_tables(hits):
        file.write("".join(_paf_lines(table, aligned, first=first)))


def _aligned_tables(hits: Iterable[Hit]) -> Iterator[tuple[HitTable, AlignedColumns, bool]]:
    """Yield tables that have alignments, these, and whether they are the first hits of their query."""
    previous: object = None
    for table in tables_of(hits):
        if table.aligned is not None and table.there.any():
            yield table, table.aligned, table.record is not previous
            previous = table.record


def _paf_lines(table: HitTable, aligned: AlignedColumns, *, first: bool) -> Iterator[str]:
    """Yield the lines of a table; the first one is primary if these are the first hits of their query."""
    query, length = one_word(table.record.id), len(table.record.residues)
    start, end, *ends = read_on_spans(table)
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
    for place, subject, low, high, nident, columns, tags, cigar, forward in lines:
        if columns:
            yield paf_line(place, (*subject, low, high), nident, columns, tags, cigar, plus=forward, primary=first)
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


class WaitingText:
    """Text that waits on disk, in the folder for temporary files, for what has to be written before it.

    Use it in a ``with`` statement, whose end deletes it.

    Raises
    ------
    FileNotWritten
        By everything here: if there is no folder for temporary files, or no space in it.
    """

    def __init__(self) -> None:
        with _temporary():
            self._file = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed below

    def __enter__(self) -> WaitingText:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # unwritten text is no longer needed
            self._file.close()

    def write(self, text: str) -> None:
        """Add text."""
        with _temporary():
            self._file.write(text)

    def blocks(self) -> Iterator[str]:
        """Yield all text from its start."""
        with _temporary():
            self._file.seek(0)
            while text := self._file.read(1 << 20):
                yield text


@contextmanager
def _temporary() -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        place, reason = tempfile.tempdir or os.environ.get("TMPDIR", ""), fault.strerror or str(fault)
        message = f"A temporary file in '{place}' cannot be written: {reason}."
        hint = "Free some space there, or set TMPDIR to another folder."
        raise FileNotWritten(str(place), message, hint=hint) from fault
