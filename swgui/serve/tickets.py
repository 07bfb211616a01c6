"""Jobs and their results on disk: a table in SQLite and an archive for each, so that a killed server loses nothing."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import secrets
import sqlite3
import string
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from swgui.core.errors import SwguiError
from swgui.core.plain import replace
from swgui.io.locking import lock
from swgui.io.whole_file import save_bytes, whole_file
from swgui.paths import make_folder

ID: Final = re.compile(r"[A-Za-z0-9_-]{38}|[A-Z0-9]{11}")  # of a folding client's job, and of any other
FOLDING: Final = ("msa", "pair", "nuclmsa")  # kinds whose results are the archives of that protocol
PENDING, RUNNING, COMPLETE, ERROR = "PENDING", "RUNNING", "COMPLETE", "ERROR"
ATTEMPTS: Final = 3  # maximum number of starts of a job: a job that kills the server would kill it again and again
LOST: Final = "The server has no such ticket any more: it was deleted or lost. Send the sequences again."
DELETED: Final = "The job was deleted on request."
DAY: Final = 86_400.0
REMEMBERED: Final = 30 * DAY  # time after the result for which a ticket still reports the outcome
_COLUMNS: Final = (
    "id, owner, kind, mode, lengths, state, reason, created, begun, ended, rows"  # in the order of `Ticket`
)
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS tickets (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, kind TEXT NOT NULL, mode TEXT NOT NULL, lengths TEXT NOT NULL,
  state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', created REAL NOT NULL, begun REAL NOT NULL DEFAULT 0,
  ended REAL NOT NULL DEFAULT 0, rows INTEGER NOT NULL DEFAULT 0, key TEXT NOT NULL, query TEXT NOT NULL DEFAULT '',
  attempts INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS by_key ON tickets (key);
CREATE INDEX IF NOT EXISTS by_state ON tickets (state, created);
"""
log = logging.getLogger(__name__)


class TicketError(SwguiError, OSError):
    """The folder of the server cannot be used."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One job."""

    id: str
    owner: str
    kind: str  # of which `Maker` it is
    mode: str  # how, as its maker writes it
    lengths: str  # residues of each chain, with commas between them
    state: str
    reason: str
    # created, begun, ended: seconds since 1970; 0 for not yet
    created: float
    begun: float = 0.0
    ended: float = 0.0
    rows: int = 0  # of all alignments, without the queries

    @property
    def live(self) -> bool:
        """Whether its client may still fetch an archive that needs no further work."""
        return self.state in (PENDING, RUNNING)


