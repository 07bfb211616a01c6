"""The history: every search is kept when it ends, and while it runs.

In the folder of runs each run has an id, and up to four files:

* ``ID.swgui``, the saved search, once the run has ended;
* ``ID.json``, a note with what a list shows (made again from the saved search if it is missing or damaged);
* ``ID.layout``, what the user did to it since, as JSON: stars, notes, ticks, hidden hits;
* ``ID.journal``, what is scored while it runs; it stays if the run ends early, for `History.resume`.

No file is shared by two runs, each is replaced at once or only added to, and a journal in use is locked: programs
running at the same time do no harm to each other.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from swgui import paths
from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.plain import made, plain
from swgui.history.records import (
    HistoryError,
    RunRecord,
    is_id,
    new_id,
    read_note,
    readable,
    record_of,
    started_by_id,
    write_note,
)
from swgui.history.requests import (
    DatabaseName,
    EngineFacts,
    LimitFacts,
    RequestFacts,
    database_of,
    default_name,
    make_request,
    name_of,
)
from swgui.io.saved.journal import Journal, JournalError, in_use, read_facts
from swgui.io.saved.search import (
    SUFFIX,
    LoadedSearch,
    RunFacts,
    database_file_of,
    load_search,
    read_inputs,
    read_manifest,
    save_search,
)
from swgui.io.whole_file import whole_file
from swgui.jobs.iterate.events import IterationEvent
from swgui.jobs.iterate.request import IteratedSearch
from swgui.jobs.search.events import Finished
from swgui.jobs.search.request import SearchRequest

MAX_RUNS: Final = 200
MAX_BYTES: Final = 4 << 30
# Deleted in this order: without its note the run is still listed.
_SUFFIXES: Final = (SUFFIX, ".journal", ".layout", ".json")
ABANDONED_SECONDS: Final = 86_400  # after which a temporary file is one that a crash left behind


class History:
    """The folder of runs.

    Parameters
    ----------
    folder : Path, optional
        By default the user's; made when the first run is kept.
    max_runs, max_bytes : int
        The oldest runs beyond these limits are deleted when a new one is kept.
    """

    def __init__(self, folder: Path | None = None, *, max_runs: int = MAX_RUNS, max_bytes: int = MAX_BYTES) -> None:
        self.folder = folder or paths.data_dir() / "runs"
        self._max_runs = max_runs
        self._max_bytes = max_bytes

    # Running

    def search(self, request: SearchRequest, cancel: threading.Event) -> Iterator[IterationEvent]:
        """Search as `run_search` does, keep what is scored while it runs, and the result when it ends.

        If something cannot be kept, the search continues and its result says so.
        """
        from swgui.jobs.search.run import search_steps  # here: the window has a history long before a search

        if isinstance(request, IteratedSearch):
            yield from self._search_in_rounds(request, cancel)
            return
        journal, problem = self._journal(request)
        needed = True
        try:
            result = yield from search_steps(request, cancel, journal=journal)
            if result is not None:
                result, needed = self._keep(result, request, journal, problem or (journal.problem if journal else ""))
                yield Finished(result)
        finally:  # also after an error, or when the window is closed: what was scored can be resumed
            if journal is not None:
                journal.close() if needed and journal.worth_keeping else journal.delete()

    def resume(self, run_id: str) -> SearchRequest:
        """Return the request of a run that ended early; `search` of it resumes after its last finished chunk.

        Raises
        ------
        HistoryError, JournalError
            If that is not possible.
        """
        path = self._place(run_id, ".journal")
        if not path.is_file():
            raise HistoryError("What this run had scored is not there any more.", hint="Run the search again.")
        if in_use(path):
            raise HistoryError("This run is active already, perhaps in another window of this program.")
        facts, _, _ = read_facts(path)
        with readable(run_id):
            known = made(RequestFacts, facts)
            return replace(known.request(), name=known.name, run_id=run_id)

    def again(self, run_id: str) -> SearchRequest:
        """Return the request of a run, to run it anew."""
        path = self._place(run_id, SUFFIX)
        if not path.is_file():
            return replace(self.resume(run_id), run_id="")
        manifest, records, scheme = read_inputs(path)
        with readable(run_id):
            facts = made(LimitFacts, {**manifest.result.values(), **manifest.request, "mask": False})
            known = manifest.database
            whole = known.part or known
            request = make_request(facts, records, scheme, DatabaseName(whole.name, known.path, whole.checksum))
            return replace(request, name=self.record(run_id).name)

    def _search_in_rounds(self, request: IteratedSearch, cancel: threading.Event) -> Iterator[IterationEvent]:
        """Search in rounds, and keep the result; what is scored is not kept before a round has ended."""
        from swgui.jobs.iterate.run import iteration_steps

        started = datetime.now().astimezone().isoformat(timespec="seconds")
        result = yield from iteration_steps(request.iteration, cancel)
        if result is not None:
            yield Finished(self._keep(result, request, None, "", started)[0])

    def _journal(self, request: SearchRequest) -> tuple[Journal | None, str]:
        """Return an open journal; None if there can be none, and why."""
        if request.run_id:
            return Journal(self._place(request.run_id, ".journal")), ""
        try:
            paths.make_folder(self.folder)
            self._sweep()
            return Journal(self._place(new_id(), ".journal"), plain(RequestFacts.begun(request))), ""
        except (SwguiError, OSError) as fault:
            return None, f"The run could not be kept while it ran: {fault}"

    def _keep(
        self, result: SearchResult, request: SearchRequest, journal: Journal | None, problem: str, started: str = ""
    ) -> tuple[SearchResult, bool]:
        """Keep a result; return it with a note if that failed, and whether its journal is still needed."""
        started = str(journal.facts["started"]) if journal else started
        needed = result.state != "complete"
        try:
            kept = self.save(result, request, started=started, run_id=journal.path.stem if journal else "")
            result = replace(result, run_id=kept.id)
        except (SwguiError, OSError) as fault:
            problem, needed = f"The run could not be kept: {fault}", True
        if problem:
            result = replace(result, message=" ".join(part for part in (result.message, problem) if part))
        return result, needed

    # Keeping

    def save(
        self, result: SearchResult, request: SearchRequest | None = None, *, name: str = "", started: str = "",
        run_id: str = "", layout: Mapping[str, Any] | None = None,
    ) -> RunRecord:  # fmt: skip
        """Keep a result, and delete the oldest runs beyond the limits.

        Raises
        ------
        FileNotWritten, OSError
            If it cannot be written.
        """
        paths.make_folder(self.folder)
        run_id = run_id or new_id()
        place = database_of(request) if request else database_file_of(result.database)
        options = EngineFacts.of(request) if request else EngineFacts(engine=result.engine)
        known = default_name(request) if request else name_of([query.query for query in result.queries])
        run = RunFacts(name=name or known, started=started, request=plain(options))
        path = self._place(run_id, SUFFIX)
        save_search(result, path, layout=layout, database_path=place, run=run, compress=False)
        record = record_of(run_id, read_manifest(path))
        with suppress(SwguiError, OSError):  # without it the saved search is asked
            write_note(self._place(record.id, ".json"), record)
        self._prune(run_id)
        return self._completed(record)

    def list(self) -> list[RunRecord]:
        """Return all runs, newest first. Damaged ones are listed as such."""
        found = {path.stem: self.record(path.stem) for path in self.folder.glob(f"*{SUFFIX}") if is_id(path.stem)}
        for path in self.folder.glob("*.journal"):
            if is_id(path.stem) and path.stem not in found and not in_use(path):
                with suppress(SwguiError):
                    found[path.stem] = self._interrupted(path)
        return sorted(found.values(), key=lambda record: record.id, reverse=True)

    def record(self, run_id: str) -> RunRecord:
        """Return what a list shows of one run.

        Raises
        ------
        HistoryError
            If there is no such run.
        """
        path = self._place(run_id, SUFFIX)
        if not path.is_file():
            journal = self._place(run_id, ".journal")
            if not journal.is_file():
                raise HistoryError(f"There is no run '{run_id}' any more.")
            return self._interrupted(journal)
        record = read_note(self._place(run_id, ".json"), run_id)
        if record is None:
            try:
                record = record_of(run_id, read_manifest(path))
                with suppress(SwguiError, OSError):
                    write_note(self._place(record.id, ".json"), record)
            except SwguiError as fault:
                record = RunRecord(run_id, run_id, "damaged", reason=str(fault), started=started_by_id(run_id))
        return self._completed(record)

    def open(self, run_id: str) -> LoadedSearch:
        """Open a run, with what the user did to it since; `SavedSearchError` if it cannot be read."""
        loaded = load_search(self.path(run_id))
        since = self._read_layout(run_id)
        layout = loaded.layout if since is None else since
        return loaded._replace(result=replace(loaded.result, run_id=run_id), layout=layout)

    def keep_layout(self, run_id: str, layout: Mapping[str, Any]) -> None:
        """Keep what the user did to a run: stars, notes, ticks, hidden hits.

        Raises
        ------
        HistoryError
            If there is no such run any more.
        FileNotWritten
        """
        self.path(run_id)
        with whole_file(self._place(run_id, ".layout")) as file:
            file.write(json.dumps(layout).encode("ascii"))

    def _read_layout(self, run_id: str) -> dict[str, Any] | None:
        try:
            layout = json.loads(self._place(run_id, ".layout").read_text("ascii"))
        except (OSError, ValueError, RecursionError):
            return None
        return layout if isinstance(layout, dict) else None

    def path(self, run_id: str) -> Path:
        """Return the saved search of a run; `HistoryError` if it has none."""
        path = self._place(run_id, SUFFIX)
        if not path.is_file():
            raise HistoryError("This run has no result yet.", hint="Resume it, or run it again.")
        return path

    def rename(self, run_id: str, name: str) -> RunRecord:
        """Give a run another name."""
        plain = " ".join(name.split())[:200]
        if not plain:
            raise HistoryError("A run needs a name.")
        self.path(run_id)
        record = replace(self.record(run_id), name=plain)
        write_note(self._place(record.id, ".json"), record)
        return record

    def delete(self, run_id: str) -> None:
        """Delete a run and all that belongs to it; `HistoryError` if it is running."""
        journal = self._place(run_id, ".journal")
        if journal.exists() and in_use(journal):
            raise HistoryError("This run is active just now.", hint="Stop it first.")
        for suffix in _SUFFIXES:
            with suppress(FileNotFoundError):
                self._place(run_id, suffix).unlink()

    def _place(self, run_id: str, suffix: str) -> Path:
        if not is_id(run_id):
            raise HistoryError(f"'{run_id}' is no run.")
        return self.folder / f"{run_id}{suffix}"

    def _interrupted(self, path: Path) -> RunRecord:
        facts, cells, seconds = read_facts(path)
        with readable(path.stem):
            known = made(RequestFacts, facts)
            total = known.residues * known.opened.residues
            return RunRecord(
                id=path.stem,
                name=known.name,
                state="interrupted",
                queries=len(known.queries),
                database=known.database.name,
                started=known.started,
                seconds=seconds,
                gcups=cells / seconds / 1e9 if seconds > 0 else 0.0,
                fraction=min(cells / total, 1.0) if total else 0.0,
                reason="The program ended while the search ran.",
                resumable=True,
                size=path.stat().st_size,
            )

    def _completed(self, record: RunRecord) -> RunRecord:
        """Add what is not written down but looked up."""
        path, journal = self._place(record.id, SUFFIX), self._place(record.id, ".journal")
        size = 0
        with suppress(OSError):
            size = path.stat().st_size
        resumable = record.state in ("partial", "failed") and journal.is_file() and not in_use(journal)
        return replace(record, size=size, resumable=resumable)

    def _prune(self, newest: str) -> None:
        """Delete the oldest runs beyond the limits; never the newest, and none that is running."""
        size = 0
        runs = {path.stem for path in self.folder.glob(f"*{SUFFIX}") if is_id(path.stem)}
        for kept, run_id in enumerate(sorted(runs, reverse=True), start=1):
            files = [self._place(run_id, suffix) for suffix in _SUFFIXES]
            for file in files:
                with suppress(OSError):
                    size += file.stat().st_size
            if run_id != newest and (kept > self._max_runs or size > self._max_bytes):
                with suppress(SwguiError, OSError):
                    self.delete(run_id)

    def _sweep(self) -> None:
        """Delete what crashed programs left behind and nobody can use."""
        for part in self.folder.glob(".*.part"):
            with suppress(OSError):
                if time.time() - part.stat().st_mtime > ABANDONED_SECONDS:
                    part.unlink()
        for path in (*self.folder.glob("*.layout"), *self.folder.glob("*.json")):
            if is_id(path.stem) and not any(path.with_suffix(kept).exists() for kept in (SUFFIX, ".journal")):
                with suppress(OSError):
                    path.unlink()
        for path in self.folder.glob("*.journal"):
            if not is_id(path.stem) or in_use(path):
                continue
            saved = self._place(path.stem, SUFFIX)
            with suppress(SwguiError, OSError):
                if saved.is_file() and self.record(path.stem).state == "done":
                    path.unlink()
                    continue
            try:
                read_facts(path)
            except JournalError:  # killed before it was begun
                with suppress(OSError):
                    if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                        path.unlink()
