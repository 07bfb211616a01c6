"""The queue of jobs: one thread joins waiting jobs into searches, in turn between owners, in the order of arrival."""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from swgui.core.control import RunControl
from swgui.core.errors import Stopped, SwguiError
from swgui.core.words import count
from swgui.serve.makers import AnyJob, Makers
from swgui.serve.remote.turn import TurnControl
from swgui.serve.requests import Refused
from swgui.serve.tickets import DAY, PENDING, Ticket, Tickets

GATHER: Final = 0.1  # seconds without a new job after which a search begins: similar jobs come at once
GATHER_MOST: Final = 0.5
ABANDONED: Final = 600.0  # seconds after which a waiting job without requests from clients is dropped
IDLE: Final = 600.0  # seconds without a job after which the engine is freed
TEND: Final = 5.0  # seconds between two checks for old results
STOPPED: Final = "The operator of the server stopped the job."
log = logging.getLogger(__name__)


class Part(NamedTuple):
    """How far a job is."""

    stage: str  # empty while it waits
    done: int = 0
    total: int = 0  # 0 where that is not known
    place: int = 0  # among the waiting jobs, from 1; 0 once it is carried out


class Queue:
    """Works on the jobs of a server, one search at a time.

    Parameters
    ----------
    keep : float
        Seconds for which results are kept.
    """

    def __init__(self, tickets: Tickets, work: Makers, keep: float) -> None:
        self._tickets, self._work, self._keep = tickets, work, keep
        self._changed = threading.Condition()
        self._closing = False
        self._paused = False
        self._control: RunControl | None = None
        self._running: tuple[str, ...] = ()
        self._arrived = time.monotonic()
        self._parts: dict[str, Part] = {}  # of running jobs
        self._asked: dict[str, float] = {}  # time of the last request for a ticket
        self._served: dict[str, int] = {}  # number of the search that had a job of each owner last
        self._searches = 0
        self._idle = self._tended = 0.0  # times of the last job, and of the last check for old results
        self._thread = threading.Thread(target=self._run, name="swgui-serve", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def close(self) -> None:
        """Stop; unfinished jobs wait for the next start."""
        with self._changed:
            self._closing = True
            if self._control is not None:
                self._control.set()
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    @property
    def paused(self) -> bool:
        """Whether another program part uses the device, so that a job may wait for long."""
        return self._paused

    @property
    def searching(self) -> bool:
        """Whether a job is being worked on."""
        return self._control is not None

    def notify(self) -> None:
        """Wake the worker for a new job."""
        with self._changed:
            self._arrived = time.monotonic()
            self._changed.notify_all()

    def touch(self, ticket_id: str) -> None:
        """Note that a client still waits for a job."""
        self._asked[ticket_id] = time.monotonic()

    def wait(self, ticket: Ticket, end: float) -> Ticket:
        """Return a ticket once it is done, or its state at a time of `time.monotonic`."""
        with self._changed:
            while (now := self._tickets.get(ticket.id) or ticket).live and not self._closing:
                if (left := end - time.monotonic()) <= 0:
                    break
                self._changed.wait(left)
        return now

    def part(self, ticket_id: str) -> Part:
        """Return how far a job is: what is done of it, or how many jobs are carried out before it."""
        if (part := self._parts.get(ticket_id)) is not None:
            return part
        order = [ticket.id for ticket in in_turn(self._tickets.waiting(), self._served)]
        return Part("", 0, 0, order.index(ticket_id) + 1) if ticket_id in order else Part("")

    def stop(self, ticket_id: str, reason: str = STOPPED) -> None:
        """End one job; others of the same search continue."""
        self._tickets.fail(ticket_id, reason)
        with self._changed:
            if self._control is not None and not any(self._live(one) for one in self._running):
                self._control.set()
            self._changed.notify_all()

    def pause(self, on: bool) -> None:
        """Let another user have the device, or continue."""
        with self._changed:
            self._paused = on
            if self._control is not None:
                (self._control.pause if on else self._control.resume)()
            self._changed.notify_all()

    def _live(self, ticket_id: str) -> bool:
        ticket = self._tickets.get(ticket_id)
        return ticket is not None and ticket.live

    def _run(self) -> None:
        """Work until the end; errors never stop the loop."""
        self._idle, self._tended = time.monotonic(), 0.0
        steps = [self._work.warm]
        while not self._closing:
            try:
                (steps.pop() if steps else self._step)()
            except Exception as fault:
                log.error("The server met a fault: %s\n%s", _name(fault), _place(fault))
                with self._changed:
                    self._changed.wait(TEND)
        self._work.close()

    def _step(self) -> None:
        """Work on the next jobs, or wait a moment for some."""
        if time.monotonic() - self._tended > TEND:
            self._tended = time.monotonic()
            self._tend()
        if self._ready() and (chosen := self._chosen()):
            self._serve(chosen)
            self._idle = time.monotonic()
        elif self._paused or time.monotonic() - self._idle > IDLE:  # its memory may be needed
            self._work.close()
            self._idle = time.monotonic()

    def _ready(self) -> bool:
        """Wait until there are jobs, and for a moment longer in case similar ones follow."""
        with self._changed:
            if self._paused or not self._tickets.waiting():
                self._changed.wait(TEND)
            first = time.monotonic()
            while not self._closing and not self._paused and self._tickets.waiting():
                now = time.monotonic()
                left = min(self._arrived + GATHER, first + GATHER_MOST) - now
                if left <= 0:
                    return True
                self._changed.wait(left)
        return False

    def _tend(self) -> None:
        """Drop jobs without waiting clients, and results that are too old."""
        now = time.monotonic()
        waiting = {ticket.id for ticket in self._tickets.waiting() if self._work.drops(ticket.kind)}
        for ticket_id in waiting:
            if now - self._asked.setdefault(ticket_id, now) > ABANDONED:
                self._tickets.fail(ticket_id, f"No client asked for this job for {ABANDONED / 60:.0f} minutes.")
        self._asked = {ticket_id: when for ticket_id, when in list(self._asked.items()) if ticket_id in waiting}
        try:
            if old := self._tickets.expire(time.time() - self._keep):
                log.info("%s deleted after %.1f days.", count(old, "result was", "results were"), self._keep / DAY)
        except OSError as fault:
            log.warning("%s", fault)

    def _chosen(self) -> list[AnyJob]:
        """Return the jobs of the next search, and note that they are begun."""
        order = in_turn(self._tickets.waiting(), self._served)
        jobs: list[AnyJob] = []
        for ticket in order:
            job = self._job(ticket)
            if job is None:
                continue
            if jobs and not self._work.fits(jobs, job):
                break
            jobs.append(job)
        self._searches += 1
        self._served |= {job.owner: self._searches for job in jobs}
        try:
            self._tickets.begin([job.id for job in jobs])
        except OSError as fault:
            for job in jobs:
                self._tickets.fail(job.id, str(fault))
            return []
        return [job for job in jobs if self._live(job.id)]

    def _job(self, ticket: Ticket) -> AnyJob | None:
        """Return the request of a ticket; a request of an older program that this one refuses fails."""
        try:
            return self._work.read(ticket, self._tickets.query(ticket.id))
        except Refused as refused:
            self._tickets.fail(ticket.id, refused.reason)
        except SwguiError as fault:
            self._tickets.fail(ticket.id, str(fault)[:200])
        return None

    def _serve(self, jobs: Sequence[AnyJob]) -> None:
        """Work on some jobs; after an error on each by itself, so that one bad job does not fail the others."""
        control = TurnControl()
        with self._changed:
            self._control, self._running = control, tuple(job.id for job in jobs)
            if self._closing:
                control.set()
            if self._paused:
                control.pause()
        try:
            with control.turn():
                self._work.make(jobs, control, self._deliver, self._tell)
        except Stopped:
            self._back(jobs)
        except Exception as fault:
            left = [job for job in jobs if self._live(job.id)]
            if len(jobs) > 1:
                log.warning("A search of %s failed (%s); each is tried alone.", count(len(jobs), "job"), _name(fault))
                for job in left:
                    if not self._closing and self._live(job.id):
                        self._serve([job])
                if self._closing:
                    self._back(left)
            else:
                self._failed(jobs[0], fault)
        finally:
            with self._changed:
                self._control, self._running = None, ()
                self._parts.clear()
                self._changed.notify_all()

    def _tell(self, ticket_id: str, stage: str, done: int, total: int) -> None:
        self._parts[ticket_id] = Part(stage, done, total)

    def _deliver(self, job: AnyJob, archive: bytes | Callable[[Path], object], rows: int) -> None:
        try:
            self._tickets.complete(job.id, archive, rows)
        except OSError as fault:
            self._failed(job, fault)
        with self._changed:
            self._changed.notify_all()
        if (ticket := self._tickets.get(job.id)) is not None:
            took = f"{ticket.ended - ticket.created:.1f} s, {count(ticket.rows, 'row')}"
            log.info("%s %s %s of %s: %s residues, %s", job.id[:4], ticket.kind, ticket.state, job.owner,
                     ticket.lengths, took)  # fmt: skip

    def _back(self, jobs: Sequence[AnyJob]) -> None:
        try:
            self._tickets.back([job.id for job in jobs])
        except OSError as fault:
            log.warning("%s", fault)

    def _failed(self, job: AnyJob, fault: Exception) -> None:
        """Send the client the reason for a job without a result; messages of unknown faults may hold its sequence."""
        known = isinstance(fault, SwguiError | OSError | MemoryError)
        reason = str(fault) or _name(fault)
        self._tickets.fail(job.id, reason[:200] if known else f"The server met an internal error ({_name(fault)}).")
        log.warning("%s failed: %s", job.id[:4], _name(fault))
        if not known:
            log.error("%s", _place(fault))


def _name(fault: Exception) -> str:
    return type(fault).__name__


def _place(fault: Exception) -> str:
    """Return the place of an error, without its text, which may contain a sequence."""
    return "".join(traceback.format_tb(fault.__traceback__))


def in_turn(waiting: Sequence[Ticket], served: dict[str, int]) -> list[Ticket]:
    """Return waiting jobs in their order: one of each owner in turn, and the owner served last comes last.

    Parameters
    ----------
    waiting : sequence of Ticket
        The first one first.
    served : dict of str to int
        Number of each owner, larger for later service.
    """
    turns: dict[str, int] = {}
    keys = []
    for number, ticket in enumerate(waiting):
        assert ticket.state == PENDING
        turn = turns[ticket.owner] = turns.get(ticket.owner, -1) + 1
        keys.append((turn, served.get(ticket.owner, 0), number))
    return [waiting[key[-1]] for key in sorted(keys)]
