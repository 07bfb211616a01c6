"""The rule of windows: FAO/WHO 2001, Codex CAC/GL 45-2003."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.rules.base import Lengths, Parameter, Rule, check_identity, check_number, percent
from swgui.core.rules.repair import Repair
from swgui.core.rules.words import Words

CODEX_WINDOW: Final = 80  # residues; and the identity to exceed in them: FAO/WHO 2001, Codex CAC/GL 45-2003
CODEX_IDENTITY: Final = Fraction(35, 100)
WORD: Final = 8  # residues in a row: the other test of guidelines for allergens
MAX_WINDOW: Final = 10_000  # residues: scores by any identity that is found stay within 31 bits


@dataclass(frozen=True, slots=True)
class Window(Rule):
    """Every subject that exceeds an identity in a window of the query: FAO/WHO 2001, Codex CAC/GL 45-2003.

    Each window of consecutive residues of the query is aligned whole, as by `Identity`; a shorter query is one window,
    whose identities are counted over `length` columns at least.
    """

    name: ClassVar[str] = "window"
    title: ClassVar[str] = "Allergen check"
    known_as: ClassVar[str] = "allergens"
    work: ClassVar[str] = "swgui.jobs.rules.work.window:WindowWork"
    purpose: ClassVar[str] = "FAO/WHO and Codex: more than 35 % identity in a segment of 80 residues."
    paste: ClassVar[str] = (
        "Paste the new protein, without signal peptide. The database is the list of allergens you choose."
    )
    unit: ClassVar[Literal["places", "cells"]] = "cells"
    background: ClassVar[bool] = True
    plain_may_be_unmet: ClassVar[bool] = True
    unmet_hint: ClassVar[str] = "Look for contiguous matches instead (swgui rule words)."
    not_said: ClassVar[str] = "Codex CAC/GL 45-2003 asks for expert judgement; this comparison is its first step."
    columns: ClassVar[tuple[str, ...]] = ("qstart", "qend", "windows")
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "identity", "percent", own="window 0.35, to be exceeded", metavar="SHARE", label="&Identity, more than",
            tip="35 % in FAO/WHO 2001 and Codex CAC/GL 45-2003",
        ),
        Parameter(
            "length", own="a window (80)", metavar="N", label="In a &window of residues",
            tip="80 in FAO/WHO 2001 and Codex CAC/GL 45-2003", limits=(1, MAX_WINDOW),
        ),
        Parameter(
            "no_background", "flag", "do not measure how many sequences pass by chance (window)", of_rule=False
        ),
    )  # fmt: skip
    length: int = CODEX_WINDOW
    identity: Fraction = CODEX_IDENTITY

    def __post_init__(self) -> None:
        check_number("length", self.length, MAX_WINDOW, 1)
        check_identity(self.identity)

    def sentence(self) -> str:
        """Return the rule in words."""
        return (
            f"Every subject with more than {percent(self.identity)} % identity to a window of {self.length} residues "
            "of the query."
        )

    def windows(self, query: int) -> int:
        """Return the number of windows of a query of this length."""
        return max(1, query - self.length + 1)

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return the number of cells computed for a query and each subject, given their lengths."""
        return self.windows(query) * min(query, self.length) * subjects

    def keeps(self, matches: int, columns: int, size: int) -> bool:
        """Whether an alignment of a window, or of a shorter query, exceeds the limit."""
        return Fraction(matches, max(columns, self.length)) > self.identity

    def why_unmet(self, matching: Sequence[NDArray[np.bool_]], letter: str) -> str:
        """Return the reason why no window of a query can pass; parameters as of `Rule.why_unmet`."""
        (one,) = matching
        sums = np.concatenate([[0], np.cumsum(one)])
        size = min(len(one), self.length)
        best = int((sums[size:] - sums[: len(sums) - size]).max())
        if best > self.length * self.identity:
            return ""
        share, limit = f"{100 * best / self.length:.4g}", percent(self.identity)
        return (
            f"at most {best} of {self.length} residues ({share} %) can be identical, and the rule needs more than "
            f"{limit} %"
        )

    def repairs(self, question: Any) -> Sequence[Repair]:
        """Return the rule that answers for queries too short for a window: runs of identical residues."""
        sizes = [len(record.residues) for record in question.queries]
        short = [size for size in sizes if size <= self.length * self.identity]
        if not short:
            return ()
        length = min(WORD, *short)
        said, options = f"Look for {length} identical residues in a row", f"swgui rule words --length {length}"
        return (Repair.to(said, options, rule=Words(length)),)

    def reach(self, size: int) -> tuple[int, int]:
        """Return the residues before and behind a place of a query of this size that decide on it."""
        return 0, -(-size * self.identity.denominator // self.identity.numerator)

    @property
    def least_columns(self) -> int:
        """Smallest number of columns in the denominator of identities."""
        return self.length

    @property
    def counted_over(self) -> str:
        """Denominator of identities, in words."""
        return f"all columns, {self.length} at least"
