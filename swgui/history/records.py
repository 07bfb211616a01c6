"""One run of the past: what a list shows of it, and its name in the folder of runs."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from swgui.core.errors import SwguiError
from swgui.core.plain import made, plain
from swgui.io.saved.facts import number, text, whole
from swgui.io.whole_file import whole_file

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


def read_note(path: Path, run_id: str) -> RunRecord | None:
    """Return what a note says of a run; None if it cannot be used, or lacks what this version looks for."""
    try:
        values = json.loads(path.read_text("utf-8"))
        record = replace(made(RunRecord, values), id=run_id)
    except (OSError, ValueError, RecursionError):
        return None
    whole = all(entry.name in values for entry in fields(RunRecord))
    return record if whole and record.state in _STATES.values() else None


def write_note(path: Path, record: RunRecord) -> None:
    """Write what a list shows of a run; `OSError` if that cannot be done."""
    with whole_file(path) as file:
        file.write(json.dumps(plain(record)).encode("ascii"))


class readable:  # noqa: N801 - used like a function
    """Turn what damaged facts raise into one sentence."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, _: object) -> None:
        if isinstance(fault, ValueError | KeyError | TypeError | AttributeError) and not isinstance(fault, SwguiError):
            raise HistoryError(f"What is known of the run '{self._run_id}' is damaged.") from fault


def is_id(name: str) -> bool:
    """Whether a text can be the id of a run."""
    return _ID.fullmatch(name) is not None


def new_id() -> str:
    """Return an id that sorts by time and that no other program makes at the same moment."""
    now = datetime.now()
    return f"{now:%Y%m%d-%H%M%S}-{now.microsecond:05x}{secrets.randbelow(1 << 12):03x}"


def started_by_id(run_id: str) -> str:
    """Return when a run began, as its id says; empty if it does not."""
    try:
        return datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").astimezone().isoformat(timespec="seconds")
    except ValueError:
        return ""


def record_of(run_id: str, manifest: Mapping[str, Any]) -> RunRecord:
    """Return what a list shows of a saved search; `HistoryError` if its manifest is damaged."""
    with readable(run_id):
        result = manifest["result"]
        done, total, seconds = whole(result["cells_done"]), whole(result["cells_total"]), number(result["seconds"])
        state = _STATES[result["state"]]
        return RunRecord(
            id=run_id,
            name=text(manifest.get("name", "")) or run_id,
            state=state,
            queries=len(manifest["queries"]),
            database=text(manifest["database"]["name"]),
            started=text(manifest.get("started", "")) or started_by_id(run_id),
            finished=text(result["finished_at"]),
            seconds=seconds,
            gcups=done / seconds / 1e9 if seconds > 0 else 0.0,
            fraction=done / total if total else 0.0,
            reason=text(result["message"]) or ("Stopped by you." if state == "partial" else ""),
        )
