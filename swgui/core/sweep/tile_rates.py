"""Speeds of the tiles of the program's own kernel, as measured on one GPU, and what else the choice of a tile needs.

A tile never changes a score: these figures decide which of several equal kernels scores a query.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Final, Literal, NamedTuple, get_args

import msgspec

Family = Literal["packed", "words", "queries", "single", "positions", "openings", "beside"]
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)
TITLES: Final[dict[Family, str]] = {
    "packed": "two subjects",
    "words": "two subjects, large scores",
    "queries": "two queries",
    "single": "one score of 32 bits",
    "positions": "profile, all gap costs by position",
    "openings": "profile, first gap residues by position",
    "beside": "two tracks",
}
FORMAT: Final = 1

_Positive = Annotated[float, msgspec.Meta(gt=0)]
_Share = Annotated[float, msgspec.Meta(ge=-0.9, le=10)]
_Rows = Annotated[float, msgspec.Meta(ge=0, le=10_000)]


class Rate(NamedTuple):
    """Speed of one height of tile."""

    rows: int  # query rows per thread
    threads: int  # threads per block
    skew: int  # rows by which each of several columns follows the one before (`rows`: not interleaved)
    speed: float  # 10^12 cells per second
    halves: bool = False  # see `swgui.engines.cuda.streaming.variants.Tile`


class TileRates(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of one GPU, and the conditions they hold for."""

    format: Literal[1] = FORMAT
    # device, driver, kernels: UUID of the GPU, or its name; its driver; digest of the kernel sources
    device: str
    driver: str
    kernels: str
    name: str  # of the GPU
    version: str  # of the program that measured
    made: str  # local time, ISO 8601
    seconds: _Positive  # that the measurement took
    complete: bool = True  # false if its time was over before every variant had been tried
    multiprocessors: Annotated[int, msgspec.Meta(ge=1)]
    rates: dict[Family, tuple[Rate, ...]]  # of every family, by rows
    # Numbers of lanes, and the share of time of each above that of 8 at equal rows.
    lanes_cost: tuple[tuple[int, _Share], ...]
    pass_rows: _Rows  # rows that take as long as one more pass over borders
    step_rows: _Rows  # rows that take as long as the rest of a lane's step
    row_seconds: _Positive  # of a row of a block of four columns, by a group whose GPU is otherwise idle
    changed: Annotated[int, msgspec.Meta(ge=0)] = 0  # heights whose fastest variant is not that of the defaults
    # gain, most: share by which the tiles chosen now are faster than those of the defaults, over usual lengths of
    # queries: on average, and at most
    gain: float = 0.0
    most: float = 0.0

    def __post_init__(self) -> None:
        missing = [family for family in FAMILIES if not self.rates.get(family)]
        if missing:
            raise ValueError(f"there are no speeds of {', '.join(missing)}")
        for rates in self.rates.values():
            rows = [rate.rows for rate in rates]
            if rows != sorted(set(rows)) or not all(0 < rate.speed < 1e4 for rate in rates):
                raise ValueError("speeds are not in order")
        if [lanes for lanes, _ in self.lanes_cost] != [4, 8, 16, 32]:
            raise ValueError("costs of lanes are missing")

    @property
    def day(self) -> str:
        """Date of the measurement."""
        return self.made[:10]


def file_name(device: str) -> str:
    """Return the name of the file of a GPU, by its UUID or name."""
    return f"{hashlib.blake2b(device.encode(), digest_size=8).hexdigest()}.json"


def sentence(found: TileRates) -> str:
    """Return a measurement in one sentence."""
    heights = sum(len(rates) for rates in found.rates.values())
    best = max(found.rates["packed"], key=lambda rate: rate.speed)
    said = (
        f"{found.name}: {heights} heights of tiles measured in {found.seconds:.0f} s, "
        f"up to {1000 * best.speed:,.0f} GCUPS ({best.rows} rows a thread)"
    )
    if found.gain < 0.0005:
        return f"{said}; the tiles that came with the program are as fast."
    mean, most = 100 * found.gain, 100 * found.most
    return f"{said}; usual queries are scored {mean:.1f} % faster on average, {most:.1f} % at most."
