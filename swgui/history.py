"""The runs of the past: every search is kept when it ends, and while it goes on.

In the folder of runs each run has an id, and up to three files:

* ``ID.swgui``, the saved search, once the run has ended;
* ``ID.json``, a note with what a list shows (made again from the saved search if it is missing or damaged);
* ``ID.journal``, what is scored while the run goes on; it stays if the run ends early, for `History.resume`.

No file is shared by two runs, each is replaced at once or only added to, and a journal in use is locked: programs
running at the same time do no harm to each other.
"""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from swgui import paths
from swgui.core.database import EncodedDatabase
from swgui.core.errors import SwguiError
from swgui.core.events import Finished, SearchEvent
from swgui.core.records import SequenceRecord
from swgui.core.results import SearchResult
from swgui.engines.base import EngineOptions
from swgui.io.journal import Journal, JournalError, in_use, read_facts
from swgui.io.library import user_databases
from swgui.io.saved_search import (
    SUFFIX,
    LoadedSearch,
    database_file_of,
    load_search,
    read_inputs,
    read_manifest,
    save_search,
)
from swgui.io.search_facts import number, read_scheme, scheme_facts, text, whole
from swgui.io.whole_file import whole_file
from swgui.search import SearchRequest, run_search

MOST_RUNS: Final = 200
MOST_BYTES: Final = 4 << 30
ABANDONED_SECONDS: Final = 86_400  # after which a temporary file is one that a crash left behind
_ID: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")

RunState = Literal["done", "partial", "failed", "interrupted", "damaged"]
_STATES: Final[dict[str, RunState]] = {"complete": "done", "stopped": "partial", "failed": "failed"}


class HistoryError(SwguiError):
    """A run of the past that is not there, or cannot be run again."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of the past, as a list shows it.

    Parameters
    ----------
    id : str
    name : str
    state : {"done", "partial", "failed", "interrupted", "damaged"}
        ``interrupted``: the program ended while it went on. ``damaged``: the file cannot be read.
    queries : int
    database : str
    started, finished : str
        Local time, ISO 8601; empty where not known.
    seconds : float
        Wall time of scoring.
    gcups : float
    fraction : float
        Share of the cells that was scored, 0 to 1.
    reason : str
        Why it is not done.
    resumable : bool
        Whether `History.resume` can go on with it.
    size : int
        Bytes on disk.
    """

    id: str
    name: str
    state: RunState
    queries: int = 0
    database: str = ""
    started: str = ""
    finished: str = ""
    seconds: float = 0.0
    gcups: float = 0.0
    fraction: float = 0.0
    reason: str = ""
    resumable: bool = False
    size: int = 0


