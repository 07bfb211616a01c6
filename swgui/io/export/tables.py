"""Tables: TSV, CSV and BLAST's tabular formats; a row for each alignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import IO, Final, TextIO

from swgui.core.hits.joined import joined
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit, HitTable
from swgui.core.table import Table
from swgui.io import table_files
from swgui.io.cells import clean_text
from swgui.io.export.base import ExportOptions, Lines
from swgui.io.export.columns import BLAST_COLUMNS, HIT_COLUMNS, Column, choose_columns, columns_of
from swgui.io.lines import BY_COMMAS, BY_TABS, Layout, lines_of

LINKED: Final = ("sseqid", "accession", "link")  # columns that lead to the page of the subject in workbooks
_NOTHING: Final[dict[str, Callable[[Column], str]]] = {
    "text": lambda column: "N/A",
    "integer": lambda column: "0",
    "real": lambda column: f"{0:.{column.decimals}f}",
    "evalue": lambda column: "nan",
}


def tsv_lines(result: SearchResult, options: ExportOptions) -> Lines:
    """Tab-separated lines with a header line."""
    chosen = _chosen(result, options)
    return Lines(table_files.tsv_head(chosen, _comments(result, options)), chosen, BY_TABS, options.joined)


def csv_lines(result: SearchResult, options: ExportOptions) -> Lines:
    """Comma-separated lines with a header line; quoted where RFC 4180 asks for it."""
    chosen = _chosen(result, options)
    head = table_files.csv_head(chosen, _comments(result, options), headings=options.headings)
    return Lines(head, chosen, BY_COMMAS, options.joined)


def write_xlsx(result: SearchResult, hits: Iterable[Hit], file: IO[bytes], options: ExportOptions) -> None:
    """Write a workbook with the sheets "Hits" and "Search"; more than a million hits go to further sheets.

    Raises
    ------
    InvalidParameter
        If the library XlsxWriter is not installed.
    """
    from swgui.io.export.provenance import provenance
    from swgui.io.workbook import Book  # here: few tables are workbooks

    book, chosen = Book(), _chosen(result, options)
    book.add_table("Hits", Table(chosen, lambda: joined(hits), chosen), LINKED, _pages)
    book.add_facts("Search", provenance(result))
    book.save(file, result.version, result.finished_at)


def _pages(table: HitTable) -> list[str]:
    """Return the page of the subject of each line; empty where there is none."""
    from swgui.core.headers import parse_header

    headers = map(parse_header, table.subjects.ids, table.subjects.descriptions)
    return table.per_line([header.links[0].url if header.links else "" for header in headers])


def _comments(result: SearchResult, options: ExportOptions) -> Sequence[str]:
    """Return the sources of hits, if requested."""
    if not options.comments:
        return ()
    from swgui.io.export.provenance import provenance_lines  # here: few tables say it

    return provenance_lines(result)


def _chosen(result: SearchResult, options: ExportOptions) -> tuple[Column, ...]:
    return (*columns_of(result, options.columns), *options.joined)


def blast6_lines(result: SearchResult, options: ExportOptions) -> Lines:
    """BLAST's format 6: tab-separated, no header, its twelve columns unless others are requested."""
    chosen = (*choose_columns(options.columns or BLAST_COLUMNS, BLAST_COLUMNS), *options.joined)
    return Lines("", chosen, _FOR_BLAST, options.joined)


def write_blast7(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write BLAST's format 7: format 6 with comment lines before each query."""
    from swgui.io.export.grouping import tables_by_query

    chosen = (*choose_columns(options.columns or BLAST_COLUMNS, BLAST_COLUMNS), *options.joined)
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
            file.write(lines_of(chosen, table, _FOR_BLAST))
    file.write(f"# BLAST processed {queries} queries\n")


def _read(result: SearchResult) -> str:
    return f"strand {result.search.strand}" if result.translation is None else result.translation.describe()


def _nothing(column: Column) -> str:
    """Return the cell of BLAST's readers for a value that is not known."""
    return _NOTHING[column.kind if column.key in HIT_COLUMNS else "text"](column)


_FOR_BLAST: Final = Layout("\t", clean_text, _nothing, frozenset({"qseqid", "sseqid"}))
