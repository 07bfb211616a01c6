"""A result in sentences: what was searched, how, what was found, and what is missing. No Qt."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import numpy as np

from swgui.core import words
from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.verdict.kinds import SIGNIFICANT
from swgui.core.verdict.queries import judge_query
from swgui.core.words import agree
from swgui.engines.registry import installed
from swgui.gui.words import formatting, wording
from swgui.io.matrices import original_matrix

PARTLY: Final = "\N{CIRCLE WITH LEFT HALF BLACK}"  # shown with partial scores


def what_was_searched(result: SearchResult) -> str:
    """Return queries and database: ``APOE_HUMAN (317 aa) in Swiss-Prot``."""
    unit = wording.UNITS[result.search.query_alphabet.name]
    if len(result.queries) == 1:
        query = result.queries[0].query
        name = parse_header(query.id, query.description).label
        what = f"{name} ({len(query.residues):,} {unit}{_part(result)})"
    else:
        residues = sum(len(of_query.query.residues) for of_query in result.queries)
        what = f"{len(result.queries):,} queries ({residues:,} {unit}{_part(result)})"
    return f"{what}  in  {result.database.name or 'unnamed database'}"


def _part(result: SearchResult) -> str:
    part = result.search.query_range
    return f", {result.search.query_alphabet.letter}s {part} searched" if part else ""


def how_it_was_searched(result: SearchResult) -> str:
    """Return scoring, size, speed, device and time in one line."""
    unit = wording.UNITS[result.database.alphabet.name]
    took = words.duration(result.seconds, measured=True)
    rounds = max((len(of_query.rounds) for of_query in result.queries if of_query.rounds is not None), default=0)
    parts = [
        _scoring_of_rounds(result, rounds) if rounds else result.scheme.describe(),
        f"{words.count(len(result.database), 'subject')}, {result.database.residues:,} {unit}",
        f"{wording.cells(result.cells_done)} in {took} ({result.gcups:,.1f} GCUPS)",
        f"{_engine(result.engine)}: {', '.join(result.devices)}" if result.devices else _engine(result.engine),
    ]
    if result.translation is not None:
        parts.insert(0, result.translation.describe())
    elif result.search.strand != "plus":
        parts.insert(1, {"both": "both strands", "minus": "minus strand"}[result.search.strand])
    if result.finished_at:
        parts.append(_when(result.finished_at))
    return "   ·   ".join(parts)


def _engine(name: str) -> str:
    known = installed().get(name)
    return known.title if known is not None else name


def _scoring_of_rounds(result: SearchResult, rounds: int) -> str:
    """Return a sentence on the scoring of the rounds: every position by a profile, so gaps have no fixed cost."""
    matrix = original_matrix(result.scheme.matrix).name
    if rounds == 1:
        return f"1 round, {matrix}"
    return f"{words.count(rounds, 'round')}, {matrix} and then profiles of the hits, gap costs by position"


def _when(text: str) -> str:
    try:
        return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return text


def _by_path(result: SearchResult) -> tuple[int, str]:
    paths = [
        query.rounds.evidence[at].path
        for query in result.queries
        if query.rounds is not None and query.rounds.evidence
        for at in query.hits.db_index[query.hits.log10_evalues > np.log10(result.search.limits.max_evalue)].tolist()
    ]
    others = [path.through for path in paths if path is not None and path.other_domain]
    said = f", {len(paths) - len(others):,} more by a path" if len(paths) > len(others) else ""
    if others:
        who = parse_header(others[0], "").name if len(set(others)) == 1 else words.count(len(set(others)), "hit")
        said += f", {len(others):,} through another domain of {who}"
    return len(paths), said


def what_was_found(result: SearchResult, significance: float, alignments: int = 0) -> str:
    """Count hits and significant hits over all queries.

    Parameters
    ----------
    significance : float
        Decadic logarithm of the E-value of the significance line.
    alignments : int
        Those of the significant hits up to that line; 0 where they are not known.
    """
    hits = sum(len(of_query.hits) for of_query in result.queries)
    by_path, paths = _by_path(result)
    if not result.statistics:
        text = f"{words.count(hits, 'hit')}{_minimums(result)}, at most {result.search.limits.top:,} per query; "
        text += "no E-values for this scoring"
    else:
        limit = formatting.limit(float(np.log10(result.search.limits.max_evalue)))
        if len(result.queries) == 1 and hits and not by_path and significance == SIGNIFICANT.value:
            ending = f" The list is cut at {hits:,} hits." if hits >= result.search.limits.top else ""
            return f"{judge_query(result.queries[0], alignments)} Listed: E ≤ {limit}{_minimums(result)}.{ending}"
        text = f"{words.count(hits - by_path, 'hit')} with E ≤ {limit}{_minimums(result)}"
        text += paths
        if hits and significance < np.log10(result.search.limits.max_evalue):
            text = f"{_what_is_significant(result, significance, alignments)}; {text}"
        full = sum(len(q.hits) >= result.search.limits.top for q in result.queries)
        if full:
            lists = "the list is" if len(result.queries) == 1 else f"{words.count(full, 'list')} "
            verb = "" if len(result.queries) == 1 else (agree(full, "is", "are"))
            text += f"; {lists}{verb} cut at {result.search.limits.top:,} hits"
    empty = sum(not len(q.hits) for q in result.queries)
    if empty and len(result.queries) > 1:
        so_far = "" if result.state == "complete" else " so far"
        text += f"; {words.count(empty, 'query', 'queries')} without hits{so_far}"
    return text


def _minimums(result: SearchResult) -> str:
    if not result.search.limits.minimums:
        return ""
    left_out = f" ({result.left_out:,} aligned, but below)" if result.left_out else ""
    return f", {result.search.limits.minimums.describe()}{left_out}"


def _what_is_significant(result: SearchResult, significance: float, alignments: int) -> str:
    """Count the hits up to the significance line, and the queries that have any if there are several."""
    strong = [int((of_query.hits.log10_evalues <= significance).sum()) for of_query in result.queries]
    text = f"{sum(strong):,} significant" if any(strong) else "None significant"
    text += f", in {alignments:,} alignments" if alignments > sum(strong) else ""
    text += f" (E ≤ {formatting.limit(significance)})"
    with_some = sum(number > 0 for number in strong)
    return f"{text} in {with_some:,} of {len(strong):,} queries" if with_some and len(strong) > 1 else text


def is_partial(result: SearchResult) -> bool:
    """Whether subjects were not reached."""
    return result.cells_done < result.cells_total


def is_resumable(result: SearchResult) -> bool:
    """Whether there is something to resume: subjects that were not reached, or rounds that were not done."""
    rounds = (of_query.rounds for of_query in result.queries)
    return is_partial(result) or any(one is not None and one.ended in ("stopped", "failed") for one in rounds)


def what_is_missing(result: SearchResult) -> str:
    """Return the reason why a result is incomplete, and departures from the request; empty if there are none."""
    if result.state == "complete":
        return result.message
    if any(of_query.rounds for of_query in result.queries):
        return f"Not all rounds were done: {_ending(result)}. {result.message}".strip()
    share = wording.progress(result.cells_done, result.cells_total)
    ended = "The search was stopped" if result.state == "stopped" else "The search failed"
    text = (
        f"{ended} after {share} of the work. Scores are exact, but the other subjects are missing, "
        "and ranks may change."
    )
    if is_partial(result) and len(result.queries) > 1:
        whole = sum(of_query.subjects_scored >= len(result.database) for of_query in result.queries)
        text += f" Queries that are complete: {whole:,} of {len(result.queries):,}; the others have a {PARTLY}."
    return f"{text} {result.message}".strip()


def _ending(result: SearchResult) -> str:
    return next(query.rounds.ending for query in result.queries if query.rounds is not None)
