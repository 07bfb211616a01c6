"""Pairwise text in the layout of BLAST's report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.alignment import PLAIN
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.genetic_codes import CODON
from swgui.core.verdict.queries import judge_query, significant_alignments
from swgui.core.words import count, format_evalue
from swgui.io.cells import clean_text
from swgui.io.export.base import ExportOptions
from swgui.io.export.grouping import by_query
from swgui.io.export.provenance import provenance_lines
from swgui.io.export.rows import AGAIN, NOT_RESIDUES, SKIPPED, aligned_rows, join_of, span, symbol_rows

LINE: Final = 60
_TITLE_WIDTH: Final = 66


def write_text(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write a report: the search, then for each query a list of its hits and their alignments."""
    file.write(f"swgui {result.version}: exact Smith-Waterman search\n\n")
    for line in provenance_lines(result)[2:]:
        file.write(f"  {line}\n")
    for of_query, group in by_query(result, hits):
        file.write(f"\n\nQuery= {clean_text(of_query.query.header)}\n")
        file.write(f"Length={len(of_query.query.residues)}\n\n")
        if not group:
            file.write("***** No hits found *****\n")
            continue
        file.write(f"{judge_query(of_query, significant_alignments(group))}\n\n")
        _write_list(group, file)
        for hit in group:
            file.write(pairwise_text(hit, result.scheme))


def _write_list(group: list[Hit], file: TextIO) -> None:
    file.write(f"{'Sequences with the best scores':<{_TITLE_WIDTH}}    Score    Bits  E value\n\n")
    for hit in group:
        title = clean_text(hit.subject.header)
        if len(title) > _TITLE_WIDTH:
            title = f"{title[: _TITLE_WIDTH - 3]}..."
        bits = _number(hit.bit_score)
        number = f"  {count(len(hit.hsps), 'alignment')}" if len(hit.hsps) > 1 else ""
        evalue = format_evalue(hit.log10_evalue) or "-"
        file.write(f"{title:<{_TITLE_WIDTH}} {hit.score:>8} {bits:>7}  {evalue}{number}\n")
    file.write("\n")


def pairwise_text(hit: Hit, scheme: ScoringScheme) -> str:
    """Return one hit as text: header, then of each alignment its counts and its residues in lines of 60 columns."""
    head = f"\n>{clean_text(hit.subject.header)}\nLength={len(hit.subject.residues)}\n"
    return head + "".join(alignment_text(row, scheme) for row in hit.rows())


def alignment_text(hit: Hit, scheme: ScoringScheme) -> str:
    """Return the counts and the residues of one alignment of a hit, with an empty line before it."""
    lines = [""]
    evalue = format_evalue(hit.log10_evalue) or "unknown"
    lines.append(f" Score = {_number(hit.bit_score)} bits ({hit.score}),  Expect = {evalue}")
    counts = hit.counts
    if counts is not None:
        parts = [f" Identities = {share(counts.nident, counts.length)}"]
        if scheme.alphabet.name == "protein":
            parts.append(f"Positives = {share(counts.positive, counts.length)}")
        parts.append(f"Gaps = {share(counts.gaps, counts.length)}")
        lines.append(", ".join(parts))
    if frames := [frame for frame in hit.frames if frame]:
        said = f" Frame = {'/'.join(f'{frame:+d}' for frame in frames)}"
        if hit.alignment is not None and hit.alignment.steps != PLAIN and counts is not None:
            said += f", {count(counts.frameshifts, 'frameshift')}"
        lines.append(said)
    if scheme.alphabet.complements:
        lines.append(f" Strand=Plus/{'Plus' if hit.strand > 0 else 'Minus'}")
    if counts is not None and (join := join_of(hit)):
        lines.append(f" Across the origin of the subject: {join}")
    lines.append("")
    lines += _alignment_lines(hit, scheme)
    return "\n".join(lines) + "\n"


def _alignment_lines(hit: Hit, scheme: ScoringScheme) -> list[str]:
    ends = span(hit)
    if ends is None:
        return ["(no alignment)"]
    rows = aligned_rows(hit, scheme)
    of_query, step = _steps(hit)
    width = len(str(max(ends.query_start, ends.query_end, ends.subject_start, ends.subject_end)))
    at_query, at_subject = ends.query_start, ends.subject_start
    length = int(hit.table.subjects.lengths[hit.place])
    lines = []
    beside = symbol_rows(hit, scheme)
    for start in range(0, len(rows.query), LINE):
        query, match, subject = (row[start : start + LINE] for row in (rows.query, rows.match, rows.subject))
        above, at_query = _row_of("Query", at_query, query, of_query, width)
        below, at_subject = _row_of("Sbjct", at_subject, subject, step, width, length)
        lines += [above, f"{'':<{7 + width + 2}}{match}".rstrip(), below, ""]
        if beside is not None:
            above, below = (f"{beside.name:<{7 + width + 2}}{row[start : start + LINE]}" for row in beside.rows)
            lines[-4:] = [above, *lines[-4:-1], below, ""]
    return lines


def _row_of(name: str, position: int, row: str, step: int, width: int, length: int = 0) -> tuple[str, int]:
    """Return a row, and the position behind it; a base that is skipped or read twice moves what follows.

    Parameters
    ----------
    length : int
        That of a sequence that may be circular: behind its end, and before its beginning, positions go round.
    """
    sign = 1 if step > 0 else -1
    residues = len(row) - sum(map(row.count, NOT_RESIDUES))
    inside = row.strip(NOT_RESIDUES)
    before = _moved(row[: row.find(inside)]) if inside else 0
    moved = sign * _moved(inside)
    text = text_row(name, position + sign * before, row, residues, step, width, moved, length)
    return text, position + step * residues + sign * _moved(row)


def _moved(row: str) -> int:
    return row.count(SKIPPED) - row.count(AGAIN)


def _steps(hit: Hit) -> tuple[int, int]:
    """Return how many positions a residue of query and subject is, below 0 where they descend."""
    frames = hit.frames
    if not any(frames):
        return 1, hit.strand
    query, subject = (CODON * (1 if frame > 0 else -1) if frame else 1 for frame in frames)
    return query, subject


def text_row(
    name: str, start: int, row: str, residues: int, step: int, width: int, moved: int = 0, length: int = 0
) -> str:
    """Return one row; a row of gaps only shows the position before it twice, as BLAST does.

    Parameters
    ----------
    name : str
        Query or Sbjct.
    start : int
        Position of its first residue.
    row : str
        With gap signs.
    residues : int
        Without them.
    step : {1, -1, 3, -3}
        Positions of a residue, of which a codon has three; below 0 where they descend.
    width : int
        Of positions, in characters.
    moved : int
        Positions by which shifts of the reading move the last residue.
    length : int
        That of a sequence that may be circular: behind its end, and before its beginning, positions go round.
    """
    sign = 1 if step > 0 else -1
    first = start if residues else start - sign
    last = start + step * residues - sign + moved
    if length and residues:
        first, last = (first - 1) % length + 1, (last - 1) % length + 1
    return f"{name}  {first:<{width}}  {row}  {last}"


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.1f}"


def share(part: int, whole: int) -> str:
    """Return a count with its percentage, as BLAST writes it."""
    return f"{part}/{whole} ({100 * part / whole:.0f}%)" if whole else "0/0"
