"""Subjects in the order in which the kernels read them: in groups of `SUBJECTS`, word by word."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.engines.webgpu.shader import COLUMNS, SUBJECTS


class Layout(msgspec.Struct, frozen=True, eq=False):
    """Residues of some subjects in groups, four in each word.

    Word ``step`` of subject ``k`` of a group is at ``span + step * SUBJECTS + k``.
    """

    words: NDArray[np.uint32]  # shape (w,)
    spans: NDArray[np.uint32]  # of each group: its first word and its steps, shape (groups, 2)
    subjects: int

    @property
    def longest(self) -> int:
        """Steps of the longest group."""
        return int(self.spans[:, 1].max(initial=0))


def lay_out(codes: NDArray[np.uint8], lengths: NDArray[np.integer], pad: int) -> Layout:
    """Lay out subjects that follow one another.

    Parameters
    ----------
    codes : ndarray, shape=(r,), dtype=uint8
    lengths : ndarray, shape=(n,)
        Subjects of like length should stand together: a group is as long as its longest.
    pad : int
        Code that fills the ends.
    """
    count = len(lengths)
    groups = -(-count // SUBJECTS)
    padded = np.zeros(groups * SUBJECTS, dtype=np.int64)
    padded[:count] = lengths
    of_groups = padded.reshape(groups, SUBJECTS)
    steps = np.maximum(-(-of_groups.max(axis=1) // COLUMNS), 1)  # of empty subjects too: a buffer holds something
    ends = np.cumsum(steps * SUBJECTS)
    spans = np.stack([ends - steps * SUBJECTS, steps], axis=1)
    residues = np.concatenate([[0], np.cumsum(of_groups.sum(axis=1))])
    words = np.empty(int(ends[-1]) if groups else 0, dtype=np.uint32)
    for group in range(groups):
        first, height = spans[group].tolist()
        block = np.full((SUBJECTS, height * COLUMNS), pad, dtype=np.uint8)
        inside = np.arange(height * COLUMNS) < of_groups[group][:, None]
        block[inside] = codes[residues[group] : residues[group + 1]]
        words[first : first + height * SUBJECTS].reshape(height, SUBJECTS)[:] = block.view(np.uint32).T
    return Layout(words, spans.astype(np.uint32), count)
