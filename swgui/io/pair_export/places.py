"""SAM and PAF: coordinates and CIGAR of every alignment, the subject as the reference."""

from __future__ import annotations

import math
from typing import Final

from swgui.core.pair.result import PairAlignment, PairResult
from swgui.io.pair_export.common import TextOut, cigar, names, provenance_lines

_REVERSED, _SUPPLEMENTARY = 0x10, 0x800
_NO_MAPPING_QUALITY: Final = 255


def write_sam(result: PairResult, file: TextOut) -> None:
    """Write SAM 1.6: the best alignment as the primary line, the others as supplementary lines without letters.

    Residues outside the alignment are soft-clipped. Tags: ``AS`` score, ``NM`` differences, ``ZB`` bits, ``ZL``
    log10(E).
    """
    query, subject = names(result)
    file.write("@HD\tVN:1.6\tSO:unknown\tGO:query\n")
    file.write(f"@SQ\tSN:{subject}\tLN:{result.subject_length}\n")
    # In one field, not in @CO lines, at which Biopython's reader stops.
    facts = "; ".join(provenance_lines(result))
    file.write(f"@PG\tID:swgui\tPN:swgui\tVN:{result.version}\tDS:{facts}\n")
    decode = result.scheme.alphabet.decode
    for one in result.alignments:
        found, whole = one.alignment, result.query_length
        primary = one.index == 1
        flag = (0 if one.strand == "plus" else _REVERSED) | (0 if primary else _SUPPLEMENTARY)
        letters = decode(result.encoded_query(one.strand).codes).decode("ascii").replace("*", "X") if primary else "*"
        fields = [
            query,
            str(flag),
            subject,
            str(found.subject_start + 1),
            str(_NO_MAPPING_QUALITY),
            cigar(one, found.query_start, whole - found.query_end),
            "*",
            "0",
            "0",
            letters,
            "*",
            f"AS:i:{one.score}",
            f"NM:i:{one.counts.mismatch + one.counts.gaps}",
            *_statistics(one),
        ]
        file.write("\t".join(fields) + "\n")


def write_paf(result: PairResult, file: TextOut) -> None:
    """Write PAF, one line per alignment; starts count from 0 on the query as it was given.

    Tags: ``AS`` score, ``NM`` differences, ``cg`` CIGAR in the direction of the subject, ``ZB`` and ``ZL`` as in SAM.
    """
    query, subject = names(result)
    for one in result.alignments:
        start, end = one.query_range(result.query_length)
        fields = [
            query,
            str(result.query_length),
            str(start),
            str(end),
            "+" if one.strand == "plus" else "-",
            subject,
            str(result.subject_length),
            str(one.alignment.subject_start),
            str(one.alignment.subject_end),
            str(one.counts.nident),
            str(one.counts.length),
            str(_NO_MAPPING_QUALITY),
            f"tp:A:{'P' if one.index == 1 else 'S'}",
            f"AS:i:{one.score}",
            f"NM:i:{one.counts.mismatch + one.counts.gaps}",
            *_statistics(one),
            f"cg:Z:{cigar(one)}",
        ]
        file.write("\t".join(fields) + "\n")


def _statistics(one: PairAlignment) -> list[str]:
    tags = []
    if not math.isnan(one.bit_score):
        tags.append(f"ZB:f:{one.bit_score:.1f}")
    if math.isfinite(one.log10_evalue):
        tags.append(f"ZL:f:{one.log10_evalue:.4f}")
    return tags
