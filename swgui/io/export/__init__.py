"""Exports: the same bytes from the window and from the command line.

Decisions that hold for all formats:

* Coordinates count from 1; on the minus strand the subject is turned, as in BLAST (``sstart > send``).
* E-values are written from their logarithm and never become 0 by underflow; bit scores have one decimal.
* Control characters in names become blanks. In CSV and TSV a text that begins with ``= + - @``, and would run
  as a formula in a spreadsheet, gets an apostrophe in front. BLAST's tables leave names as they are.
* JSON, text, HTML, BLAST 7, BLAST XML, SAM, Stockholm and workbooks say where the result comes from. CSV and TSV
  begin with the header line, as most readers expect, and say it in ``#`` lines before it only if asked to.
  BLAST 6, FASTA, A3M and Clustal have no place for it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final, TextIO

from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import Hit, SearchResult
from swgui.io.export.blast_xml import write_blast_xml
from swgui.io.export.columns import (
    DEFAULT_COLUMNS,
    HIT_COLUMNS,
    HitColumn,
    choose_columns,
    columns_need_alignment,
)
from swgui.io.export.fasta import write_aligned_fasta, write_fasta
from swgui.io.export.html_report import write_html
from swgui.io.export.json_format import write_json
from swgui.io.export.methods_text import FORMS, methods_text
from swgui.io.export.options import ExportOptions
from swgui.io.export.sam import write_sam
from swgui.io.export.stacked import several_queries, write_a3m, write_clustal, write_stockholm
from swgui.io.export.tables import write_blast6, write_blast7, write_csv, write_tsv
from swgui.io.export.text import pairwise_text, write_text
from swgui.io.export.values import format_evalue
from swgui.io.export.workbook import load_openpyxl, write_xlsx
from swgui.io.whole_file import FileNotWritten, whole_file

__all__ = [
    "BINARY_FORMATS",
    "DEFAULT_COLUMNS",
    "FORMATS",
    "FORMS",
    "HIT_COLUMNS",
    "BinaryFormat",
    "ExportFormat",
    "ExportOptions",
    "FileNotWritten",
    "HitColumn",
    "check_choice",
    "choose_columns",
    "columns_need_alignment",
    "format_evalue",
    "methods_text",
    "pairwise_text",
    "save_hits",
    "save_whole",
    "write_hits",
]

Writer = Callable[[SearchResult, Iterable[Hit], TextIO, ExportOptions], None]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One way to write hits.

    Parameters
    ----------
    name : str
        As on the command line.
    suffix : str
        Usual ending of such files, with its dot.
    description : str
    needs_alignment : bool
        Whether hits must come with their alignments (for tables: with the default columns).
    write : callable
        Takes result, hits, open text file and `ExportOptions`.
    has_columns : bool
        Whether columns can be chosen.
    has_flank : bool
        Whether flanking residues and gap signs can be chosen.
    one_query : bool
        Whether a file holds the hits of one query only.
    """

    name: str
    suffix: str
    description: str
    needs_alignment: bool
    write: Writer
    has_columns: bool = False
    has_flank: bool = False
    one_query: bool = False


@dataclass(frozen=True, slots=True)
class BinaryFormat:
    """A format that is no text; fields as in `ExportFormat`, columns can be chosen."""

    name: str
    suffix: str
    description: str
    needs_alignment: bool
    write: Callable[[SearchResult, Iterable[Hit], IO[bytes], ExportOptions], None]
    has_columns: bool = True
    has_flank: bool = False
    one_query: bool = False


FORMATS: Final[dict[str, ExportFormat]] = {
    form.name: form
    for form in (
        ExportFormat("tsv", ".tsv", "tab-separated table with a header line", True, write_tsv, True),
        ExportFormat("csv", ".csv", "comma-separated table for spreadsheets", True, write_csv, True),
        ExportFormat("blast6", ".tsv", "BLAST tabular: 12 columns without a header", True, write_blast6, True),
        ExportFormat("blast7", ".tsv", "BLAST tabular with comment lines", True, write_blast7, True),
        ExportFormat("json", ".json", "everything, with the parameters of the search", True, write_json, True),
        ExportFormat("fasta", ".fasta", "the subjects, each once", False, write_fasta),
        ExportFormat(
            "fasta-aligned", ".fasta", "the aligned parts of the subjects", True, write_aligned_fasta, has_flank=True
        ),
        ExportFormat("text", ".txt", "pairwise alignments in the layout of BLAST", True, write_text),
        ExportFormat("html", ".html", "report in one file: tables and alignments", True, write_html),
        ExportFormat("blast-xml", ".xml", "BLAST XML2 (format 16)", True, write_blast_xml),
        ExportFormat("sam", ".sam", "SAM, the subjects as references", True, write_sam),
        ExportFormat(
            "a3m", ".a3m", "all hits of one query stacked, insertions in lower case", True, write_a3m, one_query=True
        ),
        ExportFormat("stockholm", ".sto", "all hits of each query stacked", True, write_stockholm),
        ExportFormat(
            "clustal", ".aln", "all hits of one query stacked, in blocks", True, write_clustal, one_query=True
        ),
    )
}

