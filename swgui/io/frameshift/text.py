r"""Alignments with frameshifts for people, and the proteins they read.

::

    Query             1  HKTAPGR-QDK-SGMWDYGAEFH  21
                         |||  || ||| |||  |||+
    Subject          41  HKTVSGR\QDK/SGMTDYGADVS  105

A backslash stands for a base that is skipped, a slash for one that is read twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TextIO

from swgui.core.frameshift.hits import Column, ShiftHit
from swgui.core.words import count
from swgui.io.export.values import clean_text

WIDTH: Final = 60


def write_text(hits: Iterable[ShiftHit], file: TextIO, begins: bool) -> None:
    """Write alignments in the layout of BLAST."""
    for hit in hits:
        file.write("\n".join((*_head(hit), *_rows(hit))) + "\n")


def _head(hit: ShiftHit) -> Sequence[str]:
    shifts = count(hit.alignment.shifts, "frameshift")
    return (
        f"Query: {clean_text(hit.query)}",
        f"Subject: {clean_text(hit.subject)} {clean_text(hit.description)}".rstrip(),
        f" Score = {hit.bits:.1f} bits ({hit.alignment.score}), E = {hit.evalue:.2g}, frame {hit.frame:+d}, {shifts}",
        f" Identities = {hit.identities}/{hit.length} ({hit.pident:.0f} %), gaps = {hit.gaps}/{hit.length}",
        "",
    )


def _rows(hit: ShiftHit) -> Iterable[str]:
    columns = hit.columns
    for at in range(0, len(columns), WIDTH):
        part = columns[at : at + WIDTH]
        dna, protein = _row(part, _bases(hit, part), "dna"), _row(part, _residues(part), "protein")
        query, subject = (protein, dna) if hit.protein_query else (dna, protein)
        yield f"Query   {query}"
        yield f"{'':21}" + "".join(column.match for column in part)
        yield f"Subject {subject}"
        yield ""


def _row(part: Sequence[Column], ends: tuple[str, str], side: str) -> str:
    return f"{ends[0]:>11}  " + "".join(getattr(column, side) for column in part) + f"  {ends[1]}"


def _bases(hit: ShiftHit, part: Sequence[Column]) -> tuple[str, str]:
    """Return the first and the last base of some columns, on the plus strand."""
    found = [column.base for column in part if column.base >= 0]
    return (str(hit.base_number(found[0])), str(hit.base_number(found[-1] + 2))) if found else ("", "")


def _residues(part: Sequence[Column]) -> tuple[str, str]:
    found = [column.residue for column in part if column.residue >= 0]
    return (str(found[0] + 1), str(found[-1] + 1)) if found else ("", "")


def write_fasta(hits: Iterable[ShiftHit], file: TextIO, begins: bool) -> None:
    """Write the protein of each alignment as the DNA spells it once its reading is put right; stops are ``*``."""
    for hit in hits:
        dna, protein = (hit.subject, hit.query) if hit.protein_query else (hit.query, hit.subject)
        shifts = count(hit.alignment.shifts, "frameshift")
        first, last = hit.bases
        file.write(f">{clean_text(dna)}:{first}-{last} like {clean_text(protein)}, {shifts}\n")
        text = hit.corrected
        file.writelines(text[at : at + WIDTH] + "\n" for at in range(0, len(text), WIDTH))
