"""Exports of one long pair: the same bytes from the window and from the command line.

The subject is the reference of every format. Coordinates count from 1 unless a format says otherwise. Nothing is held
in memory as text: alignments are spelled out block by block.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from swgui.core.errors import InvalidParameter
from swgui.core.pair.result import PairResult
from swgui.io.export.base import FileFormat, TextOut, format_of
from swgui.io.pair_export.changes import write_csv, write_vcf
from swgui.io.pair_export.json_format import write_json
from swgui.io.pair_export.places import write_paf, write_sam
from swgui.io.pair_export.text import write_fasta, write_maf, write_text
from swgui.io.whole_file import save_text

__all__ = ["PAIR_FORMATS", "PairFormat", "check_pair_format", "save_pair", "write_pair"]


@dataclass(frozen=True, slots=True)
class PairFormat(FileFormat):
    """One way to write the alignments of a pair.

    Parameters
    ----------
    name, title, suffix, description : str
        As in `FileFormat`.
    needs_alignment : bool
        Whether there is nothing to write if only the score is known.
    write : callable
        Takes the result and an open text file.
    nucleotides_only : bool
    follows : bool
        Whether several results can stand in one file, one after another.
    """

    needs_alignment: bool
    write: Callable[[PairResult, TextOut], None]
    nucleotides_only: bool = False
    follows: bool = False


PAIR_FORMATS: Final[dict[str, PairFormat]] = {
    form.name: form
    for form in (
        PairFormat(
            "text", "Text", ".txt", "pairwise alignments in the layout of BLAST", False, write_text, follows=True
        ),
        PairFormat("json", "JSON", ".json", "everything; can be opened again", False, write_json),
        PairFormat("sam", "SAM", ".sam", "SAM, the subject as the reference", True, write_sam),
        PairFormat("paf", "PAF", ".paf", "coordinates and CIGAR, a line per alignment", True, write_paf, follows=True),
        PairFormat("csv", "Differences (CSV)", ".csv", "every substitution and gap, a line each", True, write_csv),
        PairFormat("vcf", "Differences (VCF)", ".vcf", "differences as variants of the subject", True, write_vcf, True),
        PairFormat(
            "fasta", "Aligned FASTA", ".fasta", "both sequences with gap signs", True, write_fasta, follows=True
        ),
        PairFormat("maf", "MAF", ".maf", "multiple alignment format, a block per alignment", True, write_maf),
    )
}


def check_pair_format(name: str, *, aligned: bool, nucleotides: bool) -> PairFormat:
    """Return a format if it can be written.

    Parameters
    ----------
    aligned : bool
        Whether alignments, and not only the score, are or will be known.
    nucleotides : bool
        Whether the sequences are nucleotides.

    Raises
    ------
    InvalidParameter
        If there is no such format, or nothing it could hold.
    """
    form = format_of(PAIR_FORMATS, name)
    if form.needs_alignment and not aligned:
        raise InvalidParameter(
            "format", name, f"The format '{name}' holds alignments, but only the score is known.", hint="Choose json."
        )
    if form.nucleotides_only and not nucleotides:
        raise InvalidParameter("format", name, f"The format '{name}' is for nucleotides.", hint="Choose csv.")
    return form


def write_pair(name: str, result: PairResult, file: TextOut) -> None:
    """Write a result in one of `PAIR_FORMATS`.

    Raises
    ------
    InvalidParameter
        As `check_pair_format`.
    """
    nucleotides = bool(result.scheme.alphabet.complements)
    check_pair_format(name, aligned=not result.score_only, nucleotides=nucleotides).write(result, file)


def save_pair(path: str | os.PathLike[str], name: str, result: PairResult) -> None:
    """Write a result to a file, whole or not at all.

    Raises
    ------
    InvalidParameter
        As `check_pair_format`.
    FileNotWritten
        If the file cannot be written.
    """
    save_text(path, lambda file: write_pair(name, result, file))
