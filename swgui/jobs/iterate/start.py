"""Searching with a profile from elsewhere, in one round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.build import BuiltProfile, build_profile
from swgui.core.profiles.log_odds import UNITS_PER_BIT, conditional_frequencies, in_eighths_of_bits
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.jobs.search.request import SearchRequest


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
