"""Searching again with what a search found: whom is suggested, and the search that follows of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.letters.tracks import TwoTracks
from swgui.core.organisms.limit import EVERY_ORGANISM
from swgui.core.profiles.recipe import NOTHING_MORE, ROUNDS, EvidenceWanted, IterationSettings, Preset
from swgui.core.profiles.rounds import QueryRounds
from swgui.core.scoring import SubstitutionMatrix
from swgui.core.translation.frames import FRAMES, NAMED_FRAMES
from swgui.core.translation.programs import PROPOSED_SHIFT
from swgui.io.matrices import load_matrix
from swgui.io.saved.stored_subjects import StoredSubjects
from swgui.jobs.iterate.inclusion import Inclusion, included_hits
from swgui.jobs.iterate.request import IteratedSearch
from swgui.jobs.search.request import SearchRequest

_IN_UNITS = " in 1/"  # behind the name of a matrix that rounds were scored with


@dataclass(frozen=True, slots=True)
class Again:
    """What the user wants to search again with.

    Parameters
    ----------
    query_index : int
    ticked : frozenset of int
        Subjects that are included, by source index; with none whom the preset suggests.
    rounds : int
        Searches at most, the first one among them.
    preset : {"careful", "standard", "wide"}
    evidence : EvidenceWanted
        What is looked for behind the last round; rounds that are done already are not done again then.
    """

    query_index: int
    ticked: frozenset[int]
    rounds: int
    preset: Preset = "standard"
    evidence: EvidenceWanted = NOTHING_MORE


def why_not(result: SearchResult) -> str:
    """Return why a result cannot be searched again with, as one sentence; empty if it can."""
    if isinstance(result.scheme.alphabet, TwoTracks):
        return "These hits were found by residues and shape, and rounds score residues alone: choose rounds on Search."
    if result.translation is not None or result.database.alphabet.name != PROTEIN.name:
        return "Only proteins can be searched again with: nucleotides have no profiles."
    if isinstance(result.database, StoredSubjects):
        return _no_database(result.database.name)
    if not result.statistics:
        return "Hits without E-values cannot be chosen by them: search with another scoring first."
    return ""


def next_round(result: SearchResult, query_index: int) -> int:
    """Return the number of the round that comes next."""
    rounds = result.queries[query_index].rounds
    return min((len(rounds) if rounds is not None else 1) + 1, ROUNDS[1])


def suggested(result: SearchResult, query_index: int, preset: Preset = "standard") -> frozenset[int]:
    """Return whom a preset includes of the hits of a query, by source index."""
    settings = IterationSettings(preset=preset)
    inclusion = Inclusion(settings.inclusion(len(result.database)), settings.max_rows)
    return frozenset(included_hits(result, query_index, inclusion).db_index.tolist())


def search_again(result: SearchResult, again: Again, engine: str, options: EngineOptions) -> IteratedSearch:
    """Return the search in rounds of one query of a result, with the subjects that were chosen.

    Raises
    ------
    InvalidParameter, ProfileError
        If it cannot be carried out, or nobody is included.
    """
    if reason := why_not(result):
        raise InvalidParameter("rounds", result.database.name, reason)
    of_query = result.queries[again.query_index]
    if again.evidence and of_query.rounds is not None:
        return _request(
            result, again, engine, options, _of_done_rounds(of_query.rounds, again), _before(result, of_query)
        )
    by_evalue = suggested(result, again.query_index, again.preset)
    if not by_evalue | again.ticked:
        raise InvalidParameter(
            "rounds",
            of_query.query.id,
            f"No hit of '{of_query.query.id}' is good enough to search again with.",
            hint="Tick the hits that you know to be relatives.",
        )
    ids = result.database.ids
    more, less = (again.ticked - by_evalue, by_evalue - again.ticked) if again.ticked else (frozenset(), frozenset())
    settings = IterationSettings(
        rounds=again.rounds,
        preset=again.preset,
        include_ids=tuple(ids[at] for at in sorted(more)),
        exclude_ids=tuple(ids[at] for at in sorted(less)),
        evidence=again.evidence,
    )
    return _request(result, again, engine, options, settings)


def across_shifts(result: SearchResult, query_index: int, engine: str, options: EngineOptions) -> SearchRequest:
    """Return the translated search of one query of a result, across frameshifts at the cost that is proposed.

    Raises
    ------
    InvalidParameter
        If it cannot be carried out.
    """
    if isinstance(result.database, StoredSubjects):
        raise InvalidParameter("database", result.database.name, _no_database(result.database.name))
    how = result.translation
    assert how is not None  # or there are no frames
    frames = how.frames if how.frames in NAMED_FRAMES.values() else FRAMES
    return SearchRequest(
        queries=(result.queries[query_index].query,),
        database=result.database,
        scheme=result.scheme,
        translation=replace(how, shift=PROPOSED_SHIFT, min_orf=0, frames=frames),
        top=result.top,
        max_evalue=result.max_evalue,
        engine=engine,
        options=options,
        effective_residues=result.effective_residues,
        composition=result.composition,
        max_hsps=result.max_hsps,
        query_range=result.query_range,
        minimums=result.minimums,
    )


def _no_database(name: str) -> str:
    return f"The database '{name}' was not found: put it back and open the search again."


def _of_done_rounds(rounds: QueryRounds, again: Again) -> IterationSettings:
    """Return the settings of rounds that are done, and of what is looked for behind them."""
    number = min(max(len(rounds), ROUNDS[0]), ROUNDS[1])
    return IterationSettings(number, again.preset, recipe=rounds.recipe, evidence=again.evidence)


def _before(result: SearchResult, of_query: QueryResult) -> SearchResult:
    """Return a result of one query alone, without the hits that were reached through others."""
    assert of_query.rounds is not None
    hits = of_query.hits.take(of_query.hits.log10_evalues <= np.log10(result.max_evalue))
    alone = replace(of_query, hits=hits, rounds=replace(of_query.rounds, evidence={}))
    return replace(result, queries=(alone,), run_id="", message="")


def _request(
    result: SearchResult,
    again: Again,
    engine: str,
    options: EngineOptions,
    settings: IterationSettings,
    before: SearchResult | None = None,
) -> IteratedSearch:
    """Return the search of one query with the scoring and the limits of a result."""
    of_query = result.queries[again.query_index]
    first = of_query.rounds.rounds[0].profile if of_query.rounds is not None else of_query.query.profile
    return IteratedSearch(
        queries=(replace(of_query.query, profile=first),),
        database=result.database,
        scheme=replace(result.scheme, matrix=original_matrix(result.scheme.matrix)),
        top=result.top,
        max_evalue=result.max_evalue,
        engine=engine,
        options=options,
        effective_residues=result.effective_residues,
        max_hsps=result.max_hsps,
        query_range=result.query_range,
        minimums=result.minimums,
        organisms=EVERY_ORGANISM,
        settings=settings,
        before=before,
    )


def ticked_for(request: SearchRequest | None, result: SearchResult) -> Collection[int]:
    """Return the hits that are ticked in a result of which the user chose the subjects: all that it includes."""
    if not isinstance(request, IteratedSearch) or not (request.settings.include_ids or request.settings.exclude_ids):
        return ()
    rounds = result.queries[0].rounds
    return () if rounds is None else rounds.last.included.tolist()


def original_matrix(matrix: SubstitutionMatrix) -> SubstitutionMatrix:
    """Return the matrix that the rounds of a search began with, of that in the units of profiles, if it ships."""
    try:
        return load_matrix(matrix.name.partition(_IN_UNITS)[0], matrix.alphabet)
    except (SwguiError, OSError):
        return matrix
