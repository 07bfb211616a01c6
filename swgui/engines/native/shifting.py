"""Proteins with DNA whose reading may shift: where alignments end, and their paths (`swgui.core.frameshift`)."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.frameshift import Shifted, best_end, shifted_alignment, span_bound
from swgui.core.hits.stretches import Subjects
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointer, pointers, usable
from swgui.engines.native.subjects import dealt_out, in_parallel, in_pieces

_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_QUERY: Final = (_POINTER, _LONG, _LONG, _INT, _INT, _INT, _INT)  # profile, rows, symbols, costs, by_codons
KEPT_BYTES: Final = 1 << 26  # of a path: what its cells came from


@dataclass(frozen=True, slots=True, eq=False)
class ShiftQuery:
    """A query, and what shifts and gaps cost.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
        Scores of its residues, or of its codons, one from each base on.
    gap_first, gap_extend, shift : int
        Costs of the first and of each other residue of a gap, ``0 <= gap_extend <= gap_first``; of a frameshift.
    by_codons : bool
        Whether it is a strand of DNA: subjects are proteins then, else codons of strands.
    """

    profile: NDArray[np.int16] = field(repr=False)
    gap_first: int
    gap_extend: int
    shift: int
    by_codons: bool

    @property
    def costs(self) -> tuple[int, int, int]:
        """Costs of gaps and of a frameshift."""
        return self.gap_first, self.gap_extend, self.shift

    def against(self, subject: NDArray[np.uint8]) -> tuple[NDArray[np.int16], NDArray[np.integer], int, int, int]:
        """Return the arguments of the reference for one subject: the protein's profile, codons, costs."""
        if not self.by_codons:
            return self.profile, subject, *self.costs
        return self._turned(subject), np.arange(len(self.profile)), *self.costs

    def _turned(self, protein: NDArray[np.uint8]) -> NDArray[np.int16]:
        """Return the scores of a protein's residues with each codon of the query."""
        return np.ascontiguousarray(self.profile[:, protein].T)

    def spans(self, subjects: Subjects) -> NDArray[np.int64]:
        """Return how many bases an alignment with each subject can span at most; -1 if nothing bounds it."""
        if not self.by_codons:
            return np.full(len(subjects), span_bound(self.profile, *self.costs))
        highest = self.profile.max(axis=0, initial=0)[:, None]
        return np.array([span_bound(highest[subjects[at]], *self.costs) for at in range(len(subjects))], dtype=np.int64)


def shift_ends(
    query: ShiftQuery, subjects: Subjects, *, threads: int = 0, check: Check = lambda: None
) -> NDArray[np.int64]:
    """Find where the best alignment of a query with each of many subjects ends, as `swgui.core.frameshift.best_end`.

    Parameters
    ----------
    subjects : Subjects
        Proteins, or codons of strands, one from each base on.
    threads : int
        0 for all cores; 1 keeps the work in the calling thread.
    check : callable
        Called every few milliseconds of work; may raise to give up.

    Returns
    -------
    ndarray, shape=(k, 3), dtype=int64
        Score, residues and bases before the end of each.
    """
    if not usable(query.profile):
        return ends_by_reference(query, subjects, check=check)
    return _ends(query, subjects, threads, check, with_ends=True)


def shift_scores(
    query: ShiftQuery, subjects: Subjects, *, threads: int = 0, check: Check = lambda: None
) -> NDArray[np.int64]:
    """Return the best score of a query with each of many subjects, shape (k,); parameters as of `shift_ends`."""
    if not usable(query.profile):
        return scores_by_reference(query, subjects, check=check)
    return _ends(query, subjects, threads, check, with_ends=False)[:, 0]


