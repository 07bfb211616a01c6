"""Local alignment of a protein with DNA whose reading may shift: definition, reference and paths.

**The recurrence of this program**, defined here only. A protein of m residues ``a`` is row by row, a strand of n bases
column by column; ``codon(j)`` is the symbol that the bases j-2, j-1 and j translate to (also ``*`` and X: the matrix
gives their scores). With ``first`` and ``extend`` the costs of the first and of each other residue or codon of a gap,
and ``shift`` that of a frameshift::

    H(i, j) = max(0, D(i, j), E(i, j), F(i, j))
    D(i, j) = P(i-1, j-3) + score(a(i), codon(j))
    P(i, j) = max(H(i, j), max(H(i, j+1), H(i, j-1), H(i, j+2), H(i, j-2)) - shift)
    E(i, j) = max(H(i, j-3) - first, E(i, j-3) - extend)        a codon without a residue
    F(i, j) = max(H(i-1, j) - first, F(i-1, j) - extend)        a residue without a codon

H is 0 outside of the strand, D and E are left out for j < 3. The score of a pair is the largest H.

So from any cell the reading may move by one or two bases before it continues: forwards, which skips bases (too many in
the DNA), or backwards, which reads bases twice (too few). Both cost the same for one base as for two, and a move stands
between two codons. H runs through the three frames in turn; a column belongs to the frame j mod 3.

Sources: frames joined by moves from any cell, affine gaps: X. Guan and E. C. Uberbacher (1996), Alignments of DNA
and protein sequences containing frameshift errors, Comput. Appl. Biosci. 12: 31-40. Moves by one base between
codons: Z. Zhang, W. R. Pearson and W. Miller (1997), Aligning a DNA sequence with a protein sequence, J. Comput.
Biol. 4: 339-349 (``fastx``).

With moves of one base alone this is the model of ``fastx36``; with moves forwards alone that of exonerate's
``protein2dna``. It is none of fasty's, which also lets bases inside a codon be wrong. `MOVES` and the parameter of
that name say which are allowed: every engine has all of them, the reference any.
"""

from swgui.core.frameshift.alignment import Shifted, ShiftOp, oriented
from swgui.core.frameshift.reference import MOVES, Ends, best_end, rescored, shifted_alignment, span_bound, widest_spans

__all__ = [
    "MOVES",
    "Ends",
    "ShiftOp",
    "Shifted",
    "best_end",
    "oriented",
    "rescored",
    "shifted_alignment",
    "span_bound",
    "widest_spans",
]
