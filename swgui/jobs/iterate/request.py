"""What decides an iterated search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Final, Literal

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.minimums import NO_MINIMUMS
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.build import BuiltProfile, build_profile
from swgui.core.profiles.log_odds import UNITS_PER_BIT, conditional_frequencies, in_eighths_of_bits
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.jobs.search.request import SearchRequest

Preset = Literal["careful", "standard", "wide"]

ROUNDS: Final = (2, 8)
MAX_INCLUSION: Final = 10.0
MAX_BEST: Final = 1000  # hits that are searched with
SMALL_DATABASE: Final = 20_000  # sequences; where few relatives exist a false one weighs more


@dataclass(frozen=True, slots=True)
class PresetFacts:
    """What a preset stands for.

    Parameters
    ----------
    inclusion : float
        E-value up to which subjects are included.
    in_small : float
        The same in databases of less than `SMALL_DATABASE` sequences.
    recipe : Recipe
    help : str
    """

    inclusion: float
    in_small: float
    recipe: Recipe
    help: str


PRESETS: Final[dict[Preset, PresetFacts]] = {
    "careful": PresetFacts(0.01, 0.01, Recipe(), "includes up to E 0.01: the fewest false relatives"),
    "standard": PresetFacts(0.1, 0.03, Recipe(), "up to E 0.1, in databases of less than 20,000 sequences 0.03"),
    "wide": PresetFacts(0.2, 0.2, Recipe(gap_prior=10.0), "up to E 0.2: the most relatives, and more false ones"),
}


@dataclass(frozen=True, slots=True)
class EvidenceWanted:
    """What else is looked for once all rounds are done; by default nothing.

    Parameters
    ----------
    profiles : bool
        Profiles of the best hits against that of the query.
    neighbours : bool
        What the best hits find, and the query does not.
    forward : bool
        Forward scores of all hits, by pyhmmer.
    best : int
        How many hits are searched with, for profiles and neighbours.

    Raises
    ------
    InvalidParameter
        If the number is out of its range.
    """

    profiles: bool = False
    neighbours: bool = False
    forward: bool = False
    best: int = 100

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


NOTHING_MORE: Final = EvidenceWanted()


@dataclass(frozen=True, slots=True)
class IterationSettings:
    """How often is searched, and who is included.

    Parameters
    ----------
    rounds : int
        Searches at most, 2 to 8, the first with the query alone among them.
    preset : {"careful", "standard", "wide"}
    inclusion_evalue : float, optional
        E-value up to which subjects are included; that of the preset if not given.
    max_rows : int
        Subjects that are included at most, and rows of the alignment.
    include_ids, exclude_ids : tuple of str
        Subjects that are included in any case, or never.
    recipe : Recipe, optional
        How profiles are made; that of the preset if not given.
    evidence : EvidenceWanted
        What is looked for behind the last round.

    Raises
    ------
    InvalidParameter
        If a value is out of its range.
    """

    rounds: int = 6
    preset: Preset = "standard"
    inclusion_evalue: float | None = None
    max_rows: int = 600
    include_ids: tuple[str, ...] = ()
    exclude_ids: tuple[str, ...] = ()
    recipe: Recipe | None = None
    evidence: EvidenceWanted = NOTHING_MORE

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
                f"Subjects cannot be included up to an E-value of {inclusion:g}: most of them would be no relatives.",
                hint=f"It must be above 0 and at most {MAX_INCLUSION:g}; 0.01 to 0.2 is usual.",
            )
        if self.max_rows < 1:
            raise InvalidParameter("max_rows", self.max_rows, f"A profile of {self.max_rows} rows is none.")
        if both := sorted(set(self.include_ids) & set(self.exclude_ids)):
            raise InvalidParameter("include_ids", both[0], f"'{both[0]}' is to be included and to be excluded.")

    def inclusion(self, sequences: int) -> float:
        """Return the E-value up to which subjects of a database of so many sequences are included."""
        if self.inclusion_evalue is not None:
            return self.inclusion_evalue
        facts = PRESETS[self.preset]
        return facts.in_small if sequences < SMALL_DATABASE else facts.inclusion

    @property
    def profile_recipe(self) -> Recipe:
        """How profiles are made."""
        return self.recipe or PRESETS[self.preset].recipe


@dataclass(frozen=True, slots=True, eq=False)
class IterationRequest:
    """Everything that decides an iterated search.

    Parameters
    ----------
    search : SearchRequest
        Queries, the database whose hits are reported, limits, engine. The frequencies behind its matrix give the
        scores of the first round and the pseudocounts; its gap costs and its correction for composition are not used.
    settings : IterationSettings
    build_database : Path or EncodedDatabase, optional
        The database whose sequences make the profiles; that of the search if not given.
    starts : mapping of int to MasterAlignment
        Alignments that the first round searches with a profile of, by the position of the query.
    before : SearchResult, optional
        The same search as far as it came: it continues behind its last whole round.

    Raises
    ------
    InvalidParameter
        If the queries are no proteins, or an alignment does not fit its query.
    ProfileError
        If no frequencies follow from the matrix.
    """

    search: SearchRequest
    settings: IterationSettings = field(default_factory=IterationSettings)
    build_database: Path | EncodedDatabase | None = None
    starts: Mapping[int, MasterAlignment] = field(default_factory=dict)
    before: SearchResult | None = None

    def __post_init__(self) -> None:
        if self.search.translation is not None:
            raise InvalidParameter(
                "rounds",
                self.search.translation.program,
                "Searching in rounds translates nothing: profiles are made of proteins.",
                hint="Search proteins in rounds first, save the profile, and begin with that.",
            )
        alphabet = self.search.scheme.alphabet
        if alphabet.name != PROTEIN.name:
            raise InvalidParameter(
                "rounds", alphabet.name, f"Profiles are made of proteins; the queries are {alphabet.name}s."
            )
        if any(query.letters is not None for query in self.search.queries):  # profiles are made of residues alone
            bare = tuple(replace(query, letters=None) for query in self.search.queries)
            object.__setattr__(self, "search", replace(self.search, queries=bare, beside=None))
        for index, alignment in self.starts.items():
            query = self.search.queries[index]
            if alignment.columns != len(query.residues):
                columns = f"{alignment.columns} columns for {len(query.residues)} residues"
                raise InvalidParameter("starts", query.id, f"The alignment of '{query.id}' has {columns}.")
        _ = self.scheme  # so that a matrix without frequencies is refused at once

    @property
    def matrix(self) -> SubstitutionMatrix:
        """The matrix whose frequencies are used."""
        return self.search.scheme.matrix

    @property
    def scheme(self) -> ScoringScheme:
        """What the query alone is searched with: the matrix in the units of profiles, gap costs of the recipe."""
        return profile_scheme(self.matrix, self.settings.profile_recipe)

    def first_search(self) -> SearchRequest:
        """Return the search of the first round, which lists whoever may be included."""
        inclusion = max(self.settings.inclusion(0), self.settings.inclusion(SMALL_DATABASE))
        return replace(
            self.search,
            database=self.build_database or self.search.database,
            scheme=self.scheme,
            top=max(self.search.top, self.settings.max_rows + len(self.settings.exclude_ids) + 1),
            max_evalue=max(self.search.max_evalue, inclusion),
            composition="none",
            minimums=NO_MINIMUMS,
            keep_scores=True,
            run_id="",
        )


@dataclass(frozen=True, slots=True, eq=False)
class IteratedSearch(SearchRequest):
    """A search that is one of several rounds: it goes where searches go, and `iteration` says what to do.

    Parameters
    ----------
    settings : IterationSettings
    before : SearchResult, optional
        As in `IterationRequest`.
    """

    settings: IterationSettings = field(default_factory=IterationSettings)
    before: SearchResult | None = None

    def __post_init__(self) -> None:
        SearchRequest.__post_init__(self)
        _ = self.iteration  # so that what cannot be done is refused at once

    @property
    def iteration(self) -> IterationRequest:
        """The rounds of the plain search."""
        plain = SearchRequest(**{each.name: getattr(self, each.name) for each in fields(SearchRequest)})
        return IterationRequest(plain, self.settings, before=self.before)


def in_rounds(search: SearchRequest, settings: IterationSettings) -> IteratedSearch:
    """Return a search of several rounds of a plain one. Raises as `IterationRequest`."""
    values = {each.name: getattr(search, each.name) for each in fields(SearchRequest)}
    return IteratedSearch(**values, settings=settings)


def profile_scheme(matrix: SubstitutionMatrix, recipe: Recipe) -> ScoringScheme:
    """Return a matrix in the units of profiles, with the gap costs of a recipe.

    Raises
    ------
    ProfileError
        If no frequencies follow from the matrix.
    """
    costs = round(recipe.gap_first * UNITS_PER_BIT), round(recipe.gap_extend * UNITS_PER_BIT)
    return ScoringScheme(in_eighths_of_bits(matrix), *costs)


def profile_of(alignment: MasterAlignment, matrix: SubstitutionMatrix, recipe: Recipe, name: str) -> BuiltProfile:
    """Return the profile of an alignment."""
    return build_profile(alignment, conditional_frequencies(matrix), recipe, name)


def with_profiles(request: SearchRequest, records: Sequence[SequenceRecord], recipe: Recipe) -> SearchRequest:
    """Return a search with queries that have profiles in place of its own, in one round.

    E is fitted to the scores of the search, and not corrected for composition, which profiles account for by
    themselves.
    """
    scheme = profile_scheme(request.scheme.matrix, recipe)
    return replace(request, queries=tuple(records), scheme=scheme, composition="none", strand="plus")
