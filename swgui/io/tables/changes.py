"""Changes of hits in a newer release of a database, as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from swgui.core.compare.changes import Change, Side
from swgui.core.table import Column, Kind, Table, Value, Values

Changes = Sequence[Change]


def _each(read: Callable[[Change], Value]) -> Callable[[Changes], Values]:
    return lambda changes: [read(change) for change in changes]


def _log10_evalue(side: Side) -> Value:
    return None if math.isnan(side.log10_evalue) else side.log10_evalue


def _sides(
    key: str, title: str, kind: Kind, read: Callable[[Side], Value], *, on_request: bool = False
) -> list[Column[Changes]]:
    """Return the columns of one figure in both databases."""
    before, now = _each(lambda change: read(change.before)), _each(lambda change: read(change.now))
    where = f"{title} in the older database.", f"{title} in the newer database."
    decimals, short = 4 if kind == "real" else 0, "E" if kind == "evalue" else title
    return [
        Column(f"{key}_before", f"{title} before", where[0], kind, read=before, decimals=decimals,
               short=f"{short} before", on_request=on_request),
        Column(key, f"{title} now", where[1], kind, read=now, decimals=decimals, short=f"{short} now",
               on_request=on_request),
    ]  # fmt: skip


CHANGE_COLUMNS: Final[tuple[Column[Changes], ...]] = (
    Column("change", "Change", "gained, lost or moved.", "word", read=_each(lambda change: change.change)),
    Column("cause", "Cause", "Why.", "word", read=_each(lambda change: change.cause)),
    Column("qseqid", "Query", "Identifier of the query.", "text", read=_each(lambda change: change.query)),
    Column("sseqid", "Subject", "Identifier of the subject.", "text", read=_each(lambda change: change.subject)),
    Column("other", "Other name", "The other identifier of a sequence that was renamed or merged.", "text",
           read=_each(lambda change: change.other or None)),
    Column("stitle", "Description", "Description of the subject, without its identifier.", "text",
           read=_each(lambda change: change.description or None)),
    *_sides("rank", "Rank", "integer", lambda side: side.rank or None),
    *_sides("score", "Score", "integer", lambda side: side.score if side.score >= 0 else None),
    *_sides("evalue", "E-value", "evalue", _log10_evalue),
    *_sides("verdict", "Verdict", "word", lambda side: side.verdict or None),
    *_sides("log10_evalue", "Logarithm of E", "real", _log10_evalue, on_request=True),
)  # fmt: skip


def changes_table(changes: Iterable[Change]) -> Table[Changes]:
    """Return changes as a table, a row each; unknown values are empty."""
    made = tuple(changes)
    return Table(CHANGE_COLUMNS, lambda: (made,))
