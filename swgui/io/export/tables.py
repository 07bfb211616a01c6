"""Tables: TSV, CSV and BLAST's tabular formats; a row for each alignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TextIO

from swgui.core.hits.joined import joined
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit, HitTable, tables_of
from swgui.io.cells import clean_text, mapped, spreadsheet_text
from swgui.io.export.base import ExportOptions
from swgui.io.export.columns import BLAST_COLUMNS, Column, choose_columns, columns_of


def write_tsv(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write tab-separated lines with a header line."""
    chosen = columns_of(result, options.columns)
    if options.comments:
        _comment(file, result)
    file.write("\t".join(column.name for column in chosen) + "\n")
    for table in joined(tables_of(hits)):
        _write_lines(file, table, chosen, _cells)


def write_csv(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write comma-separated lines with a header line; quoted where RFC 4180 asks for it."""
    chosen = columns_of(result, options.columns)
    if options.comments:
        _comment(file, result)
    import csv

    rows = csv.writer(file, lineterminator="\n")
    rows.writerow([column.heading if options.headings else column.name for column in chosen])
    for table in joined(tables_of(hits)):
        rows.writerows(zip(*(_cells(column, table) for column in chosen), strict=True))


def _comment(file: TextIO, result: SearchResult) -> None:
    """Say where a result comes from."""
    from swgui.io.export.provenance import provenance_lines, write_comments  # here: few tables say it

    write_comments(file, provenance_lines(result))


Cells = Callable[[Column, HitTable], list[str]]


def _write_lines(file: TextIO, table: HitTable, columns: Sequence[Column], cells: Cells) -> None:
    """Write a tab-separated line for each line of a table."""
    lines = map("\t".join, zip(*(cells(column, table) for column in columns), strict=True))
    file.write("\n".join(lines) + "\n")


def _cells(column: Column, table: HitTable) -> list[str]:
    return column.texts(table, spreadsheet_text)


def write_blast6(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write BLAST's format 6: tab-separated, no header, its twelve columns unless others are asked for."""
    chosen = choose_columns(options.columns or BLAST_COLUMNS, BLAST_COLUMNS)
    for table in joined(tables_of(hits)):
        _write_lines(file, table, chosen, _blast_cells)


def write_blast7(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write BLAST's format 7: format 6 with comment lines before each query."""
    from swgui.io.export.grouping import tables_by_query

    chosen = choose_columns(options.columns or BLAST_COLUMNS, BLAST_COLUMNS)
    fields = ", ".join(column.blast or column.name for column in chosen)
    scheme = result.scheme
    queries = 0
    for of_query, tables in tables_by_query(result, hits):
        queries += 1
        file.write(f"# swgui {result.version} (exact Smith-Waterman)\n")
        file.write(f"# Query: {clean_text(of_query.query.header)}\n")
        file.write(f"# Database: {clean_text(result.database.name)} (checksum {result.database.checksum})\n")
        file.write(f"# Parameters: {clean_text(scheme.describe())}, {_read(result)}, {result.state}\n")
        if tables:
            file.write(f"# Fields: {fields}\n")
        file.write(f"# {sum(table.lines for table in tables)} hits found\n")
        for table in tables:
            _write_lines(file, table, chosen, _blast_cells)
    file.write(f"# BLAST processed {queries} queries\n")


def _read(result: SearchResult) -> str:
    return f"strand {result.search.strand}" if result.translation is None else result.translation.describe()


_NOTHING: Final[dict[str, Callable[[Column], str]]] = {
    "text": lambda column: "N/A",
    "integer": lambda column: "0",
    "real": lambda column: f"{0:.{column.decimals}f}",
    "evalue": lambda column: "nan",
}


def _blast_cells(column: Column, table: HitTable) -> list[str]:
    """Return fields for BLAST's readers, which allow no empty ones; identifiers stay one word."""
    texts, nothing = column.texts(table), _NOTHING[column.kind](column)
    if column.key in ("qseqid", "sseqid"):
        texts = mapped(lambda text: "_".join(text.split()), texts)
    return [text or nothing for text in texts]
