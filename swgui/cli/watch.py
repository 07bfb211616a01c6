"""``swgui watch``: adds, lists, shows, runs and removes standing queries."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swgui.cli.actions import MANY, Action, check_action
from swgui.cli.remarks import insist
from swgui.cli.running import Report, Terminal, deliver, on_terminal
from swgui.commands.files import database_name
from swgui.commands.watch import WATCH, asking_options
from swgui.core.table import Column, Kind, Table, Value, Values
from swgui.core.words import count
from swgui.engines.registry import KeptEngines
from swgui.io.outputs import check_outputs
from swgui.io.table_files import check_writable
from swgui.runs.watches.listing import ListedWatch, listed_watches
from swgui.runs.watches.passing import Outcome, mail_pass, passes_steps
from swgui.runs.watches.record import PassFacts, WatchState
from swgui.runs.watches.telling import headline
from swgui.runs.watches.watch import Watch, one_pass, remove_watch, watches_folder

if TYPE_CHECKING:
    from swgui.jobs.search.request import SearchRequest


def _each(read: Callable[[ListedWatch], Value], rows: Sequence[ListedWatch]) -> Values:
    return [read(row) for row in rows]


def _of_state(read: Callable[[WatchState], Value]) -> Callable[[ListedWatch], Value]:
    return lambda row: None if row.state is None else read(row.state)


def _of_last(read: Callable[[PassFacts], Value]) -> Callable[[ListedWatch], Value]:
    return lambda row: None if row.last is None else read(row.last)


_FACTS: Final[tuple[tuple[str, str, str, Kind, Callable[[ListedWatch], Value]], ...]] = (
    ("watch", "Watch", "Name", "word", lambda row: row.name),
    ("query", "Query", "Queries and databases", "text", lambda row: row.about or None),
    ("passes", "Passes", "Releases that were compared, the baseline among them", "integer",
     _of_state(lambda state: state.last)),
    ("database", "Database", "Database and release of the last one", "text", _of_last(lambda made: made.where)),
    ("hits", "Hits", "Hits in it", "integer", _of_last(lambda made: made.hits)),
    ("news", "News", "Outcome of the last pass that found another release", "text", lambda row: row.news or None),
    ("compared", "Compared", "When it was compared", "word", _of_last(lambda made: made.when)),
    ("looked", "Looked", "When a pass looked at the database last", "word",
     _of_state(lambda state: state.looked or None)),
    ("unsent", "Unsent", "Messages that wait for the next pass", "integer", _of_state(lambda state: len(state.unsent))),
    ("fault", "Fault", "Why the last pass failed", "text", lambda row: row.fault or None),
    ("feed", "Feed", "File of the feed", "text", lambda row: str(row.watch.feed) if row.watch else None),
)  # fmt: skip
_COLUMNS: Final[tuple[Column[Sequence[ListedWatch]], ...]] = tuple(
    Column(key, title, about, kind, read=partial(_each, read)) for key, title, about, kind, read in _FACTS
)


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; exit status 1 if a watch failed, and 3 if a pass was stopped.

    Raises
    ------
    InvalidParameter
        If the action has too few names, too many, or options of another one.
    SwguiError
        As the action.
    """
    action = _ACTIONS[arguments.action]
    of_add = () if arguments.action == "add" else asking_options()
    check_action(arguments, action, (*of_add, *(one for one in WATCH.options if one.key in ("pass_number", "out"))))
    return action.does(arguments, watches_folder(arguments.folder))


def _add(arguments: argparse.Namespace, root: Path) -> int:
    from swgui.cli.search import make_request  # here, as below: a pass over databases that are the same needs none

    given = list(arguments.database or ())
    arguments.database = [database_name(name) for name in given]
    request = make_request(arguments)
    with on_terminal() as terminal:
        _check_databases(arguments.database, request, terminal)
    check_outputs({"feed": arguments.feed}, [("query", name) for name in arguments.query])
    made = Watch.add(root, arguments.names[0], request, given, feed=arguments.feed or "", mail=arguments.mail or "")
    lines = [f"The watch '{made.name}' was added: {made.about}.", f"Feed: {made.feed}"]
    said = ["'swgui watch run' makes its first pass, with which later ones are compared."]
    return deliver(arguments, Report(lines=lines, sentences=said, facts={"folder": str(made.folder)}))


def _check_databases(places: Sequence[str], request: SearchRequest, terminal: Terminal) -> None:
    """Open each database, which converts files of sequences; errors as of `open_any_database`."""
    from swgui.io.database.library import open_any_database

    kind = request.search.database_alphabet.residue_alphabet
    for place in places:
        open_any_database(place, alphabet=kind, cancel=terminal.cancel)