def _ends(query: ShiftQuery, subjects: Subjects, threads: int, check: Check, *, with_ends: bool) -> NDArray[np.int64]:
    """Return scores, and residues and bases before ends or zeros."""
    ends = np.zeros((len(subjects), 3), dtype=np.int32)
    call = library.function("shift_ends", *_QUERY, _INT, *[_POINTER] * 4, _LONG, _POINTER)
    given, arrays = _given(query), pointers(subjects.codes, subjects.starts, subjects.lengths)

    def work(part: NDArray[np.int64]) -> None:
        checked(call(*given, int(with_ends), *arrays, pointer(part), len(part), pointer(ends)))

    order = np.argsort(-subjects.lengths, kind="stable")
    pieces = dealt_out(order, int(subjects.lengths.sum()) * len(query.profile), threads)
    in_parallel(pieces, work, threads=threads, check=check)
    return ends.astype(np.int64)


def shift_paths(
    query: ShiftQuery,
    subjects: Subjects,
    ends: NDArray[np.int64],
    *,
    threads: int = 0,
    check: Check = lambda: None,
) -> list[Shifted | None]:
    """Find the alignments that end where `shift_ends` says, as `swgui.core.frameshift.shifted_alignment`.

    Parameters
    ----------
    ends : ndarray, shape=(k, 3)

    Returns
    -------
    list
        None where nothing scores.
    """
    found: list[Shifted | None] = [None] * len(subjects)

    def work(piece: slice) -> None:
        found[piece] = _paths(query, subjects.take(piece), ends[piece])

    in_pieces(np.maximum(ends[:, 1], 1) * 20 * np.maximum(ends[:, 1], 1), work, threads=threads, check=check)
    return found


def _given(query: ShiftQuery) -> tuple[Any, ...]:
    assert query.profile.flags.c_contiguous
    return pointer(query.profile), *query.profile.shape, *query.costs, int(query.by_codons)


def _paths(query: ShiftQuery, subjects: Subjects, ends: NDArray[np.int64]) -> list[Shifted | None]:
    if not usable(query.profile):
        scores = ends[:, 0].tolist()
        return [
            shifted_alignment(*query.against(subjects[at])) if score > 0 else None for at, score in enumerate(scores)
        ]
    spans = query.spans(subjects)
    froms = np.where(spans < 0, 0, np.maximum(ends[:, 2] - spans, 0))
    room = int((ends[:, 1:].sum(axis=1) - froms)[ends[:, 0] > 0].sum())
    ops, lengths = np.empty(room, np.uint8), np.empty(room, np.int32)
    starts, offsets = np.zeros((len(ends), 2), np.int64), np.zeros(len(ends) + 1, np.int64)
    status = np.zeros(len(ends), np.int32)
    call = library.function("shift_trace", *_QUERY, *[_POINTER] * 3, _LONG, *[_POINTER] * 7, _LONG)
    given, results = (ends.astype(np.int32), froms), (starts, ops, lengths, offsets, status)
    arrays = subjects.codes, subjects.starts, subjects.lengths
    checked(call(*_given(query), *pointers(*arrays), len(ends), *pointers(*given, *results), KEPT_BYTES))
    if status.any():
        score, protein_end, dna_end = ends[np.flatnonzero(status)[0]].tolist()
        raise ValueError(f"No path ends at residue {protein_end} and base {dna_end} with a score of {score}.")
    runs = zip(offsets[:-1].tolist(), offsets[1:].tolist(), starts.tolist(), ends.tolist(), strict=True)
    return [
        Shifted(start[0], end[1], start[1], end[2], ops[a:b].copy(), lengths[a:b].astype(np.int64), end[0])
        if end[0] > 0
        else None
        for a, b, start, end in runs
    ]


def ends_by_reference(query: ShiftQuery, subjects: Subjects, *, check: Check = lambda: None) -> NDArray[np.int64]:
    """Return what `shift_ends` does, by the reference in NumPy."""
    out = np.zeros((len(subjects), 3), dtype=np.int64)
    for number in range(len(subjects)):
        found = best_end(*query.against(subjects[number]))
        out[number] = found.score, found.protein_end, found.dna_end
        check()
    return out


def scores_by_reference(query: ShiftQuery, subjects: Subjects, *, check: Check = lambda: None) -> NDArray[np.int64]:
    """Return what `shift_scores` does, by the reference in NumPy."""
    return ends_by_reference(query, subjects, check=check)[:, 0]
