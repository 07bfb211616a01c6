"""The runs of one kind in the folder of runs: how each kind is run, kept, listed, opened and resumed."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from swgui.core.engines import EngineOptions
from swgui.core.errors import SwguiError
from swgui.core.methods.base import AUTO
from swgui.core.plain import replace
from swgui.io.saved.log import Arrays
from swgui.jobs.kind import Kind
from swgui.runs.folder import NOTE, RunFolder
from swgui.runs.records import (
    ACTIVE,
    KEPT_SINCE,
    LEFT,
    NO_RESULT,
    NO_RESULT_HINT,
    NOTHING_KEPT,
    NOTHING_KEPT_HINT,
    NeededFile,
    RunError,
    RunRecord,
    RunState,
    gone,
    read_note,
    started_by_id,
)

MAX_UNFINISHED: Final = 0.99  # largest share of done work that a list shows of an unfinished run


class Packed(NamedTuple):
    """Plain JSON values, and arrays by name."""

    facts: dict[str, Any]
    arrays: Arrays


class About(NamedTuple):
    """Facts of a request for a list: name, settings in few words, how many queries, the database's name."""

    name: str
    about: str = ""
    queries: int = 0
    database: str = ""


class Ended(NamedTuple):
    """Facts of an outcome for a list.

    Parameters
    ----------
    complete : bool
        Whether all was done.
    found : int or None
        The count of the kind: hits, places, edges; None if unknown.
    seconds : float
        Wall time of the work.
    fraction : float
        Share of the work that was done, 0 to 1.
    cells : int
        Cells that were computed; 0 where there are none.
    reason : str
        Why it is not complete.
    """

    complete: bool
    found: int | None = None
    seconds: float = 0.0
    fraction: float = 1.0
    cells: int = 0
    reason: str = ""


