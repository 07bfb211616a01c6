"""The rule of subjects that are identical to the whole query in a share of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.rules.base import (
    Lengths,
    Parameter,
    Rule,
    blanks_said,
    check_choice,
    check_identity,
    percent,
)

_FORMER_OVER_QUERY: Final = "counted over the residues of the query."  # in sentences before commit a999ef51


@dataclass(frozen=True, slots=True)
class Identity(Rule):
    """Every subject to which the whole query can be aligned, ends of the subject free, with this identity or more.

    The identity is the largest that any alignment attains: that of the alignment with the best score may be lower.
    Over the query that is the length of the longest common subsequence: insertions, of any number, take nothing away.

    Each subject is listed with one place: of the alignments with the largest identity the one with the fewest gap
    positions, then the leftmost start, then the leftmost end.
    """

    name: ClassVar[str] = "identity"
    title: ClassVar[str] = "Identity claim"
    work: ClassVar[str] = "swgui.jobs.rules.work.identity:IdentityWork"
    purpose: ClassVar[str] = "Claims such as “at least 90 % identical to SEQ ID 3”, over the whole query."
    paste: ClassVar[str] = "Paste the sequence of the claim: FASTA, or bare residues."
    translated: ClassVar[bool] = True
    unit: ClassVar[Literal["places", "cells"]] = "cells"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "identity", "percent", "a share as 0.7, or a percentage as 70 ({rules})", "identity 0.9", "; ",
            metavar="SHARE", label="&Identity, at least", tip="Identities over all columns or over the query",
        ),
        Parameter(
            "over", "choice",
            "divisor of the identities (identity; default: columns): all columns, or the residues of the query, "
            "so that additional residues of the subject cost nothing",
            label="Counted over", tip="The divisor of the identities",
            choices=(
                ("All columns of the alignment", "columns"), ("The query, any number of insertions", "query")
            ),
        ),
    )  # fmt: skip
    identity: Fraction = Fraction(9, 10)  # identities over all columns, or over the residues of the query
    over: Literal["columns", "query"] = "columns"

    def __post_init__(self) -> None:
        check_identity(self.identity)
        check_choice("over", self.over, "columns", "query")

    def sentence(self) -> str:
        """Return the rule in words."""
        limit = f"at least {percent(self.identity)} %"
        if self.over == "query":
            return (
                f"Every subject to which the query can be aligned so that {limit} of the residues of the query match, "
                "however many residues of the subject stand between them."
            )
        return f"Every subject to which the whole query can be aligned with {limit} identity, counted over all columns."

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return the number of cells computed for a query and each subject, given their lengths."""
        return query * subjects

    def keeps(self, matches: int, columns: int, size: int) -> bool:
        """Whether an alignment of a query of this size keeps the limit."""
        return Fraction(matches, size if self.over == "query" else columns) >= self.identity

    def why_unmet(self, matching: Sequence[NDArray[np.bool_]], letter: str) -> str:
        """Return the reason why no place could meet the rule; parameters as of `Rule.why_unmet`."""
        (one,) = matching
        enough = int(one.sum()) >= len(one) * self.identity
        return "" if enough else f"{blanks_said(one, letter)}, and the limit is {percent(self.identity)} % identity"

    def reach(self, size: int) -> tuple[int, int]:
        """Return the residues before and behind a place of a query of this size that decide on it."""
        return 0, -(-size * self.identity.denominator // self.identity.numerator)

    @property
    def crosses_origins(self) -> bool:
        """Whether places cross origins: over the query, which could go round more than once there, none does."""
        return self.over != "query"

    @property
    def on_cpu(self) -> str:
        """Return the reason why no GPU scans; empty if one can."""
        return "identity over the query is counted on the CPU" if self.over == "query" else ""

    @property
    def counted_over(self) -> str:
        """Denominator of identities, in words."""
        return "the residues of the query" if self.over == "query" else "all columns"

    def denominators(self, aligned: NDArray[Any], columns: NDArray[Any]) -> Lengths:
        """Return the denominators of the identities of k places; as of `Rule.denominators`."""
        return np.asarray(aligned if self.over == "query" else columns, np.int64)

    def best_weights(self, matches: int, columns: int) -> tuple[int, int] | None:
        """Return the gain of a match and cost of another column that make a place a best alignment of its residues."""
        return (1, 0) if self.over == "query" else (columns - matches, matches)

    def former_meaning(self, sentence: str) -> str:
        """Return the different meaning of the rule in earlier versions; empty if it is the same."""
        former = _FORMER_OVER_QUERY in sentence
        return "counts insertions as residues of the query that do not match" if former else ""
