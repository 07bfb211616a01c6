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
  BLAST 6, PAF, FASTA, A3M and Clustal have no place for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.io.export import (
    annotation,
    blast_xml,
    fasta,
    html_report,
    json_format,
    sam,
    stacked,
    tables,
    text,
    workbook,
)
from swgui.io.export.base import NO_OPTIONS, ExportFormat, ExportOptions, format_of
from swgui.io.export.columns import DEFAULT_COLUMNS, HIT_COLUMNS, Column, choose_columns, columns_need_alignment
from swgui.io.export.methods_text import FORMS, methods_text
from swgui.io.export.text import pairwise_text
from swgui.io.plugins import add_installed
from swgui.io.structures import superposed
from swgui.io.whole_file import save_bytes, save_text

__all__ = [
    "DEFAULT_COLUMNS",
    "FORMATS",
    "FORMS",
    "HIT_COLUMNS",
    "Column",
    "ExportFormat",
    "ExportOptions",
    "choose_columns",
    "columns_need_alignment",
    "find_format",
    "find_text_format",
    "methods_text",
    "pairwise_text",
    "save_hits",
    "write_hits",
]

# In the order of menus. Each module says in its FORMATS what it writes; imported by name, so that bundles find them.
_MODULES: Final = (
    tables, json_format, fasta, text, html_report, blast_xml, sam, annotation, stacked, workbook, superposed,
)  # fmt: skip
FORMATS: Final[dict[str, ExportFormat]] = {form.name: form for module in _MODULES for form in module.FORMATS}


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
        As `find_format`, or if the format is no text.
    """
    form = find_format(name)
    if form.write is None:
        raise InvalidParameter("out", "", f"The format '{form.name}' is no text.", hint="Name a file with --out.")
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
    assert form.write is not None  # it is text
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
