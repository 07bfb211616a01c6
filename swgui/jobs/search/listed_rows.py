"""Rows of lists of hits of one run, concatenated, as they are aligned."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.results import HitColumns, HitList
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery
from swgui.core.translation.frames import query_frame
from swgui.engines.native import Subjects

BATCH: Final = 256  # hits of one query aligned together
BATCH_OF_SEVERAL: Final = 1024  # and of several, of whom each has few
_Ints = NDArray[np.int64]


class ListedRows:
    """Rows of one or more lists of a run, concatenated; a *place* is one of them.

    Parameters
    ----------
    rows : sequence of (sequence of int, or ndarray, dtype=int64)
        Of each list: positions in its columns.

    Attributes
    ----------
    of, rows : ndarray, shape=(k,), dtype=int64
        List and row of each place.
    hits : HitColumns
        What is known of each place.
    """

    def __init__(self, lists: Sequence[HitList], rows: Sequence[Sequence[int] | _Ints]) -> None:
        self.lists, self.result = lists, lists[0].result
        self.of = np.repeat(np.arange(len(lists)), [len(some) for some in rows])
        self.rows = np.concatenate([_array(some) for some in rows])
        self.hits = HitColumns.join([_columns(listed, some) for listed, some in zip(lists, rows, strict=True)])
        self.batch = BATCH if len(lists) == 1 else BATCH_OF_SEVERAL
        self._queries: dict[tuple[int, int], EncodedQuery] = {}
        self._alike: dict[tuple[int, int, bool], EncodedQuery] = {}  # by list and frame of the query
        self._encoding = Lock()

    def __len__(self) -> int:
        return len(self.of)

    def query(self, of: int, strand: int) -> EncodedQuery:
        """Return the query of a list, in a strand; queries that are read alike in several are encoded once."""
        with self._encoding:
            if (of, strand) not in self._queries:
                kind = of, query_frame(strand), strand < 0
                alike = self._alike.get(kind) or self.result.encoded_query(self.lists[of].query_index, strand)
                self._alike[kind] = alike
                self._queries[of, strand] = alike if alike.strand == strand else replace(alike, strand=strand)
            return self._queries[of, strand]

    def strands(self, places: _Ints) -> tuple[list[tuple[int, int]], _Ints]:
        """Return list and strand of what places were searched with, ascending, and which of these each place has."""
        return self.queries(places, self.hits.strands[places].astype(np.int64))

    def queries(self, places: _Ints, strands: _Ints) -> tuple[list[tuple[int, int]], _Ints]:
        """Return the same for other strands of places than those of their hits."""
        _, first, which = np.unique(self.of[places] * 256 + strands, return_index=True, return_inverse=True)
        return list(zip(self.of[places[first]].tolist(), strands[first].tolist(), strict=True)), which.reshape(-1)

    def subjects(self, places: _Ints, strands: NDArray[np.integer] | None = None) -> Subjects:
        """Return the subjects of places, in their own strands or in others."""
        given = self.hits.strands[places] if strands is None else strands
        return Subjects.of(self.result.searched, self.hits.db_index[places], given)

    def cells(self, places: _Ints) -> _Ints:
        """Return letters of query and subject of each place, multiplied."""
        letters = np.array([len(listed.query.query.residues) for listed in self.lists], dtype=np.int64)
        return self.result.searched.lengths_of(self.hits.db_index[places]).astype(np.int64) * letters[self.of[places]]


def _array(rows: Sequence[int] | _Ints) -> _Ints:
    if isinstance(rows, range):
        return np.arange(rows.start, rows.stop, rows.step, dtype=np.int64)
    return np.asarray(rows, dtype=np.int64)


def _columns(listed: HitList, rows: Sequence[int] | _Ints) -> HitColumns:
    """Return some rows of a list; of all rows, which most callers want, nothing is copied."""
    return (
        listed.columns if isinstance(rows, range) and rows == range(len(listed)) else listed.columns.take(_array(rows))
    )
