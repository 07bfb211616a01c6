"""An alignment as text: wrapped with numbers, without, or as FASTA. Pure, without Qt."""

from __future__ import annotations

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.hits.table import Hit
from swgui.core.records import SequenceRecord
from swgui.core.words import count, equal_evalue
from swgui.gui.viewer.rows.layout import RowsLayout, block, block_count
from swgui.gui.words import formatting
from swgui.io.export.rows import span


def wrapped_text(layout: RowsLayout, width: int = 60, start: int = 0, stop: int | None = None) -> str:
    """Write columns `start` to `stop` in lines of `width` with residue numbers at both ends."""
    part = layout.part(start, len(layout) if stop is None else stop)
    numbers = max([len(str(int(p.max(initial=0)))) for p in (part.query_positions, part.subject_positions)], default=1)
    lines = []
    for index in range(block_count(part, width)):
        line = block(part, width, index)
        columns = slice(line.start, line.stop)
        rows = (
            ("Query", line.query_first, part.query, line.query_last),
            ("", 0, part.match, 0),
            ("Subject", line.subject_first, part.subject, line.subject_last),
        )
        for name, first, symbols, last in rows:
            begin = f"{name:<7}  {first or '':>{numbers}}  "
            lines.append(f"{begin}{symbols[columns].tobytes().decode('ascii')}  {last or ''}".rstrip())
        lines.append("")
    return "\n".join(lines)


def bare_text(layout: RowsLayout, start: int = 0, stop: int | None = None) -> str:
    """Write columns `start` to `stop` as three lines of symbols: query, match line, subject."""
    part = layout.part(start, len(layout) if stop is None else stop)
    return "\n".join(row.tobytes().decode("ascii") for row in (part.query, part.match, part.subject)) + "\n"


def aligned_fasta(
    records: tuple[SequenceRecord, SequenceRecord],
    layout: RowsLayout,
    start: int = 0,
    stop: int | None = None,
    *,
    gaps: bool = True,
) -> str:
    """Write both rows of columns `start` to `stop` as FASTA, with residue ranges behind the ids."""
    part = layout.part(start, len(layout) if stop is None else stop)
    texts = []
    for record, symbols, positions in (
        (records[0], part.query, part.query_positions),
        (records[1], part.subject, part.subject_positions),
    ):
        present = positions[positions > 0]
        place = f"/{present[0]}-{present[-1]}" if len(present) else ""
        text = symbols.tobytes().decode("ascii").replace(" ", "-")
        if not gaps:
            text = text.replace("-", "")
        lines = [text[start : start + 60] for start in range(0, len(text), 60)]
        texts.append("\n".join([f">{record.id}{place} {record.description}".rstrip(), *lines]))
    return "\n".join(texts) + "\n"


def whole_text(hit: Hit, layout: RowsLayout, alphabet: Alphabet, width: int = 60) -> str:
    """Write a hit in full; `alphabet` is the search's, which a translated side is not written in."""
    query, subject = hit.query_record, hit.subject
    of = hit.translation.of if hit.translation is not None else None
    read = (of is not None and of.translates_query, of is not None and of.translates_database)
    units = [(NUCLEOTIDE if translated else alphabet).letter for translated in read]
    lines = [
        f"Query    {query.header}",
        f"         {count(len(query.residues), units[0])}",
        f"Subject  {subject.header}",
        f"         {count(len(subject.residues), units[1])}",
        "",
        *facts(hit),
        "",
        wrapped_text(layout, width),
    ]
    return "\n".join(lines)


def facts(hit: Hit) -> list[str]:
    """Return the figures of a hit in words, one line for scores, one for counts, one for places."""
    lines = [f"Score {hit.score:,}"]
    if hit.bit_score == hit.bit_score:  # not NaN
        lines[0] += f", {formatting.tenths(hit.bit_score)} bits, {equal_evalue(hit.log10_evalue)}"
    counts, place = hit.counts, span(hit)
    if counts is None or place is None:
        return lines
    positives = f"positives {counts.positive:,}/{counts.length:,} ({counts.ppos:.1f} %), "
    lines.append(
        f"Identities {counts.nident:,}/{counts.length:,} ({counts.pident:.1f} %), "
        f"{positives if counts.positive != counts.nident else ''}"  # the same for nucleotides
        f"gaps {counts.gaps:,}/{counts.length:,} ({100 * counts.gaps / max(counts.length, 1):.1f} %)"
        + (f", {count(counts.frameshifts, 'frameshift')}" if counts.frameshifts else "")
    )
    lines.append(
        f"Query {place.query_start:,} to {place.query_end:,} ({hit.query_coverage:.1f} %), "
        f"subject {place.subject_start:,} to {place.subject_end:,} ({hit.subject_coverage:.1f} %)"
        + (f", {read}" if (read := formatting.strand(hit.strand)) else "")
    )
    return lines


def ends(hit: Hit) -> str:
    """Return the ends of a hit's alignment, as residue numbers: ``Query 1 to 60, subject 5 to 64``."""
    place = span(hit)
    if place is None:
        return ""
    return (
        f"Query {place.query_start:,} to {place.query_end:,}, subject {place.subject_start:,} to {place.subject_end:,}"
    )