class History:
    """The folder of runs.

    Parameters
    ----------
    folder : Path, optional
        By default the user's; made when the first run is kept.
    most_runs, most_bytes : int
        The oldest runs beyond these limits are deleted when a new one is kept.
    """

    def __init__(self, folder: Path | None = None, *, most_runs: int = MOST_RUNS, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder or paths.data_dir() / "runs"
        self._most_runs = most_runs
        self._most_bytes = most_bytes
        self._prepared: list[tuple[SearchRequest, str, str]] = []
        self._guard = threading.Lock()

    # Running

    def search(self, request: SearchRequest, cancel: threading.Event) -> Iterator[SearchEvent]:
        """Search as `run_search` does, keep what is scored while it goes on, and the result when it ends.

        If something cannot be kept, the search goes on and its result says so.
        """
        journal, name, problem = self._journal(request)
        needed = True
        try:
            for event in run_search(request, cancel, journal=journal):
                if isinstance(event, Finished):
                    problem = problem or (journal.problem if journal else "")
                    result, needed = self._keep(event.result, request, journal, name, problem)
                    yield Finished(result)
                else:
                    yield event
        finally:  # also after an error, or when the window is closed: what was scored can be gone on with
            if journal is not None:
                journal.close() if needed and journal.worth_keeping else journal.delete()

    def prepare(self, request: SearchRequest, *, name: str = "", run_id: str = "") -> None:
        """Say how the next `search` of this very request is called, and which run it goes on with.

        What is not given stays as it was said before.
        """
        with self._guard:
            said = [entry for entry in self._prepared if entry[0] is request]
            _, old_name, old_id = said[-1] if said else (request, "", "")
            self._prepared = [entry for entry in self._prepared if entry[0] is not request]
            self._prepared.append((request, name or old_name, run_id or old_id))

    def resume(self, run_id: str) -> SearchRequest:
        """Return the request of a run that ended early; `search` of it goes on from its last finished chunk.

        Raises
        ------
        HistoryError, JournalError
            If that is not possible.
        """
        path = self._place(run_id, ".journal")
        if not path.is_file():
            raise HistoryError("What this run had scored is not there any more.", hint="Run the search again.")
        if in_use(path):
            raise HistoryError("This run goes on already, perhaps in another window of this program.")
        facts, _, _ = read_facts(path)
        with _readable(run_id):
            records = tuple(
                SequenceRecord(text(query["id"]), text(query["description"]), text(query["residues"]).encode("ascii"))
                for query in facts["queries"]
            )
            request = _make_request(facts, records, read_scheme(facts["scheme"]), facts["database"])
            self.prepare(request, name=text(facts["name"]), run_id=run_id)
        return request

    def again(self, run_id: str) -> SearchRequest:
        """Return the request of a run, to run it anew."""
        path = self._place(run_id, SUFFIX)
        if not path.is_file():
            return self._again_interrupted(run_id)
        manifest, records, scheme = read_inputs(path)
        with _readable(run_id):
            facts = {**manifest["result"], **manifest.get("request", {}), "mask": False}
            request = _make_request(facts, records, scheme, manifest["database"])
            self.prepare(request, name=self.record(run_id).name)
        return request

    def _again_interrupted(self, run_id: str) -> SearchRequest:
        request = self.resume(run_id)
        with self._guard:
            self._prepared = [entry for entry in self._prepared if entry[0] is not request]
        return request

    def _journal(self, request: SearchRequest) -> tuple[Journal | None, str, str]:
        """Return an open journal (None if there can be none), the run's name, and why there is no journal."""
        name, run_id = self._take_prepared(request)
        name = name or default_name(request)
        if run_id:
            return Journal(self._place(run_id, ".journal")), name, ""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            return Journal(self._place(_new_id(), ".journal"), _request_facts(request, name)), name, ""
        except (SwguiError, OSError) as fault:
            return None, name, f"The run could not be kept while it went on: {fault}"

    def _take_prepared(self, request: SearchRequest) -> tuple[str, str]:
        with self._guard:
            mine = [entry for entry in self._prepared if entry[0] is request]
            self._prepared = [entry for entry in self._prepared if entry[0] is not request]
        return mine[-1][1:] if mine else ("", "")

    def _keep(
        self, result: SearchResult, request: SearchRequest, journal: Journal | None, name: str, problem: str
    ) -> tuple[SearchResult, bool]:
        """Keep a result; return it with a note if that failed, and whether its journal is still needed."""
        started = text(journal.facts["started"]) if journal else ""
        needed = result.state != "complete"
        try:
            self.save(result, request, name=name, started=started, run_id=journal.path.stem if journal else "")
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
        self.folder.mkdir(parents=True, exist_ok=True)
        run_id = run_id or _new_id()
        place = _database_of(request) if request else database_file_of(result.database)
        names = [query.query.id for query in result.queries]
        facts = {
            "name": name or _name_of(names),
            "started": started,
            "request": _engine_facts(request) if request else {"engine": result.engine},
        }
        path = self._place(run_id, SUFFIX)
        save_search(result, path, layout=layout, database_path=place, facts=facts, compress=False)
        record = _record_of(run_id, read_manifest(path))
        with suppress(SwguiError, OSError):  # without it the saved search is asked
            self._write_note(record)
        self._prune(run_id)
        return self._completed(record)

    def list(self) -> list[RunRecord]:
        """Return all runs, newest first. Damaged ones are listed as such."""
        found = {path.stem: self.record(path.stem) for path in self.folder.glob(f"*{SUFFIX}") if _is_id(path.stem)}
        for path in self.folder.glob("*.journal"):
            if _is_id(path.stem) and path.stem not in found and not in_use(path):
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
        record = self._read_note(run_id)
        if record is None:
            try:
                record = _record_of(run_id, read_manifest(path))
                with suppress(SwguiError, OSError):
                    self._write_note(record)
            except SwguiError as fault:
                record = RunRecord(run_id, run_id, "damaged", reason=str(fault), started=_started_by_id(run_id))
        return self._completed(record)

    def open(self, run_id: str) -> LoadedSearch:
        """Open a run; `SavedSearchError` if it cannot be read."""
        return load_search(self.path(run_id))

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
        self._write_note(record)
        return record

    def delete(self, run_id: str) -> None:
        """Delete a run and all that belongs to it; `HistoryError` if it goes on just now."""
        journal = self._place(run_id, ".journal")
        if journal.exists() and in_use(journal):
            raise HistoryError("This run goes on just now.", hint="Stop it first.")
        for suffix in (SUFFIX, ".journal", ".json"):  # the note last: without it the run is still listed
            with suppress(FileNotFoundError):
                self._place(run_id, suffix).unlink()

    def _place(self, run_id: str, suffix: str) -> Path:
        if not _is_id(run_id):
            raise HistoryError(f"'{run_id}' is no run.")
        return self.folder / f"{run_id}{suffix}"

    def _interrupted(self, path: Path) -> RunRecord:
        facts, cells, seconds = read_facts(path)
        with _readable(path.stem):
            strands = 2 if facts["strand"] == "both" else 1
            letters = sum(len(query["residues"]) for query in facts["queries"]) * strands
            total = letters * whole(facts["opened"].get("residues", 0))
            return RunRecord(
                id=path.stem,
                name=text(facts["name"]),
                state="interrupted",
                queries=len(facts["queries"]),
                database=text(facts["database"]["name"]),
                started=text(facts["started"]),
                seconds=seconds,
                gcups=cells / seconds / 1e9 if seconds > 0 else 0.0,
                fraction=min(cells / total, 1.0) if total else 0.0,
                reason="The program ended while the search went on.",
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

    def _read_note(self, run_id: str) -> RunRecord | None:
        try:
            values = json.loads(self._place(run_id, ".json").read_text("utf-8"))
            checked: dict[str, Any] = {key: _CHECKS[field](values[key]) for key, field in _NOTED.items()}
            record = RunRecord(**{**checked, "id": run_id})
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return record if record.state in _STATES.values() else None

    def _write_note(self, record: RunRecord) -> None:
        with whole_file(self._place(record.id, ".json")) as file:
            file.write(json.dumps(asdict(record)).encode("ascii"))

    def _prune(self, newest: str) -> None:
        """Delete the oldest runs beyond the limits; never the newest, and none that goes on."""
        size = 0
        runs = {path.stem for path in self.folder.glob(f"*{SUFFIX}") if _is_id(path.stem)}
        for kept, run_id in enumerate(sorted(runs, reverse=True), start=1):
            files = [self._place(run_id, suffix) for suffix in (SUFFIX, ".journal", ".json")]
            for file in files:
                with suppress(OSError):
                    size += file.stat().st_size
            if run_id != newest and (kept > self._most_runs or size > self._most_bytes):
                with suppress(SwguiError, OSError):
                    self.delete(run_id)

    def _sweep(self) -> None:
        """Delete what crashed programs left behind and nobody can use."""
        for part in self.folder.glob(".*.part"):
            with suppress(OSError):
                if time.time() - part.stat().st_mtime > ABANDONED_SECONDS:
                    part.unlink()
        for path in self.folder.glob("*.journal"):
            if not _is_id(path.stem) or in_use(path):
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


_NOTED: Final = {
    field.name: str(field.type) for field in fields(RunRecord) if field.name not in ("id", "resumable", "size")
}
_CHECKS: Final = {"str": text, "int": whole, "float": number, "RunState": text}


def default_name(request: SearchRequest) -> str:
    """Return the name of a run that was given none: its queries."""
    return _name_of([query.id for query in request.queries])


def _name_of(ids: list[str]) -> str:
    first = ids[0][:100] if ids else "No queries"
    return first if len(ids) < 2 else f"{first} and {len(ids) - 1:,} more"


class _readable:  # noqa: N801 - used like a function
    """Turn what damaged facts raise into one sentence."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, _: object) -> None:
        if isinstance(fault, ValueError | KeyError | TypeError | AttributeError) and not isinstance(fault, SwguiError):
            raise HistoryError(f"What is known of the run '{self._run_id}' is damaged.") from fault


def _is_id(name: str) -> bool:
    return _ID.fullmatch(name) is not None


def _new_id() -> str:
    """Return an id that sorts by time and that no other program makes at the same moment."""
    now = datetime.now()
    return f"{now:%Y%m%d-%H%M%S}-{now.microsecond:05x}{secrets.randbelow(1 << 12):03x}"


def _started_by_id(run_id: str) -> str:
    try:
        return datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").astimezone().isoformat(timespec="seconds")
    except ValueError:
        return ""


def _record_of(run_id: str, manifest: Mapping[str, Any]) -> RunRecord:
    with _readable(run_id):
        result = manifest["result"]
        done, total, seconds = whole(result["cells_done"]), whole(result["cells_total"]), number(result["seconds"])
        state = _STATES[result["state"]]
        return RunRecord(
            id=run_id,
            name=text(manifest.get("name", "")) or run_id,
            state=state,
            queries=len(manifest["queries"]),
            database=text(manifest["database"]["name"]),
            started=text(manifest.get("started", "")) or _started_by_id(run_id),
            finished=text(result["finished_at"]),
            seconds=seconds,
            gcups=done / seconds / 1e9 if seconds > 0 else 0.0,
            fraction=done / total if total else 0.0,
            reason=text(result["message"]) or ("Stopped by you." if state == "partial" else ""),
        )


def _database_of(request: SearchRequest) -> Path | None:
    """Return the file the user opened as the database."""
    if isinstance(request.database, EncodedDatabase):
        return database_file_of(request.database)
    return request.database.absolute()


def _engine_facts(request: SearchRequest) -> dict[str, Any]:
    return {
        "engine": request.engine,
        "engine_devices": list(request.options.devices),
        "threads": request.options.threads,
        "settings": dict(request.options.settings),
        "mask": request.mask,
        "keep_scores": request.keep_scores,
    }


def _request_facts(request: SearchRequest, name: str) -> dict[str, Any]:
    """Return everything that decides a search, as JSON values."""
    place = _database_of(request)
    opened = request.database if isinstance(request.database, EncodedDatabase) else None
    return {
        "name": name,
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
        "scheme": scheme_facts(request.scheme),
        "queries": [
            {"id": query.id, "description": query.description, "residues": query.residues.decode("ascii")}
            for query in request.queries
        ],
        "database": {
            "name": opened.name if opened else request.database.stem if isinstance(request.database, Path) else "",
            "path": str(place or ""),
            "checksum": opened.checksum if opened else "",
        },
        "strand": request.strand,
        "top": request.top,
        "max_evalue": request.max_evalue,
        "effective_residues": request.effective_residues,
        **_engine_facts(request),
    }


def _make_request(
    facts: Mapping[str, Any], records: tuple[SequenceRecord, ...], scheme: Any, database: Mapping[str, Any]
) -> SearchRequest:
    return SearchRequest(
        queries=records,
        database=_find_database(text(database["path"]), text(database["checksum"]), text(database["name"])),
        scheme=scheme,
        strand=facts["strand"],
        top=whole(facts["top"]),
        max_evalue=number(facts["max_evalue"]),
        engine=text(facts["engine"]),
        options=EngineOptions(
            devices=tuple(text(device) for device in facts.get("engine_devices", ())),
            threads=whole(facts.get("threads", 0)),
            settings={text(name): text(value) for name, value in facts.get("settings", {}).items()},
        ),
        keep_scores=bool(facts.get("keep_scores", True)),
        effective_residues=whole(facts.get("effective_residues", 0)),
        mask=bool(facts.get("mask", False)),
    )


def _find_database(path: str, checksum: str, name: str) -> Path:
    """Return where a database is: where it was, or wherever the same content is known."""
    if path and Path(path).is_file():
        return Path(path)
    for known in user_databases():
        if checksum and known.checksum == checksum:
            return known.path
    raise HistoryError(
        f"The database '{name}' of this run was not found{f' at {path}' if path else ''}.",
        hint="Put it back, or open it once, so that it is known.",
    )
