"""One query against a stretch of a chunk: which library, with which arguments, and the scores."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import DatabaseChunk
from swgui.core.letters.tracks import TwoTrackMatrix
from swgui.core.scoring import EncodedQuery, ScoringScheme, profile_bound
from swgui.engines import native
from swgui.engines.cpu import cost
from swgui.engines.rowscan import local_scores
from swgui.engines.simd.opal import SCORE_BOUND, OpalQuery, OpalSubjects, SymbolSet
from swgui.engines.simd.striped import TABLE, StripedQuery, can_score
from swgui.engines.simd.windows import cut, longest_span, window_scores, window_step

PIECE_NS: Final = 60e6  # a piece is at most this long, unless one subject alone is longer
LANE_CELLS: Final = 100_000_000  # a subject with more cells than this is too long for one lane of Opal
LONGEST_SUBJECT: Final = 1 << 18  # longer subjects are never copied into a library


class PreparedQuery:
    """A query as the libraries want it, and what holds for all its scores.

    Parameters
    ----------
    query : EncodedQuery
    scheme : ScoringScheme
    use_opal, use_striped, use_compiled : bool
        Which libraries may be used.
    """

    def __init__(
        self,
        query: EncodedQuery,
        scheme: ScoringScheme,
        *,
        use_opal: bool,
        use_striped: bool,
        use_compiled: bool = False,
    ) -> None:
        self.profile = query.scores(scheme)
        self.gap_first, self.gap_extend, self.gaps = scheme.gap_first, scheme.gap_extend, query.gaps
        self.bound = profile_bound(self.profile)
        self.span = longest_span(self.profile, self.gap_first, self.gap_extend, self.gaps)
        costs = self.gap_first, self.gap_extend
        tracks = isinstance(scheme.matrix, TwoTrackMatrix)
        fits = 0 < self.bound <= SCORE_BOUND and query.gaps is None and not tracks
        self.opal: OpalQuery | None = None
        if use_opal and fits and query.profile is None:
            self.opal = OpalQuery(query.codes, scheme.matrix, *costs)
        self.striped: StripedQuery | None = None
        if use_striped and fits and can_score(self.profile, *costs):
            self.striped = StripedQuery(self.profile, *costs)
        self.compiled: native.Scorer | None = None
        self.tracks: native.TrackScorer | None = None
        compiled = use_compiled and native.usable(self.profile)
        if compiled and isinstance(scheme.matrix, TwoTrackMatrix) and query.profile is None:
            self.tracks = native.TrackScorer(scheme.matrix.profiles(query.codes), *costs)
        elif compiled:
            self.compiled = native.Scorer(self.profile, *costs, self.gaps)

    def __len__(self) -> int:
        return len(self.profile)

    @property
    def lane_limit(self) -> int:
        """Length above which a subject is scored by itself, in windows."""
        return min(LONGEST_SUBJECT, max(1, LANE_CELLS // max(1, len(self))))


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
    fast = bool(query.opal or query.striped or query.compiled or query.tracks)
    lengths = chunk.lengths
    step = cost.residues_for(PIECE_NS, len(query), fast=fast)
    # With pyopal alone a window is cut once more, into lanes, and each of them overlaps the next.
    one_by_one = bool(query.striped or query.compiled or query.tracks)
    apart = step if query.striped or not query.opal or not query.span else max(step, 2 * cost.LANES * query.span)
    if chunk.residues <= step and lengths.min(initial=1) > 0 and lengths.max(initial=0) <= query.lane_limit:
        return [Piece(0, len(chunk))] if len(chunk) else []
    pieces: list[Piece] = []
    start, residues = 0, 0
    for at, length in enumerate(lengths.tolist()):
        alone = length > query.lane_limit
        if alone or not length or residues + length > step:
            if residues:
                pieces.append(Piece(start, at))
            start, residues = at, 0
        if alone:
            windows = cut(length, query.span, window_step(query.span) if one_by_one else apart)
            pieces += [Piece(at, at + 1, group) for group in _groups(windows, step if one_by_one else 1)]
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


@dataclass
class _Entry:
    lock: threading.Lock = field(default_factory=threading.Lock)
    subjects: OpalSubjects | None = None
    residues: int = 0


class SubjectStore:
    """Chunks as pyopal holds them, kept for the next query as long as there is room.

    Parameters
    ----------
    room : int
        Residues kept at most (about a byte each).
    """

    def __init__(self, room: int = 1 << 30) -> None:
        self.room = room
        self._entries: dict[tuple[Hashable, int, int], _Entry] = {}
        self._lock = threading.Lock()

    def get(self, database: Hashable, place: tuple[int, int], chunk: DatabaseChunk, needed: SymbolSet) -> OpalSubjects:
        """Return a chunk's subjects (all but the very long and the empty ones), made if need be.

        Parameters
        ----------
        database : hashable
            What tells this database from others.
        place : tuple of int
            Storage positions of the chunk.
        needed : SymbolSet
            Letters that the alphabet must hold besides those of the chunk.
        """
        with self._lock:
            for key in [key for key in self._entries if key[0] != database]:
                del self._entries[key]
            entry = self._entries.setdefault((database, *place), _Entry())
        with entry.lock:
            if entry.subjects is None or not needed <= entry.subjects.letters:
                letters = (entry.subjects.letters if entry.subjects else SymbolSet.of(chunk.codes)) | needed
                data, offsets = chunk.codes.tobytes(), chunk.offsets.tolist()
                entry.subjects = OpalSubjects(
                    (data[offsets[i] : offsets[i + 1]] for i in _held(chunk).tolist()), letters
                )
                entry.residues = chunk.residues
                self._make_room()
            return entry.subjects

    def _make_room(self) -> None:
        """Forget the newest chunks beyond the room: a search runs through them in order, again and again."""
        with self._lock:
            held = np.cumsum([entry.residues for entry in self._entries.values()])
            for key in list(self._entries)[int(np.searchsorted(held, self.room, side="right")) :]:
                del self._entries[key]


def _held(chunk: DatabaseChunk) -> NDArray[np.int64]:
    """Return the subjects of a chunk that a `SubjectStore` holds."""
    lengths = chunk.lengths
    return np.flatnonzero((lengths > 0) & (lengths <= LONGEST_SUBJECT))


class ChunkWork:
    """One query against one chunk.

    Parameters
    ----------
    query : PreparedQuery
    chunk : DatabaseChunk
    subjects : callable
        Returns the chunk as pyopal holds it; called only if pyopal is used.
    threads : int
        Threads that work at the same time.
    """

    def __init__(
        self, query: PreparedQuery, chunk: DatabaseChunk, subjects: Callable[[], OpalSubjects], threads: int
    ) -> None:
        self.query = query
        self.chunk = chunk
        self.subjects = subjects
        self.threads = threads

    def run(self, piece: Piece, stop: Callable[[], bool]) -> NDArray[np.integer] | None:
        """Score a piece; returns one score per subject or window of the piece, or None if it was stopped."""
        query = self.query
        offsets = self.chunk.offsets[piece.start : piece.stop + 1]
        if query.tracks is not None and self.chunk.letters is not None:
            return query.tracks.scores(self._subjects_of(piece), self.chunk.letters)
        if query.compiled is not None:
            subjects, only = self._subjects_of(piece), len(piece.windows) > 1 and query.striped is None
            if only or self._compiled_is_fastest(subjects):
                return query.compiled.scores(subjects)
        if piece.windows and query.striped is not None:
            whole = self.chunk.codes[offsets[0] : offsets[1]]
            return window_scores(query.striped, whole, piece.windows, stop)
        if piece.windows:
            offsets = offsets[0] + np.array(piece.windows[0], dtype=np.int64)
        lengths = np.diff(offsets)
        striped = query.striped is not None
        if query.opal is not None and not (striped and self._striped_is_faster(lengths)):
            if not piece.windows:
                place = int(np.searchsorted(_held(self.chunk), piece.start))
                return query.opal.scores(self.subjects(), place, place + len(lengths))
            return self._lanes_of_one(query.opal, offsets, stop)
        codes = self.chunk.codes[offsets[0] : offsets[-1]]
        offsets = offsets - offsets[0]
        if query.striped is not None:
            return _one_by_one(query.striped, codes, offsets.tolist(), stop)
        return local_scores(query.profile, codes, offsets, query.gap_first, query.gap_extend, stop, gaps=query.gaps)

    def _subjects_of(self, piece: Piece) -> native.Subjects:
        """Return the subjects or windows of a piece as the compiled library takes them."""
        offsets = self.chunk.offsets[piece.start : piece.stop + 1]
        ranges = np.array(piece.windows, dtype=np.int64) + offsets[0] if piece.windows else None
        starts, ends = (offsets[:-1], offsets[1:]) if ranges is None else (ranges[:, 0], ranges[:, 1])
        starts = np.ascontiguousarray(starts, dtype=np.int64)
        return native.Subjects(np.ascontiguousarray(self.chunk.codes), starts, ends - starts)

    def _compiled_is_fastest(self, subjects: native.Subjects) -> bool:
        """Tell whether the compiled library scores a piece sooner than what else there is."""
        size, lengths = len(self.query), subjects.lengths
        if not native.lanes():
            return self.query.opal is None and self.query.striped is None
        others = [cost.NUMPY_CELL_NS * size * float(lengths.sum())]
        if self.query.opal is not None:
            others.append(cost.opal_ns(size, lengths))
        if self.query.striped is not None:
            scan = self.query.gap_first == self.query.gap_extend
            others.append(cost.striped_ns(size, lengths, self.threads, scan=scan))
        return cost.compiled_ns(size, lengths, native.lanes()) < min(others)

    def _striped_is_faster(self, lengths: NDArray[np.int64]) -> bool:
        size, scan = len(self.query), self.query.gap_first == self.query.gap_extend
        return cost.striped_ns(size, lengths, self.threads, scan=scan) < cost.opal_ns(size, lengths)

    def _lanes_of_one(
        self, opal: OpalQuery, offsets: NDArray[np.int64], stop: Callable[[], bool]
    ) -> NDArray[np.integer] | None:
        """Score one long stretch of one subject with a window of it in each lane."""
        codes = self.chunk.codes[offsets[0] : offsets[1]]
        data, letters = codes.tobytes(), opal.letters | SymbolSet.of(codes)
        windows = cut(len(codes), self.query.span, max(1, len(codes) // (2 * cost.LANES)))
        best = 0
        for at in range(0, len(windows), cost.LANES):
            if stop():
                return None
            group = windows[at : at + cost.LANES]
            subjects = OpalSubjects((data[a:b] for a, b in group), letters)
            best = max(best, int(opal.scores(subjects, 0, len(group)).max()))
        return np.array([best], dtype=np.int64)


def _one_by_one(
    striped: StripedQuery, codes: NDArray[np.uint8], offsets: list[int], stop: Callable[[], bool]
) -> NDArray[np.integer] | None:
    letters = ctypes.create_string_buffer(codes.tobytes().translate(TABLE), max(1, len(codes)))
    address, score = ctypes.addressof(letters), striped.score
    scores = []
    for start, end in pairwise(offsets):
        if stop():
            return None
        scores.append(score(address + start, end - start))
    return np.array(scores, dtype=np.int64)
