"""Proteins with DNA whose reading may shift: where alignments end, and their paths (`swgui.core.frameshift`)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.control import Check
from swgui.core.frameshift import Shifted, ShiftOp, best_end, shifted_alignment, span_bound
from swgui.core.hits.regions import Regions
from swgui.core.plain import replace
from swgui.core.stretches import Subjects
from swgui.core.translation.genetic_codes import CODON
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointer, pointers, usable
from swgui.engines.native.stopping import stop_flag
from swgui.engines.native.subjects import dealt_out, in_parallel, in_pieces
from swgui.engines.native.tracing import Paths

_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_QUERY: Final = (_POINTER, _LONG, _LONG, _INT, _INT, _INT, _INT)  # profile, rows, symbols, costs, by_codons
KEPT_BYTES: Final = 1 << 26  # of a path: origins of its cells
SLOWER: Final = 4  # to trace a path takes as long as so many times its cells take in lanes; calls look for a Stop
_ENDS, _REACHED = 1, 2  # results in addition to scores, as in kernels/cpu/shifts.h
UNKNOWN: Final = -1  # in place of the score of an alignment whose end is not known
_READING: Final = [ShiftOp.PAIR, ShiftOp.CODON]


@dataclass(frozen=True, slots=True, eq=False)
class ShiftQuery:
    """A query, and the costs of shifts and gaps."""

    # Scores of its residues, or of its codons, one from each base on, shape (m, symbols).
    profile: NDArray[np.int16] = field(repr=False)
    # gap_first, gap_extend, shift: costs of the first and of each other residue of a gap, ``0 <= gap_extend <=
    # gap_first``; of a frameshift
    gap_first: int
    gap_extend: int
    shift: int
    by_codons: bool  # whether it is a strand of DNA: subjects are proteins then, else codons of strands

    @property
    def costs(self) -> tuple[int, int, int]:
        """Costs of gaps and of a frameshift."""
        return self.gap_first, self.gap_extend, self.shift

    def against(self, subject: NDArray[np.uint8]) -> tuple[NDArray[np.int16], NDArray[np.integer], int, int, int]:
        """Return the arguments of the reference for one subject: the protein's profile, codons, costs."""
        if not self.by_codons:
            return self.profile, subject, *self.costs
        return np.ascontiguousarray(self.profile[:, subject].T), np.arange(len(self.profile)), *self.costs

    def reversed(self) -> ShiftQuery:
        """Return it read from its end."""
        return replace(self, profile=np.ascontiguousarray(self.profile[::-1]))

    def spans(self, subjects: Subjects) -> NDArray[np.int64]:
        """Return the largest number of bases of an alignment with each subject; -1 if nothing bounds it."""
        if not self.by_codons:
            return np.full(len(subjects), span_bound(self.profile, *self.costs))
        highest = self.profile.max(axis=0, initial=0)[:, None]
        return np.array([span_bound(highest[subjects[i]], *self.costs) for i in range(len(subjects))], dtype=np.int64)


def shift_scores(
    query: ShiftQuery, subjects: Subjects, *, threads: int = 0, check: Check = lambda: None
) -> NDArray[np.int64]:
    """Return the best score of a query with each of many subjects, shape (k,); parameters as of `shift_reached`."""
    if not usable(query.profile):
        return scores_by_reference(query, subjects, check=check)
    return _ends(query, subjects, None, 0, threads, check)[0][:, 0]


