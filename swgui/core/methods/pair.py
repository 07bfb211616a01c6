"""The methods that align one long pair: names, papers and settings. Facts only; the engines do the work."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from swgui.core.methods.base import Method, Setting

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
_PAPER_STRIP = Setting(
    "strip",
    "Strip width s",
    "columns",
    "Columns of the score matrix that one block of threads holds.",
    values=(64, 128, 256, 512, 1024, 1900),
    minimum=32,
    maximum=4096,
)
_CHUNK = Setting(
    "chunk",
    "Chunk height h",
    "rows",
    "Rows between two saved rows of the score matrix.",
    values=(64, 128, 256, 512),
    minimum=8,
    maximum=65_536,
    step=4,
)
_THRESHOLD = Setting(
    "threshold",
    "Threshold T",
    "rows",
    "Rows of a strip's border column that are handed to the next strip at once.",
    values=(16, 32, 64, 128),
    minimum=8,
    maximum=256,
    step=4,
)
_TILE = Setting(
    "tile",
    "Tile size t",
    "residues",
    "Rows and columns of one tile of the score matrix.",
    values=(1024, 2048, 4096, 8192, 16_384, 32_768, 65_536),
    minimum=128,
    maximum=65_536,
    step=128,
)
_LAUNCH = Setting(
    "launch", "Launches", "", "How the anti-diagonals of tiles are launched.", names=("streams", "dynamic", "graph")
)
_HOST = Setting("host_memory", "Host memory", "", "Buffers the device copies from.", names=("pinned", "pageable"))

_LIBRARY = Setting(
    "library",
    "Library",
    "",
    "What computes: automatic takes parasail for pairs it finishes in about a second, else tiles, in NumPy if "
    "there is no compiled library.",
    names=("parasail", "numpy"),
)

_LONG = "very_long_sequences"
_TILING = "tiling_dynamic_concurrent_kernels"

# Key of a paper: authors, title, where and when it appeared.
PAPERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        _LONG: (
            "J. Li, S. Ranka, S. Sahni: Pairwise sequence alignment for very long sequences on GPUs. "
            "IEEE International Conference on Computational Advances in Bio and Medical Sciences (2012)"
        ),
        _TILING: "A study of tiling with dynamic and concurrent kernels for pairwise Smith-Waterman alignment on GPUs",
    }
)

CPU_METHOD: Final = "cpu"  # the method for computers without a GPU, and the one that others are checked against
PAIR_METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        method.name: method
        for method in (
            Method(
                "wavefront",
                "Packed anti-diagonals",
                "",
                "The program's own: two cells per register, pruning, linear memory.",
                (_ROWS, _COLUMNS, _BITS, _PRUNE),
            ),
            Method(
                "striped-score",
                "Striped score",
                _LONG,
                "Strips over all multiprocessors, one launch; score only.",
                (_PAPER_STRIP, _THRESHOLD),
            ),
            Method(
                "striped-align",
                "Striped alignment",
                _LONG,
                "Start states, then all strips of the path at once.",
                (_PAPER_STRIP, _THRESHOLD),
            ),
            Method(
                "chunked-align-1",
                "Chunked alignment 1",
                _LONG,
                "Saved rows, then the path in each strip from the chunk it begins in.",
                (_PAPER_STRIP, _CHUNK, _THRESHOLD),
            ),
            Method(
                "chunked-align-2",
                "Chunked alignment 2",
                _LONG,
                "Start states in rows and columns, then all chunks of the path at once.",
                (_PAPER_STRIP, _CHUNK, _THRESHOLD),
            ),
            Method(
                "tiled", "Tiles", _TILING, "Tiles along anti-diagonals; pairs up to 64 kb.", (_TILE, _LAUNCH, _HOST)
            ),
            Method(CPU_METHOD, "CPU", "", "Linear memory, SIMD; for computers without a GPU.", (_LIBRARY,)),
        )
    }
)
