"""A strand of DNA as the recurrence sees it: what the three bases from each on are translated to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.translation.genetic_codes import LETTERS, codon_table


def codons_of(bases: NDArray[np.uint8], strand: int = 1, code: int = 1) -> NDArray[np.uint8]:
    """Return the codons of a strand, one from each base on.

    Parameters
    ----------
    bases : ndarray, shape=(n,), dtype=uint8
        Codes of `NUCLEOTIDE`, of the plus strand.
    strand : {1, -1}
    code : int
        Number of the genetic code.

    Returns
    -------
    ndarray, shape=(max(n - 2, 0),), dtype=uint8
        Codes of `PROTEIN`.
    """
    read = bases if strand > 0 else NUCLEOTIDE.reverse_complement(bases)
    index = np.zeros(max(len(read) - 2, 0), dtype=np.uint16)
    for base in range(3):
        index *= LETTERS
        index += read[base : base + len(index)]
    return np.asarray(codon_table(code)[index])
