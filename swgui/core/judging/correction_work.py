"""Work for the correction of E by the compiled library, or an engine's device: regions, shuffles, counts, roots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TwoTracks
from swgui.core.database import EncodedDatabase, Parts
from swgui.core.hits.regions import Regions
from swgui.core.plain import replace
from swgui.core.score_profile import PositionGaps, TrackProfile
from swgui.core.scoring import EncodedQuery, ScoringScheme, TwoTrackMatrix, profile_bound
from swgui.core.statistics.composition import CompositionWork
from swgui.core.stretches import Subjects

# Parts of a job: rows of the query, residues of a subject, and the numbers of its shuffled copies.
JOB: Final = ("row", "rows", "start", "length", "kind", "width", "number", "count")
WHOLE: Final = 0  # the stretch is shuffled as a whole
WINDOWS: Final = 1  # within consecutive windows, the last of which may be shorter
PERIODS: Final = 2  # all periods alike
REVERSED: Final = -1  # number of the copy that is the stretch itself, read from its end


QueryScores = NDArray[np.int16] | TrackProfile
"""Scores of the positions of a query, shape (m, symbols); in two tracks those of either."""


def scores_of(query: EncodedQuery, scheme: ScoringScheme) -> QueryScores:
    """Return the scores of a query as `CorrectionWork` takes them."""
    if scheme.tracks is None:
        return query.scores(scheme)
    if query.profile is None and isinstance(scheme.matrix, TwoTrackMatrix):
        return TrackProfile(*scheme.matrix.profiles(query.codes))
    return TrackProfile.of_sums(query.scores(scheme), scheme.tracks)


def joined_scores(parts: Sequence[QueryScores]) -> QueryScores:
    """Return the scores of one or more queries of one search, concatenated."""
    in_tracks = [one for one in parts if isinstance(one, TrackProfile)]
    if in_tracks:
        return TrackProfile.joined(in_tracks)
    return parts[0] if len(parts) == 1 else np.concatenate([one for one in parts if not isinstance(one, TrackProfile)])


def bound_of(profile: QueryScores) -> int:
    """Return a score that no subject can exceed.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), or TrackProfile
    """
    return profile.bound if isinstance(profile, TrackProfile) else profile_bound(profile)


class RegionRequest(msgspec.Struct, frozen=True, eq=False):
    """Request for the best alignments of pairs of queries and subjects."""

    profile: QueryScores  # of one or more queries, concatenated
    begins: NDArray[np.int64]  # the row with which each of q queries begins, and the last one ends, shape (q + 1,)
    of: NDArray[np.int64]  # the query of each pair, ascending, shape (k,)
    subjects: Subjects  # k of them
    scores: NDArray[np.integer]  # of the pairs in a search: they save most of the time, shape (k,)
    # gap_first, gap_extend: gap costs, ``gap_extend <= gap_first``
    gap_first: int
    gap_extend: int
    gaps: PositionGaps | None = None  # costs by position of all queries instead
    tracks: TwoTracks | None = None  # of codes in two tracks

    @property
    def rows(self) -> NDArray[np.int64]:
        """Rows of the query of each pair, shape (k,)."""
        return np.diff(self.begins)[self.of]

    def take(self, pairs: NDArray[np.int64]) -> RegionRequest:
        """Return the request for some of the pairs, by number, ascending."""
        return replace(self, of=self.of[pairs], subjects=self.subjects.take(pairs), scores=self.scores[pairs])


class CorrectionWork(CompositionWork, Protocol):
    """Several threads may ask."""

    def parts_of(
        self, database: EncodedDatabase, db_index: NDArray[np.int64], strands: NDArray[np.int8], parts: Parts
    ) -> Subjects:
        """Return parts of subjects, as `Subjects.of`."""

    def regions_of(self, asked: RegionRequest, *, threads: int = 0, check: Callable[[], None] = ...) -> Regions:
        """Find the regions of the best alignments of k pairs; ranges are counted from the first row of each query."""

    def shuffled_scores(
        self,
        profile: QueryScores,
        codes: NDArray[np.uint8],
        jobs: NDArray[np.int64],
        gap_first: int,
        gap_extend: int,
        seed: int,
        *,
        gaps: PositionGaps | None = None,
        tracks: TwoTracks | None = None,
        threads: int = 0,
        check: Callable[[], None] = ...,
    ) -> NDArray[np.int32]:
        """Score copies of stretches of subjects, job by job.

        Parameters
        ----------
        profile : ndarray, shape=(m, symbols), dtype=int16, or TrackProfile
            Profile of the whole query.
        codes : ndarray, dtype=uint8
            In which the stretches lie.
        jobs : ndarray, shape=(k, 8), dtype=int64
            As `JOB` names them: ``rows`` rows of the query from ``row`` on against copies ``number`` ...
            ``number + count - 1`` of ``length`` residues from ``start`` on (``kernels/cpu/copies.h``). The width is
            that of a window or of a period, at most 255.
        seed : int
            0 or more.
        gaps : PositionGaps, optional
            Costs by position of the whole query instead.
        tracks : TwoTracks, optional
            Tracks of the codes: residue and letter of a position stay side by side.

        Returns
        -------
        ndarray, dtype=int32
        """

    def count_repeats(self, subjects: Subjects, longest: int) -> NDArray[np.int64]:
        """Count the residues of subjects that come again after p positions, shape (k, longest + 1)."""
