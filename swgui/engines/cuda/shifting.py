"""Best scores of proteins with DNA whose reading may shift, on one GPU: the input of ``kernels/shifts.cu``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.core.stretches import Subjects
from swgui.engines.cuda import device
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.modules import Kernel, load
from swgui.engines.cuda.tuning import TUNING

FILE: Final = "shifts.cu"
KERNEL: Final = "shifts"
LANES: Final = 32
ROWS: Final = (4, 8, 12, 16)  # of a lane
MIN_BLOCKS: Final = {
    4: 16,
    8: 14,
    12: 10,
    16: 8,
}  # of a warp each, on a multiprocessor, so that registers are not spilled
MAX_SYMBOLS: Final = 31
MAX_COST: Final = 16_000
BORDER: Final = 24  # bytes of a block of three columns: H and F of each, for two pieces
BORDER_BYTES: Final = 1 << 30  # of all blocks of a launch
UNIT: Final = 6  # first residue, residues, first codon and codons of either piece


@dataclass(frozen=True, slots=True)
class ShiftVariant:
    """One way to compile the kernel."""

    rows: int  # residues of a lane, of `ROWS`
    symbols: int  # of the alphabet of proteins, at most `MAX_SYMBOLS`
    # gap_first, gap_extend, shift: at most `MAX_COST`; a shift of -1 is none at all
    gap_first: int
    gap_extend: int
    shift: int
    peaks: int = 0  # blocks of three columns whose best score is kept; 0 for that of all

    def defines(self) -> tuple[str, ...]:
        given = {
            "ROWS": self.rows,
            "CODES": self.symbols,
            "FIRST": self.gap_first,
            "EXTEND": self.gap_extend,
            "SHIFT": self.shift,
            "MIN_BLOCKS": MIN_BLOCKS[self.rows],
            "PEAKS": self.peaks,
        }
        return tuple(f"-DSW_{name}={value}" for name, value in given.items())

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block: the scores of its rows for each letter, 16 bits each."""
        return (self.symbols + 1) * self.rows * LANES * 2


