"""The side that answers another computer: its methods, over the standard streams of ssh or over http."""

from __future__ import annotations

import inspect
import logging
import os
import platform
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Final, NamedTuple

import msgspec

import swgui
from swgui.core.errors import SwguiError, explained
from swgui.io.database.format import SUFFIX
from swgui.io.database.library import user_databases
from swgui.io.remote.wire import (
    MAGIC,
    PROTOCOL,
    Call,
    Fault,
    Greeting,
    Listed,
    Refusal,
    Reply,
    Standing,
    Told,
    Unreachable,
    decoded,
    frame,
    read_frame,
)
from swgui.runs import Runs
from swgui.runs.remote.requests import of_bytes
from swgui.serve.remote.folder import RunPlace, drop_old, runs_of

METHODS: Final = ("hello", "databases", "standing", "put", "start", "events", "stop", "pause", "read", "forget", "runs")
MAX_LIVE: Final = 50  # runs of an owner that wait or are carried out
log = logging.getLogger(__name__)


class Offered(NamedTuple):
    """A database that may be searched, and its file here."""

    listed: Listed
    path: Path


def known_here() -> list[Offered]:
    """Return the databases of this user's list."""
    return [
        Offered(
            Listed(
                name=one.path.stem if one.path.suffix == SUFFIX else one.name,
                checksum=one.checksum,
                alphabet=one.alphabet.name,
                sequences=one.sequences,
                residues=one.residues,
                longest=one.longest,
                size=one.size,
                made=one.made,
            ),
            one.path,
        )
        for one in user_databases()
    ]


class Agent:
    """Answers the calls of one owner.

    Parameters
    ----------
    owner : str
        Whose runs they are: ``local`` over ssh.
    databases : callable
        Returns those that may be searched; by default those of the user's list.
    waiting : int
        Runs that may wait or be carried out at a time.
    cells : float
        Cells of one run, at most.
    """

    def __init__(
        self,
        owner: str = "local",
        databases: Callable[[], Iterable[Offered]] = known_here,
        waiting: int = MAX_LIVE,
        cells: float = float("inf"),
    ) -> None:
        self._owner, self._databases, self._waiting, self._cells = owner, databases, waiting, cells

    def answer(self, content: bytes) -> bytes:
        """Return the answer to a frame, as a frame; every fault is an answer."""
        try:
            call = decoded(content, Call)
            if call.method not in METHODS:
                raise Refusal(
                    f"This version of swgui knows no '{call.method[:40]}'.", hint="Update it.", kind="version"
                )
            method = getattr(self, call.method)
            known = inspect.signature(method).parameters
            value = method(**{name: one for name, one in call.arguments.items() if name in known})
            reply = Reply(msgspec.to_builtins(value, builtin_types=(bytes,)))
        except Exception as fault:
            reply = Reply(fault=_fault(fault))
        return frame(reply)

    def hello(self, protocol: int, version: str) -> Greeting:
        """Return the version of this side."""
        drop_old(self._owner)
        return Greeting(PROTOCOL, swgui.__version__, platform.node())

    def databases(self) -> list[Listed]:
        """List the databases."""
        return [one.listed for one in self._databases()]

    def standing(self, run: str) -> Standing:
        """Return how a run stands."""
        return RunPlace(self._owner, run).standing()

    def runs(self) -> dict[str, Standing]:
        """List the runs by their ids."""
        return {place.path.name: place.standing() for place in runs_of(self._owner)}

    def put(self, run: str, offset: int, data: bytes) -> bool:
        """Take in a part of a request."""
        RunPlace(self._owner, run).put(offset, data)
        return True

    def start(self, run: str, size: int = 0, sha256: str = "") -> Standing:
        """Begin or continue a run, once its request was read and its database is here."""
        place = RunPlace(self._owner, run)
        if place.standing().live:
            return place.standing()
        if sum(one.standing().live for one in runs_of(self._owner)) >= self._waiting:
            raise Refusal(f"{self._waiting} runs of yours wait already.", hint="Wait until one has ended.", kind="busy")
        part = place.file("request.part")
        content = part if part.is_file() and place.standing().state == "none" else place.file("request")
        if content.is_file():
            self._check(place, content.read_bytes())
        standing = place.start(size, sha256)
        log.info("%s of %s began", run[:15], self._owner)
        return standing

    def _check(self, place: RunPlace, content: bytes) -> None:
        """Refuse a request that cannot be carried out, and note the file of its database for the process.

        Raises
        ------
        SwguiError
            If its database is not here, it is too large, or no request.
        """
        kind, packed = of_bytes(content)
        runs, found = Runs().of(kind), []

        def find(name: str, checksum: str) -> Path:
            found.append(_found(list(self._databases()), name, checksum))
            return found[0].path

        runs.received(packed, find)
        cells = runs.cells(packed, found[0].listed.residues if found else 0)
        if cells > self._cells:
            raise Refusal(
                f"The run has {cells:.2g} cells, more than the {self._cells:.2g} that are allowed to you there.",
                hint="Ask the administrator, or take fewer or shorter queries.",
                kind="cells",
            )
        if found:
            place.note_database(found[0].path)

    def events(self, run: str, after: int = 0, wait: float = 0.0) -> Told:
        """Return the next events of a run."""
        return RunPlace(self._owner, run).told(after, wait)

    def stop(self, run: str) -> bool:
        """Have a run stop: what is found by then is its result."""
        RunPlace(self._owner, run).wish("stop")
        return True

    def pause(self, run: str, on: bool) -> bool:
        """Have a run pause, or continue."""
        RunPlace(self._owner, run).wish("pause", on=on)
        return True

    def read(self, run: str, offset: int, size: int) -> bytes:
        """Return a part of the file of a result."""
        return RunPlace(self._owner, run).read(offset, size)

    def forget(self, run: str) -> bool:
        """Delete a run."""
        RunPlace(self._owner, run).forget()
        return True


