"""The rule of whole queries without gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from swgui.core.rules.base import Parameter, Rule, check_number, most
from swgui.core.words import count


@dataclass(frozen=True, slots=True)
class Mismatches(Rule):
    """Every window of n residues of a subject that differs from the query in at most so many of them."""

    name: ClassVar[str] = "peptides"
    title: ClassVar[str] = "Peptides"
    known_as: ClassVar[str] = "mismatches"
    work: ClassVar[str] = "swgui.jobs.rules.work.peptides:PeptideWork"
    purpose: ClassVar[str] = "Whole peptides without gaps, with mismatches if you allow them."
    paste: ClassVar[str] = "Paste peptides: FASTA, or one sequence. Or drop a file on the page."
    translated: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "mismatches", said="of a query at most ({rules})", own="peptides 0", metavar="K",
            label="&Mismatches, at most", tip="Residues that may differ",
        ),
    )  # fmt: skip
    mismatches: int = 0

    def __post_init__(self) -> None:
        check_number("mismatches", self.mismatches)

    def sentence(self) -> str:
        """Return the rule in words."""
        return f"Every place where the whole query stands without gaps and with {most(self.mismatches, 'mismatch')}."

    @property
    def up_to(self) -> str:
        """How much a place may differ, in words."""
        return f"up to {count(self.mismatches, 'mismatch', 'mismatches')}" if self.mismatches else ""

    @property
    def most_differences(self) -> int:
        """Largest number of differences of a place."""
        return self.mismatches

    @property
    def may_differ(self) -> int:
        """Return the number of residues of a query that may be unmatched."""
        return self.mismatches
