"""Settings of a search in rounds: their number, which subjects are included, and evidence after the last one."""

from __future__ import annotations

from typing import Final

import msgspec

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.profiles.recipe import PRESETS, PRESETS_OF, SMALL_DATABASE, Preset, Recipe

ROUNDS: Final = (2, 8)
MAX_INCLUSION: Final = 10.0
MAX_BEST: Final = 1000  # hits that are searched with


class EvidenceOptions(msgspec.Struct, frozen=True):
    """Evidence to compute once all rounds are done; by default none.

    Raises
    ------
    InvalidParameter
        If the number is out of its range.
    """

    profiles: bool = False  # profiles of the best hits against that of the query
    neighbours: bool = False  # hits of the best hits that the query does not find
    forward: bool = False  # forward scores of all hits, by pyhmmer
    best: int = 100  # number of hits to search with, for profiles and neighbours

    def __post_init__(self) -> None:
        if not 1 <= self.best <= MAX_BEST:
            raise InvalidParameter(
                "best", self.best, f"Searching with the best {self.best:,} hits is not from 1 to {MAX_BEST:,}."
            )

    def __bool__(self) -> bool:
        return self.searches or self.forward

    @property
    def searches(self) -> bool:
        """Whether the best hits are searched with."""
        return self.profiles or self.neighbours


NOTHING_MORE: Final = EvidenceOptions()


class IterationSettings(msgspec.Struct, frozen=True):
    """Number of rounds, and the rule of inclusion.

    Raises
    ------
    InvalidParameter
        If a value is out of its range.
    """

    rounds: int = 6  # searches at most, 2 to 8, the first with the query alone among them
    preset: Preset = "standard"
    inclusion_evalue: float | None = None  # e-value up to which subjects are included; that of the preset if not given
    max_rows: int = 600  # subjects that are included at most, and rows of the alignment
    # include_ids, exclude_ids: subjects that are included in any case, or never
    include_ids: tuple[str, ...] = ()
    exclude_ids: tuple[str, ...] = ()
    recipe: Recipe | None = None  # how profiles are made; that of the preset if not given
    evidence: EvidenceOptions = NOTHING_MORE  # evidence to compute after the last round

    def __post_init__(self) -> None:
        low, high = ROUNDS
        if not low <= self.rounds <= high:
            raise InvalidParameter(
                "rounds",
                self.rounds,
                f"An iterated search has {low} to {high} rounds, not {self.rounds}.",
                hint="Leave it out for a search with the query alone.",
            )
        if self.preset not in PRESETS:
            raise InvalidParameter(
                "preset", self.preset, f"There is no preset '{self.preset}'.", hint=f"There are {', '.join(PRESETS)}."
            )
        inclusion = self.inclusion_evalue
        if inclusion is not None and not 0 < inclusion <= MAX_INCLUSION:
            raise InvalidParameter(
                "inclusion_evalue",
                inclusion,
                f"Subjects cannot be included up to an E-value of {inclusion:g}: most of them would not be relatives.",
                hint=f"It must be above 0 and at most {MAX_INCLUSION:g}; 0.01 to 0.2 is usual.",
            )
        if self.max_rows < 1:
            raise InvalidParameter("max_rows", self.max_rows, f"A profile has at least 1 row, not {self.max_rows}.")
        if both := sorted(set(self.include_ids) & set(self.exclude_ids)):
            raise InvalidParameter("include_ids", both[0], f"'{both[0]}' is to be both included and excluded.")

    def inclusion(self, sequences: int, alphabet: str = PROTEIN.name) -> float:
        """Return the E-value up to which subjects of a database of this many sequences are included."""
        if self.inclusion_evalue is not None:
            return self.inclusion_evalue
        facts = PRESETS_OF[alphabet][self.preset]
        return facts.in_small if sequences < SMALL_DATABASE else facts.inclusion

    def profile_recipe(self, alphabet: str = PROTEIN.name) -> Recipe:
        """Return the recipe of profiles of an alphabet."""
        return self.recipe or PRESETS_OF[alphabet][self.preset].recipe
