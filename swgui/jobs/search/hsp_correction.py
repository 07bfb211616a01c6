"""E of the further alignments of a hit, corrected as that of the hit was: for composition, or its part in a profile."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.ranking import Statistics, limits_of, measure
from swgui.core.hits.stretches import Subjects
from swgui.core.statistics.composition import Floats, loss
from swgui.engines.native import composition
from swgui.jobs.search.aligning import ListedRows
from swgui.jobs.search.composition import ratios_whole

_ONE: Final = np.ones(1)


class HspCorrection:
    """By how much the decadic logarithm of E of alignments grows.

    Each alignment has a lambda of its own, from the compositions of its two regions and of the whole sequences. What
    shuffles added to the hit's E beyond that, or its own part in the profile of an iterated search, they add to its
    other alignments by the same share of the score.

    Parameters
    ----------
    listed : ListedRows
        k places, of several lists only if these have the same statistics.
    statistics : KarlinAltschul or FittedStatistics, optional
        What E was computed with.

    Attributes
    ----------
    at_least : ndarray, shape=(k,), dtype=float64
        Of each place's subject, for each unit of the score.
    """

    def __init__(self, listed: ListedRows, statistics: Statistics | None) -> None:
        hits, result = listed.hits, listed.result
        self.at_least = np.zeros(len(listed))
        self._shuffled = np.zeros(len(listed))
        self._whole = np.ones(len(listed))
        self._known = np.zeros(len(listed), dtype=bool)
        if statistics is None or not len(listed):
            return
        scores = np.maximum(hits.scores, 1)
        if hits.composition is None:
            if listed.lists[0].query.rounds is not None:
                length, limits = result.searched_length(listed.lists[0].query_index), limits_of(result)
                _, found = measure(length, hits.db_index, hits.scores, result.searched, statistics, limits)
                self._shuffled = self.at_least = np.maximum(np.nan_to_num(hits.log10_evalues - found), 0.0) / scores
            return
        ratios = hits.composition.lambda_ratio
        self._known = np.isfinite(ratios)
        self._scale = statistics.lambda_
        if self._known.any():
            asked, which = listed.strands(np.arange(len(listed)))
            queries = [result.searched_query(listed.lists[of].query_index, strand) for of, strand in asked]
            shares = result.searched.letter_shares
            self._lambdas = composition.scale_of(statistics, result.scheme.matrix, queries[0].codes, shares)
            whole = ratios_whole(self._lambdas, queries, which, result.searched, hits)
            self._whole = np.where(self._known, whole, 1.0)
        by_lambda = loss(self._scale, scores, np.where(self._known, ratios, 1.0))
        added = hits.log10_evalues - hits.composition.log10_uncorrected - by_lambda
        self._shuffled = np.maximum(np.nan_to_num(added), 0.0) / scores
        self.at_least = self._shuffled + loss(self._scale, _ONE, self._whole)

    def of(self, places: NDArray[np.int64], scores: NDArray[np.integer], of_query: Subjects, other: Subjects) -> Floats:
        """Return it for alignments, shape (n,).

        Parameters
        ----------
        places : ndarray, shape=(n,)
            Of each.
        scores : ndarray, shape=(n,)
        of_query, other : Subjects
            The two regions of each.
        """
        grown: Floats = self._shuffled[places] * scores
        known = np.flatnonzero(self._known[places])
        if not len(known):
            return grown
        alphabet = self._lambdas.matrix.alphabet
        queries, others = (composition.count_residues(some.take(known), alphabet) for some in (of_query, other))
        ratios = composition.ratios(self._lambdas, queries, others, self._lambdas.region_pseudo)
        grown[known] += loss(self._scale, scores[known], np.minimum(ratios, self._whole[places[known]]))
        return grown
