"""Stacked alignments: all hits of a query under the query, one column per query residue, a row per alignment.

Residues of a subject that stand against a gap in the query are insertions. A3M writes them in lower
case without giving them columns; Stockholm and Clustal give them columns of their own. On the minus strand the
subject is reverse-complemented, so that every row reads in the direction of the query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TextIO

from swgui.core.alignment import Alignment, Op
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.hits.table import Hit
from swgui.core.words import format_evalue
from swgui.io.cells import clean_text, distinct_names
from swgui.io.export.base import ExportOptions, several_queries
from swgui.io.export.grouping import by_alignment, by_query
from swgui.io.export.provenance import provenance_lines
from swgui.io.export.rows import aligned_part, span, span_of

_CLUSTAL_LINE: Final = 60


def write_a3m(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write A3M: the query, then a row per alignment; one query only, as the format has no way to hold two.

    Raises
    ------
    InvalidParameter
        If the hits belong to more than one query.
    """
    for of_query, group in _only_query(result, hits, "a3m"):
        file.write(f">{clean_text(of_query.query.header)}\n{_query_row(of_query)}\n")
        for hit in group:
            if hit.alignment is not None:
                base, inserted = _against_query(hit, hit.alignment)
                row = _spliced(base, {column: residues.lower() for column, residues in inserted.items()})
                file.write(f">{_row_name(hit)} {clean_text(hit.subject.description)}\n{row}\n")


def _only_query(result: SearchResult, hits: Iterable[Hit], format_name: str) -> Iterator[tuple[QueryResult, list[Hit]]]:
    """Yield the one query with its hits; refuse a second one."""
    if result.translation is not None and result.translation.of.translates_query:
        raise _several_frames(format_name, result.translation.program)
    written = 0
    for of_query, group in by_query(result, by_alignment(hits)):
        if not group and len(result.queries) > 1:
            continue
        written += 1
        if written > 1:
            raise several_queries(format_name)
        yield of_query, group


def _several_frames(format_name: str, program: str) -> InvalidParameter:
    return InvalidParameter(
        "format",
        format_name,
        f"Subjects cannot be stacked on a query of {program}, which is read in several frames.",
        hint="Choose a format that writes every alignment by itself.",
    )


def write_clustal(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write Clustal: blocks of 60 columns, insertions in columns of their own; one query only.

    Raises
    ------
    InvalidParameter
        If the hits belong to more than one query.
    """
    file.write(f"CLUSTAL W (1.83) multiple sequence alignment, written by swgui {result.version}\n\n\n")
    for of_query, group in _only_query(result, hits, "clustal"):
        names, rows, _ = _with_insertions(of_query, [hit for hit in group if hit.alignment is not None])
        width = max(len(name) for name in names) + 6
        plain = [row.upper().replace(".", "-") for row in rows]
        for start in range(0, len(plain[0]), _CLUSTAL_LINE):
            block = [row[start : start + _CLUSTAL_LINE] for row in plain]
            file.writelines(f"{name:<{width}}{part}\n" for name, part in zip(names, block, strict=True))
            stars = "".join(
                "*" if len({*column}) == 1 and column[0] != "-" else " " for column in zip(*block, strict=True)
            )
            file.write(f"{'':<{width}}{stars}\n\n")


def write_stockholm(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write Stockholm 1.0: one alignment per query, each ending in ``//``."""
    if result.translation is not None and result.translation.of.translates_query:
        raise _several_frames("stockholm", result.translation.program)
    for of_query, group in by_query(result, by_alignment(hits)):
        if group:
            _write_stockholm_block(result, of_query, [hit for hit in group if hit.alignment is not None], file)


def _write_stockholm_block(result: SearchResult, of_query: QueryResult, group: list[Hit], file: TextIO) -> None:
    names, rows, reference = _with_insertions(of_query, group)
    width = max(len("#=GC RF"), *(len(name) for name in names))
    file.write(f"# STOCKHOLM 1.0\n#=GF ID {names[0]}\n")
    for line in provenance_lines(result):
        file.write(f"#=GF CC {line}\n")
    file.write(f"#=GS {names[0]:<{width}} DE {clean_text(of_query.query.description)}\n")
    for name, hit in zip(names[1:], group, strict=True):
        facts = f"score {hit.score}, E {format_evalue(hit.log10_evalue) or 'unknown'}"
        file.write(f"#=GS {name:<{width}} DE {clean_text(hit.subject.description)} ({facts})\n")
    file.writelines(f"{name:<{width}} {row}\n" for name, row in zip(names, rows, strict=True))
    file.write(f"{'#=GC RF':<{width}} {reference}\n//\n")


def _with_insertions(of_query: QueryResult, group: list[Hit]) -> tuple[list[str], list[str], str]:
    """Return names and rows of the query and its hits, all of one length, and a line of ``x`` under the query.

    Insertions are in lower case, in columns of their own, filled up with ``.``.
    """
    stacked = [_against_query(hit, hit.alignment) for hit in group if hit.alignment is not None]
    widths: dict[int, int] = {}
    for _, inserted in stacked:
        for column, residues in inserted.items():
            widths[column] = max(widths.get(column, 0), len(residues))
    empty = {column: "." * count for column, count in widths.items()}
    query = _query_row(of_query)
    rows = [_spliced(query, empty)]
    for base, inserted in stacked:
        filled = {column: inserted.get(column, "").lower().ljust(count, ".") for column, count in widths.items()}
        rows.append(_spliced(base, filled))
    query_name = "_".join(clean_text(of_query.query.id).split()) or "query"
    names = distinct_names([query_name, *(_row_name(hit) for hit in group)])
    return names, rows, _spliced("x" * len(query), empty)


def _query_row(of_query: QueryResult) -> str:
    return of_query.query.residues.decode("ascii").replace("*", "X")


def _against_query(hit: Hit, alignment: Alignment) -> tuple[str, dict[int, str]]:
    """Return a subject along the query: a residue or ``-`` per query residue, and its insertions.

    Insertions are keyed by the number of query residues before them. Stops become X, which both
    formats can hold.
    """
    ends = span_of(hit, alignment, hit.strand)
    residues = aligned_part(hit).decode("ascii").replace("*", "X")
    step = 1 if hit.strand > 0 else -1
    runs = list(zip(alignment.ops[::step].tolist(), alignment.lengths[::step].tolist(), strict=True))
    parts = ["-" * (ends.query_start - 1)]
    inserted: dict[int, str] = {}
    at_query, at_subject = ends.query_start - 1, 0
    for op, length in runs:
        if op == Op.INSERTION:
            parts.append("-" * length)
        elif op == Op.MATCH:
            parts.append(residues[at_subject : at_subject + length])
        elif op == Op.DELETION:
            inserted[at_query] = residues[at_subject : at_subject + length]
        at_query += length if op in (Op.MATCH, Op.INSERTION) else 0
        at_subject += length if op in (Op.MATCH, Op.DELETION) else 0
    parts.append("-" * (len(hit.query) - ends.query_end))
    return "".join(parts), inserted


def _spliced(base: str, inserted: dict[int, str]) -> str:
    """Put texts into a row, each behind as many characters as its key says."""
    parts, start = [], 0
    for column in sorted(inserted):
        parts += [base[start:column], inserted[column]]
        start = column
    return "".join([*parts, base[start:]])


def _row_name(hit: Hit) -> str:
    ends = span(hit)
    name = "_".join(clean_text(hit.subject.id).split()) or "subject"
    return f"{name}/{ends.subject_start}-{ends.subject_end}" if ends else name