def _list(arguments: argparse.Namespace, root: Path) -> int:
    check_writable(arguments.out, arguments.format)
    rows = listed_watches(root)
    said = f"{count(len(rows), 'watch', 'watches')} in {root}."
    table = Table(_COLUMNS, lambda: [rows])
    shown = table if rows or arguments.json or arguments.out else None
    return deliver(arguments, Report(table=shown, sentences=[said], facts={"folder": str(root)}))


def _show(arguments: argparse.Namespace, root: Path) -> int:
    from swgui.io.tables.changes import changes_table

    check_writable(arguments.out, arguments.format)
    watch = Watch(root, arguments.names[0])
    state = watch.state
    said = [f"{watch.name}: {watch.about}.", *(f"{headline(watch.name, one)} ({one.when})." for one in watch.passes())]
    said += [f"Feed: {watch.feed}", *([f"Mail: {watch.facts.mail}"] if watch.facts.mail else []), state.fault]
    number = state.last if arguments.pass_number is None else arguments.pass_number
    if not state.last and arguments.pass_number is None:
        return deliver(arguments, Report(sentences=[*said, "No pass was made yet: 'swgui watch run' makes one."]))
    made = watch.made_pass(number)
    if number == state.last:
        said.append(f"Hits: swgui show '{watch.result(number)}'")
    facts = {"watch": watch.name, "pass": made.number, "database": made.database, "release": made.release}
    return deliver(arguments, Report(table=changes_table(made.changes), sentences=said, facts=facts))


def _run(arguments: argparse.Namespace, root: Path) -> int:
    with one_pass(root), closing(KeptEngines()) as engines, on_terminal() as terminal:
        found = terminal.run(passes_steps(root, arguments.names or (), terminal.cancel, engines.use))
        outcomes: list[Outcome] = found or []
        talks = terminal.line.talks
    for outcome in outcomes:
        for fault in ([outcome.said] if outcome.kind == "failed" else []) + list(outcome.problems):
            insist(f"swgui: {outcome.watch}: {fault}")
    lines = [one.said for one in outcomes if one.made is not None]
    said = [one.said for one in outcomes if one.kind == "stopped" or (one.kind == "unchanged" and talks)]
    if not outcomes:
        said.append(f"There is no watch in '{root}': 'swgui watch add NAME -q FILE -d DATABASE' adds one.")
    facts = {"watches": [_facts(one) for one in outcomes]}
    stopped = any(one.kind == "stopped" for one in outcomes)
    status = deliver(arguments, Report(lines=lines, sentences=said, facts=facts, complete=not stopped))
    return 1 if any(one.failed for one in outcomes) else status


def _facts(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome for programs."""
    facts: dict[str, Any] = {"watch": outcome.watch, "outcome": outcome.kind, "sentence": outcome.said}
    facts["problems"] = list(outcome.problems)
    if (made := outcome.made) is not None:
        kinds = [change.change for change in made.changes]
        facts |= {"pass": made.number, "database": made.database, "release": made.release, "hits": made.hits}
        facts |= {"searched": made.searched, **{kind: kinds.count(kind) for kind in ("gained", "lost", "moved")}}
    return facts


def _mail(arguments: argparse.Namespace, root: Path) -> int:
    watch = Watch(root, arguments.names[0])
    watch.check_mails()
    with on_terminal() as terminal:
        mail_pass(watch, watch.made_pass(watch.state.last), terminal.cancel)
    return deliver(arguments, Report(lines=["The message was sent."]))


def _remove(arguments: argparse.Namespace, root: Path) -> int:
    name = arguments.names[0]
    feed = remove_watch(root, name)
    lines = [f"The watch '{name}' was removed.", *([f"Its feed stays: {feed}"] if feed else [])]
    return deliver(arguments, Report(lines=lines))


_ACTIONS: Final[dict[str, Action[int]]] = {
    "add": Action(_add, 1, 1, "one name", "swgui watch add NAME -q queries.fasta -d DATABASE"),
    "list": Action(_list, 0, 0, "no name", "swgui watch list", ("out",)),
    "show": Action(_show, 1, 1, "one name", "swgui watch show NAME", ("out", "pass_number")),
    "run": Action(_run, 0, MANY, "names, or none", "swgui watch run"),
    "mail": Action(_mail, 1, 1, "one name", "swgui watch mail NAME"),
    "remove": Action(_remove, 1, 1, "one name", "swgui watch remove NAME"),
}
