"""Layout of subjects and query profiles for the published methods. Pure functions of lengths and scores.

Subjects go 32 to a *group* in storage order (longest first); a group has as many words of four letters per
subject as its first, longest subject needs, and the words of its subjects are interleaved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda.intra import WARP
from swgui.papers.search.methods import MethodVariant

LETTERS_PER_WORD = 4


@dataclass(frozen=True, eq=False)
class GroupLayout:
    """Layout of the subjects of one database on a device."""

    offsets: NDArray[np.int64]  # shape (N + 1,): of the database, storage order
    words_of: NDArray[np.uint32]  # shape (N,): words of four residues of each subject
    # First row of 32 words of each group; the last entry is the number of rows, shape (groups + 1,).
    group_start: NDArray[np.uint32]

    @classmethod
    def of(cls, offsets: NDArray[np.int64]) -> GroupLayout:
        """Lay out a database by its offsets.

        Raises
        ------
        OverflowError
            If there are more than 2**32 rows (550 billion residues).
        """
        words = -(-np.diff(offsets) // LETTERS_PER_WORD)
        start = np.zeros(-(-len(words) // WARP) + 1, dtype=np.int64)
        np.cumsum(words[::WARP], out=start[1:])
        if start[-1] >= 1 << 32:
            raise OverflowError(f"{start[-1]} rows do not fit the device layout.")
        return cls(offsets, words.astype(np.uint32), start.astype(np.uint32))

    @property
    def subjects(self) -> int:
        return len(self.words_of)

    @property
    def groups(self) -> int:
        return len(self.group_start) - 1

    def rows(self, first_group: int, last_group: int) -> int:
        """Rows of 32 words of a range of groups."""
        return int(self.group_start[last_group]) - int(self.group_start[first_group])

    @cached_property
    def _descending(self) -> NDArray[np.int64]:
        """Lengths with their sign changed, which makes them ascend; kept, since every scan searches them."""
        return -np.diff(self.offsets)

    def columns(self, position: int) -> int:
        """Columns of the subject at a position, with padding: the most of all from there on."""
        return LETTERS_PER_WORD * int(self.words_of[position]) if position < self.subjects else 0

    def longer_than(self, threshold: int) -> int:
        """Subjects that are longer than `threshold`: they come first."""
        return int(np.searchsorted(self._descending, -threshold, side="left"))

    def group_windows(self, first_group: int, last_group: int, rows: int) -> list[tuple[int, int]]:
        """Cut a range of groups into ranges of at most `rows` rows (or of one larger group)."""
        windows = []
        while first_group < last_group:
            end = int(self.group_start[first_group]) + rows
            stop = int(np.searchsorted(self.group_start, end, side="right")) - 1
            stop = min(max(stop, first_group + 1), last_group)
            windows.append((first_group, stop))
            first_group = stop
        return windows


def arrange_profile(profile: NDArray[np.int16], variant: MethodVariant) -> NDArray[np.int16]:
    """Return the units of a query profile in the order the kernel of a variant reads them.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16

    Returns
    -------
    ndarray, dtype=int16
        One dimension: ``rows / 4 x codes`` units of four; padding rows and the padding symbol score 0.
    """
    rows, codes = variant.rows(len(profile)), variant.arithmetic.codes
    padded = np.zeros((rows, codes), dtype=np.int16)
    padded[: len(profile), : profile.shape[1]] = profile
    return np.ascontiguousarray(variant.method.arrange(padded, variant)).ravel()
