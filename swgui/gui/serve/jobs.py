"""The jobs of the folding server as a table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from swgui.core.words import count
from swgui.gui.kit.tables.row_table import RIGHT, ListTable, RowColumn
from swgui.serve.tickets import COMPLETE, ERROR, PENDING, RUNNING, Ticket

STATES: Final = {PENDING: "waiting", RUNNING: "running", COMPLETE: "done", ERROR: "failed"}


def _at(ticket: Ticket) -> str:
    return datetime.fromtimestamp(ticket.created).strftime("%d %b %H:%M:%S")


def _chains(ticket: Ticket) -> str:
    return count(ticket.lengths.count(",") + 1, "chain")


def _waited(ticket: Ticket) -> float:
    return (ticket.begun or ticket.ended or time.time()) - ticket.created


def _worked(ticket: Ticket) -> float:
    return (ticket.ended or time.time()) - ticket.begun if ticket.begun else 0.0


COLUMNS: Final[tuple[RowColumn[Ticket], ...]] = (
    RowColumn("Since", "When the job came", _at, lambda ticket: ticket.created),
    RowColumn("User", "Whose token it came with; 'local' for this computer", lambda ticket: ticket.owner),
    RowColumn(
        "Kind", "Each chain by itself, or pairs by organism",
        lambda ticket: "pairs" if ticket.kind == "pair" else "alignments",
    ),
    RowColumn("Chains", "How many sequences", _chains),
    RowColumn(
        "Residues", "Of each chain", lambda ticket: ticket.lengths.replace(",", ", "),
        cell_tip=lambda ticket: ticket.lengths.replace(",", ", "),
    ),
    RowColumn(
        "State", "Waiting, running, done or failed", lambda ticket: STATES.get(ticket.state, ticket.state),
        cell_tip=lambda ticket: ticket.reason,
    ),
    RowColumn("Waited (s)", "Seconds until it was begun", lambda t: f"{_waited(t):.1f}", _waited, side=RIGHT),
    RowColumn(
        "Took (s)", "Seconds of its search", lambda t: f"{_worked(t):.1f}" if t.begun else "–", _worked, side=RIGHT
    ),
    RowColumn(
        "Rows", "Rows of its alignments", lambda t: f"{t.rows:,}" if t.state == COMPLETE else "–",
        lambda ticket: ticket.rows, side=RIGHT,
    ),
    RowColumn("Error", "Why it failed", lambda ticket: ticket.reason, cell_tip=lambda ticket: ticket.reason),
)  # fmt: skip


class JobTable(ListTable[Ticket]):
    """One row for each job, the newest first."""

    def __init__(self) -> None:
        super().__init__(COLUMNS)

    def show_jobs(self, jobs: Sequence[Ticket]) -> None:
        """Show jobs as they are now; rows that stay keep their selection."""
        if [job.id for job in jobs] != [row.id for row in self.rows]:
            self.beginResetModel()
            self.rows = list(jobs)
            self.endResetModel()
        elif self.rows:
            self.rows = list(jobs)
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.columns) - 1))
