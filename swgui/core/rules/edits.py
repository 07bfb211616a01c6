"""The rule of whole queries with mismatches and gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from swgui.core.rules.base import (
    MAX_PATTERN,
    Lengths,
    Limits,
    Parameter,
    Rule,
    check_choice,
    check_length,
    check_number,
    most,
)
from swgui.core.words import count

GapKind = Literal["both", "insertions", "deletions"]
# Former words: the only sequence whose residues may stand opposite a gap
_FORMER_KINDS: Final[dict[str, GapKind]] = {"subject": "insertions", "query": "deletions"}
_GAP_KINDS: Final[dict[GapKind, str]] = {
    "both": "",
    "insertions": ", insertions only (residues of the subject that the query lacks)",
    "deletions": ", deletions only (residues of the query that the subject lacks)",
}
LEFT_OUT: Final = (
    " An end at a distance of s residues from a listed end is left out if it has at least s differences more, and if "
    "the limits allow s more gap positions at the listed end."
)
# Before 0.2
_LEFT_OUT_BEFORE: Final = (
    " An end is left out if a listed one, s residues beside it, has at least s differences fewer and the limits leave "
    "that one s more gap positions."
)
# Sentences before commits 3d8e8936 and a999ef51
_ONE_KIND: Final = ", gaps in the "
_TOGETHER: Final = "together"


@dataclass(frozen=True, slots=True)
class Edits(Rule):
    """Every end position in a subject at which the whole query fits with at most so many differences.

    Among the alignments that end there the one with the fewest differences counts; then the one with the fewest gap
    positions, then the longest one of the subject (whose beginning stands leftmost).

    Unless `every_end`, ends that a listed one implies are left out (`swgui.core.rules.places.without_implied`).
    """

    name: ClassVar[str] = "edits"
    title: ClassVar[str] = "Mismatches and gaps"
    work: ClassVar[str] = "swgui.jobs.rules.work.edits:EditWork"
    purpose: ClassVar[str] = "Whole short sequences with mismatches, insertions and deletions."
    paste: ClassVar[str] = f"Paste sequences of up to {MAX_PATTERN} residues: FASTA, or one sequence."
    translated: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "edits", said="differences at most, gap positions included ({rules})", own="edits 1", between="; ",
            metavar="K", label="&Differences, at most", tip="Mismatches and gap positions together",
            limits=(0, MAX_PATTERN - 1),
        ),
        Parameter(
            "mismatches", metavar="K", label="&Mismatches, at most",
            tip="The number of differences that may be mismatches", optional=True,
        ),
        Parameter(
            "gaps", said="gap positions at most, insertions and deletions together (edits)", metavar="K",
            label="&Gap positions, at most",
            tip="The number of differences that may be gap positions, insertions and deletions together", optional=True,
        ),
        Parameter(
            "gaps_in", "choice",
            "which gaps are allowed (edits; default: both): insertions are residues of the subject that the query "
            "lacks, deletions residues of the query that the subject lacks; subject is a former word for insertions, "
            "query for deletions",
            values=(*_GAP_KINDS, *_FORMER_KINDS), former=_FORMER_KINDS, label="Gaps",
            tip="Insertions are residues that the query lacks, deletions residues that the database sequence lacks",
            choices=(
                ("Insertions and deletions", "both"), ("Insertions only", "insertions"), ("Deletions only", "deletions")
            ),
        ),
        Parameter(
            "matching_ends", "flag", "the first and last residue must match (edits)",
            label="First and last residue must match", tip="Leave out matches that begin or end with a difference",
        ),
        Parameter(
            "every_end", "flag", "list ends that a better one next to them implies, too (edits)",
            label="List every end position", tip="List ends, too, that a better one next to them implies",
        ),
    )  # fmt: skip
    edits: int = 1  # differences, at most
    # gaps, mismatches: of these gap positions (insertions and deletions together) and mismatches, at most
    gaps: int | None = None
    mismatches: int | None = None
    matching_ends: bool = False  # whether the first and the last residue of the query must match
    gaps_in: GapKind = "both"  # allowed gaps
    every_end: bool = False  # whether no end is left out

    def __post_init__(self) -> None:
        check_number("edits", self.edits)
        check_number("gaps", self.gaps)
        check_number("mismatches", self.mismatches)
        check_choice("gaps_in", self.gaps_in, *_GAP_KINDS)

    @property
    def limits(self) -> Limits:
        """Limits of a fit."""
        gaps = self.edits if self.gaps is None else min(self.gaps, self.edits)
        mismatches = self.edits if self.mismatches is None else min(self.mismatches, self.edits)
        insertions, deletions = gaps * (self.gaps_in != "deletions"), gaps * (self.gaps_in != "insertions")
        return Limits(self.edits, mismatches, insertions, deletions, gaps)

    @property
    def leaves_out(self) -> bool:
        """Whether ends are left out that a listed one implies: only gap positions that the rule allows imply any."""
        return not (self.every_end or self.matching_ends) and self.limits.gaps > 0

    def sentence(self) -> str:
        """Return the rule in words."""
        limits = [most(self.edits, "difference")]
        together = " (insertions and deletions together)" if self.gaps and self.gaps_in == "both" else ""
        limits += [] if self.gaps is None else [most(self.gaps, "gap position") + together]
        limits += [] if self.mismatches is None else [most(self.mismatches, "mismatch")]
        ends = ", its first and last residue matching" if self.matching_ends else ""
        fits = f"{', '.join(limits)}{_GAP_KINDS[self.gaps_in]}{ends}"
        return f"Every end position at which the whole query fits with {fits}.{LEFT_OUT * self.leaves_out}"

    def check_query(self, name: str, length: int) -> None:
        """Raise `SequenceError` if the rule does not accept a query of this name and length."""
        check_length(name, length, self.edits, MAX_PATTERN)

    def places(self, query: int, subjects: Lengths) -> Lengths:
        """Return the number of places of each subject tested for a query, given their lengths."""
        return subjects

    @property
    def up_to(self) -> str:
        """How much a place may differ, in words."""
        return f"up to {count(self.limits.differences, 'difference')}" if self.limits.differences else ""

    @property
    def most_differences(self) -> int:
        """Largest number of differences of a place."""
        return self.limits.differences

    @property
    def may_differ(self) -> int:
        """Return the number of residues of a query that may be unmatched: opposite another residue or a gap."""
        return min(self.limits.differences, self.limits.mismatches + self.limits.deletions)

    def why_unmet(self, matching: Sequence[NDArray[np.bool_]], letter: str) -> str:
        """Return the reason why no place could meet the rule; parameters as of `Rule.why_unmet`."""
        (one,) = matching
        if self.matching_ends and not (one[0] and one[-1]):
            return f"its first or last residue is {letter}, which matches nothing, and both must match"
        return Rule.why_unmet(self, matching, letter)

    def reach(self, size: int) -> tuple[int, int]:
        """Return the residues before and behind a place that decide: also ends implied by a better one."""
        span = size + 3 * self.edits
        return span, span

    def former_meaning(self, sentence: str) -> str:
        """Return the different meaning of the rule in earlier versions; empty if it is the same."""
        apart = self.gaps and self.gaps_in == "both" and _TOGETHER not in sentence
        return "limits insertions and deletions one by one" if _ONE_KIND in sentence or apart else ""

    def reworded(self, sentence: str) -> str:
        """Return a sentence of earlier versions as this one words it."""
        sentence = sentence.replace(_LEFT_OUT_BEFORE, LEFT_OUT)
        if not self.leaves_out or LEFT_OUT in sentence:
            return sentence
        return sentence.replace(self.sentence().removesuffix(LEFT_OUT), self.sentence(), 1)
