"""Audits, comparisons of runs, and standings of subjects as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.compare.audit import Audit, AuditRows, TheirPlaces
from swgui.core.compare.audit_summary import summary
from swgui.core.compare.runs import STATES, RunComparison
from swgui.core.hits.results import SearchResult
from swgui.core.judging.places import SubjectRanks, unknown_ranks
from swgui.core.judging.subjects import SubjectRank
from swgui.core.table import SHORTEST, Column, Table, Values
from swgui.io.cells import listed_names, sequence_names
from swgui.io.export.provenance import provenance_lines

QSEQID: Final = ("qseqid", "Query", "Identifier of the query.", "text")
SSEQID: Final = ("sseqid", "Subject", "Identifier of the subject.", "text")
STITLE: Final = ("stitle", "Description", "Description of the subject, without its identifier.", "text")
SHORT: Final = {"bitscore": "Bits", "evalue": "E"}  # heads where room is scarce
STANDING_COLUMNS: Final[tuple[Column[Standings], ...]] = (
    Column(*QSEQID, read=lambda of: of.names.queries),
    Column(*SSEQID, read=lambda of: of.names.subjects),
    Column(*STITLE, read=lambda of: of.names.titles),
    Column("rank", "Rank", "Among all subjects scored: hits by E, all others behind them by score.", "integer",
           read=lambda of: [place.rank or None for place in of.places]),
    Column("scored", "Scored", "How many subjects were scored.", "integer",
           read=lambda of: [place.scored for place in of.places]),
    Column("score", "Score", "Exact score.", "integer",
           read=lambda of: [place.score if place.score >= 0 else None for place in of.places]),
    Column("bitscore", "Bit score", "Bit score.", "real", decimals=1,
           read=lambda of: np.array([place.bit_score for place in of.places], dtype=np.float64)),
    Column("evalue", "E-value", "E-value.", "evalue",
           read=lambda of: np.array([place.log10_evalue for place in of.places], dtype=np.float64)),
    Column("listed", "Listed", "Whether it is among the hits: yes or no.", "word",
           read=lambda of: ["yes" if place.listed else "no" for place in of.places]),
    Column("reason", "Reason", "Why it is not.", "word", read=lambda of: [place.reason or None for place in of.places]),
)  # fmt: skip


class Named(NamedTuple):
    """Names of some rows: of the query, of the subject, and the rest of its header; None where there is none."""

    queries: Sequence[str | None]
    subjects: Sequence[str | None]
    titles: Sequence[str | None]


def _known(values: NDArray[Any], least: int = 1) -> Values:
    """Return whole numbers; None below what is possible, which stands for not known."""
    return [value if value >= least else None for value in values.tolist()]


# --- audits -----------------------------------------------------------------------------------------------------------


class AuditPart(NamedTuple):
    """Rows of an audit that were found in the same way, and names that could not be compared."""

    found_by: Sequence[str]
    names: Named
    ours: SubjectRanks
    theirs: TheirPlaces
    reasons: Sequence[str | None]


AUDIT_COLUMNS: Final[tuple[Column[AuditPart], ...]] = (
    Column("found_by", "Found by", "both, here, there or unclear; of names that mean nothing or several things 'no "
           "query', 'no subject', 'ambiguous query' or 'ambiguous subject'.", "word", read=lambda part: part.found_by),
    Column(*QSEQID, read=lambda part: part.names.queries),
    Column(*SSEQID, read=lambda part: part.names.subjects),
    Column(*STITLE, read=lambda part: part.names.titles),
    Column("rank", "Rank", "Among all subjects scored here.", "integer", read=lambda part: _known(part.ours.ranks)),
    Column("score", "Score", "Exact score.", "integer", read=lambda part: _known(part.ours.scores, 0)),
    Column("bitscore", "Bit score", "Bit score here.", "real", decimals=1, short="Bits",
           read=lambda part: part.ours.bit_scores),
    Column("evalue", "E-value", "E-value here.", "evalue", short="E", read=lambda part: part.ours.log10_evalues),
    Column("log10_evalue", "Logarithm of E", "Decadic logarithm of the E-value here.", "real", decimals=4,
           read=lambda part: part.ours.log10_evalues),
    Column("table_rank", "Rank there", "Among the subjects of its query in the table.", "integer",
           read=lambda part: _known(part.theirs.ranks)),
    Column("table_segments", "Lines", "Lines of this pair, or of this name, in the table.", "integer",
           read=lambda part: _known(part.theirs.segments)),
    Column("table_score", "Score there", "Raw score in the best line of the table.", "real", decimals=SHORTEST,
           read=lambda part: part.theirs.scores),
    Column("table_bitscore", "Bits there", "Bit score in that line.", "real", decimals=SHORTEST,
           read=lambda part: part.theirs.bit_scores),
    Column("table_evalue", "E there", "E-value in that line.", "evalue", read=lambda part: part.theirs.log10_evalues),
    Column("reason", "Reason", "Why the pair is not listed here, or the name was not compared.", "word",
           read=lambda part: part.reasons),
)  # fmt: skip


def audit_table(audit: Audit) -> Table[AuditPart]:
    """Return every pair of query and subject, then the names that could not be compared."""
    return Table(AUDIT_COLUMNS, lambda: _audit_parts(audit))


def audit_comments(audit: Audit) -> list[str]:
    """Return how the run was made, and what the audit found."""
    return [*provenance_lines(audit.result), f"compared with: {audit.program or 'a table'}", *summary(audit)]


def _audit_parts(audit: Audit) -> Iterator[AuditPart]:
    database = audit.result.database
    kinds = {"both": audit.both, "here": audit.only_here, "there": audit.only_there, "unclear": audit.unclear}
    queries = sequence_names(query.query.id for query in audit.result.queries)
    subjects = listed_names(database.ids, chain.from_iterable(rows.db_index.tolist() for rows in kinds.values()))
    for found_by, rows in kinds.items():
        names = Named(
            [queries[index] for index in rows.query_index.tolist()],
            [subjects[index] for index in rows.db_index.tolist()],
            [database.descriptions[index] or None for index in rows.db_index.tolist()],
        )
        yield AuditPart([found_by] * len(rows), names, rows.ours, rows.theirs, _reasons(audit, rows))
    entries, nothing = audit.unmatched, unknown_ranks(len(audit.unmatched))
    lines = np.array([entry.lines for entry in entries], dtype=np.int64)
    yield AuditPart(
        [f"{'ambiguous' if entry.candidates else 'no'} {entry.kind}" for entry in entries],
        Named(
            [entry.name if entry.kind == "query" else None for entry in entries],
            [entry.name if entry.kind == "subject" else None for entry in entries],
            [None] * len(entries),
        ),
        nothing,
        TheirPlaces(nothing.ranks, lines, *3 * (nothing.bit_scores,)),
        [entry.reason for entry in entries],
    )


def _reasons(audit: Audit, rows: AuditRows) -> list[str | None]:
    if rows is not audit.only_there:
        return [None] * len(rows)
    return [audit.reason(row) for row in range(len(rows))]


# --- comparisons of runs ----------------------------------------------------------------------------------------------


class ComparedRows(NamedTuple):
    """Hits of two runs."""

    names: Named
    comparison: RunComparison


def _of_runs(
    key: str, title: str, description: str, kind: Any, read: Callable[[SubjectRanks], Values], decimals: int = 0
) -> list[Column[ComparedRows]]:
    """Return the columns of a figure in both runs."""

    def of(side: int) -> Callable[[ComparedRows], Values]:
        return lambda rows: read(rows.comparison.places[side])

    return [
        Column(f"{key}_{side + 1}", f"{title} {side + 1}", f"{description} in run {side + 1}.", kind,
               read=of(side), decimals=decimals, short=f"{SHORT.get(key, title)} {side + 1}")
        for side in (0, 1)
    ]  # fmt: skip


def _rank_changes(rows: ComparedRows) -> Values:
    first, second = (places.ranks.tolist() for places in rows.comparison.places)
    return [two - one if one and two else None for one, two in zip(first, second, strict=True)]


COMPARISON_COLUMNS: Final[tuple[Column[ComparedRows], ...]] = (
    Column("state", "State", "same, moved, new (run 2 alone) or lost (run 1 alone).", "word",
           read=lambda rows: [STATES[state] for state in rows.comparison.states.tolist()]),
    Column(*QSEQID, read=lambda rows: rows.names.queries),
    Column(*SSEQID, read=lambda rows: rows.names.subjects),
    Column(*STITLE, read=lambda rows: rows.names.titles),
    *_of_runs("rank", "Rank", "Rank among all subjects scored", "integer", lambda side: _known(side.ranks)),
    Column("rank_change", "Change of rank", "Rank in run 2 less that in run 1.", "integer", short="Δ rank",
           read=_rank_changes),
    *_of_runs("score", "Score", "Exact score", "integer", lambda side: _known(side.scores, 0)),
    *_of_runs("bitscore", "Bit score", "Bit score", "real", lambda side: side.bit_scores, 1),
    *_of_runs("evalue", "E-value", "E-value", "evalue", lambda side: side.log10_evalues),
    *_of_runs("log10_evalue", "Logarithm of E", "Decadic logarithm of E", "real", lambda side: side.log10_evalues, 4),
)  # fmt: skip


def comparison_table(comparison: RunComparison) -> Table[ComparedRows]:
    """Return every hit of two runs with its state."""
    return Table(COMPARISON_COLUMNS, lambda: (ComparedRows(_names_of_runs(comparison), comparison),))


def comparison_comments(comparison: RunComparison) -> list[str]:
    """Return how both runs were made."""
    runs = comparison.first, comparison.second
    return [f"run {number}, {line}" for number, run in enumerate(runs, 1) for line in provenance_lines(run)]


def _names_of_runs(comparison: RunComparison) -> Named:
    runs = comparison.first, comparison.second
    queries = [sequence_names(query.query.id for query in run.queries) for run in runs]
    listed = [index[index >= 0].tolist() for index in comparison.db_index]
    subjects = [listed_names(run.database.ids, some) for run, some in zip(runs, listed, strict=True)]
    sides = np.where(comparison.db_index[0] >= 0, 0, 1).tolist()
    places = [int(comparison.db_index[side][row]) for row, side in enumerate(sides)]
    return Named(
        [queries[side][int(comparison.query_index[side][row])] for row, side in enumerate(sides)],
        [subjects[side][place] for side, place in zip(sides, places, strict=True)],
        [runs[side].database.descriptions[place] or None for side, place in zip(sides, places, strict=True)],
    )


# --- standings of subjects --------------------------------------------------------------------------------------------


class Standings(NamedTuple):
    """Where some subjects stand in the ranking of a query."""

    names: Named
    places: Sequence[SubjectRank]


def standings_table(
    result: SearchResult, queries: Sequence[int], subjects: Sequence[int], find: Callable[[int, int], SubjectRank]
) -> Table[Standings]:
    """Return where subjects stand, query by query.

    Parameters
    ----------
    queries, subjects : sequence of int
        Places of queries, and source indices of subjects.
    find : callable
        Returns the standing of a subject, by both.
    """
    own = sequence_names(query.query.id for query in result.queries)
    listed = listed_names(result.database.ids, subjects)
    titles = [result.database.descriptions[index] or None for index in subjects]

    def parts() -> Iterator[Standings]:
        for query in queries:
            names = Named([own[query]] * len(subjects), [listed[index] for index in subjects], titles)
            yield Standings(names, [find(query, index) for index in subjects])

    return Table(STANDING_COLUMNS, parts)
