"""SAM: the query as the read, the subject as the reference. Coordinates and CIGAR follow the SAM definition."""

from __future__ import annotations

import itertools
import math
import re
import tempfile
from collections.abc import Iterable, Iterator
from typing import Final, TextIO

from swgui.core.alignment import Alignment, AlignmentCounts
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.hits.results import Hit, SearchResult
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.grouping import by_alignment
from swgui.io.export.provenance import provenance_lines

# What SAM allows in names: printable ASCII; in reference names some signs are taken.
_NOT_IN_READ: Final = re.compile(r"[^!-?A-~]")
_NOT_IN_REFERENCE: Final = re.compile(r"[^0-9A-Za-z!#$%&+./:;?@^_|~-]")
_LONGEST_NAME: Final = 254
_SECONDARY: Final = 0x100
REVERSED: Final = 0x10
NO_MAPPING_QUALITY: Final = 255
NO_MATE: Final = ("*", "0", "0")


def write_sam(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write SAM 1.6; the best alignment of the first hit of each query is primary, all others are secondary.

    Secondary, not supplementary: they are other places of the same residues, as the specification says of
    repeats. Supplementary lines are the parts of one chimeric alignment, which together make the read.

    Bases outside the alignment are soft-clipped. Tags: ``AS`` score, ``NM`` differences, ``ZB`` bits, ``ZL``
    log10(E). Hits without an alignment (score 0) have no place in SAM and are left out.
    """
    references: dict[int, tuple[str, int]] = {}
    taken: set[str] = set()
    # The header lists the references, which are known only after the last hit: the body waits on disk.
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as body:
        previous: object = None
        for hit in by_alignment(hits):
            if (found := hit.alignment) is None:
                continue
            if hit.db_index not in references:
                name = _reference_name(hit, taken)
                taken.add(name)
                references[hit.db_index] = (name, len(hit.subject.residues))
            body.write(_line(hit, found, references[hit.db_index][0], primary=hit.query_record is not previous))
            previous = hit.query_record
        file.write(sam_head(references.values(), result.version, provenance_lines(result)))
        body.seek(0)
        while text := body.read(1 << 20):
            file.write(text)


def _line(hit: Hit, found: Alignment, reference: str, *, primary: bool) -> str:
    flag = (REVERSED if hit.strand < 0 else 0) | (0 if primary else _SECONDARY)
    residues = hit.query_record.residues if hit.strand > 0 else NUCLEOTIDE.decode(hit.query.codes)
    fields = (
        _NOT_IN_READ.sub("_", hit.query_record.id)[:_LONGEST_NAME],
        str(flag),
        reference,
        str(found.subject_start + 1),
        str(NO_MAPPING_QUALITY),
        clipped(found, len(hit.query)),
        *NO_MATE,
        as_read(residues),
        "*",
        *tags(hit.score, hit.counts, hit.bit_score, hit.log10_evalue),
    )
    return "\t".join(fields) + "\n"


def _reference_name(hit: Hit, taken: set[str]) -> str:
    """Return a name SAM allows; a number, the first that is free, is added where two subjects would have the same."""
    name = free = reference_name(hit.subject.id, "subject")
    numbers = itertools.count(hit.db_index + 1)
    while free in taken:
        free = f"{name[: _LONGEST_NAME - 12]}_{next(numbers)}"
    return free


# What SAM files of searches and of pairs share.


def sam_head(references: Iterable[tuple[str, int]], version: str, facts: Iterable[str]) -> str:
    """Return the header lines of a file: names and lengths of the references, and where the file comes from."""
    named = "".join(f"@SQ\tSN:{name}\tLN:{length}\n" for name, length in references)
    # In one field, not in @CO lines, at which Biopython's reader stops.
    program = f"@PG\tID:swgui\tPN:swgui\tVN:{version}\tDS:{'; '.join(facts)}\n"
    return f"@HD\tVN:1.6\tSO:unknown\tGO:query\n{named}{program}"


def reference_name(identifier: str, otherwise: str) -> str:
    """Return a name that every format allows; `otherwise` where nothing of it is left."""
    return _NOT_IN_REFERENCE.sub("_", identifier)[:_LONGEST_NAME] or otherwise


def clipped(found: Alignment, length: int) -> str:
    """Return the CIGAR string of an alignment; query residues outside of it are soft-clipped."""
    before, behind = found.query_start, length - found.query_end
    return (f"{before}S" if before else "") + found.cigar + (f"{behind}S" if behind else "")


def as_read(residues: bytes) -> str:
    """Return residues as SAM has them: it knows no stop."""
    return residues.decode("ascii").replace("*", "X")


def tags(score: int, counts: AlignmentCounts | None, bit_score: float, log10_evalue: float) -> Iterator[str]:
    """Yield ``AS`` score, ``NM`` differences, ``ZB`` bits and ``ZL`` log10(E), as far as they are known."""
    yield f"AS:i:{score}"
    if counts is not None:
        yield f"NM:i:{counts.mismatch + counts.gaps}"
    if not math.isnan(bit_score):
        yield f"ZB:f:{bit_score:.1f}"
    if math.isfinite(log10_evalue):
        yield f"ZL:f:{log10_evalue:.4f}"


FORMATS: Final = (ExportFormat("sam", "SAM", ".sam", "SAM, the subjects as references", write_sam),)
