"""What a hit must reach besides E: score, identity, and how much of the query it covers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import AlignmentCounts
from swgui.core.errors import InvalidParameter
from swgui.core.hits.aligned import AlignedColumns


@dataclass(frozen=True, slots=True)
class Minimums:
    """Lower limits of hits; 0 is none.

    Parameters
    ----------
    score : int
        Raw score.
    identity : float
        Percent of the columns of the alignment (BLAST ``perc_identity``).
    coverage : float
        Percent of the whole query inside the alignment (BLAST ``qcov_hsp_perc``).
    """

    score: int = 0
    identity: float = 0.0
    coverage: float = 0.0

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

    def reached_by(self, aligned: AlignedColumns, query_length: int) -> NDArray[np.bool_]:
        """Whether each of some alignments reaches all of them, shape (n,)."""
        identity = 100.0 * aligned.number("nident") / np.maximum(aligned.number("length"), 1)
        covered = 100.0 * aligned.number("query_span") / max(query_length, 1)
        return (aligned.number("score") >= self.score) & (identity >= self.identity) & (covered >= self.coverage)

    def describe(self) -> str:
        """Say them in words: ``score ≥ 50, identity ≥ 30 %``; empty if there are none."""
        said = (
            (self.score, f"score ≥ {self.score:,}"),
            (self.identity, f"identity ≥ {self.identity:g} %"),
            (self.coverage, f"query coverage ≥ {self.coverage:g} %"),
        )
        return ", ".join(text for value, text in said if value)


NO_MINIMUMS: Final = Minimums()
