"""Missed-hit audit: another program's hits for the same queries next to the exact ranking.

Every subject has been scored, so for each hit that only the other program lists the exact score, rank and
E-value are known, and the reason why it is not listed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.columns import ColumnRecord
from swgui.core.compare.matching import Matches, match_names
from swgui.core.database import TextColumn
from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.judging.places import SubjectRanks, rank_subjects, ranks_of_hits, unknown_ranks
from swgui.core.judging.subjects import NOT_SCORED, reason_unlisted
from swgui.core.statistics.evalue import KarlinAltschul

NOT_KEPT: Final = "The scores of this search were not kept, so its score and rank are not known."
NAMED: Final = 3  # examples in a sentence


class AuditError(SwguiError, ValueError):
    """A table that does not belong to the run it is compared with."""


class ImportedTable(Protocol):
    """Hits as another program listed them, as ``swgui.io.tables.hits.HitTable`` has them."""

    @property
    def program(self) -> str:
        """As the file names it, or empty."""

    @property
    def queries(self) -> Sequence[str]:
        """Query name of each line."""

    @property
    def subjects(self) -> Sequence[str]:
        """Subject name of each line."""

    @property
    def values(self) -> Mapping[str, NDArray[np.float64]]:
        """Number columns by BLAST's names."""


class TheirPlaces(ColumnRecord, frozen=True):
    """Values of the table for some pairs of query and subject."""

    # Place of the subject among those of its query, in the order of the file, from 1; 0 if not in it, shape (n,).
    ranks: NDArray[np.int64]
    segments: NDArray[np.int64]  # lines (alignments) of the pair, shape (n,)
    # scores, bit_scores, log10_evalues: of the best line of the pair; NaN where the table does not say, -inf where it
    # gives E as 0, shape (n,)
    scores: NDArray[np.float64]
    bit_scores: NDArray[np.float64]
    log10_evalues: NDArray[np.float64]


class AuditRows(ColumnRecord, frozen=True):
    """Pairs of query and subject, by query and then by rank here (those without one last)."""

    # query_index, db_index: shape (n,)
    query_index: NDArray[np.int64]
    db_index: NDArray[np.int64]
    ours: SubjectRanks
    theirs: TheirPlaces


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A name of the table without a match in this run, or with several."""

    kind: Literal["query", "subject"]
    name: str
    lines: int  # lines of the table it stands on
    # Queries or source indices that the name could mean; empty if none fits.
    candidates: tuple[int, ...] = field(default=(), repr=False)

    @property
    def reason(self) -> str:
        """Return the reason why the audit left it out."""
        where = "query of this search" if self.kind == "query" else "sequence of the database"
        if not self.candidates:
            return f"No {where} has this name."
        several = "queries of this search" if self.kind == "query" else "sequences of the database"
        return f"The name could be any of {len(self.candidates):,} {several}."


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """Comparison of an exact run with another program's table."""

    result: SearchResult
    program: str  # program that wrote the table, if the table names it
    # both, only_here, only_there: pairs listed by both, by this run alone, by the table alone
    both: AuditRows
    only_here: AuditRows
    only_there: AuditRows
    unclear: AuditRows  # pairs listed here that an ambiguous name of the table could mean
    unmatched: tuple[Unmatched, ...]  # entries that could not be compared
    silent_queries: tuple[int, ...]  # queries of this run that the table has no line of
    # Name of the table's only query if the audit matched it to this run's only query although the names differ; else
    # empty.
    assumed: str = ""

    def reason(self, row: int) -> str:
        """Return the reason why this run does not list a pair of `only_there`."""
        rows = self.only_there
        score = int(rows.ours.scores[row])
        if score >= 0:
            limits = self.result.search.limits
            ours = rows.ours
            return reason_unlisted(
                int(ours.ranks[row]),
                int(ours.scores[row]),
                float(ours.log10_evalues[row]),
                limits,
                self.result.search.composition,
            )
        kept = self.result.queries[int(rows.query_index[row])].scores is not None
        return NOT_SCORED if kept else NOT_KEPT