def shift_reached(
    query: ShiftQuery,
    subjects: Subjects,
    least: NDArray[np.int64] | None,
    *,
    backwards: bool = False,
    threads: int = 0,
    check: Check = lambda: None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find where the best alignment of a query with each of many subjects ends, as `swgui.core.frameshift.best_end`.

    Parameters
    ----------
    subjects : Subjects
        Proteins, or codons of strands, one from each base on.
    least : ndarray, shape=(k,), dtype=int64, optional
        The score of each subject, at least 1: tells which codons alignments that score so much can end with.
    backwards : bool
        Whether all is read from the ends: codons are counted from there, alignments begin with them, and no ends are
        found.

    Returns
    -------
    (ndarray, shape=(k, 3); ndarray, shape=(k, 2)), dtype=int64
        Score, residues and bases before the end; half-open ranges of codons, perhaps somewhat wider, or empty.
    """
    if usable(query.profile):
        how = _REACHED if backwards else _REACHED | _ENDS
        return _ends(query.reversed() if backwards else query, subjects, least, how, threads, check, backwards)
    ends = np.zeros((len(subjects), 3), np.int64) if backwards else ends_by_reference(query, subjects, check=check)
    codons = np.full(len(subjects), len(query.profile)) if query.by_codons else subjects.lengths
    return ends, np.stack([np.zeros_like(codons), codons], axis=1).astype(np.int64)


def _ends(
    query: ShiftQuery,
    subjects: Subjects,
    least: NDArray[np.int64] | None,
    wanted: int,
    threads: int,
    check: Check,
    backwards: bool = False,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return scores, with residues and bases before ends or zeros, and the mask of reached ones."""
    ends, reached = np.zeros((len(subjects), 3), dtype=np.int32), np.zeros((len(subjects), 2), dtype=np.int64)
    call = library.function("shift_ends", *_QUERY, _INT, _LONG, *[_POINTER] * 4, _LONG, *[_POINTER] * 4)
    given, arrays = _given(query), pointers(subjects.codes, subjects.starts, subjects.lengths)
    enough = None if least is None else np.ascontiguousarray(least, dtype=np.int64)
    order = np.argsort(-subjects.lengths, kind="stable")
    pieces = dealt_out(order, int(subjects.lengths.sum()) * len(query.profile), threads, max(library.lanes(), 2) // 2)
    with stop_flag(check) as stop:
        results = None if enough is None else pointer(enough), *pointers(ends, reached, stop)

        def work(part: NDArray[np.int64]) -> None:
            checked(call(*given, wanted, -1 if backwards else 1, *arrays, pointer(part), len(part), *results))

        in_parallel(pieces, work, threads=threads, check=check)
    return ends.astype(np.int64), reached


def shift_reached_each(
    table: NDArray[np.int16],
    costs: tuple[int, int, int],
    own: Subjects,
    others: Subjects,
    of: NDArray[np.int64],
    least: NDArray[np.int64],
    *,
    by_codons: bool,
    backwards: bool = False,
    threads: int = 0,
    check: Check = lambda: None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Do as `shift_reached` for many queries, which the library can count, each with its own subjects.

    Parameters
    ----------
    table : ndarray, shape=(symbols, symbols), dtype=int16
        Score of a residue (row) with the translation of a codon (column).
    own, others : Subjects
        Queries, and the subjects of all of them, k.
    of : ndarray, shape=(k,), dtype=int64
        The query of each subject.
    least : ndarray, shape=(k,), dtype=int64
    by_codons : bool
        Whether queries are strands.
    """
    order = np.lexsort((-others.lengths, of))
    begins = np.searchsorted(of[order], np.arange(len(own) + 1))
    ends, reached = np.zeros((len(of), 3), dtype=np.int32), np.zeros((len(of), 2), dtype=np.int64)
    sums = np.concatenate([[0], np.cumsum(others.lengths[order])])
    cells = own.lengths * (sums[begins[1:]] - sums[begins[:-1]])
    kinds = _POINTER, _LONG, *[_INT] * 5, _LONG, *[_POINTER] * 4, _LONG, *[_POINTER] * 9
    call = library.function("shift_ends_each", *kinds)
    wanted, step = (_REACHED, -1) if backwards else (_REACHED | _ENDS, 1)
    sides = [pointers(side.codes, side.starts, side.lengths) for side in (own, others)]
    enough = np.ascontiguousarray(least, dtype=np.int64)
    with stop_flag(check) as stop:

        def work(piece: slice) -> None:
            groups = np.arange(piece.start, piece.stop)
            given = pointer(table), len(table), *costs, int(by_codons), wanted, step, *sides[0], pointer(groups)
            results = pointers(order, enough, ends, reached, stop)
            checked(call(*given, len(groups), pointer(begins), *sides[1], *results))

        in_pieces(cells, work, threads=threads, check=check)
    return ends.astype(np.int64), reached


def shift_paths(
    query: ShiftQuery,
    subjects: Subjects,
    ends: NDArray[np.int64],
    froms: NDArray[np.int64] | None = None,
    *,
    threads: int = 0,
    check: Check = lambda: None,
) -> Paths:
    """Find the alignments that end where `shift_reached` says, as `swgui.core.frameshift.shifted_alignment`.

    Parameters
    ----------
    ends : ndarray, shape=(k, 3), dtype=int64
    froms : ndarray, shape=(k,), dtype=int64, optional
        A codon before which no alignment with the score begins.

    Returns
    -------
    Paths
        Runs of `swgui.core.frameshift.ShiftOp`, the protein as the query and the strand as the subject; none
        where nothing scores.
    """
    if not usable(query.profile):
        made = [shifted_alignment(*query.against(subjects[index])) for index in range(len(subjects))]
        return _paths_of([path if score > 0 else None for path, score in zip(made, ends[:, 0].tolist(), strict=True)])
    if froms is None:
        spans = query.spans(subjects)
        froms = np.where(spans < 0, 0, np.maximum(ends[:, 2] - spans, 0))
    froms = np.ascontiguousarray(froms)
    cells = SLOWER * np.maximum(ends[:, 1], 1) * np.maximum(ends[:, 2] - froms, 1)
    by_start: dict[int, Paths] = {}
    with stop_flag(check) as stop:

        def work(piece: slice) -> None:
            by_start[piece.start] = _paths(query, subjects.take(piece), ends[piece], froms[piece], stop)

        in_pieces(cells, work, threads=threads, check=check)
    return Paths.join([by_start[start] for start in sorted(by_start)]) if by_start else _paths_of([])


def shift_paths_each(
    table: NDArray[np.int16],
    costs: tuple[int, int, int],
    proteins: Subjects,
    strands: Subjects,
    ends: NDArray[np.int64],
    froms: NDArray[np.int64],
    *,
    threads: int = 0,
    check: Check = lambda: None,
) -> Paths:
    """Do as `shift_paths` for pairs of proteins and strands that the library can count, k of them.

    Parameters
    ----------
    table : ndarray, shape=(symbols, symbols), dtype=int16
        As for `shift_reached_each`.
    ends : ndarray, shape=(k, 3), dtype=int64
        With `UNKNOWN` as the score the best alignment of a pair is found at once, which costs less for one pair than
        `shift_reached_each` alone.
    """
    kinds = _POINTER, _LONG, *[_INT] * 3, *[_POINTER] * 6, _LONG, *[_POINTER] * 7, _LONG, _POINTER
    call = library.function("shift_trace_each", *kinds)
    scores = np.where((proteins.lengths > 0) & (strands.lengths > 0), UNKNOWN, 0)
    most = np.stack([scores, proteins.lengths, strands.lengths + CODON - 1], axis=1)
    ends = np.where((ends[:, 0] == UNKNOWN)[:, None], most, ends)
    cells = SLOWER * np.maximum(ends[:, 1], 1) * np.maximum(ends[:, 2] - froms, 1)
    by_start: dict[int, Paths] = {}
    froms, given = np.ascontiguousarray(froms), (pointer(table), len(table), *costs)
    with stop_flag(check) as stop:

        def work(piece: slice) -> None:
            sides = [(side.codes, side.starts[piece], side.lengths[piece]) for side in (proteins, strands)]
            before = *given, *pointers(*sides[0], *sides[1]), piece.stop - piece.start
            by_start[piece.start] = _traced(
                lambda arrays: int(call(*before, *pointers(*arrays), KEPT_BYTES, pointer(stop))),
                ends[piece],
                froms[piece],
            )

        in_pieces(cells, work, threads=threads, check=check)
    return Paths.join([by_start[start] for start in sorted(by_start)]) if by_start else _paths_of([])


def shifted_at(paths: Paths, number: int) -> Shifted | None:
    """Return one of the alignments of `shift_paths` as an object; None where nothing scores."""
    score, *corners = [int(column[number]) for column in paths.regions.columns]
    runs = slice(int(paths.offsets[number]), int(paths.offsets[number + 1]))
    if score <= 0:
        return None
    first, last, start, end = corners
    return Shifted(first, last, start, end, paths.ops[runs].copy(), paths.lengths[runs].astype(np.int64), score)


def shift_sums(
    table: NDArray[np.int16], costs: tuple[int, int, int], proteins: Subjects, strands: Subjects, paths: Paths
) -> tuple[NDArray[np.int64], Subjects]:
    """Score and count alignments again from residues, codons and costs.

    Parameters
    ----------
    table : ndarray, shape=(symbols, symbols), dtype=int16
        Score of a residue (row) with the translation of a codon (column).
    proteins, strands : Subjects
        Those of each alignment.

    Returns
    -------
    (ndarray, shape=(k, 3), dtype=int64; Subjects)
        Score, identities and pairs with a score above 0 of each, and the codons that it reads.
    """
    pairs, codons = (totals(paths, np.isin(paths.ops, some) * paths.lengths) for some in ([ShiftOp.PAIR], _READING))
    offsets = np.concatenate([[0], np.cumsum(codons)])
    sums, read = np.zeros((len(paths), 3), np.int64), np.zeros(int(offsets[-1]), np.uint8)
    begins = np.stack([paths.regions.query_start, paths.regions.subject_start], axis=1)
    sides = [pointers(side.codes, side.starts, side.lengths) for side in (proteins, strands)]
    symbols, alike = len(table), PROTEIN.alike_codes
    call = library.function("shift_sums", _POINTER, _LONG, *[_INT] * 3, *[_POINTER] * 6, _LONG, *[_POINTER] * 7)
    given = np.ascontiguousarray(begins), paths.ops, paths.lengths, paths.offsets, alike, sums, read
    checked(call(pointer(table), symbols, *costs, *sides[0], *sides[1], len(paths), *pointers(*given)))
    assert (sums[:, 1] <= pairs).all()
    return sums, Subjects(read, offsets[:-1], codons)


def totals(paths: Paths, values: NDArray[np.integer]) -> NDArray[np.int64]:
    """Sum values of runs over those of each alignment, shape (k,)."""
    running = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
    return np.asarray(running[paths.offsets[1:]] - running[paths.offsets[:-1]])


def _given(query: ShiftQuery) -> tuple[Any, ...]:
    assert query.profile.flags.c_contiguous
    return pointer(query.profile), *query.profile.shape, *query.costs, int(query.by_codons)


def _paths(
    query: ShiftQuery, subjects: Subjects, ends: NDArray[np.int64], froms: NDArray[np.int64], stop: NDArray[np.int32]
) -> Paths:
    call = library.function("shift_trace", *_QUERY, *[_POINTER] * 3, _LONG, *[_POINTER] * 7, _LONG, _POINTER)
    before = *_given(query), *pointers(subjects.codes, subjects.starts, subjects.lengths), len(ends)
    return _traced(lambda arrays: int(call(*before, *pointers(*arrays), KEPT_BYTES, pointer(stop))), ends, froms)


def _traced(
    call: Callable[[tuple[NDArray[Any], ...]], int], ends: NDArray[np.int64], froms: NDArray[np.int64]
) -> Paths:
    """Call the search for paths with their ends and starts, and with arrays for the results."""
    room = int((ends[:, 1:].sum(axis=1) - froms)[ends[:, 0] != 0].sum())
    ops, lengths = np.empty(room, np.uint8), np.empty(room, np.int32)
    starts, offsets = np.zeros((len(ends), 2), np.int64), np.zeros(len(ends) + 1, np.int64)
    status = np.zeros(len(ends), np.int32)
    found = ends.astype(np.int32)
    checked(call((found, froms, starts, ops, lengths, offsets, status)))
    ends = found.astype(np.int64)
    if status.any():
        score, protein_end, dna_end = ends[np.flatnonzero(status)[0]].tolist()
        raise ValueError(f"No path ends at residue {protein_end} and base {dna_end} with a score of {score}.")
    corners = Regions(ends[:, 0], starts[:, 0], ends[:, 1], starts[:, 1], ends[:, 2])
    used = int(offsets[-1])
    return Paths(corners, ops[:used].copy(), lengths[:used].copy(), offsets, status)


def _paths_of(made: Sequence[Shifted | None]) -> Paths:
    """Return alignments that were made one by one as columns."""
    names = "score", "protein_start", "protein_end", "dna_start", "dna_end"
    rows = [[0] * len(names) if shifted is None else [getattr(shifted, name) for name in names] for shifted in made]
    some = [shifted for shifted in made if shifted is not None]
    return Paths(
        Regions(*np.array(rows, dtype=np.int64).reshape(-1, len(names)).T),
        np.concatenate([np.zeros(0, np.uint8), *(shifted.ops for shifted in some)]),
        np.concatenate([np.zeros(0, np.int32), *(shifted.lengths.astype(np.int32) for shifted in some)]),
        np.cumsum([0, *(0 if shifted is None else len(shifted.ops) for shifted in made)]).astype(np.int64),
        np.zeros(len(made), np.int32),
    )


def ends_by_reference(query: ShiftQuery, subjects: Subjects, *, check: Check = lambda: None) -> NDArray[np.int64]:
    """Return the ends that `shift_reached` finds, by the reference in NumPy."""
    out = np.zeros((len(subjects), 3), dtype=np.int64)
    for number in range(len(subjects)):
        end = best_end(*query.against(subjects[number]))
        out[number] = end.score, end.protein_end, end.dna_end
        check()
    return out


def scores_by_reference(query: ShiftQuery, subjects: Subjects, *, check: Check = lambda: None) -> NDArray[np.int64]:
    """Return the result of `shift_scores`, by the reference in NumPy."""
    return ends_by_reference(query, subjects, check=check)[:, 0]
