"""SAM and PAF: coordinates and CIGAR of every alignment, the subject as the reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from swgui.core.pair.result import PairAlignment, PairResult
from swgui.io.export.base import TextOut
from swgui.io.export.paf import paf_line
from swgui.io.export.sam import NO_MAPPING_QUALITY, NO_MATE, REVERSED, as_read, clipped, sam_head, tags
from swgui.io.pair_export.common import names, provenance_lines

_SUPPLEMENTARY: Final = 0x800


def write_sam(result: PairResult, file: TextOut) -> None:
    """Write SAM 1.6: the best alignment as the primary line, the others as supplementary lines without residues.

    Residues outside the alignment are soft-clipped. Tags: ``AS`` score, ``NM`` differences, ``ZB`` bits, ``ZL``
    log10(E).
    """
    query, subject = names(result)
    file.write(sam_head([(subject, result.subject_length)], result.version, provenance_lines(result)))
    decode = result.scheme.alphabet.decode
    for one in result.alignments:
        found = one.alignment
        primary = one.index == 1
        flag = (0 if one.strand == "plus" else REVERSED) | (0 if primary else _SUPPLEMENTARY)
        residues = as_read(decode(result.encoded_query(one.strand).codes)) if primary else "*"
        fields = [
            query,
            str(flag),
            subject,
            str(found.subject_start + 1),
            str(NO_MAPPING_QUALITY),
            clipped(found.cigar, found.query_start, result.query_length - found.query_end),
            *NO_MATE,
            residues,
            "*",
            *_tags(one),
        ]
        file.write("\t".join(fields) + "\n")


def write_paf(result: PairResult, file: TextOut) -> None:
    """Write PAF, one line per alignment; starts count from 0 on the query as it was given.

    Tags: ``AS`` score, ``NM`` differences, ``cg`` CIGAR in the direction of the subject, ``ZB`` and ``ZL`` as in SAM.
    """
    query, subject = names(result)
    for one in result.alignments:
        found, counts = one.alignment, one.counts
        place = query, result.query_length, *one.query_range(result.query_length)
        target = subject, result.subject_length, found.subject_start, found.subject_end
        plus, primary = one.strand == "plus", one.index == 1
        counted = counts.nident, counts.length
        file.write(paf_line(place, target, *counted, _tags(one), found.cigar, plus=plus, primary=primary))


def _tags(one: PairAlignment) -> Iterator[str]:
    return tags(one.score, one.counts.mismatch + one.counts.gaps, one.bit_score, one.log10_evalue)
