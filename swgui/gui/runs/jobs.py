"""What the Runs page does in the background: open, save, delete. No Qt."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swgui.gui.kit.saving import note_database
from swgui.io.database.any_file import database_files
from swgui.io.export.pairs import save_pair
from swgui.io.network.file import SUFFIX as NETWORK_SUFFIX
from swgui.io.network.file import save_network
from swgui.io.outputs import keep_inputs
from swgui.io.saved.pair import is_pair_file, open_pair_result
from swgui.io.saved.search import SUFFIX, LoadedSearch, RunFacts, load_search, save_search
from swgui.io.whole_file import save_text
from swgui.runs import Runs

if TYPE_CHECKING:
    from swgui.core.pair.result import PairResult
    from swgui.runs.plain import Kept
    from swgui.runs.rules import OpenedRule

SEARCH, PAIR, RULE, NETWORK = "search", "pair", "rule", "network"


def open_file(path: Path) -> tuple[str, Any]:
    """Open a saved search, whose database no output may replace from now on, or an exported pair; with its kind."""
    return (PAIR, open_pair_result(path).encode()) if is_pair_file(path) else (SEARCH, _noted(load_search(path)))


def open_run(history: Runs, run_id: str) -> LoadedSearch:
    """Open a search of the history; no output may replace its database from now on."""
    return _noted(history.open(run_id))


def open_pair(history: Runs, run_id: str) -> PairResult:
    result: PairResult = history.open(run_id).encode()
    return result


def open_rule(history: Runs, run_id: str) -> OpenedRule:
    """Open a search by rule; no output may replace its database from now on."""
    kept: OpenedRule = history.open(run_id)
    note_database(kept.run.request.database)
    return kept


def save_rule_run(history: Runs, run_id: str, path: Path) -> None:
    """Write the certificate of a search by rule; `SwguiError` if it cannot be read, or the file not written."""
    facts = history.of(history.kind_of(run_id)).certificate(run_id)
    save_text(path, lambda file: json.dump(facts, file, indent=2))


def open_network(history: Runs, run_id: str) -> Kept:
    """Open a network; no output may replace the file of its sequences from now on."""
    kept: Kept = history.open(run_id)
    if kept.asked.file:
        note_database(kept.asked.file)
    return kept


def save_network_run(history: Runs, run_id: str, path: Path) -> None:
    """Write a network to a file of its own; `SwguiError` if it cannot be read, or the file not written."""
    save_network(history.open(run_id).outcome.network, path)


def _noted(loaded: LoadedSearch) -> LoadedSearch:
    for place in (loaded.database_path, loaded.facts.database.path):
        if place:
            note_database(place)
    return loaded


def save_run(history: Runs, run_id: str, path: Path) -> None:
    """Write a run of the history to a file of its own, with the sequences of its hits if they are not too many.

    Raises
    ------
    SwguiError
        If the run cannot be read, the file not written, or `path` is its database.
    """
    loaded = history.open(run_id)
    facts = loaded.facts
    run = RunFacts(name=history.record(run_id).name, started=facts.started)
    place = loaded.database_path or facts.database.path or None
    keep_inputs(path, [("database", file) for file in (database_files(place) if place else ())])
    save_search(loaded.result, path, layout=loaded.layout, database_path=place, run=run)


def save_pair_run(history: Runs, run_id: str, path: Path) -> None:
    """Write a pair of the history to a file of its own, with its sequences.

    Raises
    ------
    SwguiError
        If the run cannot be read, or the file not written.
    """
    save_pair(path, "json", history.open(run_id))


def save_any_run(history: Runs, run_id: str, path: Path) -> None:
    """Write a run of a kind that is kept in one file; `SwguiError` if it has no result, or cannot be written."""
    history.of(history.kind_of(run_id)).save(run_id, path)


@dataclass(frozen=True, slots=True)
class FileForm:
    """How runs of a kind are opened, and saved as a file."""

    open: Callable[[Runs, str], Any]  # returns the outcome of a run of the history; a worker calls it
    save: Callable[[Runs, str, Path], None]  # writes a run of the history to a file
    # suffix, files: of such a file, and how a dialog names it
    suffix: str
    files: str
    verified: bool = False  # whether all its scores can be compared, with those of another run or anew


_ANY: Final = FileForm(Runs.open, save_any_run, ".result", "Results of a run (*.result)")
_FORMS: Final = {
    SEARCH: FileForm(open_run, save_run, SUFFIX, f"Saved searches (*{SUFFIX})", True),
    PAIR: FileForm(open_pair, save_pair_run, ".json", "Pair results (*.json)"),
    RULE: FileForm(open_rule, save_rule_run, ".json", "Certificates (*.json)"),
    NETWORK: FileForm(open_network, save_network_run, NETWORK_SUFFIX, f"Networks (*{NETWORK_SUFFIX})"),
}
_OPENED: Final = (_FORMS[SEARCH], _FORMS[PAIR])  # from files
FILES: Final = ";;".join(
    (f"All results ({' '.join(f'*{form.suffix}' for form in _OPENED)})", *(f.files for f in _OPENED), "All files (*)")
)


def form_of(kind: str) -> FileForm:
    """Return how runs of a kind are opened and saved."""
    return _FORMS.get(kind, _ANY)


def delete_runs(history: Runs, ids: Sequence[str]) -> None:
    for run_id in ids:
        history.delete(run_id)
