"""Which kernel for which query: one record per variant, from which defines, launch and memory all follow.

`Arithmetic` is what the scoring scheme asks for: how zero is stored, how scores are packed, from which
score on 16 bits may have overflowed. `Tile` is how a query is laid over threads. A `KernelVariant` is
both, plus the pass; `select_tile` picks the tile by the query's length from measured rates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from swgui.engines.cuda import tiles

ALL_LANES: Final = (4, 8, 16, 32)
TOP: Final = 0x7BFF  # largest integer whose bits, read as binary16, are a finite number
MIN_LIMIT: Final = 128  # with less room than this nearly every subject would be scored twice
PACKED_LIMIT: Final = 63  # -2 x score must fit 8 bits
LETTER_STRIDE: Final = 0x7FFF  # bytes between two symbols of a table: a 16-bit number in the kernel


class Pairing(IntEnum):
    """What the two halves of a register hold; values as in ``sw_params.cuh``."""

    SUBJECTS = 0
    QUERIES = 1
    NONE = 2  # one score of 32 bits


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """How scores of one scheme are computed.

    Parameters
    ----------
    pairing : Pairing
    packed : bool
        Whether the profile is stored in the packed form (two subjects, small scores).
    letters : int
        Symbols of the alphabet.
    gap_first, gap_extend : int
        Gap costs.
    floor : int
        What a score of zero is stored as.
    period : int
        Rows after which the drift of frames starts again; ``(period - 1) * gap_extend <= gap_first``.
    worst : int
        Lower scores are raised to this: two gaps are cheaper, so no alignment changes.
    limit : int
        16-bit scores from here on may have overflowed.
    dpx : bool
        Whether the fused 16-bit instructions may be used.
    """

    pairing: Pairing
    packed: bool
    letters: int
    gap_first: int
    gap_extend: int
    floor: int
    period: int
    worst: int
    limit: int
    dpx: bool

    def stored_range(self, highest: int) -> tuple[int, int]:
        """Return the range of what the profile stores, if no score is above `highest`."""
        return self.worst + self.gap_first - (
            self.period - 1
        ) * self.gap_extend, highest + self.gap_first + self.gap_extend


def plan_arithmetic(
    pairing: Pairing,
    letters: int,
    gap_first: int,
    gap_extend: int,
    lowest: int,
    highest: int,
    *,
    dpx: bool,
    period: int = 4,
) -> Arithmetic | None:
    """Compute floor, limit and packing for a scheme.

    Parameters
    ----------
    pairing : Pairing
    letters : int
    gap_first, gap_extend : int
        Gap costs.
    lowest, highest : int
        Range of the scores of one pair of residues.
    dpx : bool
    period : int
        Rows between two starts of the drift, if the gap costs allow; else fewer.

    Returns
    -------
    Arithmetic or None
        None if 16 bits leave too little room for this scheme.
    """
    worst = max(lowest, -2 * gap_first)
    highest = max(highest, worst)
    while period > 1 and (period - 1) * gap_extend > gap_first:
        period //= 2
    floor = max(gap_first, -worst) + 1
    largest_offset = floor + gap_extend * (period + 2)
    if pairing is Pairing.NONE:
        limit = (1 << 31) - 1
    else:
        limit = TOP - largest_offset - max(highest, 0) - 1
        if limit < max(MIN_LIMIT, 2 * highest):
            return None
    plain = Arithmetic(pairing, False, letters, gap_first, gap_extend, floor, period, worst, limit, dpx)
    low, high = plain.stored_range(highest)
    packed = pairing is Pairing.SUBJECTS and low >= -PACKED_LIMIT and high <= PACKED_LIMIT
    return Arithmetic(pairing, packed, letters, gap_first, gap_extend, floor, period, worst, limit, dpx)


@dataclass(frozen=True, slots=True)
class Tile:
    """How a query lies over the threads of a block.

    Parameters
    ----------
    lanes : int
        Threads that hold the query together.
    rows : int
        Query rows per thread.
    threads : int
        Threads per block.
    skew : int
        Rows by which the second of two columns follows the first (`rows`: not interleaved).
    halves : bool
        Whether maxima are taken as binary16 numbers although the GPU has DPX: sometimes a little faster.
    """

    lanes: int
    rows: int
    threads: int
    skew: int
    halves: bool = False

    @property
    def height(self) -> int:
        """Query rows of one pass."""
        return self.lanes * self.rows

    @property
    def registers(self) -> int:
        """Registers a thread may use without lowering the number of threads (64 Ki registers)."""
        warps = -(-self.threads // 128) * 4  # handed out to four schedulers alike
        return min(65536 // (warps * 32) // 8 * 8, 255)

    def shared_bytes(self, arithmetic: Arithmetic) -> int:
        """Return the shared memory of a block: profile tables and rings of units."""
        slots = max(self.lanes, 8)
        units = -(-self.rows // 4) + (-(-self.rows // 8) if arithmetic.packed else 0)
        profile = (arithmetic.letters + 2) * units * slots * 16
        border, ring = 2 * 16, 2 * self.lanes * 8 + 8
        return profile + self.threads // self.lanes * (border + ring)

    def letter_stride(self) -> int:
        """Bytes between two symbols of the larger table; a 16-bit number in the kernel."""
        return -(-self.rows // 4) * max(self.lanes, 8) * 16


@dataclass(frozen=True, slots=True)
class KernelVariant:
    """One compiled form of ``streaming.cu``.

    Parameters
    ----------
    arithmetic : Arithmetic
    tile : Tile
    reads_border, writes_border : bool
        Whether other passes lie above and below.
    """

    arithmetic: Arithmetic
    tile: Tile
    reads_border: bool = False
    writes_border: bool = False

    def defines(self) -> tuple[str, ...]:
        """Return the compiler's ``-D`` options."""
        values = {
            "LANES": self.tile.lanes,
            "ROWS": self.tile.rows,
            "THREADS": self.tile.threads,
            "MIN_BLOCKS": 1,
            "SKEW": max(self.tile.skew, self.arithmetic.period),
            "PAIRING": int(self.arithmetic.pairing),
            "SCORES": 0 if self.arithmetic.packed else 1,
            "LETTERS": self.arithmetic.letters,
            "FIRST": self.arithmetic.gap_first,
            "FURTHER": self.arithmetic.gap_extend,
            "FLOOR": self.arithmetic.floor,
            "PERIOD": self.arithmetic.period,
            "WORST": self.arithmetic.worst,
            "LIMIT": self.arithmetic.limit,
            "READ_BORDER": int(self.reads_border),
            "WRITE_BORDER": int(self.writes_border),
            "DPX": int(self.arithmetic.dpx and not self.tile.halves),
        }
        return tuple(f"-DSW_{name}={value}" for name, value in values.items())

    @property
    def shared_bytes(self) -> int:
        """Dynamic shared memory of a block."""
        return self.tile.shared_bytes(self.arithmetic)

    @property
    def groups(self) -> int:
        """Groups of lanes per block."""
        return self.tile.threads // self.tile.lanes


