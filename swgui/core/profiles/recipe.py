"""The recipe that makes profiles of alignments, and the presets of searches in rounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter

LONG_QUERY: Final = 250  # residues; longer ones often have several domains
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
Preset = Literal["careful", "standard", "wide"]
Observations = Literal["letters", "rows"]
MAX_COLUMNS: Final = 1 << 40  # more than any profile has
SMALL_DATABASE: Final = 20_000  # sequences; where few relatives exist a false one weighs more


class GapCosts(msgspec.Struct, frozen=True):
    """Gap costs of profiles by their length, in bits."""

    columns: int  # of the longest profile that has them
    first: float
    extend: float
    cheapest: float = 1.0  # cost of opening a gap at least, however many rows have one
    # They are for databases whose sequences are shorter than this many times the profile in the mean. Cheap gaps join
    # pieces of long unrelated sequences, and then no E is small.
    subjects: float = math.inf


class Recipe(msgspec.Struct, frozen=True):
    """Parameters that turn an alignment into a profile.

    Raises
    ------
    InvalidParameter
        If a figure is out of its range.
    """

    # Weight of the pseudocounts relative to the observations (10 in PSI-BLAST; 15 to 30 make no difference).
    beta: float = 20.0
    gap_prior: float = 5.0  # observations that the expected share of gaps counts as (A)
    gap_chance: float = 0.01  # expected share of gaps among the places where one could open (p0)
    gap_scale: float = 1.0  # how much of a gap's log-odds goes into its cost (kappa)
    # gap_first, gap_extend: cost of the first residue of a gap where as many open as expected, and of the others, in
    # bits
    gap_first: float = 5.0
    gap_extend: float = 0.35
    position_gaps: bool = True  # gap costs by position; the same everywhere otherwise
    max_identity: float = 0.97  # rows this identical to another one are left out, 0 to 1; above 1 all are kept
    min_residues: int = 20  # fewer aligned residues than these are no row
    min_coverage: float = 0.0  # part of the query that a row has residues for at least, 0 to 1
    end_support: float = 0.1  # ends of rows that a smaller part of the overlapping rows shares are cut off, 0 to 1
    # Ends of alignments that gain fewer bits a column are cut off, in queries of more than `LONG_QUERY` residues:
    # shorter ones have no other domain to run on into.
    end_gain: float = 0.075
    mask: bool = True  # stretches of low complexity count as unknown residues
    mask_coils: bool = True  # coiled coils of all rows but the query count as unknown residues
    # Number of independent observations of a column: of distinct letters in the columns around it (there are only four
    # bases), or of rows.
    observations: Observations = "letters"
    # Gap costs of profiles up to some lengths, in place of `gap_first` and `gap_extend`; the first that fits counts.
    by_length: tuple[GapCosts, ...] = ()

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:  # NaN fails, too
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

    def gap_costs(self, columns: int, mean_subject: float = math.inf) -> GapCosts:
        """Return the gap costs of a profile of this many columns.

        Parameters
        ----------
        mean_subject : float
            Mean length of the sequences that are searched; unknown without it.
        """
        for costs in self.by_length:
            if columns <= costs.columns and (costs.subjects == math.inf or mean_subject < costs.subjects * columns):
                return costs
        return GapCosts(columns, self.gap_first, self.gap_extend)

    def residues_needed(self, columns: int) -> int:
        """Return the number of residues that a row needs to count in an alignment of this many columns."""
        return min(max(self.min_residues, math.ceil(self.min_coverage * columns)), columns)


class PresetFacts(msgspec.Struct, frozen=True):
    """Facts of a preset."""

    inclusion: float  # e-value up to which subjects are included
    in_small: float  # the same in databases of less than `SMALL_DATABASE` sequences
    recipe: Recipe
    help: str


PRESETS: Final[dict[Preset, PresetFacts]] = {
    "careful": PresetFacts(0.01, 0.01, Recipe(), "includes up to E 0.01: the fewest false relatives"),
    "standard": PresetFacts(0.1, 0.03, Recipe(), "up to E 0.1, in databases of less than 20,000 sequences 0.03"),
    "wide": PresetFacts(0.2, 0.2, Recipe(gap_prior=10.0), "up to E 0.2: the most relatives, and more false ones"),
}


# Measured on families of structured RNA (BENCHMARKS.md). Gaps of 3 and 0.75 bits find the most short relatives, and
# join unrelated pieces of long ones.
_BASES: Final = Recipe(
    beta=8.0,
    gap_chance=0.05,
    gap_first=5.0,
    gap_extend=1.0,
    end_support=0.0,
    mask_coils=False,
    observations="rows",
    by_length=(
        GapCosts(200, 3.0, 0.75, subjects=4.0),
        GapCosts(500, 4.0, 1.0),
        GapCosts(MAX_COLUMNS, 5.0, 1.0, cheapest=2.0),
    ),
)
NUCLEOTIDE_PRESETS: Final[dict[Preset, PresetFacts]] = {
    "careful": PresetFacts(0.01, 0.01, _BASES, "includes up to E 0.01"),
    "standard": PresetFacts(0.1, 0.1, _BASES, "up to E 0.1"),
    "wide": PresetFacts(0.3, 0.3, _BASES, "up to E 0.3: the most relatives, and more false ones"),
}
PRESETS_OF: Final[Mapping[str, Mapping[Preset, PresetFacts]]] = {
    PROTEIN.name: PRESETS,
    NUCLEOTIDE.name: NUCLEOTIDE_PRESETS,
}
