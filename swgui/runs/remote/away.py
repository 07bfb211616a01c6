"""A run on another computer, as the program here sees it: it is begun or taken up, followed, stopped, and fetched.

The run there is a process of its own. It continues where the connection breaks or this program ends; the same run of
the list takes it up again by its id, which both computers use.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Final

from swgui.core.control import RunControl
from swgui.core.errors import Stopped, SwguiError
from swgui.core.words import file_size
from swgui.io.remote.computers import link_to
from swgui.io.remote.wire import CHUNK, FAILED, Refusal, Standing, Told, Unreachable
from swgui.io.whole_file import not_written
from swgui.jobs.events import Event, Foretold, Stage
from swgui.jobs.search.events import Started
from swgui.runs.kept import Packed
from swgui.runs.remote.events import unpacked_events
from swgui.runs.remote.requests import as_bytes

EVENT_SECONDS: Final = 0.5  # for which a call waits for the next event
LONGEST_WAIT: Final = 60.0  # seconds between two attempts to connect
LOST: Final = "No connection to {name}; the run continues there"
CONTINUES: Final = "The run on '{name}' continues; Resume takes it up again."


class Detached(Stopped):
    """The program has left a run, which continues on the other computer."""

    continues = True


class AwayRun:
    """One run on another computer.

    Parameters
    ----------
    kind : str
        Name of its `swgui.jobs.kind.Kind`.
    run_id : str
        Its id in the list of runs here; the other computer knows it by the same one.
    request : Packed
        As `KindRuns.sent` returns it.
    address : str
        Of the other computer.
    part : Path
        File that the result is fetched into.

    Attributes
    ----------
    begun : bool
        Whether the other computer has it, and a later start can take it up.
    complete : bool
        Whether the other computer has done all of it.
    """

    FIRST_WAIT: ClassVar[float] = 1.0  # seconds to the first attempt after a loss

    def __init__(self, kind: str, run_id: str, request: Packed, address: str, part: Path) -> None:
        self._kind, self._run, self._request, self._part = kind, run_id, request, part
        self._link = link_to(address)
        self.begun = self.complete = False
        self._stopping = self._pausing = False

    def steps(self, cancel: threading.Event) -> Generator[Event, None, Path]:
        """Have the run carried out; yield its events and return the file of its result.

        Raises
        ------
        Detached
            If this program ends first, or Stop came while there was no connection: the run continues.
        Stopped
            If it was stopped before there was anything.
        Unreachable, Refusal
            If it cannot be begun, or failed.
        FileNotWritten
            If the result cannot be written here; it stays there.
        """
        name = self._link.name
        try:
            yield Stage(f"Connecting to {name}")
            standing = self._link.call("standing", Standing, run=self._run)
            if (remark := self._of_versions()) is not None:
                yield remark
            self._pausing = standing.state == "paused"  # by a program that left it so
            if not (standing.live or standing.state == "done"):
                yield from self._begin(standing)
            self.begun = True
            standing = yield from self._follow(cancel)
            if not standing.fetched:
                self._failed(standing)
            yield from self._fetch(standing, cancel)
            self.complete = standing.state == "done"
            return self._part
        finally:
            self._link.close()

    def forget(self) -> None:
        """Have the other computer delete the run, whose result is here; no error if that fails, it deletes old ones."""
        with suppress(SwguiError):
            self._link.call("forget", bool, run=self._run)
        self._link.close()

    def _of_versions(self) -> Foretold | None:
        import swgui

        its = self._link.greeting
        if its is None or its.version == swgui.__version__:
            return None
        return Foretold(f"'{self._link.name}' has swgui {its.version}, this computer {swgui.__version__}.")

    def _begin(self, standing: Standing) -> Iterator[Event]:
        """Send the request, unless the other computer has it, and have it carried out."""
        size, sha256 = 0, ""
        if standing.state == "none":
            content = as_bytes(self._kind, self._request)
            size, sha256 = len(content), hashlib.sha256(content).hexdigest()
            for start in range(0, size, CHUNK):
                yield Stage(f"Sending {file_size(size)}", start, size)
                self._link.call("put", bool, run=self._run, offset=start, data=content[start : start + CHUNK])
        self._link.call("start", Standing, run=self._run, size=size, sha256=sha256)

    def _follow(self, cancel: threading.Event) -> Generator[Event, None, Standing]:
        """Yield the events of the run until it ends, over as many connections as that takes."""
        after, wait = 0, self.FIRST_WAIT
        stage: Any = None  # which the user reads again after a loss
        lost = False
        while True:
            if isinstance(cancel, RunControl) and not cancel.wanted:
                raise Detached(CONTINUES.format(name=self._link.name))
            try:
                self._tell(cancel)
                told = self._link.call("events", Told, run=self._run, after=after, wait=EVENT_SECONDS)
            except Unreachable:
                yield Stage(LOST.format(name=self._link.name))
                self._wait(cancel, wait)
                wait, lost = min(2 * wait, LONGEST_WAIT), True
                continue
            if lost and stage is not None:
                yield stage
            after, wait, lost = told.after, self.FIRST_WAIT, False
            for event in unpacked_events(told.events):
                stage = event if isinstance(event, Stage | Started) else stage
                yield event
            if not told.standing.live and not told.events:
                return told.standing

    def _tell(self, cancel: threading.Event) -> None:
        """Pass on Stop and Pause."""
        if cancel.is_set() and not self._stopping:
            self._link.call("stop", bool, run=self._run)
            self._stopping = True
        paused = isinstance(cancel, RunControl) and cancel.paused
        if paused != self._pausing:
            self._link.call("pause", bool, run=self._run, on=paused)
            self._pausing = paused

    def _wait(self, cancel: threading.Event, seconds: float) -> None:
        """Wait before the next attempt; Stop ends the attempts."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if cancel.is_set():
                raise Detached(
                    f"There is no connection to '{self._link.name}'.", hint=CONTINUES.format(name=self._link.name)
                )
            time.sleep(0.05)

    def _failed(self, standing: Standing) -> None:
        """Raise why a run has no result."""
        if standing.state == FAILED:
            self.begun = False
            message, hint = standing.message or "The run failed there.", standing.hint
            with suppress(SwguiError):
                self._link.call("forget", bool, run=self._run)
            raise Refusal(message, hint=hint, kind=FAILED)
        if self._stopping:
            raise Stopped("It was stopped before there was anything.")
        raise Refusal(
            f"The program on '{self._link.name}' that carried out the run has ended.",
            hint="Resume the run.",
            kind="lost",
        )

    def _fetch(self, standing: Standing, cancel: threading.Event) -> Iterator[Event]:
        """Bring the file of the result here, from where an earlier attempt ended."""
        wait = self.FIRST_WAIT
        while True:
            try:
                yield from self._fetched(standing)
                return
            except Unreachable:
                yield Stage(f"No connection to {self._link.name}; its result is fetched later")
                self._wait(cancel, wait)
                wait = min(2 * wait, LONGEST_WAIT)

    def _fetched(self, standing: Standing) -> Iterator[Event]:
        try:
            have = self._part.stat().st_size if self._part.exists() else 0
            with open(self._part, "r+b" if 0 < have <= standing.size else "w+b") as file:
                file.seek(0, os.SEEK_END)
                while (at := file.tell()) < standing.size:
                    yield Stage("Fetching the result", at, standing.size)
                    data = self._link.call("read", bytes, run=self._run, offset=at, size=CHUNK)
                    if not data:
                        raise Unreachable("The result there is shorter than it was.")
                    file.write(data)
                file.flush()
                file.seek(0)
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as fault:
            if isinstance(fault, SwguiError):
                raise
            raise not_written(self._part, fault) from fault
        if found != standing.sha256:
            self._part.unlink(missing_ok=True)
            raise Unreachable("The result was damaged on its way.")
