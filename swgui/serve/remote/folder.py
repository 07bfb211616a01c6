"""The folder of one run that this computer carries out for another: request, events, wishes, and result.

=============  ====================================================================================
``database``   path of the file that is searched
``request``    as `swgui.runs.remote.requests` packs it; ``request.part`` while it comes
``lock``       held by the process that carries the run out
``events``     frames (`swgui.io.frames`), one an event, only added to
``stop``       is there once Stop came; ``pause`` while it pauses; ``turn`` while it waits for the devices
``ended``      how it ended, as JSON (`swgui.io.remote.wire.Standing`)
``result``     the file of the result
``runs``       the list of runs that the process uses: from it the run continues
=============  ====================================================================================

Nothing here is readable for others. No log says what was searched for.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from swgui import paths
from swgui.core.errors import SwguiError
from swgui.core.plain import from_plain, plain
from swgui.io.frames import framed, read_frame
from swgui.io.locking import lock
from swgui.io.remote.wire import CHUNK, Refusal, Standing, Told
from swgui.io.whole_file import whole_file
from swgui.serve.remote.turn import held

ID: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")  # as of the list of runs
OWNER: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}")
LARGEST_REQUEST: Final = 1 << 30  # bytes
TOLD: Final = 1 << 20  # bytes of events in one answer
BEGIN_SECONDS: Final = 30.0  # after which a process that did not begin counts as lost
HOLD_SECONDS: Final = 1.0  # `held` has the lock for a moment, and no process is to end for that
KEPT_DAYS: Final = 14.0


class RunPlace:
    """The folder of one run.

    Parameters
    ----------
    owner : str
        Whose runs: ``local`` for those over ssh, else the name of a token.
    run_id : str

    Raises
    ------
    Refusal
        If the id is none.
    """

    def __init__(self, owner: str, run_id: str) -> None:
        if not ID.fullmatch(run_id) or not OWNER.fullmatch(owner):
            raise Refusal("The id of the run is none.", kind="run")
        self.path = folder_of(owner) / run_id

    def file(self, name: str) -> Path:
        """Return the path of one of its files."""
        return self.path / name

    # The side that answers

    def put(self, offset: int, data: bytes) -> None:
        """Take in a part of the request, in order; the first one begins anew."""
        if offset + len(data) > LARGEST_REQUEST:
            raise Refusal(f"The request is longer than the {LARGEST_REQUEST:,} bytes that are allowed.")
        if self.standing().state != "none":
            return
        paths.make_folder(self.path)
        with open(self.file("request.part"), "ab" if offset else "wb") as file:
            if file.tell() != offset:
                raise Refusal("A part of the request is missing: send it again.", kind="order")
            file.write(data)

    def start(self, size: int, sha256: str) -> Standing:
        """Have the run carried out by a process of its own, or continued where it ended; nothing while it runs."""
        standing = self.standing()
        if standing.live or standing.state == "done":
            return standing
        if standing.state == "none":
            self._take_request(size, sha256)
        for name in ("stop", "pause", "ended", "result", "events"):
            self.file(name).unlink(missing_ok=True)
        self.file("begun").write_bytes(b"")
        start_process(self.path)
        return Standing("waiting")

    def _take_request(self, size: int, sha256: str) -> None:
        part = self.file("request.part")
        content = part.read_bytes() if part.is_file() else b""
        if len(content) != size or hashlib.sha256(content).hexdigest() != sha256:
            raise Refusal("The request was damaged on its way: send it again.", kind="order")
        os.replace(part, self.file("request"))

    def note_database(self, path: Path) -> None:
        """Write down which file the run searches: the process opens no other."""
        with whole_file(self.file("database"), private=True) as file:
            file.write(os.fsencode(path.absolute()))  # the process runs in another folder

    def database(self) -> Path:
        """Return that file; `Refusal` if it is gone."""
        with suppress(OSError):
            path = Path(os.fsdecode(self.file("database").read_bytes()))
            if path.is_file():
                return path
        raise Refusal("The database of this run is gone.", hint="Choose another one.", kind="database")

    def standing(self) -> Standing:
        """Return how the run stands."""
        if not self.file("request").is_file():
            return Standing("none")
        if held(self.file("lock")):
            files = {"turn": "waiting", "pause": "paused"}
            return Standing(next((state for name, state in files.items() if self.file(name).exists()), "running"))
        with suppress(OSError, ValueError):
            return from_plain(Standing, json.loads(self.file("ended").read_text("utf-8")))
        with suppress(OSError):  # the process is about to begin
            if time.time() - self.file("begun").stat().st_mtime < BEGIN_SECONDS:
                return Standing("waiting")
        return Standing("lost")

    def told(self, after: int, wait: float) -> Told:
        """Return the events from a place in the file of events on, once there are some, or after some seconds."""
        end = time.monotonic() + min(wait, 5.0)
        while True:
            standing = self.standing()  # before the events: what ended has written all of them
            events, at = self._events(after)
            if events or not standing.live or time.monotonic() >= end:
                return Told(events, at, standing)
            time.sleep(0.02)

    def _events(self, after: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        with suppress(OSError), open(self.file("events"), "rb") as file:
            if after > os.fstat(file.fileno()).st_size:  # the run was begun anew
                after = 0
            file.seek(after)
            while file.tell() - after < TOLD and (content := read_frame(file)) is not None:
                found.append(msgspec.msgpack.decode(content))
                at = file.tell()
            return found, at if found else after
        return found, 0

    def wish(self, name: str, *, on: bool = True) -> None:
        """Have the process stop or pause."""
        if not self.path.is_dir():
            return
        if on:
            self.file(name).write_bytes(b"")
        else:
            self.file(name).unlink(missing_ok=True)

    def read(self, offset: int, size: int) -> bytes:
        """Return a part of the result."""
        try:
            with open(self.file("result"), "rb") as file:
                file.seek(max(offset, 0))
                return file.read(min(max(size, 0), CHUNK))
        except OSError:
            raise Refusal("The result of this run is gone.", hint="Run it again.", kind="run") from None

    def forget(self) -> None:
        """Delete the run, unless it is carried out."""
        if not held(self.file("lock")):
            shutil.rmtree(self.path, ignore_errors=True)

    # The process that carries it out

    def hold(self) -> IO[bytes] | None:
        """Return the open lock; None if another process has it."""
        file = os.fdopen(os.open(self.file("lock"), os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        end = time.monotonic() + HOLD_SECONDS
        while not lock(file):
            if time.monotonic() > end:
                file.close()
                return None
            time.sleep(0.01)
        return file

    def add_event(self, packed: Any) -> None:
        """Add an event; a full disk loses events alone."""
        with suppress(OSError), open(self.file("events"), "ab") as file:
            file.write(framed(msgspec.msgpack.encode(packed)))

    def end(self, standing: Standing) -> None:
        """Write down how the run ended; a full disk leaves it as one that was lost, which can be continued."""
        with suppress(SwguiError, OSError), whole_file(self.file("ended"), private=True) as file:
            file.write(json.dumps(plain(standing)).encode("ascii"))

    def result_standing(self, *, complete: bool) -> Standing:
        """Return the standing of a run whose result is there."""
        with open(self.file("result"), "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return Standing("done" if complete else "partial", os.fstat(file.fileno()).st_size, digest)


def folder_of(owner: str) -> Path:
    """Return the folder of the runs of one owner."""
    return paths.data_dir() / "remote" / owner


def runs_of(owner: str) -> list[RunPlace]:
    """Return the runs of an owner, the oldest first."""
    with suppress(OSError):
        return [RunPlace(owner, name) for name in sorted(os.listdir(folder_of(owner))) if ID.fullmatch(name)]
    return []


def drop_old(owner: str, days: float = KEPT_DAYS) -> None:
    """Delete runs of an owner that did not change for some days; none that is carried out."""
    for run in runs_of(owner):
        with suppress(OSError):
            if time.time() - run.path.stat().st_mtime > days * 86_400:
                run.forget()


def start_process(place: Path) -> None:
    """Begin the process of a run, which continues when this program ends."""
    frozen = bool(getattr(sys, "frozen", False))
    words = [*([sys.executable] if frozen else [sys.executable, "-m", "swgui"]), "remote", "--carry-out", str(place)]
    apart: dict[str, Any] = {"start_new_session": True} if sys.platform != "win32" else {"creationflags": 0x208}
    nothing = subprocess.DEVNULL
    with open(place / "said", "ab") as said:
        subprocess.Popen(words, stdin=nothing, stdout=nothing, stderr=said, cwd=place, **apart)
