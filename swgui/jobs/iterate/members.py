"""E of members of a profile: with one that is made without them.

A profile scores the sequences that it was made of higher than it would have found them: a stranger that came in by
chance, with E = 0.02, has E = 1e-30 in the next round. So the E of a member that is in doubt is that of a profile from
which it is left out, with all other doubtful members that resemble it, and a member that the others alone would not
find again is included no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import HitColumns, JoinedHits, SearchResult
from swgui.core.hits.rounds import Round, evalues_of
from swgui.core.hits.scores import among
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import in_order_each
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.statistics.composition import bits_after
from swgui.core.statistics.fit import FitsOfHits
from swgui.engines.native.profiles import ProfileMaker
from swgui.engines.native.rows import part_members
from swgui.jobs.iterate.rows import oriented, subjects_of_rows

CERTAIN: Final = -3.0  # log10 of E up to which a sequence that is no member yet is beyond doubt
ALIKE: Final = 0.4  # of the columns that two rows share: from here on one speaks for the other
FEWEST_SHARED: Final = 20  # columns, before two rows are compared
PROFILES: Final = 8  # at most, for one query in one round

_Ints = NDArray[np.int64]


def without_their_own(
    result: SearchResult,
    rounds: Sequence[Sequence[Round]],
    inclusion: float,
    maker: ProfileMaker,
    check: Check,
    threads: int = 1,
) -> list[HitColumns]:
    """Return the hits of a round of queries, best first, with the E that doubtful members have without their part.

    That is their part in the profile. Bits are those that belong to it. Scores stay those of the search, and so does an
    E that is larger.

    Parameters
    ----------
    rounds : sequence of sequence of Round
        Of every query those before, the last of which the profile was made of.
    inclusion : float
        E up to which subjects are included; who is beyond it anyway is not looked at.
    threads : int
        As of `in_pieces`.
    """
    made, asked = [query.hits for query in result.queries], dict[int, _Ints]()
    for query, (hits, before) in enumerate(zip(made, rounds, strict=True)):
        if not before or len(before[-1].alignment) == 1 or fit_of(result, query).statistics is None:
            continue
        doubted = among(hits.db_index, doubtful(before)) & (hits.log10_evalues <= np.log10(inclusion))
        if doubted.any():
            asked[query] = np.flatnonzero(doubted)
    if not asked:
        return made
    alignments = [rounds[query][-1].alignment for query in asked]
    of_rows = [
        _members_of_rows(alignment, made[query].db_index[places], result.database)
        for (query, places), alignment in zip(asked.items(), alignments, strict=True)
    ]
    codes, counts = [alignment.codes for alignment in alignments], [len(places) for places in asked.values()]
    part_of, left_out = part_members(codes, of_rows, counts, FEWEST_SHARED, ALIKE, PROFILES)
    check()
    several = JoinedHits.joined([made[query] for query in asked])
    hits, of = several.hits, several.of
    begins = np.searchsorted(of, np.arange(len(asked)))
    looked_at = np.concatenate(
        [first + places[part >= 0] for first, places, part in zip(begins, asked.values(), part_of, strict=True)]
    )
    members, parts = hits.take(looked_at), [of_one[of_one >= 0] for of_one in part_of]
    part = result.search.query_range
    searched = part.within(alignments[0].columns) if part is not None else None
    subjects = oriented(result.database, members.db_index, members.strands)
    scores = maker.scores_without(alignments, left_out, subjects, parts, searched, threads=threads, check=check)
    fits = [by for query in asked if (by := fit_of(result, query).statistics) is not None]
    sizes = result.database.lengths_of(members.db_index), *result.search.limits.database_size(result.database)
    corrected = FitsOfHits.of(fits, of[looked_at]).log10_evalues(scores, *sizes)
    log10_evalues = hits.log10_evalues.copy()
    log10_evalues[looked_at] = np.maximum(log10_evalues[looked_at], corrected)
    bits = bits_after(hits.bit_scores, log10_evalues - hits.log10_evalues)
    judged = replace(several, hits=replace(hits, bit_scores=bits, log10_evalues=log10_evalues))
    for query, found in zip(asked, in_order_each(judged).parts(), strict=True):
        made[query] = found
    return made


def _members_of_rows(alignment: MasterAlignment, members: _Ints, database: EncodedDatabase) -> _Ints:
    """Return the place of each row among some members, -1 of the query and of others, shape (rows,)."""
    subjects, order = subjects_of_rows(alignment, members, database), np.argsort(members)
    places = order[np.minimum(np.searchsorted(members, subjects, sorter=order), len(order) - 1)]
    return np.where(members[places] == subjects, places, -1)


def doubtful(rounds: Sequence[Round]) -> _Ints:
    """Return the members of the last round that were not beyond doubt when they came in, by source index.

    Who was lost meanwhile came in when it was included again.
    """
    members, came = np.zeros(0, dtype=np.int64), np.zeros(0)  # ascending; log10 of E with which each came in
    for past in rounds:
        included = np.sort(past.included)
        evalues = evalues_of(past, included)
        evalues = np.where(np.isnan(evalues), np.inf, evalues)
        if len(members):
            places = np.minimum(np.searchsorted(members, included), len(members) - 1)
            evalues = np.where(members[places] == included, came[places], evalues)
        members, came = included, evalues
    return members[came > CERTAIN]
