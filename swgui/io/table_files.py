"""Tables as files: TSV, CSV, JSON and workbooks, written in one way for all kinds of rows."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, TextIO

from swgui.core.errors import InvalidParameter
from swgui.core.table import Column, Table
from swgui.io.cells import clean_text, json_text, literals
from swgui.io.lines import BY_COMMAS, BY_TABS, lines_of
from swgui.io.whole_file import ending_of, save_bytes, write_text


def write_tsv(table: Table[Any], file: TextIO, comments: Iterable[str] = ()) -> None:
    """Write a line of column names, and one for each row, separated by tabs.

    Parameters
    ----------
    comments : iterable of str
        Lines that begin the file, which readers of tables skip: each behind a ``#``.
    """
    file.write(tsv_head(table.columns, comments))
    for part in table.parts():
        file.write(lines_of(table.columns, part, BY_TABS))


def write_csv(table: Table[Any], file: TextIO, comments: Iterable[str] = (), *, headings: bool = False) -> None:
    """Write a line of column names, and one for each row, separated by commas and quoted as RFC 4180 says.

    Parameters
    ----------
    comments : iterable of str
        As of `write_tsv`.
    headings : bool
        Name columns for people in the first line, not for programs.
    """
    file.write(csv_head(table.columns, comments, headings=headings))
    for part in table.parts():
        file.write(lines_of(table.columns, part, BY_COMMAS))


def tsv_head(columns: Sequence[Column[Any]], comments: Iterable[str] = ()) -> str:
    """Return the first lines of `write_tsv`."""
    names = "\t".join(column.name for column in columns)
    return f"{_commented(comments)}{names}\n"


def csv_head(columns: Sequence[Column[Any]], comments: Iterable[str] = (), *, headings: bool = False) -> str:
    """Return the first lines of `write_csv`."""
    import csv  # here: few tables are written so

    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerow([one.heading if headings else one.name for one in columns])
    return _commented(comments) + file.getvalue()


def _commented(lines: Iterable[str]) -> str:
    return "".join(f"# {clean_text(line)}\n" for line in lines)


def write_json(table: Table[Any], file: TextIO, comments: Iterable[str] = ()) -> None:
    """Write a list of objects by column names; null where a value is not known. JSON has no place for comments."""
    before = "["
    for part in table.parts():
        cells = [[f"{json_text(column.name)}: {text}" for text in literals(column, part)] for column in table.columns]
        for row in zip(*cells, strict=True):
            file.write(f"{before}\n  {{{', '.join(row)}}}")
            before = ","
    file.write("[]\n" if before == "[" else "\n]\n")


class TableFormat(NamedTuple):
    """A file format of tables."""

    title: str
    suffix: str
    description: str
    write: Callable[[Table[Any], TextIO, Iterable[str]], None] | None  # None for a workbook, which is not text


TABLE_FORMATS: Final = {
    "tsv": TableFormat("Table (TSV)", ".tsv", "by tabs, with a line of column names", write_tsv),
    "csv": TableFormat("Table (CSV)", ".csv", "by commas, with a line of column names", write_csv),
    "json": TableFormat("JSON", ".json", "a list of objects", write_json),
    "xlsx": TableFormat("Excel workbook (XLSX)", ".xlsx", "a workbook with typed cells", None),
}


def write_table(path: str | None, table: Table[Any], form: str = "tsv", comments: Iterable[str] = ()) -> None:
    """Write a table to a file, whole or not at all, or to the standard output where none is named.

    Parameters
    ----------
    form : {"tsv", "csv", "json", "xlsx"}
    comments : iterable of str
        As of `write_tsv`.

    Raises
    ------
    InvalidParameter
        If a workbook has no file, or the library XlsxWriter is not installed.
    FileNotWritten
        If the file cannot be written.
    """
    check_writable(path, form)
    if (write := TABLE_FORMATS[form].write) is not None:
        write_text(path, lambda file: write(table, file, comments))
        return
    assert path is not None  # checked above
    from swgui.io.workbook import Book  # here: few tables are workbooks

    book = Book()
    book.add_table("Table", table)
    if facts := dict(enumerate(comments, 1)):
        book.add_facts("About", {str(number): line for number, line in facts.items()})
    save_bytes(path, book.save)


def form_of(path: str, otherwise: str = "tsv") -> str:
    """Return the format of tables that a file's ending stands for."""
    endings = {form.suffix: name for name, form in TABLE_FORMATS.items()}
    return endings.get(ending_of(path), otherwise)


def check_writable(path: str | None, form: str) -> None:
    """Refuse an output that could not be written, before the work begins; parameters and errors as of `write_table`."""
    if form in TABLE_FORMATS and TABLE_FORMATS[form].write is None:
        if path is None:
            raise no_text(form)
        from swgui.io.workbook import load_xlsxwriter

        load_xlsxwriter()


def no_text(form: str) -> InvalidParameter:
    """Return the error for a format that the standard output cannot have."""
    return InvalidParameter("out", "", f"The format '{form}' is no text.", hint="Name a file with --out.")
