"""How jobs are carried out: a maker for each kind; all share the engines of a server and take turns."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from swgui.commands.engine import check_method, engine_name, engine_options
from swgui.core.errors import SwguiError
from swgui.engines import registry
from swgui.serve.requests import Refused
from swgui.serve.tickets import Ticket

Deliver = Callable[["AnyJob", bytes | Callable[[Path], object], int], object]  # takes job, result and its rows
Tell = Callable[[str, str, int, int], object]  # takes id of the job, stage, how much is done and of how much


class AnyJob(Protocol):
    """The request of one ticket, of whichever kind."""

    @property
    def id(self) -> str:
        """Of its ticket."""

    @property
    def owner(self) -> str:
        """Whose it is."""

    @property
    def kind(self) -> str:
        """As of its ticket."""


class Maker(Protocol):
    """Carries out jobs of some kinds."""

    kinds: frozenset[str]
    drops: bool  # whether a waiting job that no client asks for is dropped

    def read(self, ticket: Ticket, query: str) -> Any:
        """Return the request of a ticket; `Refused` where it is none."""

    def fits(self, jobs: Sequence[Any], job: Any) -> bool:
        """Whether a job may be carried out together with others of its maker."""

    def make(self, jobs: Sequence[Any], cancel: threading.Event, deliver: Deliver, tell: Tell) -> None:
        """Carry out some jobs and deliver the result of each; `Stopped` once `cancel` is set."""


class Makers:
    """All makers of a server, and the engines that they share.

    Parameters
    ----------
    arguments : Namespace
        With the values of the group of engines.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        check_method(arguments)
        self.arguments, self.engines = arguments, registry.KeptEngines()
        self._of: dict[str, Maker] = {}

    def add(self, maker: Maker) -> None:
        """Take in a maker for its kinds."""
        self._of |= dict.fromkeys(maker.kinds, maker)

    def warm(self) -> None:
        """Make the engine before it is needed; the first job reports failures."""
        with suppress(SwguiError):
            for name in registry.resolve(engine_name(self.arguments))[:1]:
                with self.engines.use(name, engine_options(self.arguments)):
                    pass

    def close(self) -> None:
        """Free the engines; the next job makes them again."""
        self.engines.close()

    def drops(self, kind: str) -> bool:
        """Whether a waiting job of a kind that no client asks for is dropped."""
        return kind in self._of and self._of[kind].drops

    def read(self, ticket: Ticket, query: str) -> AnyJob:
        """Return the request of a ticket; `Refused` where it is none."""
        if ticket.kind not in self._of:
            raise Refused("This server does not carry out such jobs.")
        job: AnyJob = self._of[ticket.kind].read(ticket, query)
        return job

    def fits(self, jobs: Sequence[AnyJob], job: AnyJob) -> bool:
        """Whether a job may be carried out together with others."""
        maker = self._of[job.kind]
        return all(self._of[one.kind] is maker for one in jobs) and maker.fits(jobs, job)

    def make(self, jobs: Sequence[AnyJob], cancel: threading.Event, deliver: Deliver, tell: Tell) -> None:
        """Carry out jobs that fit together; `Stopped` once `cancel` is set."""
        self._of[jobs[0].kind].make(jobs, cancel, deliver, tell)
