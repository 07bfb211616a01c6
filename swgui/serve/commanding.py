"""Commands of swgui as jobs of a server: each in a process and a folder of its own, which end with it.

A client never names a file: its texts become files of that folder, databases are those of the server by name, and
options are those that a door lists.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from swgui.commands.engine import engine_group
from swgui.commands.option import options_of
from swgui.commands.table import COMMANDS
from swgui.core.errors import Stopped, SwguiError
from swgui.engines import registry
from swgui.serve.databases import Databases
from swgui.serve.house import House
from swgui.serve.makers import Deliver, Tell
from swgui.serve.requests import Refused, User
from swgui.serve.searching import RESULT_BYTES
from swgui.serve.tickets import ID, Ticket

KIND: Final = "command"
LOOK: Final = 0.1  # seconds between two looks at a process
PATIENCE: Final = 10.0  # seconds that a process has to stop by itself
DATABASE: Final = "{database}"  # word that the file of the database replaces
_EVERYONE: Final = User("")


class Call(msgspec.Struct, frozen=True):
    """A command as its ticket keeps it.

    Parameters
    ----------
    door : str
        Name of the door that it came through.
    command : str
        Name of the command of swgui.
    words : tuple of str
        Its arguments, in which `DATABASE` stands for the file of the database.
    outputs : tuple of str
        Files that it writes, and that are its result.
    database : str
        Name of the database; empty without one.
    of : str
        Id of the job whose result it reads; empty without one.
    """

    door: str
    command: str
    words: tuple[str, ...]
    outputs: tuple[str, ...]
    database: str = ""
    of: str = ""

    @property
    def mode(self) -> str:
        """The text that a ticket keeps."""
        return msgspec.json.encode(self, order="deterministic").decode()


class Outcome(msgspec.Struct, frozen=True):
    """The result of a command: its texts and files, with those that it was given."""

    said: str  # on the standard error
    printed: str  # on the standard output
    status: int
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]


class CommandJob(msgspec.Struct, frozen=True, eq=False):
    """The request of one ticket."""

    id: str
    owner: str
    call: Call
    inputs: Mapping[str, str]
    kind: str = KIND


class Commanding:
    """Runs commands (a `swgui.serve.makers.Maker`).

    Parameters
    ----------
    arguments : Namespace
        With the values of the group of engines.
    engines : KeptEngines
        Freed before a command, which has an engine of its own.
    results : callable
        Returns the file of the result of a job.
    """

    kinds = frozenset({KIND})
    drops = False

    def __init__(
        self,
        arguments: argparse.Namespace,
        databases: Databases,
        engines: registry.KeptEngines,
        results: Callable[[str], Path],
    ) -> None:
        self._arguments, self._databases, self._engines, self._results = arguments, databases, engines, results

    def read(self, ticket: Ticket, query: str) -> CommandJob:
        """Return the request of a ticket."""
        inputs = msgspec.json.decode(query, type=dict[str, str])
        return CommandJob(ticket.id, ticket.owner, call_in(ticket), inputs)

    def fits(self, jobs: Sequence[CommandJob], job: CommandJob) -> bool:
        """Whether a command is run together with others: it is not."""
        return False

    def make(self, jobs: Sequence[CommandJob], cancel: threading.Event, deliver: Deliver, tell: Tell) -> None:
        """Run each command and deliver its outcome.

        Raises
        ------
        Stopped
            Once `cancel` is set.
        SwguiError
            If the command failed, with its own sentence.
        """
        self._engines.close()
        for job in jobs:
            tell(job.id, COMMANDS[job.call.command].help.split(":")[0].capitalize(), 0, 0)
            with tempfile.TemporaryDirectory(prefix="swgui-job-") as folder:
                outcome = self._run(job, Path(folder), cancel)
            packed = msgspec.json.encode(outcome)
            if len(packed) > RESULT_BYTES:
                raise SwguiError(f"The result has more than {RESULT_BYTES >> 20} MiB. Ask for less.")
            deliver(job, packed, sum(text.count("\n") for text in outcome.outputs.values()))

    def _run(self, job: CommandJob, folder: Path, cancel: threading.Event) -> Outcome:
        call = job.call
        given = dict(job.inputs)
        if call.of:
            given |= self._result_of(call.of, folder)
        for name, text in given.items():
            (folder / name).write_text(text, "utf-8")
        place = str(self._databases.find([call.database], _EVERYONE)[0].place.resolve()) if call.database else ""
        words = [place if word == DATABASE else word for word in call.words]
        command = [*_program(), call.command, *words, *self._engine_words(call.command)]
        with (folder / ".said").open("w+b") as said, (folder / ".printed").open("w+b") as printed:
            process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=printed, stderr=said, start_new_session=True,
                env=os.environ | {"SWGUI_CONFIG_FILE": os.devnull},
            )  # fmt: skip
            _wait(process, cancel)
            texts = []
            for file in (said, printed):
                file.seek(0)
                texts.append(file.read().decode("utf-8", "replace"))
        outputs = {name: (folder / name).read_text("utf-8") for name in call.outputs if (folder / name).is_file()}
        if process.returncode and not (texts[1].strip() or outputs):
            lines = [line.removeprefix("swgui: ").removeprefix("error: ") for line in texts[0].strip().splitlines()]
            raise SwguiError(" ".join(lines[-2:])[-200:] or "The command failed.")
        return Outcome(texts[0], texts[1], process.returncode, given, outputs)

    def _result_of(self, ticket_id: str, folder: Path) -> dict[str, str]:
        """Return the files of the result of another job; a saved search is linked into the folder."""
        if not ID.fullmatch(ticket_id):
            raise SwguiError("There is no such job.")
        place = self._results(ticket_id)
        if place.read_bytes()[:2] == b"PK":
            (folder / "run.swgui").write_bytes(place.read_bytes())
            return {}
        earlier = msgspec.json.decode(place.read_bytes(), type=Outcome)
        return {**earlier.inputs, **earlier.outputs}

    def _engine_words(self, command: str) -> list[str]:
        """Return the options of the engine that the server was started with and the command has."""
        known = {name for option in options_of(COMMANDS[command].groups()) for name in option.names}
        words = []
        for option in options_of((engine_group(),)):
            value = getattr(self._arguments, option.key)
            name = next(name for name in option.names if name.startswith("--"))
            if value != option.default and option.flag is None and name in known:
                words += [name, str(value)]
        return words


def _program() -> list[str]:
    """Return the words that start this program."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "swgui"]


