"""FASTA of what alignments lie on, as it was given: of what is translated the DNA."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.hits.results import Hit, SearchResult
from swgui.core.words import format_evalue
from swgui.io.export.annotation.sides import sides
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.fasta import write_record
from swgui.io.export.grouping import by_alignment


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


FORMATS: Final = (
    ExportFormat(
        "fasta-dna", "FASTA, aligned parts as DNA", ".fasta", "the aligned parts as they were given, not translated",
        write_dna, takes=frozenset({"flank"}),
    ),
)  # fmt: skip
