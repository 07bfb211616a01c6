"""Hits of searches with frameshifts as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TextIO

from swgui.core.frameshift.hits import ShiftHit
from swgui.io.export.base import FileFormat
from swgui.io.frameshift.tables import write_gff3, write_tsv
from swgui.io.frameshift.text import write_fasta, write_text

__all__ = ["SHIFT_FORMATS", "FileFormat", "write_shifted"]

_Writer = Callable[[Iterable[ShiftHit], TextIO, bool], None]
SHIFT_FORMATS: Final[dict[str, tuple[FileFormat, _Writer]]] = {
    form.name: (form, writer)
    for form, writer in (
        (FileFormat("text", "Text", ".txt", "alignments with \\ and / where the reading shifts"), write_text),
        (FileFormat("tsv", "Table", ".tsv", "a line per alignment, coordinates in bases"), write_tsv),
        (FileFormat("gff3", "GFF3", ".gff3", "matches on the DNA, shifts in the attribute Gap"), write_gff3),
        (FileFormat("fasta", "FASTA", ".fasta", "the protein that each alignment reads from the DNA"), write_fasta),
    )
}


def write_shifted(name: str, hits: Iterable[ShiftHit], file: TextIO, *, begins: bool) -> None:
    """Write hits in a format of `SHIFT_FORMATS`.

    Parameters
    ----------
    begins : bool
        Whether these are the first, so that a heading belongs before them.
    """
    SHIFT_FORMATS[name][1](hits, file, begins)
