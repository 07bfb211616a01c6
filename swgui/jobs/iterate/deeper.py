"""Further evidence on the hits of an iterated search, and the subjects that only their own searches find.

The best hits are queries of their own searches. Their profiles against that of the query are a second opinion on each,
with an E of its own. A subject that they find and the query does not is reached through them: by a path of two steps,
each
with its E, and has no E as a whole (intermediate sequence search: Park et al. 1997, J. Mol. Biol. 273:349).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np

from swgui.core.control import Check, checking
from swgui.core.errors import Stopped, SwguiError
from swgui.core.hits.results import HitColumns, QueryResult, SearchResult, State
from swgui.core.judging.correction import uncorrected
from swgui.core.judging.ranking import in_order
from swgui.core.limits import NO_MINIMUMS
from swgui.core.organisms.limit import EVERY_ORGANISM
from swgui.core.plain import replace
from swgui.core.profiles.against import local_scores, shuffled
from swgui.core.profiles.evidence import Evidence, TwoStepPath
from swgui.core.profiles.iteration import NOTHING_MORE
from swgui.core.profiles.log_odds import UNITS_PER_BIT
from swgui.core.statistics.background import background
from swgui.core.statistics.fit import fit_statistics
from swgui.core.statistics.regression import FitError
from swgui.core.words import count
from swgui.engines.native.profiles import BuiltProfile, ProfileMaker
from swgui.jobs.events import Progress, Stage
from swgui.jobs.iterate import forward
from swgui.jobs.iterate.inclusion import copies_of_query, unlisted_hits
from swgui.jobs.iterate.request import in_rounds, settings_of
from swgui.jobs.search.describe import describe_list
from swgui.jobs.search.events import IterationEvent, RoundStarted, Started
from swgui.jobs.search.request import SearchRequest

MAX_STEP: Final = -3.0  # log10 of the limit of E of a step of a path
ROUNDS_OF_HIT: Final = 2  # searches with each of the best hits
CHANCE_SCORES: Final = 500  # against shuffled profiles, for the fit
FEWEST_PROFILES: Final = 10  # profiles; of fewer nothing is fitted
COMPARING: Final = "Comparing profiles"  # name of a stage
SCORING: Final = "Forward scores"  # likewise

SearchInRounds = Callable[[SearchRequest], Generator[IterationEvent, None, SearchResult | None]]


def evidence_steps(
    request: SearchRequest, result: SearchResult, search: SearchInRounds, cancel: threading.Event
) -> Generator[IterationEvent, None, SearchResult]:
    """Look for the further evidence of a request, query after query, and return the result with it.

    Subjects that are reached through hits alone join them with their own E, which is beyond the limit. After Stop or a
    fault the hits are complete, and finished queries have their evidence.

    Parameters
    ----------
    search : callable
        Searches in rounds with the open database and engine.
    """
    queries: list[QueryResult] = []
    state: State = "complete"
    message = ""
    try:
        for index in range(len(result.queries)):
            query = yield from _with_evidence(request, result, index, search, cancel)
            queries.append(query)
    except Stopped:
        state = "stopped"
    except SwguiError as fault:
        state, message = "failed", str(fault)
    merged = (*queries, *result.queries[len(queries) :])
    message = " ".join(filter(None, (result.message, message)))
    information = " ".join(filter(None, (result.information, paths_in_words(merged))))
    return replace(result, queries=merged, state=state, message=message, information=information)


def paths_in_words(queries: Sequence[QueryResult]) -> str:
    """Return a note on paths for the user; empty without any."""
    paths = [found.path for query in queries if query.rounds for found in query.rounds.evidence.values() if found.path]
    same = sum(not path.other_domain for path in paths)
    said = [f"{count(same, 'sequence is', 'sequences are')} reached through hits alone"] * bool(same)
    if others := [path.through for path in paths if path.other_domain]:
        who = f"'{others[0]}'" if len(set(others)) == 1 else count(len(set(others)), "hit")
        which = count(len(others), "sequence shares", "sequences share")
        said.append(f"{which} another domain of {who} than the query does, which says nothing about the query")
    return f"{'; '.join(said)}: the column Path shows how, and E is that of the query." if said else ""


def _with_evidence(
    request: SearchRequest, result: SearchResult, index: int, search: SearchInRounds, cancel: threading.Event
) -> Generator[IterationEvent, None, QueryResult]:
    """Return one query with its evidence."""
    wanted, query = settings_of(request).evidence, result.queries[index]
    partners = best_hits(result, index, wanted.best)
    evidence = {db_index: Evidence() for db_index in query.hits.db_index.tolist()}
    maker = ProfileMaker(request.scheme.matrix, settings_of(request).profile_recipe())
    if wanted.searches and partners:
        of_hits = yield from _searched(search(searches_of(request, result, partners)))
        yield Stage(COMPARING)
        if wanted.profiles:
            evidence = with_profile_scores(evidence, result, index, of_hits, partners, maker)
        if wanted.neighbours:
            evidence = with_paths(evidence, result, index, of_hits, partners, checking(cancel))
    if wanted.forward:
        yield Stage(SCORING)
        evidence = forward.with_forward(evidence, result, index, profile_of(result, index, maker).profile)
    checking(cancel)()
    assert query.rounds is not None
    beyond = set(evidence) - set(query.hits.db_index.tolist())
    hits = query.hits
    if beyond:
        others = unlisted_hits(result, index, beyond)
        others = others if hits.composition is None else uncorrected(others)
        hits = in_order(HitColumns.join([hits, others]))
    return replace(query, hits=hits, rounds=replace(query.rounds, evidence=evidence))


def _searched(
    steps: Generator[IterationEvent, None, SearchResult | None],
) -> Generator[IterationEvent, None, SearchResult]:
    """Return the results of a search with hits, and report its progress.

    Raises
    ------
    Stopped
        If it was stopped.
    SwguiError
        If it failed.
    """
    result: SearchResult | None = None
    while True:
        try:
            event = next(steps)
        except StopIteration as end:
            result = end.value
            break
        if isinstance(event, RoundStarted):
            yield replace(event, hits=True)
        elif isinstance(event, Stage | Started | Progress):
            yield event
    if result is None or result.state == "stopped":
        raise Stopped
    if result.state == "failed":
        raise SwguiError(result.message)
    return result


def best_hits(result: SearchResult, query_index: int, most: int) -> list[int]:
    """Return the best hits of a query, by source index; not the query itself."""
    listed = result.queries[query_index].hits.db_index
    others = listed[~copies_of_query(result, query_index, listed)]
    return [int(index) for index in others[:most].tolist()]


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of searching with hits: how many they are, and about how many seconds, 0 where unknown."""

    hits: int
    seconds: float


