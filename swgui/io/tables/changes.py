"""What became of hits in a newer release of a database, as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.compare.changes import Change
from swgui.core.words import format_evalue
from swgui.io.cells import table_line

CHANGE_COLUMNS: Final = (
    "change", "cause", "qseqid", "sseqid", "other", "stitle", "rank_before", "rank", "score_before", "score",
    "evalue_before", "evalue",
)  # fmt: skip


def cells_of(change: Change) -> list[str]:
    """Return the cells of a change, in the order of `CHANGE_COLUMNS`; what is not known is empty."""
    sides = change.before, change.now
    return [
        change.change,
        change.cause,
        *(change.query, change.subject, change.other, change.description),
        *(str(side.rank) if side.rank else "" for side in sides),
        *(str(side.score) if side.score >= 0 else "" for side in sides),
        *(format_evalue(side.log10_evalue, 3) for side in sides),
    ]


def write_changes(changes: Iterable[Change], file: TextIO) -> None:
    """Write changes, a line each."""
    file.write(table_line(CHANGE_COLUMNS))
    for change in changes:
        file.write(table_line(cells_of(change)))
