"""Members of an alignment that are certain: found with a small E by the query and by other certain members alone.

A round that includes sequences up to E = 0.03 takes in an unrelated one in one of 30 searches. The next profile is made
of that sequence, too, and finds its family with E below 1e-10. So an E says little of a sequence that was found by
members in doubt. Certain members are those that

1. the first round found with E up to 0.001, or
2. a profile of the certain members alone finds so, as often as this adds some.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.hits.results import SearchResult
from swgui.core.hits.rounds import Round
from swgui.core.hits.scores import among
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import evalues
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.engines import native
from swgui.engines.native.profiles import ProfileMaker

CERTAIN: Final = -3.0  # log10 of E up to which a member is certain
TIMES: Final = 8  # that members are added at most

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
    if len(alignment) == 1:
        return replace(alignment, certain=np.ones(1, dtype=np.bool_))
    of_rows = _subjects_of(alignment, rounds.last.included, result)
    members = np.unique(of_rows[of_rows >= 0])
    certain = _found_first(rounds.rounds[0], members)
    statistics = fit_of(result, query_index).statistics
    if statistics is not None and len(members):
        subjects = native.Subjects.of(result.database, members)
        part, record = result.search.query_range, result.queries[query_index].query
        searched = part.within(len(record.residues)) if part is not None else None
        of, length = np.zeros(len(members), dtype=np.int64), result.searched_length(query_index)
        for _ in range(TIMES):
            check()
            left_out = ~_rows(of_rows, members[certain])
            scores = maker.scores_without(alignment, left_out[np.newaxis], subjects, of, searched)
            found = evalues(length, members, scores, result.database, statistics, result.search.limits) <= CERTAIN
            if not (found & ~certain).any():
                break
            certain |= found
    return replace(alignment, certain=_rows(of_rows, members[certain]))


def _subjects_of(alignment: MasterAlignment, included: _Ints, result: SearchResult) -> _Ints:
    """Return the subject of each row, by source index; -1 for the query, shape (rows,)."""
    ids = result.database.ids
    places = {ids[index]: index for index in included.tolist()}
    return np.array([-1, *(places.get(name, -1) for name in alignment.ids[1:])], dtype=np.int64)


def _found_first(first: Round, members: _Ints) -> NDArray[np.bool_]:
    """Return a mask of the members that the first round found beyond doubt."""
    return among(members, first.db_index[first.log10_evalues <= CERTAIN])


def _rows(of_rows: _Ints, members: _Ints) -> NDArray[np.bool_]:
    """Return a mask of the query's row and of those of some members."""
    mask = among(of_rows, members)
    mask[0] = True
    return mask
