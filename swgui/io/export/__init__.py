"""Exports: the same bytes from the window and from the command line.

Decisions that hold for all formats:

* A hit is a subject; formats of alignments write one line, row or record for each of its alignments (`Hit.rows`).
  Tables of columns that need no alignment stay lists of subjects.
* Coordinates count from 1; on the minus strand the subject is reverse-complemented, as in BLAST (``sstart > send``).
* E-values are written from their logarithm and never become 0 by underflow; bit scores have one decimal.
* Control characters in names become blanks. In CSV and TSV a text that begins with ``= + - @``, and would run
  as a formula in a spreadsheet, gets an apostrophe in front. BLAST's tables leave names as they are.
* JSON, text, HTML, BLAST 7, BLAST XML, SAM, Stockholm and workbooks say where the result comes from. CSV and TSV
  begin with the header line, as most readers expect, and say it in ``#`` lines before it only if asked to.
  BLAST 6, PAF, PSL, FASTA, A3M and Clustal have no place for it.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable
from typing import Any, Final, TextIO

from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.io.export.base import NO_OPTIONS, Choice, ExportFormat, ExportOptions, format_of
from swgui.io.export.columns import DEFAULT_COLUMNS, HIT_COLUMNS, Column, choose_columns, columns_need_alignment
from swgui.io.plugins import add_installed
from swgui.io.table_files import no_text
from swgui.io.whole_file import save_bytes, save_text

__all__ = [
    "DEFAULT_COLUMNS",
    "FORMATS",
    "HIT_COLUMNS",
    "Column",
    "ExportFormat",
    "ExportOptions",
    "choose_columns",
    "columns_need_alignment",
    "find_format",
    "find_text_format",
    "save_hits",
    "write_hits",
]

_COLUMNS: Final[frozenset[Choice]] = frozenset({"columns"})
_WITH_COMMENTS: Final[frozenset[Choice]] = frozenset({"columns", "comments"})


def _named(place: str) -> Callable[..., Any]:
    """Return a function that imports another one when it is called: a search loads only the format that it writes.

    Parameters
    ----------
    place : str
        ``module:function``; a module of this folder by its name with a dot before it.
    """
    module, _, name = place.partition(":")
    return lambda *arguments: getattr(importlib.import_module(module, "swgui.io.export"), name)(*arguments)


# In the order of menus.
_OURS: Final = (
    ExportFormat(
        "tsv", "Table, tab-separated (TSV)", ".tsv", "tab-separated table with a header line",
        lines=_named(".tables:tsv_lines"), needs_fit=False, takes=_WITH_COMMENTS, group="tables",
    ),
    ExportFormat(
        "csv", "Table for spreadsheets (CSV)", ".csv", "comma-separated table for spreadsheets",
        lines=_named(".tables:csv_lines"), needs_fit=False, takes=_WITH_COMMENTS | {"headings"}, group="tables",
    ),
    ExportFormat(
        "blast6", "BLAST tabular, format 6", ".tsv", "BLAST tabular: 12 columns without a header",
        lines=_named(".tables:blast6_lines"), needs_fit=False, takes=_COLUMNS, group="tables",
    ),
    ExportFormat(
        "blast7", "BLAST tabular with comments, format 7", ".tsv", "BLAST tabular with comment lines",
        _named(".tables:write_blast7"), needs_fit=False, takes=_COLUMNS, group="tables",
    ),
    ExportFormat(
        "json", "JSON", ".json", "everything, with the parameters of the search",
        _named(".json_format:write_json"), takes=_COLUMNS, group="reports",
    ),
    ExportFormat(
        "fasta", "FASTA, whole subjects", ".fasta", "every subject once",
        _named(".fasta:write_fasta"), needs_alignment=False, group="sequences",
    ),
    ExportFormat(
        "fasta-aligned", "FASTA, aligned parts", ".fasta", "the aligned parts of the subjects",
        _named(".fasta:write_aligned_fasta"), takes=frozenset({"flank", "gaps"}), group="sequences",
    ),
    ExportFormat(
        "fasta-dna", "FASTA, aligned parts as DNA", ".fasta", "the aligned parts as they were given, not translated",
        _named(".fasta:write_dna"), takes=frozenset({"flank"}), group="sequences",
    ),
    ExportFormat(
        "fasta-corrected", "FASTA, proteins read from DNA", ".fasta",
        "the protein that each alignment reads from the DNA, put right where the reading shifts",
        _named(".fasta:write_corrected"), group="sequences",
    ),
    ExportFormat(
        "text", "Pairwise alignments (text)", ".txt", "pairwise alignments in the layout of BLAST",
        _named(".text:write_text"), group="alignments",
    ),
    ExportFormat(
        "html", "Report (HTML)", ".html", "report in one file: tables and alignments",
        _named(".html_report:write_html"), group="reports",
    ),
    ExportFormat(
        "pdf", "Report on paper (PDF)", ".pdf",
        "report on paper, for any number of queries: the answer, bars, tables and the first alignments",
        write_bytes=_named("swgui.io.paper.search:write_report"), group="reports",
    ),
    ExportFormat(
        "blast-xml", "BLAST XML2, format 16", ".xml", "BLAST XML2 (format 16), a report per query",
        _named(".blast_xml:write_blast_xml"), group="reports",
    ),
    ExportFormat(
        "blast-xml1", "BLAST XML, format 5", ".xml",
        "BLAST XML (format 5), which most programs read, also of several queries",
        _named(".blast_xml:write_blast_xml1"), group="reports",
    ),
    ExportFormat(
        "blast-json", "BLAST JSON, format 15", ".json", "BLAST JSON in one file (format 15), a report per query",
        _named(".blast_json:write_blast_json"), group="reports",
    ),
    ExportFormat(
        "sam", "SAM", ".sam", "SAM, the subjects as references",
        _named(".sam:write_sam"), group="alignments",
    ),
    ExportFormat(
        "paf", "PAF", ".paf", "PAF: coordinates and CIGAR, a line per alignment",
        _named(".sam:write_paf"), group="alignments",
    ),
    ExportFormat(
        "psl", "PSL", ".psl",
        "the table of BLAT, which genome browsers read: blocks without gaps, a line per alignment",
        _named(".psl:write_psl"), group="alignments",
    ),
    ExportFormat(
        "gff3", "GFF3", ".gff3", "features of the sequences that hits lie on, a line per alignment",
        _named(".annotation:write_gff3"), group="sequences",
    ),
    ExportFormat(
        "genbank", "GenBank", ".gb", "entries of the sequences that hits lie on, alignments as features",
        _named(".annotation:write_genbank"), group="sequences",
    ),
    ExportFormat(
        "a3m", "Multiple alignment (A3M)", ".a3m", "all hits of one query stacked, insertions in lower case",
        _named(".stacked:write_a3m"), one_query=True, group="alignments",
    ),
    ExportFormat(
        "stockholm", "Multiple alignment (Stockholm)", ".sto", "all hits of each query stacked",
        _named(".stacked:write_stockholm"), group="alignments",
    ),
    ExportFormat(
        "clustal", "Multiple alignment (Clustal)", ".aln", "all hits of one query stacked, in blocks",
        _named(".stacked:write_clustal"), one_query=True, group="alignments",
    ),
    ExportFormat(
        "xlsx", "Excel workbook (XLSX)", ".xlsx", "workbook with typed cells",
        write_bytes=_named(".tables:write_xlsx"), takes=_COLUMNS,
        require=_named("swgui.io.workbook:load_xlsxwriter"), group="tables",
    ),
    ExportFormat(
        "pdb", "PDB, superposed", ".pdb", "subjects with coordinates superposed on the query, CA atoms, a model each",
        _named("swgui.io.export.superposed:write_traces"), needs_fit=False, one_query=True, group="alignments",
    ),
)  # fmt: skip
FORMATS: Final[dict[str, ExportFormat]] = {form.name: form for form in _OURS}


def find_format(name: str) -> ExportFormat:
    """Return a format by its name.

    Raises
    ------
    InvalidParameter
        If there is no such format.
    """
    return format_of(FORMATS, name)


def find_text_format(name: str) -> ExportFormat:
    """Return a format that can be written to a stream of text.

    Raises
    ------
    InvalidParameter
        As `find_format`, or if the format is not text.
    """
    form = find_format(name)
    if not form.is_text:
        raise no_text(form.name)
    return form


def write_hits(
    format_name: str, result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions = NO_OPTIONS
) -> None:
    """Write hits in one of the `FORMATS` that are text.

    Parameters
    ----------
    result : SearchResult
        What the hits belong to; gives parameters and database.
    hits : iterable of Hit
        In the order of the output, those of one query together; read one by one.

    Raises
    ------
    InvalidParameter
        If there is no such format or column, or the format does not have what was chosen or is no text.
    """
    form = find_text_format(format_name)
    form.check(options)
    if form.lines is not None:
        lines = form.lines(result, options)
        lines.write(map(lines.of, lines.tables(hits)), file)
    elif form.write is not None:
        form.write(result, hits, file, options)


def save_hits(
    path: str | os.PathLike[str],
    format_name: str,
    result: SearchResult,
    hits: Iterable[Hit],
    options: ExportOptions = NO_OPTIONS,
) -> None:
    """Write hits to a file, whole or not at all, in one of `FORMATS`.

    Parameters are those of `write_hits`.

    Raises
    ------
    InvalidParameter
        If there is no such format or column, the format does not have what was chosen, or a library is missing.
    FileNotWritten
        If the file cannot be written.
    """
    form = find_format(format_name)
    form.check(options)
    if (write_bytes := form.write_bytes) is not None:
        save_bytes(path, lambda file: write_bytes(result, hits, file, options))
    else:
        save_text(path, lambda file: write_hits(format_name, result, hits, file, options))


add_installed(HIT_COLUMNS, "swgui.columns", Column, lambda column: column.key)
add_installed(FORMATS, "swgui.formats", ExportFormat, lambda form: form.name)
