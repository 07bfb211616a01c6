"""A search in rounds: what its first round searches for, and with which scores."""

from __future__ import annotations

from collections.abc import Sequence

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.limits import NO_MINIMUMS
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.bases import SearchedBases, matrix_behind
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.log_odds import profile_scheme
from swgui.core.profiles.recipe import SMALL_DATABASE, Recipe
from swgui.core.records import SequenceRecord
from swgui.core.scoring import SubstitutionMatrix
from swgui.engines.native.profiles import BuiltProfile, ProfileMaker
from swgui.jobs.iterate.sums import CANDIDATES
from swgui.jobs.search.request import SearchRequest


def in_rounds(request: SearchRequest, settings: IterationSettings) -> SearchRequest:
    """Return a search in rounds with what a plain one asks for. Raises as `SearchRequest`."""
    return replace(request, search=replace(request.search, iteration=settings))


def settings_of(request: SearchRequest) -> IterationSettings:
    """Return how the rounds of a search go."""
    assert request.search.iteration is not None
    return request.search.iteration


def first_round(request: SearchRequest) -> SearchRequest:
    """Return the plain search of the first round, which lists all subjects that may be included."""
    search, settings = request.search, settings_of(request)
    alphabet = search.scheme.alphabet.name
    inclusion = max(settings.inclusion(size, alphabet) for size in (0, SMALL_DATABASE))
    limits = replace(
        search.limits,
        top=max(search.limits.top, settings.max_rows + len(settings.exclude_ids) + 1),
        max_evalue=max(search.limits.max_evalue, inclusion, CANDIDATES if alphabet == NUCLEOTIDE.name else 0.0),
        minimums=NO_MINIMUMS,
    )
    plain = replace(
        search,
        scheme=profile_scheme(matrix_behind(search.scheme.matrix), settings.profile_recipe(alphabet)),
        limits=limits,
        composition="none",
        keep_scores=True,
        iteration=None,
    )
    database, masked = request.build_database or request.database, request.queries_masked
    return SearchRequest(request.queries, database, plain, queries_masked=masked)


def profile_of(
    alignment: MasterAlignment,
    matrix: SubstitutionMatrix,
    recipe: Recipe,
    name: str,
    bases: SearchedBases | None = None,
) -> BuiltProfile:
    """Return the profile of an alignment."""
    return ProfileMaker(matrix_behind(matrix), recipe, bases).build(alignment, name)


def with_profiles(request: SearchRequest, records: Sequence[SequenceRecord], recipe: Recipe) -> SearchRequest:
    """Return a search with queries that have profiles in place of its own, in one round.

    E is fitted to the scores of the search, and not corrected for composition, which profiles account for by
    themselves.
    """
    scheme = profile_scheme(matrix_behind(request.scheme.matrix), recipe)
    search = replace(request.search, scheme=scheme, composition="none")
    return replace(request, queries=tuple(records), search=search)
