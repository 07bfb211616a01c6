"""The jobs of the folding server as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Final

from swgui.core.profiles.depth import SHALLOW
from swgui.core.table import Column, Value
from swgui.core.words import count
from swgui.gui.kit.tables.row_table import LEFT, RIGHT, ListTable, RowColumn
from swgui.serve.tables import STATES, ticket_columns
from swgui.serve.tickets import COMPLETE, Ticket

_FORMS: Final = {"integer": "{:,}", "real": "{:.1f}"}
_MEASURED: Final = ("waited_seconds", "took_seconds", "rows")


def is_shallow(job: Ticket) -> bool:
    """Whether the alignments of a job have fewer rows a chain than predictions need; that of pairs is no such one."""
    chains = job.lengths.count(",") + 1
    return job.state == COMPLETE and job.kind == "msa" and job.rows < SHALLOW * chains


def _state(job: Ticket) -> str:
    return f"{STATES.get(job.state, job.state)}{', shallow' if is_shallow(job) else ''}"


def _reason(job: Ticket) -> str:
    """Return why a job failed, or what to do for a deeper alignment."""
    if not is_shallow(job):
        return job.reason
    return f"{count(job.rows, 'row')}: fewer than about {SHALLOW} a chain make poor predictions. Use a larger database."


# Texts of cells that do not show the value itself.
_SHOWN: Final[Mapping[str, Callable[[Ticket], str]]] = MappingProxyType(
    {
        "created": lambda job: datetime.fromtimestamp(job.created).strftime("%d %b %H:%M:%S"),
        "state": _state,
        "chains": lambda job: count(job.lengths.count(",") + 1, "chain"),
    }
)
_TIPS: Final[Mapping[str, Callable[[Ticket], str]]] = MappingProxyType(
    {
        "residues": lambda job: job.lengths.replace(",", ", "),
        "state": _reason,
        "error": lambda job: job.reason,
    }
)


class JobTable(ListTable[Ticket]):
    """One row for each job, the newest first."""

    def __init__(self) -> None:
        super().__init__([_shown(column) for column in ticket_columns()])

    def show_jobs(self, jobs: Sequence[Ticket]) -> None:
        """Show the current jobs; rows that stay keep their selection."""
        if [job.id for job in jobs] != [row.id for row in self.rows]:
            self.beginResetModel()
            self.rows = list(jobs)
            self.endResetModel()
        elif self.rows:
            self.rows = list(jobs)
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.columns) - 1))


def _shown(column: Column[Sequence[Ticket]]) -> RowColumn[Ticket]:
    text = _SHOWN.get(column.key) or partial(_text, column)
    side = RIGHT if column.key in _MEASURED else LEFT
    return RowColumn(column.title, column.description, text, partial(_key, column), _TIPS.get(column.key), side)


def _value(column: Column[Sequence[Ticket]], job: Ticket) -> Value:
    return column.values([job])[0]


def _text(column: Column[Sequence[Ticket]], job: Ticket) -> str:
    value = _value(column, job)
    return "–" if value is None else _FORMS.get(column.kind, "{}").format(value)


def _key(column: Column[Sequence[Ticket]], job: Ticket) -> float | str:
    value = _value(column, job)
    return math.nan if value is None else value
