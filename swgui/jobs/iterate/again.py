"""Searching again with what a search found: whom is suggested, and the search that follows of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from swgui.core.alphabet import TwoTracks
from swgui.core.contexts import NO_CONTEXT
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.organisms.limit import EVERY_ORGANISM
from swgui.core.plain import replace
from swgui.core.profiles.iteration import ROUNDS, IterationSettings
from swgui.core.profiles.recipe import PRESETS_OF
from swgui.core.translation.frames import FRAMES, NAMED_FRAMES
from swgui.core.translation.programs import PROPOSED_SHIFT
from swgui.io.matrices import original_matrix
from swgui.jobs.iterate.inclusion import Inclusion, included_hits
from swgui.jobs.search.request import SearchRequest

USUAL: Final = IterationSettings()
ROUNDS_FIRST: Final = "'{name}' was searched once, and has no profile yet: search one more round first."


def why_not(result: SearchResult) -> str:
    """Return why a result cannot be searched again with, as one sentence; empty if it can."""
    if isinstance(result.scheme.alphabet, TwoTracks):
        return "These hits were found by residues and shape, and rounds score residues alone: choose rounds on Search."
    if result.translation is not None:
        return "Hits of translated searches cannot be searched again with: search their proteins."
    if result.database.alphabet.name not in PRESETS_OF:
        return f"Only proteins and nucleotides can be searched again with, not {result.database.alphabet.name} letters."
    if why := result.database.subject_kind.why_not("rounds", result.database.name):
        return why
    if result.database.at_hand is not None:
        return _no_database(result.database.name)
    if not result.statistics:
        return "Hits without E-values cannot be chosen by them: search with another scoring first."
    return ""


def next_round(result: SearchResult, query_index: int) -> int:
    """Return the number of the round that comes next."""
    rounds = result.queries[query_index].rounds
    return min((len(rounds) if rounds is not None else 1) + 1, ROUNDS[1])


def suggested(result: SearchResult, query_index: int, settings: IterationSettings = USUAL) -> frozenset[int]:
    """Return whom settings include of the hits of a query by their E-values, by source index."""
    inclusion = Inclusion(settings.inclusion(len(result.database), result.database.alphabet.name), settings.max_rows)
    return frozenset(included_hits(result, query_index, inclusion).db_index.tolist())


def search_again(
    result: SearchResult,
    query_index: int,
    members: frozenset[int],
    settings: IterationSettings,
    engine: str,
    options: EngineOptions,
) -> SearchRequest:
    """Return the search in rounds of one query of a result, with the subjects that were chosen.

    Parameters
    ----------
    members : frozenset of int
        Subjects that are included, by source index; with none those that the preset suggests.
    settings : IterationSettings
        Its rules of inclusion do not matter. If it asks for evidence after the last round, finished rounds are not
        repeated.

    Raises
    ------
    InvalidParameter, ProfileError
        If it cannot be carried out, or no subject is included.
    """
    if reason := why_not(result):
        raise InvalidParameter("rounds", result.database.name, reason)
    of_query, before = result.queries[query_index], None
    if settings.evidence and of_query.rounds is not None:
        number = min(max(len(of_query.rounds), ROUNDS[0]), ROUNDS[1])
        settings = replace(settings, rounds=number, recipe=of_query.rounds.recipe)
        before = _before(result, of_query)
    else:
        by_evalue = suggested(result, query_index, settings)
        if not by_evalue | members:
            raise InvalidParameter(
                "rounds",
                of_query.query.id,
                f"No hit of '{of_query.query.id}' is good enough to search again with.",
                hint="Tick the hits that you know to be relatives.",
            )
        more, less = (members - by_evalue, by_evalue - members) if members else (frozenset(), frozenset())
        ids = result.database.ids
        included, excluded = (tuple(ids[index] for index in sorted(some)) for some in (more, less))
        settings = replace(settings, include_ids=included, exclude_ids=excluded)
    rounds = of_query.rounds
    first = of_query.query.profile if rounds is None else rounds.rounds[0].profile if rounds.from_profile else None
    scheme = replace(result.asked.scheme, matrix=original_matrix(result.asked.scheme.matrix))
    asked = result.asked.composition  # rounds themselves search without, and shuffle what they list
    search = replace(
        result.search, scheme=scheme, iteration=settings, engine=engine, options=options, composition=asked
    )
    return SearchRequest((replace(of_query.query, profile=first),), result.database, search, before=before)


def compare_profiles(
    result: SearchResult, query_index: int, database: Path, engine: str, options: EngineOptions
) -> SearchRequest:
    """Return the comparison of the profile that the last round of a query made with a database of profiles.

    Parameters
    ----------
    database : Path
        The database of profiles.

    Raises
    ------
    InvalidParameter
        If the query was not searched in rounds, or cannot be searched again with.
    """
    of_query, name = result.queries[query_index], result.queries[query_index].query.id
    if reason := why_not(result) or ("" if of_query.rounds is not None else ROUNDS_FIRST.format(name=name)):
        raise InvalidParameter("rounds", name, reason)
    from swgui.engines.native.profiles import ProfileMaker  # here: the window's first picture needs none of it
    from swgui.jobs.iterate.certain import with_certain

    asked = result.asked.iteration or USUAL
    maker = ProfileMaker(original_matrix(result.asked.scheme.matrix), asked.profile_recipe())
    alignment = with_certain(result, query_index, maker, lambda: None)
    search = replace(
        result.asked,
        scheme=replace(result.asked.scheme, matrix=original_matrix(result.asked.scheme.matrix)),
        iteration=None,
        context=NO_CONTEXT,
        organisms=EVERY_ORGANISM,
        query_range=None,
        mask=False,
        engine=engine,
        options=options,
    )
    record = replace(of_query.query, profile=None)
    return SearchRequest((record,), database, search, starts={0: alignment})


def across_shifts(result: SearchResult, query_index: int, engine: str, options: EngineOptions) -> SearchRequest:
    """Return the translated search of one query of a result, across frameshifts at the cost that is proposed.

    Raises
    ------
    InvalidParameter
        If it cannot be carried out.
    """
    if result.database.at_hand is not None:
        raise InvalidParameter("database", result.database.name, _no_database(result.database.name))
    how = result.translation
    assert how is not None  # or there are no frames
    frames = how.frames if how.frames in NAMED_FRAMES.values() else FRAMES
    search = replace(
        result.search,
        translation=replace(how, shift=PROPOSED_SHIFT, min_orf=0, frames=frames),
        engine=engine,
        options=options,
    )
    return SearchRequest((result.queries[query_index].query,), result.database, search)


def _no_database(name: str) -> str:
    return f"The database '{name}' was not found: put it back and open the search again."


def _before(result: SearchResult, of_query: QueryResult) -> SearchResult:
    """Return a result of one query alone, without the hits that were reached through others."""
    assert of_query.rounds is not None
    hits = of_query.hits.take(of_query.hits.log10_evalues <= np.log10(result.search.limits.max_evalue))
    alone = replace(of_query, hits=hits, rounds=replace(of_query.rounds, evidence={}))
    return replace(result, queries=(alone,), run_id="", message="")


def members_by_hand(result: SearchResult, query_index: int) -> frozenset[int]:
    """Return the members of the last profile by source index; empty where E-values alone chose them."""
    rounds = result.queries[query_index].rounds
    if rounds is None or rounds.database or not (rounds.include_ids or rounds.exclude_ids):
        return frozenset()
    return frozenset(rounds.last.included.tolist())
