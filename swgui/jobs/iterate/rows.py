"""The alignment of a query with all that a round includes: every significant alignment of a subject is a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.ranking import limits_of, measure
from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.profiles.alignment import AlignedRow, MasterAlignment, row_of
from swgui.core.statistics.fitting import fit_of
from swgui.engines import native
from swgui.engines.traceback import align_many
from swgui.jobs.iterate.inclusion import Inclusion

SHORTEST: Final = 15  # residues beside an alignment in which another one is looked for

_Ints = NDArray[np.int64]


def aligned_with(
    result: SearchResult,
    query_index: int,
    included: HitColumns,
    inclusion: Inclusion,
    threads: int = 0,
    check: Callable[[], None] = lambda: None,
) -> MasterAlignment:
    """Return a query with the alignments of what is included, best first.

    Each subject's best alignment is a row. What lies before and behind it in the subject is aligned by itself, and so
    on, and each such alignment that is significant, with the E of the whole subject, is a row too.

    Parameters
    ----------
    threads : int
        0 for all cores; 1 keeps the work in the calling thread.
    check : callable
        Called many times a second; may raise to give up.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to its score.
    """
    record = result.queries[query_index].query
    query = MasterAlignment.of_query(replace(record, profile=None), result.scheme.alphabet)
    if not len(included):
        return query
    rows: list[AlignedRow] = []
    pieces = _Pieces.of_subjects(result, included)
    while len(pieces):
        made = list(_aligned(result, query_index, pieces, threads, check))
        rows += (row for row, _ in made)
        rest = pieces.beside([place for _, place in made])
        pieces = _significant(result, query_index, rest, inclusion, threads, check)
    rows.sort(key=lambda row: row.log10_evalue)
    return query.with_rows(rows[: inclusion.most])


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Stretches of subjects, k of them.

    Parameters
    ----------
    codes : ndarray
        Of all subjects.
    db_index : ndarray, shape=(k,)
    begins : ndarray, shape=(k,)
        Where the subject of each begins in `codes`.
    starts, ends : ndarray, shape=(k,)
        In the subject.
    scores, log10_evalues : ndarray, shape=(k,)
    """

    codes: NDArray[np.uint8] = field(repr=False)
    db_index: _Ints = field(repr=False)
    begins: _Ints = field(repr=False)
    starts: _Ints = field(repr=False)
    ends: _Ints = field(repr=False)
    scores: NDArray[np.int32] = field(repr=False)
    log10_evalues: NDArray[np.float64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.db_index)

    @classmethod
    def of_subjects(cls, result: SearchResult, hits: HitColumns) -> _Pieces:
        """Return whole subjects."""
        subjects = native.Subjects.of(result.database, hits.db_index)
        whole = np.zeros(len(hits), dtype=np.int64), subjects.lengths
        return cls(subjects.codes, hits.db_index, subjects.starts, *whole, hits.scores, hits.log10_evalues)

    @property
    def subjects(self) -> native.Subjects:
        """The stretches as subjects of their own."""
        return native.Subjects(self.codes, self.begins + self.starts, self.ends - self.starts)

    def take(self, which: NDArray[np.bool_], scores: NDArray[np.int32], log10_evalues: NDArray[np.float64]) -> _Pieces:
        """Return some of them with their scores and E."""
        places = self.db_index[which], self.begins[which], self.starts[which], self.ends[which]
        return _Pieces(self.codes, *places, scores[which], log10_evalues[which])

    def beside(self, taken: list[tuple[int, int]]) -> _Pieces:
        """Return what is left of each before and behind what was taken of it, as far as that is long enough."""
        first, last = np.array(taken, dtype=np.int64).reshape(-1, 2).T
        starts, ends = np.concatenate([self.starts, last]), np.concatenate([first, self.ends])
        long_enough = ends - starts >= SHORTEST
        unknown = np.zeros(2 * len(self), dtype=np.int32)
        twice = _Pieces(
            self.codes, np.tile(self.db_index, 2), np.tile(self.begins, 2), starts, ends, unknown, unknown.astype(float)
        )
        return twice.take(long_enough, twice.scores, twice.log10_evalues)


def _aligned(
    result: SearchResult, query_index: int, pieces: _Pieces, threads: int, check: Callable[[], None]
) -> Iterator[tuple[AlignedRow, tuple[int, int]]]:
    """Yield a row for each stretch, and which residues of the subject it took."""
    database, query = result.database, result.encoded_query(query_index)
    names = [database.ids[index] for index in pieces.db_index.tolist()]
    subjects = pieces.subjects
    found = align_many(query, subjects, result.scheme, pieces.scores, names=names, threads=threads, check=check)
    for number, start in enumerate(pieces.starts.tolist()):
        check()
        alignment = found.alignment(number)
        row = row_of(
            alignment,
            len(query),
            subjects[number],
            database.alphabet,
            id=names[number],
            description=database.descriptions[int(pieces.db_index[number])],
            log10_evalue=float(pieces.log10_evalues[number]),
        )
        yield replace(row, start=row.start + start), (start + alignment.subject_start, start + alignment.subject_end)


def _significant(
    result: SearchResult,
    query_index: int,
    pieces: _Pieces,
    inclusion: Inclusion,
    threads: int,
    check: Callable[[], None],
) -> _Pieces:
    """Return the stretches whose best alignment is within the limit of inclusion by itself."""
    if not len(pieces):
        return pieces
    query, scheme = result.encoded_query(query_index), result.scheme
    costs = scheme.gap_first, scheme.gap_extend
    found = native.scores(query.scores(scheme), pieces.subjects, *costs, gaps=query.gaps, threads=threads, check=check)
    scores = found.astype(np.int32)
    statistics, length = fit_of(result, query_index).statistics, result.searched_length(query_index)
    _, log10_evalues = measure(length, pieces.db_index, scores, result.database, statistics, limits_of(result))
    return pieces.take((log10_evalues <= np.log10(inclusion.evalue)) & (scores > 0), scores, log10_evalues)