def audit(result: SearchResult, table: ImportedTable, published: KarlinAltschul | None) -> Audit:
    """Compare an exact run with another program's hits for the same queries and database.

    Parameters
    ----------
    published : KarlinAltschul, optional
        Parameters of the result's scheme, for E-values of subjects that are not listed.

    Raises
    ------
    AuditError
        If the table has lines, but none of its queries, or none of its subjects, belongs to this run.
    """
    queries, assumed = _match_queries(result, table)
    subjects = match_names(table.subjects, result.database.ids)
    if table.subjects and not subjects.found and not subjects.ambiguous:
        examples = _examples(subjects.unknown)
        raise AuditError(
            f"No subject of the table ({examples}) is in the database '{result.database.name}'.",
            hint="Choose the table of a search in the same sequences.",
        )
    keys, theirs = _pairs_of_table(table, queries, subjects, len(result.database))
    own_keys, ours = _pairs_of_run(result)
    _, at_own, at_their = np.intersect1d(own_keys, keys, assume_unique=True, return_indices=True)
    rest = np.setdiff1d(np.arange(len(own_keys)), at_own)
    doubtful = np.isin(own_keys[rest], _doubtful_keys(table, queries, subjects, len(result.database)))
    alone = np.setdiff1d(np.arange(len(keys)), at_their)
    mentioned = {queries.found[name] for name in set(table.queries) if name in queries.found}
    size = len(result.database)
    return Audit(
        result=result,
        program=table.program,
        both=_sorted(own_keys[at_own], size, ours.take(at_own), theirs.take(at_their)),
        only_here=_here(own_keys, ours, rest[~doubtful], size),
        only_there=_sorted(keys[alone], size, _place_all(result, keys[alone], published), theirs.take(alone)),
        unclear=_here(own_keys, ours, rest[doubtful], size),
        unmatched=(*_unmatched("query", table.queries, queries), *_unmatched("subject", table.subjects, subjects)),
        silent_queries=tuple(index for index in range(len(result.queries)) if index not in mentioned),
        assumed=assumed,
    )


def _match_queries(result: SearchResult, table: ImportedTable) -> tuple[Matches, str]:
    own = [query.query.id for query in result.queries]
    matches = match_names(table.queries, TextColumn.from_texts(own))
    if not table.queries or matches.found or matches.ambiguous:
        return matches, ""
    if len(own) == 1 and len(matches.unknown) == 1:  # programs invent names for sequences without header
        (name,) = matches.unknown
        return Matches({name: 0}, {}, []), name
    raise AuditError(
        f"No query of the table ({_examples(matches.unknown)}) is one of this search ({_examples(own)}).",
        hint="Choose the table of a search with the same queries.",
    )


def _examples(names: Sequence[str]) -> str:
    """Name a few, and say how many more there are."""
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _pairs_of_table(
    table: ImportedTable, queries: Matches, subjects: Matches, size: int
) -> tuple[NDArray[np.int64], TheirPlaces]:
    """Return keys (query times database size plus subject) and facts of the pairs that are clear."""
    query = np.array([queries.found.get(name, -1) for name in table.queries], dtype=np.int64)
    subject = np.array([subjects.found.get(name, -1) for name in table.subjects], dtype=np.int64)
    lines = np.flatnonzero((query >= 0) & (subject >= 0))
    line_keys = query[lines] * size + subject[lines]
    keys, first, inverse, segments = np.unique(line_keys, return_index=True, return_inverse=True, return_counts=True)
    columns = {name: _column(table, name)[lines] for name in ("score", "bitscore", "evalue")}
    best = _best_lines(inverse, columns)
    evalues = columns["evalue"][best]
    log10_evalues = np.full(len(evalues), np.nan)
    positive = evalues > 0
    log10_evalues[positive] = np.log10(evalues[positive])
    log10_evalues[evalues == 0] = -np.inf  # written by programs where E underflows
    ranks = _ranks_in_file(table, query, lines, keys, first, size)
    return keys, TheirPlaces(
        ranks, segments.astype(np.int64), columns["score"][best], columns["bitscore"][best], log10_evalues
    )


def _column(table: ImportedTable, name: str) -> NDArray[np.float64]:
    return table.values[name] if name in table.values else np.full(len(table.queries), np.nan)


