"""The alignment of a query with all that a round includes: every significant alignment of a subject is a row."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import evalues, measure
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment, RowTable
from swgui.core.profiles.log_odds import UNITS_PER_BIT
from swgui.core.profiles.recipe import LONG_QUERY, Recipe
from swgui.core.score_profile import PositionGaps
from swgui.core.statistics.fit import FitsOfHits, FittedStatistics, z_of_expectation
from swgui.core.texts import PickedTexts
from swgui.engines import native
from swgui.engines.native.pieces import align_pieces
from swgui.engines.native.rows import SOURCES, Rows, cut_ends, order_rows, rows_of
from swgui.engines.native.subjects import PIECE_CELLS
from swgui.engines.traceback.many import align_many
from swgui.engines.windows import cut, longest_span
from swgui.jobs.iterate.inclusion import Inclusion

SHORTEST: Final = 15  # residues next to an alignment that another one needs
LONG: Final = 2  # lengths of the longest alignment that windows of long nucleotide sequences begin apart
SHORTEST_WINDOW: Final = 2_000  # bases that they begin apart at least
MAX_CELLS: Final = 300_000_000  # of a query and all included subjects: beyond it a Stop would go unseen

_Ints = NDArray[np.int64]


def aligned_with(
    result: SearchResult,
    query_index: int,
    included: HitColumns,
    inclusion: Inclusion,
    recipe: Recipe,
    threads: int = 0,
    check: Check = lambda: None,
) -> MasterAlignment:
    """Return `aligned_each` of one query."""
    return aligned_each(result, [query_index], [included], inclusion, recipe, threads, check)[0]


def aligned_each(
    result: SearchResult,
    asked: Sequence[int],
    included: Sequence[HitColumns],
    inclusion: Inclusion,
    recipe: Recipe,
    threads: int = 0,
    check: Check = lambda: None,
) -> list[MasterAlignment]:
    """Return queries with the alignments of their included subjects, best first.

    Each subject's best alignment is a row. The parts of the subject before and behind it are aligned by themselves, and
    so on, and each such alignment that is significant, with the E of the whole subject, is a row too. Ends of
    alignments with a long query are cut off where they are worth too little (`Recipe.end_gain`).

    Parameters
    ----------
    asked : sequence of int
        Queries of the result.
    included : sequence of HitColumns
        The subjects of each.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to its score.
    """
    alphabet, made = result.scheme.alphabet, dict[int, MasterAlignment]()
    for group in _together(result, asked, included):
        queries, hits = [asked[place] for place in group], [included[place] for place in group]
        several, counts = _intervals_of(result, queries, hits, inclusion, threads, check)
        check()
        tables = aligned_at_once(result, queries, counts, several, inclusion, recipe, threads)
        check()
        ends = np.cumsum(counts)
        for place, query, table, end, count in zip(group, queries, tables, ends.tolist(), counts, strict=True):
            if table is None and count:
                own = several.taken(np.arange(end - count, end))
                table = _step_by_step(result, query, own, inclusion, recipe, threads, check)
            if table is not None:
                made[place] = MasterAlignment(alphabet, table)
    for place in set(range(len(asked))) - made.keys():
        made[place] = MasterAlignment.of_query(replace(result.queries[asked[place]].query, profile=None), alphabet)
    return [made[place] for place in range(len(asked))]


def _together(result: SearchResult, asked: Sequence[int], included: Sequence[HitColumns]) -> Iterator[list[int]]:
    """Yield the places of queries that are aligned together: as many as a Stop may wait for."""
    group, cells = list[int](), 0
    alone = bool(result.database.alphabet.complements)
    for place in [place for place, hits in enumerate(included) if len(hits)]:
        residues = int(result.database.lengths_of(included[place].db_index).sum())
        own = residues * len(result.queries[asked[place]].query.residues)
        if group and (alone or cells + own > MAX_CELLS):
            yield group
            group, cells = [], 0
        group.append(place)
        cells += own
    if group:
        yield group


def _intervals_of(
    result: SearchResult,
    queries: Sequence[int],
    hits: Sequence[HitColumns],
    inclusion: Inclusion,
    threads: int,
    check: Check,
) -> tuple[_Intervals, list[int]]:
    """Return the intervals of the subjects of some queries, and how many each query has."""
    if not result.database.alphabet.complements:
        several = _Intervals.of_subjects(result, queries[0], HitColumns.join(hits), inclusion)
        return several, [len(one) for one in hits]
    ((query,), (own,)) = queries, hits
    intervals = _Intervals.of_subjects(result, query, own, inclusion)
    # of a chromosome only the windows are aligned in which something scores
    short, windows = intervals.cut(longest_span(result.encoded_query(query), result.scheme))
    intervals = _Intervals.join(short, _significant(result, query, windows, inclusion, threads, check))
    return intervals, [len(intervals)]


def _step_by_step(
    result: SearchResult,
    query_index: int,
    intervals: _Intervals,
    inclusion: Inclusion,
    recipe: Recipe,
    threads: int,
    check: Check,
) -> RowTable:
    """Return the table of one query; parameters as of `aligned_each`."""
    parts: list[tuple[_Intervals, Rows, _Ints, _Ints]] = []
    while len(intervals):
        rows, starts, ends = _aligned_intervals(result, query_index, intervals, recipe, threads, check)
        parts.append((intervals, rows, starts, ends))
        rest = intervals.beside(starts, ends)
        intervals = _significant(result, query_index, rest, inclusion, threads, check)
    before = np.cumsum([0, *(len(each) for each, *_ in parts)])
    places = [rows.places + np.array([first, 0, 0]) for first, (_, rows, *_) in zip(before, parts, strict=False)]
    codes, inserted = ([getattr(rows, name) for _, rows, *_ in parts] for name in ("codes", "inserted"))
    rows = Rows(*map(np.concatenate, (codes, places, inserted)))
    starts, ends = (np.concatenate([part[column] for part in parts]) for column in (2, 3))
    found = replace(reduce(_Intervals.join, (each for each, *_ in parts)), starts=starts, ends=ends)
    sources, of = np.array([rows.source], dtype=SOURCES), np.zeros(len(found), dtype=np.int64)
    return _best_first(result, [query_index], of, found, sources, inclusion.most)[0]


def _best_first(
    result: SearchResult, queries: Sequence[int], of: _Ints, found: _Intervals, sources: NDArray[np.void], most: int
) -> list[RowTable]:
    """Return each query with the rows that were found, as many as are wanted; of equals those that came first.

    Parameters
    ----------
    of : ndarray, shape=(k,)
        The query of each row, ascending.
    found : _Intervals
        The residues of subjects that each row has.
    sources : ndarray, shape=(q,), dtype=SOURCES
        The rows of each query.
    """
    database, alphabet, starts = result.database, result.scheme.alphabet, found.starts
    order = np.lexsort((found.log10_evalues, of))
    begins = np.searchsorted(of, np.arange(len(queries) + 1))
    if database.alphabet.complements:
        residues = found.ends - starts
        minus, last = found.strands < 0, database.lengths_of(found.db_index) - 1
        starts = np.where(minus, last - starts, starts)  # of the first residue of the row
        order = _once(order, found.db_index, np.where(minus, starts - residues + 1, starts), residues, most)
    else:
        order = order[np.arange(len(order)) - begins[of[order]] < most]
    kept = np.bincount(of[order], minlength=len(queries)).tolist()
    records = [result.queries[query].query for query in queries]
    codes = [alphabet.encode(record.residues) for record in records]
    tables = order_rows(sources, codes, order - begins[of[order]], kept)
    chosen = replace(found, starts=starts).taken(order)
    made, first = [], 0
    for record, rows, count in zip(records, tables, kept, strict=True):
        own = slice(first, first + count)
        db_index, first = chosen.db_index[own], first + count
        made.append(
            RowTable(
                alphabet,
                PickedTexts(database.ids, db_index, (record.id,)),
                PickedTexts(database.descriptions, db_index, (record.description,)),
                rows.codes,
                np.concatenate([[0], chosen.starts[own]]),
                np.concatenate([[np.nan], chosen.log10_evalues[own]]),
                rows.places,
                rows.inserted,
                np.concatenate([np.ones(1, np.int8), chosen.strands[own]]),
            )
        )
    return made


def subjects_of_rows(alignment: MasterAlignment, subjects: _Ints, database: EncodedDatabase) -> _Ints:
    """Return the subject of each row by source index, -1 for the query and rows of none of some; shape (rows,)."""
    names, ids = alignment.rows.ids if isinstance(alignment.rows, RowTable) else alignment.ids, database.ids
    if isinstance(names, PickedTexts) and names.texts is ids:
        return np.concatenate([np.full(len(names.before), -1), names.at])
    places = dict(zip(PickedTexts(ids, subjects), subjects.tolist(), strict=True))
    return np.array([-1, *(places.get(name, -1) for name in names[1:])], dtype=np.int64)


def _once(order: _Ints, db_index: _Ints, starts: _Ints, lengths: _Ints, most: int) -> _Ints:
    """Return the first `most` places in order that share at most half the shorter one's residues with any better one.

    A palindrome scores on both strands at the same place, and windows of a long sequence overlap.
    """
    kept: dict[int, list[tuple[int, int]]] = {}  # of each subject in the order of their places
    chosen, longest = [], int(lengths.max(initial=0))
    for place in order.tolist():
        start, end = int(starts[place]), int(starts[place] + lengths[place])
        others = kept.setdefault(int(db_index[place]), [])
        near = others[bisect_left(others, (start - longest, 0)) : bisect_left(others, (end, 0))]
        if all(2 * (min(end, b) - max(start, a)) <= min(end - start, b - a) for a, b in near):
            insort(others, (start, end))
            chosen.append(place)
            if len(chosen) == most:
                break
    return np.array(chosen, dtype=np.int64)


def oriented(database: EncodedDatabase, db_index: _Ints, strands: NDArray[np.int8]) -> native.Subjects:
    """Return subjects, those on strand -1 as their reverse complements."""
    subjects = native.Subjects.of(database, db_index)
    if not (strands < 0).any():
        return subjects
    turn = database.alphabet.reverse_complement
    codes = [subjects[number] for number in range(len(subjects))]
    return native.Subjects.stacked(
        [turn(own) if strand < 0 else own for own, strand in zip(codes, strands.tolist(), strict=True)]
    )


def _on_other_strand(result: SearchResult, query_index: int, hits: HitColumns, inclusion: Inclusion) -> HitColumns:
    """Return the hits whose other strand is significant by itself, on that strand."""
    if not len(hits):
        return hits
    others = (-hits.strands).astype(np.int8)
    query, scheme = result.queries[query_index], result.scheme
    known = np.zeros(len(hits), dtype=np.bool_)
    scores = np.zeros(len(hits), dtype=np.int32)
    if query.by_strand is not None:
        known, both = query.by_strand.of(hits.db_index)
        row = np.array([query.by_strand.strands.index(strand) for strand in others.tolist()], dtype=np.int64)
        scores = both[row, np.arange(len(hits))]
    if len(unknown := np.flatnonzero(~known)):
        encoded, costs = result.encoded_query(query_index), (scheme.gap_first, scheme.gap_extend)
        subjects = oriented(result.database, hits.db_index[unknown], others[unknown])
        scores[unknown] = native.scores(encoded.scores(scheme), subjects, *costs, gaps=encoded.gaps)
    statistics, length = fit_of(result, query_index).statistics, result.searched_length(query_index)
    bits, log10_evalues = measure(length, hits.db_index, scores, result.database, statistics, result.search.limits)
    turned = HitColumns(hits.db_index, scores, others, bits, log10_evalues)
    return turned.take((scores > 0) & (log10_evalues <= np.log10(inclusion.evalue)))


@dataclass(frozen=True, slots=True, eq=False)
class _Intervals:
    """Intervals of subjects, k of them."""

    codes: NDArray[np.uint8] = field(repr=False)
    db_index: _Ints = field(repr=False)  # shape (k,)
    begins: _Ints = field(repr=False)  # where the subject of each begins in `codes`, shape (k,)
    # starts, ends: in the subject, shape (k,)
    starts: _Ints = field(repr=False)
    ends: _Ints = field(repr=False)
    # scores, log10_evalues, strands: shape (k,); on strand -1 `codes` hold the reverse complement of the subject
    scores: NDArray[np.int32] = field(repr=False)
    log10_evalues: NDArray[np.float64] = field(repr=False)
    strands: NDArray[np.int8] = field(repr=False)

    def __len__(self) -> int:
        return len(self.db_index)

    @classmethod
    def of_subjects(cls, result: SearchResult, query_index: int, hits: HitColumns, inclusion: Inclusion) -> _Intervals:
        """Return whole subjects, each on the strand of its hit, and on the other one where that is significant, too."""
        if len(result.search.strands) > 1:
            hits = HitColumns.join([hits, _on_other_strand(result, query_index, hits, inclusion)])
        subjects = oriented(result.database, hits.db_index, hits.strands)
        whole = np.zeros(len(hits), dtype=np.int64), subjects.lengths
        places = hits.db_index, subjects.starts, *whole
        return cls(subjects.codes, *places, hits.scores, hits.log10_evalues, hits.strands)

    def cut(self, span: int | None) -> tuple[_Intervals, _Intervals]:
        """Return the intervals that are not long, and windows of the others, in which any alignment lies whole.

        Parameters
        ----------
        span : int, optional
            Residues of a subject that an alignment covers at most.
        """
        step = 0 if span is None else max(LONG * span, SHORTEST_WINDOW)
        lengths = self.ends - self.starts
        long = lengths > (np.inf if span is None else 2 * step)
        of = np.flatnonzero(long)
        windows = [cut(length, span, step) for length in lengths[of].tolist()]
        number = np.repeat(of, [len(some) for some in windows])
        edges = np.array([edge for some in windows for edge in some], dtype=np.int64).reshape(-1, 2)
        parts = self.taken(number)
        cut_out = replace(parts, starts=parts.starts + edges[:, 0], ends=parts.starts + edges[:, 1])
        return self.taken(np.flatnonzero(~long)), cut_out

    @property
    def subjects(self) -> native.Subjects:
        """The intervals as subjects of their own."""
        return native.Subjects(self.codes, self.begins + self.starts, self.ends - self.starts)

    def take(
        self, which: NDArray[np.bool_], scores: NDArray[np.int32], log10_evalues: NDArray[np.float64]
    ) -> _Intervals:
        """Return some of them with their scores and E."""
        places = self.db_index[which], self.begins[which], self.starts[which], self.ends[which]
        return _Intervals(self.codes, *places, scores[which], log10_evalues[which], self.strands[which])

    def taken(self, numbers: _Ints) -> _Intervals:
        """Return some of them."""
        places = self.db_index[numbers], self.begins[numbers], self.starts[numbers], self.ends[numbers]
        figures = self.scores[numbers], self.log10_evalues[numbers], self.strands[numbers]
        return _Intervals(self.codes, *places, *figures)

    @classmethod
    def join(cls, one: _Intervals, other: _Intervals) -> _Intervals:
        """Return the intervals of two in the same codes."""
        names = "db_index", "begins", "starts", "ends", "scores", "log10_evalues", "strands"
        columns = [np.concatenate([getattr(one, name), getattr(other, name)]) for name in names]
        return cls(one.codes, *columns)

    def beside(self, first: _Ints, last: _Ints) -> _Intervals:
        """Return the parts of each before `first` and from `last` on that are long enough."""
        starts, ends = np.concatenate([self.starts, last]), np.concatenate([first, self.ends])
        long_enough = ends - starts >= SHORTEST
        unknown = np.zeros(2 * len(self), dtype=np.int32)
        of = np.tile(self.db_index, 2), np.tile(self.begins, 2), starts, ends
        twice = _Intervals(self.codes, *of, unknown, unknown.astype(float), np.tile(self.strands, 2))
        return twice.take(long_enough, twice.scores, twice.log10_evalues)


def aligned_at_once(
    result: SearchResult,
    queries: Sequence[int],
    counts: Sequence[int],
    intervals: _Intervals,
    inclusion: Inclusion,
    recipe: Recipe,
    threads: int,
) -> list[RowTable | None]:
    """Return the tables of queries, made at once; None where that would take long, or is done step by step.

    Parameters
    ----------
    counts : sequence of int
        Intervals of each query, which follow each other.
    """
    made: list[RowTable | None] = [None] * len(queries)
    found = [fit_of(result, query).statistics for query in queries]
    fits, several = [by for by in found if isinstance(by, FittedStatistics)], [result.encoded_query(q) for q in queries]
    of = np.repeat(np.arange(len(queries)), counts)
    cells = int((np.array([len(one) for one in several])[of] * intervals.ends).sum())
    busy = threads == 1 or threads < 0  # as the other cores are, with other queries
    if len(fits) < len(found) or cells > (MAX_CELLS if busy else PIECE_CELLS):
        return made
    database, by = result.database, FitsOfHits.of(fits, of)
    sizes = result.search.limits.database_size(database)
    least, unsure = _least_scores(by, database.lengths_of(intervals.db_index), sizes, inclusion)
    gains = [recipe.end_gain * UNITS_PER_BIT if len(query) > LONG_QUERY else 0.0 for query in several]
    given = intervals.subjects, intervals.scores, least, result.scheme, gains
    with align_pieces(several, counts, *given, shortest=SHORTEST) as pieces:
        of_rows = np.repeat(np.arange(len(queries)), pieces.sizes)
        own, scores = intervals.taken(pieces.subject), pieces.scores.astype(np.int32)
        begins = np.cumsum(pieces.sizes) - pieces.sizes
        whole = np.arange(len(of_rows)) - begins[of_rows] < np.array(counts)[of_rows]  # with the score of the search
        lengths = database.lengths_of(own.db_index)
        measured = FitsOfHits.of(fits, of_rows).log10_evalues(scores, lengths, *sizes)
        log10_evalues = np.where(whole, own.log10_evalues, measured)
        starts, ends = own.starts + pieces.starts, own.starts + pieces.ends
        rows = replace(own, starts=starts, ends=ends, scores=scores, log10_evalues=log10_evalues)
        pieces.whole[of[unsure]] = False
        fine = np.flatnonzero(pieces.whole)
        within, numbers = pieces.whole[of_rows], np.cumsum(pieces.whole) - 1
        some, kept = [queries[number] for number in fine.tolist()], rows.taken(np.flatnonzero(within))
        tables = _best_first(result, some, numbers[of_rows[within]], kept, pieces.sources[fine], inclusion.most)
    for number, table in zip(fine.tolist(), tables, strict=True):
        made[number] = table
    return made


def _least_scores(
    by: FitsOfHits, lengths: NDArray[np.integer], sizes: tuple[float, float], inclusion: Inclusion
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the least score that subjects are included with, and a mask of those where it is not found; shape (k,)."""
    limit = np.log10(inclusion.evalue)
    near = np.floor(by.scores_at(z_of_expectation(limit, sizes[1]), lengths))
    tried = np.maximum(near + np.arange(-1, 3)[:, np.newaxis], 1).astype(np.int32)
    within = by.log10_evalues(tried, lengths, *sizes) <= limit
    unsure = ~within[-1] | (within[0] & (tried[0] > 1))
    return np.take_along_axis(tried, within.argmax(axis=0)[np.newaxis], axis=0)[0], unsure


