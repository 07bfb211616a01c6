"""FASTA of what alignments lie on, as it was given: of what is translated the DNA."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.hits.results import Hit, SearchResult
from swgui.core.words import format_evalue
from swgui.io.export.annotation.sides import on_query, sides
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.fasta import write_aligned_fasta, write_record
from swgui.io.export.grouping import by_alignment
from swgui.io.export.rows import NO_SIGNS, aligned_residues


def write_dna(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write what lies under each alignment, in the direction of reading, with as much beside it as was asked for.

    Of the subject, or of the query where that alone is DNA (blastx): bases where it is translated, for it is written as
    it was given. The identifier is ``name/start-end`` of what is written, the start above the end on the opposite
    strand. Hits without an alignment (score 0) have nothing to write.
    """
    for row in by_alignment(hits):
        if (pair := sides(result, row)) is None:
            continue
        on, other = pair
        start, end, residues = on.residues(options.flank)
        evalue = format_evalue(row.log10_evalue) or "unknown"
        facts = f"[hit={other.record.id} score={row.score} E={evalue}{f' frame={on.frame}' if on.frame else ''}]"
        write_record(file, f"{on.record.id}/{start}-{end} {on.record.description} {facts}", residues)


def write_corrected(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write the protein that each alignment reads from the DNA, its reading put right where it shifts; stops are ``*``.

    Of the subject, or of the query where that alone is DNA (blastx); what is not translated is written as aligned parts
    are. Hits without an alignment have nothing to write.
    """
    if result.translation is None:
        write_aligned_fasta(result, hits, file, options)
        return
    side = 0 if on_query(result) else 1
    for row in by_alignment(hits):
        if (pair := sides(result, row)) is None:
            continue
        on, other = pair
        start, end, _ = on.residues()
        residues = aligned_residues(row)[side].translate(NO_SIGNS)
        shifts = row.counts.frameshifts if row.counts is not None else 0
        said = f" frameshifts={shifts}" if result.translation.shift else ""
        header = f"{on.record.id}/{start}-{end} {on.record.description} [hit={other.record.id} score={row.score}{said}]"
        write_record(file, header, residues.encode("ascii"))


FORMATS: Final = (
    ExportFormat(
        "fasta-dna", "FASTA, aligned parts as DNA", ".fasta", "the aligned parts as they were given, not translated",
        write_dna, takes=frozenset({"flank"}),
    ),
    ExportFormat(
        "fasta-corrected", "FASTA, proteins read from DNA", ".fasta",
        "the protein that each alignment reads from the DNA, put right where the reading shifts", write_corrected,
    ),
)  # fmt: skip
