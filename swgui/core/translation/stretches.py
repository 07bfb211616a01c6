"""Open reading frames from stop to stop, as in EMBOSS getorf; short ones are masked where the user asks for it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.translation.frames import translate

LONGEST: Final = 1_000_000  # largest minimum of codons in a stretch
_STOP: Final = PROTEIN.letters.index("*")
_MASK: Final = PROTEIN.letters.index(PROTEIN.wildcard)


def translate_open(
    bases: NDArray[np.uint8], frame: int, code: int, least: int = 0, start: int = 0, stop: int | None = None
) -> NDArray[np.uint8]:
    """Return the residues of one frame, or some of them, with those of short stretches masked.

    Parameters
    ----------
    bases : ndarray, shape=(L,), dtype=uint8
        Codes of `NUCLEOTIDE`, of the plus strand.
    frame, code : int
        As of `translate`.
    least : int
        Codons without a stop that a stretch has at least; residues of others become X. The ends of the sequence end
        stretches, too.
    start, stop : int
        Which residues of the frame; whether they are masked does not depend on it.

    Returns
    -------
    ndarray, dtype=uint8
        Codes of `PROTEIN`.
    """
    if least < 2:
        return translate(bases, frame, code, start, stop)
    before = max(start - least, 0)  # a stretch that continues beyond has enough codons
    wide = masked(translate(bases, frame, code, before, None if stop is None else stop + least), least)
    return wide[start - before : None if stop is None else max(stop, start) - before]


def masked(residues: NDArray[np.uint8], least: int) -> NDArray[np.uint8]:
    """Return residues, shape (n,), with stretches between stops masked that have fewer than `least` residues."""
    edges = np.concatenate([[-1], np.flatnonzero(residues == _STOP), [len(residues)]])
    apart = np.diff(edges)  # one more than the residues of a stretch
    short = np.repeat(apart <= least, apart)[:-1] & (residues != _STOP)
    return np.where(short, np.uint8(_MASK), residues)
