"""Background work of the Runs page: open and delete. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from swgui.gui.kit.saving import note_database
from swgui.jobs.kind import kinds, saved_files
from swgui.runs import Runs
from swgui.runs.opening import open_saved


def open_file(path: Path) -> tuple[str, Any]:
    """Open a saved run, with its kind; protects the files that it read from being replaced by output."""
    kind, outcome = open_saved(path)
    return kind, _noted(Runs().of(kind), outcome)


def open_run(history: Runs, run_id: str) -> Any:
    """Open a run to be shown; protects the files that it read from being replaced by output."""
    runs = history.of(history.kind_of(run_id))
    return _noted(runs, runs.shown(run_id))


def _noted(runs: Any, outcome: Any) -> Any:
    for place in filter(None, runs.inputs(outcome)):
        note_database(place)
    return outcome


def save_run(history: Runs, run_id: str, path: Path) -> None:
    """Write a run to a file of its own; a `SwguiError` if it cannot be read, or not be written there."""
    history.of(history.kind_of(run_id)).export(run_id, path)


def result_files() -> str:
    """Return the kinds of files with results, for a dialog that opens them."""
    files = saved_files()
    every = " ".join(f"*{ending}" for ending in files)
    return ";;".join((f"All results ({every})", *files.values(), "All files (*)"))


def noun_of(path: Path) -> str:
    """Return the noun for a saved run, by the ending of its file."""
    nouns = [kind.noun for kind in kinds().values() if kind.file[0] == path.suffix]
    return f"saved {nouns[0]}" if len(nouns) == 1 else "saved run"


def delete_runs(history: Runs, ids: Sequence[str]) -> None:
    for run_id in ids:
        history.delete(run_id)