def _wait(process: subprocess.Popen[bytes], cancel: threading.Event) -> None:
    """Wait for a process; end it and all that it started if it is to stop."""
    while process.poll() is None:
        if cancel.wait(LOOK):
            end = signal.SIGTERM
            for patience in (PATIENCE, None):
                with suppress(OSError):
                    os.killpg(process.pid, end) if hasattr(os, "killpg") else process.kill()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(patience)
                    break
                end = signal.SIGKILL
            raise Stopped


def call_in(ticket: Ticket) -> Call:
    """Return the command of a ticket."""
    return msgspec.json.decode(ticket.mode, type=Call)


def outcome_of(house: House, ticket: Ticket) -> Outcome:
    """Return the outcome of a command that is done."""
    return msgspec.json.decode(house.tickets.archive(ticket.id).read_bytes(), type=Outcome)


def submit_call(
    house: House, user: User, call: Call, inputs: Mapping[str, str], lengths: Sequence[int], cells: float
) -> Ticket:
    """Check a command, and return its ticket.

    Parameters
    ----------
    inputs : mapping of str to str
        Texts of files, by their names.
    lengths : sequence of int
        Residues of each sequence that it is given.
    cells : float
        About how many cells it has.

    Raises
    ------
    Refused
        If it is more than is allowed, or the database is unknown to the user.
    """
    facts = [house.databases.find([call.database], user)[0].database.checksum] if call.database else []
    most = user.cells or house.limits.cells
    if cells > most:
        raise Refused(f"The work has {cells:.2g} cells; {most:.2g} are allowed. Send fewer sequences at a time.", 413)
    query = msgspec.json.encode(dict(inputs), order="deterministic").decode()
    return house.submit(user, KIND, call.mode, query, lengths, " ".join(facts))
