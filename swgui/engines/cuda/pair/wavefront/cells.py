"""Computation of the cells of one pair: bits, rows and columns per thread, and the range of 16 bits.

**Why 16 bits suffice for any score.** Within a band of rows and a chunk of columns, no two values of H differ by more
than their distance allows: going down or right costs at most a gap, so H falls by at most ``gap_extend`` per step and
``gap_first`` per turn; and cutting the last k rows or columns off an alignment loses at most ``k x (highest +
gap_extend)`` and a gap. So every band keeps its values above a base that follows the border above it, and the rest of
16 bits is the distance by which that border may drift before the base is moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.arithmetic import TOP, Costs
from swgui.engines.cuda.pair.wavefront.device import Device, Kernel

FILE: Final = "pair_wavefront.cu"
FEWEST_SLACK: Final = 512  # room that borders need to drift before their base is moved
BYTE: Final = 127  # largest score in a signed byte
PROFILE_UNIT: Final = 8  # rows whose scores are read at once
CARRIERS: Final = 2  # warps of a block that carry borders
LINK: Final = 4  # batches that a tier may be ahead of the next
BASES: Final = 64  # chunks whose base is kept
ENDLESS: Final = 1 << 30  # rows: no limit
RESERVED: Final = 1024  # bytes of shared memory of a block in addition
MAX_BORDER: Final = 1 << 30  # border words have 31 bits


@dataclass(frozen=True, slots=True)
class Shape:
    """Rows and columns of a thread's block of cells, and size of the batches between threads."""

    # rows, columns: per thread (and half) and step
    rows: int
    columns: int
    tiers: int = 4  # warps of a block, one below the other; two more carry borders
    batch: int = 32  # columns handed on at a time
    chunk: int = 64  # steps between two looks at best score, base and pruning; a multiple of 64
    chain: bool = True  # one more operation per cell for a shorter chain of dependent ones
    blocks: int = 1  # per multiprocessor
    kept: int = 1  # borders are kept below bands whose number is a multiple of this

    @property
    def steps(self) -> int:
        """Steps of a batch."""
        return self.batch // self.columns


@dataclass(frozen=True, slots=True)
class PassGoal:
    """Goal of one pass; see `pair_lanes.cuh`."""

    local: bool
    track: int = 0
    prune: bool = False
    excluded: bool = False


def used_codes(query: EncodedQuery, scheme: ScoringScheme) -> NDArray[np.intp]:
    """Return the codes that occur in a query, ascending."""
    return np.flatnonzero([bool((query.codes == code).any()) for code in range(len(scheme.alphabet))])


@dataclass(frozen=True, slots=True)
class SchemeFacts(Costs):
    """Facts about a scheme and a query for the kernels."""

    few: bool  # whether the query has at most four letters (and no profile)

    @property
    def worst(self) -> int:
        """Scores below this are raised to it: two gaps are cheaper, so no alignment changes."""
        return max(self.lowest, -2 * self.gap_first - 1)

    @classmethod
    def of(cls, query: EncodedQuery, scheme: ScoringScheme) -> SchemeFacts:
        """Look at the scores that can occur."""
        if query.profile is not None:
            scores: NDArray[np.int16] = query.profile
            few = False
        else:
            used = used_codes(query, scheme)
            scores = scheme.matrix.scores[used] if len(used) else scheme.matrix.scores
            few = len(used) <= 4
        letters = len(scheme.alphabet)
        lowest, highest = int(scores.min(initial=0)), int(scores.max(initial=0))
        return cls(letters, scheme.gap_first, scheme.gap_extend, lowest, highest, few)

    @classmethod
    def in_general(cls, scheme: ScoringScheme) -> SchemeFacts:
        """For any query without a profile, before its letters are known."""
        scores = scheme.matrix.scores
        few = scheme.alphabet.name == "nucleotide"
        return cls(
            len(scheme.alphabet), scheme.gap_first, scheme.gap_extend, int(scores.min()), max(int(scores.max()), 0), few
        )


