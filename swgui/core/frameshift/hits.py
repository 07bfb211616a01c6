"""One hit of a search with frameshifts, and its columns as letters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.frameshift.paths import BASES, Shifted, Step

FORWARDS, BACKWARDS = "\\", "/"  # as fastx36 writes them: a base that is skipped, one that is read twice
GAP: Final = "-"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of an alignment as it is written.

    Parameters
    ----------
    dna, match, protein : str
        What the codon means, how both compare (``|`` alike, ``+`` similar), the residue; in a column of a shift the
        shift itself and a gap.
    base, residue : int
        The first base of the codon on the strand, and the residue, both from 0; -1 for none.
    """

    dna: str
    match: str
    protein: str
    base: int
    residue: int


@dataclass(frozen=True, eq=False)
class ShiftHit:
    """One alignment of a protein with a strand.

    Parameters
    ----------
    query, subject : str
        Their identifiers.
    description : str
        Of the subject.
    protein_query : bool
        Whether the query is the protein.
    strand : {1, -1}
        Of the DNA.
    alignment : Shifted
        In bases of that strand, as it is read.
    protein_length, dna_length : int
        Residues and bases of the whole sequences.
    evalue, bits : float
    protein, codons : ndarray, dtype=uint8
        Residues of the whole protein; codons of the whole strand, one from each base on.
    table : ndarray, dtype=int16
        Score of a residue with what a codon means.
    """

    query: str
    subject: str
    description: str
    protein_query: bool
    strand: int
    alignment: Shifted
    protein_length: int
    dna_length: int
    evalue: float
    bits: float
    protein: NDArray[np.uint8] = field(repr=False)
    codons: NDArray[np.uint8] = field(repr=False)
    table: NDArray[np.int16] = field(repr=False)

    @property
    def bases(self) -> tuple[int, int]:
        """First and last base of the plus strand, from 1, in the direction of reading."""
        start, end = self.alignment.dna_start, self.alignment.dna_end
        return (start + 1, end) if self.strand > 0 else (self.dna_length - start, self.dna_length - end + 1)

    @property
    def frame(self) -> int:
        """Frame in which the alignment begins: 1 to 3, below 0 on the opposite strand."""
        return self.strand * (self.alignment.dna_start % 3 + 1)

    def base_number(self, base: int) -> int:
        """Return the number of a base of the strand, from 0, on the plus strand, from 1."""
        return base + 1 if self.strand > 0 else self.dna_length - base

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Every column, from the first pair to the last."""
        made: list[Column] = []
        residue, base = self.alignment.protein_start, self.alignment.dna_start
        for op, length in zip(self.alignment.ops.tolist(), self.alignment.lengths.tolist(), strict=True):
            if op in (Step.SKIP, Step.AGAIN):
                sign = FORWARDS if op == Step.SKIP else BACKWARDS
                made += [Column(sign, " ", GAP, -1, -1)] * length
                base += int(BASES[op]) * length
                continue
            for _ in range(length):
                made.append(self._column(op, residue, base))
                residue, base = residue + (op != Step.CODON), base + int(BASES[op])
        return tuple(made)

    def _column(self, op: int, residue: int, base: int) -> Column:
        if op == Step.RESIDUE:
            return Column(GAP, " ", PROTEIN.letters[self.protein[residue]], -1, residue)
        codon = self.codons[base]
        if op == Step.CODON:
            return Column(PROTEIN.letters[codon], " ", GAP, base, -1)
        own = self.protein[residue]
        match = "|" if own == codon else "+" if self.table[own, codon] > 0 else " "
        return Column(PROTEIN.letters[codon], match, PROTEIN.letters[own], base, residue)

    @property
    def identities(self) -> int:
        """Columns with the same residue on both sides."""
        return sum(column.match == "|" for column in self.columns)

    @property
    def length(self) -> int:
        """Columns without those of shifts."""
        return int(self.alignment.lengths[self.alignment.ops < Step.SKIP].sum())

    @property
    def gaps(self) -> int:
        """Residues without codon, and codons without residue."""
        return int(self.alignment.lengths[np.isin(self.alignment.ops, (Step.RESIDUE, Step.CODON))].sum())

    @property
    def pident(self) -> float:
        """Identities in percent of `length`."""
        return 100.0 * self.identities / self.length

    @property
    def corrected(self) -> str:
        """The protein that the DNA spells once its reading is put right: codons of the alignment in their order."""
        return "".join(column.dna for column in self.columns if column.base >= 0)