def _best_lines(pair: NDArray[np.int64], columns: Mapping[str, NDArray[np.float64]]) -> NDArray[np.int64]:
    """Return the best line of each pair: most bits, else highest score, else lowest E, else the first."""
    worth = (columns["bitscore"], columns["score"], -columns["evalue"])
    descending = [-np.nan_to_num(values, nan=-np.inf, posinf=np.inf, neginf=-np.inf) for values in worth]
    order = np.lexsort((np.arange(len(pair)), *reversed(descending), pair))
    _, starts = np.unique(pair[order], return_index=True)
    return order[starts]


def _ranks_in_file(
    table: ImportedTable,
    query: NDArray[np.int64],
    lines: NDArray[np.int64],
    keys: NDArray[np.int64],
    first: NDArray[np.int64],
    size: int,
) -> NDArray[np.int64]:
    """Return places of subjects in the order of the file, by query; names that are not clear count, too."""
    seen: dict[int, dict[str, int]] = {}
    for owner, name in zip(query.tolist(), table.subjects, strict=True):
        if owner >= 0:
            places = seen.setdefault(owner, {})
            places.setdefault(name, len(places) + 1)
    names = (table.subjects[line] for line in lines[first].tolist())
    owners = (keys // size).tolist() if size else []
    return np.array([seen[owner][name] for owner, name in zip(owners, names, strict=True)], dtype=np.int64)


def _pairs_of_run(result: SearchResult) -> tuple[NDArray[np.int64], SubjectRanks]:
    size = len(result.database)
    keys = [index * size + query.hits.db_index for index, query in enumerate(result.queries)]
    places = [ranks_of_hits(result, index) for index in range(len(result.queries))]
    return np.concatenate(keys).astype(np.int64), SubjectRanks.join(places)


def _doubtful_keys(table: ImportedTable, queries: Matches, subjects: Matches, size: int) -> NDArray[np.int64]:
    """Return keys of all pairs that a line with an ambiguous name could mean."""
    keys: set[int] = set()
    if not queries.ambiguous and not subjects.ambiguous:  # as in most tables, which may have a million lines
        return np.zeros(0, dtype=np.int64)
    for query, subject in set(zip(table.queries, table.subjects, strict=True)):
        if query in queries.ambiguous or subject in subjects.ambiguous:
            keys.update(
                owner * size + target for owner in _meant(query, queries) for target in _meant(subject, subjects)
            )
    return np.array(sorted(keys), dtype=np.int64)


def _meant(name: str, matches: Matches) -> list[int]:
    return [matches.found[name]] if name in matches.found else list(map(int, matches.ambiguous.get(name, ())))


def _place_all(result: SearchResult, keys: NDArray[np.int64], published: KarlinAltschul | None) -> SubjectRanks:
    """Return the exact places of pairs; `keys` are ascending."""
    size = max(len(result.database), 1)
    owners = keys // size
    parts = [rank_subjects(result, int(owner), keys[owners == owner] % size, published) for owner in np.unique(owners)]
    return SubjectRanks.join(parts or [unknown_ranks(0)])


def _here(own_keys: NDArray[np.int64], ours: SubjectRanks, rows: NDArray[np.int64], size: int) -> AuditRows:
    """Return pairs of which the table says nothing."""
    nothing = unknown_ranks(len(rows))
    none = TheirPlaces(nothing.ranks, nothing.ranks, *[nothing.bit_scores] * 3)
    return _sorted(own_keys[rows], size, ours.take(rows), none)


def _sorted(keys: NDArray[np.int64], size: int, ours: SubjectRanks, theirs: TheirPlaces) -> AuditRows:
    query_index, db_index = keys // max(size, 1), keys % max(size, 1)
    order = np.lexsort((theirs.ranks, np.where(ours.ranks > 0, ours.ranks, np.iinfo(np.int64).max), query_index))
    return AuditRows(query_index[order], db_index[order], ours.take(order), theirs.take(order))


def _unmatched(kind: Literal["query", "subject"], names: Sequence[str], matches: Matches) -> list[Unmatched]:
    lines: dict[str, int] = {}
    for name in names:
        if name not in matches.found:
            lines[name] = lines.get(name, 0) + 1
    return [
        Unmatched(kind, name, count, tuple(map(int, matches.ambiguous.get(name, ())))) for name, count in lines.items()
    ]
