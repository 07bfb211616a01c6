"""Scores of stretches of a database of DNA, on one GPU: ``kernels/shifts.cu`` with peaks."""

from __future__ import annotations

import logging
import threading
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import EngineFault
from swgui.core.scoring import ScoringScheme
from swgui.core.stretches import Subjects
from swgui.core.translation.database import TranslatedDatabase
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.peaks import StrandCodons, Stretches
from swgui.core.translation.programs import shifting
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.regions import HIGH_PRIORITY
from swgui.engines.cuda.shifting import (
    BORDER,
    BORDER_BYTES,
    FILE,
    KERNEL,
    LANES,
    MIN_BLOCKS,
    ROWS,
    ShiftVariant,
    fits,
    rows_for,
)
from swgui.engines.narrowing import NO_SHIFT, strand_codons

log = logging.getLogger(__name__)

TOGETHER: Final = 16  # blocks of three columns that share a peak
UNIT: Final = 17  # numbers of a unit: the protein, six columns of stretches, step, least, where peaks begin
COLUMN, STEP, LEAST, PLACE = 2, 14, 15, 16  # where these stand
SLOTS: Final = 6  # columns of a unit: three of either piece
PEAKS_BYTES: Final = 1 << 28  # of a call


class GpuPeaks:
    """Finds peaks on one GPU; several threads may ask. After a fault of the GPU it finds none (`EngineFault`).

    Parameters
    ----------
    database : TranslatedDatabase
        One that `swgui.engines.narrowing.can_narrow` allows.
    """

    def __init__(self, gpu: Gpu, database: TranslatedDatabase, scheme: ScoringScheme) -> None:
        how = database.translation
        self._gpu, self._database = gpu, database
        self._shifting = shifting(how)
        self._table = np.ascontiguousarray(scheme.matrix.scores, dtype=np.int16)
        self._costs = scheme.gap_first, scheme.gap_extend, how.shift if self._shifting else NO_SHIFT
        self._lock, self._own = threading.Lock(), threading.local()
        self._strands: StrandCodons | None = None
        self._codes: Any = None
        self._never: Any = None  # stops a launch, which takes some milliseconds
        self._scores: Any = None
        self.width = TOGETHER * (CODON if self._shifting else 1)
        self.limit = int(np.iinfo(np.int16).max) - max(0, int(self._table.max()))

    @classmethod
    def of(cls, gpu: Gpu, database: TranslatedDatabase, scheme: ScoringScheme) -> GpuPeaks | None:
        """Make one; None for a scheme that the kernel does not know."""
        costs = scheme.gap_first, scheme.gap_extend, database.translation.shift
        return cls(gpu, database, scheme) if fits(np.asarray(scheme.matrix.scores), costs) else None

    def begin(self) -> None:
        """Have the kernels compiled and brought to the GPU in a thread of its own; returns at once."""

        def load() -> None:
            try:
                with self._gpu.at_work():
                    for rows in ROWS:
                        self._kernel(self._variant(rows))
            except EngineFault as fault:
                log.info("Windows are not narrowed on the GPU: %s", fault)

        # Not a daemon: the compiler must not run during the end of the process.
        threading.Thread(target=load, name="compile peaks").start()

    @property
    def strands(self) -> StrandCodons:
        """The database in the numbering of the requested stretches."""
        with self._lock:
            if self._strands is None:
                self._strands = strand_codons(self._database)
            return self._strands

    def find(
        self, proteins: Subjects, stretches: Stretches, *, backwards: bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Find peaks, as `swgui.core.translation.peaks.Peaks.find`.

        Raises
        ------
        EngineFault
            If the GPU fails.
        """
        units, sizes, table = peak_units(proteins, stretches, shifting=self._shifting, backwards=backwards)
        found = [np.zeros((3, 0), dtype=np.int64)]
        parts = np.cumsum(sizes) * SLOTS * 4 // PEAKS_BYTES
        with self._gpu.at_work():
            portions = np.split(np.arange(len(units)), np.flatnonzero(np.diff(parts)) + 1)
            found += [self._found(proteins, units[some], sizes[some], table[some]) for some in portions if len(some)]
        stretch, block, score = np.concatenate(found, axis=1)
        enough = score >= stretches.least[stretch]
        return stretch[enough], block[enough], score[enough]

    def _found(
        self, proteins: Subjects, units: NDArray[np.int64], sizes: NDArray[np.int64], table: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return stretches, numbers and scores of the peaks of some units, shape (3, n)."""
        units[:, PLACE] = SLOTS * (np.cumsum(sizes) - sizes)
        peaks = self._peaks(proteins.codes, units, int(SLOTS * sizes.sum()))
        at = np.flatnonzero(peaks)
        unit = np.searchsorted(units[:, PLACE], at, side="right") - 1
        block, slot = np.divmod(at - units[unit, PLACE], SLOTS)
        return np.stack([table[unit, slot], block, peaks[at].astype(np.int64)])

    def _peaks(self, residues: NDArray[np.uint8], units: NDArray[np.int64], size: int) -> NDArray[np.int32]:
        gpu, stream = self._gpu, self._stream()
        codes, scores = self._constants()
        kept: list[Any] = []

        def brought(host: NDArray[Any]) -> Any:
            array, given = gpu.empty(max(host.size, 1), host.dtype), np.ascontiguousarray(host).ravel()
            gpu.upload(array, given, stream)
            kept.extend((array, given))
            return array

        protein, peaks = brought(residues), gpu.empty(max(size, 1), np.int32)
        gpu.clear(peaks, stream)
        wanted = rows_for(units[:, 1])
        for rows in ROWS[::-1]:
            own = np.flatnonzero(wanted == rows)
            if not len(own):
                continue
            some = units[own[np.argsort(-_cells(units[own]), kind="stable")]]
            several = some[:, 1] > LANES * rows
            groups = int(some[several][:, COLUMN + 1 : STEP : 2].max(initial=0))
            most = gpu.multiprocessors * MIN_BLOCKS[rows], max(1, BORDER_BYTES // max(1, groups * BORDER))
            grid = min(len(some), *most)
            borders, counter = gpu.empty(max(1, grid * groups * BORDER), np.uint8), gpu.empty(1, np.int32)
            gpu.clear(counter, stream)
            given = protein, codes, scores, brought(some), np.int32(len(some)), borders, np.int32(groups)
            variant = self._variant(rows)
            kernel = self._kernel(variant)
            arguments = (*given, counter, peaks, self._never)
            with stream:
                kernel((grid,), (LANES,), arguments, shared_mem=variant.shared_bytes)
            kept += [borders, counter]
        out = np.empty(max(size, 1), dtype=np.int32)
        stream.synchronize()  # or the copy would wait, and other callers that ask the driver for one
        gpu.download(out, peaks, stream)
        stream.synchronize()
        return out[:size]

    def _variant(self, rows: int) -> ShiftVariant:
        return ShiftVariant(rows, len(self._table), *self._costs, peaks=TOGETHER)

    def _kernel(self, variant: ShiftVariant) -> Any:
        with self._lock:
            return self._gpu.kernel(FILE, KERNEL, variant.defines(), variant.shared_bytes)

    def _stream(self) -> Any:
        """Return this thread's stream."""
        if not hasattr(self._own, "stream"):
            self._own.stream = self._gpu.cupy.cuda.Stream(non_blocking=True, priority=HIGH_PRIORITY)
        return self._own.stream

    def _constants(self) -> tuple[Any, Any]:
        """Return the codons of the database and the table of scores on the device, brought at the first call."""
        strands = self.strands
        with self._lock:
            if self._codes is None:
                self._codes, self._scores = self._gpu.constant(strands.codes), self._gpu.constant(self._table.ravel())
                self._never = self._gpu.constant(np.zeros(1, dtype=np.int32))
            return self._codes, self._scores


def peak_units(
    proteins: Subjects, stretches: Stretches, *, shifting: bool, backwards: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Put stretches into units of the kernel, of one protein each and of like length.

    Parameters
    ----------
    shifting : bool
        Whether a stretch takes all three columns of a piece; else it takes one.

    Returns
    -------
    units : ndarray, shape=(u, 17), dtype=int64
        Without where their peaks begin.
    sizes : ndarray, shape=(u,), dtype=int64
        Peaks of a column.
    table : ndarray, shape=(u, 6), dtype=int64
        The stretch of each column; -1 for none.
    """
    step, of, lengths = -1 if backwards else 1, stretches.proteins, stretches.lengths
    each = SLOTS // CODON if shifting else SLOTS  # stretches of a unit
    order = np.lexsort((-lengths, of))
    counts = np.bincount(of, minlength=len(proteins))
    rank = np.arange(len(order)) - (np.cumsum(counts) - counts)[of[order]]
    units_each = -(-counts // each)
    unit = (np.cumsum(units_each) - units_each)[of[order]] + rank // each
    protein = np.repeat(np.arange(len(proteins)), units_each)
    units = np.zeros((len(protein), UNIT), dtype=np.int64)
    units[:, 0] = proteins.starts[protein] + (proteins.lengths[protein] - 1 if backwards else 0)
    units[:, 1], units[:, STEP] = proteins.lengths[protein], step
    units[:, LEAST] = np.iinfo(np.int32).max
    np.minimum.at(units[:, LEAST], unit, stretches.least[order])
    table = np.full((len(protein), SLOTS), -1, dtype=np.int64)
    for column in range(CODON if shifting else 1):
        slot = SLOTS // CODON * column + rank % each
        blocks = -(-np.maximum(lengths[order] - column, 0) // CODON) if shifting else lengths[order]
        units[unit, COLUMN + 2 * slot] = stretches.firsts[order] + step * column
        units[unit, COLUMN + 2 * slot + 1] = blocks
        table[unit, slot] = order
    return units, -(-units[:, COLUMN + 1 : STEP : 2].max(axis=1, initial=0) // TOGETHER), table


def _cells(units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the cells of work units, shape (u,)."""
    return np.asarray(units[:, 1] * units[:, COLUMN + 1 : STEP : 2].max(axis=1, initial=0))
