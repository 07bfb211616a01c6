"""E of members of a profile: with one that is made without them.

A profile scores the sequences that it was made of higher than it would have found them: a stranger that came in by
chance, with E = 0.02, has E = 1e-30 in the next round. So the E of a member that is in doubt is that of a profile from
which it is left out, with all other doubtful members that resemble it, and a member that the others alone would not
find again is included no more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.ranking import in_order, limits_of, measure
from swgui.core.hits.results import HitColumns, SearchResult, encode_query
from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.profiles.rounds import Round
from swgui.core.profiles.score_profile import ScoreProfile
from swgui.core.statistics.fitting import fit_of
from swgui.engines import native

CERTAIN: Final = -3.0  # log10 of E up to which a sequence that is no member yet is beyond doubt
ALIKE: Final = 0.4  # of the columns that two rows share: from here on one speaks for the other
FEWEST_SHARED: Final = 20  # columns, before two rows are compared
PROFILES: Final = 8  # at most, for one query in one round

_Codes = NDArray[np.uint8]
_Ints = NDArray[np.int64]


def without_their_own(
    result: SearchResult,
    query_index: int,
    rounds: Sequence[Round],
    inclusion: float,
    profile_of: Callable[[MasterAlignment], ScoreProfile],
    check: Callable[[], None],
) -> HitColumns:
    """Return the hits of a round, best first, with the E that doubtful members have without their part in the profile.

    Scores and bits stay those of the search, and so does an E that is larger.

    Parameters
    ----------
    rounds : sequence of Round
        Those before, the last of which the profile was made of.
    inclusion : float
        E up to which subjects are included; who is beyond it anyway is not looked at.
    profile_of : callable
        Makes a profile of an alignment.
    check : callable
        Called now and then; may raise to give up.
    """
    hits = result.queries[query_index].hits
    statistics = fit_of(result, query_index).statistics
    if statistics is None or not rounds or len(rounds[-1].alignment) == 1:
        return hits
    asked = np.isin(hits.db_index, doubtful(rounds)) & (hits.log10_evalues <= np.log10(inclusion))
    evalues = hits.log10_evalues.copy()
    length, limits = result.searched_length(query_index), limits_of(result)
    places = dict(zip(hits.db_index[asked].tolist(), np.flatnonzero(asked).tolist(), strict=True))
    for members, rest in _parts(rounds[-1].alignment, hits.db_index[asked], result.database.ids):
        check()
        record = replace(result.queries[query_index].query, profile=profile_of(rest))
        query = encode_query(record, result.scheme, 1, result.query_range)
        costs = result.scheme.gap_first, result.scheme.gap_extend
        subjects = native.Subjects.of(result.database, members)
        scores = native.scores(query.scores(result.scheme), subjects, *costs, gaps=query.gaps, threads=1, check=check)
        found = measure(length, members, scores.astype(np.int32), result.database, statistics, limits)[1]
        for member, evalue in zip(members.tolist(), found.tolist(), strict=True):
            evalues[places[member]] = max(evalues[places[member]], evalue)
    return in_order(replace(hits, log10_evalues=evalues)) if len(places) else hits


def doubtful(rounds: Sequence[Round]) -> _Ints:
    """Return the members of the last round that were not beyond doubt when they came in, by source index.

    Who was lost meanwhile came in when it was included again.
    """
    came: dict[int, float] = {}
    for one in rounds:
        evalues: dict[int, float] = dict(zip(one.db_index.tolist(), one.log10_evalues.tolist(), strict=True))
        came = {at: came[at] if at in came else evalues.get(at, math.inf) for at in one.included.tolist()}
    return np.array([at for at, evalue in came.items() if evalue > CERTAIN], dtype=np.int64)


def _parts(alignment: MasterAlignment, members: _Ints, ids: Sequence[str]) -> list[tuple[_Ints, MasterAlignment]]:
    """Return groups of members with what is left of the alignment without each group."""
    if not len(members):
        return []
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(alignment.ids[1:], start=1):
        rows[name].append(number)
    named = {member: rows[ids[member]] for member in members.tolist() if ids[member] in rows}
    parts, codes = [], alignment.codes
    for group in _bundled(related({member: codes[own] for member, own in named.items()})):
        out = [number for member in group for number in named[member]]
        rest = np.delete(np.arange(len(alignment)), out)
        parts.append((np.array(group, dtype=np.int64), alignment.take(rest)))
    return parts


def related(codes: dict[int, _Codes]) -> list[list[int]]:
    """Return groups of members whose rows, shape (k, m) of each, are alike, one to the next."""
    groups: list[list[int]] = []
    for member, own in codes.items():
        near = [group for group in groups if any(_alike(own, codes[other]) for other in group)]
        groups = [group for group in groups if group not in near]
        groups.append([member, *(other for group in near for other in group)])
    return groups


def _alike(some: _Codes, others: _Codes) -> bool:
    both = (some[:, np.newaxis] < DELETION) & (others[np.newaxis] < DELETION)
    same = (both & (some[:, np.newaxis] == others[np.newaxis])).sum(axis=2)
    shared = both.sum(axis=2)
    return bool(((shared >= FEWEST_SHARED) & (same >= ALIKE * shared)).any())


def _bundled(groups: list[list[int]]) -> list[list[int]]:
    """Return at most `PROFILES` groups: small ones are put together."""
    bundles: list[list[int]] = [[] for _ in range(min(PROFILES, len(groups)))]
    for group in sorted(groups, key=len, reverse=True):
        min(bundles, key=len).extend(group)
    return bundles
