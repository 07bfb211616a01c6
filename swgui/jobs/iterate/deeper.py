"""Further evidence on the hits of an iterated search, and what only their own searches find.

The best hits are searched with as queries are. Their profiles against that of the query are a second opinion on each,
with an E of its own. What they find and the query does not is reached through them: that is a path of two steps, each
with its E, and has no E as a whole (intermediate sequence search: Park et al. 1997, J. Mol. Biol. 273:349).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, nan
from typing import Final

import numpy as np

from swgui.core.hits.minimums import NO_MINIMUMS
from swgui.core.hits.ranking import limits_of
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.against import local_scores, shuffled
from swgui.core.profiles.build import BuiltProfile
from swgui.core.profiles.log_odds import UNITS_PER_BIT, conditional_frequencies
from swgui.core.statistics.background import background
from swgui.core.statistics.fit import FitError, fit_statistics
from swgui.engines.native.profiles import ProfileMaker
from swgui.jobs.iterate.inclusion import copies_of_query
from swgui.jobs.iterate.request import IterationRequest

STEP: Final = -3.0  # log10 of E up to which a step of a path is taken
ROUNDS: Final = 2  # searches with each of the best hits
CHANCE_SCORES: Final = 500  # against shuffled profiles, for the fit
FEWEST: Final = 10  # profiles; of fewer nothing is fitted


@dataclass(frozen=True, slots=True)
class Step:
    """A hit that leads to another one: its source index, and log10 of E of both steps."""

    through: int
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class Deeper:
    """What is known of a subject besides the list.

    Parameters
    ----------
    db_index : int
    log10_evalue : float
        As listed; NaN where it is not.
    profile_bits, profile_log10_evalue : float
        Its profile against that of the query; NaN where it was not asked for, or there are too few profiles.
    path : Step, optional
        How it was reached, where it is not listed itself.
    forward_bits, forward_log10_evalue : float
        Forward score of the query's profile as HMMER has it; NaN where it was not asked for.
    """

    db_index: int
    log10_evalue: float = nan
    profile_bits: float = nan
    profile_log10_evalue: float = nan
    path: Step | None = None
    forward_bits: float = nan
    forward_log10_evalue: float = nan


def best_hits(result: SearchResult, query_index: int, most: int) -> list[int]:
    """Return the best hits of a query, by source index; not the query itself."""
    listed = result.queries[query_index].hits.db_index
    others = listed[~copies_of_query(result, query_index, listed)]
    return [int(at) for at in others[:most].tolist()]


def searches_of(request: IterationRequest, result: SearchResult, partners: Sequence[int]) -> IterationRequest:
    """Return the searches with hits as queries, in the database of a result."""
    search = replace(
        request.search,
        queries=tuple(replace(result.database.record(at), profile=None) for at in partners),
        database=result.database,
        max_evalue=10.0**STEP,
        minimums=NO_MINIMUMS,
        query_range=None,
        max_hsps=1,
        run_id="",
    )
    settings = replace(request.settings, rounds=ROUNDS, include_ids=(), exclude_ids=())
    return IterationRequest(search, settings)


def listed(result: SearchResult, query_index: int) -> dict[int, Deeper]:
    """Return the hits of a query, by source index."""
    hits = result.queries[query_index].hits
    pairs = zip(hits.db_index.tolist(), hits.log10_evalues.tolist(), strict=True)
    return {at: Deeper(at, evalue) for at, evalue in pairs}


def with_profiles(
    found: dict[int, Deeper],
    request: IterationRequest,
    result: SearchResult,
    query_index: int,
    of_hits: SearchResult,
    partners: Sequence[int],
) -> dict[int, Deeper]:
    """Add the scores of the best hits' profiles against that of the query.

    E is fitted to the scores of the same profiles with their columns shuffled, and refers to the sequences of the
    database, as the E of the list does.

    Parameters
    ----------
    of_hits : SearchResult
        What `searches_of` found.
    partners : sequence of int
        Its queries, by source index.
    """
    maker = ProfileMaker(conditional_frequencies(request.matrix), request.settings.profile_recipe)
    own = profile_of(result, query_index, maker)
    profiles = [profile_of(of_hits, at, maker).frequencies for at in range(len(of_hits.queries))]
    if len(profiles) < FEWEST:
        return found
    chance = background(result.scheme.alphabet)[: own.frequencies.shape[1]]
    bits = local_scores(own.frequencies, profiles, chance)
    by_chance = shuffled(profiles, ceil(CHANCE_SCORES / len(profiles)))
    length, lengths = len(own.frequencies), np.array([len(one) for one in profiles])
    none = np.rint(UNITS_PER_BIT * local_scores(own.frequencies, by_chance, chance)).astype(np.int64)
    try:
        fit = fit_statistics(none, [len(one) for one in by_chance], length, result.scheme, origin="shuffles")
    except FitError:
        return found
    units = np.rint(UNITS_PER_BIT * bits).astype(np.int64)
    residues, sequences = limits_of(result).database_size(result.database)
    log10_evalues = fit.log10_evalues(units, length, lengths, residues, sequences)
    known = dict(found)
    for at, score, evalue in zip(partners, bits.tolist(), log10_evalues.tolist(), strict=True):
        known[at] = replace(known[at], profile_bits=score, profile_log10_evalue=evalue)
    return known


def with_paths(
    found: dict[int, Deeper], result: SearchResult, query_index: int, of_hits: SearchResult, partners: Sequence[int]
) -> dict[int, Deeper]:
    """Add what the best hits find with E up to 0.001, and the query does not list, or not with such an E.

    Of several paths that counts whose weaker step is the stronger.
    """
    known = dict(found)
    for place, through in enumerate(partners):
        first = found[through].log10_evalue
        if not first <= STEP:
            continue
        hits = of_hits.queries[place].hits
        for at, second in zip(hits.db_index.tolist(), hits.log10_evalues.tolist(), strict=True):
            one = known.get(at, Deeper(at))
            step = Step(through, first, second)
            if at == through or one.log10_evalue <= STEP or second > STEP:
                continue
            if one.path is None or _weaker(step) < _weaker(one.path):
                known[at] = replace(one, path=step)
    own = np.array(sorted(known), dtype=np.int64)
    for at in own[copies_of_query(result, query_index, own)].tolist():
        known[at] = replace(known[at], path=None)
    return {at: one for at, one in known.items() if at in found or one.path is not None}


def profile_of(result: SearchResult, query_index: int, maker: ProfileMaker) -> BuiltProfile:
    """Return the profile of what the last round of a query included."""
    rounds = result.queries[query_index].rounds
    assert rounds is not None
    return maker.build(rounds.last.alignment, f"round {len(rounds) + 1}")


def in_order(found: dict[int, Deeper]) -> list[Deeper]:
    """Return subjects best first: those with an E as they are listed, then the others by their weaker step."""
    return sorted(
        found.values(),
        key=lambda one: (one.path is not None and not one.log10_evalue <= STEP, _place(one), one.db_index),
    )


def _place(one: Deeper) -> float:
    return _weaker(one.path) if one.path is not None else one.log10_evalue


def _weaker(step: Step) -> float:
    return max(step.first, step.second)