def cost_of(result: SearchResult, query_index: int, most: int) -> Cost:
    """Return the cost of searching with the best hits of a query at the speed of its own search."""
    partners = best_hits(result, query_index, most)
    cells = ROUNDS_OF_HIT * int(result.database.lengths[partners].sum()) * result.database.residues
    return Cost(len(partners), cells / (1e9 * result.gcups) if result.gcups > 0 else 0.0)


def searches_of(request: SearchRequest, result: SearchResult, partners: Sequence[int]) -> SearchRequest:
    """Return the searches with hits as queries, in the database of a result."""
    search = replace(
        request.search,
        limits=replace(request.search.limits, max_evalue=10.0**MAX_STEP, minimums=NO_MINIMUMS),
        organisms=EVERY_ORGANISM,
        query_range=None,
        max_hsps=1,
    )
    queries = tuple(replace(result.database.record(db_index), profile=None) for db_index in partners)
    settings = replace(
        settings_of(request), rounds=ROUNDS_OF_HIT, include_ids=(), exclude_ids=(), evidence=NOTHING_MORE
    )
    return in_rounds(SearchRequest(queries, result.database, search), settings)


def with_profile_scores(
    before: Mapping[int, Evidence],
    result: SearchResult,
    query_index: int,
    of_hits: SearchResult,
    partners: Sequence[int],
    maker: ProfileMaker,
) -> dict[int, Evidence]:
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
    own = profile_of(result, query_index, maker)
    profiles = [profile_of(of_hits, index, maker).frequencies for index in range(len(of_hits.queries))]
    if len(profiles) < FEWEST_PROFILES:
        return dict(before)
    chance = background(result.scheme.alphabet)[: own.frequencies.shape[1]]
    bits = local_scores(own.frequencies, profiles, chance)
    by_chance = shuffled(profiles, ceil(CHANCE_SCORES / len(profiles)))
    length, lengths = len(own.frequencies), np.array([len(profile) for profile in profiles])
    none = np.rint(UNITS_PER_BIT * local_scores(own.frequencies, by_chance, chance)).astype(np.int64)
    try:
        fit = fit_statistics(none, [len(profile) for profile in by_chance], length, result.scheme, origin="shuffles")
    except FitError:
        return dict(before)
    units = np.rint(UNITS_PER_BIT * bits).astype(np.int64)
    residues, sequences = result.search.limits.database_size(result.database)
    log10_evalues = fit.log10_evalues(units, length, lengths, residues, sequences)
    evidence = dict(before)
    for db_index, score, evalue in zip(partners, bits.tolist(), log10_evalues.tolist(), strict=True):
        evidence[db_index] = replace(evidence[db_index], profile_bits=score, profile_log10_evalue=evalue)
    return evidence


