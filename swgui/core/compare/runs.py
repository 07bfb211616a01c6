"""Two runs of this program side by side: which hits are new, lost, moved or the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.compare.audit import AuditError
from swgui.core.compare.matching import match_names
from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import SearchResult
from swgui.core.judging.places import SubjectRanks, rank_subjects, ranks_of_hits, unknown_ranks
from swgui.core.statistics.evalue import KarlinAltschul

STATES: Final = ("same", "moved", "new", "lost")
SAME, MOVED, NEW, LOST = range(4)
STATE_HELP: Final = {
    "same": "Listed by both with the same rank and score",
    "moved": "Listed by both with another rank or score",
    "new": "Listed by the second run alone",
    "lost": "Listed by the first run alone",
}


@dataclass(frozen=True, slots=True, eq=False)
class RunComparison:
    """Hits of two runs, by query and then by the better of both ranks."""

    first: SearchResult
    second: SearchResult
    states: NDArray[np.int8] = field(repr=False)  # positions in `STATES`, shape (n,)
    # query_index, db_index: of each run, shape (n,); `db_index` is -1 where the run's database lacks the subject
    query_index: tuple[NDArray[np.int64], NDArray[np.int64]] = field(repr=False)
    db_index: tuple[NDArray[np.int64], NDArray[np.int64]] = field(repr=False)
    # Score, rank and E in each run, also where the hit is not listed but its score was kept.
    places: tuple[SubjectRanks, SubjectRanks] = field(repr=False)
    # Queries of each run that the other does not have, so that they are not compared.
    unmatched: tuple[tuple[str, ...], tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.states)

    def counts(self) -> dict[str, int]:
        """Return the number of hits in each state."""
        return {name: int((self.states == code).sum()) for code, name in enumerate(STATES)}


def compare_results(
    first: SearchResult,
    second: SearchResult,
    published_first: KarlinAltschul | None,
    published_second: KarlinAltschul | None,
) -> RunComparison:
    """Compare the hits of two runs for the queries that both have.

    Subjects are the same if they stand at the same place of the same database (by its checksum), else
    if they have the same name. A sequence whose name is ambiguous in the other database counts as absent.

    Parameters
    ----------
    published_first, published_second : KarlinAltschul, optional
        Parameters of each run's scheme.

    Raises
    ------
    AuditError
        If the runs have no query in common.
    """
    pairs = _common_queries(first, second)
    if not pairs:
        raise AuditError("The two runs have no query in common.", hint="Compare runs with the same queries.")
    forward = _finder(first, [index for index, _ in pairs], second.database)
    backward = _finder(second, [index for _, index in pairs], first.database)
    parts = []
    for at_first, at_second in pairs:
        hits = first.queries[at_first].hits.db_index, second.queries[at_second].hits.db_index
        rows = _align_hits(hits[0], forward(hits[0]), hits[1], backward(hits[1]))
        places = (
            _places(first, at_first, rows.listed[0], rows.db_index[0], published_first),
            _places(second, at_second, rows.listed[1], rows.db_index[1], published_second),
        )
        parts.append(_Part(at_first, *rows, *places))
    return _join(first, second, [_sorted(part) for part in parts], pairs)


class _Rows(NamedTuple):
    """Hits of one query: those of both runs, of the first alone, of the second alone.

    ``listed`` are places in each run's list, -1 where it does not list the hit.
    """

    listed: tuple[NDArray[np.int64], NDArray[np.int64]]
    db_index: tuple[NDArray[np.int64], NDArray[np.int64]]


class _Part(NamedTuple):
    """A query's part of the comparison."""

    query_first: int
    listed: tuple[NDArray[np.int64], NDArray[np.int64]]
    db_index: tuple[NDArray[np.int64], NDArray[np.int64]]
    first: SubjectRanks
    second: SubjectRanks


def _align_hits(
    hits_first: NDArray[np.int64],
    in_second: NDArray[np.int64],
    hits_second: NDArray[np.int64],
    in_first: NDArray[np.int64],
) -> _Rows:
    """Bring two lists together; `in_second` and `in_first`: the places of subjects in the other database."""
    _, shared_first, shared_second = np.intersect1d(in_second, hits_second, return_indices=True)
    lost = np.setdiff1d(np.arange(len(hits_first)), shared_first)
    new = np.setdiff1d(np.arange(len(hits_second)), shared_second)
    before = in_first[new].copy()
    before[np.isin(before, hits_first)] = -1  # the first run lists it, but several of its subjects have the name
    listed_first = np.concatenate([shared_first, lost, np.full(len(new), -1)])
    listed_second = np.concatenate([shared_second, np.full(len(lost), -1), new])
    index_first = np.concatenate([hits_first[shared_first], hits_first[lost], before])
    index_second = np.concatenate([hits_second[shared_second], in_second[lost], hits_second[new]])
    return _Rows((listed_first, listed_second), (index_first, index_second))


