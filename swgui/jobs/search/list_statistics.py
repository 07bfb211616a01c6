"""What E of the hits of several lists is computed with: one for all, or each by a fit or by bases of its own."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.limits import Limits
from swgui.core.hits.ranking import Statistics, in_one_go, measure, statistics_of
from swgui.core.hits.results import HitList
from swgui.io.statistics import load_statistics

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class ListStatistics(msgspec.Struct, frozen=True, eq=False):
    """Statistics of one or more lists of a result."""

    each: Sequence[Statistics | None]  # of each list
    lengths: _Ints  # of its query, as far as it was searched with
    # groups: lists by number whose E is computed in one go
    groups: Sequence[_Ints]

    @classmethod
    def of(cls, lists: Sequence[HitList]) -> ListStatistics:
        """Find out what E of lists is computed with."""
        result, published = lists[0].result, load_statistics(lists[0].result.scheme)
        of_own = result.translation is not None and result.translation.of.translates_query  # E depends on their bases
        one = in_one_go(published) and not of_own
        some = lists[:1] if one else lists
        each = [statistics_of(result, listed.query_index, published) for listed in some] * (len(lists) if one else 1)
        lengths = [result.searched_length(listed.query_index) for listed in lists]
        groups: dict[tuple[Statistics | None, int], list[int]] = {}
        for number, (by, length) in enumerate(zip(each, lengths, strict=True)):
            groups.setdefault((by, 0 if by is None or in_one_go(by) else length), []).append(number)
        return cls(each, np.array(lengths, dtype=np.int64), [np.array(own, dtype=np.int64) for own in groups.values()])

    @property
    def lambdas(self) -> _Floats:
        """Lambda of each; NaN where there are no statistics."""
        return np.array([np.nan if by is None else by.lambda_ for by in self.each], dtype=np.float64)

    def measure(
        self, of: _Ints, db_index: _Ints, scores: NDArray[np.int32], listed: HitList, limits: Limits
    ) -> tuple[_Floats, _Floats]:
        """Return bits and log10 of E, as `swgui.core.hits.ranking.measure`.

        Parameters
        ----------
        of : ndarray, shape=(k,), dtype=int64
            The list of each subject.
        listed : HitList
            Any of them.
        """
        database = listed.result.searched
        if len(self.groups) == 1:
            return measure(self._lengths_of(self.groups[0], of), db_index, scores, database, self.each[0], limits)
        bits, evalues = np.full((2, len(of)), np.nan)
        group_of = np.empty(len(self.each), dtype=np.int64)
        for number, own in enumerate(self.groups):
            group_of[own] = number
        order = np.argsort(group_of[of], kind="stable")
        edges = np.searchsorted(group_of[of][order], np.arange(len(self.groups) + 1)).tolist()
        for own, start, stop in zip(self.groups, edges[:-1], edges[1:], strict=True):
            if start < stop:
                some = order[start:stop]
                given = self._lengths_of(own, of[some]), db_index[some], scores[some], database
                bits[some], evalues[some] = measure(*given, self.each[own[0]], limits)
        return bits, evalues

    def _lengths_of(self, group: _Ints, of: _Ints) -> int | _Ints:
        """Return the length of the query of each hit of a group; one number where all have it."""
        return (
            int(self.lengths[group[0]]) if len(group) == 1 or not in_one_go(self.each[group[0]]) else self.lengths[of]
        )
