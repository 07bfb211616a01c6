"""The sequences of one pair on a device, and their letters as the kernels want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.pair.problem import PairProblem
from swgui.core.scoring import ScoringScheme
from swgui.engines.cuda.pair.wavefront.cells import Cells, SchemeFacts, used_codes
from swgui.engines.cuda.pair.wavefront.device import NULL, Device, Kernel

TOOLS: Final = "pair_wavefront_tools.cu"
TOOL_THREADS: Final = 256
TOOL_DEFINES: Final = (f"-DPAIR_TOOL_THREADS={TOOL_THREADS}",)
PADDING: Final = 3  # columns behind the last that may be read


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Rows of the query and columns of the subject, half open; `backward` starts from the end of both."""

    row: int
    rows: int
    column: int
    columns: int
    backward: bool = False

    @property
    def cells(self) -> int:
        return self.rows * self.columns


class Pair:
    """One pair on the device."""

    def __init__(self, device: Device, problem: PairProblem) -> None:
        query, subject, scheme = problem.query, problem.subject, problem.scheme
        self.device = device
        self.facts = SchemeFacts.of(query, scheme)
        self.rows, self.columns = len(query), len(subject)
        self.query = device.upload(np.ascontiguousarray(query.codes, dtype=np.uint8))
        self.subject = device.upload(np.ascontiguousarray(subject, dtype=np.uint8))
        letters = self.facts.letters
        if query.profile is not None:
            matrix = query.profile
            self._row_table: Any = NULL
        else:
            matrix = scheme.matrix.scores
            self._row_table = device.upload(np.arange(256, dtype=np.uint32))
        self.matrix = device.upload(np.ascontiguousarray(matrix, dtype=np.int16).ravel())
        self._bytes_tables: tuple[Any, Any] | None = None
        if self.facts.few:
            self._bytes_tables = self._tables(used_codes(query, scheme), scheme)
        self._letters = letters
        self._whole: dict[tuple[bool, int, bool], tuple[Any, Any]] = {}  # letters of all rows and columns
        self.row_codes = self.gather(self.query, 0, 1, self.rows, self._row_table, max(self.rows, 1))
        self.excluded: tuple[Any, Any] | None = None
        if problem.excluded:
            pairs = problem.excluded_pairs()
            starts = np.searchsorted(pairs[:, 0], np.arange(self.rows + 1)).astype(np.int32)
            self.excluded = device.upload(starts), device.upload(pairs[:, 1].astype(np.int32))

    def _tables(self, used: NDArray[np.intp], scheme: ScoringScheme) -> tuple[Any, Any]:
        """Numbers 0 to 3 of the query's letters, and each subject letter's scores against them as bytes."""
        numbers = np.zeros(256, dtype=np.uint32)
        numbers[used] = np.arange(len(used))
        scores = np.maximum(scheme.matrix.scores[used].astype(np.int64), self.facts.worst) + scheme.gap_first
        words = np.zeros(256, dtype=np.uint32)
        for number, row in enumerate(scores):
            words[: len(row)] |= (row & 0xFF).astype(np.uint32) << np.uint32(8 * number)
        return self.device.upload(numbers), self.device.upload(words)

    def gather(self, codes: Any, first: int, step: int, count: int, table: Any, padded: int) -> Any:
        """Return ``table[codes[first + step * i]]`` for i below `count`, zeros up to `padded`."""
        target = self.device.empty(padded, np.uint32)
        tool = Kernel(TOOLS, "pair_gather", TOOL_DEFINES, TOOL_THREADS)
        arguments = (np.int32(first), np.int32(step), np.int32(count), np.int32(padded), table, target)
        self.device.launch(tool, grid_for(padded), codes, *arguments)
        return target

    def prepare(self, cells: Cells) -> None:
        """Enqueue the sequences in the form of many short passes, in either direction; other lanes must wait for it."""
        for backward in (False, True):
            whole = Rectangle(0, self.rows, 0, self.columns, backward)
            letters = self.row_letters(whole, cells), self.column_letters(whole, cells)
            self._whole[cells.bytes, cells.stride, backward] = letters

    def row_letters(self, rectangle: Rectangle, cells: Cells) -> Any:
        """Return the rows of a rectangle as the kernel wants them."""
        if whole := self._whole.get((cells.bytes, cells.stride, rectangle.backward)):
            return whole[0][_within(self.rows, rectangle.row, rectangle.rows, rectangle.backward)]
        first, step = along(rectangle.row, rectangle.rows, rectangle.backward)
        table = self._bytes_tables[0] if cells.bytes and self._bytes_tables else self._row_table
        return self.gather(self.query, first, step, rectangle.rows, table, max(rectangle.rows, 1))

    def column_letters(self, rectangle: Rectangle, cells: Cells) -> Any:
        """Return the columns of a rectangle as the kernel wants them."""
        if whole := self._whole.get((cells.bytes, cells.stride, rectangle.backward)):
            return whole[1][_within(self.columns, rectangle.column, rectangle.columns, rectangle.backward)]
        first, step = along(rectangle.column, rectangle.columns, rectangle.backward)
        if cells.bytes and self._bytes_tables:
            table = self._bytes_tables[1]
        else:
            table = self.device.upload(np.arange(256, dtype=np.uint32) * np.uint32(cells.stride))
        return self.gather(self.subject, first, step, rectangle.columns, table, rectangle.columns + PADDING)


def grid_for(count: int) -> int:
    """Blocks of a tool for so many elements."""
    return max(1, min(-(-count // TOOL_THREADS), 1024))


def along(first: int, count: int, backward: bool) -> tuple[int, int]:
    """Return the first of some residues in the direction of a pass, and the step to the next."""
    return (first + count - 1, -1) if backward else (first, 1)


def _within(length: int, first: int, count: int, backward: bool) -> slice:
    """Return the place of some residues in a sequence, or in its reverse."""
    start = length - first - count if backward else first
    return slice(start, start + count)
