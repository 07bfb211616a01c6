"""Kernel of each query: one record per variant, which gives defines, launch and memory.

`Tile` is how a query is laid over threads. A `KernelVariant` is an arithmetic and a tile, plus the pass;
`select_tile` picks the tile by the query's length from measured rates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.sweep.tile_rates import Family, Rate
from swgui.engines.cuda.arithmetic import Arithmetic, Gaps, Twins
from swgui.engines.cuda.streaming.tables import H200, Tables

ALL_LANES: Final = (4, 8, 16, 32)
LETTER_STRIDE: Final = 0x7FFF  # bytes between two symbols of a table: a 16-bit number in the kernel


@dataclass(frozen=True, slots=True)
class Tile:
    """Layout of a query over the threads of a block."""

    lanes: int  # threads that hold the query together
    rows: int  # query rows per thread
    threads: int  # threads per block
    skew: int  # rows by which each of several columns follows the one before (`rows`: not interleaved)
    # True if maxima use binary16 numbers although the GPU has DPX: sometimes a little faster.
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
        codes = arithmetic.letters + 2 + (arithmetic.beside + 2 if arithmetic.beside else 0)
        profile = codes * units * slots * 16
        border, ring = 2 * 16, 2 * self.lanes * 8 + 8
        return profile + self.threads // self.lanes * (border + ring)

    def letter_stride(self) -> int:
        """Bytes between two symbols of the larger table; a 16-bit number in the kernel."""
        return -(-self.rows // 4) * max(self.lanes, 8) * 16


@dataclass(frozen=True)
class KernelVariant:
    """One compiled form of ``streaming.cu``; every launch looks its kernel up, so that its hash is kept."""

    arithmetic: Arithmetic
    tile: Tile
    # reads_border, writes_border: whether other passes lie above and below
    reads_border: bool = False
    writes_border: bool = False
    several: bool = False  # whether several twins of queries share a launch

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.arithmetic, self.tile, self.reads_border, self.writes_border, self.several))

    def defines(self) -> tuple[str, ...]:
        return _defines(self)

    @cached_property
    def shared_bytes(self) -> int:
        return self.tile.shared_bytes(self.arithmetic)

    @property
    def groups(self) -> int:
        return self.tile.threads // self.tile.lanes


@lru_cache(maxsize=4096)
def _defines(variant: KernelVariant) -> tuple[str, ...]:
    tile, arithmetic = variant.tile, variant.arithmetic
    values = {
        "LANES": tile.lanes,
        "ROWS": tile.rows,
        "THREADS": tile.threads,
        "MIN_BLOCKS": 1,
        "ABREAST": arithmetic.abreast,
        "SKEW": max(tile.skew, arithmetic.period),
        "TWINS": int(arithmetic.twins),
        "SCORES": 0 if arithmetic.packed else 1,
        "LETTERS": arithmetic.letters,
        "FIRST": arithmetic.gap_first,
        "FURTHER": arithmetic.gap_extend,
        "FLOOR": arithmetic.floor,
        "PERIOD": arithmetic.period,
        "WORST": arithmetic.worst,
        "LIMIT": arithmetic.limit,
        "POSITIONS": int(arithmetic.positions),
        "BESIDE": arithmetic.beside,
        "READ_BORDER": int(variant.reads_border),
        "WRITE_BORDER": int(variant.writes_border),
        "SEVERAL": int(variant.several),
        "DPX": int(arithmetic.dpx and not tile.halves),
    }
    return tuple(f"-DSW_{name}={value}" for name, value in values.items())


def passes(tile: Tile, arithmetic: Arithmetic, length: int) -> tuple[tuple[int, KernelVariant], ...]:
    """Return the first row and the variant of each pass over a query of `length` residues."""
    return _passes(tile, arithmetic, max(1, -(-length // tile.height)))


@lru_cache(maxsize=4096)
def _passes(tile: Tile, arithmetic: Arithmetic, count: int) -> tuple[tuple[int, KernelVariant], ...]:
    variant = partial(KernelVariant, arithmetic, tile)
    ends = [(number > 0, number + 1 < count) for number in range(count)]
    return tuple(
        (number * tile.height, variant(reads_border=reads, writes_border=writes))
        for number, (reads, writes) in enumerate(ends)
    )


@dataclass(frozen=True, slots=True)
class Load:
    """Amount of work that decides on a tile."""

    blocks: int  # blocks of four columns of all twins
    longest: int  # blocks of the longest twin, which one group of threads has to do alone
    multiprocessors: int  # of the GPU


@lru_cache(maxsize=4096)
def select_tile(
    length: int, arithmetic: Arithmetic, shared_limit: int, load: Load | None = None, tables: Tables = H200
) -> Tile:
    """Pick the tile with the least estimated time.

    Parameters
    ----------
    load : Load, optional
        The database; without it, one that is large in comparison with its longest subject.
    tables : Tables
        Of the GPU.
    """
    best = fastest_tile(length, arithmetic, shared_limit, load, tables=tables)
    assert best is not None, "the smallest tile fits every GPU"
    return best


def fastest_tile(
    length: int,
    arithmetic: Arithmetic,
    shared_limit: int,
    load: Load | None = None,
    wanted: Mapping[str, int] = MappingProxyType({}),
    tables: Tables = H200,
) -> Tile | None:
    """Return the tile with the least estimated time among those that are as wanted; None if none fits.

    Parameters
    ----------
    length, arithmetic, shared_limit, load, tables
        As `select_tile`.
    wanted : Mapping[str, int]
        Values for some of lanes, rows and threads.
    """
    fitting = _fitting(arithmetic, shared_limit, tables, tuple(wanted.items()))
    if not fitting.tiles:
        return None
    return fitting.tiles[int(_timed(fitting, length, load, tables).argmin())]


@lru_cache(maxsize=4096)
def least_seconds(length: int, arithmetic: Arithmetic, shared_limit: int, load: Load, tables: Tables = H200) -> float:
    """Return the least estimated time of any tile; as `select_tile`."""
    times = _timed(_fitting(arithmetic, shared_limit, tables, ()), length, load, tables)
    return float(times.min()) * tables.row_seconds


class _Fitting(NamedTuple):
    """Tiles that a GPU can run, and their figures, shape (k,)."""

    tiles: tuple[Tile, ...]
    speeds: NDArray[np.float64]
    heights: NDArray[np.int64]
    rows: NDArray[np.int64]
    slowed: NDArray[np.float64]  # cost of its lanes, 1 and more


def _timed(fitting: _Fitting, length: int, load: Load | None, tables: Tables) -> NDArray[np.float64]:
    """Return the estimated time of tiles: with a load in rows of blocks of one group, else only to be compared."""
    counts = np.maximum(-(-length // fitting.heights), 1)
    times = _times(tables, fitting.speeds, fitting.heights, counts, fitting.slowed)
    if load is not None:
        times = times * (load.blocks / (load.multiprocessors * tables.row_blocks))
        times = np.maximum(times, counts * (fitting.rows + tables.step_rows) * load.longest)
    return times


def time_of(tables: Tables, speed: float, tile: Tile, length: int) -> float:
    """Return the estimated time of a query against a database without a longest subject, to be compared only."""
    count = np.array([max(1, -(-length // tile.height))])
    return float(_times(tables, np.array([speed]), np.array([tile.height]), count, _slowed([tile], tables))[0])


def _times(
    tables: Tables,
    speeds: NDArray[np.float64],
    heights: NDArray[np.int64],
    counts: NDArray[np.int64],
    slowed: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return `time_of` of several tiles, from how often each goes over the query."""
    times: NDArray[np.float64] = counts * (heights + tables.pass_rows * (counts > 1)) / speeds * slowed
    return times


