"""Tables as files: by tabs, by commas, as JSON; in one way whatever the rows are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TextIO

from swgui.core.table import Table
from swgui.io.cells import json_text, literals, spreadsheet_text, texts_of


def write_tsv(table: Table[Any], file: TextIO) -> None:
    """Write a line of column names, and one for each row, by tabs."""
    file.write("\t".join(column.name for column in table.columns) + "\n")
    for lines in _lines(table):
        if text := "\n".join(map("\t".join, lines)):
            file.write(f"{text}\n")


def write_csv(table: Table[Any], file: TextIO, *, headings: bool = False) -> None:
    """Write a line of column names, and one for each row, by commas; quoted where RFC 4180 asks for it.

    Parameters
    ----------
    headings : bool
        Name columns for people in the first line, not for programs.
    """
    import csv  # here: few tables are written so

    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([column.heading if headings else column.name for column in table.columns])
    for lines in _lines(table):
        writer.writerows(lines)


def _lines(table: Table[Any]) -> Iterator[Iterator[Sequence[str]]]:
    for part in table.parts():
        yield zip(*(texts_of(column, part, spreadsheet_text) for column in table.columns), strict=True)


def write_json(table: Table[Any], file: TextIO) -> None:
    """Write a list of objects by column names; null where a value is not known."""
    before = "["
    for part in table.parts():
        cells = [[f"{json_text(column.name)}: {text}" for text in literals(column, part)] for column in table.columns]
        for row in zip(*cells, strict=True):
            file.write(f"{before}\n  {{{', '.join(row)}}}")
            before = ","
    file.write("[]\n" if before == "[" else "\n]\n")


TABLE_FORMATS: Final = {"tsv": write_tsv, "csv": write_csv, "json": write_json}
