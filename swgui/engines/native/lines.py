"""Lines of tables by the compiled library (kernels/cpu/lines.c): numbers to text, the cells of rows put together."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.lines import Cells
from swgui.engines.native.library import function, problem
from swgui.engines.native.scoring import pointer

__all__ = ["problem", "write"]

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64
_COLUMN: Final = 8  # values of a `line_column`, each of eight bytes


class Refused(msgspec.Struct, frozen=True):
    """A column that Python is to write, by its number."""

    column: int


def write(cells: Sequence[Cells], nothing: Sequence[bytes], rows: int, separator: str) -> bytes | Refused:
    r"""Write rows, with a line break behind each.

    Parameters
    ----------
    cells : sequence of Cells
        The columns.
    nothing : sequence of bytes
        Of each column what stands for an empty cell.
    separator : {"\t", ","}
        By commas, texts that need it stand between quotation marks.

    Returns
    -------
    bytes or Refused
        The first column that has a number or a text that is written in another way.
    """
    kept: list[Any] = []

    def address(array: NDArray[Any] | None, kind: Any) -> int:
        if array is None or not len(array):
            return 0
        kept.append(np.ascontiguousarray(array, dtype=kind))
        return pointer(kept[-1])

    table = np.zeros((len(cells), _COLUMN), dtype=np.int64)
    for row, column, empty in zip(table, cells, nothing, strict=True):
        given = address(column.values, column.value_type), address(column.others, np.int64)
        places = address(column.places, np.int64), address(column.backwards, np.uint8)
        row[:] = column.kind, column.how, *given, *places, address(np.frombuffer(empty, np.uint8), np.uint8), len(empty)
    room, written = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    head = pointer(table), len(cells), rows
    function("room_of_lines", _POINTER, _LONG, _LONG, _POINTER)(*head, pointer(room))
    out = np.empty(int(room[0]), dtype=np.uint8)
    call = function("write_lines", _POINTER, _LONG, _LONG, _LONG, _POINTER, _POINTER)
    if refused := call(*head, ord(separator), pointer(out), pointer(written)):
        return Refused(refused - 1)
    return out[: written[0]].tobytes()