# Formats that are no text and need a file of their own; `save_hits` writes these, too.
BINARY_FORMATS: Final = {"xlsx": BinaryFormat("xlsx", ".xlsx", "workbook with typed cells", True, write_xlsx)}


def check_choice(
    format_name: str, queries: int, columns: Sequence[str] | None = None, *, flank: int = 0, gaps: bool = False
) -> None:
    """Refuse what could not be written, before there is a result: nobody should search for hours to learn of it.

    Parameters
    ----------
    format_name : str
        One of `FORMATS` or `BINARY_FORMATS`.
    queries : int
        How many there are.
    columns, flank, gaps
        As in `write_hits`.

    Raises
    ------
    InvalidParameter
        As `save_hits`.
    """
    form = FORMATS[format_name] if format_name in FORMATS else BINARY_FORMATS[format_name]
    _options(form, columns, comments=False, flank=flank, gaps=gaps)
    if columns is not None:
        choose_columns(columns)
    if form.one_query and queries > 1:
        raise several_queries(form.name)
    if format_name in BINARY_FORMATS:
        load_openpyxl()


def write_hits(
    format_name: str,
    result: SearchResult,
    hits: Iterable[Hit],
    file: TextIO,
    columns: Sequence[str] | None = None,
    *,
    comments: bool = False,
    flank: int = 0,
    gaps: bool = False,
) -> None:
    """Write hits in one of `FORMATS`.

    Parameters
    ----------
    format_name : str
    result : SearchResult
        What the hits belong to; gives parameters and database.
    hits : iterable of Hit
        In the order of the output, those of one query together; read one by one.
    file : text file
    columns : sequence of str, optional
        Keys of `HIT_COLUMNS`; the format's own choice if not given.
    comments : bool
        Begin CSV and TSV with ``#`` lines that say where the result comes from.
    flank : int
        Residues to write on either side of the aligned parts.
    gaps : bool
        Write aligned parts with their gap signs.

    Raises
    ------
    InvalidParameter
        If there is no such format or column, or the format does not have what was chosen.
    """
    form = FORMATS.get(format_name)
    if form is None:
        raise InvalidParameter(
            "format", format_name, f"There is no format '{format_name}'.", hint=f"Formats are {', '.join(FORMATS)}."
        )
    form.write(result, hits, file, _options(form, columns, comments, flank, gaps))


def _options(
    form: ExportFormat | BinaryFormat, columns: Sequence[str] | None, comments: bool, flank: int, gaps: bool
) -> ExportOptions:
    if columns is not None and not form.has_columns:
        raise InvalidParameter("columns", columns, f"The format '{form.name}' has no columns to choose.")
    if (flank or gaps) and not form.has_flank:
        raise InvalidParameter("flank", flank, f"The format '{form.name}' writes no flanking residues or gap signs.")
    if flank < 0:
        raise InvalidParameter("flank", flank, f"A flank of {flank} residues is not possible.")
    return ExportOptions(None if columns is None else tuple(columns), comments, flank, gaps)


def save_hits(
    path: str | os.PathLike[str],
    format_name: str,
    result: SearchResult,
    hits: Iterable[Hit],
    columns: Sequence[str] | None = None,
    *,
    comments: bool = False,
    flank: int = 0,
    gaps: bool = False,
) -> None:
    """Write hits to a file, whole or not at all, in one of `FORMATS` or `BINARY_FORMATS`.

    Parameters are those of `write_hits`.

    Raises
    ------
    InvalidParameter
        As `write_hits`, or if the library for a workbook is not installed.
    FileNotWritten
        If the file cannot be written.
    """
    binary = BINARY_FORMATS.get(format_name)
    if binary is not None:
        options = _options(binary, columns, comments, flank, gaps)
        save_whole(path, lambda file: binary.write(result, hits, file, options), binary=True)
        return

    def write(file: TextIO) -> None:
        write_hits(format_name, result, hits, file, columns, comments=comments, flank=flank, gaps=gaps)

    save_whole(path, write)


def save_whole(path: str | os.PathLike[str], write: Callable[[Any], object], *, binary: bool = False) -> None:
    """Write a file whole or not at all.

    Parameters
    ----------
    path : path
    write : callable
        Takes the open file, a UTF-8 text file or with `binary` one for bytes; if it raises, nothing has
        changed.

    Raises
    ------
    FileNotWritten
        If the file cannot be written: no space, no permission, no such folder.
    """
    with whole_file(path) as file:
        if binary:
            write(file)
            return
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        try:
            write(text)
            text.flush()
        finally:
            text.detach()
