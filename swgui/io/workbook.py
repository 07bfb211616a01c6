"""A spreadsheet workbook: numbers as numbers, texts as texts, nothing taken for a date or a formula."""

from __future__ import annotations

import importlib
import math
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


def load_openpyxl() -> tuple[Any, Any, Any]:
    """Return the modules ``openpyxl``, ``openpyxl.cell`` and ``openpyxl.styles``.

    Raises
    ------
    InvalidParameter
        If the library is not installed.
    """
    try:
        workbooks, cells, styles = map(importlib.import_module, ("openpyxl", "openpyxl.cell", "openpyxl.styles"))
    except ImportError:
        raise InvalidParameter(
            "format",
            "xlsx",
            "Workbooks need the library openpyxl, which is not installed.",
            hint="Install it with 'pip install openpyxl', or choose CSV.",
        ) from None
    return workbooks, cells, styles


class Book:
    """A workbook that is written row by row; cells and sheets are openpyxl's, which has no types.

    Raises
    ------
    InvalidParameter
        If the library openpyxl is not installed.
    """

    def __init__(self) -> None:
        self._openpyxl, self._cells, styles = load_openpyxl()
        self._book = self._openpyxl.Workbook(write_only=True)
        self._bold = styles.Font(bold=True)
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
        sheet, rows, number = self._sheet(name, table.columns), 1, 1
        for part in table.parts():
            values = zip(*(column.values(part) for column in table.columns), strict=True)
            leads = pages is not None and any(column.key in linked for column in table.columns)
            of_rows = pages(part) if leads and pages is not None else repeat("")
            for page, of_row in zip(of_rows, values, strict=leads):
                if rows == _ROWS_PER_SHEET:
                    number += 1
                    sheet, rows = self._sheet(f"{name} {number}", table.columns), 1
                cells = zip(table.columns, of_row, strict=True)
                sheet.append([self._cell(sheet, col, value, page if col.key in linked else "") for col, value in cells])
                rows += 1

    def add_facts(self, name: str, facts: Mapping[str, object]) -> None:
        """Write a sheet that says where tables come from."""
        about = self._book.create_sheet(name)
        about.column_dimensions["A"].width, about.column_dimensions["B"].width = 24, 80
        for key, value in facts.items():
            number = isinstance(value, (int, float)) and math.isfinite(value)
            about.append([self._text_cell(about, key), value if number else self._text_cell(about, fact_text(value))])

    def save(self, file: IO[bytes], version: str = swgui.__version__, finished_at: str = "") -> None:
        """Write the file, dated as the work was finished, by ISO 8601."""
        properties = self._book.properties
        properties.creator = f"swgui {version}"
        with suppress(ValueError):  # a search of another version may say it in another form
            finished = datetime.fromisoformat(finished_at).replace(tzinfo=None)
            properties.created = properties.modified = finished
        self._book.save(file)

    def _sheet(self, name: str, columns: Sequence[Column[Any]]) -> Any:
        """Return a new sheet with its head."""
        sheet = self._book.create_sheet(name)
        sheet.freeze_panes = "A2"
        self._links = 0
        for number, column in enumerate(columns, 1):
            width = _WIDTHS.get(column.key, max(9, len(column.name) + 3))
            sheet.column_dimensions[self._openpyxl.utils.get_column_letter(number)].width = width
        header = [self._text_cell(sheet, column.name) for column in columns]
        for cell in header:
            cell.font = self._bold
        sheet.append(header)
        return sheet

    def _cell(self, sheet: Any, column: Column[Any], value: Value, page: str) -> Any:
        if value is None:
            return None
        if column.kind in TEXTS:
            return self._linked(self._text_cell(sheet, str(value)), page)
        number = float(value)
        if column.kind == "evalue":
            if not _SMALLEST_LOG10 <= number <= -_SMALLEST_LOG10:
                return self._text_cell(sheet, format_evalue(number, EVALUE_DIGITS))
            number = 10.0**number
        if not math.isfinite(number):
            return None
        cell = self._cells.WriteOnlyCell(sheet, value=number)
        if column.decimals != SHORTEST:
            cell.number_format = _NUMBER_FORMATS.get(column.kind) or f"0.{'0' * column.decimals}".rstrip(".")
        return cell

    def _linked(self, cell: Any, page: str) -> Any:
        """Let a cell lead to a page, as often as a spreadsheet can hold."""
        if page and self._links < _LINKS_PER_SHEET:
            cell.hyperlink = page
            self._links += 1
        return cell

    def _text_cell(self, sheet: Any, text: str) -> Any:
        cleaned = clean_text(text)
        if len(cleaned) > _LONGEST_TEXT:
            cleaned = cleaned[: _LONGEST_TEXT - len(_CUT)] + _CUT
        cell = self._cells.WriteOnlyCell(sheet, value=cleaned)
        cell.data_type = "s"  # openpyxl takes a text that begins with '=' for a formula
        return cell
