"""Columns that a library of contexts gives the positions of sequences, in compiled code and on all cores."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.profiles.context import RESIDUES, WINDOW, Columns, ContextLibrary, residue_counts
from swgui.engines import host
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointers
from swgui.engines.native.stopping import stop_flag
from swgui.engines.native.subjects import in_parallel

TILE: Final = 256  # states, as in kernels/cpu/context.c
COLUMN: Final = 24  # floats of a column of a state, likewise
NO_STATE: Final = -1e30  # bias of the states that fill up the last tile
SHARES: Final = 4  # pieces of a core: so that all cores end at about the same time
LINE: Final = 16  # numbers in a line of a CPU's cache
SHORTEST: Final = 256  # positions of a piece: all weights are read once for each

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64


class ColumnMaker:
    """Makes columns by one library; may be used by several threads at once.

    Parameters
    ----------
    contexts : ContextLibrary
        Whose weights are laid out here as the compiled code reads them, which takes as much memory again.
    """

    def __init__(self, contexts: ContextLibrary) -> None:
        states = len(contexts)
        tiles = -(-states // TILE)
        weights = np.zeros((tiles * TILE, WINDOW, len(RESIDUES)), dtype=np.float32)
        weights[:states] = contexts.weights
        self._weights = _aligned(tiles, WINDOW, len(RESIDUES), TILE)
        self._weights[:] = weights.reshape(tiles, TILE, WINDOW, len(RESIDUES)).transpose(0, 2, 3, 1)
        self._bias = _aligned(tiles * TILE)
        self._bias[:] = NO_STATE
        self._bias[:states] = contexts.bias
        self._columns = np.zeros((tiles * TILE, COLUMN), dtype=np.float32)
        self._columns[:states, : len(RESIDUES)] = contexts.columns
        self._columns[:states, len(RESIDUES)] = 1.0
        self._tiles = tiles

    def of_residues(
        self, sequences: Sequence[NDArray[np.uint8]], *, threads: int = 0, check: Check = lambda: None
    ) -> list[Columns]:
        """Return the columns of sequences.

        Parameters
        ----------
        sequences : sequence of ndarray, shape=(n,), dtype=uint8
            Codes of `swgui.core.alphabet.PROTEIN`. Symbols other than the 20 residues weigh nothing.
        threads, check
            As of `of_counts`.
        """
        return self.of_counts([residue_counts(codes) for codes in sequences], threads=threads, check=check)

    def of_counts(
        self, sequences: Sequence[Columns], *, threads: int = 0, check: Check = lambda: None
    ) -> list[Columns]:
        """Return the columns of profiles.

        Parameters
        ----------
        sequences : sequence of ndarray, shape=(n, 20)
            How often each residue of `RESIDUES` was observed at each position: frequencies times the effective number
            of observations.
        threads : int
            0 for all cores, 1 for the calling thread.
        check : callable
            May raise to give up.

        Returns
        -------
        list of ndarray, shape=(n, 20), dtype=float32
            Probabilities of the residues at each position; every row adds up to 1.
        """
        counts = np.concatenate([np.zeros((0, len(RESIDUES))), *sequences]).astype(np.float32)
        offsets = np.cumsum([0, *map(len, sequences)], dtype=np.int64)
        found = np.empty_like(counts)
        aligned = pointers(self._weights, self._bias, self._columns)
        call = library.function("context_columns", *[_POINTER] * 3, _LONG, _LONG, *[_POINTER] * 2, _LONG, _LONG,
                                _POINTER, _POINTER)  # fmt: skip
        cores = threads or host.usable_cores()
        size = max(SHORTEST, -(-len(counts) // (SHARES * cores)))
        with stop_flag(check) as stop:

            def work(first: int) -> None:
                last = min(first + size, len(counts))
                where = *pointers(counts, offsets), first, last, *pointers(stop, found)
                checked(call(*aligned, self._tiles, WINDOW, *where))

            in_parallel(range(0, len(counts), size), work, threads=cores, check=check)
        return np.split(found, offsets[1:-1]) if len(sequences) else []


def _aligned(*shape: int) -> NDArray[np.float32]:
    """Return an array that begins where a line of a CPU's cache does, not filled."""
    size = math.prod(shape)
    room = np.empty(size + LINE, dtype=np.float32)
    first = -(room.ctypes.data // room.itemsize) % LINE
    return room[first : first + size].reshape(shape)