def _slowed(tiles: Sequence[Tile], tables: Tables) -> NDArray[np.float64]:
    return np.array([1 + tables.lanes_cost[tile.lanes] for tile in tiles])


@lru_cache(maxsize=64)
def _fitting(
    arithmetic: Arithmetic, shared_limit: int, tables: Tables, wanted: tuple[tuple[str, int], ...]
) -> _Fitting:
    """Return those of `_candidates` that a GPU can run."""
    fits = [
        (speed, tile)
        for speed, tile in _candidates(arithmetic, tables, dict(wanted))
        if tile.shared_bytes(arithmetic) <= shared_limit and tile.letter_stride() <= LETTER_STRIDE
    ]
    tiles = tuple(tile for _, tile in fits)
    heights, rows = (np.array([getattr(tile, name) for tile in tiles], dtype=np.int64) for name in ("height", "rows"))
    return _Fitting(tiles, np.array([speed for speed, _ in fits]), heights, rows, _slowed(tiles, tables))


def _candidates(arithmetic: Arithmetic, tables: Tables, wanted: Mapping[str, int]) -> Iterator[tuple[float, Tile]]:
    """Yield speed and tile, as measured, with the requested values in place of its own."""
    measured: tuple[Rate, ...] = tables.rates[family_of(arithmetic)]
    rows = wanted.get("rows", 0)
    if rows:  # the measurement at the next number of rows applies to this one
        nearest = min(measured, key=lambda rate: abs(rate.rows - rows))
        skew = rows if nearest.skew == nearest.rows or rows < nearest.skew else nearest.skew
        measured = (nearest._replace(rows=rows, skew=skew),)
    for rate in measured:
        for lanes in (wanted["lanes"],) if "lanes" in wanted else ALL_LANES:
            yield rate.speed, Tile(lanes, rate.rows, wanted.get("threads", rate.threads), rate.skew, rate.halves)


def family_of(arithmetic: Arithmetic) -> Family:
    """Return the table that an arithmetic chooses its tiles by."""
    if arithmetic.beside:
        return "beside"
    if arithmetic.positions:
        return "positions" if arithmetic.positions is Gaps.POSITIONS else "openings"
    if arithmetic.twins is Twins.NONE:
        return "single"
    if arithmetic.twins is Twins.QUERIES:
        return "queries"
    return "packed" if arithmetic.packed else "words"
