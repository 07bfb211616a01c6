"""The figures by which profiles are made of alignments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from swgui.core.errors import InvalidParameter

LONG_QUERY: Final = 250  # residues; longer ones often have several domains


@dataclass(frozen=True, slots=True)
class Recipe:
    """How an alignment becomes a profile.

    Parameters
    ----------
    beta : float
        Weight of the pseudocounts beside what is observed (10 in PSI-BLAST; 15 to 30 make no difference).
    gap_prior : float
        Observations that the expected share of gaps counts as (A).
    gap_chance : float
        Expected share of gaps among the places where one could open (p0).
    gap_scale : float
        How much of a gap's log-odds goes into its cost (kappa).
    gap_first, gap_extend : float
        Cost of the first residue of a gap where as many open as expected, and of the others, in bits.
    position_gaps : bool
        Gap costs by position; the same everywhere otherwise.
    max_identity : float
        Rows this identical to another one are left out, 0 to 1; above 1 all are kept.
    min_residues : int
        Fewer aligned residues than these are no row.
    min_coverage : float
        Part of the query that a row has residues for at least, 0 to 1.
    end_support : float
        Ends of rows that a smaller part of the rows beside them shares are cut off, 0 to 1.
    end_gain : float
        Ends of alignments that gain fewer bits a column are cut off, in queries of more than `LONG_QUERY` residues:
        shorter ones have no other domain to run on into.
    mask : bool
        Stretches of low complexity count as unknown residues.
    mask_coils : bool
        Coiled coils of all rows but the query count as unknown residues.

    Raises
    ------
    InvalidParameter
        If a figure is out of its range.
    """

    beta: float = 20.0
    gap_prior: float = 5.0
    gap_chance: float = 0.01
    gap_scale: float = 1.0
    gap_first: float = 5.0
    gap_extend: float = 0.35
    position_gaps: bool = True
    max_identity: float = 0.97
    min_residues: int = 20
    min_coverage: float = 0.0
    end_support: float = 0.1
    end_gain: float = 0.075
    mask: bool = True
    mask_coils: bool = True

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:  # nor is NaN
                raise InvalidParameter(
                    name,
                    value,
                    f"The {name.replace('_', ' ')} of a profile is {value:g}, not within {low:g} to {high:g}.",
                )
        if self.gap_extend > self.gap_first:
            raise InvalidParameter(
                "gap_extend",
                self.gap_extend,
                f"A gap of a profile costs {self.gap_extend:g} bits to extend and {self.gap_first:g} to open.",
                hint="Let extending cost no more than opening.",
            )


_RANGES: Final = {
    "beta": (0.001, 1000.0),
    "gap_prior": (0.001, 1000.0),
    "gap_chance": (1e-6, 0.5),
    "gap_scale": (0.0, 4.0),
    "gap_first": (1.0, 100.0),
    "gap_extend": (0.0, 100.0),
    "max_identity": (0.3, 1.01),
    "min_residues": (1, 10_000),
    "min_coverage": (0.0, 1.0),
    "end_support": (0.0, 1.0),
    "end_gain": (0.0, 10.0),
}