class Tickets:
    """All jobs of one folder, which one server uses at a time.

    Raises
    ------
    TicketError
        If the folder cannot be written, or another server uses it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._results = folder, folder / "results"
        self._lock = threading.RLock()
        self._unwritten: dict[str, str] = {}  # tickets that failed, and why, while the disk was full
        self.changes = 0  # so that viewers of the jobs know whether they changed
        try:
            make_folder(self._results)
            for part in (folder, self._results):
                part.chmod(0o700)
            self.lock_file = (folder / "lock").open("ab")
        except OSError as fault:
            raise _unusable(folder, fault) from fault
        try:
            if not lock(self.lock_file):
                what = f"Another folding server uses the folder '{folder}'."
                raise TicketError(what, hint="Stop it, or name another with --folder.")
            self._secret = self._own_secret()
            self._base = self._open(folder / "tickets.sqlite")
        except SwguiError:
            self.lock_file.close()
            raise
        except (OSError, sqlite3.Error) as fault:
            self.lock_file.close()
            raise _unusable(folder, fault) from fault

    def _own_secret(self) -> bytes:
        """Return the function that makes keys of jobs, which others cannot compute."""
        place = self.folder / "secret"
        if not place.is_file() or place.stat().st_size < 32:
            with whole_file(place, private=True) as file:
                file.write(secrets.token_bytes(32))
        return place.read_bytes()

    def _open(self, place: Path) -> sqlite3.Connection:
        place.touch(mode=0o600)
        try:
            return self._begun(place)
        except sqlite3.DatabaseError as fault:
            if isinstance(fault, sqlite3.OperationalError):
                raise
            os.replace(place, place.with_suffix(".damaged"))
            log.warning("The table of jobs was damaged (%s); it is set aside.", fault)
            place.touch(mode=0o600)
            return self._begun(place)

    def _begun(self, place: Path) -> sqlite3.Connection:
        """Open the table; jobs begun by a killed server wait again, unless that happened too often."""
        base = sqlite3.connect(place, check_same_thread=False, isolation_level=None, timeout=2)
        base.execute("PRAGMA secure_delete = ON")
        base.executescript(_TABLE)
        given_up = f"The server stopped {ATTEMPTS} times while it worked on this. Send less at a time."
        base.execute(
            "UPDATE tickets SET state = ?, reason = ?, query = '', ended = ? WHERE state = ? AND attempts >= ?",
            (ERROR, given_up, time.time(), RUNNING, ATTEMPTS),
        )
        base.execute("UPDATE tickets SET state = ?, begun = 0 WHERE state = ?", (PENDING, RUNNING))
        return base

    def close(self) -> None:
        """Release the folder for another server."""
        with self._lock:
            self._base.close()
            self.lock_file.close()

    def key(self, *parts: str) -> str:
        """Return a key that two equal jobs of one owner share."""
        return hmac.new(self._secret, "\0".join(parts).encode(), hashlib.sha256).hexdigest()

    def submit(
        self, owner: str, kind: str, mode: str, query: str, lengths: Sequence[int], database: str, most: int
    ) -> Ticket | None:
        """Return the ticket of a job: its earlier one, or a new one; None if its owner has too many.

        Parameters
        ----------
        database : str
            Other facts that decide the result: checksums and settings.
        most : int
            Maximum number of unfinished jobs of an owner.

        Raises
        ------
        OSError
            If the table cannot be written.
        """
        key = self.key(owner, kind, mode, query, database)
        with self._writing():
            found = self._ask("WHERE key = ? AND state != ? ORDER BY created DESC", key, ERROR)
            for ticket in found:
                if self._checked(ticket).state != ERROR:
                    return ticket
            if self._waiting_of(owner) >= most:
                return None
            chosen = ",".join(map(str, lengths))
            ticket = Ticket(new_id(kind), owner, kind, mode, chosen, PENDING, "", time.time())
            self._base.execute(
                "INSERT INTO tickets (id, owner, kind, mode, lengths, state, created, key, query) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (ticket.id, owner, kind, mode, chosen, PENDING, ticket.created, key, query),
            )
            return ticket

    def get(self, ticket_id: str) -> Ticket | None:
        """Return the current state of a ticket; None if it is unknown."""
        with self._lock:
            found = self._ask("WHERE id = ?", ticket_id)
            return self._checked(found[0]) if found else None

    def query(self, ticket_id: str) -> str:
        """Return the sequences of a job that is not done."""
        with self._lock:
            row = self._base.execute("SELECT query FROM tickets WHERE id = ?", (ticket_id,)).fetchone()
            return row[0] if row else ""

    def archive(self, ticket_id: str) -> Path:
        """Return where the result of a job is, or will be; `ValueError` if that is no identifier of one."""
        if not ID.fullmatch(ticket_id):
            raise ValueError(f"{ticket_id!r} is not the identifier of a job.")
        return self._results / f"{ticket_id}{'.tar.gz' if len(ticket_id) == 38 else '.result'}"

    def waiting(self) -> list[Ticket]:
        """Return the jobs without a worker, the first one first."""
        with self._lock:
            found = self._ask("WHERE state = ? ORDER BY created, rowid", PENDING)
            return [ticket for ticket in found if ticket.id not in self._unwritten]

    def recent(self, most: int) -> list[Ticket]:
        """Return the newest jobs, the newest first."""
        with self._lock:
            return [self._checked(one) for one in self._ask("ORDER BY created DESC, rowid DESC LIMIT ?", most)]

    def delete(self, ticket_id: str) -> None:
        """Delete the result of a job that is done; its ticket says so."""
        with self._writing():
            self.archive(ticket_id).unlink(missing_ok=True)
            self.note_end(ticket_id, ERROR, DELETED, 0, of=(COMPLETE, COMPLETE))

    def begin(self, ticket_ids: Sequence[str]) -> None:
        """Note that a worker has begun some jobs."""
        with self._writing():
            self._base.executemany(
                "UPDATE tickets SET state = ?, begun = ?, attempts = attempts + 1 WHERE id = ? AND state = ?",
                [(RUNNING, time.time(), one, PENDING) for one in ticket_ids],
            )

    def back(self, ticket_ids: Sequence[str]) -> None:
        """Return jobs that were begun to the waiting ones."""
        with self._writing():
            self._base.executemany(
                "UPDATE tickets SET state = ?, begun = 0, attempts = attempts - 1 WHERE id = ? AND state = ?",
                [(PENDING, one, RUNNING) for one in ticket_ids],
            )

    def complete(self, ticket_id: str, archive: bytes | Callable[[Path], object], rows: int) -> None:
        """Keep the result of a job, unless it was stopped meanwhile.

        Parameters
        ----------
        archive : bytes or callable
            The result, or a function that writes it to a file, whole or not at all.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        if (ticket := self.get(ticket_id)) is None or not ticket.live:
            return
        if callable(archive):
            archive(self.archive(ticket_id))
        else:
            save_bytes(self.archive(ticket_id), lambda file: file.write(archive))
        self.archive(ticket_id).chmod(0o600)
        with self._writing():
            self.note_end(ticket_id, COMPLETE, "", rows)

    def fail(self, ticket_id: str, reason: str) -> None:
        """Note why a job has no result; kept in memory while nothing can be written."""
        with self._lock:
            self._unwritten[ticket_id] = reason
            with suppress(OSError):
                with self._writing():
                    self.note_end(ticket_id, ERROR, reason, 0)
                del self._unwritten[ticket_id]
            self.changes += 1

    def expire(self, before: float) -> int:
        """Delete the results of jobs that ended before a time, and return how many there were; tickets stay."""
        reason = "The result was deleted after its time. Send the sequences again."
        with self._writing():
            old = self._ask("WHERE state = ? AND ended < ?", COMPLETE, before)
            for ticket in old:
                self.archive(ticket.id).unlink(missing_ok=True)
                self.note_end(ticket.id, ERROR, reason, ticket.rows, of=(COMPLETE, COMPLETE))
            self._base.execute("DELETE FROM tickets WHERE state = ? AND ended < ?", (ERROR, before - REMEMBERED))
            return len(old)

    def note_end(
        self, ticket_id: str, state: str, reason: str, rows: int, of: tuple[str, str] = (PENDING, RUNNING)
    ) -> None:
        """Note the end of a job, if it is in one of the states `of`."""
        self._base.execute(
            "UPDATE tickets SET state = ?, reason = ?, rows = ?, ended = ?, query = '' "
            "WHERE id = ? AND state IN (?, ?)",
            (state, reason, rows, time.time(), ticket_id, *of),
        )

    def _waiting_of(self, owner: str) -> int:
        ask = "SELECT count(*) FROM tickets WHERE owner = ? AND state IN (?, ?)"
        return int(self._base.execute(ask, (owner, PENDING, RUNNING)).fetchone()[0])

    def _ask(self, where: str, *values: object) -> list[Ticket]:
        return [Ticket(*row) for row in self._base.execute(f"SELECT {_COLUMNS} FROM tickets {where}", values)]

    def _checked(self, ticket: Ticket) -> Ticket:
        """Return a ticket with its true state: without its file a result is lost."""
        reason = self._unwritten.get(ticket.id, "")
        if not reason and ticket.state == COMPLETE and not self.archive(ticket.id).is_file():
            reason = LOST
        return replace(ticket, state=ERROR, reason=reason) if reason else ticket

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the table; turns errors of writing into `OSError`, as with files."""
        with self._lock:
            try:
                self._base.execute("BEGIN IMMEDIATE")
                yield
                self._base.execute("COMMIT")
            except BaseException as fault:
                with suppress(sqlite3.Error):
                    self._base.execute("ROLLBACK")
                if isinstance(fault, sqlite3.Error):
                    raise TicketError(f"The server cannot save its jobs: {fault}.") from fault
                raise
            self.changes += 1


def _unusable(folder: Path, fault: Exception) -> TicketError:
    return TicketError(f"The folder '{folder}' of the folding server cannot be used: {fault}.")


def new_id(kind: str) -> str:
    """Return an id that cannot be guessed: of 38 characters for folding clients, of 11 as BLAST's for all others."""
    if kind in FOLDING:
        return secrets.token_urlsafe(29)[:38]
    return "".join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(11))
