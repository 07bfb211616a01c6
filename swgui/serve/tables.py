"""The jobs of a server as a table, for files and the window."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from swgui.core.table import Column, Kind, Table, Value, Values
from swgui.serve.tickets import COMPLETE, ERROR, PENDING, RUNNING, Ticket

STATES: Final[Mapping[str, str]] = MappingProxyType(
    {PENDING: "waiting", RUNNING: "running", COMPLETE: "done", ERROR: "failed"}
)
KINDS: Final[Mapping[str, str]] = MappingProxyType({"msa": "alignments", "pair": "pairs", "nuclmsa": "RNA alignments"})
# Key, title, description, kind and unit of each column, and its value for a job.
_COLUMNS: Final[tuple[tuple[str, str, str, Kind, str, Callable[[Ticket], Value]], ...]] = (
    ("created", "Since", "When the job came.", "word", "", lambda job: _at(job.created)),
    ("user", "User", "Owner of its token; 'local' for this computer.", "text", "", lambda job: job.owner),
    ("kind", "Kind", "Alignments of each chain by itself, of RNA too, pairs by organism, or a search.", "word", "",
     lambda job: KINDS.get(job.kind, job.kind)),
    ("chains", "Chains", "How many sequences.", "integer", "", lambda job: job.lengths.count(",") + 1),
    ("residues", "Residues", "For each chain.", "word", "", lambda job: job.lengths.replace(",", ", ")),
    ("state", "State", "Waiting, running, done or failed.", "word", "", lambda job: STATES.get(job.state, job.state)),
    ("waited_seconds", "Waited (s)", "Seconds before it began.", "real", "s",
     lambda job: (job.begun or job.ended or time.time()) - job.created),
    ("took_seconds", "Took (s)", "Seconds of its search.", "real", "s",
     lambda job: (job.ended or time.time()) - job.begun if job.begun else None),
    ("rows", "Rows", "Rows of its alignments.", "integer", "", lambda job: job.rows if job.state == COMPLETE else None),
    ("error", "Error", "Why it failed.", "text", "", lambda job: job.reason),
)  # fmt: skip


def ticket_columns() -> tuple[Column[Sequence[Ticket]], ...]:
    """Return the columns of jobs."""
    return tuple(_column(*facts) for facts in _COLUMNS)


def tickets_table(jobs: Sequence[Ticket]) -> Table[Sequence[Ticket]]:
    """Return jobs as a table, a row for each, in their order."""
    return Table(ticket_columns(), lambda: (jobs,))


def _column(
    key: str, title: str, said: str, kind: Kind, unit: str, value: Callable[[Ticket], Value]
) -> Column[Sequence[Ticket]]:
    def read(jobs: Sequence[Ticket]) -> Values:
        return [value(job) for job in jobs]

    return Column(key, title, said, kind, read=read, unit=unit, decimals=1 if kind == "real" else 0)


def _at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")
