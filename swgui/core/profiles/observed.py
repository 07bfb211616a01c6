"""Columns of a profile for comparison with others: observed frequencies, mixed with those that the context expects.

With f the observed frequencies of a column and N its diversity, ``f sqrt(N)`` are counts, which a library of contexts
(`swgui.core.profiles.context`) turns into expected frequencies g: diverse alignments decide more sharply than one
sequence does. (With ``f N`` the library of the program decides too sharply.) Then::

    q = (1 - tau) f + tau g,  tau = 0.9 / (1 + N / 4)

the admixture of HH-suite (Steinegger et al. 2019, BMC Bioinformatics 20:473), here on both sides of a comparison.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.context import Columns

ADMIXTURE: Final = 0.9  # share of the expected frequencies, were there no observation
HALF: Final = 4.0  # diversity at which it is half as much


class ObservedColumns(msgspec.Struct, frozen=True, eq=False):
    """The columns of an alignment without pseudocounts, n of them; residues are in the order of `RESIDUES`."""

    frequencies: Columns  # rows add up to 1, or are 0 where no row has a residue; shape (n, 20)
    diversity: NDArray[np.float32]  # effective number of residues around each column, 1 to 20; shape (n,)

    def __len__(self) -> int:
        return len(self.diversity)

    @property
    def counts(self) -> Columns:
        """Counts that a library of contexts reads, shape (n, 20)."""
        return np.asarray(self.frequencies * np.sqrt(self.diversity)[:, None], dtype=np.float32)

    def mixed(self, expected: Columns) -> Columns:
        """Return the probabilities of a profile: observed frequencies mixed with expected ones.

        Parameters
        ----------
        expected : ndarray, shape=(n, 20)
            Frequencies that a library of contexts gives the counts.
        """
        share = ADMIXTURE / (1.0 + self.diversity[:, None] / HALF)
        share = np.where(self.frequencies.any(axis=1, keepdims=True), share, 1.0)
        mixed = (1.0 - share) * self.frequencies + share * expected
        return np.asarray(mixed / mixed.sum(axis=1, keepdims=True), dtype=np.float32)
