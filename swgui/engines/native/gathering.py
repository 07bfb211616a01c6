"""Scores of chunks taken in by a search, several chunks in a call, without Python's lock."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.scores import Gathering, Scored
from swgui.engines.native.library import function
from swgui.engines.native.scoring import checked, pointer, pointers

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64
# As `gathered_chunk` in kernels/cpu/gather.c.
CHUNKS: Final = np.dtype([(name, "i8") for name in ("scores", "places", "target", "count", "least", "taken")])


class CompiledGathering(Gathering):
    """As `Gathering`, by the compiled library."""

    def at_least(self, chunks: Sequence[Scored], least: Sequence[int]) -> list[Scored]:
        kept, table = _table(chunks)
        table["least"] = least
        given = pointer(table), len(table)
        checked(function("gather_count", _POINTER, _LONG)(*given))
        ends = np.cumsum(table["taken"])
        total = int(ends[-1]) if len(ends) else 0
        scores, places = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int64)
        checked(function("gather_taken", _POINTER, _LONG, _POINTER, _POINTER)(*given, *pointers(scores, places)))
        del kept
        stops = ends.tolist()
        return [(scores[a:b], places[a:b]) for a, b in zip([0, *stops], stops, strict=False)]

    def put(self, chunks: Sequence[Scored], targets: Sequence[NDArray[np.int32]]) -> None:
        kept, table = _table(chunks)
        table["target"] = pointers(*targets)
        checked(function("gather_all", _POINTER, _LONG)(pointer(table), len(table)))
        del kept


def _table(chunks: Sequence[Scored]) -> tuple[list[NDArray[Any]], NDArray[np.void]]:
    """Return the arrays of chunks as they are given to the library, and the table of their places in memory."""
    scores = [np.ascontiguousarray(of_chunk, dtype=np.int32) for of_chunk, _ in chunks]
    places: dict[int, NDArray[np.int64]] = {}  # those of several queries are one array
    for _, db_index in chunks:
        if id(db_index) not in places:
            places[id(db_index)] = np.ascontiguousarray(db_index, dtype=np.int64)
    begins = {key: pointer(array) for key, array in places.items()}
    table = np.zeros(len(chunks), dtype=CHUNKS)
    table["scores"], table["places"] = pointers(*scores), [begins[id(db_index)] for _, db_index in chunks]
    table["count"] = [len(of_chunk) for of_chunk in scores]
    return [*scores, *places.values()], table
