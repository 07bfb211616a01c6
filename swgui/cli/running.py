"""One run of a command: how far it is, its end by Ctrl+C, its report, and its exit status."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

import msgspec

import swgui
from swgui.cli.remarks import insist
from swgui.commands.common import ANY, FOUND, PARTIAL
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.plain import replace
from swgui.core.signals import stop_on_interrupt
from swgui.core.table import Table
from swgui.core.words import count
from swgui.io.cells import json_text
from swgui.io.table_files import write_json, write_table
from swgui.jobs.events import Foretold, run_to_end
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search.events import DatabaseAltered, RoundFinished, RoundStarted

if TYPE_CHECKING:
    from swgui.core.answer import Answer
    from swgui.core.hits.results import SearchResult

COMPLETE: Final = "run '{name}' is complete; nothing is computed again."
NOTHING_SCORED: Final = "stopped before anything was scored."
T = TypeVar("T")


class Terminal:
    """The tools of a running command: the line of progress, and the event that Ctrl+C sets."""

    def __init__(self, cancel: threading.Event) -> None:
        self.cancel, self.line = cancel, ProgressLine()
        self.stopped = ""  # the progress of work that was stopped before it had a result

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
        """Show the progress of a run, the results of a round, and changes in reading a database."""
        match event:
            case RoundStarted() | RoundFinished():
                self.line.say(f"swgui: {round_in_words(event)}")
            case Foretold(sentence):
                self.line.clear()
                say(sentence)
            case DatabaseAltered(name, summary):
                self.line.clear()
                text = f"swgui: {name}: {summary} 'swgui makedb --remarks FILE' lists it."
                insist(text) if event.residues else print(text, file=sys.stderr)
            case _:
                self.line.event(event)

    def status(self, *, complete: bool) -> int:
        """Return the exit status for a result that was written: 0, or 3 if the work was stopped or ended early."""
        return 0 if complete and not self.cancel.is_set() else PARTIAL


def check_one_place(arguments: argparse.Namespace) -> None:
    """Refuse two places for the finished work of a run; `InvalidParameter` then."""
    if arguments.history is not None and arguments.checkpoint:
        message = "The history keeps the state of the work itself."
        raise InvalidParameter("history", arguments.history, message, hint="Give --checkpoint or --history.")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of a command, for people or, with ``--json``, for programs.

    Parameters
    ----------
    table : Table, optional
        Rows, for ``--out`` or the standard output.
    write : callable, optional
        Writes them to ``--out``, where that has formats other than those of all tables.
    comments : sequence of str
        Lines that begin the table.
    answer : Answer, optional
        Answer of the job: its sentence and first lines for people, on the standard error; whole in the JSON.
    sentences : sequence of str
        Further outcome for people, on the standard error.
    lines : sequence of str
        Outcome on the standard output, of commands without rows.
    facts : mapping
        Further members of the JSON.
    counts : mapping from str to int
        Numbers by the names that ``--fail-on`` may have.
    reaching : callable, optional
        Returns the number for a value of ``--fail-on``, where that is no name.
    complete : bool
        Whether all was done.
    """

    table: Table[Any] | None = None
    write: Callable[[], object] | None = None
    comments: Sequence[str] = ()
    answer: Answer | None = None
    sentences: Sequence[str] = ()
    lines: Sequence[str] = ()
    facts: Mapping[str, object] = {}
    counts: Mapping[str, int] = {}
    reaching: Callable[[Any], int] | None = None
    complete: bool = True

    def count(self, wanted: Any) -> int:
        """Return the number of findings of a value of ``--fail-on``."""
        if self.reaching is not None:
            return self.reaching(wanted)
        return sum(self.counts.values()) if wanted == ANY else self.counts[wanted]


