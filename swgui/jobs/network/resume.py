"""The log of a comparison: each block that was compared, with its pairs, and the log next to an output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from swgui.core.network.edges import Edges
from swgui.io.saved.log import NO_LOG, Arrays, Log, NoLog, compare
from swgui.io.saved.resuming import log_at

_OF_SCORES: Final = "log10_evalues"  # E follows from the scores
ENDING: Final = ".part"  # behind the name of the output
_OF: Final = "comparison"  # member of a block: of which comparison it is


def kept_blocks(log: Log | NoLog, facts: Mapping[str, Any]) -> Iterator[tuple[int, float, Arrays]]:
    """Yield the start of each block that an earlier run compared, the seconds until then, and its pairs.

    Parameters
    ----------
    facts : Mapping
        The request (`swgui.jobs.network.edges.facts_of`).

    Raises
    ------
    LogError
        If the blocks are of another comparison.
    """
    for entry, columns in log.entries():
        if _OF in entry and isinstance(log, Log):
            compare(entry[_OF], facts, log.path, "run it again")
        yield entry["block"]["begin"], entry["block"].get("seconds", 0.0), columns


def add_block(log: Log | NoLog, begin: int, seconds: float, edges: Edges, facts: Mapping[str, Any]) -> None:
    """Keep a block that was compared, the seconds of the run until then, and of which comparison it is."""
    columns = {name: column for name, column in edges.columns_by_name.items() if name != _OF_SCORES}
    log.add({"block": {"begin": begin, "seconds": seconds}, _OF: facts}, columns)


def part_of(out: str | Path | None) -> Path | None:
    """Return the path of the log next to an output; None for a pipe or a device, or without an output."""
    place = Path(out) if out else None
    if place is None or (place.exists() and not place.is_file()):
        return None
    return place.with_name(f"{place.name}{ENDING}")


@contextmanager
def log_beside(out: str | Path | None, facts: Mapping[str, Any]) -> Iterator[Log | NoLog]:
    """Keep the log next to an output; deleted if the ``with`` statement ends without error, or if it is empty.

    Parameters
    ----------
    out : str or Path, optional
        The output; nothing is kept without one.
    facts : Mapping
        The request, as of `log_at`.

    Raises
    ------
    LogError, FileNotWritten
        As `log_at`.
    """
    place = part_of(out)
    if place is None:
        yield NO_LOG
        return
    log = log_at(place, "network", facts, "name another output")
    try:
        yield log
    except BaseException:
        if log.worth_keeping:
            log.close()
        else:
            log.delete()
        raise
    log.delete()
