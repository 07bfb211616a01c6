"""A spreadsheet workbook: numbers as numbers, texts as texts, nothing turned into a date or a formula."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable
from datetime import datetime
from typing import IO, Any, Final

from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import Hit, SearchResult
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.columns import Column, choose_columns
from swgui.io.export.provenance import as_text, provenance
from swgui.io.export.values import clean_text, format_evalue

_ROWS_PER_SHEET: Final = 1_048_576  # what spreadsheets hold
_LONGEST_TEXT: Final = 32_767
_CUT: Final = " … (cut: a cell holds no more)"
_SMALLEST_LOG10: Final = -307.0  # below, a double would be 0 or lose digits: E is written as text
_WIDTHS: Final = {"stitle": 60, "sseqid": 26, "qseqid": 20, "qtitle": 40, "cigar": 30, "qseq": 30, "sseq": 30}
_FORMATS: Final = {"evalue": "0.00E+00"}


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
    openpyxl, cells, styles = load_openpyxl()
    chosen = choose_columns(options.columns)
    book = openpyxl.Workbook(write_only=True)
    bold = styles.Font(bold=True)

    def text_cell(sheet: Any, text: str) -> Any:
        cleaned = clean_text(text)
        if len(cleaned) > _LONGEST_TEXT:
            cleaned = cleaned[: _LONGEST_TEXT - len(_CUT)] + _CUT
        cell = cells.WriteOnlyCell(sheet, value=cleaned)
        cell.data_type = "s"  # openpyxl takes a text that begins with '=' for a formula
        return cell

    def number_cell(sheet: Any, column: Column, value: float) -> Any:
        cell = cells.WriteOnlyCell(sheet, value=value)
        cell.number_format = _FORMATS.get(column.kind) or f"0.{'0' * column.decimals}".rstrip(".")
        return cell

    def hit_cell(sheet: Any, column: Column, hit: Hit) -> Any:
        value = column.value(hit)
        if value is None:
            return None
        if column.kind == "text":
            return text_cell(sheet, str(value))
        if column.kind == "evalue":
            log10 = float(value)
            if not _SMALLEST_LOG10 <= log10 <= -_SMALLEST_LOG10:
                return text_cell(sheet, format_evalue(log10, 3))
            return number_cell(sheet, column, 10.0**log10)
        number = float(value)
        return number_cell(sheet, column, number) if math.isfinite(number) else None

    def new_sheet() -> Any:
        count = len(book.worksheets)
        sheet = book.create_sheet("Hits" if not count else f"Hits {count + 1}")
        sheet.freeze_panes = "A2"
        for number, column in enumerate(chosen, 1):
            letter = openpyxl.utils.get_column_letter(number)
            sheet.column_dimensions[letter].width = _WIDTHS.get(column.key, max(9, len(column.key) + 3))
        header = [text_cell(sheet, column.key) for column in chosen]
        for cell in header:
            cell.font = bold
        sheet.append(header)
        return sheet

    sheet, rows = new_sheet(), 1
    for hit in hits:
        if rows == _ROWS_PER_SHEET:
            sheet, rows = new_sheet(), 1
        sheet.append([hit_cell(sheet, column, hit) for column in chosen])
        rows += 1
    about = book.create_sheet("Search")
    about.column_dimensions["A"].width, about.column_dimensions["B"].width = 24, 80
    for key, value in provenance(result).items():
        number = isinstance(value, (int, float)) and math.isfinite(value)
        about.append([text_cell(about, key), value if number else text_cell(about, as_text(value))])
    book.properties.creator = f"swgui {result.version}"
    try:
        finished = datetime.fromisoformat(result.finished_at)
    except ValueError:
        finished = None
    if finished is not None:
        book.properties.created = book.properties.modified = finished.replace(tzinfo=None)
    book.save(file)


FORMATS: Final = (
    ExportFormat(
        "xlsx", "Workbook (XLSX)", ".xlsx", "workbook with typed cells", write_bytes=write_xlsx,
        takes=frozenset({"columns"}), require=load_openpyxl,
    ),
)  # fmt: skip