def deliver(arguments: argparse.Namespace, report: Report) -> int:
    """Write the rows of a report, print it, and return the exit status: 0, 3 if not complete, 4 by ``--fail-on``.

    Parameters
    ----------
    arguments : Namespace
        With ``json``; perhaps with ``out``, ``format`` and ``fail_on``.
    """
    out = getattr(arguments, "out", None)
    if report.table is not None and report.write is None:
        report = replace(report, table=with_metadata(report.table, arguments))
    if report.table is not None and (out or not arguments.json):
        if report.write is not None:
            report.write()
        else:
            write_table(out, report.table, arguments.format, report.comments)
    if arguments.json:
        _print_json(arguments.command, report, out)
    else:
        for line in report.lines:
            print(line)
        say(*(report.answer.texts() if report.answer is not None else ()), *report.sentences)
    if not report.complete:
        return PARTIAL
    found = [f"--fail-on {_said(one)}: {report.count(one):,}" for one in _failing(arguments) if report.count(one)]
    say(*(f"{one} found; the exit status is {FOUND}." for one in found))
    return FOUND if found else 0


def with_metadata(table: Table[Any], arguments: argparse.Namespace) -> Table[Any]:
    """Return a table with the columns of the user's own, if any are named; errors as of `Metadata.join`."""
    if not getattr(arguments, "metadata", None):
        return table
    from swgui.commands import metadata  # here: few tables have columns of the user's own

    return metadata.with_metadata(table, arguments)


def with_loci(table: Table[Any], arguments: argparse.Namespace) -> Table[Any]:
    """Return a table of places with the columns that say where they lie, with ``--features`` alone."""
    if getattr(arguments, "features", None) is None:
        return table
    from swgui.commands.features import place_columns  # here: few tables have them

    return place_columns(table, arguments)


def refuse_features(arguments: argparse.Namespace, noun: str) -> None:
    """Refuse features for a table without places in a database; `InvalidParameter` then."""
    if getattr(arguments, "features", None) is not None:
        message = f"A {noun} has no places in a database, so that --features changes nothing."
        raise InvalidParameter("features", arguments.features, message, hint="Leave it out.")


def refuse_added(arguments: argparse.Namespace, formats: Collection[str], instead: str = "csv, json or xlsx") -> None:
    """Refuse columns that are added with a format that has no place for them; `InvalidParameter` then."""
    features = getattr(arguments, "features", None) is not None
    if (features or getattr(arguments, "metadata", None)) and arguments.format in formats:
        option = "features" if features else "metadata"
        message = f"Files in the format '{arguments.format}' have no place for the columns of --{option}."
        raise InvalidParameter(option, arguments.format, message, hint=f"Choose {instead}.")


def _failing(arguments: argparse.Namespace) -> Sequence[Any]:
    return getattr(arguments, "fail_on", None) or ()


def _said(wanted: object) -> str:
    return f"{100 * wanted:g}%" if isinstance(wanted, float) else str(wanted)


def _print_json(command: str, report: Report, out: str | None) -> None:
    """Print a report as one JSON object; its rows are in it unless a file has them."""
    facts: dict[str, object] = {"program": f"swgui {swgui.__version__}", "command": command}
    facts |= {"complete": report.complete, **report.facts}
    if report.counts:
        facts["counts"] = dict(report.counts)
    if report.answer is not None:
        facts["answer"] = report.answer.facts()
    if report.sentences:
        facts["sentences"] = list(filter(None, report.sentences))
    if out:
        facts["out"] = str(out)
    text = json_text(facts, indent=2)
    if report.table is None or out:
        print(text)
        return
    sys.stdout.write(f'{text.removesuffix("}").rstrip()},\n  "rows": ')
    write_json(report.table, sys.stdout)
    sys.stdout.write("}\n")


def say(*sentences: str) -> None:
    """Write sentences to the standard error, those that are empty left out."""
    for sentence in filter(None, sentences):
        print(f"swgui: {sentence}", file=sys.stderr)


def scored(result: SearchResult | None) -> SearchResult | None:
    """Return a result; None, and a word to the user, if nothing was scored."""
    if result is None:
        say(NOTHING_SCORED)
    return result


def round_in_words(event: RoundStarted | RoundFinished) -> str:
    """Return the next work of a round, or its result, in words."""
    if isinstance(event, RoundStarted):
        if event.hits:
            return f"{event.name}: {count(event.queries, 'hit')}."
        if event.behind:
            return f"{event.name}: {count(event.queries, 'query', 'queries')}."
        return f"Round {event.number} of at most {event.total}: {count(event.queries, 'query', 'queries')}."
    return (
        f"Round {event.number} included {event.included:,}: {event.new:,} new, {event.lost:,} lost. "
        f"{count(event.changing, 'query continues', 'queries continue')}."
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
