"""What all kinds of runs in a folder share: their files, what a list shows of them, and what crashes leave behind."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Final

from swgui import paths
from swgui.core.errors import SwguiError
from swgui.core.plain import replace
from swgui.history.records import (
    KEPT_SINCE,
    NO_RESULT,
    NO_RESULT_HINT,
    HistoryError,
    RunKind,
    RunRecord,
    gone,
    is_id,
    read_note,
    started_by_id,
    write_note,
)
from swgui.io.saved.log import in_use
from swgui.io.saved.search import SUFFIX
from swgui.io.whole_file import whole_file

JOURNAL: Final = ".journal"
PAIR: Final = ".pair"
OUTCOME: Final = ".outcome"
STATE: Final = ".state"
RULE: Final = ".rule"
CERTIFICATE: Final = ".certificate"
LAYOUT: Final = ".layout"
NOTE: Final = ".json"
# Deleted in this order: without its note the run is still listed.
_SUFFIXES: Final = (SUFFIX, JOURNAL, OUTCOME, STATE, PAIR, CERTIFICATE, RULE, LAYOUT, NOTE)
_RUNS: Final = (SUFFIX, JOURNAL, PAIR, RULE)  # a file of one of these makes a run
_HELD: Final = (JOURNAL, PAIR, RULE)  # of these a program that works on the run has one open
ABANDONED_SECONDS: Final = 86_400  # after which a temporary file is one that a crash left behind


class RunFiles(ABC):
    """The runs of one kind in a folder.

    Parameters
    ----------
    folder : Path, optional
        By default the user's; made when the first run is kept.
    max_runs, max_bytes : int
        `prune` deletes the oldest runs beyond these limits.

    Attributes
    ----------
    kind : {"search", "pair", "rule"}
    asked, result, state : str
        Endings of the file that says what was asked, of that with the result, and of that from which a run that ended
        early continues.
    """

    kind: ClassVar[RunKind]
    asked: ClassVar[str]
    result: ClassVar[str]
    state: ClassVar[str]

    def __init__(self, folder: Path | None, *, max_runs: int, max_bytes: int) -> None:
        self.folder = folder or paths.data_dir() / "runs"
        self._max_runs = max_runs
        self._max_bytes = max_bytes

    @abstractmethod
    def described(self, run_id: str) -> RunRecord:
        """Return what a list shows of a run that has a result, read from that."""

    @abstractmethod
    def interrupted(self, run_id: str) -> RunRecord:
        """Return what a list shows of a run without a result."""

    @abstractmethod
    def kept_since(self, record: RunRecord) -> RunRecord:
        """Return a run that ended early with what was kept since it had its result; itself where nothing was."""

    def resumable(self, record: RunRecord) -> bool:
        """Whether there is something from which a run can continue."""
        return self.place(record.id, self.state).is_file()

    def list(self) -> list[RunRecord]:
        """Return all runs, newest first, but those that have no result yet. Damaged ones are listed as such."""
        records = []
        for run_id in sorted(self.ids(self.result, self.asked), reverse=True):
            with suppress(SwguiError):
                if self.place(run_id, self.result).is_file() or not self.active(run_id):
                    records.append(self.record(run_id))
        return records

    def record(self, run_id: str) -> RunRecord:
        """Return what a list shows of one run; `HistoryError` if there is no such run."""
        if not self.place(run_id, self.result).is_file():
            if not self.place(run_id, self.asked).is_file():
                raise gone(run_id)
            record: RunRecord | None = self.interrupted(run_id)
        else:
            record = read_note(self.place(run_id, NOTE), run_id)
        if record is None:
            try:
                record = self.keep_note(self.described(run_id))
            except (SwguiError, OSError) as fault:
                begun = started_by_id(run_id)
                record = RunRecord(run_id, run_id, "damaged", reason=str(fault), started=begun, kind=self.kind)
        early = record.state in ("partial", "failed", "interrupted")
        idle = not self.active(run_id)
        if early and idle and record.state != "interrupted":
            with suppress(SwguiError, OSError):
                since = self.kept_since(record)
                if since is not record:
                    values = {name: getattr(since, name) for name in ("seconds", "gcups", "fraction")}
                    record = replace(record, **values, state="partial", reason=KEPT_SINCE)
        size = self.size(run_id, *{self.asked, self.result, self.state})
        return replace(record, size=size, resumable=early and idle and self.resumable(record))

    def place(self, run_id: str, suffix: str) -> Path:
        """Return the path of a file of a run; `HistoryError` if the id is none."""
        if not is_id(run_id):
            raise HistoryError(f"'{run_id}' is no run.")
        return self.folder / f"{run_id}{suffix}"

    def ids(self, *suffixes: str) -> set[str]:
        """Return the runs that have a file with one of these endings."""
        return {path.stem for suffix in suffixes for path in self.folder.glob(f"*{suffix}") if is_id(path.stem)}

    def active(self, run_id: str) -> bool:
        """Whether a program works on a run."""
        held = (self.place(run_id, suffix) for suffix in _HELD)
        return any(path.exists() and in_use(path) for path in held)

    def size(self, run_id: str, *suffixes: str) -> int:
        """Return how many bytes those files of a run take."""
        size = 0
        for suffix in suffixes:
            with suppress(OSError):
                size += self.place(run_id, suffix).stat().st_size
        return size

    def delete(self, run_id: str) -> None:
        """Delete a run and all that belongs to it; `HistoryError` if it is running."""
        if self.active(run_id):
            raise HistoryError("This run is active just now.", hint="Stop it first.")
        if self.place(run_id, PAIR).exists():
            from swgui.io.saved.pair_checkpoint import settle  # here: pairs are not thought of at every start

            settle(self.place(run_id, STATE))  # it may be written in the background
        for suffix in _SUFFIXES:
            with suppress(FileNotFoundError):
                self.place(run_id, suffix).unlink()

    def keep_note(self, record: RunRecord) -> RunRecord:
        """Write down what a list shows of a run; where that fails, its other files are asked."""
        with suppress(SwguiError, OSError):
            write_note(self.place(record.id, NOTE), record)
        return record

    def path(self, run_id: str) -> Path:
        """Return the file with the result of a run; `HistoryError` if it has none."""
        path = self.place(run_id, self.result)
        if not path.is_file():
            raise HistoryError(NO_RESULT, hint=NO_RESULT_HINT)
        return path

    def rename(self, run_id: str, name: str) -> RunRecord:
        """Give a run that has a result another name, and return what a list shows of it then."""
        record = self.record(run_id)
        if record.state == "interrupted":
            raise HistoryError(NO_RESULT, hint=NO_RESULT_HINT)
        plain = " ".join(name.split())[:200]
        if not plain:
            raise HistoryError("A run needs a name.")
        record = replace(record, name=plain)
        write_note(self.place(record.id, NOTE), record)
        return record

    def write_layout(self, run_id: str, layout: Mapping[str, Any]) -> None:
        """Write what the user did to a run; `FileNotWritten` if that cannot be done."""
        with whole_file(self.place(run_id, LAYOUT)) as file:
            file.write(json.dumps(layout).encode("ascii"))

    def read_layout(self, run_id: str) -> dict[str, Any] | None:
        """Return what the user did to a run; None if nothing is known of that."""
        try:
            layout = json.loads(self.place(run_id, LAYOUT).read_text("ascii"))
        except (OSError, ValueError, RecursionError):
            return None
        return layout if isinstance(layout, dict) else None

    def prune(self, newest: str) -> None:
        """Delete the oldest runs beyond the limits; never the newest, and none that is running."""
        size = 0
        for kept, run_id in enumerate(sorted(self.ids(SUFFIX, PAIR, RULE), reverse=True), start=1):
            size += self.size(run_id, *_SUFFIXES)
            if run_id != newest and (kept > self._max_runs or size > self._max_bytes):
                with suppress(SwguiError, OSError):
                    self.delete(run_id)

    def sweep(self) -> None:
        """Delete what crashed programs left behind and nobody can use."""
        for part in self.folder.glob(".*.part"):
            self.drop_abandoned(part)
        for state in (paths.data_dir() / "pairs").glob("*.pair"):  # where version 0.1 kept work that was not finished
            self.drop_abandoned(state)
        runs, pairs, rules = self.ids(*_RUNS), self.ids(PAIR), self.ids(RULE)
        for suffix, needed in ((LAYOUT, runs), (NOTE, runs), (OUTCOME, pairs), (STATE, pairs), (CERTIFICATE, rules)):
            for run_id in self.ids(suffix) - needed:
                with suppress(OSError):
                    self.place(run_id, suffix).unlink()

    @staticmethod
    def drop_abandoned(path: Path) -> None:
        """Delete a file that was not changed for a day."""
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                path.unlink()

    def idle(self, suffix: str) -> Iterator[Path]:
        """Yield the files with this ending of runs that no program works on."""
        for path in self.folder.glob(f"*{suffix}"):
            if is_id(path.stem) and not in_use(path):
                yield path
