"""Scores of stretches of DNA: the question to a device that narrows windows of a scan (`swgui.engines.narrowing`)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.stretches import Subjects
from swgui.core.translation.frames import SHIFTING, subject_frames

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Columns of strands, each stretch with a protein, n of them."""

    proteins: _Ints  # index of the protein of each, shape (n,)
    firsts: _Ints  # the codon of the first column, which is the last one where all is read backwards, shape (n,)
    lengths: _Ints  # columns, shape (n,)
    least: _Ints  # lower scores are no peaks; at least 1, shape (n,)


class Peaks(Protocol):
    """Search for peaks. A column is a codon of a frame; if the reading may shift, a codon from each base on."""

    @property
    def width(self) -> int:
        """Columns that share a peak."""

    @property
    def limit(self) -> int:
        """Scores above it may have been more."""

    def find(self, proteins: Subjects, stretches: Stretches, *, backwards: bool = False) -> tuple[_Ints, _Ints, _Ints]:
        """Return the peaks with at least the required score: their stretches, numbers within them, and scores.

        A stretch may have one peak more than once, and some behind its end. `backwards` reads proteins and stretches
        from their ends.
        """


@dataclass(frozen=True, slots=True, eq=False)
class StrandCodons:
    """A database of DNA as the codons of both strands of all subjects, one from each base on."""

    codes: NDArray[np.uint8] = field(repr=False)
    # plus, minus: where either strand of each subject begins, source order, shape (N,)
    plus: _Ints
    minus: _Ints

    def begins(self, db_index: _Ints, strands: _Ints) -> _Ints:
        """Return the first codon of some frames, or of whole strands whose reading may shift."""
        frames = subject_frames(strands)
        before = np.where(np.abs(frames) == SHIFTING, 0, np.abs(frames) - 1)
        return np.asarray(np.where(frames > 0, self.plus[db_index], self.minus[db_index]) + before)


class StrandPeaks(Peaks, Protocol):
    """Search for peaks in a database of DNA."""

    @property
    def strands(self) -> StrandCodons:
        """The database, as stretches count its codons."""
