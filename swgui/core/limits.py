"""Limits of the list of subjects: number, E, and conditions on hits."""

from __future__ import annotations

from typing import Final

import msgspec

from swgui.core.alignment import AlignmentCounts
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter

MAX_TOP: Final = 1_000_000_000  # that a query can ask for


class Minimums(msgspec.Struct, frozen=True):
    """Lower limits of hits; 0 is none."""

    score: int = 0  # raw score
    identity: float = 0.0  # percent of the columns of the alignment (BLAST ``perc_identity``)
    coverage: float = 0.0  # percent of the whole query inside the alignment (BLAST ``qcov_hsp_perc``)

    def __post_init__(self) -> None:
        if self.score < 0:
            raise InvalidParameter("min_score", self.score, f"A score limit of {self.score} is below 0.")
        for name, value in (("identity", self.identity), ("coverage", self.coverage)):
            if not 0 <= value <= 100:
                raise InvalidParameter(f"min_{name}", value, f"A limit of {value:g} % {name} is not between 0 and 100.")

    def __bool__(self) -> bool:
        return bool(self.score or self.needs_alignment)

    @property
    def needs_alignment(self) -> bool:
        """Whether a hit must be aligned before it is known to reach them."""
        return self.identity > 0 or self.coverage > 0

    def reached(self, score: int, counts: AlignmentCounts, query_length: int) -> bool:
        """Whether an alignment reaches all of them; the length is that of the whole query."""
        covered = 100.0 * counts.query_span / query_length if query_length else 0.0
        return score >= self.score and counts.pident >= self.identity and covered >= self.coverage

    def describe(self) -> str:
        """Return the limits in words: ``score ≥ 50, identity ≥ 30 %``; empty without limits."""
        said = (
            (self.score, f"score ≥ {self.score:,}"),
            (self.identity, f"identity ≥ {self.identity:g} %"),
            (self.coverage, f"query coverage ≥ {self.coverage:g} %"),
        )
        return ", ".join(text for value, text in said if value)


NO_MINIMUMS: Final = Minimums()


class Limits(msgspec.Struct, frozen=True):
    """Limits that decide which subjects are listed."""

    top: int = 500  # hits per query at most
    max_evalue: float = 10.0  # hits with a higher E-value are left out; without statistics it has no effect
    # Residues of the database E refers to; 0 for those of the database itself. The number of sequences is scaled
    # alike.
    effective_residues: int = 0
    # Further conditions on hits; those on alignments are checked after the alignment.
    minimums: Minimums = NO_MINIMUMS

    def __post_init__(self) -> None:
        if self.top < 1:
            raise InvalidParameter("top", self.top, f"A list of {self.top} hits is empty.", hint="Ask for 1 or more.")
        if self.top > MAX_TOP:
            message = f"A list of {self.top:,} hits is longer than any can be."
            raise InvalidParameter("top", self.top, message, hint=f"Ask for {MAX_TOP:,} at most.")
        if not self.max_evalue > 0:
            raise InvalidParameter(
                "max_evalue", self.max_evalue, f"The E-value limit {self.max_evalue} is not above 0."
            )
        if self.effective_residues < 0:
            size = self.effective_residues
            raise InvalidParameter("effective_residues", size, f"A database of {size} residues makes no sense.")

    @property
    def least_score(self) -> int:
        """The least score of a hit: without a positive one no residue is aligned, and there is no hit."""
        return max(self.minimums.score, 1)

    def database_size(self, database: EncodedDatabase) -> tuple[float, float]:
        """Return residues and sequences of the database E refers to."""
        residues, sequences = database.search_space
        if not self.effective_residues:
            return float(residues), float(sequences)
        return float(self.effective_residues), sequences * self.effective_residues / max(residues, 1)
