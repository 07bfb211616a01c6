"""Files that runs were saved as: which kind of run a file has, and its outcome."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from swgui.io.saved.pack import PackReader, not_a_saved_search
from swgui.jobs.kind import RESULT, Kind, kinds
from swgui.runs.plain import kind_of_file
from swgui.runs.store import Runs


def kind_of_saved(path: Path) -> str:
    """Return the kind of the run that a file has, by its content; empty if it has none."""
    return kind_of_file(path) or next((kind.name for kind in _own(path) if Runs().of(kind.name).holds(path)), "")


def open_saved(path: Path) -> tuple[str, Any]:
    """Return the kind of a saved run, and its outcome as the page of this kind shows it.

    Raises
    ------
    RunError
        If its kind is not installed.
    RunFileError
        If the file cannot be read, is damaged, or has no run.
    """
    named = (kind.name for kind in _own(path) if kind.file[0] == path.suffix)  # whose error is exact
    name = kind_of_saved(path) or next(named, "")
    if not name:
        with PackReader(path, noun := "a saved run"):
            raise not_a_saved_search(path, noun)
    return name, Runs().of(name).open_file(path)


def _own(path: Path) -> list[Kind]:
    """Return the kinds whose files do not name their kind, those with the ending of the file first."""
    own = [kind for kind in kinds().values() if kind.opens and kind.file[0] != RESULT]
    return sorted(own, key=lambda kind: kind.file[0] != path.suffix)
