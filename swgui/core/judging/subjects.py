"""Find any subject: every subject has been scored, so every subject has a score, a rank and a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import numpy as np

from swgui.core.database import TextColumn
from swgui.core.hits.results import SearchResult
from swgui.core.judging.places import rank_subjects
from swgui.core.limits import Limits
from swgui.core.search import Correction
from swgui.core.statistics.evalue import KarlinAltschul

NOT_SCORED = "The search was stopped before this sequence was scored."


class SubjectRank(msgspec.Struct, frozen=True):
    """Place of one subject in the ranking of one query."""

    db_index: int
    score: int  # -1 if the search was stopped before it was scored
    rank: int  # among all subjects scored, from 1; 0 if not scored
    scored: int  # how many subjects were scored
    # bit_score, log10_evalue: NaN where no statistics are known; as of `SubjectRanks` (those that count gives
    # `swgui.jobs.search.describe.find_subject`)
    bit_score: float
    log10_evalue: float
    listed: bool  # whether it is among the hits
    reason: str  # why it is not, as one sentence; empty if it is


def find_headers(ids: TextColumn, descriptions: TextColumn, text: str, limit: int = 200) -> list[int]:
    """Return source indices of subjects whose id or description holds `text`, whatever its case.

    Ids that begin with it come first, then other ids, then descriptions, each in source order.
    """
    wanted = text.strip()
    if not wanted:
        return []
    in_ids = list(_matches(ids, wanted, limit))
    start = [i for i in in_ids if _begins(ids[i], wanted)]
    found = dict.fromkeys([*start, *in_ids])
    if len(found) < limit:
        found.update(dict.fromkeys(_matches(descriptions, wanted, limit)))
    return list(found)[:limit]


def _begins(identifier: str, wanted: str) -> bool:
    """Whether the id, or one of its parts between bars, begins with the text."""
    return any(part.lower().startswith(wanted.lower()) for part in (identifier, *identifier.split("|")))


def _matches(column: TextColumn, wanted: str, limit: int) -> Iterator[int]:
    pattern = re.compile(re.escape(wanted.encode("utf-8")), re.IGNORECASE)
    count = 0
    for first, part in column.parts():
        block, ends, start = part.data.tobytes(), part.offsets, 0
        while match := pattern.search(block, start):
            index = int(np.searchsorted(ends, match.start(), side="right")) - 1
            if match.end() <= ends[index + 1]:
                yield first + index
                count += 1
                if count >= limit:
                    return
                start = int(ends[index + 1])
            else:  # the text runs from one header into the next
                start = match.start() + 1


def locate(result: SearchResult, query_index: int, db_index: int, published: KarlinAltschul | None) -> SubjectRank:
    """Return the rank of a subject for a query.

    Raises
    ------
    ValueError
        If the scores of the search were not kept.
    """
    query = result.queries[query_index]
    if query.scores is None:
        raise ValueError("The scores of this search were not kept.")
    vector, score = query.scores, int(query.scores[db_index])
    scored = int((vector >= 0).sum())
    if score < 0:
        nothing = float("nan")
        return SubjectRank(db_index, score, 0, scored, nothing, nothing, listed=False, reason=NOT_SCORED)
    place = rank_subjects(result, query_index, np.array([db_index], dtype=np.int64), published)
    rank, log10_evalue = int(place.ranks[0]), float(place.log10_evalues[0])
    listed = bool((query.hits.db_index == db_index).any())
    reason = (
        "" if listed else reason_unlisted(rank, score, log10_evalue, result.search.limits, result.search.composition)
    )
    return SubjectRank(db_index, score, rank, scored, float(place.bit_scores[0]), log10_evalue, listed, reason)


def reason_unlisted(rank: int, score: int, log10_evalue: float, limits: Limits, composition: Correction) -> str:
    """Return one sentence that says why a subject is not among the hits.

    Parameters
    ----------
    log10_evalue : float
        Without a correction for composition.
    composition : {"none", "lambda", "full"}
        How E is corrected for the list.
    """
    reasons = []
    if rank > limits.top:
        reasons.append(f"its rank is beyond the {limits.top:,} hits that may be listed")
    above = f"its E-value is above the limit of {limits.max_evalue:g}"
    if log10_evalue > np.log10(limits.max_evalue):
        reasons.append(above)
    if not score:
        reasons.append("its score is 0: no part of it can be aligned")
    elif score < limits.minimums.score:
        reasons.append(f"its score is below the limit of {limits.minimums.score:,}")
    if not reasons and limits.minimums.needs_alignment:
        reasons.append("its alignment does not reach the limits of identity and coverage, or E does not")
    elif not reasons and composition != "none":
        reasons.append(f"{above} once it is corrected for composition")
    return f"Not listed: {' and '.join(reasons)}." if reasons else ""
