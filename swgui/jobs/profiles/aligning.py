"""Alignments of profiles with profiles, for lists of hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase, places_at_hand
from swgui.core.errors import ScoreMismatch
from swgui.core.plain import replace
from swgui.core.profiles.pairs import ProfileSet, quantised
from swgui.core.profiles.stored import GAPS, UNITS, columns_of_scores
from swgui.core.query_range import positions_within
from swgui.core.scoring import EncodedQuery
from swgui.core.stretches import Subjects
from swgui.engines import native
from swgui.engines.profile_pairs.paths import pair_paths
from swgui.engines.traceback.many import QueryAlignments

if TYPE_CHECKING:
    from swgui.jobs.search.listed_rows import ListedRows

_Ints = NDArray[np.int64]


def columns_of_query(query: EncodedQuery, background: NDArray[np.float64]) -> ProfileSet:
    """Return a query of `as_pairs`, or a part of one, as a set of one profile."""
    assert query.profile is not None
    return quantised([columns_of_scores(query.profile, UNITS)], background)


def profiles_at(database: EncodedDatabase, db_index: _Ints, *, certain: bool = False) -> ProfileSet:
    """Return the profiles of some subjects, by source index; those of their certain members alone if asked for."""
    assert database.profiles is not None
    pairs: ProfileSet = (database.profiles.certain if certain else None) or database.profiles.pairs
    return pairs.take(places_at_hand(database, db_index))


def align_profiles(listed: ListedRows, places: _Ints, threads: int, check: Check) -> tuple[_Ints, QueryAlignments]:
    """Return the best alignments of places of lists whose database is of profiles, at positions of whole queries.

    Pairs that are too large for a path have none. The first result are those of the places that have one.

    Identities are those of the query with the representative sequence of each profile.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to the score of the search.
    """
    result, hits = listed.result, listed.hits.take(places)
    profiles = result.database.profiles
    assert profiles is not None
    paths: list[native.Paths] = []
    totals: list[native.AlignmentTotals] = []
    order: list[_Ints] = []
    for of in np.unique(listed.of[places]).tolist():
        some = np.flatnonzero(listed.of[places] == of)
        index = listed.lists[of].query_index
        query = columns_of_query(result.searched_query(index), profiles.background)
        found = pair_paths(query, profiles_at(result.database, hits.db_index[some]), GAPS, threads=threads, check=check)
        known = np.flatnonzero(found.status == 0)
        some, found = some[known], found.take(known)
        wrong = np.flatnonzero(found.regions.scores != hits.scores[some])
        if len(wrong):
            row = int(some[wrong[0]])
            name = result.database.ids.decoded(hits.db_index[row : row + 1])[0]
            raise ScoreMismatch(name, int(hits.scores[row]), int(found.regions.scores[wrong[0]]))
        part = result.search.query_range
        begins = positions_within(part, len(listed.lists[of].query.query.residues), 1).start if part else 0
        found = replace(found, regions=found.regions.moved(begins, 0))
        subjects = Subjects.of(result.database, hits.db_index[some], hits.strands[some])
        whole = replace(result.encoded_query(index), gaps=None)
        paths.append(found)
        totals.append(native.add_up(whole, subjects, found, result.scheme))
        order.append(some)
    rows = np.concatenate(order)
    back = np.argsort(rows)
    names = native.AlignmentTotals.__struct_fields__
    sums = {name: np.concatenate([getattr(one, name) for one in totals])[back] for name in names}
    return rows[back], QueryAlignments(native.Paths.join(paths).take(back), native.AlignmentTotals(**sums))