@dataclass(frozen=True, slots=True)
class Cells:
    """One compiled form of ``pair_wavefront.cu``, but for the task."""

    bits: int
    shape: Shape
    scheme: SchemeFacts
    bytes: bool
    signed: bool
    zero: int
    down: int
    slack: int
    dpx: bool

    @property
    def halves(self) -> int:
        """Cells per register."""
        return 32 // self.bits

    @property
    def band(self) -> int:
        """Rows of a band."""
        return self.shape.tiers * self.halves * 32 * self.shape.rows

    @property
    def lag(self) -> int:
        """Steps that a band is behind the one before, about."""
        return self.shape.tiers * (32 * self.halves + self.shape.steps)

    @property
    def ring(self) -> int:
        """Columns whose letters are kept: the distance of the last lane, and the letters read ahead."""
        lanes, steps, tiers = 32 * self.halves, self.shape.steps, self.shape.tiers
        lag = tiers * (lanes + LINK * steps) + LINK * steps
        return 1 << ((lag + lanes + 2 * steps) * self.shape.columns - 1).bit_length()

    @property
    def stride(self) -> int:
        """Bytes of the profile per letter."""
        return -(-self.shape.rows // PROFILE_UNIT) * 32 * 16 * self.halves

    def shared(self, task: PassGoal) -> int:
        """Dynamic shared memory of a block: `Shared` in ``pair_flow.cuh``, and the additions of each tier."""
        shape, tiers = self.shape, self.shape.tiers
        links = (tiers + 1) * (LINK + 1) * shape.steps * shape.columns * 8
        letters = (self.ring + shape.batch + shape.columns) * 4
        counters = (BASES + 2 * (tiers + 1) + 4 * tiers + 9) * 4
        profile = 0 if self.bytes else self.scheme.letters * self.stride
        captured = self.halves * shape.columns * shape.rows * 32 * 4 if task.track else 0
        return -(-(links + shape.batch * 8 + letters + counters) // 16) * 16 + tiers * (profile + captured)

    def with_rows(self, rows: int) -> Cells:
        """Return the same with other rows per thread, at most as many: the range of 16 bits stays the same."""
        return replace(self, shape=replace(self.shape, rows=rows))

    def kernel(self, task: PassGoal) -> Kernel:
        return _kernel(self, task)


@lru_cache(256)
def _kernel(cells: Cells, task: PassGoal) -> Kernel:
    """Return the kernel of cells for a task, always the same one: paths are followed in thousands of short passes."""
    shape, scheme = cells.shape, cells.scheme
    values = {
        "BITS": cells.bits,
        "ROWS": shape.rows,
        "COLUMNS": shape.columns,
        "CHAIN": int(shape.chain),
        "TIERS": shape.tiers,
        "BATCH": shape.batch,
        "CHUNK": shape.chunk,
        "RING": cells.ring,
        "SCORES": int(not cells.bytes),
        "SIGNED": int(cells.signed),
        "LETTERS": scheme.letters,
        "WORST": scheme.worst,
        "HIGHEST": scheme.highest,
        "FIRST": scheme.gap_first,
        "FURTHER": scheme.gap_extend,
        "ZERO": cells.zero,
        "DOWN": cells.down,
        "SLACK": cells.slack,
        "LOCAL": int(task.local),
        "TRACK": task.track,
        "PRUNE": int(task.prune),
        "BARRED": int(task.excluded),
        "DPX": int(cells.dpx),
        "MIN_BLOCKS": shape.blocks,
    }
    defines = tuple(f"-DPAIR_{name}={value}" for name, value in values.items())
    return Kernel(FILE, "pair_wavefront", defines, 32 * (shape.tiers + CARRIERS), cells.shared(task))


def plan_cells(scheme: SchemeFacts, shape: Shape, *, dpx: bool, wide: bool = False) -> Cells:
    """Choose 16 bits if they can hold the scheme with this shape, else 32.

    Parameters
    ----------
    wide : bool
        Use 32 bits in any case.
    """
    lower = shape
    while not wide:
        if (cells := narrow(scheme, lower, dpx)) is not None:
            return cells
        if lower.tiers == 1:
            break
        lower = replace(lower, tiers=lower.tiers // 2)
    rows = min(shape.rows, PROFILE_UNIT)
    return Cells(32, replace(shape, rows=rows), scheme, False, False, 0, 0, 0, dpx)


def narrow(scheme: SchemeFacts, shape: Shape, dpx: bool) -> Cells | None:
    """Return cells of 16 bits for tiles of a shape; None if the scores of one do not fit."""
    distance = 64 * shape.rows * shape.tiers + shape.chunk * shape.columns
    # F is never below zero - first: a subtraction from one half must not borrow from the other.
    zero = 2 * scheme.gap_first + scheme.gap_extend + 1
    down = 6 * scheme.gap_first + scheme.gap_extend * distance
    up = 6 * scheme.gap_first + (max(scheme.highest, 0) + scheme.gap_extend) * distance + max(scheme.highest, 0)
    slack = TOP - zero - up - down
    if slack < FEWEST_SLACK:
        return None
    low, high = scheme.worst + scheme.gap_first, max(scheme.highest, 0) + scheme.gap_first
    return Cells(16, shape, scheme, scheme.few and max(-low, high) <= BYTE, low < 0, zero, down, slack, dpx)


# Shapes, and the largest number of matrix rows per multiprocessor for each; measured on one H200. The time of a step
# limits short pairs, the instructions of a cell limit long ones.
SHAPES: Final = (
    (Shape(2, 2, tiers=2), 160),
    (Shape(4, 2), 1_600),
    (Shape(4, 2, tiers=6), 4_500),
    (Shape(8, 2, tiers=8), ENDLESS),
)
# Low bands leave out more, and follow each other more closely where little is left.
PRUNED_SHAPES: Final = (*SHAPES[:2], (SHAPES[2][0], 15_000), (Shape(4, 2, tiers=8, kept=2), ENDLESS))
PROFILE_SHAPES: Final = (
    (Shape(2, 2, tiers=2), 256),
    (Shape(4, 2), 1_024),
    (Shape(8, 2), ENDLESS),
)


def choose_cells(scheme: SchemeFacts, rows: int, device: Device, *, prune: bool = False) -> Cells:
    """Choose the shape for a matrix of this many rows."""
    shapes = PROFILE_SHAPES if not scheme.few else PRUNED_SHAPES if prune else SHAPES
    best: Cells | None = None
    for shape, most in shapes:
        cells = fit_cells(plan_cells(scheme, shape, dpx=device.dpx), device)
        if best is not None and cells.bits > best.bits:
            break
        best = cells
        if rows <= most * device.multiprocessors:
            break
    assert best is not None, "there are shapes"
    return best


def fit_blocks(cells: Cells, device: Device) -> Cells:
    """Return the same with as many blocks per multiprocessor as its shared memory has room for; at least one."""
    room = max(1, device.shared_limit // (cells.shared(PassGoal(True, 1)) + RESERVED))
    return replace(cells, shape=replace(cells.shape, blocks=min(cells.shape.blocks, room)))


def fit_cells(cells: Cells, device: Device) -> Cells:
    """Return the same with fewer blocks, and fewer tiers if need be, where shared memory has no room for more."""
    while cells.shape.tiers > 1 and cells.shared(PassGoal(True, 1)) + RESERVED > device.shared_limit:
        cells = replace(cells, shape=replace(cells.shape, tiers=cells.shape.tiers // 2))
    return fit_blocks(cells, device)
