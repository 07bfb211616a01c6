"""Evidence about subjects apart from the list of a search in rounds: profiles compared, Forward scores, paths."""

from __future__ import annotations

from math import nan

import msgspec


class TwoStepPath(msgspec.Struct, frozen=True):
    """A path of two steps, which has no E as a whole."""

    # through, to: the hit that leads there, and where it leads
    through: str
    to: str
    # first, second: log10 of E of both steps: of the hit in the list, and of the subject in the search with that hit
    first: float
    second: float
    # Whether the two steps lie on different stretches of the hit: the subject shares a domain with it, and the query
    # shares another one.
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
        """Key that is least for the best of several paths: one along the same stretch is before any other."""
        return self.other_domain, self.weaker

    @property
    def weaker(self) -> float:
        """log10 of E of the weaker step."""
        return max(self.first, self.second)


class Evidence(msgspec.Struct, frozen=True):
    """Evidence about one subject; NaN for numbers that were not computed or are undefined."""

    # profile_bits, profile_log10_evalue: its profile against that of the query, with an E fitted to shuffled profiles
    profile_bits: float = nan
    profile_log10_evalue: float = nan
    # forward_bits, forward_log10_evalue: forward score of the query's profile as HMMER has it
    forward_bits: float = nan
    forward_log10_evalue: float = nan
    path: TwoStepPath | None = None  # how it was reached, where its own E does not say enough
