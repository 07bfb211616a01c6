"""The folder of runs: the files of runs of any kind, and the removal of files that crashes left behind.

Each run has an id, and a few files of that name. Those of its kind are declared in `swgui.jobs.kind`; besides,

* ``ID.json`` is a note with what a list shows (made again from the other files if it is missing or damaged),
* ``ID.layout`` has the user's changes since, as JSON: ticks, hidden hits.
* ``marks.json`` has stars and notes, of all runs (`swgui.io.marks`).

No file is shared by two runs, each is replaced at once or only added to, and the log of a run that is active is
locked: programs running at the same time do no harm to each other.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from swgui import paths
from swgui.core.errors import SwguiError
from swgui.io.saved.log import in_use
from swgui.io.whole_file import whole_file
from swgui.jobs.kind import kinds
from swgui.runs.records import RunError, RunRecord, is_id, write_note

LAYOUT: Final = ".layout"
BY_IDENTIFIER: Final = "marks_by_identifier"  # key in a layout whose stars and notes are those of `swgui.io.marks`
NOTE: Final = ".json"
ABANDONED_SECONDS: Final = 86_400  # after which a temporary file is one that a crash left behind


class RunFolder:
    """The files of runs in a folder.

    Parameters
    ----------
    folder : Path, optional
        By default that of the project in use, or the user's; made when the first run is kept.
    max_runs, max_bytes : int
        `prune` deletes the oldest runs beyond these limits; a project keeps all.
    """

    def __init__(self, folder: Path | None, *, max_runs: int, max_bytes: int) -> None:
        self.path = folder or paths.runs_dir()
        self.max_runs, self.max_bytes = max_runs, max_bytes

    def make(self) -> None:
        """Make the folder, and delete what crashes left behind; `FileNotWritten` if it cannot be made."""
        paths.make_folder(self.path)
        self.sweep()

    def place(self, run_id: str, suffix: str) -> Path:
        """Return the path of a file of a run; `RunError` if the id is none."""
        if not is_id(run_id):
            raise RunError(f"'{run_id}' is no run.")
        return self.path / f"{run_id}{suffix}"

    def has(self, run_id: str, suffix: str) -> bool:
        """Whether a run has a file with this ending."""
        return self.place(run_id, suffix).is_file()

    def ids(self, *suffixes: str) -> set[str]:
        """Return the runs that have a file with one of these endings."""
        return {path.stem for suffix in suffixes for path in self.path.glob(f"*{suffix}") if is_id(path.stem)}

    def active(self, run_id: str) -> bool:
        """Whether a program works on a run."""
        held = (self.place(run_id, suffix) for suffix in _held())
        return any(path.exists() and in_use(path) for path in held)

    def idle(self, suffix: str) -> Iterator[Path]:
        """Yield the files with this ending of runs that no program works on."""
        for path in self.path.glob(f"*{suffix}"):
            if is_id(path.stem) and not in_use(path):
                yield path

    def size(self, run_id: str, *suffixes: str) -> int:
        """Return how many bytes those files of a run take, or all of them."""
        size = 0
        for suffix in suffixes or _all():
            with suppress(OSError):
                size += self.place(run_id, suffix).stat().st_size
        return size

    def files(self, run_id: str) -> list[Path]:
        """Return the files of a run, last those by which it is listed."""
        mains = _mains()
        endings = sorted(_all(), key=lambda suffix: suffix in mains)
        return [place for suffix in endings if (place := self.place(run_id, suffix)).is_file()]

    def delete(self, run_id: str) -> None:
        """Delete a run and all that belongs to it; `RunError` if it is active."""
        if self.active(run_id):
            raise RunError("This run is active just now.", hint="Stop it first.")
        for suffix in _all():
            with suppress(FileNotFoundError):
                self.place(run_id, suffix).unlink()

    def keep_note(self, record: RunRecord) -> RunRecord:
        """Write down what a list shows of a run; where that fails, its other files are read each time."""
        with suppress(SwguiError, OSError):
            write_note(self.place(record.id, NOTE), record)
        return record

    def keep_result(self, record: RunRecord) -> None:
        """Write down what a list shows of a run that has its result now, and delete the oldest beyond the limits."""
        self.keep_note(record)
        self.prune(record.id)

    def write_layout(self, run_id: str, layout: Mapping[str, Any]) -> None:
        """Write the user's changes to a run; `FileNotWritten` if that fails."""
        with whole_file(self.place(run_id, LAYOUT)) as file:
            file.write(json.dumps(layout).encode("ascii"))

    def read_layout(self, run_id: str) -> dict[str, Any] | None:
        """Return the user's changes to a run; None if there are none."""
        try:
            layout = json.loads(self.place(run_id, LAYOUT).read_text("ascii"))
        except (OSError, ValueError, RecursionError):
            return None
        return layout if isinstance(layout, dict) else None

    def prune(self, newest: str) -> None:
        """Delete the oldest runs beyond the limits; never the newest, none that is active, and none of a project."""
        if paths.is_project(self.path.parent):
            return
        size = 0
        for kept, run_id in enumerate(sorted(self.ids(*_mains()), reverse=True), start=1):
            size += self.size(run_id)
            if run_id != newest and (kept > self.max_runs or size > self.max_bytes):
                with suppress(SwguiError, OSError):
                    self.delete(run_id)

    def sweep(self) -> None:
        """Delete what crashed programs left behind and nothing can use."""
        for part in self.path.glob(".*.part"):
            drop_abandoned(part)
        for state in (paths.data_dir() / "pairs").glob("*.pair"):  # where version 0.1 kept work that was not finished
            drop_abandoned(state)
        runs = self.ids(*_mains())
        needed = {LAYOUT: runs, NOTE: runs}
        for kind in kinds().values():
            needed |= dict.fromkeys(kind.beside, self.ids(*kind.files))
        for suffix, owners in needed.items():
            for run_id in self.ids(suffix) - owners:
                with suppress(OSError):
                    self.place(run_id, suffix).unlink()


def drop_abandoned(path: Path) -> None:
    """Delete a file that was not changed for a day."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
            path.unlink()


def _mains() -> tuple[str, ...]:
    """Return the endings of files that make a run."""
    return tuple(dict.fromkeys(suffix for kind in kinds().values() for suffix in kind.files))


def _held() -> tuple[str, ...]:
    """Return the endings of files that a program keeps open, one a run, while it works on the run."""
    return tuple(dict.fromkeys(kind.held for kind in kinds().values() if kind.held))


def _all() -> tuple[str, ...]:
    """Return all endings, in the order in which they are deleted: without its note a run is still listed."""
    beside = (suffix for kind in kinds().values() for suffix in kind.beside)
    return tuple(dict.fromkeys((*beside, *_mains(), LAYOUT, NOTE)))
