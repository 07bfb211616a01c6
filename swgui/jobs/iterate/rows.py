"""The alignment of a query with all that a round includes: every significant alignment of a subject is a row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import evalues, measure
from swgui.core.plain import replace
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment, RowTable
from swgui.core.profiles.log_odds import UNITS_PER_BIT
from swgui.core.profiles.recipe import LONG_QUERY, Recipe
from swgui.core.score_profile import PositionGaps
from swgui.core.statistics.fit import FittedStatistics, z_of_expectation
from swgui.core.texts import PickedTexts, take_slices
from swgui.engines import native
from swgui.engines.native.pieces import align_pieces
from swgui.engines.native.rows import Rows, cut_ends, rows_of
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
    """Return a query with the alignments of its included subjects, best first.

    Each subject's best alignment is a row. The parts of the subject before and behind it are aligned by themselves, and
    so on, and each such alignment that is significant, with the E of the whole subject, is a row too. Ends of
    alignments
    with a long query are cut off where they are worth too little (`Recipe.end_gain`).

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to its score.
    """
    record = result.queries[query_index].query
    query = MasterAlignment.of_query(replace(record, profile=None), result.scheme.alphabet)
    if not len(included):
        return query
    intervals = _Intervals.of_subjects(result, query_index, included, inclusion)
    if result.database.alphabet.complements:  # of a chromosome only the windows are aligned in which something scores
        short, windows = intervals.cut(longest_span(result.encoded_query(query_index), result.scheme))
        intervals = _Intervals.join(short, _significant(result, query_index, windows, inclusion, threads, check))
    check()
    if at_once := aligned_at_once(result, query_index, intervals, inclusion, recipe, threads):
        check()
        return MasterAlignment(query.alphabet, _best_first(query.query, result, [at_once], inclusion.most))
    parts: list[tuple[_Intervals, Rows, _Ints]] = []
    while len(intervals):
        rows, starts, ends = _aligned_intervals(result, query_index, intervals, recipe, threads, check)
        parts.append((intervals, rows, starts))
        rest = intervals.beside(starts, ends)
        intervals = _significant(result, query_index, rest, inclusion, threads, check)
    return MasterAlignment(query.alphabet, _best_first(query.query, result, parts, inclusion.most))


def _best_first(
    query: AlignedRow, result: SearchResult, parts: list[tuple[_Intervals, Rows, _Ints]], most: int
) -> RowTable:
    """Return the rows of all intervals behind the query, as many as are wanted; of equals those that came first."""
    log10_evalues = np.concatenate([intervals.log10_evalues for intervals, _, _ in parts])
    strands = np.concatenate([intervals.strands for intervals, _, _ in parts])
    db_index = np.concatenate([intervals.db_index for intervals, _, _ in parts])
    starts = np.concatenate([starts for _, _, starts in parts])
    order = np.argsort(log10_evalues, kind="stable")
    if result.database.alphabet.complements:
        residues = np.concatenate([_lengths(rows) for _, rows, _ in parts])
        minus, last = strands < 0, result.database.lengths_of(db_index) - 1
        starts = np.where(minus, last - starts, starts)  # of the first residue of the row
        order = _once(order, db_index, np.where(minus, starts - residues + 1, starts), residues, most)
    order, db_index = order[:most], db_index[order[:most]]
    before = np.cumsum([0, *(len(intervals) for intervals, _, _ in parts)])
    places = np.concatenate(
        [rows.places + np.array([first, 0, 0]) for first, (_, rows, _) in zip(before.tolist(), parts, strict=False)]
    )
    row = np.full(before[-1], -1)  # in the table, of each in the order found
    row[order] = np.arange(1, len(order) + 1)
    residues = np.concatenate([np.zeros(1, np.int64), np.cumsum(places[:, 2])])
    places[:, 0] = row[places[:, 0]]
    kept = np.argsort(places[:, 0], kind="stable")
    kept = kept[places[kept, 0] > 0]
    inserted, _ = take_slices(np.concatenate([rows.inserted for _, rows, _ in parts]), residues, kept)
    database = result.database
    return RowTable(
        result.scheme.alphabet,
        PickedTexts(database.ids, db_index, (query.id,)),
        PickedTexts(database.descriptions, db_index, (query.description,)),
        np.concatenate([query.codes[np.newaxis], np.concatenate([rows.codes for _, rows, _ in parts])[order]]),
        np.concatenate([[query.start], starts[order]]),
        np.concatenate([[query.log10_evalue], log10_evalues[order]]),
        places[kept],
        inserted,
        np.concatenate([[1], strands[order]]).astype(np.int8),
    )


def _lengths(rows: Rows) -> _Ints:
    """Return the residues of each row, those of its insertions among them."""
    inserted = np.bincount(rows.places[:, 0], weights=rows.places[:, 2], minlength=len(rows.codes))
    lengths: _Ints = (rows.codes < DELETION).sum(axis=1) + inserted.astype(np.int64)
    return lengths


def _once(order: _Ints, db_index: _Ints, starts: _Ints, lengths: _Ints, most: int) -> _Ints:
    """Return the first `most` places in order that share at most half the shorter one's residues with any better one.

    A palindrome scores on both strands at the same place, and windows of a long sequence overlap.
    """
    kept: dict[int, list[tuple[int, int]]] = {}
    chosen = []
    for place in order.tolist():
        start, end = int(starts[place]), int(starts[place] + lengths[place])
        others = kept.setdefault(int(db_index[place]), [])
        if all(2 * (min(end, b) - max(start, a)) <= min(end - start, b - a) for a, b in others):
            others.append((start, end))
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
    result: SearchResult, query_index: int, intervals: _Intervals, inclusion: Inclusion, recipe: Recipe, threads: int
) -> tuple[_Intervals, Rows, _Ints] | None:
    """Return the rows of all intervals at once; None where that would take long, or is done step by step."""
    statistics, query = fit_of(result, query_index).statistics, result.encoded_query(query_index)
    cells = len(query) * int(intervals.ends.sum())
    if not isinstance(statistics, FittedStatistics) or cells > (MAX_CELLS if threads == 1 else PIECE_CELLS):
        return None
    limit, length, limits = np.log10(inclusion.evalue), result.searched_length(query_index), result.search.limits
    database, scheme = result.database, result.scheme
    z_score = z_of_expectation(limit, limits.database_size(database)[1])
    means = statistics.mean_scores(database.lengths_of(intervals.db_index))
    near = np.floor(means + statistics.standard_deviation * (z_score - 50.0) / 10.0)
    tried = np.maximum(near + np.arange(-1, 3)[:, np.newaxis], 1).astype(np.int32)
    twice = np.tile(intervals.db_index, len(tried))
    within = evalues(length, twice, tried.ravel(), database, statistics, limits).reshape(tried.shape) <= limit
    if not within[-1].all() or (within[0] & (tried[0] > 1)).any():
        return None
    least = np.take_along_axis(tried, within.argmax(axis=0)[np.newaxis], axis=0)[0]
    pieces = align_pieces(
        query.scores(scheme),
        intervals.subjects,
        intervals.scores,
        least,
        scheme.gap_first,
        scheme.gap_extend,
        gaps=query.gaps,
        shortest=SHORTEST,
        end_gain=recipe.end_gain * UNITS_PER_BIT if len(query) > LONG_QUERY else 0.0,
    )
    if pieces is None:
        return None
    db_index, scores = intervals.db_index[pieces.subject], pieces.scores.astype(np.int32)
    log10_evalues = evalues(length, db_index, scores, database, statistics, limits)
    log10_evalues[: len(intervals)] = intervals.log10_evalues
    before = intervals.starts[pieces.subject]
    of = db_index, intervals.begins[pieces.subject], before + pieces.starts, before + pieces.ends
    rows = _Intervals(intervals.codes, *of, scores, log10_evalues, intervals.strands[pieces.subject])
    return rows, pieces.rows, rows.starts


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
