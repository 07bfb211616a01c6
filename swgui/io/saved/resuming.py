"""Logs from which runs continue, those of earlier versions among them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swgui.core.errors import LogError
from swgui.core.plain import from_plain
from swgui.io.replacing import PART, replace_file
from swgui.io.saved.log import Entry, Log, compare, in_use, is_log, read_log, read_state_facts, settle, used

if TYPE_CHECKING:
    from swgui.io.saved.pair_states import Spent


def read_any_log(path: Path, kind: str) -> tuple[Entry, Iterator[Entry]]:
    """Return the content of a log of this or an earlier version; parameters and errors as of `read_log`."""
    if not is_log(path):
        from swgui.io.saved.before.blocks import read_blocks  # here: most logs are of this version
        from swgui.io.saved.before.checkpoints import read_checkpoint
        from swgui.io.saved.before.journals import read_journal

        for read in (read_blocks, read_journal, read_checkpoint):
            if (found := read(path, kind)) is not None:
                return found
    return read_log(path, kind)


def read_spent(path: Path) -> Spent:
    """Return the resources that a pair used until its state was kept; nothing if the file does not have them."""
    from swgui.io.saved.pack import FAULTS  # here, as below: few logs are of pairs
    from swgui.io.saved.pair_states import KIND, Spent

    try:
        if is_log(path):
            facts = read_state_facts(path, KIND)
        else:
            from swgui.io.saved.before.checkpoints import read_checkpoint_facts

            facts = read_checkpoint_facts(path)
        return from_plain(Spent, facts.get("spent", {}))
    except (OSError, *FAULTS):
        return Spent()


def log_at(path: Path, kind: str, facts: Mapping[str, Any], remedy: str) -> Log:
    """Open the log at a place that the user names: a new one, or one of the same request, from which it continues.

    Parameters
    ----------
    facts : Mapping
        The request, by the names that messages give a difference.
    remedy : str
        What to do with a log of another request.

    Raises
    ------
    LogError
        If it is of another request or kind of run, in use, or no log.
    FileNotWritten
        If it cannot be made.
    """
    if path.exists() and (not path.is_file() or os.stat(path).st_size):
        return continued(path, kind, facts, remedy)
    with suppress(OSError):
        path.unlink()
    return Log(path, kind, facts)


def continued(path: Path, kind: str, facts: Mapping[str, Any], remedy: str) -> Log:
    """Open an existing log of the same request; parameters and errors as of `log_at`."""
    settle(path)
    if not is_log(path):  # before it is written anew: the version that made it may continue from it
        compare(read_any_log(path, kind)[0].facts, facts, path, remedy)
    log = resumed(path, kind)
    try:
        compare(log.asked.facts, facts, path, remedy)
    except LogError:
        log.close()
        raise
    return log


def resumed(path: Path, kind: str) -> Log:
    """Open a log from which a run continues; one of an earlier version is written anew in the form of this one.

    Raises
    ------
    LogError
        If it is no log of this kind of run, damaged, or in use.
    FileNotWritten
        If it is of an earlier version, and the new one cannot be written.
    """
    if path.is_file() and not is_log(path):
        _renew(path, kind)
    return Log(path, kind)


def _renew(path: Path, kind: str) -> None:
    if in_use(path):
        raise used(path)
    asked, entries = read_any_log(path, kind)
    place = path.with_name(f".{path.name}{PART}")
    with suppress(OSError):
        place.unlink()
    log = Log(place, kind, asked.facts, asked.arrays)
    try:
        for facts, arrays in entries:
            log.add(facts, arrays)
        if log.problem:
            raise LogError(log.problem)
        log.close()
        replace_file(place, path)
    except BaseException:
        log.delete()
        raise