def with_paths(
    given: Mapping[int, Evidence],
    result: SearchResult,
    query_index: int,
    of_hits: SearchResult,
    partners: Sequence[int],
    check: Check,
) -> dict[int, Evidence]:
    """Add the subjects that the best hits find with E up to 0.001, and the query does not list, or with a higher E.

    The path with the best worst step is kept; a path whose steps share a stretch of the hit comes
    before all others.

    Parameters
    ----------
    check : callable
        May raise.
    """
    evidence, ids = dict(given), result.database.ids
    listed = result.hit_list(query_index)
    rows = {hit: row for row, hit in enumerate(listed.columns.db_index.tolist())}
    evalues = listed.columns.log10_evalues.tolist()
    for place, through in enumerate(partners):
        first, others = evalues[rows[through]], of_hits.hit_list(place)
        if not first <= MAX_STEP:
            continue
        of_hit = zip(others.columns.db_index.tolist(), others.columns.log10_evalues.tolist(), strict=True)
        reached = {
            row: second
            for row, (hit, second) in enumerate(of_hit)
            if hit != through and second <= MAX_STEP and not (hit in rows and evalues[rows[hit]] <= MAX_STEP)
        }
        if not reached:
            continue
        (own,) = describe_list(listed, [rows[through]], fit=False, check=check)
        of_query = [(aligned.subject_start, aligned.subject_end) for hsp in own.hsps if (aligned := hsp.alignment)]
        for hit, second in zip(
            describe_list(others, [*reached], fit=False, check=check), reached.values(), strict=True
        ):
            of_other = [(aligned.query_start, aligned.query_end) for hsp in hit.hsps if (aligned := hsp.alignment)]
            step = TwoStepPath(ids[through], ids[hit.db_index], first, second, not _overlap(of_query, of_other))
            before = evidence.get(hit.db_index, Evidence())
            if before.path is None or step.rank < before.path.rank:
                evidence[hit.db_index] = replace(before, path=step)
    subjects = np.array(sorted(evidence), dtype=np.int64)
    for db_index in subjects[copies_of_query(result, query_index, subjects)].tolist():
        evidence[db_index] = replace(evidence[db_index], path=None)
    return {hit: item for hit, item in evidence.items() if hit in given or item.path is not None}


def _overlap(some: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> bool:
    """Return whether intervals of two lists have half of the shorter one in common."""
    return any(
        2 * (min(end, other_end) - max(start, other_start)) >= min(end - start, other_end - other_start)
        for start, end in some
        for other_start, other_end in others
    )


def profile_of(result: SearchResult, query_index: int, maker: ProfileMaker) -> BuiltProfile:
    """Return the profile of what the last round of a query included."""
    rounds = result.queries[query_index].rounds
    assert rounds is not None
    return maker.build(rounds.last.alignment, f"round {len(rounds) + 1}")
