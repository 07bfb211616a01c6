"""What decides an iterated search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.limits import NO_MINIMUMS
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.build import BuiltProfile, build_profile
from swgui.core.profiles.log_odds import UNITS_PER_BIT, conditional_frequencies, in_eighths_of_bits
from swgui.core.profiles.recipe import SMALL_DATABASE, IterationSettings, Recipe
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.jobs.search.request import SearchRequest


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
