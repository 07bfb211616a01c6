"""What a file says of an alphabet besides its letters: scores, costs, frequencies and colours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from swgui.core.alphabet import Alphabet
from swgui.core.scoring import SubstitutionMatrix


@dataclass(frozen=True, slots=True)
class Beside:
    """What is usual where the letters stand beside residues: a cell scores ``residues x r + letters x l``.

    Parameters
    ----------
    residues_weight, letters_weight : int
        What the scores of either matrix are multiplied by.
    gap_open, gap_extend : int
        Gap costs by the BLAST rule.
    """

    residues_weight: int = 1
    letters_weight: int = 2
    gap_open: int = 11
    gap_extend: int = 1


@dataclass(frozen=True, slots=True)
class AlphabetRecord:
    """An alphabet with all that its file says of it.

    Parameters
    ----------
    matrix : SubstitutionMatrix
        Of the same name.
    title : str
        For lists and the manual.
    gap_open, gap_extend : int
        What is usual where the letters are searched alone, by the BLAST rule.
    colours : Mapping[str, str]
        ``#rrggbb`` of letters; those it lacks have none.
    """

    alphabet: Alphabet
    matrix: SubstitutionMatrix = field(repr=False)
    title: str = ""
    gap_open: int = 11
    gap_extend: int = 1
    beside: Beside = field(default_factory=Beside)
    colours: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the alphabet, and of its matrix."""
        return self.alphabet.name
