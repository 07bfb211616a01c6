"""Figures that choose the tiles of one GPU: those measured on it by `swgui bench --tune`, else those of an H200."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from swgui import paths
from swgui.core.plain import from_plain
from swgui.core.sweep.tile_rates import FAMILIES, Family, Rate, TileRates, file_name
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import tiles
from swgui.engines.digest import kernels_digest

DEFAULTS: Final = "those of an H200, which came with the program"
DAMAGED: Final = "The file of measured tiles is damaged."
AGAIN: Final = "Measure again with: swgui bench --tune"
BLOCK_THREADS: Final = (256, 384, 512, 768)  # threads per block that are tried


@dataclass(frozen=True, eq=False)
class Tables:
    """All figures that choose a tile, of one GPU."""

    rates: Mapping[Family, tuple[Rate, ...]] = field(repr=False)
    lanes_cost: Mapping[int, float]
    pass_rows: float
    step_rows: float
    row_seconds: float
    multiprocessors: int  # of the GPU

    @property
    def row_blocks(self) -> float:
        """Rows of blocks, 8 cells each, that a multiprocessor does per TCUPS while a lone group does one."""
        return self.row_seconds * 1e12 / self.multiprocessors / 8

    @property
    def intra_row_seconds(self) -> float:
        """Seconds of a row of a step of a block with a multiprocessor to itself, by the speed of a lone group."""
        return tiles.INTRA_ROW_SECONDS * self.row_seconds / tiles.ROW_SECONDS


H200: Final = Tables(
    {
        "packed": tiles.PACKED,
        "words": tiles.WORDS,
        "queries": tiles.QUERIES,
        "single": tiles.SINGLE,
        "positions": tiles.POSITIONS,
        "openings": tiles.OPENINGS,
        "beside": tiles.BESIDE,
    },
    tiles.LANES_COST,
    tiles.PASS_ROWS,
    tiles.STEP_ROWS,
    tiles.ROW_SECONDS,
    tiles.MULTIPROCESSORS,
)


def skews_of(family: Family, rows: int) -> tuple[int, ...]:
    """Return the skews that are tried at a height: those in the family's table, and the rows themselves."""
    known = {rate.skew for rate in H200.rates[family] if rate.skew != rate.rows}
    return (*sorted(skew for skew in known if skew < rows), rows)


def tables_of(found: TileRates) -> Tables | None:
    """Return the tables of a measurement; None if it has heights or variants that are never tried."""
    for family in FAMILIES:
        own, known = found.rates[family], H200.rates[family]
        if [rate.rows for rate in own] != [rate.rows for rate in known]:
            return None
        for rate, usual in zip(own, known, strict=True):
            if rate.threads not in BLOCK_THREADS or rate.skew not in (*skews_of(family, rate.rows), usual.skew):
                return None
    return Tables(
        found.rates, dict(found.lanes_cost), found.pass_rows, found.step_rows, found.row_seconds, found.multiprocessors
    )


class KeptRates(NamedTuple):
    """The tiles that were measured on a GPU, if they hold now, and in words where its tiles are from."""

    found: TileRates | None
    said: str
    trouble: str = ""  # sentence on a file that is not used; empty if there is none


def tables_for(device: DeviceInfo) -> tuple[Tables, KeptRates]:
    """Return the tables of a GPU, and the measurement that they are from."""
    kept = kept_rates(device)
    if kept.found is None:
        return H200, kept
    tables = tables_of(kept.found)
    return (H200, _not_used(DAMAGED)) if tables is None else (tables, kept)


def kept_rates(device: DeviceInfo) -> KeptRates:
    """Return the tiles that were measured on a GPU, if they hold for its driver and these kernels."""
    place = paths.tiles_dir() / file_name(device.identity)
    try:
        found = from_plain(TileRates, json.loads(place.read_bytes()))
    except FileNotFoundError:
        return KeptRates(None, DEFAULTS)
    except (OSError, ValueError, RecursionError):
        return _not_used(DAMAGED)
    if found.device != device.identity:
        return _not_used(DAMAGED)
    if found.driver != device.driver:
        before, now = found.driver or "unknown", device.driver or "unknown"
        return _not_used(f"The tiles were measured with driver {before}; now it is {now}.")
    if found.kernels != kernels_digest(kernels=True):
        return _not_used(f"The tiles were measured with other kernels, those of swgui {found.version}.")
    return KeptRates(found, f"measured here on {found.day}")


def _not_used(why: str) -> KeptRates:
    return KeptRates(None, DEFAULTS, f"{why} {AGAIN}")
