"""The files of runs: where they lie, which are deleted together, and what is left behind by crashes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from swgui import paths
from swgui.core.errors import SwguiError
from swgui.history.records import HistoryError, RunRecord, is_id, write_note
from swgui.io.saved.journal import in_use
from swgui.io.saved.search import SUFFIX
from swgui.io.whole_file import whole_file

JOURNAL: Final = ".journal"
PAIR: Final = ".pair"
OUTCOME: Final = ".outcome"
STATE: Final = ".state"
LAYOUT: Final = ".layout"
NOTE: Final = ".json"
# Deleted in this order: without its note the run is still listed.
_SUFFIXES: Final = (SUFFIX, JOURNAL, OUTCOME, STATE, PAIR, LAYOUT, NOTE)
_RUNS: Final = (SUFFIX, JOURNAL, PAIR)  # a file of one of these makes a run
_HELD: Final = (JOURNAL, PAIR)  # of these a program that works on the run has one open
ABANDONED_SECONDS: Final = 86_400  # after which a temporary file is one that a crash left behind


class RunFiles:
    """The folder of runs.

    Parameters
    ----------
    folder : Path, optional
        By default the user's; made when the first run is kept.
    max_runs, max_bytes : int
        `prune` deletes the oldest runs beyond these limits.
    """

    def __init__(self, folder: Path | None, *, max_runs: int, max_bytes: int) -> None:
        self.folder = folder or paths.data_dir() / "runs"
        self._max_runs = max_runs
        self._max_bytes = max_bytes

    def place(self, run_id: str, suffix: str) -> Path:
        """Return the file of a run; `HistoryError` if that is no name of one."""
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

    def renamed(self, record: RunRecord, name: str) -> RunRecord:
        """Give a run another name, and return what a list shows of it then."""
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
        for kept, run_id in enumerate(sorted(self.ids(SUFFIX, PAIR), reverse=True), start=1):
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
        runs, pairs = self.ids(*_RUNS), self.ids(PAIR)
        for suffix, needed in ((LAYOUT, runs), (NOTE, runs), (OUTCOME, pairs), (STATE, pairs)):
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
