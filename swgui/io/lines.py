"""Lines of tables by tabs and commas: by compiled code, or by Python where there is none; the same bytes."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from swgui.core.hits.aligned import Cigars
from swgui.core.lines import (
    CIGAR,
    EVALUE,
    INTEGER,
    MAX_DECIMALS,
    NO_BLANKS,
    NO_FORMULAS,
    PLAIN_LETTERS,
    REAL,
    TEXT,
    Cells,
    packed_texts,
)
from swgui.core.table import Column, Values
from swgui.core.texts import PickedTexts, TextColumn
from swgui.io.cells import EVALUE_DIGITS, clean_text, evalue_figures, mapped, spreadsheet_text, written

S = TypeVar("S")
COMPILED: Final = "swgui.engines.native.lines"
COMMA: Final = ","
_ONE_EMPTY_CELL: Final = '""'  # of a table by commas with one column: an empty line would be no row
# What these functions would change.
_REFUSED: Final = {clean_text: PLAIN_LETTERS, spreadsheet_text: PLAIN_LETTERS | NO_FORMULAS}


class Layout(NamedTuple):
    """How cells become lines."""

    separator: str
    clean: Callable[[str], str] = spreadsheet_text  # makes names and titles fit for the file
    nothing: Callable[[Any], str] = lambda column: ""  # returns what stands for an empty cell of a column
    one_word: frozenset[str] = frozenset()  # keys of columns whose texts have no blanks


BY_TABS: Final = Layout("\t")
BY_COMMAS: Final = Layout(COMMA)


def compiled_code() -> Any:
    """Return the module that writes lines by the compiled library; None if there is no library."""
    compiled = importlib.import_module(COMPILED)
    return None if compiled.problem() else compiled


def lines_of(columns: Sequence[Column[S]], source: S, layout: Layout) -> str:
    """Return the rows of a table as lines, each with a line break.

    Parameters
    ----------
    source : object
        Of the rows, as the columns read it.
    """
    return text_of(bytes_of(columns, source, layout))


def text_of(lines: bytes) -> str:
    """Return lines as `bytes_of` returns them as text."""
    return lines.decode("utf-8", "surrogatepass")


def bytes_of(columns: Sequence[Column[S]], source: S, layout: Layout) -> bytes:
    """Return `lines_of` as they are stored."""
    if not columns:
        return b""
    read = [column.read_all(source) for column in columns]
    nothing = [layout.nothing(column) for column in columns]
    if (compiled := compiled_code()) is None:
        plain = _plainly([_texts(*pair, layout) for pair in zip(columns, read, strict=True)], nothing, layout)
        return plain.encode("utf-8", "surrogatepass")
    if layout.separator == COMMA and len(columns) == 1:
        nothing = [nothing[0] or _ONE_EMPTY_CELL]
    cells = [_cells(*pair, layout) for pair in zip(columns, read, strict=True)]
    empty = [text.encode() for text in nothing]
    while not isinstance(out := compiled.write(cells, empty, len(read[0]), layout.separator), bytes):
        cells[out.column] = packed_texts(_texts(columns[out.column], read[out.column], layout))
    return out


def _texts(column: Column[Any], read: Values, layout: Layout) -> list[str]:
    """Return values that were read for a column as Python writes them."""
    texts = written(column, read, layout.clean)
    return mapped(lambda text: "_".join(text.split()), texts) if column.key in layout.one_word else texts


def _plainly(texts: Sequence[Sequence[str]], nothing: Sequence[str], layout: Layout) -> str:
    """Return lines as Python writes them."""
    rows = zip(*([text or empty for text in some] for some, empty in zip(texts, nothing, strict=True)), strict=True)
    if layout.separator != COMMA:
        return "".join(f"{layout.separator.join(row)}\n" for row in rows)
    import csv  # here: few tables are written so

    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def _cells(column: Column[Any], read: Values, layout: Layout) -> Cells:
    """Return values that were read for a column as compiled code takes them."""
    if isinstance(read, Cigars):
        return Cells(CIGAR, read.ops, others=read.lengths, places=read.offsets, backwards=read.backwards)
    if isinstance(read, PickedTexts) and not read.before:
        return _of_picked(column, read, layout)
    if isinstance(read, np.ndarray):
        if column.kind == "integer" and read.dtype.kind in "iu":
            return Cells(INTEGER, read)
        if column.kind == "real" and read.dtype.kind == "f" and 0 <= column.decimals <= MAX_DECIMALS:
            return Cells(REAL, read, column.decimals)
        if column.kind == "evalue":
            figures, exponents = evalue_figures(read, EVALUE_DIGITS)
            return Cells(EVALUE, figures, others=exponents)
    return packed_texts(_texts(column, read, layout))


def _of_picked(column: Column[Any], read: PickedTexts, layout: Layout) -> Cells:
    """Return texts of which rows have one each: those of a database as they are stored, as far as they are plain."""
    if type(read.texts) is not TextColumn or column.kind != "text" or layout.clean not in _REFUSED:
        return packed_texts(_texts(column, list(read.texts), layout), read.at)
    how = _REFUSED[layout.clean] | (NO_BLANKS if column.key in layout.one_word else 0)
    return Cells(TEXT, read.texts.data, how, others=read.texts.offsets, places=read.at)