def rows_for(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the fastest number of residues per lane for proteins of these lengths, shape (p,)."""
    rows = np.array(ROWS[::-1])
    passes = -(-lengths[:, None] // (LANES * rows))
    return np.asarray(rows[np.argmin(passes * (rows + TUNING.step_rows), axis=1)])


def fits(table: NDArray[np.int16], costs: tuple[int, ...]) -> bool:
    """Return True if the kernel can score by a table of shape (symbols, symbols) with these costs."""
    return len(table) <= MAX_SYMBOLS and max(costs) <= MAX_COST


def border_groups(units: NDArray[np.int64], rows: int) -> int:
    """Return the blocks of three columns of the longest unit with several passes; `units` of shape (k, 6)."""
    several = units[units[:, 1] > LANES * rows]
    return int(-(-several[:, [3, 5]].max(initial=0) // 3))


class ShiftScorer:
    """Scores units of work on the current device.

    Parameters
    ----------
    table : ndarray, shape=(symbols, symbols), dtype=int16
        A table that `fits`; rows are residues of proteins, columns translations of codons.
    costs : (int, int, int)
        Costs of the first and of each other residue of a gap, and of a frameshift.
    """

    def __init__(self, cupy: Any, table: NDArray[np.int16], costs: tuple[int, int, int]) -> None:
        self._cupy, self._costs = cupy, costs
        self._multiprocessors = int(cupy.cuda.Device().attributes["MultiProcessorCount"])
        self._symbols, self._table = len(table), cupy.asarray(table)
        cupy.cuda.get_current_stream().synchronize()  # or other streams might not see it
        each = [[cupy.cuda.Stream(non_blocking=True) for _ in ROWS] for _ in range(TUNING.calls_at_once)]
        self._streams = each  # of calls in turn, for each kernel
        self._kernels: dict[int, tuple[Kernel, ShiftVariant]] = {}
        self.limit = int(np.iinfo(np.int16).max) - max(0, int(table.max()))

    def begin(
        self, residues: NDArray[np.uint8], codons: NDArray[np.uint8], units: NDArray[np.int64]
    ) -> Callable[[], NDArray[np.int32]]:
        """Launch the scoring of every unit; launches before the end of the last ones run in parallel.

        Parameters
        ----------
        units : ndarray, shape=(k, 6), dtype=int64
            First residue and number of residues; first codon and number of codons of two pieces, 0 for none.

        Returns
        -------
        callable
            Waits, and returns the scores, shape (k, 2), dtype=int32; those above `limit` may be more.
        """
        streams = self._streams[0]
        self._streams.reverse()
        launched = []
        with streams[0]:
            given = self._cupy.asarray(residues), self._cupy.asarray(codons)
            there = streams[0].record()
        for stream, (rows, numbers) in zip(streams, self._by_rows(units[:, 1]), strict=False):
            with stream:
                stream.wait_event(there)
                launched.append((numbers, stream, *self._launch(rows, *given, units[numbers])))

        def wait() -> NDArray[np.int32]:
            scores = np.zeros((len(units), 2), dtype=np.int32)
            for numbers, stream, found, _ in launched:
                stream.synchronize()  # or the copy would wait, and other callers that ask the driver for one
                with stream:
                    scores[numbers] = found.get()
            return scores

        return wait

    @staticmethod
    def _by_rows(lengths: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield which units a kernel of this many rows takes, most work first."""
        wanted = rows_for(lengths)
        for rows in ROWS[::-1]:
            numbers = np.flatnonzero(wanted == rows)
            if len(numbers):
                yield rows, numbers[np.argsort(-lengths[numbers], kind="stable")]

    def _launch(self, rows: int, residues: Any, codons: Any, units: NDArray[np.int64]) -> tuple[Any, list[Any]]:
        """Launch units on the current stream; returns where their scores will be, and what must live until then."""
        cupy = self._cupy
        groups = border_groups(units, rows)
        grid = min(
            len(units), self._multiprocessors * MIN_BLOCKS[rows], max(1, BORDER_BYTES // max(1, groups * BORDER))
        )
        borders = cupy.empty(max(1, grid * groups * BORDER), dtype=cupy.uint8)
        state, scores = cupy.zeros(2, dtype=cupy.int32), cupy.zeros((len(units), 2), dtype=cupy.int32)
        given = residues, codons, self._table, cupy.asarray(units), np.int32(len(units)), borders, np.int32(groups)
        kernel, variant = self._kernel(rows)
        kernel((grid,), (LANES,), (*given, state[:1], scores, state[1:]), shared_mem=variant.shared_bytes)
        return scores, [*given, state]

    def _kernel(self, rows: int) -> tuple[Kernel, ShiftVariant]:
        if rows not in self._kernels:
            variant = ShiftVariant(rows, self._symbols, *self._costs)
            kernel = load(self._cupy, FILE, KERNEL, variant.defines(), variant.shared_bytes)
            self._kernels[rows] = kernel, variant
        return self._kernels[rows]


class CudaShifts:
    """One GPU at work on proteins and strands; made by `make`."""

    overlaps = 4

    def __init__(self, scorer: ShiftScorer, gpu: Gpu) -> None:
        self._scorer, self._gpu = scorer, gpu
        self.cells = TUNING.call_cells * gpu.multiprocessors

    @property
    def label(self) -> str:
        return self._gpu.label

    @classmethod
    def make(cls, scheme: Any, options: EngineOptions) -> tuple[CudaShifts, ...]:
        """Make one for a `swgui.engines.shifted.ShiftScheme` on each device that was chosen.

        Raises
        ------
        EngineUnavailable, InvalidParameter
            If there is no GPU, or the costs are more than its 16 bits can take.
        """
        probed = device.probe()
        if not probed.available:
            raise EngineUnavailable(device.NAME, probed.reason, hint=probed.hint)
        costs = scheme.gap_first, scheme.gap_extend, scheme.shift
        if not fits(scheme.table, costs):
            raise InvalidParameter(
                "frameshift",
                scheme.shift,
                f"On a GPU gaps and frameshifts cost at most {MAX_COST:,}.",
                hint="Choose the engine cpu.",
            )
        cupy, made = device.import_cupy(), []
        for info in device.choose(probed.devices, options.devices):
            gpu = Gpu(cupy, info)
            with gpu.at_work():
                made.append(cls(ShiftScorer(cupy, scheme.table, costs), gpu))
        return tuple(made)

    def begin(
        self, proteins: Subjects, strands: Subjects, check: Callable[[], None]
    ) -> Callable[[], NDArray[np.int64]]:
        """Begin to score each protein with each strand; the result waits, as `swgui.engines.shifted` describes."""
        check()
        order, units = grid_units(proteins, strands)
        with self._gpu.at_work():
            wait = self._scorer.begin(proteins.codes, strands.codes, units)

        def scores_of() -> NDArray[np.int64]:
            check()
            with self._gpu.at_work():
                found = wait().astype(np.int64)
            check()
            found[found > self._scorer.limit] = np.iinfo(np.int32).max
            scores = np.empty((len(proteins), len(strands)), dtype=np.int64)
            scores[:, order] = found.reshape(len(proteins), -1)[:, : len(order)]
            return scores

        return scores_of


def grid_units(proteins: Subjects, strands: Subjects) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Put each protein with all strands, two by two, into units of the kernel.

    Returns
    -------
    order : ndarray, shape=(s,)
        Which strand each half is, those of a protein in turn: the longest first, so that two are alike.
    units : ndarray, shape=(p * ceil(s / 2), 6)
    """
    order = np.argsort(-strands.lengths, kind="stable")
    halves = np.zeros((len(order) + len(order) % 2, 2), dtype=np.int64)
    halves[: len(order), 0], halves[: len(order), 1] = strands.starts[order], strands.lengths[order]
    units = np.empty((len(proteins), len(halves) // 2, UNIT), dtype=np.int64)
    units[:, :, 0], units[:, :, 1] = proteins.starts[:, None], proteins.lengths[:, None]
    units[:, :, 2:] = halves.reshape(-1, UNIT - 2)
    return order, units.reshape(-1, UNIT)
