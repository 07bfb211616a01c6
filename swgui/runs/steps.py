"""One run of any kind that declares its steps: alone, with a file of its state, or in the list of runs."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import InvalidParameter, Stopped
from swgui.io.saved.log import NO_LOG, Log, NoLog
from swgui.io.saved.resuming import log_at
from swgui.jobs.events import Event, Finished
from swgui.jobs.kind import Kind, load
from swgui.runs.plain import Codec, Kept, compared
from swgui.runs.records import RunError
from swgui.runs.store import Runs

REMEDY: Final = "name another file as its state"


def steps_of(
    kind: Kind,
    asked: Any,
    cancel: threading.Event,
    *,
    state: str | None = None,
    history: str | None = None,
    log: Log | NoLog = NO_LOG,
) -> Generator[Event, None, Kept]:
    """Carry out a request of a kind of run: yield its events and return the outcome, also after Stop.

    Parameters
    ----------
    state : str, optional
        File that keeps finished work until all is done; the run continues from it if it is there.
    history : str, optional
        Name under which the list of runs keeps the run; empty for the name of its request. If it has a complete run
        of this name with the same request and sequences, that is the outcome, and nothing is computed. A run that
        another computer carries out is always kept: a later start takes it up.
    log : Log
        Keeps finished work in place of a `state`; the caller closes it.

    Raises
    ------
    Stopped
        If it was stopped before there was anything.
    LogError, FileNotWritten
        If the state is of another request, or cannot be written.
    SwguiError
        As the steps of the kind.
    """
    if Runs().of(kind.name).engine(asked)[1].on:
        if state:
            message = "A run on another computer is kept there and among the runs here."
            raise InvalidParameter("checkpoint", state, message, hint="Leave out --checkpoint.")
        history = history or ""
    if history is not None:
        return (yield from _in_the_list(kind, asked, cancel, history))
    steps, codec = load(kind.steps), load(kind.codec)
    if not state:
        return Kept(asked, (yield from steps(asked, cancel, log)), not_kept=log.problem if isinstance(log, Log) else "")
    with closing(log_at(Path(state), kind.name, {"another request": compared(codec, asked)}, REMEDY)) as kept:
        outcome = yield from steps(asked, cancel, kept)
        if codec.ended(outcome).complete:
            kept.delete()
        return Kept(asked, outcome, not_kept=kept.problem)


def _in_the_list(kind: Kind, asked: Any, cancel: threading.Event, name: str) -> Generator[Event, None, Kept]:
    runs, kept = Runs(), None
    earlier: Kept | None = runs.of(kind.name).finished(asked, name) if name else None
    if earlier is not None:
        return earlier
    if run_id := runs.of(kind.name).unfinished(asked):
        asked = runs.resume(run_id)
    for event in runs.run(kind.name, asked, cancel):
        if isinstance(event, Finished):
            kept = event.outcome
        else:
            yield event
    assert isinstance(kept, Kept)  # the last event has it
    if name and kept.run_id:
        runs.rename(kept.run_id, name)
    return kept


def verify_steps(kind: Kind, kept: Kept, cancel: threading.Event) -> Generator[Event, None, tuple[str, ...]]:
    """Carry out a run that is complete once more; return the parts of its outcome that differ, none if none does.

    Raises
    ------
    RunError
        If the run was not complete, so that there is nothing to compare with.
    Stopped
        If it was stopped before all was computed again.
    SwguiError
        As the steps of the kind.
    """
    codec: Codec = load(kind.codec)
    if not codec.ended(kept.outcome).complete:
        raise RunError("This run ended before all was done.", hint="Resume it first: only whole runs are verified.")
    outcome = yield from load(kind.steps)(kept.asked, cancel, NO_LOG)
    if not codec.ended(outcome).complete:
        raise Stopped
    then, now = codec.pack(kept.outcome), codec.pack(outcome)
    facts = [name for name in then.facts if name not in codec.varies and then.facts[name] != now.facts.get(name)]
    arrays = [name for name in then.arrays if not _same(then.arrays[name], now.arrays.get(name))]
    return (*facts, *arrays)


def said_of(different: Sequence[str]) -> str:
    """Return the outcome of `verify_steps` as a sentence."""
    return f"Different: {', '.join(different)}." if different else "All was computed again, and nothing differs."


def _same(then: NDArray[Any], now: NDArray[Any] | None) -> bool:
    if now is None or then.dtype != now.dtype:
        return False
    return np.array_equal(then, now, equal_nan=np.issubdtype(then.dtype, np.floating))
