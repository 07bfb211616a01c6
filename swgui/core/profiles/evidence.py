"""What is known of subjects besides the list of a search in rounds: profiles compared, Forward scores, paths."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan


@dataclass(frozen=True, slots=True)
class TwoStepPath:
    """A path of two steps, which has no E as a whole.

    Parameters
    ----------
    through, to : str
        The hit that leads there, and where it leads.
    first, second : float
        log10 of E of both steps: of the hit in the list, and of the subject in the search with that hit.
    other_domain : bool
        Whether the two steps lie on different stretches of the hit: the subject shares a domain with it, and the query
        shares another one.
    """

    through: str
    to: str
    first: float
    second: float
    other_domain: bool = False

    @property
    def name(self) -> str:
        """Both subjects: ``Q9XYZ1 > P12345``."""
        return f"{self.through} > {self.to}{' (another domain)' if self.other_domain else ''}"

    @property
    def evalues(self) -> tuple[float, float]:
        """log10 of E of both steps."""
        return self.first, self.second

    @property
    def rank(self) -> tuple[bool, float]:
        """What of several paths the best has the least of: one along the same stretch counts before any other."""
        return self.other_domain, self.weaker

    @property
    def weaker(self) -> float:
        """log10 of E of the weaker step."""
        return max(self.first, self.second)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one subject; all numbers NaN where it was not asked for, or cannot be said.

    Parameters
    ----------
    profile_bits, profile_log10_evalue : float
        Its profile against that of the query, with an E fitted to shuffled profiles.
    forward_bits, forward_log10_evalue : float
        Forward score of the query's profile as HMMER has it.
    path : TwoStepPath, optional
        How it was reached, where its own E does not say enough.
    """

    profile_bits: float = nan
    profile_log10_evalue: float = nan
    forward_bits: float = nan
    forward_log10_evalue: float = nan
    path: TwoStepPath | None = None
