"""Colour schemes applied to columns: the style of each residue (`schemes` defines styles). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import ScoringScheme
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.rows.layout import BLANK, GAP, Kind, RowsLayout
from swgui.io.matrices import load_matrix

# -- two sequences -----------------------------------------------------------------------------------


def row_styles(scheme: ColorScheme, layout: RowsLayout) -> NDArray[np.uint8]:
    """Return the style of query and subject residues.

    Returns
    -------
    ndarray, shape=(2, k), dtype=uint8
        For the k columns of the layout; gaps and blanks have style 0 unless the scheme names them.
    """
    if scheme.rule == "similarity":
        by_kind = np.zeros(len(Kind), dtype=np.uint8)
        by_kind[Kind.IDENTITY], by_kind[Kind.POSITIVE] = 1, 2
        return np.tile(by_kind[layout.kinds], (2, 1))
    return scheme.table()[np.stack([layout.query, layout.subject])]


# -- many sequences ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class ColumnProfile:
    """Contents of the columns of a stack, counted over all its rows."""

    counts: NDArray[np.int32]  # counts of each residue in each column, without gaps and blanks

    @classmethod
    def of(cls, residues: NDArray[np.uint8]) -> ColumnProfile:
        """Count the residues of a stack.

        Parameters
        ----------
        residues : ndarray, shape=(rows, columns), dtype=uint8
            ASCII.
        """
        rows, columns = residues.shape
        counts = np.zeros((256, columns), dtype=np.int32)
        for start in range(0, rows, 256):  # a block at a time: the index array stays small
            part = residues[start : start + 256]
            cells = part.astype(np.int64) * columns + np.arange(columns)
            counts += np.bincount(cells.ravel(), minlength=256 * columns).reshape(256, columns).astype(np.int32)
        counts[[GAP, BLANK, ord(".")]] = 0
        return cls(counts)

    @property
    def depth(self) -> NDArray[np.int32]:
        """Residues in each column, shape (columns,)."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.int32)

    def shares(self, residues: str) -> NDArray[np.float64]:
        """Return the share of some residues in each column, in percent of all its residues.

        Returns
        -------
        ndarray, shape=(columns,), dtype=float64
        """
        found = self.counts[[ord(residue) for residue in residues]].sum(axis=0)
        return np.asarray(100.0 * found / np.maximum(self.depth, 1), dtype=np.float64)

    def consensus(self) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
        """Return the most frequent residue of each column (the first in the alphabet of equals) and its percentage.

        Returns
        -------
        residues : ndarray, shape=(columns,), dtype=uint8
            ASCII; blank where a column has no residue.
        percent : ndarray, shape=(columns,), dtype=float64
        """
        residues = self.counts.argmax(axis=0).astype(np.uint8)
        percent = 100.0 * self.counts.max(axis=0) / np.maximum(self.depth, 1)
        return np.where(self.depth > 0, residues, BLANK).astype(np.uint8), percent

    def consensus_line(self) -> NDArray[np.uint8]:
        """Return the consensus as it is written: in lower case where less than half of a column agrees; ASCII."""
        residues, percent = self.consensus()
        return np.where(percent >= 50, residues, residues | 0x20).astype(np.uint8)


def column_table(
    scheme: ColorScheme, profile: ColumnProfile, query: NDArray[np.uint8], scoring: ScoringScheme
) -> NDArray[np.uint8]:
    """Return the style of every residue in every column, for the whole stack.

    Parameters
    ----------
    query : ndarray, shape=(columns,), dtype=uint8
        Residues of the query row.
    scoring : ScoringScheme
        What "similar" means for the rule ``similarity``.

    Returns
    -------
    ndarray, shape=(256, columns), dtype=uint8
    """
    match scheme.rule:
        case "similarity":
            residues = scoring.matrix.of_residues
            return _against(query, residues.scores, residues.alphabet.letters)
        case "blosum62":
            return _against(profile.consensus()[0], _blosum62_scores(), PROTEIN.letters)
        case "percent_identity":
            return _percent_identity(profile)
        case "column_tests":
            return _column_tests(scheme, profile)
    return np.repeat(scheme.table()[:, None], profile.counts.shape[1], axis=1)


def _against(reference: NDArray[np.uint8], scores: NDArray[np.int16], residues: str) -> NDArray[np.uint8]:
    """Return 1 for the reference's own residue in each column, 2 for one whose matrix value is above 0."""
    by_byte = np.zeros((256, 256), dtype=np.uint8)
    codes = np.frombuffer(residues.encode(), dtype=np.uint8)
    by_byte[np.ix_(codes, codes)] = np.where(scores.T > 0, 2, 0)
    by_byte[codes, codes] = 1
    return by_byte[:, reference]


@cache
def _blosum62_scores() -> NDArray[np.int16]:
    return load_matrix("BLOSUM62", PROTEIN).scores


def _percent_identity(profile: ColumnProfile) -> NDArray[np.uint8]:
    residues, percent = profile.consensus()
    table = np.zeros(profile.counts.shape, dtype=np.uint8)
    style = np.select([percent > 80, percent > 60, percent > 40], [1, 2, 3], 0)
    table[residues, np.arange(len(residues))] = style
    table[BLANK] = 0
    return table


def _column_tests(scheme: ColorScheme, profile: ColumnProfile) -> NDArray[np.uint8]:
    table = np.zeros(profile.counts.shape, dtype=np.uint8)
    for test in reversed(scheme.tests):  # the first test of a residue takes precedence
        passed = np.zeros(profile.counts.shape[1], dtype=bool)
        for residues, percent in test.shares:
            passed |= profile.shares(residues) > percent if residues else True
        for residue in test.residues:
            table[ord(residue), passed] = test.style
    return table
