"""The answer of a search, and of the alignment of a pair: a sentence, and a line for each of several queries."""

from __future__ import annotations

import math

from swgui.core.answer import Answer, Count, Line, Where
from swgui.core.headers import header_of, parse_header
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.pair.problem import PairMode
from swgui.core.pair.result import PairResult
from swgui.core.verdict.kinds import SIGNIFICANT
from swgui.core.verdict.queries import judge_queries, significant_hits
from swgui.core.words import count, equal_evalue

QUERY = "query"  # column of `Where`: position of the query in the result
VERDICT = "log10_evalue"


def search_answer(result: SearchResult, asked: object = None, alignments: int = 0) -> Answer:
    """Return the answer of a search, or of its rounds: of several queries a line each.

    Parameters
    ----------
    alignments : int
        Significant ones of all hits together; 0 where they are not known.
    """
    sentence = judge_queries(result.queries, alignments)
    if result.state != "complete":
        share = 100 * result.cells_done // result.cells_total if result.cells_total else 0
        how = "Stopped" if result.state == "stopped" else "Failed"
        sentence = f"{how} after {share} % of the work, so more may be found. So far: {sentence}"
    if len(result.queries) < 2:
        return Answer(sentence)
    return Answer(sentence, tuple(query_line(result, number) for number in range(len(result.queries))))


def query_line(result: SearchResult, number: int) -> Line:
    """Return the best hit of a query with its E, and how many are below the thresholds; or that there is none."""
    query, mine = result.queries[number], (Where.equal(QUERY, number),)
    significant = significant_hits(query.hits)
    whole = query.subjects_scored >= len(result.database) and result.state == "complete"
    said = _best(result, query, significant) if len(query.hits.db_index) else _none(result, query)
    so_far = "" if whole or not query.subjects_scored else f"so far, with {_scored(result, query)} scored: "
    counts = (
        Count("significant", significant, (*mine, Where(VERDICT, most=SIGNIFICANT.value))),
        Count("listed", len(query.hits.db_index), mine),
    )
    return Line(query.query.id, so_far + said, counts, mine)


def _scored(result: SearchResult, query: QueryResult) -> str:
    return f"{query.subjects_scored:,} of {count(len(result.database), 'sequence')}"


def _best(result: SearchResult, query: QueryResult, significant: int) -> str:
    hits = query.hits
    index, log10_evalue = int(hits.db_index[0]), float(hits.log10_evalues[0])
    name = parse_header(result.database.ids[index], result.database.descriptions[index]).name
    if math.isnan(log10_evalue):
        return f"best {name}, score {int(hits.scores[0]):,}; no E-values for this scoring"
    number = f"{significant:,} significant" if significant else "none significant"
    return f"best {name}, {equal_evalue(log10_evalue)}; {number} (E ≤ {SIGNIFICANT.text})"


def _none(result: SearchResult, query: QueryResult) -> str:
    """Return that no sequence is within the limits, among those that were scored."""
    if not query.subjects_scored:
        return "not searched: the run ended before"
    limits = result.search.limits
    wanted = [limits.minimums.describe()]
    if result.statistics and math.isfinite(limits.max_evalue):
        wanted.insert(0, f"E ≤ {limits.max_evalue:g}")
    reached = ", ".join(filter(None, wanted)) or "a score above 0"
    return f"none of {count(query.subjects_scored, 'sequence')} has {reached}"


def pair_answer(result: PairResult, asked: object = None) -> Answer:
    """Return the answer of the alignment of a pair."""
    names = " and ".join(header_of(record).name for record in (result.query, result.subject))
    whole = result.state == "finished"
    sentence = _aligned(result, names) if result.alignments else _scored_alone(result, names)
    return Answer(sentence if whole or result.best is None else f"Not finished. So far: {sentence}")


def _aligned(result: PairResult, names: str) -> str:
    best = result.alignments[0]
    first, last = best.query_range(result.query_length)
    where = f"{first + 1:,} to {last:,} with {best.alignment.subject_start + 1:,} to {best.alignment.subject_end:,}"
    minus = ", on the minus strand" if best.strand == "minus" else ""
    score = f"score {best.score:,}"
    if not math.isnan(best.log10_evalue):
        score += f" ({best.bit_score:,.1f} bits), {equal_evalue(best.log10_evalue)}"
    more = len(result.alignments) - 1
    others = f" {count(more, 'more alignment follows', 'more alignments follow')}." if more else ""
    return f"{names} align best from {where}{minus}: {best.counts.pident:.3g} % identical, {score}.{others}"


def _scored_alone(result: PairResult, names: str) -> str:
    """Return the best score of a pair without alignments, and where it ends."""
    best = result.best
    if best is None:
        return f"Not finished. No score of {names} is known yet."
    if best.score == 0 and result.mode is not PairMode.GLOBAL and result.state == "finished":
        return f"No region of {names} aligns with a score above 0."
    plus = result.best_strand == "plus"
    query = best.query_end if plus else result.query_length + 1 - best.query_end
    minus = "" if plus else ", on the minus strand"
    return (
        f"The best alignment of {names} scores {best.score:,} and ends at {query:,} with {best.subject_end:,}{minus}."
    )
