"""Background work of the Runs page: open and delete. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from swgui.gui.kit.saving import note_database
from swgui.io.saved.pair import is_pair_file, open_pair_result
from swgui.io.saved.search import load_search
from swgui.jobs.kind import kinds
from swgui.runs import Runs
from swgui.runs.plain import kind_of_file

_OPENED: Final = "search", "pair", "sweep"  # kinds of each ending of files that are opened


def open_file(path: Path) -> tuple[str, Any]:
    """Open a saved run, with its kind; protects the files that it read from being replaced by output."""
    search, pair, _ = _OPENED
    if (kind := kind_of_file(path)) and kind in kinds():
        return kind, _noted(Runs().of(kind), Runs().of(kind).open_file(path))
    if is_pair_file(path):
        return pair, open_pair_result(path).encode()
    return search, _noted(Runs().of(search), load_search(path))


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
    endings, titles = zip(*(kinds()[kind].file for kind in _OPENED), strict=True)
    return ";;".join((f"All results ({' '.join(f'*{ending}' for ending in endings)})", *titles, "All files (*)"))


def delete_runs(history: Runs, ids: Sequence[str]) -> None:
    for run_id in ids:
        history.delete(run_id)
