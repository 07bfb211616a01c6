"""One run of a command: how far it is, its end by Ctrl+C, its files and its exit status."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from swgui.commands.messages import RUN_OUTPUTS
from swgui.commands.option import files_read
from swgui.core.control import stop_on_interrupt
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.table import Table
from swgui.io.outputs import check_outputs
from swgui.io.table_files import write_table
from swgui.io.whole_file import save_text
from swgui.jobs.events import Progress, Stage, run_to_end
from swgui.jobs.kind import Kind, kinds, load
from swgui.jobs.progress import ProgressLine, bar

T = TypeVar("T")
NOTHING: Final = "stopped before anything was found."


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


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command of a kind of run that a package adds; returns the exit status."""
    kind = kinds()[arguments.command]
    inputs = files_read(load(kind.options), vars(arguments))
    check_outputs({name: getattr(arguments, name) for name in RUN_OUTPUTS}, inputs)
    return run_kind(kind, load(kind.request)(arguments), arguments)


def run_kind(kind: Kind, asked: Any, arguments: argparse.Namespace) -> int:
    """Carry out a request, write what `RUN_OPTIONS` names, and return the exit status.

    Raises
    ------
    InvalidParameter
        If there is no such table.
    SwguiError
        As the steps of the kind, or if it has no certificate.
    """
    from swgui.runs.steps import steps_of  # here: it brings the store of runs along

    codec = load(kind.codec)
    with on_terminal() as terminal:
        kept = terminal.run(steps_of(kind, asked, terminal.cancel, state=arguments.state, history=arguments.history))
        if kept is None:
            say(NOTHING)
            return terminal.status(complete=False)
        ended = codec.ended(kept.outcome)
        if (tables := codec.tables(asked, kept.outcome)) or arguments.table:
            write_table(arguments.out, chosen(tables, arguments.table), arguments.format)
        if arguments.save:
            from swgui.runs import Runs

            Runs().of(kind.name).write_file(asked, kept.outcome, Path(arguments.save))
        if arguments.certificate:
            facts = codec.certificate(asked, kept.outcome)
            save_text(Path(arguments.certificate), lambda file: json.dump(facts, file, indent=2))
        found = "" if ended.found is None else f"{ended.found:,} found."
        say(found, "" if ended.complete else ended.reason or "stopped: this is what was found by then.", kept.not_kept)
        return terminal.status(complete=ended.complete)


def verify_kind(name: str, path: Path) -> int:
    """Carry out the run that a file has the result of once more; exit status 0 only if it is the same.

    Raises
    ------
    RunError
        If its kind is not installed, or it is not complete.
    """
    from swgui.runs import Runs
    from swgui.runs.steps import verify_steps

    kept = Runs().of(name).open_file(path)
    with on_terminal() as terminal:
        different = terminal.run(verify_steps(kinds()[name], kept, terminal.cancel))
    if different is None:
        say("stopped before all was computed again.")
        return 1
    print(f"Different: {', '.join(different)}." if different else "All was computed again, and nothing differs.")
    return 1 if different else terminal.status(complete=True)


def chosen(tables: Mapping[str, Table[Any]], name: str | None) -> Table[Any]:
    """Return the table of a name, the first one without; `InvalidParameter` if there is none."""
    for key, table in tables.items():
        if name in (None, key):
            return table
    there = f"There {'is' if len(tables) == 1 else 'are'} {', '.join(tables)}." if tables else "It has none."
    raise InvalidParameter("table", name, f"There is no table '{name}'.", hint=there)
