"""Paths of many alignments, and their sums, in columns."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, AlignmentCounts, Op
from swgui.core.control import Check
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.regions import Regions
from swgui.core.judging.correction_work import QueryScores, scores_of
from swgui.core.ranges import concatenated_ranges, range_offsets
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.stretches import Subjects
from swgui.engines.native.scoring import checked, pointers, query_arguments
from swgui.engines.native.subjects import in_pieces

_POINTER: Final = ctypes.c_void_p
LOST: Final = -3  # no path in the region has its score
LARGE: Final = -4  # the path would take more than 256 MiB


class Paths(msgspec.Struct, frozen=True, eq=False):
    """The columns of many alignments as runs."""

    regions: Regions  # score and corners of each, k of them
    # Kind of each run (`Op`), from the first column to the last, alignment after alignment, shape (r,).
    ops: NDArray[np.uint8]
    lengths: NDArray[np.int32]  # columns of each run, shape (r,)
    # Start of the runs of each alignment; one without score has none, shape (k + 1,).
    offsets: NDArray[np.int64]
    status: NDArray[np.int32]  # 0, `LOST` or `LARGE`; the latter two have no runs, shape (k,)

    def __len__(self) -> int:
        return len(self.status)

    @classmethod
    def of(cls, alignments: Sequence[Alignment]) -> Paths:
        """Take alignments made one by one; none is lost or large."""
        corners = [(a.score, a.query_start, a.query_end, a.subject_start, a.subject_end) for a in alignments]
        offsets = np.zeros(len(alignments) + 1, dtype=np.int64)
        np.cumsum([len(a.ops) for a in alignments], out=offsets[1:])
        return cls(
            Regions(*np.array(corners, dtype=np.int64).reshape(-1, 5).T),
            np.concatenate([np.zeros(0, np.uint8), *(a.ops for a in alignments)]),
            np.concatenate([np.zeros(0, np.int32), *(a.lengths.astype(np.int32) for a in alignments)]),
            offsets,
            np.zeros(len(alignments), dtype=np.int32),
        )

    @classmethod
    def of_columns(cls, aligned: AlignedColumns) -> Paths:
        """Take alignments that are columns already; none is lost or large."""
        names = "score", "query_start", "query_end", "subject_start", "subject_end"
        corners = (aligned.number(name) for name in names)
        lengths, status = aligned.lengths.astype(np.int32), np.zeros(len(aligned), dtype=np.int32)
        return cls(Regions(*corners), aligned.ops, lengths, aligned.offsets, status)

    @classmethod
    def join(cls, parts: Sequence[Paths]) -> Paths:
        """Return the alignments of one or more, concatenated."""
        sizes = np.concatenate([np.diff(part.offsets) for part in parts])
        return cls(
            Regions.join([part.regions for part in parts]),
            np.concatenate([part.ops for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([[0], np.cumsum(sizes)]),
            np.concatenate([part.status for part in parts]),
        )

    def take(self, numbers: NDArray[np.int64]) -> Paths:
        """Return some of the alignments, in the order given."""
        sizes = np.diff(self.offsets)[numbers]
        offsets, runs = range_offsets(sizes), concatenated_ranges(self.offsets[numbers], sizes)
        return Paths(self.regions.take(numbers), self.ops[runs], self.lengths[runs], offsets, self.status[numbers])

    def alignment(self, number: int) -> Alignment:
        """Return one of them as an object."""
        region, runs = self.regions, slice(self.offsets[number], self.offsets[number + 1])
        return Alignment(
            query_start=int(region.query_start[number]),
            query_end=int(region.query_end[number]),
            subject_start=int(region.subject_start[number]),
            subject_end=int(region.subject_end[number]),
            ops=self.ops[runs],
            lengths=self.lengths[runs].astype(np.int64),
            score=int(region.scores[number]),
        )


class AlignmentTotals(msgspec.Struct, frozen=True, eq=False):
    """Sums of alignments, counted from their residues; fields as in `AlignmentCounts`."""

    # Score from the sum; the lowest number for an alignment that leaves its sequences, shape (k,).
    scores: NDArray[np.int64]
    # length, nident, positive, mismatch, gaps, gapopen, query_span, subject_span: shape (k,)
    length: NDArray[np.int64]
    nident: NDArray[np.int64]
    positive: NDArray[np.int64]
    mismatch: NDArray[np.int64]
    gaps: NDArray[np.int64]
    gapopen: NDArray[np.int64]
    query_span: NDArray[np.int64]
    subject_span: NDArray[np.int64]

    @property
    def frameshifts(self) -> NDArray[np.int64]:
        """Number of frameshifts: 0, as the compiled library aligns residue by residue."""
        return np.zeros_like(self.scores)

    def counts(self, number: int) -> AlignmentCounts:
        """Return those of one alignment as an object."""
        _, *names = AlignmentTotals.__struct_fields__
        return AlignmentCounts(**{name: int(getattr(self, name)[number]) for name in names})


def trace(
    profile: QueryScores,
    subjects: Subjects,
    regions: Regions,
    gap_first: int,
    gap_extend: int,
    *,
    gaps: PositionGaps | None = None,
    threads: int = 0,
    check: Check = lambda: None,
) -> Paths:
    """Find the best path inside each region, by the rule of `swgui.engines.traceback`. Needs the library.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16, or TrackProfile
    subjects : Subjects
        k of them.
    regions : Regions
        As `swgui.engines.native.regions` finds them for these subjects. Scores below 2**31 - 2**25.
    """
    query = query_arguments(profile, gap_first, gap_extend, gaps)
    call = query.function("trace", *[_POINTER] * 3, ctypes.c_int64, *[_POINTER] * 5)
    corners = np.ascontiguousarray(np.stack(regions.columns, axis=1), dtype=np.int32)
    status = np.zeros(len(subjects), dtype=np.int32)
    sides = np.minimum(regions.query_end - regions.query_start, regions.subject_end - regions.subject_start)
    parts: dict[int, tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64]]] = {}

    def work(piece: slice) -> None:
        part = subjects.take(piece)
        room = int((2 * sides[piece] + 1).sum())
        ops, lengths = np.empty(room, dtype=np.uint8), np.empty(room, dtype=np.int32)
        offsets = np.empty(len(part) + 1, dtype=np.int64)
        arrays = pointers(part.codes, part.starts, part.lengths)
        results = corners[piece], ops, lengths, offsets, status[piece]
        checked(call(*query.given, *arrays, len(part), *pointers(*results)))
        parts[piece.start] = ops[: offsets[-1]].copy(), lengths[: offsets[-1]].copy(), np.diff(offsets)

    in_pieces(regions.cells, work, threads=threads, check=check)
    ordered = [parts[start] for start in sorted(parts)]
    offsets = np.zeros(len(subjects) + 1, dtype=np.int64)
    np.cumsum(np.concatenate([np.zeros(0, np.int64), *(part[2] for part in ordered)]), out=offsets[1:])
    return Paths(
        regions,
        np.concatenate([np.zeros(0, np.uint8), *(part[0] for part in ordered)]),
        np.concatenate([np.zeros(0, np.int32), *(part[1] for part in ordered)]),
        offsets,
        status,
    )


def _gap_costs(gaps: PositionGaps, paths: Paths, inside: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the cost of each run of the alignments `inside` their sequences, 0 for pairs; shape (r,)."""
    of = np.repeat(np.arange(len(paths)), np.diff(paths.offsets))
    lengths = paths.lengths.astype(np.int64)
    taken = np.where(paths.ops == Op.DELETION, 0, lengths)
    before = np.concatenate([[0], np.cumsum(taken)])
    positions = paths.regions.query_start[of] + before[:-1] - before[paths.offsets[of]]  # positions before each run
    costs = np.zeros(len(of), dtype=np.int64)
    insertion, deletion = (np.flatnonzero((paths.ops == op) & inside[of]) for op in (Op.DELETION, Op.INSERTION))
    first, extend, gone_first, gone_extend = (column.astype(np.int64) for column in gaps.columns)
    behind = positions[insertion] - 1
    costs[insertion] = first[behind] + (lengths[insertion] - 1) * extend[behind]
    start, extended = positions[deletion], np.cumsum(gone_extend)
    costs[deletion] = gone_first[start] + extended[start + lengths[deletion] - 1] - extended[start]
    return costs