class KindRuns(ABC):
    """The runs of one kind in a folder.

    Attributes
    ----------
    asked, result, state : str
        Endings of the files of the request, of the result, and of the state from which a run that ended early
        continues.
    """

    asked: ClassVar[str]
    result: ClassVar[str]
    state: ClassVar[str]

    def __init__(self, folder: RunFolder, kind: Kind) -> None:
        self.folder, self.kind = folder, kind

    @abstractmethod
    def run(self, asked: Any, cancel: threading.Event) -> Iterator[Any]:
        """Carry out a request: yield its events, keep what is done while it runs, and its outcome when it ends.

        If something cannot be kept, the run continues and its outcome says so.
        """

    # On another computer (`swgui.runs.remote`)

    @property
    def travels(self) -> bool:
        """Whether another computer can carry out runs of this kind."""
        return False

    def sent(self, asked: Any) -> Packed:
        """Return a request with all that it needs on another computer, but the database, which is there.

        Raises
        ------
        SwguiError
            If it needs something of this computer, or this kind of run is carried out here alone.
        """
        raise RunError(f"A {self.kind.noun} is carried out on this computer alone.", hint="Leave out --on.")

    def received(self, packed: Packed, find: Callable[[str, str], Path]) -> Any:
        """Return the request that another computer has sent.

        Parameters
        ----------
        find : callable
            Takes name and checksum of a database, and returns its file; a `SwguiError` if there is none.
        """
        raise RunError(f"A {self.kind.noun} is not carried out for other computers.")

    def cells(self, packed: Packed, residues: int) -> int:
        """Return about how many cells a sent request computes.

        Parameters
        ----------
        residues : int
            Of the database that it searches; 0 where it has all sequences.
        """
        return 0

    def send(self, run_id: str, path: Path) -> None:
        """Write the result of a run to a file for another computer, with all that it needs there."""
        self.export(run_id, path)

    def carry_out_away(
        self, asked: Any, run_id: str, cancel: threading.Event, begun: Callable[[], object]
    ) -> Generator[Any, None, tuple[Path, Callable[[], None]]]:
        """Have another computer carry out a request that names it; yield its events.

        Parameters
        ----------
        begun : callable
            Called once the other computer has the run, and a later start can take it up.

        Returns
        -------
        path : Path
            The file of the result, in the folder of runs.
        done : callable
            Called once the result is kept here.

        Raises
        ------
        SwguiError
            As `swgui.runs.remote.away.AwayRun.steps`.
        """
        from swgui.runs.remote.away import AwayRun  # here: few runs are elsewhere

        part = self.folder.path / f".{run_id}.part"
        run = AwayRun(self.kind.name, run_id, self.sent(asked), self.engine(asked)[1].on, part)
        for event in run.steps(cancel):
            if run.begun:
                begun()
            yield event
        return part, run.forget if run.complete else lambda: None

    @abstractmethod
    def open(self, run_id: str) -> Any:
        """Return the outcome of a run; a `SwguiError` says why it cannot be read."""

    def shown(self, run_id: str) -> Any:
        """Return the outcome of a run with all that a window must have at once; errors as of `open`."""
        return self.open(run_id)

    def inputs(self, outcome: Any) -> Iterable[str | Path | None]:
        """Return the databases that an outcome was found in, by their files."""
        return ()

    def needs(self, run_id: str) -> tuple[NeededFile, ...]:
        """Return the files of sequences that a run refers to, from its facts alone; `SwguiError` if it is damaged."""
        return ()

    @abstractmethod
    def take_file(self, path: Path) -> str:
        """Keep the run of a file among the runs, and return its id; errors as of `open_file`, and `FileNotWritten`."""

    def holds(self, path: Path) -> bool:
        """Whether a file has a run of this kind; not asked of files that name their kind (`Kind.file`)."""
        return False

    @abstractmethod
    def open_file(self, path: Path) -> Any:
        """Return the outcome of the run that was saved as a file, as `shown` gives it; a `SwguiError` says why not."""

    @abstractmethod
    def export(self, run_id: str, path: Path) -> None:
        """Write a run to a file of its own; a `SwguiError` if it cannot be read, or not be written there."""

    @abstractmethod
    def resume(self, run_id: str) -> Any:
        """Return the request of a run that ended early; `run` of it continues. `RunError` if that is not possible."""

    @abstractmethod
    def again(self, run_id: str) -> Any:
        """Return the request of a run, to carry it out anew; `RunError` if it cannot be made again."""

    @abstractmethod
    def about(self, asked: Any) -> About:
        """Return the facts of a run with this request for a list."""

    @abstractmethod
    def described(self, run_id: str) -> RunRecord:
        """Return the entry of a run with a result in a list, read from the result."""

    @abstractmethod
    def interrupted(self, run_id: str) -> RunRecord:
        """Return the entry of a run without a result in a list."""

    @abstractmethod
    def with_journal_progress(self, record: RunRecord) -> RunRecord:
        """Return a run that ended early with what was kept since it had its result; itself where nothing was."""

    def anew(self, asked: Any) -> Any:
        """Return a request as it was before any of it was carried out."""
        return replace(asked, run_id="") if getattr(asked, "run_id", "") else asked

    def engine(self, asked: Any) -> tuple[str, EngineOptions]:
        """Return which engine a request asks for, and with which devices and settings."""
        return getattr(asked, "engine", AUTO), getattr(asked, "options", EngineOptions())

    def resumable(self, record: RunRecord) -> bool:
        """Whether a run has a state from which it can continue."""
        return self.folder.has(record.id, self.state)

    def ids(self) -> set[str]:
        """Return the runs of this kind."""
        return self.folder.ids(*self.kind.files)

    def line(
        self, run_id: str, about: About, ended: Ended, started: str, finished: str = "", state: RunState | None = None,
        on: str = "",
    ) -> RunRecord:  # fmt: skip
        """Return the entry of a run in a list; under the name that the user gave it, if there is one.

        Parameters
        ----------
        state : str, optional
            ``done`` or ``partial`` if not given.
        on : str
            Address of the computer that an interrupted run was left on.
        """
        named = read_note(self.place(run_id, NOTE), run_id)
        return RunRecord(
            id=run_id,
            name=named.name if named is not None else about.name,
            state=state or ("done" if ended.complete else "partial"),
            queries=about.queries,
            database=about.database,
            started=started,
            finished=finished,
            seconds=ended.seconds,
            gcups=ended.cells / ended.seconds / 1e9 if ended.seconds > 0 else 0.0,
            fraction=1.0 if ended.complete else ended.fraction,
            reason=LEFT.format(name=on) if on else ended.reason,
            kind=self.kind.name,
            about=about.about,
            found=ended.found,
            on=on,
        )

    def left(self, run_id: str) -> Path:
        """Return the file from which a run continues; `RunError` if it is not there, or the run is active."""
        path = self.place(run_id, self.state)
        if not path.is_file():
            raise RunError(NOTHING_KEPT, hint=NOTHING_KEPT_HINT)
        if self.folder.active(run_id):
            raise RunError(ACTIVE)
        return path

    def place(self, run_id: str, suffix: str) -> Path:
        """Return the path of a file of a run; `RunError` if the id is none."""
        return self.folder.place(run_id, suffix)

    def list(self) -> list[RunRecord]:
        """Return all runs but those that have no result yet. Damaged ones are listed as such."""
        records = []
        for run_id in self.ids():
            with suppress(SwguiError):
                if self.folder.has(run_id, self.result) or not self.folder.active(run_id):
                    records.append(self.record(run_id))
        return records

    def record(self, run_id: str) -> RunRecord:
        """Return the entry of one run in a list; `RunError` if there is no such run."""
        if not self.folder.has(run_id, self.result):
            if not self.folder.has(run_id, self.asked):
                raise gone(run_id)
            record: RunRecord | None = self.interrupted(run_id)
        else:
            record = read_note(self.place(run_id, NOTE), run_id)
        if record is None:
            try:
                record = self.folder.keep_note(self.described(run_id))
            except (SwguiError, OSError) as fault:
                begun = started_by_id(run_id)
                record = RunRecord(run_id, run_id, "damaged", reason=str(fault), started=begun, kind=self.kind.name)
        early = record.state in ("partial", "failed", "interrupted")
        idle = not self.folder.active(run_id)
        if early and idle and record.state != "interrupted":
            with suppress(SwguiError, OSError):
                since = self.with_journal_progress(record)
                if since is not record:
                    values = {name: getattr(since, name) for name in ("seconds", "gcups", "fraction")}
                    record = replace(record, **values, state="partial", reason=KEPT_SINCE)
        size = self.folder.size(run_id, *{self.asked, self.result, self.state})
        return replace(record, size=size, resumable=early and idle and self.resumable(record))

    def path(self, run_id: str) -> Path:
        """Return the file with the result of a run; `RunError` if it has none."""
        path = self.place(run_id, self.result)
        if not path.is_file():
            raise RunError(NO_RESULT, hint=NO_RESULT_HINT)
        return path

    def has_result(self, run_id: str) -> bool:
        """Whether a run has a result."""
        return self.folder.has(run_id, self.result)

    def sweep(self) -> None:
        """Delete what crashed programs left behind and nothing can use."""
        self.folder.sweep()

    def delete(self, run_id: str) -> None:
        """Delete a run and all that belongs to it; `RunError` if it is active."""
        self.folder.delete(run_id)
