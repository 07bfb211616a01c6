"""Proteins with DNA whose reading may shift: where alignments end, and their paths (`swgui.core.frameshift`)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.frameshift import Shifted, best_end, shifted_alignment, span_bound
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointer, pointers, usable
from swgui.engines.native.subjects import Subjects, dealt_out, in_parallel, in_pieces

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

    def span(self, subject: NDArray[np.uint8]) -> int:
        """Return how many bases an alignment with a subject can span at most; -1 if nothing bounds it."""
        if not self.by_codons:
            return span_bound(self.profile, *self.costs)
        highest = self.profile.max(axis=0, initial=0)
        return span_bound(highest[subject][:, None], *self.costs)


def shift_ends(
    query: ShiftQuery, subjects: Subjects, *, threads: int = 0, check: Callable[[], None] = lambda: None
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
    ends = np.zeros((len(subjects), 3), dtype=np.int32)
    if not usable(query.profile):
        return ends_by_reference(query, subjects, check=check)
    call = library.function("shift_ends", *_QUERY, *[_POINTER] * 4, _LONG, _POINTER)
    given, arrays = _given(query), pointers(subjects.codes, subjects.starts, subjects.lengths)

    def work(part: NDArray[np.int64]) -> None:
        checked(call(*given, *arrays, pointer(part), len(part), pointer(ends)))

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
    check: Callable[[], None] = lambda: None,
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
        for number in range(piece.start, piece.stop):
            if ends[number, 0] > 0:
                found[number] = _path(query, subjects[number], ends[number])

    in_pieces(np.maximum(ends[:, 1], 1) * 20 * np.maximum(ends[:, 1], 1), work, threads=threads, check=check)
    return found


def _given(query: ShiftQuery) -> tuple[Any, ...]:
    assert query.profile.flags.c_contiguous
    return pointer(query.profile), *query.profile.shape, *query.costs, int(query.by_codons)


def _path(query: ShiftQuery, subject: NDArray[np.uint8], end: NDArray[np.int64]) -> Shifted:
    if not usable(query.profile):
        found = shifted_alignment(*query.against(subject))
        assert found is not None
        return found
    _, protein_end, dna_end = end.tolist()
    bound = query.span(subject)
    begin = max(0, dna_end - bound) if bound >= 0 else 0
    room = protein_end + dna_end - begin
    ops, lengths = np.zeros(room, np.uint8), np.zeros(room, np.int32)
    ends, froms, starts = end.astype(np.int32), np.array([begin]), np.zeros(2, np.int64)
    subject = np.ascontiguousarray(subject)
    places, sizes = np.zeros(1, np.int64), np.array([len(subject)], dtype=np.int64)
    offsets, status = np.zeros(2, np.int64), np.zeros(1, np.int32)
    call = library.function("shift_trace", *_QUERY, *[_POINTER] * 3, _LONG, *[_POINTER] * 7, _LONG)
    arrays = pointers(ends, froms, starts, ops, lengths, offsets, status)
    checked(call(*_given(query), *pointers(subject, places, sizes), 1, *arrays, KEPT_BYTES))
    if status[0]:
        raise ValueError(f"No path ends at residue {protein_end} and base {dna_end} with a score of {end[0]}.")
    runs = slice(int(offsets[1]))
    start = starts.tolist()
    return Shifted(
        start[0], protein_end, start[1], dna_end, ops[runs].copy(), lengths[runs].astype(np.int64), int(end[0])
    )


def ends_by_reference(
    query: ShiftQuery, subjects: Subjects, *, check: Callable[[], None] = lambda: None
) -> NDArray[np.int64]:
    """Return what `shift_ends` does, by the reference in NumPy."""
    out = np.zeros((len(subjects), 3), dtype=np.int64)
    for number in range(len(subjects)):
        found = best_end(*query.against(subjects[number]))
        out[number] = found.score, found.protein_end, found.dna_end
        check()
    return out
