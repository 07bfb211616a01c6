"""Figures of the methods of papers that search a database: what was measured of them, and steers what is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Heights(NamedTuple):
    """Heights of a sweep over the subject that an automatic choice considers.

    Parameters
    ----------
    setting : str
        Setting of the method that is the height.
    cost : float
        What a sweep costs beside its rows, in rows.
    heights : tuple of int
        Query rows.
    """

    setting: str
    cost: float
    heights: tuple[int, ...]


# Published methods: threads per block and blocks per multiprocessor where nothing is set, the best of those tried on
# an H200. Methods that are not here take what fits.
LAUNCH: Final[Mapping[str, tuple[int, int]]] = {"simt": (128, 3), "vsimd": (192, 4), "band": (256, 2)}
HEIGHTS: Final[Mapping[str, Heights]] = {
    "simt": Heights("rows", 2.5, (4, 8, 12, 16, 24, 32)),
    "band": Heights("band", 4.0, (4, 8, 12, 16, 24, 32)),
    "shared": Heights("p", 1.0, (4, 8, 16)),
}
# `vsimd`: rows per thread of a vector, and the time of a row in comparison with the best; few rows mean many votes,
# many rows few threads.
VECTOR_COST: Final[Mapping[int, float]] = {8: 1.5, 12: 1.25, 16: 1.06, 20: 1.0, 24: 1.0, 28: 1.1, 32: 1.25}
VECTORS: Final = (16, 8, 32, 4)  # the paper's first: of equal ones it is taken
SHARED_COLUMNS: Final = 8  # K of `shared`
BAND_WITHOUT_DPX: Final = 12  # rows of `band`: the paper's
FULL_THREADS: Final = 256  # threads of `intra` that keep a multiprocessor busy
BUSY_THREADS: Final = 512  # threads per multiprocessor that methods which take what fits try to have
REGISTERS: Final = 65_536  # of a multiprocessor
SPARE_REGISTERS: Final = 40  # a thread is never left fewer
