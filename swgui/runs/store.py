"""The store of runs: every run, of whatever kind, is kept while it runs and when it ends.

A class of each kind knows its files (`swgui.runs.kept.KindRuns`); it is loaded with the first run of that kind. The
rest is the same for every kind and is in this module.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from swgui.core.plain import replace
from swgui.io.saved.log import kind_of_log
from swgui.jobs.kind import kinds, load
from swgui.runs.folder import BY_IDENTIFIER, NOTE, RunFolder
from swgui.runs.kept import KindRuns
from swgui.runs.records import NO_RESULT, NO_RESULT_HINT, RunError, RunRecord, gone, is_id, write_note

MAX_RUNS: Final = 200
MAX_BYTES: Final = 4 << 30


class Runs:
    """All runs in a folder.

    Parameters
    ----------
    folder : Path, optional
        By default that of the project in use, or the user's; made when the first run is kept.
    max_runs, max_bytes : int
        The oldest runs beyond these limits are deleted when a new one is kept; a project keeps all.
    """

    def __init__(self, folder: Path | None = None, *, max_runs: int = MAX_RUNS, max_bytes: int = MAX_BYTES) -> None:
        self.files = RunFolder(folder, max_runs=max_runs, max_bytes=max_bytes)
        self._kinds: dict[str, KindRuns] = {}

    def use(self, folder: Path | None) -> None:
        """List and keep the runs of another folder from now on; by default those that `Runs` begins with."""
        self.files = RunFolder(folder, max_runs=self.files.max_runs, max_bytes=self.files.max_bytes)
        self._kinds = {}

    @property
    def folder(self) -> Path:
        """Where the runs lie."""
        return self.files.path

    def of(self, kind: str) -> Any:
        """Return the runs of one kind (`KindRuns`), by its name; `RunError` if there is no such kind."""
        if kind not in kinds():
            raise RunError(f"There is no kind of run '{kind}'.", hint="The package that adds it may be missing.")
        if kind not in self._kinds:
            declared = kinds()[kind]
            self._kinds[kind] = load(declared.kept)(self.files, declared)
        return self._kinds[kind]

    def kind_of(self, run_id: str) -> str:
        """Return the kind of a run; `RunError` if there is no such run."""
        if is_id(run_id):
            for kind in kinds().values():
                if any(self.files.has(run_id, suffix) for suffix in kind.files):
                    return kind_of_log(self.files.place(run_id, kind.held)) if kind.shared else kind.name
        raise gone(run_id)

    # Running

    def run(self, kind: str, asked: Any, cancel: threading.Event) -> Iterator[Any]:
        """Carry out a request of a kind of run: as `KindRuns.run`.

        Raises
        ------
        RunError
            If another computer is to do it, which this kind of run does not allow.
        """
        kept = self.of(kind)
        if kept.engine(asked)[1].on and not kept.travels:
            kept.sent(asked)
        yield from kept.run(asked, cancel)

    def resume(self, run_id: str) -> Any:
        """Return the request of a run that ended early; `run` of it continues.

        Raises
        ------
        RunError, LogError
            If that is not possible.
        """
        return self._of(run_id).resume(run_id)

    def again(self, run_id: str) -> Any:
        """Return the request of a run, to carry it out anew; `RunError` if it cannot be made again."""
        return self._of(run_id).again(run_id)

    # Kept

    def list(self) -> list[RunRecord]:
        """Return all runs, newest first, but those that run and have no result yet. Damaged ones are listed as such."""
        found: list[RunRecord] = []
        for kind in kinds().values():
            if self.files.ids(*kind.files):
                found += self.of(kind.name).list()
        return sorted(found, key=lambda record: record.id, reverse=True)

    def record(self, run_id: str) -> RunRecord:
        """Return the entry of one run in a list; `RunError` if there is no such run."""
        record: RunRecord = self._of(run_id).record(run_id)
        return record

    def open(self, run_id: str) -> Any:
        """Return the outcome of a run, as its kind gives it; a `SwguiError` says why it cannot be read."""
        return self._of(run_id).open(run_id)

    def path(self, run_id: str) -> Path:
        """Return the file with the result of a run; `RunError` if it has none."""
        path: Path = self._of(run_id).path(run_id)
        return path

    def has_result(self, run_id: str) -> bool:
        """Whether there is such a run, and it has a result."""
        try:
            return bool(self._of(run_id).has_result(run_id))
        except RunError:
            return False

    def delete(self, run_id: str) -> None:
        """Delete a run and all that belongs to it; `RunError` if it is active."""
        self._of(run_id).delete(run_id)

    def rename(self, run_id: str, name: str) -> RunRecord:
        """Give a run that has a result another name, and return what a list shows of it then."""
        record = self.record(run_id)
        if record.state == "interrupted":
            raise RunError(NO_RESULT, hint=NO_RESULT_HINT)
        plain = " ".join(name.split())[:200]
        if not plain:
            raise RunError("A run needs a name.")
        record = replace(record, name=plain)
        write_note(self.files.place(record.id, NOTE), record)
        return record

    def keep_layout(self, run_id: str, layout: Mapping[str, Any]) -> None:
        """Keep what the user did to a run: ticks, hidden hits. Stars and notes are kept by identifier, elsewhere.

        Raises
        ------
        RunError
            If there is no such run any more.
        FileNotWritten
        """
        self.path(run_id)
        self.files.write_layout(run_id, {**layout, BY_IDENTIFIER: True})

    def sweep(self) -> None:
        """Delete what crashed programs left behind and nothing can use."""
        self.files.sweep()
        for kind in kinds().values():
            if self.files.ids(*kind.files):
                self.of(kind.name).sweep()

    def _of(self, run_id: str) -> Any:
        return self.of(self.kind_of(run_id))
