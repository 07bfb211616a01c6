"""pyopal (the Opal library): one query against many subjects at once, a subject per SIMD lane.

Scores are asked of it in the overflow mode ``simple``, and the last cell of single pairs; in the
versions measured the overflow mode ``buckets`` leaked memory, alignments (``full``) had wrong paths for
some gap costs and ended the process for others, and coordinates of zero scores are not set. Empty
subjects get garbage and must not be passed. Opal's gap formula is ``open + (k - 1) * extend``, so it is
given ``(gap_first, gap_extend)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import SubstitutionMatrix
from swgui.engines.rowscan import LocalEnd
from swgui.engines.simd.installed import installed_version

SCORE_BOUND: Final = (1 << 31) - (1 << 25)  # scores that may be above this are not given to 32-bit arithmetic

# pyopal takes up to 32 upper-case letters and "*", and reads every other letter (also lower case) as
# "*"; with 26 letters and that one, every alphabet of this program fits.
_SYMBOLS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*"
_SPELLING: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZa"


def problem() -> str:
    """Say why pyopal cannot be used, as a clause; empty if it can."""
    return _probe()[1]


def facts() -> dict[str, str]:
    """Return the version, to show; empty if pyopal is not installed. It is imported only where nothing else says so."""
    if version := installed_version("pyopal"):
        return {"pyopal": version}
    module, trouble = _probe()
    return {} if trouble else {"pyopal": str(module.__version__)}


@lru_cache(maxsize=1)
def _probe() -> tuple[Any, str]:
    try:
        pyopal = import_module("pyopal")
        pyopal.Aligner(_matrix([[1.0]], "A"), 1, 1)
    except Exception as error:
        # An import can fail in as many ways as there are broken installations, and the constructor
        # refuses processors without SIMD; both are reasons, not faults.
        return None, f"pyopal cannot be used ({type(error).__name__}: {error})"
    return pyopal, ""


@dataclass(frozen=True, slots=True)
class SymbolSet:
    """The symbols that occur in a piece of work, as pyopal spells them.

    Opal builds the scores of every symbol of its alphabet for every column of subjects, which is most
    of the work for short queries; leaving out letters that do not occur is worth up to a fifth.

    Parameters
    ----------
    codes : tuple of int
        The codes that occur, ascending; at most 27.
    """

    codes: tuple[int, ...]

    @classmethod
    def of(cls, *arrays: NDArray[np.uint8]) -> SymbolSet:
        """Collect the symbols of some sequences."""
        seen = np.zeros(256, dtype=bool)
        for codes in arrays:
            for start in range(0, len(codes), 1 << 20):  # bincount makes eight bytes of each
                seen |= np.bincount(codes[start : start + (1 << 20)], minlength=256).astype(bool)
        return cls(tuple(np.flatnonzero(seen).tolist()))

    def __or__(self, other: SymbolSet) -> SymbolSet:
        return SymbolSet(tuple(sorted({*self.codes, *other.codes})))

    def __le__(self, other: SymbolSet) -> bool:
        return set(self.codes) <= set(other.codes)

    @property
    def symbols(self) -> str:
        """The alphabet that pyopal is given."""
        return _SYMBOLS[: len(self.codes)]

    @property
    def table(self) -> bytes:
        """Translation from codes to letters that pyopal reads as this alphabet."""
        table = bytearray(b"?" * 256)  # pyopal refuses "?"
        for code, letter in zip(self.codes, _SPELLING, strict=False):
            table[code] = letter
        return bytes(table)


class OpalSubjects:
    """Subjects held by pyopal.

    Parameters
    ----------
    subjects : iterable of bytes
        Codes of each subject, none empty.
    letters : SymbolSet
        Must hold every letter of the subjects and of every query to come.
    """

    def __init__(self, subjects: Iterable[bytes], letters: SymbolSet) -> None:
        pyopal = _probe()[0]
        table = letters.table
        self.letters = letters
        self._database = pyopal.Database(
            [subject.translate(table) for subject in subjects], alphabet=pyopal.Alphabet(letters.symbols)
        )


class OpalQuery:
    """One query ready to be scored by pyopal.

    Parameters
    ----------
    codes : ndarray, shape=(m,), dtype=uint8
        At least one residue.
    matrix : SubstitutionMatrix
        Need not be symmetric.
    gap_first, gap_extend : int
        Gap costs.
    """

    def __init__(self, codes: NDArray[np.uint8], matrix: SubstitutionMatrix, gap_first: int, gap_extend: int) -> None:
        self.codes = codes.tobytes()
        self.letters = SymbolSet.of(codes)
        self.matrix = matrix
        self.costs = gap_first, gap_extend

    def scores(self, subjects: OpalSubjects, start: int, stop: int) -> NDArray[np.int32]:
        """Score the subjects ``start`` to ``stop`` of `subjects`; the GIL is released meanwhile.

        Returns
        -------
        ndarray, shape=(stop - start,), dtype=int32
        """
        found = _aligner(self.matrix, *self.costs, subjects.letters).align(
            self.codes.translate(subjects.letters.table),
            subjects._database,
            mode="score",
            overflow="simple",
            algorithm="sw",
            start=start,
            end=stop,
        )
        return np.fromiter((result.score for result in found), dtype=np.int32, count=stop - start)

    def end(self, subject: NDArray[np.uint8]) -> LocalEnd:
        """Find the last cell of a best local alignment with one subject.

        Parameters
        ----------
        subject : ndarray, shape=(n,), dtype=uint8
            At least one residue.
        """
        letters = self.letters | SymbolSet.of(subject)
        subjects = OpalSubjects([subject.tobytes()], letters)
        found = _aligner(self.matrix, *self.costs, letters).align(
            self.codes.translate(letters.table), subjects._database, mode="end", overflow="simple", algorithm="sw"
        )[0]
        if found.score == 0:  # its coordinates are not set
            return LocalEnd(0, 0, 0)
        return LocalEnd(found.score, found.query_end + 1, found.target_end + 1)


@lru_cache(maxsize=256)
def _aligner(matrix: SubstitutionMatrix, gap_first: int, gap_extend: int, letters: SymbolSet) -> Any:
    codes = list(letters.codes)
    values = matrix.scores[np.ix_(codes, codes)].astype(float).tolist()
    return _probe()[0].Aligner(_matrix(values, letters.symbols), gap_first, gap_extend)


def _matrix(values: list[list[float]], symbols: str) -> Any:
    return import_module("scoring_matrices").ScoringMatrix(values, alphabet=symbols)
