"""One sentence for a query: how many of its hits are more than chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from swgui.core.hits.results import HitColumns, QueryResult
from swgui.core.hits.table import Hit
from swgui.core.verdict.kinds import KINDS, SIGNIFICANT, Kind, kinds_of
from swgui.core.words import agree, count

_DOUBTFUL: Final[Mapping[Kind, str]] = {"borderline": "borderline", "bias": "probably a bias of composition"}


def count_kinds(hits: HitColumns) -> dict[Kind, int]:
    """Return the number of hits of each kind."""
    counts = np.bincount(kinds_of(hits), minlength=len(KINDS))
    return {kind: int(number) for kind, number in zip(KINDS, counts, strict=True)}


def significant_hits(hits: HitColumns) -> int:
    """Return the number of significant hits."""
    return count_kinds(hits)["significant"]


def significant_alignments(hits: Iterable[Hit]) -> int:
    """Return the number of significant alignments of some hits."""
    return sum(hsp.log10_evalue <= SIGNIFICANT.value for hit in hits for hsp in hit.hsps)


def judge_query(query: QueryResult, alignments: int = 0) -> str:
    """Return the verdict on the hits of a query, as ``3 significant; the other 15 are expected by chance.``.

    Parameters
    ----------
    alignments : int
        Significant ones of all hits together; 0 where they are not known.
    """
    return summary(count_kinds(query.hits), alignments)


def summary(counts: Mapping[Kind, int], alignments: int = 0) -> str:
    """Return the verdict on hits of which so many are of each kind; `alignments` as of `judge_query`."""
    total = sum(counts.values())
    if not total:
        return "No hits, so none is significant."
    if counts["unknown"] == total:
        return f"{count(total, 'hit')}, but no E-values for this scoring, so none can be called significant."
    significant = counts["significant"]
    where = f", in {alignments:,} alignments" if alignments > significant > 0 else ""
    if significant == total:
        which = {1: "The only hit is", 2: "Both hits are"}.get(total, f"All {total:,} hits are")
        return f"{which} significant{where}."
    parts = [f"{significant:,} significant{where}" if significant else "None significant"]
    parts += [f"{counts[kind]:,} {said}" for kind, said in _DOUBTFUL.items() if counts[kind]]
    if chance := counts["chance"]:
        which = ("the hit is" if chance == 1 else f"the {chance:,} hits are") if chance == total else (
            "the other one is" if chance == 1 else f"the other {chance:,} are"
        )  # fmt: skip
        parts.append(f"{which} expected by chance")
    return f"{'; '.join(parts)}."


def judge_queries(queries: Sequence[QueryResult], alignments: int = 0) -> str:
    """Return a count of queries with significant hits: ``11 of 20 queries have significant hits, 231 in all.``.

    One query alone has its own sentence (`judge_query`, also for `alignments`).
    """
    if len(queries) == 1:
        return judge_query(queries[0], alignments)
    counts = [significant_hits(query.hits) for query in queries]
    those = sum(number > 0 for number in counts)
    if not those:
        return f"None of {count(len(counts), 'query', 'queries')} has a significant hit."
    has = agree(those, "has", "have")
    return f"{those:,} of {count(len(counts), 'query', 'queries')} {has} significant hits, {sum(counts):,} in all."
