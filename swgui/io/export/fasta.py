"""FASTA: subjects as a whole, or what is inside the alignments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TextIO

from swgui.core.results import Hit, SearchResult
from swgui.io.export.rows import aligned_part, span
from swgui.io.export.values import clean_text, format_evalue

LINE: Final = 60


def write_fasta(
    result: SearchResult, hits: Iterable[Hit], file: TextIO, columns: Sequence[str] | None, comments: bool
) -> None:
    """Write each subject once, in the order of its first hit, with its own header."""
    written: set[int] = set()
    for hit in hits:
        if hit.db_index not in written:
            written.add(hit.db_index)
            write_record(file, hit.subject.header, hit.subject.residues)


def write_aligned_fasta(
    result: SearchResult, hits: Iterable[Hit], file: TextIO, columns: Sequence[str] | None, comments: bool
) -> None:
    """Write the aligned part of each hit, without gaps.

    The identifier is ``subject/start-end``; on the minus strand the part is reverse complemented and
    its start is above its end. Hits without an alignment (score 0) have nothing to write.
    """
    for hit in hits:
        ends = span(hit)
        if ends is None:
            continue
        evalue = format_evalue(hit.log10_evalue) or "unknown"
        facts = f"[query={hit.query_record.id} score={hit.score} E={evalue}]"
        name = f"{hit.subject.id}/{ends.subject_start}-{ends.subject_end}"
        write_record(file, f"{name} {hit.subject.description} {facts}", aligned_part(hit))


def write_record(file: TextIO, header: str, residues: bytes) -> None:
    """Write one record in lines of 60 letters."""
    letters = residues.decode("ascii")
    file.write(f">{clean_text(header)}\n")
    for start in range(0, len(letters), LINE):
        file.write(letters[start : start + LINE] + "\n")
