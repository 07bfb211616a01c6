"""SAM: the query as the read, the subject as the reference. Coordinates and CIGAR follow the SAM definition."""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.alignment import OP_LETTERS
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.hits.results import Hit, SearchResult
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.provenance import provenance_lines

# What SAM allows in names: printable ASCII; in reference names some signs are taken.
_NOT_IN_READ: Final = re.compile(r"[^!-?A-~]")
_NOT_IN_REFERENCE: Final = re.compile(r"[^0-9A-Za-z!#$%&+./:;?@^_|~-]")
_LONGEST_NAME: Final = 254
_REVERSED, _SECONDARY = 0x10, 0x100
_NO_MAPPING_QUALITY: Final = 255


def write_sam(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write SAM 1.6; the first hit of each query is primary, the others are secondary alignments.

    Bases outside the alignment are soft-clipped. Tags: ``AS`` score, ``NM`` differences, ``ZB`` bits, ``ZL``
    log10(E). Hits without an alignment (score 0) have no place in SAM and are left out.
    """
    references: dict[int, tuple[str, int]] = {}
    taken: set[str] = set()
    # The header lists the references, which are known only after the last hit: the body waits on disk.
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as body:
        previous: object = None
        for hit in hits:
            if hit.alignment is None:
                continue
            if hit.db_index not in references:
                name = _reference_name(hit, taken)
                taken.add(name)
                references[hit.db_index] = (name, len(hit.subject.residues))
            body.write(_line(hit, references[hit.db_index][0], primary=hit.query_record is not previous))
            previous = hit.query_record
        file.write("@HD\tVN:1.6\tSO:unknown\tGO:query\n")
        for name, length in references.values():
            file.write(f"@SQ\tSN:{name}\tLN:{length}\n")
        # In one field, not in @CO lines, at which Biopython's reader stops.
        file.write(f"@PG\tID:swgui\tPN:swgui\tVN:{result.version}\tDS:{'; '.join(provenance_lines(result))}\n")
        body.seek(0)
        while text := body.read(1 << 20):
            file.write(text)


def _line(hit: Hit, reference: str, *, primary: bool) -> str:
    found = hit.alignment
    assert found is not None  # the caller chose
    runs = "".join(f"{n}{OP_LETTERS[op]}" for op, n in zip(found.ops, found.lengths, strict=True))
    before, behind = found.query_start, len(hit.query) - found.query_end
    cigar = (f"{before}S" if before else "") + runs + (f"{behind}S" if behind else "")
    flag = (_REVERSED if hit.strand < 0 else 0) | (0 if primary else _SECONDARY)
    letters = hit.query_record.residues if hit.strand > 0 else NUCLEOTIDE.decode(hit.query.codes)
    fields = [
        _NOT_IN_READ.sub("_", hit.query_record.id)[:_LONGEST_NAME],
        str(flag),
        reference,
        str(found.subject_start + 1),
        str(_NO_MAPPING_QUALITY),
        cigar,
        "*",
        "0",
        "0",
        letters.decode("ascii").replace("*", "X"),  # SAM has no stop
        "*",
        f"AS:i:{hit.score}",
    ]
    if hit.counts is not None:
        fields.append(f"NM:i:{hit.counts.mismatch + hit.counts.gaps}")
    if not math.isnan(hit.bit_score):
        fields.append(f"ZB:f:{hit.bit_score:.1f}")
    if math.isfinite(hit.log10_evalue):
        fields.append(f"ZL:f:{hit.log10_evalue:.4f}")
    return "\t".join(fields) + "\n"


def _reference_name(hit: Hit, taken: set[str]) -> str:
    """Return a name SAM allows; a number is added where two subjects would have the same."""
    name = _NOT_IN_REFERENCE.sub("_", hit.subject.id)[:_LONGEST_NAME] or "subject"
    return name if name not in taken else f"{name[: _LONGEST_NAME - 12]}_{hit.db_index + 1}"


FORMATS: Final = (ExportFormat("sam", "SAM", ".sam", "SAM, the subjects as references", write_sam),)
