"""Figures of the papers on aligning one long pair, for comparison with the measurements here.

Li, Ranka and Sahni, "Pairwise Sequence Alignment for Very Long Sequences on GPUs": milliseconds on an NVIDIA Tesla
C2050, figures 7, 9, 11 and 13 to 18. The tiling paper: seconds on a Quadro K5200 and K6000, table 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

C2050: Final = "C2050, Li et al."
SCORE_SIZES: Final = ((5103, 7168), (10206, 14336), (20412, 28672), (30618, 43008), (51030, 71680))
SQUARES: Final = ((10_000, 10_000), (20_000, 20_000), (30_000, 30_000), (50_000, 50_000), (100_000, 100_000))
ALIGN_SIZES: Final = ((10430, 14560), (15533, 21728), (20860, 29120))
SCORE_WIDTHS: Final = (64, 128, 256, 512, 1024, 1900)
ALIGN_WIDTHS: Final = (64, 128, 256, 410)
HEIGHTS: Final = (64, 128, 256, 512)

# Figure 7: a row per strip width, a column per size of SCORE_SIZES; None where the paper has no time.
_FIGURE_7: Final = {
    64: (67.2, 260.2, 1031.7, 2316.7, 6427.1),
    128: (36.2, 132.9, 518.9, 1161.4, 3216.0),
    256: (23.1, 72.6, 269.8, 597.5, 1645.2),
    512: (22.3, 50.1, 160.9, 344.9, 932.3),
    1024: (None, 59.4, 135.5, 261.7, 664.4),
    1900: (None, None, 175.0, 279.9, 625.7),
}
# Figure 9: StripedScore with s = 1900, for SQUARES.
_FIGURE_9: Final = (48.4, 113.0, 216.3, 449.8, 1543.1)
# Figure 11: StripedAlignment in all, a column per size of ALIGN_SIZES.
_FIGURE_11: Final = {
    64: (1066.4, 2343.5, 4176.5),
    128: (633.5, 1367.2, 2408.1),
    256: (505.6, 1104.5, 1952.6),
    410: (520.7, 1096.0, 2020.9),
}
# Figures 13 to 15 and 16 to 18: ChunkedAlignment1 and 2 in all; per height, a value for each width, per size.
_FIGURES_13_TO_15: Final = {
    64: ((742.3, 404.7, 235.3, 183.7), (1616.7, 859.9, 479.9, 344.5), (2861.2, 1503.4, 830.9, 616.5)),
    128: ((718.0, 393.1, 229.2, 181.5), (1562.8, 833.1, 465.8, 338.2), (2764.4, 1454.7, 803.4, 602.7)),
    256: ((708.7, 387.9, 227.4, 185.4), (1539.4, 820.5, 461.5, 344.0), (2720.6, 1430.7, 789.9, 606.0)),
    512: ((707.7, 387.6, 229.7, 192.5), (1533.9, 817.6, 463.1, 352.9), (2709.2, 1425.8, 795.3, 621.0)),
}
_FIGURES_16_TO_18: Final = {
    64: ((817.0, 451.0, 273.4, 218.3), (1774.2, 952.8, 550.9, 401.9), (3119.3, 1660.7, 943.7, 640.4)),
    128: ((760.7, 425.8, 255.0, 196.3), (1650.5, 898.9, 515.2, 364.8), (2898.0, 1564.7, 880.6, 653.3)),
    256: ((737.5, 409.8, 247.7, 197.6), (1595.9, 862.0, 497.2, 364.8), (2817.0, 1500.5, 848.1, 645.7)),
    512: ((737.9, 408.2, 255.8, 212.4), (1587.4, 852.5, 504.0, 386.0), (2790.3, 1478.4, 853.2, 670.9)),
}


@dataclass(frozen=True, slots=True)
class TileTime:
    """One line of table 4: a string of a size in KB in tiles below and above t_min."""

    card: str
    smallest: int
    kilobytes: int
    below: int
    below_seconds: float
    above: int
    above_seconds: float


TABLE_4: Final = (
    TileTime("K5200", 1629, 8, 1024, 34.433426, 2048, 15.896714),
    TileTime("K5200", 1629, 10, 1280, 41.521371, 2560, 27.354436),
    TileTime("K5200", 1629, 12, 1536, 62.6178184, 3072, 45.267902),
    TileTime("K6000", 2036, 8, 1024, 30.952559, 2048, 14.506293),
    TileTime("K6000", 2036, 10, 1280, 50.319086, 2560, 22.117568),
    TileTime("K6000", 2036, 12, 1536, 69.889266, 3072, 34.735937),
)


def _all() -> Mapping[tuple[str, tuple[int, int], int, int], float]:
    """Return milliseconds by method, size, strip width and chunk height (0 for none)."""
    times: dict[tuple[str, tuple[int, int], int, int], float] = {}
    for width, row in _FIGURE_7.items():
        for size, time in zip(SCORE_SIZES, row, strict=True):
            if time is not None:
                times["striped-score", size, width, 0] = time
    for size, time in zip(SQUARES, _FIGURE_9, strict=True):
        times["striped-score", size, 1900, 0] = time
    for width, totals in _FIGURE_11.items():
        for size, time in zip(ALIGN_SIZES, totals, strict=True):
            times["striped-align", size, width, 0] = time
    for method, figures in (("chunked-align-1", _FIGURES_13_TO_15), ("chunked-align-2", _FIGURES_16_TO_18)):
        for height, sizes in figures.items():
            for size, widths in zip(ALIGN_SIZES, sizes, strict=True):
                for width, time in zip(ALIGN_WIDTHS, widths, strict=True):
                    times[method, size, width, height] = time
    return MappingProxyType(times)


MILLISECONDS: Final = _all()


def published(method: str, size: tuple[int, int], strip: int, chunk: int = 0) -> float | None:
    """Return the milliseconds the paper prints, None if it has no such time."""
    return MILLISECONDS.get((method, size, strip, chunk))