def _found(known: list[Offered], name: str, checksum: str) -> Offered:
    """Return the database with a content.

    Raises
    ------
    Refusal
        If there is none; the hint says which are here.
    """
    for one in known:
        if one.listed.checksum == checksum:
            return one
    same = any(one.listed.name == name for one in known)
    host = platform.node() or "this computer"
    said = f"The database '{name}' of '{host}' has changed." if same else f"There is no database '{name}' on '{host}'."
    names = ", ".join(one.listed.name for one in known[:10]) or "none"
    raise Refusal(said, hint="Choose it anew." if same else f"It has {names}.", kind="database")


def over_streams(source: IO[bytes], sink: IO[bytes], agent: Agent) -> None:
    """Answer calls from a stream to another one until the first one ends."""

    def read(size: int) -> bytes:
        parts, have = [], 0
        while have < size and (part := source.read(size - have)):
            parts.append(part)
            have += len(part)
        return b"".join(parts)

    sink.write(MAGIC)
    sink.flush()
    try:
        while (content := read_frame(read)) is not None:
            sink.write(agent.answer(content))
            sink.flush()
    except (Unreachable, BrokenPipeError):  # the line broke: runs continue
        pass


def serve_streams() -> int:
    """Answer another computer over the standard streams; returns the exit status."""
    own = os.dup(1)
    os.dup2(2, 1)  # nothing else may come between frames
    with os.fdopen(own, "wb") as sink, os.fdopen(0, "rb", closefd=False) as source:
        over_streams(source, sink, Agent())
    return 0


def _fault(fault: Exception) -> Fault:
    """Return an error for the other computer; texts of unknown ones may hold sequences."""
    if isinstance(fault, OSError):
        fault = explained(fault)
    if isinstance(fault, SwguiError):
        return Fault(getattr(fault, "kind", "") or type(fault).__name__, fault.message, fault.hint)
    log.error("A call failed: %s", type(fault).__name__)
    return Fault(type(fault).__name__, f"The other computer met an internal error ({type(fault).__name__}).")
