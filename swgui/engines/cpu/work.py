"""One query against a chunk: how it is cut into pieces, and the scores of a piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import DatabaseChunk
from swgui.core.scoring import EncodedQuery, ScoringScheme, TwoTrackMatrix, profile_bound
from swgui.engines import native
from swgui.engines.rowscan import local_scores
from swgui.engines.windows import cut, longest_span, part_step, window_step

PIECE_NS: Final = 60e6  # a piece is at most this long, unless one subject alone is longer
LANE_CELLS: Final = 100_000_000  # a subject with more cells than this is too long for one lane
LONGEST_SUBJECT: Final = 1 << 18  # residues; longer subjects are cut into windows
WINDOWS: Final = 64  # that fill the lanes of the widest vector
# Time on one core with AVX2; a wrong figure costs time only.
COLUMN_NS: Final = 7.0
CELL_NS: Final = 1 / 15.5
NUMPY_CELL_NS: Final = 6.0
NUMPY_ROW_NS: Final = 20_000.0
NUMPY_MIN: Final = 4_096  # below a few thousand residues a row is mostly the overhead of NumPy's calls


def residues_for(ns: float, query_length: int) -> int:
    """Return how many residues of middling subjects take about `ns` nanoseconds."""
    return max(1, int(ns / (COLUMN_NS + query_length * CELL_NS)))


class PreparedQuery:
    """A query as the compiled library wants it, and what holds for all its scores.

    Scores that could leave 32 bits are computed by the plain form of the reference engine, which counts in 64.
    """

    def __init__(self, query: EncodedQuery, scheme: ScoringScheme) -> None:
        self.profile = query.scores(scheme)
        self.gap_first, self.gap_extend, self.gaps = scheme.gap_first, scheme.gap_extend, query.gaps
        self.bound = profile_bound(self.profile)
        self.span = longest_span(self.profile, self.gap_first, self.gap_extend, self.gaps)
        costs = self.gap_first, self.gap_extend
        self.compiled: native.Scorer | None = None
        self.tracks: native.TrackScorer | None = None
        if not native.usable(self.profile):
            return
        if isinstance(scheme.matrix, TwoTrackMatrix) and query.profile is None:
            self.tracks = native.TrackScorer(scheme.matrix.profiles(query.codes), *costs)
        else:
            self.compiled = native.Scorer(self.profile, *costs, self.gaps)

    def __len__(self) -> int:
        return len(self.profile)

    @property
    def lane_limit(self) -> int:
        """Length above which a subject is scored by itself, in windows."""
        return min(LONGEST_SUBJECT, max(1, LANE_CELLS // max(1, len(self))))

    @property
    def piece_residues(self) -> int:
        """Residues of a piece."""
        if self.compiled or self.tracks:
            return residues_for(PIECE_NS, len(self))
        return max(NUMPY_MIN, int((PIECE_NS / max(1, len(self)) - NUMPY_ROW_NS) / NUMPY_CELL_NS))


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a chunk: the subjects ``start`` to ``stop``, or windows of one subject.

    Parameters
    ----------
    windows : tuple of (int, int)
        Half-open ranges of residues of the one subject, each of which is scored; empty if it is scored whole.
    """

    start: int
    stop: int
    windows: tuple[tuple[int, int], ...] = ()


def split(query: PreparedQuery, chunk: DatabaseChunk) -> list[Piece]:
    """Cut a chunk into pieces that take at most about 60 ms; empty subjects are in none.

    Most chunks that `chunk_limits` asked for are one piece. A subject too long for one lane becomes
    windows (or one piece, where gaps cost nothing and it cannot be cut).
    """
    if query.bound == 0:
        return []
    lengths, most = chunk.lengths, query.piece_residues
    if chunk.residues <= most and lengths.min(initial=1) > 0 and lengths.max(initial=0) <= query.lane_limit:
        return [Piece(0, len(chunk))] if len(chunk) else []
    pieces: list[Piece] = []
    start, residues = 0, 0
    for at, length in enumerate(lengths.tolist()):
        alone = length > query.lane_limit
        if alone or not length or residues + length > most:
            if residues:
                pieces.append(Piece(start, at))
            start, residues = at, 0
        if alone:
            # As far apart as leaves enough of them in a piece to be scored side by side.
            step = min(window_step(query.span), max(part_step(query.span), most // WINDOWS))
            pieces += [Piece(at, at + 1, group) for group in _groups(cut(length, query.span, step), most)]
        if alone or not length:
            start = at + 1
        else:
            residues += length
    if residues:
        pieces.append(Piece(start, len(lengths)))
    return pieces


def _groups(windows: list[tuple[int, int]], residues: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Put windows that follow each other together, up to so many residues; each at least by itself."""
    many = max(1, residues // (windows[0][1] - windows[0][0]))
    return (tuple(windows[at : at + many]) for at in range(0, len(windows), many))


def score_piece(
    query: PreparedQuery, chunk: DatabaseChunk, piece: Piece, stop: Callable[[], bool]
) -> NDArray[np.integer] | None:
    """Return one score for each subject or window of a piece; None if it was stopped."""
    offsets = chunk.offsets[piece.start : piece.stop + 1]
    ranges = np.array(piece.windows, dtype=np.int64) + offsets[0] if piece.windows else None
    starts, ends = (offsets[:-1], offsets[1:]) if ranges is None else (ranges[:, 0], ranges[:, 1])
    starts = np.ascontiguousarray(starts, dtype=np.int64)
    subjects = native.Subjects(np.ascontiguousarray(chunk.codes), starts, ends - starts)
    if query.tracks is not None and chunk.letters is not None:
        return query.tracks.scores(subjects, chunk.letters)
    if query.compiled is not None:
        return query.compiled.scores(subjects)
    codes = np.concatenate([chunk.codes[start:end] for start, end in zip(starts, ends, strict=True)])
    bounds = np.concatenate([[0], np.cumsum(subjects.lengths)])
    return local_scores(query.profile, codes, bounds, query.gap_first, query.gap_extend, stop, gaps=query.gaps)
