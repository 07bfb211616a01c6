"""One run of the history: what a list shows of it, and its name in the folder of runs."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from swgui.core.errors import SwguiError
from swgui.core.hits.results import State
from swgui.core.plain import made, plain
from swgui.io.saved.facts import SearchFacts
from swgui.io.whole_file import whole_file

_ID: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")

# What the user reads of every kind of run.
NO_RESULT: Final = "This run has no result yet."
NO_RESULT_HINT: Final = "Resume it, or run it again."
ACTIVE: Final = "This run is active already, perhaps in another window of this program."
NOTHING_KEPT: Final = "What this run had scored is not there any more."
NOTHING_KEPT_HINT: Final = "Run it again."
STOPPED: Final = "Stopped by you."
KEPT_SINCE: Final = "The program ended while the run was resumed; its result is from before."

RunKind = Literal["search", "pair"]
RunState = Literal["done", "partial", "failed", "interrupted", "damaged"]
_LATER: Final = ("kind",)  # what notes of earlier versions lack: those were searches
_STATES: Final[dict[State, RunState]] = {"complete": "done", "stopped": "partial", "failed": "failed"}


class HistoryError(SwguiError):
    """A saved run that is not there, or cannot be run again."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of the history, as a list shows it.

    Parameters
    ----------
    state : {"done", "partial", "failed", "interrupted", "damaged"}
        ``interrupted``: the program ended while it ran. ``damaged``: the file cannot be read.
    started, finished : str
        Local time, ISO 8601; empty where not known.
    seconds : float
        Wall time of scoring.
    fraction : float
        Share of the cells that was scored, 0 to 1.
    reason : str
        Why it is not done.
    resumable : bool
        Whether `History.resume` can resume it.
    size : int
        Bytes on disk.
    rounds : int
        Whole rounds of a search that continues behind them when it is resumed; 0 for any other.
    kind : {"search", "pair"}
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
    rounds: int = 0
    kind: RunKind = "search"


def read_note(path: Path, run_id: str) -> RunRecord | None:
    """Return what a note says of a run; None if it cannot be used, or lacks what this version looks for."""
    try:
        values = json.loads(path.read_text("utf-8"))
        record = replace(made(RunRecord, values), id=run_id)
    except (OSError, ValueError, RecursionError):
        return None
    whole = all(entry.name in values for entry in fields(RunRecord) if entry.name not in _LATER)
    return record if whole and record.state in _STATES.values() else None


def write_note(path: Path, record: RunRecord) -> None:
    """Write what a list shows of a run; `OSError` if that cannot be done."""
    with whole_file(path) as file:
        file.write(json.dumps(plain(record)).encode("ascii"))


def not_kept(fault: Exception, *, while_it_ran: bool = False) -> str:
    """Say that a run, which itself goes on, is not kept."""
    return f"The run could not be kept{' while it ran' if while_it_ran else ''}: {fault}"


def gone(run_id: str) -> HistoryError:
    """Return the error that a run is not there."""
    return HistoryError(f"There is no run '{run_id}' any more.")


@contextmanager
def readable(run_id: str) -> Iterator[None]:
    """Turn what damaged facts raise into one sentence."""
    try:
        yield
    except SwguiError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise HistoryError(f"What is known of the run '{run_id}' is damaged.") from fault


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


def record_of(run_id: str, facts: SearchFacts) -> RunRecord:
    """Return what a list shows of a saved search."""
    result = facts.result
    state = _STATES[result.state]
    return RunRecord(
        id=run_id,
        name=facts.name or run_id,
        state=state,
        queries=len(facts.queries),
        database=facts.database.name,
        started=facts.started or started_by_id(run_id),
        finished=result.finished_at,
        seconds=result.seconds,
        gcups=result.cells_done / result.seconds / 1e9 if result.seconds > 0 else 0.0,
        fraction=result.cells_done / result.cells_total if result.cells_total else 0.0,
        reason=result.message or (STOPPED if state == "partial" else result.information),
        rounds=_rounds(facts),
    )


def _rounds(facts: SearchFacts) -> int:
    """Return how many whole rounds a search has, if it is known how they continue."""
    if not facts.asked.get("iteration"):
        return 0
    return max((len(query.rounds.rounds) for query in facts.queries if query.rounds is not None), default=0)
