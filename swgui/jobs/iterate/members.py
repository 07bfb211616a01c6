"""E of members of a profile: with one that is made without them.

A profile scores the sequences that it was made of higher than it would have found them: a stranger that came in by
chance, with E = 0.02, has E = 1e-30 in the next round. So the E of a member that is in doubt is that of a profile from
which it is left out, with all other doubtful members that resemble it, and a member that the others alone would not
find again is included no more.
"""

from __future__ import annotations

import math
from collections import defaultdict
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
from swgui.core.texts import PickedTexts
from swgui.engines.native.profiles import ProfileMaker
from swgui.engines.native.rows import alike
from swgui.jobs.iterate.rows import oriented

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
    maker: ProfileMaker,
    check: Check,
) -> HitColumns:
    """Return the hits of a round, best first, with the E that doubtful members have without their part in the profile.

    Bits are those that belong to it. Scores stay those of the search, and so does an E that is larger.

    Parameters
    ----------
    rounds : sequence of Round
        Those before, the last of which the profile was made of.
    inclusion : float
        E up to which subjects are included; who is beyond it anyway is not looked at.
    """
    hits = result.queries[query_index].hits
    statistics = fit_of(result, query_index).statistics
    if statistics is None or not rounds or len(rounds[-1].alignment) == 1:
        return hits
    asked = np.flatnonzero(among(hits.db_index, doubtful(rounds)) & (hits.log10_evalues <= np.log10(inclusion)))
    if not len(asked):
        return hits
    alignment = rounds[-1].alignment
    part_of, left_out = _parts(alignment, hits.db_index[asked], result.database.ids)
    asked, part_of = asked[part_of >= 0], part_of[part_of >= 0]
    check()
    members = hits.db_index[asked]
    record, part = result.queries[query_index].query, result.search.query_range
    searched = part.within(len(record.residues)) if part is not None else None
    subjects = oriented(result.database, members, hits.strands[asked])
    scores = maker.scores_without(alignment, left_out, subjects, part_of, searched)
    length, limits = result.searched_length(query_index), result.search.limits
    corrected = evalues(length, members, scores, result.database, statistics, limits)
    log10_evalues = hits.log10_evalues.copy()
    log10_evalues[asked] = np.maximum(log10_evalues[asked], corrected)
    bits = bits_after(hits.bit_scores, log10_evalues - hits.log10_evalues)
    return in_order(replace(hits, bit_scores=bits, log10_evalues=log10_evalues))


def doubtful(rounds: Sequence[Round]) -> _Ints:
    """Return the members of the last round that were not beyond doubt when they came in, by source index.

    Who was lost meanwhile came in when it was included again.
    """
    came: dict[int, float] = {}
    for past in rounds:
        evalues: dict[int, float] = dict(zip(past.db_index.tolist(), past.log10_evalues.tolist(), strict=True))
        came = {hit: came[hit] if hit in came else evalues.get(hit, math.inf) for hit in past.included.tolist()}
    return np.array([hit for hit, evalue in came.items() if evalue > CERTAIN], dtype=np.int64)


def _parts(alignment: MasterAlignment, members: _Ints, ids: Sequence[str]) -> tuple[_Ints, NDArray[np.bool_]]:
    """Return which part each member is in, -1 for none, and which rows are left out with each part."""
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(alignment.ids[1:], start=1):
        rows[name].append(number)
    named = {place: rows[name] for place, name in enumerate(PickedTexts(ids, members)) if name in rows}
    codes, part_of = alignment.codes, np.full(len(members), -1)
    bundles = bundled(related({place: codes[own] for place, own in named.items()}))
    left_out = np.zeros((len(bundles), len(alignment)), dtype=np.bool_)
    for part, bundle in enumerate(bundles):
        part_of[bundle] = part
        left_out[part, [number for place in bundle for number in named[place]]] = True
    return part_of, left_out


def related(codes: dict[int, _Codes]) -> list[list[int]]:
    """Return groups of members whose rows, shape (k, m) of each, are alike, one to the next."""
    if not codes:
        return []
    near = alike(np.concatenate(list(codes.values())), FEWEST_SHARED, ALIKE)
    first = np.cumsum([0, *(len(own) for own in codes.values())])[:-1]
    of_members = np.logical_or.reduceat(np.logical_or.reduceat(near, first, axis=0), first, axis=1)
    groups: dict[int, list[int]] = {}  # by the last member, in the order they came together
    group_of = np.zeros(len(codes), dtype=np.int64)
    for number in range(len(codes)):
        joined = sorted(set(group_of[:number][of_members[number, :number]].tolist()))
        group = [number, *(other for last in joined for other in groups.pop(last))]
        groups[number], group_of[group] = group, number
    members = list(codes)
    return [[members[number] for number in group] for group in groups.values()]


def bundled(groups: list[list[int]]) -> list[list[int]]:
    """Return at most `PROFILES` groups: small ones are put together."""
    bundles: list[list[int]] = [[] for _ in range(min(PROFILES, len(groups)))]
    for group in sorted(groups, key=len, reverse=True):
        min(bundles, key=len).extend(group)
    return bundles
