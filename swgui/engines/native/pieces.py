"""Alignments of queries with many subjects, and of the residues around each, as rows: one call for all steps."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.stretches import Subjects
from swgui.engines.native.library import function
from swgui.engines.native.rows import SOURCES
from swgui.engines.native.scoring import checked, pointer, pointers, usable

_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_KINDS: Final = (_POINTER, _LONG, _LONG, _INT, _INT, *[_POINTER] * 5, _LONG, _POINTER, _POINTER)
# As `piece_query` and `piece_rows` in kernels/cpu/pieces.c.
QUERIES: Final = np.dtype(
    [("profile", "i8"), ("rows", "i8"), ("gaps", "i8", 4), ("plain", "i8"), ("gain", "f8"), ("begin", "i8"),
     ("count", "i8")]
)  # fmt: skip
FOUND: Final = np.dtype([("status", "i8"), ("source", SOURCES), ("heads", "i8")])


@dataclass(frozen=True, slots=True, eq=False)
class FoundPieces:
    """The rows of all stretches, n of them: of each query in turn, its whole subjects first."""

    whole: NDArray[np.bool_]  # of each query: without it the caller must work step by step, and there are no rows
    sizes: NDArray[np.int64] = field(repr=False)  # rows of each query
    subject: NDArray[np.int64] = field(repr=False)  # the number of each among all subjects, shape (n,)
    # starts, ends: the residues of the subject that the row has: the first, and the one behind the last, shape (n,)
    starts: NDArray[np.int64] = field(repr=False)
    ends: NDArray[np.int64] = field(repr=False)
    scores: NDArray[np.int64] = field(repr=False)  # of the whole alignment, shape (n,)
    sources: NDArray[np.void] = field(repr=False)  # of the rows of each query, for `order_rows`


@contextmanager
def align_pieces(
    queries: Sequence[EncodedQuery],
    counts: Sequence[int],
    subjects: Subjects,
    scores: NDArray[np.int32],
    least: NDArray[np.int32],
    scheme: ScoringScheme,
    end_gains: Sequence[float],
    *,
    shortest: int = 15,
) -> Iterator[FoundPieces]:
    """Align whole subjects, then the stretches around their alignments while these score enough; in this thread.

    Parameters
    ----------
    counts : sequence of int
        Subjects of each query, which follow each other.
    subjects : Subjects
        k of them.
    scores, least : ndarray, shape=(k,), dtype=int32
        Score of each, and the least score of a stretch that becomes a row.
    end_gains : sequence of float
        Ends of rows that gain less a column are cut off (`cut_ends`), of each query; 0 for none.
    shortest : int
        Residues of a stretch in one step.

    Yields
    ------
    FoundPieces
        Rows that exist until the ``with`` statement ends. A query has none where a path is too large, or does not add
        up, and no query has any without the library.
    """
    profiles = [query.scores(scheme) for query in queries]
    if subjects.codes.dtype != np.uint8 or not all(map(usable, profiles)):
        none = np.zeros(len(queries), np.int64)
        nothing = none[:0]
        yield FoundPieces(none > 0, none, nothing, nothing, nothing, nothing, np.zeros(len(queries), SOURCES))
        return
    costs = scheme.gap_first, scheme.gap_extend
    by_row = [query.gaps or PositionGaps.constant(len(query), *costs) for query in queries]
    kept = [np.ascontiguousarray(profile, dtype=np.int16) for profile in profiles]
    given, begins = np.zeros(len(queries), dtype=QUERIES), np.cumsum([0, *counts])
    given["profile"], given["rows"], given["gain"] = pointers(*kept), [len(one) for one in kept], end_gains
    given["gaps"], given["plain"] = [pointers(*gaps.columns) for gaps in by_row], [one.gaps is None for one in queries]
    given["begin"], given["count"] = begins[:-1], counts
    arrays = subjects.codes, subjects.starts, subjects.lengths, scores.astype(np.int32), least.astype(np.int32)
    handle, found = ctypes.c_void_p(), np.zeros(len(queries), dtype=FOUND)
    before = pointer(given), len(queries), kept[0].shape[1], *costs, *pointers(*arrays)
    try:
        align = function("pieces_align", *_KINDS)
        checked(align(*before, shortest, ctypes.addressof(handle), pointer(found)))
        whole = found["status"] == 0
        sizes = np.where(whole, found["source"]["rows"], 0)
        heads = np.empty((int(sizes.sum()), 4), dtype=np.int64)
        function("pieces_heads", _POINTER, _LONG, _POINTER, brief=True)(pointer(found), len(queries), pointer(heads))
        subject, starts, ends, found_scores = np.ascontiguousarray(heads.T)
        begins = subjects.starts[subject]
        yield FoundPieces(whole, sizes, subject, starts - begins, ends - begins, found_scores, found["source"])
    finally:
        function("pieces_close", _POINTER, _LONG, brief=True)(handle, len(queries))
