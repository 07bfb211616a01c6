"""The rule of products of two primers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.plain import replace
from swgui.core.rules.base import Parameter, Rule, check_length, check_number, most
from swgui.core.rules.repair import Repair


@dataclass(frozen=True, slots=True)
class Primers(Rule):
    """Every product of two primers on opposite strands, in which both lie whole.

    Queries come in pairs, forward and reverse.
    """

    name: ClassVar[str] = "primers"
    title: ClassVar[str] = "Primers"
    work: ClassVar[str] = "swgui.jobs.rules.work.primers:PrimerWork"
    purpose: ClassVar[str] = "Products of pairs of primers, with mismatches. Tm is shown, and decides nothing."
    paste: ClassVar[str] = (
        "Paste primers in pairs, forward and reverse one after the other, as FASTA, each from 5' to 3'."
    )
    nucleotides: ClassVar[bool] = True
    paired: ClassVar[bool] = True
    plain_may_be_unmet: ClassVar[bool] = True
    shows_identity: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("mismatches", own="primers 2", metavar="K", label="&Mismatches, at most", tip="In each primer"),
        Parameter(
            "exact_end", said="bases at the 3' end of a primer that must match (default: 3)", metavar="N",
            label="&Exact bases at the 3' end", tip="Bases at the 3' end that must match",
        ),
        Parameter(
            "shortest", said="product of primers (default: 50)", metavar="N", label="&Shortest product",
            tip="Bases, primers included", limits=(1, 10_000_000),
        ),
        Parameter(
            "longest", said="product of primers (default: 3000)", metavar="N", label="&Longest product",
            tip="Bases, primers included", limits=(1, 10_000_000),
        ),
    )  # fmt: skip
    mismatches: int = 2  # of each primer, at most
    exact_end: int = 3  # so many bases at the 3' end of each primer must match
    # shortest, longest: bases of a product, primers included
    shortest: int = 50
    longest: int = 3000

    def __post_init__(self) -> None:
        check_number("mismatches", self.mismatches)
        check_number("exact_end", self.exact_end)
        check_number("shortest", self.shortest, 1 << 31, 1)
        check_number("longest", self.longest, 1 << 31, self.shortest)

    def sentence(self) -> str:
        """Return the rule in words."""
        return (
            f"Every product of {self.shortest} to {self.longest} bases between two primers with "
            f"{most(self.mismatches, 'mismatch')} each, none in the last {self.exact_end} bases of their 3' ends."
        )

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule does not accept a query of this name and length."""
        check_length(name, length, max(self.mismatches, self.exact_end))

    def why_unmet(self, matching: Sequence[NDArray[np.bool_]], letter: str) -> str:
        """Return the reason why a pair can have no product; parameters as of `Rule.why_unmet`."""
        size = max(map(len, matching))
        return "" if size <= self.longest else f"a primer of {size} bases has no product of at most {self.longest}"

    def repairs(self, question: Any) -> Sequence[Repair]:
        """Return the length of products that the longest primer has room in."""
        longest = max((len(record.residues) for record in question.queries), default=0)
        if longest <= self.longest:
            return ()
        rule = replace(self, longest=2 * longest)
        return (Repair.to(f"Allow products of {2 * longest:,} bases", f"--longest {2 * longest}", rule=rule),)

    def reach(self, size: int) -> tuple[int, int]:
        """Return the residues before and behind the beginning of a product that decide on it."""
        return 0, self.longest
