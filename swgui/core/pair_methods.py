"""The ways of aligning one long pair: names, papers and settings. Facts only; the engines do the work."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from swgui.core.methods import Method, Setting

_STRIP = Setting("strip", "Strip width s", "columns", "Columns of the score matrix that one block of threads holds.")
_CHUNK = Setting("chunk", "Chunk height h", "rows", "Rows between two saved rows of the score matrix.")
_THRESHOLD = Setting("threshold", "Threshold T", "cells", "Pieces of at most this many cells are aligned directly.")
_TILE = Setting("tile", "Tile size t", "residues", "Rows and columns of one tile of the score matrix.")
_LAUNCH = Setting(
    "launch", "Launches", "", "How the anti-diagonals of tiles are launched.", names=("streams", "dynamic", "graph")
)
_HOST = Setting("host_memory", "Host memory", "", "Buffers the device copies from.", names=("pinned", "pageable"))

_LONG = "very_long_sequences"
_TILING = "tiling_dynamic_concurrent_kernels"

PAIR_METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        method.name: method
        for method in (
            Method(
                "wavefront",
                "Packed anti-diagonals",
                "",
                "The program's own: two cells per register, pruning, linear memory.",
                (_STRIP,),
            ),
            Method(
                "striped-score",
                "Striped score",
                _LONG,
                "Strips over all multiprocessors, one launch; score only.",
                (_STRIP,),
            ),
            Method(
                "striped-align",
                "Striped alignment",
                _LONG,
                "Start states, then the pieces between them.",
                (_STRIP, _THRESHOLD),
            ),
            Method(
                "chunked-align-1", "Chunked alignment 1", _LONG, "Saved rows, chunks computed again.", (_STRIP, _CHUNK)
            ),
            Method(
                "chunked-align-2",
                "Chunked alignment 2",
                _LONG,
                "Saved rows and columns, chunks computed again.",
                (_STRIP, _CHUNK),
            ),
            Method(
                "tiled", "Tiles", _TILING, "Tiles along anti-diagonals; pairs up to 64 kb.", (_TILE, _LAUNCH, _HOST)
            ),
            Method("cpu", "CPU", "", "Every core, linear memory; for computers without a GPU.", ()),
        )
    }
)
