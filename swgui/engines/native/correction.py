"""Work for the correction of E (`swgui.core.judging.correction_work`), by the compiled library."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TwoTracks
from swgui.core.control import Check
from swgui.core.database import EncodedDatabase, Parts
from swgui.core.hits.regions import Regions
from swgui.core.judging.correction_work import JOB, CorrectionWork, QueryScores, RegionRequest
from swgui.core.score_profile import PositionGaps, TrackProfile
from swgui.core.stretches import Subjects
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, countable, pointer, pointers, query_arguments, regions, regions_each
from swgui.engines.native.subjects import in_pieces
from swgui.engines.native.translating import parts_of_subjects

ROWS, LENGTH, COUNT = (JOB.index(name) for name in ("rows", "length", "count"))
SIDE_BY_SIDE: Final = 16  # copies of a stretch that take no longer than one
NEWTON_STEPS: Final = 40
TOGETHER: Final = 100_000_000  # largest number of cells of a query whose regions are found along with those of others
_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32


class HostWork:
    """The compiled library, on all cores."""

    def parts_of(
        self, database: EncodedDatabase, db_index: NDArray[np.int64], strands: NDArray[np.int8], parts: Parts
    ) -> Subjects:
        """Translate parts in one call; whole subjects, of which the parts are not known, once for all that ask."""
        how = parts_of_subjects if (parts[1] >= 0).all() else Subjects.of
        return how(database, db_index, strands.astype(np.int64), parts)

    def regions_of(self, asked: RegionRequest, *, threads: int = 0, check: Check = lambda: None) -> Regions:
        """Find those of short queries in one call, where the costs of gaps are the same everywhere."""
        profile, begins = _sums(asked.profile), asked.begins
        costs, how = (asked.gap_first, asked.gap_extend), dict[str, Any](threads=threads, check=check)
        edges = np.searchsorted(asked.of, np.arange(len(begins)))
        queries = np.flatnonzero(np.diff(edges))
        if len(queries) > 1 and asked.gaps is None and _short(asked, profile, queries):
            return regions_each(profile, begins, asked.of, asked.subjects, *costs, known=asked.scores, **how)
        found = Regions.unknown(len(asked.of))
        for query in queries.tolist():
            rows, pairs = slice(*begins[query : query + 2].tolist()), slice(*edges[query : query + 2].tolist())
            gaps = asked.gaps if len(begins) == 2 or asked.gaps is None else asked.gaps.take(rows)
            own = regions(
                profile[rows], asked.subjects.take(pairs), *costs, gaps=gaps, known=asked.scores[pairs], **how
            )
            found.put(np.arange(pairs.start, pairs.stop), own)
        return found

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
        check: Check = lambda: None,
    ) -> NDArray[np.int32]:
        """Score copies; jobs of like size one after the other."""
        places = [np.ascontiguousarray(track) for track in (tracks.split(codes) if tracks else (codes,))]
        call, query, _kept = _query(profile, gap_first, gap_extend, gaps)
        ends = np.cumsum(jobs[:, COUNT])
        scores = np.zeros(int(ends[-1]) if len(jobs) else 0, dtype=np.int32)
        given = np.column_stack([jobs, ends - jobs[:, COUNT]]).astype(np.int64)
        size = given[:, ROWS] * given[:, LENGTH]
        order, cells = np.argsort(-size, kind="stable"), size * given[:, COUNT]
        given = np.ascontiguousarray(given[order])

        def work(piece: slice) -> None:
            part = given[piece]
            checked(call(*query, *pointers(*places, part), len(part), seed, pointer(scores)))

        in_pieces(cells[order] // SIDE_BY_SIDE, work, threads=threads, check=check)
        return scores

    def count_symbols(self, subjects: Subjects, symbols: int) -> NDArray[np.int64]:
        """Count the symbols of subjects, shape (k, symbols)."""
        counts = np.zeros((len(subjects), symbols), dtype=np.int64)
        call = library.function("count_residues", *[_POINTER] * 3, _LONG, _LONG, _POINTER)
        checked(call(*_places(subjects), len(subjects), symbols, pointer(counts)))
        return counts

    def count_repeats(self, subjects: Subjects, longest: int) -> NDArray[np.int64]:
        """Count the residues of subjects that come again after p positions, shape (k, longest + 1)."""
        counts = np.zeros((len(subjects), longest + 1), dtype=np.int64)
        call = library.function("count_repeats", *[_POINTER] * 3, _LONG, _LONG, _POINTER)
        checked(call(*_places(subjects), len(subjects), longest, pointer(counts)))
        return counts

    def solve_bases(
        self,
        queries: NDArray[np.float64],
        subjects: NDArray[np.float64],
        groups: Sequence[NDArray[np.int64]],
        values: NDArray[np.int64],
        above: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Solve for the bases of pairs of compositions, shape (n,)."""
        bases, given = above.copy(), (np.ascontiguousarray(queries), np.ascontiguousarray(subjects))
        first, second = groups if len(groups) > 1 else (groups[0], np.zeros((0, 0), dtype=np.int64))
        beside = int(second.max()) + 1 if len(second) else 1  # different scores of the second track
        width = len(first) + len(second)
        call = library.function(
            "solve_bases",
            *(_POINTER, _LONG, _POINTER, _LONG, _LONG, _LONG, _POINTER, _POINTER),
            *(_LONG, _LONG, _POINTER, _LONG, _POINTER),
        )
        step = width if len(queries) == len(subjects) else 0
        shape = len(subjects), len(first), len(second), *pointers(first, second), len(values) - beside + 1, beside
        checked(call(pointer(given[0]), step, pointer(given[1]), *shape, pointer(values), NEWTON_STEPS, pointer(bases)))
        return bases


def _short(asked: RegionRequest, profile: NDArray[np.int16], queries: NDArray[np.int64]) -> bool:
    """Return True if no query is so long that threads share it, or that its scores cannot be counted."""
    cells = np.bincount(asked.of, asked.rows * asked.subjects.lengths)
    if cells.max() >= TOGETHER:
        return False
    sums = np.concatenate([[0], np.cumsum(profile.max(axis=1, initial=0), dtype=np.int64)])
    highest = (sums[asked.begins[1:]] - sums[asked.begins[:-1]])[queries]
    return all(countable(profile.shape[1], int(bound)) for bound in (highest.min(), highest.max()))


def _sums(profile: QueryScores) -> NDArray[np.int16]:
    """Return scores of all symbols, shape (m, symbols)."""
    return profile.sums() if isinstance(profile, TrackProfile) else profile


def _query(
    profile: QueryScores, gap_first: int, gap_extend: int, gaps: PositionGaps | None
) -> tuple[Any, tuple[Any, ...], object]:
    """Return the function that scores copies, its first arguments, and objects that must outlive the calls."""
    jobs = _POINTER, _LONG, _LONG, _POINTER
    if not isinstance(profile, TrackProfile):
        query = query_arguments(profile, gap_first, gap_extend, gaps)
        return query.function("shuffles", _POINTER, *jobs), query.given, query
    tables = [np.ascontiguousarray(table) for table in profile.tables]
    (first, other), (rows, width) = pointers(*tables), tables[0].shape
    given = first, rows, width, other, tables[1].shape[1], gap_first, gap_extend
    head = _POINTER, _LONG, _LONG, _POINTER, _LONG, _INT, _INT
    return library.function("track_shuffles", *head, _POINTER, _POINTER, *jobs), given, tables


def _places(subjects: Subjects) -> tuple[int, ...]:
    return pointers(subjects.codes, subjects.starts, subjects.lengths)


HOST: Final[CorrectionWork] = HostWork()
