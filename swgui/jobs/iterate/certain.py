"""Members of an alignment that are certain: found with a small E by the query and by other certain members alone.

A round that includes sequences up to E = 0.03 takes in an unrelated one in one of 30 searches. The next profile is made
of that sequence, too, and finds its family with E below 1e-10. So an E says little of a sequence that was found by
members in doubt. Certain members are those that

1. the first round found with E up to 0.001, or
2. a profile of the certain members alone finds so, as often as this adds some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.hits.rounds import Round
from swgui.core.hits.scores import among
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import evalues, in_order
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.statistics.composition import bits_after
from swgui.engines.native.profiles import ProfileMaker
from swgui.jobs.iterate.rows import oriented, subjects_of_rows

CERTAIN: Final = -3.0  # log10 of E up to which a member is certain
TIMES: Final = 8  # that members are added at most
STEP: Final = 1e-9  # of log10 of E between hits that have the same floor

_Ints = NDArray[np.int64]


def with_certain(result: SearchResult, query_index: int, maker: ProfileMaker, check: Check) -> MasterAlignment:
    """Return the last alignment of a query that was searched in rounds, with its certain members marked.

    Parameters
    ----------
    result : SearchResult
        Of the rounds; its database is the one that they searched.
    maker : ProfileMaker
        That of the rounds.
    """
    rounds = result.queries[query_index].rounds
    assert rounds is not None
    alignment = rounds.last.alignment
    return replace(alignment, certain=certain_rows(result, query_index, rounds.rounds, maker, check))


def certain_rows(
    result: SearchResult, query_index: int, rounds: Sequence[Round], maker: ProfileMaker, check: Check
) -> NDArray[np.bool_]:
    """Return a mask of the rows of the last alignment of some rounds that are of certain members, or the query.

    Parameters
    ----------
    result : SearchResult
        A search of the database that the rounds searched; E of members are those of its statistics.
    """
    alignment = rounds[-1].alignment
    of_rows = subjects_of_rows(alignment, rounds[-1].included, result.database)
    members = np.unique(of_rows[of_rows >= 0])
    certain = _found_first(rounds[0], members)
    for _ in range(TIMES if fit_of(result, query_index).statistics is not None else 0):
        check()
        if certain.all():
            break
        left_out = ~_rows(of_rows, members[certain])
        found = _evalues_without(result, query_index, alignment, left_out, members, maker) <= CERTAIN
        if not (found & ~certain).any():
            break
        certain |= found
    return _rows(of_rows, members[certain])


def by_certain(
    result: SearchResult, query_index: int, rounds: Sequence[Round], maker: ProfileMaker, check: Check
) -> HitColumns:
    """Return the hits of a round; those that members in doubt alone support are no surer than the surest of these.

    Their E is at least the smallest one with which a member in doubt was found first, and they stay in their order.
    Hits that a profile of certain members finds with a smaller E have that one.

    Parameters
    ----------
    rounds : sequence of Round
        Those before, the last of which the profile was made of.
    """
    hits = result.queries[query_index].hits
    if not rounds or len(rounds[-1].alignment) == 1 or fit_of(result, query_index).statistics is None:
        return hits
    certain = certain_rows(result, query_index, rounds, maker, check)
    if certain.all():
        return hits
    surest = _surest(rounds, certain, result)
    asked = np.flatnonzero(hits.log10_evalues < surest)
    if not len(asked):
        return hits
    members, alignment = hits.take(asked), rounds[-1].alignment
    alone = _evalues_without(result, query_index, alignment, ~certain, members.db_index, maker, members.strands)
    log10_evalues = hits.log10_evalues.copy()
    floors = surest + asked * STEP  # so that they stay in their order
    log10_evalues[asked] = np.maximum(log10_evalues[asked], np.minimum(alone, floors))
    bits = bits_after(hits.bit_scores, log10_evalues - hits.log10_evalues)
    return in_order(replace(hits, bit_scores=bits, log10_evalues=log10_evalues))


def _surest(rounds: Sequence[Round], certain: NDArray[np.bool_], result: SearchResult) -> float:
    """Return the smallest log10 of E with which a round included a member of the last alignment that is in doubt."""
    of_rows = subjects_of_rows(rounds[-1].alignment, rounds[-1].included, result.database)
    doubted, found = set(of_rows[~certain].tolist()), {}
    for past in rounds:
        evalues = dict(zip(past.db_index.tolist(), past.log10_evalues.tolist(), strict=True))
        found.update({hit: evalues.get(hit, 0.0) for hit in past.included.tolist() if hit not in found})
    return min((found[hit] for hit in doubted if hit in found), default=0.0)


def _evalues_without(
    result: SearchResult,
    query_index: int,
    alignment: MasterAlignment,
    left_out: NDArray[np.bool_],
    subjects: _Ints,
    maker: ProfileMaker,
    strands: NDArray[np.int8] | None = None,
) -> NDArray[np.float64]:
    """Return log10 of E of subjects with a profile from which rows are left out, by the statistics of the search."""
    query, part = result.queries[query_index], result.search.query_range
    if strands is None:
        strands = np.ones(len(subjects), dtype=np.int8) if query.strands is None else query.strands[subjects]
    codes, of = oriented(result.database, subjects, strands), np.zeros(len(subjects), dtype=np.int64)
    searched = part.within(len(query.query.residues)) if part is not None else None
    scores = maker.scores_without([alignment], [left_out[np.newaxis]], codes, [of], searched)
    statistics, length = fit_of(result, query_index).statistics, result.searched_length(query_index)
    return evalues(length, subjects, scores, result.database, statistics, result.search.limits)


def _found_first(first: Round, members: _Ints) -> NDArray[np.bool_]:
    """Return a mask of the members that the first round found beyond doubt."""
    return among(members, first.db_index[first.log10_evalues <= CERTAIN])


def _rows(of_rows: _Ints, members: _Ints) -> NDArray[np.bool_]:
    """Return a mask of the query's row and of those of some members."""
    mask = among(of_rows, members)
    mask[0] = True
    return mask
