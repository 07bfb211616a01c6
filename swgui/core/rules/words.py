"""The rule of runs of residues in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import SequenceError
from swgui.core.rules.base import MAX_QUERY, Lengths, Parameter, Rule, blanks_said, check_number


@dataclass(frozen=True, slots=True)
class Words(Rule):
    """Every longest run of at least so many residues that a query and a subject have in common."""

    name: ClassVar[str] = "words"
    title: ClassVar[str] = "Contiguous matches"
    work: ClassVar[str] = "swgui.jobs.rules.work.words:WordWork"
    purpose: ClassVar[str] = "Runs of identical residues in query and subject, for allergens and patents."
    translated: ClassVar[bool] = True
    counted: ClassVar[str] = "length"
    shows_identity: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ("qstart", "qend")
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "length", said="of {rules}", own="a word (8)", between=" or ", metavar="N", label="&Residues, at least",
            tip="8 or 6 for allergens, 15 to 25 in patents", limits=(2, MAX_QUERY),
        ),
    )  # fmt: skip
    length: int = 8

    def __post_init__(self) -> None:
        check_number("length", self.length, MAX_QUERY, 2)

    def sentence(self) -> str:
        """Return the rule in words."""
        return f"Every run of {self.length} or more residues in common, as long as it goes."

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule does not accept a query of this name and length."""
        if length < self.length:
            raise SequenceError(
                f"Query {name} is {length} long, shorter than a word of {self.length}.",
                hint="Ask for shorter words, or leave this query out.",
            )

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return the number of pairs of words compared for a query and each subject, given their lengths."""
        return max(0, query - self.length + 1) * np.maximum(subjects - self.length + 1, 0)

    def why_unmet(self, matching: Sequence[NDArray[np.bool_]], letter: str) -> str:
        """Return the reason why no place could meet the rule; parameters as of `Rule.why_unmet`."""
        (one,) = matching
        if max(map(len, bytes(one).split(b"\0"))) >= self.length:
            return ""
        return f"{blanks_said(one, letter)}, and no {self.length} others stand side by side"

    def reach(self, size: int) -> tuple[int, int]:
        """Return the residues before and behind a place that decide: also those next to it."""
        return 1, size + 1
