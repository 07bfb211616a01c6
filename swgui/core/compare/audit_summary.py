"""The result of an audit, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from swgui.core.compare.audit import NAMED, Audit, AuditRows
from swgui.core.words import agree, count

CLEAR: Final = -3.0  # log10 of the E-value below which a missed hit is worth a word
MANY_NAMES: Final = 5


def headline(audit: Audit) -> str:
    """Return the counts, for example ``88 found by both, 54 only in this search``, as a sentence."""
    counts = (
        f"{len(audit.both):,} found by both, {len(audit.only_here):,} only in this search, "
        f"{len(audit.only_there):,} only in the table"
    )
    return f"{counts}, {len(audit.unclear):,} unclear." if len(audit.unclear) else f"{counts}."


def summary(audit: Audit) -> list[str]:
    """Return the headline and everything a reader must know to judge it, one sentence each."""
    return [headline(audit), *_missed(audit), *_surplus(audit), *_scores(audit), *_evalues(audit), *_left_out(audit)]


def _missed(audit: Audit) -> Iterator[str]:
    rows = audit.only_here
    if not len(rows):
        return
    clear = int((rows.ours.log10_evalues <= CLEAR).sum())
    best = rows.take(_best(rows.ours.scores)[:NAMED])
    named = ", ".join(
        f"{_subject(audit, best, row)} (score {int(best.ours.scores[row]):,}, rank {int(best.ours.ranks[row]):,})"
        for row in range(len(best))
    )
    yield f"Best of those only in this search: {named}."
    if not np.isnan(rows.ours.log10_evalues).all():
        verb = agree(clear, "has", "have")
        yield f"{clear:,} of the {len(rows):,} only in this search {verb} E of {10**CLEAR:g} or less."
    if audit.silent_queries:
        silent = int(np.isin(rows.query_index, audit.silent_queries).sum())
        names = _some([audit.result.queries[index].query.id for index in audit.silent_queries])
        which = count(len(audit.silent_queries), "query", "queries")
        yield (
            f"The table has no line of {which} ({names}), to which {silent:,} of those only in this search belong; it "
            "does not say whether the other program searched with them."
        )


def _surplus(audit: Audit) -> Iterator[str]:
    rows = audit.only_there
    if not len(rows):
        return
    ranked = rows.take(np.flatnonzero(rows.ours.ranks > 0))
    best = ranked.take(_best(ranked.ours.scores)[:NAMED])
    if len(best):
        named = ", ".join(f"{_subject(audit, best, row)} is {int(best.ours.ranks[row]):,}" for row in range(len(best)))
        more = len(ranked) - len(best)
        yield f"Exact ranks of those only in the table: {named}{f' and {more:,} more' if more else ''}."
    missing = len(rows) - len(ranked)
    if missing:
        verb = agree(missing, "has", "have")
        yield f"{missing:,} of the {len(rows):,} only in the table {verb} no score in this search."


def _scores(audit: Audit) -> Iterator[str]:
    """Compare raw scores: no alignment can score more than the exact one under the same costs."""
    if unit := audit.result.score_unit:
        yield (
            f"Raw scores were not compared: here they are in units of {unit}, and the table does not say which units "
            "its scores have. Bit scores and E-values have the same units everywhere."
        )
        return
    theirs = np.concatenate([audit.both.theirs.scores, audit.only_there.theirs.scores])
    ours = np.concatenate([audit.both.ours.scores, audit.only_there.ours.scores])
    scored = ~np.isnan(theirs) & (ours >= 0)
    total = int(scored.sum())
    if not total:
        return
    theirs, ours = theirs[scored], ours[scored]
    higher = int((theirs > ours).sum())
    yield (
        f"Raw scores: {int((theirs == ours).sum()):,} of {total:,} are equal, {int((theirs < ours).sum()):,} are lower "
        f"there, {higher:,} are higher there."
    )
    if higher:
        yield (
            "A score above the exact one means that the other program used other costs or adjusted its scores, as "
            "blastp does by default (-comp_based_stats 0 turns it off)."
        )


def _evalues(audit: Audit) -> Iterator[str]:
    difference = evalue_differences(audit.both)
    finite = difference[np.isfinite(difference)]
    if not len(finite):
        return
    middle = float(np.median(finite))
    if abs(middle) < np.log10(1.05):
        yield f"E-values of the {len(finite):,} found by both agree in the middle (median ratio {10**middle:.2f})."
    elif abs(middle) < 3:
        yield f"E-values there are {10 ** abs(middle):.2g} times as {'high' if middle > 0 else 'low'} (median)."
    else:
        yield f"E-values there are {abs(middle):.1f} powers of ten {'higher' if middle > 0 else 'lower'} (median)."


def evalue_differences(rows: AuditRows) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return log10 of E there minus log10 of E here, shape (n,); -inf where E there is written as 0."""
    return rows.theirs.log10_evalues - rows.ours.log10_evalues


def _left_out(audit: Audit) -> Iterator[str]:
    if audit.assumed:
        own = audit.result.queries[0].query.id
        yield f"The table calls its query '{audit.assumed}'; as both have only one, it means '{own}'."
    for kind, singular, plural in (("query", "query", "queries"), ("subject", "subject", "subjects")):
        of_kind = [entry for entry in audit.unmatched if entry.kind == kind]
        unknown = [entry.name for entry in of_kind if not entry.candidates]
        several = [entry.name for entry in of_kind if entry.candidates]
        if unknown:
            verb = agree(len(unknown), "is", "are")
            yield f"{count(len(unknown), singular, plural)} of the table {verb} not known here: {_some(unknown)}."
        if several:
            verb = agree(len(several), "has an ambiguous name", "have ambiguous names")
            yield f"{count(len(several), singular, plural)} of the table {verb}: {_some(several)}."
    if audit.result.state != "complete":
        yield "This search did not run to its end, so its ranks are not final."


def _best(scores: np.ndarray[tuple[int], np.dtype[np.int32]]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.argsort(-scores.astype(np.int64), kind="stable")


def _subject(audit: Audit, rows: AuditRows, row: int) -> str:
    return audit.result.database.ids[int(rows.db_index[row])]


def _some(names: Sequence[str]) -> str:
    more = len(names) - MANY_NAMES
    return ", ".join(names[:MANY_NAMES]) + (f" and {more:,} more" if more > 0 else "")
