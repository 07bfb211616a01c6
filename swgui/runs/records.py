"""One run as a list shows it: its id, its name, its note on disk, and the sentences of all kinds of runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from swgui.core.errors import SwguiError
from swgui.core.headers import parse_header
from swgui.core.plain import from_plain, plain, replace
from swgui.core.records import SequenceRecord
from swgui.core.words import count
from swgui.io.whole_file import whole_file

_ID: Final = re.compile(r"\d{8}-\d{6}-[0-9a-f]{8}")

# What the user reads of every kind of run.
NO_RESULT: Final = "This run has no result yet."
NO_RESULT_HINT: Final = "Resume it, or run it again."
ACTIVE: Final = "This run is active already, perhaps in another window of this program."
NOTHING_KEPT: Final = "The scores of this run are missing."
NOTHING_KEPT_HINT: Final = "Run it again."
STOPPED: Final = "Stopped by you."
LEFT: Final = "The program ended while '{name}' carried out the run, which continues there; Resume takes it up again."
KEPT_SINCE: Final = "The program ended while the run was resumed; its result is from before."

RunState = Literal["done", "partial", "failed", "interrupted", "damaged"]
_LATER: Final = ("kind", "about", "found", "on")  # fields that notes of earlier versions, all of searches, lack
_ENDED: Final = ("done", "partial", "failed")
UNNAMED: Final = "query"  # the id of residues without a header
LONGEST_NAME: Final = 100  # characters


class NeededFile(msgspec.Struct, frozen=True):
    """A file of sequences or a database that a run refers to.

    Parameters
    ----------
    name : str
        What users call it.
    path : str
        Where it was.
    checksum : str
        Of the residues of a database, or ``sha256:`` and that of the file; empty where not known.
    size : int
        Bytes of the file; 0 where not known.
    """

    name: str
    path: str = ""
    checksum: str = ""
    size: Annotated[int, msgspec.Meta(ge=0)] = 0


class RunError(SwguiError):
    """A saved run that is not there, or cannot be run again."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run, as a list shows it."""

    id: str
    name: str
    # ``interrupted``: the program ended while it ran. ``damaged``: the file cannot be read.
    state: RunState
    queries: int = 0
    database: str = ""
    # started, finished: local time, ISO 8601; empty where not known
    started: str = ""
    finished: str = ""
    seconds: float = 0.0  # wall time of scoring
    gcups: float = 0.0
    fraction: float = 0.0  # share of the cells that was scored, 0 to 1
    reason: str = ""
    resumable: bool = False  # whether `Runs.resume` can resume it
    size: int = 0  # bytes on disk
    rounds: int = 0  # whole rounds of a search that continues behind them when it is resumed; 0 for any other
    kind: str = "search"  # name of its record in `swgui.jobs.kind`
    about: str = ""  # settings that distinguish searches of one query
    found: int | None = None  # significant hits of all queries, places of a rule, alignments of a pair; None: unknown
    on: str = ""  # address of the computer that an interrupted run was left on; empty for this one


def read_note(path: Path, run_id: str) -> RunRecord | None:
    """Return the facts in the note of a run; None if it is unusable, or lacks entries this version needs."""
    try:
        values = json.loads(path.read_text("utf-8"))
        record = replace(from_plain(RunRecord, values), id=run_id)
    except (OSError, ValueError, RecursionError):
        return None
    whole = all(entry.name in values for entry in fields(RunRecord) if entry.name not in _LATER)
    return record if whole and record.state in _ENDED else None


def write_note(path: Path, record: RunRecord) -> None:
    """Write the entry of a run in a list; `OSError` if that fails."""
    with whole_file(path) as file:
        file.write(json.dumps(plain(record)).encode("ascii"))


def not_kept(fault: Exception, *, while_it_ran: bool = False) -> str:
    """Report that a run, which itself continues, is not kept."""
    return f"The run could not be kept{' while it ran' if while_it_ran else ''}: {fault}"


def gone(run_id: str) -> RunError:
    """Return the error that a run is not there."""
    return RunError(f"There is no run '{run_id}' any more.")


@contextmanager
def readable(run_id: str) -> Iterator[None]:
    """Turn what damaged facts raise into one sentence."""
    try:
        yield
    except SwguiError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise RunError(f"The note of the run '{run_id}' is damaged.") from fault


def is_id(name: str) -> bool:
    """Whether a text can be the id of a run."""
    return _ID.fullmatch(name) is not None


def new_id() -> str:
    """Return an id that sorts by time and that no other program makes at the same moment."""
    moment = datetime.now()
    import secrets  # here: few commands keep runs

    return f"{moment:%Y%m%d-%H%M%S}-{moment.microsecond:05x}{secrets.randbelow(1 << 12):03x}"


def now() -> str:
    """Return local time, ISO 8601."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def started_by_id(run_id: str) -> str:
    """Return when a run began, as its id says; empty if it does not."""
    try:
        return datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").astimezone().isoformat(timespec="seconds")
    except ValueError:
        return ""


def name_of(queries: Sequence[SequenceRecord]) -> str:
    """Return the name of a run by its queries: ``my DHFR``, ``P69905 and 3 more``."""
    if not queries:
        return "No queries"
    if len(queries) > 1:
        return f"{short_name(queries[0])} and {len(queries) - 1:,} more"
    first = queries[0]
    return short_name(first) if _is_unnamed(first) else parse_header(first.id, first.description).label[:LONGEST_NAME]


def short_name(query: SequenceRecord) -> str:
    """Return a readable name of a query: ``LGB1_VICFA`` of ``gi|122087146|sp|P02232.2|LGB1_VICFA``."""
    if _is_unnamed(query):
        return f"Unnamed sequence of {count(len(query.residues), 'residue')}"
    return parse_header(query.id, query.description).name[:LONGEST_NAME]


def _is_unnamed(query: SequenceRecord) -> bool:
    return query.id == UNNAMED and not query.description