def _aligned_intervals(
    result: SearchResult, query_index: int, intervals: _Intervals, recipe: Recipe, threads: int, check: Check
) -> tuple[Rows, _Ints, _Ints]:
    """Return a row for each interval, and which residues of the subject it took: from the first to before the last."""
    query, subjects = result.encoded_query(query_index), intervals.subjects
    names = PickedTexts(result.database.ids, intervals.db_index)
    aligned = align_many(query, subjects, result.scheme, intervals.scores, names=names, threads=threads, check=check)
    regions = aligned.paths.regions
    rows = rows_of(aligned.paths, subjects, len(query))
    starts, ends = intervals.starts + regions.subject_start, intervals.starts + regions.subject_end
    if len(query) <= LONG_QUERY or not recipe.end_gain:
        return rows, starts, ends
    scheme = result.scheme
    gaps = query.gaps or PositionGaps.constant(len(query), scheme.gap_first, scheme.gap_extend)
    kept, (before, behind) = cut_ends(rows, query.scores(scheme), gaps, recipe.end_gain * UNITS_PER_BIT)
    return kept, starts + before, ends - behind


def _significant(
    result: SearchResult,
    query_index: int,
    intervals: _Intervals,
    inclusion: Inclusion,
    threads: int,
    check: Check,
) -> _Intervals:
    """Return the intervals whose best alignment is within the limit of inclusion by itself."""
    query, scheme = result.encoded_query(query_index), result.scheme
    if result.database.alphabet.complements:
        intervals = _Intervals.join(*intervals.cut(longest_span(query, scheme)))
    if not len(intervals):
        return intervals
    costs = scheme.gap_first, scheme.gap_extend
    best = native.scores(
        query.scores(scheme), intervals.subjects, *costs, gaps=query.gaps, threads=threads, check=check
    )
    scores = best.astype(np.int32)
    statistics, length = fit_of(result, query_index).statistics, result.searched_length(query_index)
    log10_evalues = evalues(length, intervals.db_index, scores, result.database, statistics, result.search.limits)
    return intervals.take((log10_evalues <= np.log10(inclusion.evalue)) & (scores > 0), scores, log10_evalues)
