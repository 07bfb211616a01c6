"""One run of a command: how far it is, its end by Ctrl+C, and its exit status."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from swgui.core.control import stop_on_interrupt
from swgui.core.errors import Stopped
from swgui.jobs.events import Progress, Stage, run_to_end
from swgui.jobs.progress import ProgressLine, bar

T = TypeVar("T")


class Terminal:
    """What a command runs on: the line that says how far it is, and the event that Ctrl+C sets."""

    def __init__(self, cancel: threading.Event) -> None:
        self.cancel, self.line = cancel, ProgressLine()

    def run(self, steps: Generator[Any, None, T]) -> T | None:
        """Run steps to their end; return what they return, None if they were stopped before there was anything."""
        try:
            return run_to_end(steps, self.hear)
        except Stopped:
            return None
        finally:
            steps.close()
            self.line.clear()

    def hear(self, event: object) -> None:
        """Show an event."""
        match event:
            case Stage(name, done, total):
                self.line.show(f"{name} {bar(done, total)}" if total else name, force=not total)
            case Progress():
                self.line.show(f"{event.stage} {bar(event.done, event.total)}")

    def status(self, *, complete: bool) -> int:
        """Return the exit status: 0 if all was done, 1 if the work was stopped or ended early."""
        return 0 if complete and not self.cancel.is_set() else 1


def say(*sentences: str) -> None:
    """Write sentences to the standard error, those that are empty left out."""
    for sentence in filter(None, sentences):
        print(f"swgui: {sentence}", file=sys.stderr)


@contextmanager
def on_terminal() -> Iterator[Terminal]:
    """Give a command what it runs on; the first Ctrl+C stops the work, and what was found by then is written."""
    with stop_on_interrupt() as cancel:
        terminal = Terminal(cancel)
        try:
            yield terminal
        finally:
            terminal.line.clear()