def add_up(query: EncodedQuery, subjects: Subjects, paths: Paths, scheme: ScoringScheme) -> AlignmentTotals:
    """Score and count alignments again from residues, matrix and gap costs. Needs the library."""
    costs = (scheme.gap_first, scheme.gap_extend) if query.gaps is None else (0, 0)
    given = query_arguments(scores_of(query, scheme), *costs)
    call = given.function("tally", *[_POINTER] * 3, ctypes.c_int64, *[_POINTER] * 7)
    begins = np.stack([paths.regions.query_start, paths.regions.subject_start], axis=1)
    codes, alike = np.ascontiguousarray(query.codes), scheme.alphabet.alike_codes
    sums = np.zeros((len(paths), 3), dtype=np.int64)
    arrays = pointers(subjects.codes, subjects.starts, subjects.lengths)
    more = codes, alike, np.ascontiguousarray(begins), paths.ops, paths.lengths, paths.offsets, sums
    checked(call(*given.given, *arrays, len(paths), *pointers(*more)))

    def total(values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Sum over the runs of each alignment."""
        running = np.concatenate([[0], np.cumsum(values, dtype=np.int64)])
        return np.asarray(running[paths.offsets[1:]] - running[paths.offsets[:-1]])

    if query.gaps is not None:
        inside = sums[:, 0] > np.iinfo(np.int64).min  # of its sequences
        sums[inside, 0] -= total(_gap_costs(query.gaps, paths, inside))[inside]
    pairs, inserted, deleted = (
        total(np.where(paths.ops == op, paths.lengths, 0)) for op in (Op.MATCH, Op.INSERTION, Op.DELETION)
    )
    gaps = inserted + deleted
    return AlignmentTotals(
        scores=sums[:, 0],
        length=pairs + gaps,
        nident=sums[:, 1],
        positive=sums[:, 2],
        mismatch=pairs - sums[:, 1],
        gaps=gaps,
        gapopen=total(paths.ops != Op.MATCH),
        query_span=pairs + inserted,
        subject_span=pairs + deleted,
    )
