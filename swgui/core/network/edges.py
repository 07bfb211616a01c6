"""Pairs of sequences with their best local alignment: the edges of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
STRAND_NAMES: Final = {1: "plus", -1: "minus"}
STRANDS_SAID: Final = {"both": ", both strands", "plus": ", plus strand alone", "": ""}  # compared; empty for proteins
BACK: Final = "back_scores"  # the column that only pairs with two scores have
Lengths = tuple[_Ints, _Ints]  # of the first and the second sequence of each pair


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Pairs of two sequences, n of them, each with its best local alignment.

    Parameters
    ----------
    first, second : ndarray, shape=(n,), dtype=int32
        Source indices. Within one set the first is the smaller one; of two sets it is the query's.
    scores : ndarray, shape=(n,), dtype=int32
    log10_evalues : ndarray, shape=(n,), dtype=float64
        Decadic logarithm of E, not corrected for composition; with the longer sequence as the query, which gives the
        larger E of the two.
    identities, columns, first_span, second_span : ndarray, shape=(n,), dtype=int32
        Identical pairs and columns of the alignment, and the residues of each sequence that it covers.
    strands : ndarray, shape=(n,), dtype=int8
        1, or -1 where the reverse complement of one of the two scores more; 1 for proteins.
    back_scores : ndarray, shape=(n,), dtype=int32, optional
        Where each sequence has scores by its context: `scores` are those of the longer sequence's profile with the
        other sequence, as they are aligned, and these those of the shorter one's profile; -1 where not computed. None
        where both are the same.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    scores: NDArray[np.int32] = field(repr=False)
    log10_evalues: _Floats = field(repr=False)
    identities: NDArray[np.int32] = field(repr=False)
    columns: NDArray[np.int32] = field(repr=False)
    first_span: NDArray[np.int32] = field(repr=False)
    second_span: NDArray[np.int32] = field(repr=False)
    strands: NDArray[np.int8] = field(repr=False)
    back_scores: NDArray[np.int32] | None = field(default=None, repr=False)

    @property
    def columns_by_name(self) -> dict[str, NDArray[Any]]:
        """Every column that these have, by name."""
        every = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: column for name, column in every.items() if column is not None}

    def __len__(self) -> int:
        return len(self.first)

    def take(self, rows: _Ints | NDArray[np.bool_] | slice) -> Edges:
        """Return some of them."""
        return Edges(**{name: column[rows] for name, column in self.columns_by_name.items()})

    @classmethod
    def join(cls, parts: Sequence[Edges]) -> Edges:
        """Return those of any number of parts, by first and second sequence."""
        columns = [part.columns_by_name for part in parts]
        names = [name for name in cls.__dataclass_fields__ if name != BACK or any(BACK in some for some in columns)]
        unknown = [np.full(len(part), -1) for part in parts]
        together = cls(
            **{
                name: np.concatenate(
                    [
                        np.zeros(0, _KINDS[name]),
                        *(some.get(name, other) for some, other in zip(columns, unknown, strict=True)),
                    ]
                ).astype(_KINDS[name])
                for name in names
            }
        )
        # One number for each pair: in half the time that it takes by two columns.
        return together.take(np.argsort(together.first.astype(np.int64) << 32 | together.second, kind="stable"))


_KINDS: Final = dict.fromkeys(Edges.__dataclass_fields__, np.int32) | {"log10_evalues": np.float64, "strands": np.int8}


def lengths_of(edges: Edges, first: NDArray[np.integer], second: NDArray[np.integer]) -> Lengths:
    """Return the lengths of both sequences of each pair.

    Parameters
    ----------
    first, second : ndarray, shape=(N,), (M,)
        Lengths of all sequences of the first set and of the second.
    """
    return first[edges.first].astype(np.int64), second[edges.second].astype(np.int64)


def rows_of(pairs: _Ints, first: NDArray[np.integer], second: NDArray[np.integer]) -> _Ints:
    """Return the row of each pair among the edges, shape (k,); -1 where it is none of them.

    Parameters
    ----------
    pairs : ndarray, shape=(k, 2), dtype=int64
        The smaller source index first, as of the edges.
    first, second : ndarray, shape=(n,)
        Both sequences of each edge, in their order, as `Edges.join` returns them.
    """
    if not len(pairs) or not len(first):
        return np.full(len(pairs), -1, dtype=np.int64)
    keys, wanted = _keys(first, second), _keys(*pairs.T)
    rows = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[rows] == wanted, rows, -1)


def _keys(first: NDArray[np.integer], second: NDArray[np.integer]) -> _Ints:
    return first.astype(np.int64) << 32 | second
