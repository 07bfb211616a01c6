"""Symbols of both tracks of a database, for searches in two tracks."""

from __future__ import annotations

import threading
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TwoTracks

WHOLE_SYMBOLS: Final = 1 << 24  # of a database that is joined as a whole: 32 MiB


class JoinedTracks:
    """Symbols of subjects: of all, joined once as many were needed as there are, and until then of some, copied.

    Parameters
    ----------
    residues, letters : ndarray, shape=(R,), dtype=uint8
        Of all subjects, in storage order; they must not change any more.
    """

    def __init__(self, alphabet: TwoTracks, residues: NDArray[np.uint8], letters: NDArray[np.uint8]) -> None:
        self._alphabet, self._tracks = alphabet, (residues, letters)
        self._lock = threading.Lock()
        self._needed = 0
        self._whole: NDArray[np.uint8] | None = None

    def placed(
        self, starts: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return symbols in which stretches lie, and where each begins in them.

        Those of all subjects are read-only and always the same array.

        Parameters
        ----------
        starts, lengths : ndarray, shape=(k,)
        """
        if (whole := self._all(int(lengths.sum()))) is not None:
            return whole, starts
        edges = list(zip(starts.tolist(), (starts + lengths).tolist(), strict=True))
        residues, letters = (
            np.concatenate([track[:0], *(track[start:stop] for start, stop in edges)]) for track in self._tracks
        )
        return self._alphabet.join_kept(residues, letters), np.cumsum(lengths) - lengths

    def _all(self, needed: int) -> NDArray[np.uint8] | None:
        """Return all symbols; None as long as joining those needed takes less time and memory."""
        if self._whole is None and len(self._tracks[0]) <= WHOLE_SYMBOLS:
            with self._lock:
                self._needed += needed
                if self._whole is None and self._needed >= len(self._tracks[0]):
                    whole = self._alphabet.join_kept(*map(np.asarray, self._tracks))
                    whole.setflags(write=False)
                    self._whole = whole
        return self._whole