def _places(
    result: SearchResult,
    query_index: int,
    listed: NDArray[np.int64],
    db_index: NDArray[np.int64],
    published: KarlinAltschul | None,
) -> SubjectRanks:
    """Return places of hits, and of subjects that are scored but not listed."""
    places = unknown_ranks(len(listed))
    bits, log10_evalues = np.full(len(listed), np.nan), np.full(len(listed), np.nan)
    inside = np.flatnonzero(listed >= 0)
    outside = np.flatnonzero((listed < 0) & (db_index >= 0))
    for rows, ranks in (
        (inside, ranks_of_hits(result, query_index).take(listed[inside])),
        (outside, rank_subjects(result, query_index, db_index[outside], published)),
    ):
        places.ranks[rows], places.scores[rows] = ranks.ranks, ranks.scores
        bits[rows], log10_evalues[rows] = ranks.bit_scores, ranks.log10_evalues
    return SubjectRanks(places.ranks, places.scores, bits, log10_evalues)


def _sorted(part: _Part) -> _Part:
    """Sort by the better rank among those listed; of equal ones the first run's comes first."""
    last = np.iinfo(np.int64).max
    ranks = [
        np.where(listed >= 0, places.ranks, last)
        for listed, places in zip(part.listed, (part.first, part.second), strict=True)
    ]
    order = np.lexsort((ranks[1], ranks[0], np.minimum(*ranks)))
    return part._replace(
        listed=(part.listed[0][order], part.listed[1][order]),
        db_index=(part.db_index[0][order], part.db_index[1][order]),
        first=part.first.take(order),
        second=part.second.take(order),
    )


def _join(first: SearchResult, second: SearchResult, parts: list[_Part], pairs: list[tuple[int, int]]) -> RunComparison:
    places = SubjectRanks.join([part.first for part in parts]), SubjectRanks.join([part.second for part in parts])
    listed = [np.concatenate([part.listed[run] for part in parts]) >= 0 for run in (0, 1)]
    same = (places[0].ranks == places[1].ranks) & (places[0].scores == places[1].scores)
    states = np.select([~listed[0], ~listed[1], same], [NEW, LOST, SAME], MOVED).astype(np.int8)
    sizes = [len(part.first) for part in parts]
    return RunComparison(
        first,
        second,
        states,
        (np.repeat([index for index, _ in pairs], sizes), np.repeat([index for _, index in pairs], sizes)),
        (
            np.concatenate([part.db_index[0] for part in parts]),
            np.concatenate([part.db_index[1] for part in parts]),
        ),
        places,
        (_left_over(first, {index for index, _ in pairs}), _left_over(second, {index for _, index in pairs})),
    )


def _common_queries(first: SearchResult, second: SearchResult) -> list[tuple[int, int]]:
    """Return positions of the queries with the same name and residues; equal ones pair up in their order."""
    places: dict[tuple[str, bytes], list[int]] = {}
    for index, query in enumerate(second.queries):
        places.setdefault((query.query.id, query.query.residues), []).append(index)
    pairs = []
    for index, query in enumerate(first.queries):
        free = places.get((query.query.id, query.query.residues))
        if free:
            pairs.append((index, free.pop(0)))
    return pairs


def _left_over(result: SearchResult, used: set[int]) -> tuple[str, ...]:
    return tuple(query.query.id for index, query in enumerate(result.queries) if index not in used)


def _finder(
    result: SearchResult, queries: list[int], target: EncodedDatabase
) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    """Return a function from subjects among the hits to their places in another database, -1 where it lacks one.

    No two subjects get the same place.
    """
    source = result.database
    if source is target or (source.checksum and source.checksum == target.checksum):
        return lambda db_index: db_index
    wanted = np.unique(np.concatenate([result.queries[index].hits.db_index for index in queries]))
    names = [source.ids[int(index)] for index in wanted]
    indices = match_names(names, target.ids).found
    places = np.array([indices.get(name, -1) for name in names], dtype=np.int64)
    values, inverse, counts = np.unique(places, return_inverse=True, return_counts=True)
    places[(counts > 1)[inverse] & (values[inverse] >= 0)] = -1
    return lambda db_index: places[np.searchsorted(wanted, db_index)]
