"""The methods that align one long pair: names and settings. Facts only; the engines do the work."""

from __future__ import annotations

from typing import Final

from swgui.core.methods.base import Method, Setting, by_name, method_sets

_ROWS = Setting(
    "rows",
    "Rows per thread",
    "rows",
    "Rows of the score matrix that one thread holds, in either half of its registers.",
    values=(1, 2, 3, 4, 6, 8, 12, 16),
    minimum=1,
    maximum=20,
)
_COLUMNS = Setting(
    "columns",
    "Columns per step",
    "columns",
    "Columns that a thread computes between two exchanges.",
    names=("1", "2", "4"),
)
_BITS = Setting(
    "bits", "Bits per cell", "", "Two cells of 16 bits per register where the scheme allows it.", names=("16", "32")
)
_PRUNE = Setting(
    "prune", "Pruning", "", "Leaves out what cannot reach the best score; local alignments only.", names=("on", "off")
)

CPU_METHOD: Final = "cpu"  # the method for computers without a GPU, and the one that others are checked against
_WAVEFRONT: Final = Method(
    "wavefront",
    "Packed anti-diagonals",
    "",
    "The program's own: two cells per register, pruning, linear memory.",
    (_ROWS, _COLUMNS, _BITS, _PRUNE),
    "swgui.engines.cuda.pair.wavefront.engine",
)
_CPU: Final = Method(
    CPU_METHOD, "CPU", "", "Linear memory, SIMD; for computers without a GPU.", (), "swgui.engines.pair.cpu"
)
PAIR_METHODS: Final = by_name(_WAVEFRONT, *(method for brought in method_sets() for method in brought.pair), _CPU)
