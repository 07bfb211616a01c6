"""The kinds of runs, one record each: what opening and saving one means. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swgui.gui.runs import jobs
from swgui.history import History
from swgui.history.records import RunKind
from swgui.io.saved.search import SUFFIX, LoadedSearch

if TYPE_CHECKING:
    from swgui.core.pair.result import PairResult


@dataclass(frozen=True, slots=True)
class KindOfRun:
    """What the Runs page does with runs of one kind.

    Parameters
    ----------
    open : callable
        Returns the result of a run of the history; a worker calls it.
    save : callable
        Writes a run of the history to a file.
    suffix, files : str
        Of such a file, and how a dialog names it.
    verified : bool
        Whether all its scores can be compared, with those of another run or anew.
    """

    open: Callable[[History, str], LoadedSearch | PairResult]
    save: Callable[[History, str, Path], None]
    suffix: str
    files: str
    verified: bool


KINDS: Final[dict[RunKind, KindOfRun]] = {
    "search": KindOfRun(jobs.open_run, jobs.save_run, SUFFIX, f"Saved searches (*{SUFFIX})", True),
    "pair": KindOfRun(jobs.open_pair, jobs.save_pair_run, ".json", "Pair results (*.json)", False),
}
FILES: Final = ";;".join(
    (f"All results ({' '.join(f'*{kind.suffix}' for kind in KINDS.values())})", *(k.files for k in KINDS.values()),
     "All files (*)")
)  # fmt: skip
