"""FASTA: subjects as a whole, or what is inside the alignments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.hits.results import Hit, SearchResult
from swgui.core.words import format_evalue
from swgui.io.export.base import ExportFormat, ExportOptions, TextOut
from swgui.io.export.grouping import by_alignment
from swgui.io.export.rows import subject_part
from swgui.io.export.values import clean_text

LINE: Final = 60


def write_fasta(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write each subject once, in the order of its first hit, with its own header."""
    written: set[int] = set()
    for hit in hits:
        if hit.db_index not in written:
            written.add(hit.db_index)
            write_record(file, hit.subject.header, hit.subject.residues)


def write_aligned_fasta(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write the aligned part of each alignment, with as much on either side of it as was asked for.

    The identifier is ``subject/start-end`` of what is written; on the minus strand that is reverse
    complemented and the start is above the end. Without gap signs unless they were asked for. Hits
    without an alignment (score 0) have nothing to write.
    """
    for hit in by_alignment(hits):
        if hit.alignment is None:
            continue
        write_aligned_part(file, hit, options.flank, gaps=options.gaps)


def write_aligned_part(file: TextOut, hit: Hit, flank: int = 0, *, gaps: bool = False) -> None:
    """Write the aligned part of one alignment, as `write_aligned_fasta` says."""
    start, end, residues = subject_part(hit, flank, gaps=gaps)
    evalue = format_evalue(hit.log10_evalue) or "unknown"
    facts = f"[query={hit.query_record.id} score={hit.score} E={evalue}]"
    write_record(file, f"{hit.subject.id}/{start}-{end} {hit.subject.description} {facts}", residues)


def write_record(file: TextOut, header: str, residues: bytes) -> None:
    """Write one record, its residues in lines of 60."""
    file.write(f">{clean_text(header)}\n")
    write_lines(file, residues.decode("ascii"))


def write_lines(file: TextOut, row: str) -> None:
    """Write residues in lines of 60."""
    for start in range(0, len(row), LINE):
        file.write(row[start : start + LINE] + "\n")


FORMATS: Final = (
    ExportFormat(
        "fasta", "FASTA, whole subjects", ".fasta", "every subject once", write_fasta, needs_alignment=False
    ),
    ExportFormat(
        "fasta-aligned", "FASTA, aligned parts", ".fasta", "the aligned parts of the subjects", write_aligned_fasta,
        takes=frozenset({"flank", "gaps"}),
    ),
)  # fmt: skip
