"""Residues of subjects, concatenated, as scanners take them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.ranges import places_within

PART: Final = 4096  # residues of a part of a long subject at least


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """Consecutive subjects in storage order."""

    codes: NDArray[np.uint8] = field(repr=False)
    begins: NDArray[np.int64] = field(repr=False)  # where each begins in `codes`, shape (n + 1,)

    def subject_of(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which subject each residue belongs to."""
        return np.searchsorted(self.begins, positions, side="right") - 1

    def parts(self, span: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return parts of subjects that each hold every alignment of this many residues whole.

        Returns
        -------
        subject : ndarray, shape=(n,), dtype=int64
        ranges : ndarray, shape=(2, n), dtype=int64
            Begin and end of each part in the text; a long subject has several, which overlap.
        """
        step = max(4 * span, PART)
        sizes = np.diff(self.begins)
        counts = np.maximum(-(-(sizes - span) // step), 1) * (sizes > 0)
        subject = np.repeat(np.arange(len(sizes)), counts)
        number = places_within(counts)
        starts = self.begins[subject] + number * step
        return subject, np.stack([starts, np.minimum(starts + step + span, self.begins[subject + 1])])

    def backwards(self) -> Text:
        """Return the text from its end to its beginning."""
        return Text(np.ascontiguousarray(self.codes[::-1]), (self.begins[-1] - self.begins)[::-1].copy())
