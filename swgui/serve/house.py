"""Jobs, queue, databases and limits of a server, which all its doors share."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from swgui.core.words import count
from swgui.serve.databases import Databases
from swgui.serve.queue import Queue
from swgui.serve.requests import Allowed, Refused, User
from swgui.serve.tickets import DELETED, ID, Ticket, Tickets

MAX_WAITING: Final = 64  # answers that wait for results at a time


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a server.

    Parameters
    ----------
    folding, searches : Allowed
        Of one request of folding clients, and of one search.
    waiting : int
        Unfinished jobs of one user.
    cells : float
        Cells of one search.
    shared : bool
        Whether users see the jobs of all others.
    """

    folding: Allowed
    searches: Allowed
    waiting: int
    cells: float
    shared: bool = False


@dataclass(slots=True)
class House:
    """The server behind all doors.

    Parameters
    ----------
    facts : str
        Facts besides a request of a folding client that decide its result; empty if none is served.
    facts_of_bases : str
        Those of a request for an alignment of RNA.
    watches : Path, optional
        Folder of the watches whose feeds are offered; none if not given.
    """

    tickets: Tickets
    queue: Queue
    databases: Databases
    limits: Limits
    facts: str = ""
    facts_of_bases: str = field(default="", kw_only=True)
    with_tokens: bool = False
    watches: Path | None = None
    closing: bool = False
    _waiting: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(MAX_WAITING))

    def submit(
        self, user: User, kind: str, mode: str, query: str, lengths: Sequence[int], facts: str
    ) -> Ticket:  # fmt: skip
        """Return the ticket of a job: a new one, or that of the same job before.

        Parameters
        ----------
        facts : str
            Others that decide the result: checksums and settings.

        Raises
        ------
        Refused
            If the user has too many, or the server ends.
        """
        if self.closing:
            raise Refused("The server is shutting down.", status="RATELIMIT")
        most = user.waiting or self.limits.waiting
        ticket = self.tickets.submit(user.name, kind, mode, query, lengths, facts, most)
        if ticket is None:
            jobs = count(most, "job of yours is", "jobs of yours are")
            raise Refused(f"{jobs} waiting already.", status="RATELIMIT")
        self.queue.touch(ticket.id)
        self.queue.notify()
        return ticket

    def ticket(self, user: User, ticket_id: str) -> Ticket | None:
        """Return a ticket that a user may see; those of others do not exist for them."""
        ticket = self.tickets.get(ticket_id) if ID.fullmatch(ticket_id) else None
        if ticket is None or not self._sees(user, ticket):
            return None
        self.queue.touch(ticket_id)
        return ticket

    def jobs(self, user: User, most: int) -> list[Ticket]:
        """Return the newest jobs that a user may see, the newest first."""
        return [ticket for ticket in self.tickets.recent(most) if self._sees(user, ticket)]

    def owned(self, user: User, ticket: Ticket) -> bool:
        """Whether a user may stop and delete a job."""
        return not self.with_tokens or ticket.owner == user.name

    def delete(self, ticket: Ticket) -> None:
        """Stop a job, or delete its result."""
        if ticket.live:
            self.queue.stop(ticket.id, DELETED)
        else:
            self.tickets.delete(ticket.id)

    def wait(self, ticket: Ticket, end: float) -> Ticket:
        """Return a ticket once it is done, or its state at a time of `time.monotonic`; at once if too many wait."""
        if not ticket.live or self.queue.paused or not self._waiting.acquire(blocking=False):
            return ticket
        try:
            return self.queue.wait(ticket, end)
        finally:
            self._waiting.release()

    def wait_for(self, ticket: Ticket, seconds: float) -> Ticket:
        """Do as `wait`, for some seconds from now."""
        return self.wait(ticket, time.monotonic() + seconds)

    def _sees(self, user: User, ticket: Ticket) -> bool:
        return self.limits.shared or self.owned(user, ticket)
