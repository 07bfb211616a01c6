"""Reading the first sheet of a workbook (XLSX) as rows of texts, as a spreadsheet would save it as CSV."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import IO, Final
from xml.etree import ElementTree

_LARGEST: Final = 1 << 31  # bytes of one part, unpacked
_MAIN: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DATES: Final = frozenset((*range(14, 23), *range(45, 48)))  # built-in formats of dates and times
_QUOTED: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_DAY_ZERO: Final = datetime(1899, 12, 30)
_SECONDS: Final = 86_400
# What damaged or encrypted archives and other XML raise.
_DAMAGES: Final = (
    *(zipfile.BadZipFile, zlib.error, ElementTree.ParseError, LookupError, EOFError, OverflowError, RuntimeError),
    NotImplementedError,
)


class SheetFault(ValueError):
    """A workbook that cannot be read; its text says why."""


def sheet_rows(file: IO[bytes]) -> Iterator[list[str]]:
    """Yield the rows of the first sheet, each with its cells up to the last one that is not empty.

    Numbers are written as short as they read back; dates as ``2026-11-29``; formulas have their last result.

    Raises
    ------
    SheetFault
        If it is no workbook, damaged, or larger than 2 GiB unpacked.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            name = _first_sheet(archive)
            shared, dates = _shared(archive), _date_styles(archive)
            with _part(archive, name) as sheet:
                for _, element in ElementTree.iterparse(sheet):
                    if element.tag == f"{_MAIN}row":
                        yield _cells(element, shared, dates)
                        element.clear()
    except _DAMAGES as fault:
        raise SheetFault("is not a workbook that can be read") from fault
    except (OSError, ValueError) as fault:
        if isinstance(fault, SheetFault):
            raise
        raise SheetFault(f"cannot be read: {fault}") from fault


def _part(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    if archive.getinfo(name).file_size > _LARGEST:
        raise SheetFault("is larger than 2 GiB when unpacked")
    return archive.open(name)


def _read(archive: zipfile.ZipFile, name: str) -> ElementTree.Element | None:
    if name not in archive.namelist():
        return None
    with _part(archive, name) as part:
        return ElementTree.parse(part).getroot()


def _first_sheet(archive: zipfile.ZipFile) -> str:
    book, links = _read(archive, "xl/workbook.xml"), _read(archive, "xl/_rels/workbook.xml.rels")
    sheet = None if book is None else book.find(f"{_MAIN}sheets/{_MAIN}sheet")
    if sheet is None or links is None:
        raise SheetFault("is not a workbook that can be read")
    place = next((link.get("Target", "") for link in links if link.get("Id") == sheet.get(_LINK)), "")
    return place.lstrip("/") if place.startswith("/") else f"xl/{place}"


def _shared(archive: zipfile.ZipFile) -> list[str]:
    root = _read(archive, "xl/sharedStrings.xml")
    return [] if root is None else [_text(item) for item in root]


def _text(item: ElementTree.Element) -> str:
    """Return the text of a cell, of all its runs; pronunciations are left out."""
    runs = [item, *item.findall(f"{_MAIN}r")]
    return "".join(part.text or "" for run in runs for part in run.findall(f"{_MAIN}t"))


def _date_styles(archive: zipfile.ZipFile) -> frozenset[int]:
    """Return which styles show a number as a date."""
    root = _read(archive, "xl/styles.xml")
    if root is None:
        return frozenset()
    own = {
        int(form.get("numFmtId", "0"))
        for form in root.iterfind(f"{_MAIN}numFmts/{_MAIN}numFmt")
        if re.search("[dmyhs]", _QUOTED.sub("", form.get("formatCode", "")).lower())
    }
    styles = enumerate(root.iterfind(f"{_MAIN}cellXfs/{_MAIN}xf"))
    return frozenset(place for place, style in styles if int(style.get("numFmtId", "0")) in _DATES | own)


def _cells(row: ElementTree.Element, shared: list[str], dates: frozenset[int]) -> list[str]:
    cells: list[str] = []
    for cell in row.iterfind(f"{_MAIN}c"):
        if place := cell.get("r"):
            cells += [""] * (_column(place) - len(cells))
        cells.append(_value(cell, shared, dates))
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _column(place: str) -> int:
    """Return the number of a column from 0: that of ``B7`` is 1."""
    number = 0
    for letter in place.rstrip("0123456789"):
        number = 26 * number + ord(letter.upper()) - 64
    if not 0 < number <= 1 << 14:
        raise SheetFault("is not a workbook that can be read")
    return number - 1


def _value(cell: ElementTree.Element, shared: list[str], dates: frozenset[int]) -> str:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        inline = cell.find(f"{_MAIN}is")
        return "" if inline is None else _text(inline)
    text = cell.findtext(f"{_MAIN}v") or ""
    if kind == "s":
        return shared[int(text)]
    if kind == "b":
        return "true" if text == "1" else "false"
    if kind != "n" or not text:
        return text
    number = float(text)
    if int(cell.get("s", "0")) in dates:
        return _date(number)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _date(number: float) -> str:
    """Return the date of a number of days; with the time of the day where it has one."""
    when = _DAY_ZERO + timedelta(seconds=round(number * _SECONDS))
    return when.date().isoformat() if number.is_integer() else when.isoformat(" ")
