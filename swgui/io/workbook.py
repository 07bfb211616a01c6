"""A spreadsheet workbook: numbers as numbers, texts as texts, nothing taken for a date or a formula."""

from __future__ import annotations

import importlib
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import repeat
from typing import IO, Any, Final, TypeVar

import swgui
from swgui.core.errors import InvalidParameter
from swgui.core.table import SHORTEST, TEXTS, Column, Table, Value
from swgui.core.words import format_evalue
from swgui.io.cells import EVALUE_DIGITS, clean_text, fact_text

S = TypeVar("S")
_ROWS_PER_SHEET: Final = 1_048_576  # what spreadsheets hold
_LINKS_PER_SHEET: Final = 65_000  # spreadsheets refuse files with 65,530
_LONGEST_TEXT: Final = 32_767
_CUT: Final = " … (cut: a cell holds no more)"
_SMALLEST_LOG10: Final = -307.0  # below, a double would be 0 or lose digits: E is written as text
_WIDTHS: Final = {"stitle": 60, "sseqid": 26, "qseqid": 20, "qtitle": 40, "cigar": 30, "qseq": 30, "sseq": 30}
_NUMBER_FORMATS: Final = {"evalue": "0.00E+00"}


def load_xlsxwriter() -> Any:
    """Return the module ``xlsxwriter``.

    Raises
    ------
    InvalidParameter
        If the library is not installed.
    """
    try:
        return importlib.import_module("xlsxwriter")
    except ImportError:
        raise InvalidParameter(
            "format",
            "xlsx",
            "Workbooks need the library XlsxWriter, which is not installed.",
            hint="Install it with 'pip install XlsxWriter', or choose CSV.",
        ) from None


class Book:
    """A workbook that is written row by row; its rows wait in a folder of their own until `save`.

    Raises
    ------
    InvalidParameter
        If the library XlsxWriter is not installed.
    """

    def __init__(self) -> None:
        library = load_xlsxwriter()
        self._folder = tempfile.TemporaryDirectory(prefix="swgui-xlsx-")
        self._book = library.Workbook(None, {"constant_memory": True, "tmpdir": self._folder.name})
        self._fault: type[Exception] = library.exceptions.FileCreateError
        self._bold = self._book.add_format({"bold": True})
        self._formats: dict[str, Any] = {}
        self._links = 0  # of this sheet

    def add_table(
        self, name: str, table: Table[S], linked: Sequence[str] = (), pages: Callable[[S], list[str]] | None = None
    ) -> None:
        """Write a row for each row of a table, to as many sheets as it takes; one sheet with its head if there is none.

        Parameters
        ----------
        linked : sequence of str
            Columns whose cells lead to a page.
        pages : callable, optional
            Returns the page of each row of a part of the table, empty where there is none.
        """
        sheet, row, number = self._sheet(name, table.columns), 1, 1
        formats = [self._format(column) for column in table.columns]
        leads = [column.key in linked for column in table.columns]
        for part in table.parts():
            values = zip(*(column.values(part) for column in table.columns), strict=True)
            paged = pages is not None and any(leads)
            of_rows = pages(part) if paged and pages is not None else repeat("")
            for page, of_row in zip(of_rows, values, strict=paged):
                if row == _ROWS_PER_SHEET:
                    number += 1
                    sheet, row = self._sheet(f"{name} {number}", table.columns), 1
                for place, (column, value) in enumerate(zip(table.columns, of_row, strict=True)):
                    if value is not None:
                        self._write(sheet, (row, place), column, value, formats[place], page if leads[place] else "")
                row += 1

    def add_facts(self, name: str, facts: Mapping[str, object]) -> None:
        """Write a sheet that says where tables come from."""
        about = self._book.add_worksheet(name)
        about.set_column(0, 0, 24)
        about.set_column(1, 1, 80)
        for row, (key, value) in enumerate(facts.items()):
            about.write_string(row, 0, _text(key))
            if isinstance(value, (int, float)) and math.isfinite(value):
                about.write_number(row, 1, value)
            else:
                about.write_string(row, 1, _text(fact_text(value)))

    def save(self, file: IO[bytes], version: str = swgui.__version__, finished_at: str = "") -> None:
        """Write the workbook.

        Parameters
        ----------
        version : str
            Of the program that found what is in it.
        finished_at : str
            ISO 8601; now if empty.

        Raises
        ------
        OSError
            If that is not possible.
        """
        properties: dict[str, object] = {"author": f"swgui {version}"}
        with suppress(ValueError):  # a search of another version may say it in another form
            properties["created"] = datetime.fromisoformat(finished_at).replace(tzinfo=None)
        self._book.set_properties(properties)
        self._book.use_zip64()
        self._book.filename = file
        try:
            self._book.close()
        except self._fault as fault:
            raise fault.args[0] from None
        finally:
            self._folder.cleanup()

    def _sheet(self, name: str, columns: Sequence[Column[Any]]) -> Any:
        """Return a new sheet with its head."""
        sheet = self._book.add_worksheet(name)
        sheet.freeze_panes(1, 0)
        self._links = 0
        for place, column in enumerate(columns):
            sheet.set_column(place, place, _WIDTHS.get(column.key, max(9, len(column.name) + 3)))
            sheet.write_string(0, place, _text(column.name), self._bold)
        return sheet

    def _format(self, column: Column[Any]) -> Any:
        """Return the format of the numbers of a column; None if it has none of its own."""
        if column.kind in TEXTS or column.decimals == SHORTEST:
            return None
        code = _NUMBER_FORMATS.get(column.kind) or f"0.{'0' * column.decimals}".rstrip(".")
        if code not in self._formats:
            self._formats[code] = self._book.add_format({"num_format": code})
        return self._formats[code]

    def _write(
        self, sheet: Any, place: tuple[int, int], column: Column[Any], value: Value, form: Any, page: str
    ) -> None:
        if column.kind in TEXTS:
            self._write_text(sheet, place, _text(str(value)), page)
            return
        number = float(value)  # type: ignore[arg-type]  # not None
        if column.kind == "evalue":
            if not _SMALLEST_LOG10 <= number <= -_SMALLEST_LOG10:
                sheet.write_string(*place, format_evalue(number, EVALUE_DIGITS))
                return
            number = 10.0**number
        if math.isfinite(number):
            sheet.write_number(*place, number, form)

    def _write_text(self, sheet: Any, place: tuple[int, int], text: str, page: str) -> None:
        """Write a text, which leads to a page as often as a spreadsheet can hold."""
        if page and self._links < _LINKS_PER_SHEET:
            self._links += 1
            sheet.write_url(*place, page, string=text)
        else:
            sheet.write_string(*place, text)


def _text(text: str) -> str:
    """Return a text as a cell holds it."""
    cleaned = clean_text(text)
    return cleaned if len(cleaned) <= _LONGEST_TEXT else cleaned[: _LONGEST_TEXT - len(_CUT)] + _CUT