def passes(tile: Tile, arithmetic: Arithmetic, length: int) -> Iterator[tuple[int, KernelVariant]]:
    """Yield the first row and the variant of each pass over a query of `length` residues."""
    count = max(1, -(-length // tile.height))
    for number in range(count):
        variant = KernelVariant(arithmetic, tile, reads_border=number > 0, writes_border=number + 1 < count)
        yield number * tile.height, variant


@dataclass(frozen=True, slots=True)
class Load:
    """How much work a tile is chosen for.

    Parameters
    ----------
    blocks : int
        Blocks of four columns of all pairs.
    longest : int
        Blocks of the longest pair, which one group of threads has to do alone.
    multiprocessors : int
        Of the GPU.
    """

    blocks: int
    longest: int
    multiprocessors: int


@lru_cache(maxsize=4096)
def select_tile(length: int, arithmetic: Arithmetic, shared_limit: int, load: Load | None = None) -> Tile:
    """Pick the tile with the least estimated time.

    Parameters
    ----------
    length : int
        Residues of the query (the longer one of two).
    arithmetic : Arithmetic
    shared_limit : int
        Bytes of shared memory a block may have.
    load : Load, optional
        The database; without it, one that is large in comparison with its longest subject.
    """
    best = fastest_tile(length, arithmetic, shared_limit, load)
    assert best is not None, "the smallest tile fits every GPU"
    return best


def fastest_tile(
    length: int,
    arithmetic: Arithmetic,
    shared_limit: int,
    load: Load | None = None,
    wanted: Mapping[str, int] = MappingProxyType({}),
) -> Tile | None:
    """Return the tile with the least estimated time among those that are as wanted; None if none fits.

    Parameters
    ----------
    length, arithmetic, shared_limit, load
        As `select_tile`.
    wanted : Mapping[str, int]
        Values for some of lanes, rows and threads.
    """
    best: tuple[float, Tile] | None = None
    for speed, tile in _candidates(arithmetic, wanted):
        if tile.shared_bytes(arithmetic) > shared_limit or tile.letter_stride() > LETTER_STRIDE:
            continue
        count = max(1, -(-length // tile.height))
        rows = count * (tile.height + tiles.PASS_ROWS * (count > 1))
        time = rows / speed * (1 + tiles.LANES_COST[tile.lanes])
        if load is not None:
            time *= load.blocks / (load.multiprocessors * tiles.ROW_BLOCKS)
            time = max(time, count * (tile.rows + tiles.STEP_ROWS) * load.longest)
        if best is None or time < best[0]:
            best = time, tile
    return best[1] if best else None


def _candidates(arithmetic: Arithmetic, wanted: Mapping[str, int]) -> Iterator[tuple[float, Tile]]:
    """Yield speed and tile, as measured, with what is wanted put in its place."""
    measured = rates(arithmetic)
    rows = wanted.get("rows", 0)
    if rows:  # what was measured at the next number of rows holds for this one
        nearest = min(measured, key=lambda rate: abs(rate.rows - rows))
        skew = rows if nearest.skew == nearest.rows or rows < nearest.skew else nearest.skew
        measured = (nearest._replace(rows=rows, skew=skew),)
    for rate in measured:
        for lanes in (wanted["lanes"],) if "lanes" in wanted else ALL_LANES:
            yield rate.speed, Tile(lanes, rate.rows, wanted.get("threads", rate.threads), rate.skew, rate.halves)


def rates(arithmetic: Arithmetic) -> tuple[tiles.Rate, ...]:
    """Return the measured tiles for an arithmetic."""
    if arithmetic.pairing is Pairing.NONE:
        return tiles.SINGLE
    if arithmetic.pairing is Pairing.QUERIES:
        return tiles.QUERIES
    return tiles.PACKED if arithmetic.packed else tiles.WORDS
