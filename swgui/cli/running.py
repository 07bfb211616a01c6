"""One run of a command: how far it is, its end by Ctrl+C, and its exit status."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, overload

from swgui.cli.terminal import insist
from swgui.core.control import stop_on_interrupt
from swgui.core.errors import Stopped
from swgui.core.words import count
from swgui.jobs.events import run_to_end
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search.events import DatabaseAltered, RoundFinished, RoundStarted

T = TypeVar("T")


class Terminal:
    """The tools of a running command: the line of progress, and the event that Ctrl+C sets."""

    def __init__(self, cancel: threading.Event) -> None:
        self.cancel, self.line = cancel, ProgressLine()
        self.stopped = ""  # how far the work was that was stopped before there was anything

    @overload
    def run(self, steps: Generator[Any, None, T], hear: Callable[[Any], object] | None = ...) -> T | None: ...

    @overload
    def run(self, steps: Iterator[Any], hear: Callable[[Any], object] | None = ...) -> Any: ...

    def run(self, steps: Iterator[Any], hear: Callable[[Any], object] | None = None) -> Any:
        """Run steps to their end.

        Parameters
        ----------
        hear : callable, optional
            Takes each event; `hear` of the terminal if not given.

        Returns
        -------
        object
            As of `run_to_end`; None if they were stopped before there was anything.
        """
        try:
            return run_to_end(steps, hear or self.hear)
        except Stopped as stop:
            self.stopped = str(stop)
            return None
        finally:
            if isinstance(steps, Generator):
                steps.close()
            self.line.clear()

    def hear(self, event: object) -> None:
        """Show how far a run is, what a round did, and what was changed of what a search reads."""
        match event:
            case RoundStarted() | RoundFinished():
                self.line.say(f"swgui: {round_in_words(event)}")
            case DatabaseAltered(name, summary):
                self.line.clear()
                text = f"swgui: {name}: {summary} 'swgui makedb --remarks FILE' lists it."
                insist(text) if event.residues else print(text, file=sys.stderr)
            case _:
                self.line.event(event)

    def status(self, *, complete: bool) -> int:
        """Return the exit status: 0 if all was done, 1 if the work was stopped or ended early."""
        return 0 if complete and not self.cancel.is_set() else 1


def say(*sentences: str) -> None:
    """Write sentences to the standard error, those that are empty left out."""
    for sentence in filter(None, sentences):
        print(f"swgui: {sentence}", file=sys.stderr)


def round_in_words(event: RoundStarted | RoundFinished) -> str:
    """Return the next work of a round, or its result, in words."""
    if isinstance(event, RoundStarted):
        if event.hits:
            return f"{event.name}: {count(event.queries, 'hit')}."
        return f"Round {event.number} of at most {event.total}: {count(event.queries, 'query', 'queries')}."
    return (
        f"Round {event.number} included {event.included:,}: {event.new:,} new, {event.lost:,} lost. "
        f"{count(event.changing, 'query goes', 'queries go')} on."
    )


@contextmanager
def on_terminal() -> Iterator[Terminal]:
    """Give a command what it runs on; the first Ctrl+C stops the work, and what was found by then is written."""
    with stop_on_interrupt() as cancel:
        terminal = Terminal(cancel)
        try:
            yield terminal
        finally:
            terminal.line.clear()
