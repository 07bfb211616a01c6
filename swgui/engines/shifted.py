"""Scores of proteins with DNA whose reading may shift, on whatever there is: which pairs are worth an alignment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.frameshift import widest_spans
from swgui.core.hits.scores import distinct
from swgui.core.ranges import concatenated_ranges
from swgui.core.scoring import ScoringScheme
from swgui.core.stretches import Subjects
from swgui.engines.facts import CLUSTER, CPU, GPU, REFERENCE
from swgui.engines.host import cpu_name, usable_cores
from swgui.engines.native.scoring import countable
from swgui.engines.native.shifting import (
    ShiftQuery,
    scores_by_reference,
    shift_reached,
    shift_reached_each,
    shift_scores,
)

ENGINES: Final = (GPU.name, CPU.name, REFERENCE.name, CLUSTER.name)
NUMBERED: Final = 32_000  # codons of a piece that the CPU's lanes of 16 bits can number
CPU_CELLS: Final = 1_000_000_000  # of a core
REFERENCE_CELLS: Final = 10_000_000
TOGETHER: Final = 100_000_000  # largest residues times bases of a query that shares a call with others
TOO_HIGH: Final = int(np.iinfo(np.int32).max)


@dataclass(frozen=True, slots=True, eq=False)
class ShiftScheme:
    """Scores of proteins with codons."""

    # Score of a residue (row) with the translation of a codon (column), shape (symbols, symbols).
    table: NDArray[np.int16] = field(repr=False)
    gap_first: int
    gap_extend: int
    shift: int

    @property
    def highest(self) -> int:
        """The most that a pair scores, at least 1."""
        return max(int(self.table.max(initial=0)), 1)

    @classmethod
    def of(cls, scheme: ScoringScheme, shift: int, *, protein_query: bool) -> ShiftScheme:
        """Take a scheme, whose matrix has query symbols as rows."""
        scores = scheme.matrix.scores if protein_query else scheme.matrix.scores.T
        return cls(np.ascontiguousarray(scores), scheme.gap_first, scheme.gap_extend, shift)

    def by_residues(self, protein: NDArray[np.uint8]) -> ShiftQuery:
        """Return a protein as the query that strands are scored with."""
        return ShiftQuery(self.table[protein], self.gap_first, self.gap_extend, self.shift, by_codons=False)

    def by_codons(self, strand: NDArray[np.uint8]) -> ShiftQuery:
        """Return a strand as the query that proteins are scored with."""
        profile = np.ascontiguousarray(self.table.T[strand])
        return ShiftQuery(profile, self.gap_first, self.gap_extend, self.shift, by_codons=True)

    @property
    def costs(self) -> tuple[int, int, int]:
        """Costs of gaps and of a frameshift."""
        return self.gap_first, self.gap_extend, self.shift

    def bounds(self, stretches: Subjects, *, of_codons: bool = False) -> NDArray[np.int64]:
        """Return the most that anything scores with each protein, or with each strand, shape (k,)."""
        own, ends = stretches.codes, stretches.starts + stretches.lengths
        if 2 * int(stretches.lengths.sum()) < len(own):  # some of a database, which may hold many more
            ends = np.cumsum(stretches.lengths)
            own = own[concatenated_ranges(stretches.starts, stretches.lengths)]
        highest = self.table.max(axis=0 if of_codons else 1, initial=0)
        sums = np.concatenate([[0], np.cumsum(highest[own], dtype=np.int64)])
        return np.asarray(sums[ends] - sums[ends - stretches.lengths])

    def countable(self, bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the largest scores that the compiled library can count, shape (k,)."""
        different, which = np.unique(bounds, return_inverse=True)
        return np.array([countable(len(self.table), bound) for bound in different.tolist()], dtype=np.bool_)[which]

    def spans(self, lengths: NDArray[np.int64], highest: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the largest number of bases of an alignment of proteins, shape (k,); -1 if nothing bounds it.

        Parameters
        ----------
        lengths : ndarray, shape=(k,), dtype=int64
            Their residues.
        highest : ndarray, shape=(k,), dtype=int64
            The most that anything scores with each, as of `bounds`.
        """
        return widest_spans(lengths, highest, self.gap_first, self.gap_extend, self.shift)

    def span(self, proteins: Subjects, highest: NDArray[np.int64] | None = None) -> int:
        """Return the same of any of some proteins, 0 without one; `highest` as of `bounds`, where it is known."""
        if not len(proteins):
            return 0
        most = self.bounds(proteins) if highest is None else highest
        return int(self.spans(proteins.lengths.max(keepdims=True), most.max(keepdims=True))[0])


class ShiftEngine(Protocol):
    """Protocol of objects that score proteins with strands."""

    @property
    def label(self) -> str:
        """Name of its device in results and messages."""

    @property
    def cells(self) -> int:
        """Residues times bases that are worth a call of `begin`: some tenths of a second."""

    @property
    def overlaps(self) -> int:
        """Smallest length of a piece of a strand in units of the overlap: overlaps are scored twice."""

    def begin(self, proteins: Subjects, strands: Subjects, check: Check) -> Callable[[], NDArray[np.int64]]:
        """Begin to score each protein with each strand.

        Parameters
        ----------
        check : callable
            Called between pieces of the work; may raise to give up.

        Returns
        -------
        callable
            Waits for the scores and returns them, shape (p, s), `TOO_HIGH` for one that may be too high to hold; waits
            are in the order of the begins.
        """


class CpuShifts:
    """The CPU, or the reference where it has no compiled library.

    Parameters
    ----------
    name : str
        ``reference`` for NumPy alone.
    """

    overlaps = 4

    def __init__(self, scheme: ShiftScheme, threads: int = 0, name: str = CPU.name) -> None:
        self._name, self._scheme, self._threads = name, scheme, threads
        self._scores = scores_by_reference if name == REFERENCE.name else partial(shift_scores, threads=threads)

    @property
    def label(self) -> str:
        return cpu_name()

    @property
    def cells(self) -> int:
        return REFERENCE_CELLS if self._name == REFERENCE.name else CPU_CELLS * (self._threads or usable_cores())

    def begin(self, proteins: Subjects, strands: Subjects, check: Check) -> Callable[[], NDArray[np.int64]]:
        return partial(self.grid, proteins, strands, check)

    def grid(self, proteins: Subjects, strands: Subjects, check: Check) -> NDArray[np.int64]:
        """Return the score of each protein with each strand, shape (p, s)."""
        out = np.zeros((len(proteins), len(strands)), dtype=np.int64)
        by_codons = len(strands) < len(proteins)
        for number in range(len(strands) if by_codons else len(proteins)):
            query, subjects = self._sides(number, proteins, strands, by_codons=by_codons)
            if len(query.profile):
                scores = self._scores(query, subjects, check=check)
                out[(slice(None), number) if by_codons else number] = scores
        return out

    def ends(self, proteins: Subjects, strands: Subjects, pairs: NDArray[np.int64], check: Check) -> NDArray[np.int64]:
        """Return the end of the best alignment of each pair (protein, strand), shape (k, 3); as `shift_reached`."""
        return self.reached(proteins, strands, pairs, np.full(len(pairs), TOO_HIGH), check)[0]

    def reached(
        self,
        proteins: Subjects,
        strands: Subjects,
        pairs: NDArray[np.int64],
        least: NDArray[np.int64],
        check: Check,
        *,
        backwards: bool = False,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return `shift_reached` of each pair (protein, strand)."""
        ends, codons = np.zeros((len(pairs), 3), dtype=np.int64), np.zeros((len(pairs), 2), dtype=np.int64)
        if not len(pairs):
            return ends, codons
        by_codons = len(distinct(pairs[:, 1])) < len(distinct(pairs[:, 0]))
        fixed = 1 if by_codons else 0
        own, others = (strands, proteins) if by_codons else (proteins, strands)
        of, cells = pairs[:, fixed], others.lengths[pairs[:, 1 - fixed]] * own.lengths[pairs[:, fixed]]
        # Long work is shared among threads; the reference scores the cases beyond the range of the library.
        many = np.bincount(of, cells, len(own)) < TOGETHER
        many &= self._scheme.countable(self._scheme.bounds(own, of_codons=by_codons))
        some, alone = np.flatnonzero(many[of]), distinct(of[~many[of]])
        how: dict[str, Any] = {"backwards": backwards, "threads": self._threads, "check": check}
        if len(some):
            queries = distinct(of[some])
            given = own.take(queries), others.take(pairs[some, 1 - fixed]), np.searchsorted(queries, of[some])
            ends[some], codons[some] = shift_reached_each(
                self._scheme.table, self._scheme.costs, *given, least[some], by_codons=by_codons, **how
            )
        for number in alone.tolist():
            those = np.flatnonzero(of == number)
            query, all_of = self._sides(number, proteins, strands, by_codons=by_codons)
            if len(query.profile):
                subjects = all_of.take(pairs[those, 1 - fixed])
                ends[those], codons[those] = shift_reached(query, subjects, least[those], **how)
        return ends, codons

    def _sides(
        self, number: int, proteins: Subjects, strands: Subjects, *, by_codons: bool
    ) -> tuple[ShiftQuery, Subjects]:
        """Return a strand, or a protein, as a query, and the sequences that it is scored with."""
        if by_codons:
            return self._scheme.by_codons(strands[number]), proteins
        return self._scheme.by_residues(proteins[number]), strands


def check_engine(name: str) -> None:
    """Raise `InvalidParameter` if an engine cannot score with frameshifts."""
    if name not in ENGINES:
        raise InvalidParameter(
            "engine",
            name,
            f"The engine '{name}' cannot search with frameshifts.",
            hint=f"Choose auto, {', '.join(ENGINES)}, or leave out the frameshifts.",
        )


def make_shift_engines(name: str, scheme: ShiftScheme, options: EngineOptions) -> tuple[ShiftEngine, ...]:
    """Make the scoring objects of a named engine: one for each chosen GPU, or one for the CPU."""
    check_engine(name)
    if name != GPU.name:
        return (CpuShifts(scheme, options.threads, name),)
    from swgui.engines.cuda import shifting  # here: CuPy takes long to load

    return shifting.CudaShifts.make(scheme, options)


def cut_pieces(lengths: Sequence[int], overlap: int, most: int) -> NDArray[np.int64]:
    """Cut strands into pieces that overlap, so that every stretch of `overlap` codons lies in one of them.

    Parameters
    ----------
    lengths : sequence of int
        Codons of each strand, one from each base on.
    most : int
        Codons of a piece, above `overlap`.

    Returns
    -------
    ndarray, shape=(k, 3), dtype=int64
        Strand, first codon and codons of each piece.
    """
    pieces = [
        (number, start, min(most, length - start))
        for number, length in enumerate(lengths)
        for start in range(0, max(1, length - overlap), most - overlap)
    ]
    return np.array(pieces, dtype=np.int64).reshape(-1, 3)
