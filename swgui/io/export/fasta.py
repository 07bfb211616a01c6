"""FASTA: subjects as a whole, what is inside the alignments, and the DNA and proteins that are read there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.words import format_evalue
from swgui.io.cells import clean_text
from swgui.io.export.annotation import aligned_sides, on_query
from swgui.io.export.base import ExportOptions, TextOut
from swgui.io.export.grouping import UniqueNames, by_alignment
from swgui.io.export.rows import NO_SIGNS, aligned_residues, subject_part

LINE: Final = 60


def write_fasta(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write each subject once, in the order of its first hit, with its own header."""
    written: set[int] = set()
    for hit in hits:
        if hit.db_index not in written:
            written.add(hit.db_index)
            write_record(file, hit.subject.header, hit.subject.residues)


def write_aligned_fasta(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write the aligned part of each alignment, with the requested flanks on either side.

    The identifier is ``subject/start-end`` of the written part; on the minus strand that is reverse
    complemented and the start is above the end. A name that another subject has already gets a number. Without gap
    signs unless requested. Hits without an alignment (score 0) have nothing to write.
    """
    names = UniqueNames(result, clean_text)
    for hit in by_alignment(hits):
        if hit.alignment is not None:
            write_aligned_part(file, hit, options.flank, gaps=options.gaps, name=names.subject(hit))


def write_aligned_part(file: TextOut, hit: Hit, flank: int = 0, *, gaps: bool = False, name: str = "") -> None:
    """Write the aligned part of one alignment, as `write_aligned_fasta` says; by the subject's name if not given."""
    start, end, residues = subject_part(hit, flank, gaps=gaps)
    evalue = format_evalue(hit.log10_evalue) or "unknown"
    facts = f"[query={hit.query_record.id} score={hit.score} E={evalue}]"
    write_record(file, f"{name or hit.subject.id}/{start}-{end} {hit.subject.description} {facts}", residues)


def write_dna(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write the sequence under each alignment, in the direction of reading, with the requested flanks.

    Of the subject, or of the query where that alone is DNA (blastx): bases where it is translated, for it is written as
    it was given. The identifier is ``name/start-end`` of the written part, the start above the end on the opposite
    strand; a name that another sequence has already gets a number. Hits without an alignment (score 0) have nothing to
    write.
    """
    for _, row, on, other in aligned_sides(result, hits):
        start, end, residues = on.residues(options.flank)
        evalue = format_evalue(row.log10_evalue) or "unknown"
        facts = f"[hit={other.name} score={row.score} E={evalue}{f' frame={on.frame}' if on.frame else ''}]"
        write_record(file, f"{on.name}/{start}-{end} {on.record.description} {facts}", residues)


def write_corrected(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write the protein that each alignment reads from the DNA, with frameshifts corrected; stops are ``*``.

    Of the subject, or of the query where that alone is DNA (blastx); untranslated sequences are written as aligned
    parts are. Hits without an alignment have nothing to write.
    """
    if result.translation is None:
        write_aligned_fasta(result, hits, file, options)
        return
    side = 0 if on_query(result) else 1
    for _, row, on, other in aligned_sides(result, hits):
        start, end, _ = on.residues()
        residues = aligned_residues(row)[side].translate(NO_SIGNS)
        shifts = row.counts.frameshifts if row.counts is not None else 0
        said = f" frameshifts={shifts}" if result.translation.shift else ""
        header = f"{on.name}/{start}-{end} {on.record.description} [hit={other.name} score={row.score}{said}]"
        write_record(file, header, residues.encode("ascii"))


def write_record(file: TextOut, header: str, residues: bytes) -> None:
    """Write one record, its residues in lines of 60."""
    file.write(f">{clean_text(header)}\n")
    write_lines(file, residues.decode("ascii"))


def write_lines(file: TextOut, row: str) -> None:
    """Write residues in lines of 60."""
    for start in range(0, len(row), LINE):
        file.write(row[start : start + LINE] + "\n")
