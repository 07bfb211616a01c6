"""Alignments of a protein with DNA whose reading may shift, as runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.plain import replace

BASES: Final = np.array([3, 0, 3, 1, -1])  # how far one of each kind moves along the strand
RESIDUES: Final = np.array([1, 1, 0, 0, 0])
GAP_LETTERS: Final = "MIDFR"  # of the attribute Gap in GFF3, which counts codons and bases the same way
TURNED: Final = np.array([0, 2, 1, 3, 4], dtype=np.uint8)  # `swgui.core.alignment.Op` where the query is the strand
CODON: Final = 3


class ShiftOp(IntEnum):
    """One kind of run. A run of shifts counts bases, all others residues or codons."""

    PAIR = 0  # a residue with a codon
    RESIDUE = 1  # a residue without a codon
    CODON = 2  # a codon without a residue
    SKIP = 3  # bases that are not read
    AGAIN = 4  # bases that are read twice


_SHIFTS: Final = (int(ShiftOp.SKIP), int(ShiftOp.AGAIN))


@dataclass(frozen=True, slots=True, eq=False)
class Shifted:
    """An alignment of a stretch of a protein with a stretch of a strand."""

    # protein_start, protein_end: half-open range of residues, from 0
    protein_start: int
    protein_end: int
    # dna_start, dna_end: half-open range of bases of the strand as it is read, from 0
    dna_start: int
    dna_end: int
    # Kind of each run (`ShiftOp`), from the first codon to the last, shape (r,).
    ops: NDArray[np.uint8] = field(repr=False)
    lengths: NDArray[np.int64] = field(repr=False)  # residues, codons or bases of each, shape (r,)
    score: int

    def __post_init__(self) -> None:
        residues, bases = int((RESIDUES[self.ops] * self.lengths).sum()), int((BASES[self.ops] * self.lengths).sum())
        if residues != self.protein_end - self.protein_start or bases != self.dna_end - self.dna_start:
            raise ValueError(f"The runs span {residues} residues and {bases} bases, the ranges do not: {self}")

    @classmethod
    def from_end(cls, end: tuple[int, int], steps: Iterable[tuple[int, int]], score: int) -> Shifted:
        """Make one from its end (residue, base) and runs (kind, length), last first; equal neighbours join."""
        joined: list[list[int]] = []
        for op, length in steps:
            if joined and joined[-1][0] == op and op not in _SHIFTS:
                joined[-1][1] += length
            else:
                joined.append([op, length])
        joined.reverse()
        ops = np.array([op for op, _ in joined], dtype=np.uint8)
        lengths = np.array([length for _, length in joined], dtype=np.int64)
        residues, bases = int((RESIDUES[ops] * lengths).sum()), int((BASES[ops] * lengths).sum())
        return cls(end[0] - residues, end[0], end[1] - bases, end[1], ops, lengths, score)

    def moved(self, bases: int, residues: int = 0) -> Shifted:
        """Return the same alignment on a strand and a protein that begin so many bases and residues earlier."""
        return replace(
            self,
            protein_start=self.protein_start + residues,
            protein_end=self.protein_end + residues,
            dna_start=self.dna_start + bases,
            dna_end=self.dna_end + bases,
        )

    @property
    def shifts(self) -> int:
        """Number of frameshifts."""
        return int((self.ops >= ShiftOp.SKIP).sum())

    @property
    def steps(self) -> list[tuple[int, str]]:
        """Length and letter (`GAP_LETTERS`) of each run."""
        return [(n, GAP_LETTERS[op]) for op, n in zip(self.ops.tolist(), self.lengths.tolist(), strict=True)]

    @property
    def cigar(self) -> str:
        """Runs as letters with their lengths, for example ``12M1F30M``."""
        return "".join(f"{n}{letter}" for n, letter in self.steps)

    def shift_places(self) -> list[tuple[int, int]]:
        """Return the frameshifts: the base behind the last codon before each, and its number of bases."""
        bases = self.dna_start + np.concatenate([[0], np.cumsum(BASES[self.ops] * self.lengths)])
        moves = BASES[self.ops] * self.lengths
        return [(int(bases[k]), int(moves[k])) for k in np.flatnonzero(np.isin(self.ops, _SHIFTS)).tolist()]


def oriented(path: Shifted, *, dna_query: bool) -> Alignment:
    """Return a path as the alignment of a query with a subject, one of which is the strand."""
    protein, dna = (path.protein_start, path.protein_end), (path.dna_start, path.dna_end)
    if dna_query:
        return Alignment(*dna, *protein, TURNED[path.ops], path.lengths, path.score, (CODON, 1))
    return Alignment(*protein, *dna, path.ops, path.lengths, path.score, (1, CODON))
