"""A spreadsheet workbook: numbers as numbers, texts as texts, nothing taken for a date or a formula."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import IO, Any, Final

from swgui.core.errors import InvalidParameter
from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit, HitTable, tables_of
from swgui.core.words import format_evalue
from swgui.io.cells import clean_text
from swgui.io.export.base import ExportOptions
from swgui.io.export.columns import Column, columns_of
from swgui.io.export.getters import Value
from swgui.io.export.provenance import as_text, provenance

_ROWS_PER_SHEET: Final = 1_048_576  # what spreadsheets hold
_LINKS_PER_SHEET: Final = 65_000  # spreadsheets refuse files with 65,530
_LINKED: Final = ("sseqid", "accession", "link")
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


def write_xlsx(result: SearchResult, hits: Iterable[Hit], file: IO[bytes], options: ExportOptions) -> None:
    """Write a workbook with the sheets "Hits" and "Search"; more than a million hits go to further sheets.

    Raises
    ------
    InvalidParameter
        If the library openpyxl is not installed.
    """
    book = _Book(columns_of(result, options.columns))
    book.add_hits(tables_of(hits))
    book.add_facts(provenance(result))
    book.save(file, result)


class _Book:
    """A workbook that is written row by row; cells and sheets are openpyxl's, which has no types."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._openpyxl, self._cells, styles = load_openpyxl()
        self._book = self._openpyxl.Workbook(write_only=True)
        self._bold = styles.Font(bold=True)
        self._columns = columns
        self._links = 0  # of this sheet

    def add_hits(self, tables: Iterable[HitTable]) -> None:
        """Write a row for each alignment, to as many sheets as it takes; one sheet with its head if there is none."""
        sheet, rows = self._hit_sheet(), 1
        for table in tables:
            pages = self._pages(table)
            values = zip(*(column.values(table) for column in self._columns), strict=True)
            for page, of_row in zip(pages, values, strict=True):
                if rows == _ROWS_PER_SHEET:
                    sheet, rows = self._hit_sheet(), 1
                cells = zip(self._columns, of_row, strict=True)
                sheet.append([self._hit_cell(sheet, column, value, page) for column, value in cells])
                rows += 1

    def _pages(self, table: HitTable) -> list[str]:
        """Return the page of each line's subject; empty where there is none, or no column leads there."""
        if not any(column.key in _LINKED for column in self._columns):
            return [""] * table.lines
        headers = map(parse_header, table.subjects.ids, table.subjects.descriptions)
        return table.per_line([header.links[0].url if header.links else "" for header in headers])

    def add_facts(self, facts: Mapping[str, object]) -> None:
        """Write a sheet that says where the hits come from."""
        about = self._book.create_sheet("Search")
        about.column_dimensions["A"].width, about.column_dimensions["B"].width = 24, 80
        for key, value in facts.items():
            number = isinstance(value, (int, float)) and math.isfinite(value)
            about.append([self._text_cell(about, key), value if number else self._text_cell(about, as_text(value))])

    def save(self, file: IO[bytes], result: SearchResult) -> None:
        """Write the file, dated as the search was."""
        properties = self._book.properties
        properties.creator = f"swgui {result.version}"
        with suppress(ValueError):  # a search of another version may say it in another form
            finished = datetime.fromisoformat(result.finished_at).replace(tzinfo=None)
            properties.created = properties.modified = finished
        self._book.save(file)

    def _hit_sheet(self) -> Any:
        count = len(self._book.worksheets)
        sheet = self._book.create_sheet("Hits" if not count else f"Hits {count + 1}")
        sheet.freeze_panes = "A2"
        self._links = 0
        for number, column in enumerate(self._columns, 1):
            width = _WIDTHS.get(column.key, max(9, len(column.name) + 3))
            sheet.column_dimensions[self._openpyxl.utils.get_column_letter(number)].width = width
        header = [self._text_cell(sheet, column.name) for column in self._columns]
        for cell in header:
            cell.font = self._bold
        sheet.append(header)
        return sheet

    def _hit_cell(self, sheet: Any, column: Column, value: Value, page: str) -> Any:
        if value is None:
            return None
        if column.kind == "text":
            return self._linked(self._text_cell(sheet, str(value)), column, page)
        number = float(value)
        if column.kind == "evalue":
            if not _SMALLEST_LOG10 <= number <= -_SMALLEST_LOG10:
                return self._text_cell(sheet, format_evalue(number, 3))
            number = 10.0**number
        if not math.isfinite(number):
            return None
        cell = self._cells.WriteOnlyCell(sheet, value=number)
        cell.number_format = _NUMBER_FORMATS.get(column.kind) or f"0.{'0' * column.decimals}".rstrip(".")
        return cell

    def _linked(self, cell: Any, column: Column, page: str) -> Any:
        """Let a cell that names the subject lead to its page, as often as a spreadsheet can hold."""
        if page and column.key in _LINKED and self._links < _LINKS_PER_SHEET:
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
