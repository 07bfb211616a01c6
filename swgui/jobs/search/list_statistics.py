"""The statistics of lists of hits, and the correction of E of their further alignments.

Several lists share one statistics, or each has its own, by a fit or by the bases of its query.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.results import HitList
from swgui.core.judging.correction import HspCorrection, ratios_whole, scales_of
from swgui.core.judging.ranking import Statistics, measure, statistics_of, vectorises_over_lengths
from swgui.core.limits import Limits
from swgui.core.statistics.composition import loss, scales_of_one_kind
from swgui.core.statistics.fit import FitsOfHits, FittedStatistics
from swgui.core.stretches import stack
from swgui.engines.native.correction import HOST
from swgui.io.statistics import load_statistics
from swgui.jobs.search.listed_rows import ListedRows

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
        """Return the statistics that E of lists is computed with."""
        result, published = lists[0].result, load_statistics(lists[0].result.scheme)
        of_own = result.translation is not None and result.translation.of.translates_query  # E depends on their bases
        one = vectorises_over_lengths(published) and not of_own
        some = lists[:1] if one else lists
        each = [statistics_of(result, listed.query_index, published) for listed in some] * (len(lists) if one else 1)
        lengths = [result.searched_length(listed.query_index) for listed in lists]
        groups: dict[tuple[Statistics | None, int], list[int]] = {}
        for number, (by, length) in enumerate(zip(each, lengths, strict=True)):
            groups.setdefault((by, 0 if by is None or vectorises_over_lengths(by) else length), []).append(number)
        return cls(each, np.array(lengths, dtype=np.int64), [np.array(own, dtype=np.int64) for own in groups.values()])

    @property
    def lambdas(self) -> _Floats:
        """Lambda of each; NaN where there are no statistics."""
        return np.array([np.nan if by is None else by.lambda_ for by in self.each], dtype=np.float64)

    def measure(
        self, of: _Ints, db_index: _Ints, scores: NDArray[np.int32], listed: HitList, limits: Limits
    ) -> tuple[_Floats, _Floats]:
        """Return bits and log10 of E, as `swgui.core.judging.ranking.measure`.

        Parameters
        ----------
        of : ndarray, shape=(k,), dtype=int64
            The list of each subject.
        listed : HitList
            Any of them.
        """
        database = listed.result.searched
        if len(fits := [by for by in self.each if isinstance(by, FittedStatistics)]) == len(self.each):
            subjects = database.lengths_of(db_index), *limits.database_size(database)
            return FitsOfHits.of(fits, of).measure(scores, *subjects)
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
            int(self.lengths[group[0]])
            if len(group) == 1 or not vectorises_over_lengths(self.each[group[0]])
            else self.lengths[of]
        )


def correction_of(listed: ListedRows, statistics: ListStatistics) -> HspCorrection:
    """Return the correction of E of further alignments: that of their hits or, after rounds, that of the profile.

    Parameters
    ----------
    statistics : ListStatistics
        The statistics of E.
    """
    hits, result = listed.hits, listed.result
    scores, nothing = np.maximum(hits.scores, 1), np.zeros(len(listed))
    if not len(listed) or all(by is None for by in statistics.each):
        return HspCorrection(scores, nothing)
    if listed.lists[0].query.rounds is not None:
        given = listed.of, hits.db_index, hits.scores, listed.lists[0], result.search.limits
        return HspCorrection(scores, hits.log10_evalues - statistics.measure(*given)[1])
    if hits.composition is None:
        return HspCorrection(scores, nothing)
    ratios, scale = hits.composition.lambda_ratio, np.nan_to_num(statistics.lambdas)[listed.of]
    corrected = np.isfinite(ratios)
    by_lambda = loss(scale, scores, np.where(corrected, ratios, 1.0))
    added = hits.log10_evalues - hits.composition.log10_uncorrected - by_lambda
    if not corrected.any():
        return HspCorrection(scores, added)
    asked, which = listed.strands(np.arange(len(listed)))
    queries = [result.searched_query(listed.lists[of].query_index, strand) for of, strand in asked]
    first = {of: queries[number].codes for number, (of, _) in reversed(list(enumerate(asked)))}
    known = [(of, by) for of in sorted(first) if (by := statistics.each[of]) is not None]
    matrix, letters = result.scheme.matrix, result.searched.letter_shares
    scales = scales_of([by for _, by in known], matrix, [first[of] for of, _ in known], letters, HOST)
    stacked = stack(queries, result.scheme)
    whole, usual, kinds = np.ones(len(listed)), np.ones(len(listed)), []
    for lambdas, some, usual_of in scales_of_one_kind(scales):
        number = np.full(len(listed.lists), -1, dtype=np.int64)
        number[[known[place][0] for place in some]] = some
        own = np.flatnonzero(number[listed.of] >= 0)
        usual[own] = usual_of[number[listed.of[own]]]
        asked_of = stacked, which[own], result.searched, hits.take(own), HOST
        whole[own] = ratios_whole(lambdas, *asked_of, usual=usual[own])
        kinds.append((lambdas, number[listed.of] >= 0))
    return HspCorrection(scores, added, scale, kinds, np.where(corrected, whole, np.nan), usual)
