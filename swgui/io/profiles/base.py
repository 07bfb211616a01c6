"""Formats of profiles or alignments, and the arguments of their readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.errors import ProfileError
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.background import background, ungapped_lambda
from swgui.io.read_report import shown

MATRIX_UNITS: Final = 2.0  # units a bit of a matrix that has no lambda
Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ProfileText:
    """The text of a file of profiles or of an alignment, and what is assumed where it says nothing."""

    text: str = field(repr=False)
    name: str  # name of the file in messages
    scheme: ScoringScheme  # its gap costs are those of profiles that bring none
    remarks: list[str] = field(default_factory=list)  # sentences on what was assumed or left out; readers add to it
    first_line: int = 1  # number of the first line of the text in its file

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield number in the file and text of every line."""
        return ((number, line.rstrip("\r")) for number, line in enumerate(self.text.split("\n"), self.first_line))

    def note_others(self) -> None:
        """Remark that the file holds more than what is read of it."""
        self.remarks.append(f"{self.name} holds several alignments; the first one is read.")

    def error(self, fault: str, *, line: int = 0, hint: str = "") -> ProfileError:
        """Make an error that names this file, of what is wrong as the end of a sentence."""
        fault = shown(fault, 400)
        where = f"{self.name}, line {line}" if line else self.name
        return ProfileError(f"{where}: {fault}.", hint=hint)

    def gaps(self, length: int, units_per_bit: float) -> PositionGaps:
        """Return the gap costs of the scheme in units of a profile; says that they were assumed."""
        scheme = self.scheme
        self.remarks.append(
            f"{self.name} has no gap costs; those of the search are used at every position "
            f"({scheme.gap_open}/{scheme.gap_extend} by the BLAST rule, scaled to its scores)."
        )
        factor = units_per_bit / units_of(scheme)
        return PositionGaps.constant(length, round(factor * scheme.gap_first), round(factor * scheme.gap_extend))


def units_of(scheme: ScoringScheme) -> float:
    """Return how many units of a scheme's scores are one bit of its matrix without gaps."""
    lambda_ = ungapped_lambda(scheme.matrix.scores, background(scheme.alphabet))
    return log(2) / lambda_ if lambda_ else MATRIX_UNITS


@dataclass(frozen=True, slots=True)
class ProfileFormat:
    """One format of profiles, or of alignments from which profiles are made."""

    name: str  # in messages and in the manual
    # Usual endings, with their dots; the first one names the format on the command line. Files are told by content.
    suffixes: tuple[str, ...]
    description: str  # its content, without a capital and a full stop
    found: Callable[[str], bool]  # whether the beginning of a text is of this format
    read: Callable[[ProfileText], Sequence[SequenceRecord]] | None = None  # returns the profiles of a text, as queries
    # Returns the alignment of a text; formats have one reader of the two.
    read_alignment: Callable[[ProfileText], MasterAlignment] | None = None
    write: Callable[[SequenceRecord], str] | None = None  # returns the text for a query with a profile
    write_alignment: Callable[[MasterAlignment], str] | None = None  # returns the text for an alignment


def with_name(record: SequenceRecord, name: str) -> SequenceRecord:
    """Return a query under another name, where it has none."""
    return record if record.id else replace(record, id=name)


def all_symbols(columns: Mapping[str, Whole], alphabet: Alphabet) -> NDArray[np.int16]:
    """Return scores for every symbol of an alphabet, as `swgui.core.scoring.build_matrix` derives those of a matrix.

    A symbol without scores of its own has the mean of those it stands for, rounded down; ``*`` the lowest of all.

    Parameters
    ----------
    columns : mapping of str to ndarray, shape=(m,)
        Scores of symbols at every position; those of all plain ones among them.

    Returns
    -------
    ndarray, shape=(m, symbols), dtype=int16
    """

    def of(symbol: str) -> Whole:
        if symbol in columns:
            return columns[symbol]
        if symbol not in alphabet.expansions:
            return np.full_like(lowest, lowest.min())
        meant = [of(part) for part in alphabet.expansions[symbol]]
        return np.asarray(sum(meant) // len(meant), dtype=np.int64)

    lowest = np.min(list(columns.values()), axis=0)
    return np.stack([of(symbol) for symbol in alphabet.letters], axis=1).astype(np.int16)
