"""Commands of kinds of runs that packages add, and the verification of what such runs have found."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swgui.cli.running import (
    COMPLETE,
    Report,
    Terminal,
    deliver,
    on_terminal,
    refuse_features,
    say,
    with_loci,
    with_metadata,
)
from swgui.commands.common import PARTIAL
from swgui.commands.files import RUN_OUTPUTS
from swgui.commands.option import files_read
from swgui.core.errors import InvalidParameter
from swgui.core.table import Table
from swgui.core.words import agree
from swgui.io.outputs import check_outputs
from swgui.io.table_files import TABLE_FORMATS, write_table
from swgui.io.whole_file import save_text, write_text
from swgui.jobs.answers import answer_of
from swgui.jobs.kind import Kind, kinds, load

if TYPE_CHECKING:
    from swgui.core.pair.result import PairResult
    from swgui.runs.plain import Kept

NOTHING: Final = "stopped before anything was found."


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
        place, name = arguments.checkpoint, arguments.history
        kept = terminal.run(steps_of(kind, asked, terminal.cancel, state=place, history=name))
        if kept is None:
            say(NOTHING)
            return 1
        if kept.earlier:
            say(COMPLETE.format(name=name))
        ended = codec.ended(kept.outcome)
        tables = codec.tables(asked, kept.outcome)
        table = chosen(tables, arguments.table) if tables or arguments.table else None
        save_result(kind, kept, arguments.save)
        if arguments.certificate:
            facts = codec.certificate(asked, kept.outcome)
            save_text(Path(arguments.certificate), lambda file: json.dump(facts, file, indent=2))
        answer = answer_of(kind, kept.outcome, asked)
        whole = ended.complete and not terminal.cancel.is_set()
        return deliver(arguments, Report(table=table, answer=answer, sentences=[kept.not_kept], complete=whole))


def save_result(kind: Kind, kept: Kept, path: str | None) -> None:
    """Write request and outcome to one file, if one is named; `FileNotWritten` if that is not possible."""
    if path:
        from swgui.runs import Runs

        Runs().of(kind.name).write_file(kept.asked, kept.outcome, Path(path))


def show_kind(name: str, path: Path, arguments: argparse.Namespace) -> int:
    """Write the table of the run that a file has the result of, or its paragraph of methods.

    Raises
    ------
    InvalidParameter
        If it has no such column, or tables have no such format.
    RunError
        If its kind is not installed, or has no paragraph of methods.
    """
    from swgui.runs import Runs  # here and below: few commands open a run

    kept = Runs().of(name).open_file(path)
    check_outputs({"out": arguments.out}, [("saved run", str(path))])
    if not kinds()[name].codec:
        return _show_rule(kept, arguments)
    codec = load(kinds()[name].codec)
    if arguments.methods_text:
        if (form := arguments.methods_text) != "plain":
            message = f"A {kinds()[name].noun} has its paragraph as plain text alone."
            raise InvalidParameter("methods-text", form, message, hint="Give 'plain'.")
        paragraph = codec.methods(kept.asked, kept.outcome)
        write_text(arguments.out, lambda file: file.write(f"{paragraph}\n"))
        return 0
    refuse_features(arguments, kinds()[name].noun)
    _write_shown(chosen(codec.tables(kept.asked, kept.outcome), None), kinds()[name], arguments)
    return 0 if codec.ended(kept.outcome).complete else PARTIAL


def _show_rule(kept: Kept, arguments: argparse.Namespace) -> int:
    from swgui.io.methods.forms import written
    from swgui.io.methods.rules import rule_methods  # here and below: few commands show a search by rule
    from swgui.jobs.rules.table import places_table

    if arguments.methods_text:
        text = written(rule_methods(kept.outcome), arguments.methods_text)
        write_text(arguments.out, lambda file: file.write(text))
        return 0
    run = kept.asked
    places = with_loci(places_table(run.request, run.database, run.found()), arguments)
    _write_shown(places, kinds()["rule"], arguments)
    return 0 if run.complete else PARTIAL


def show_pair(result: PairResult, arguments: argparse.Namespace) -> int:
    """Write the alignments of a pair as a table, or its paragraph of methods; errors as of `show_kind`."""
    from swgui.io.methods.forms import written
    from swgui.io.methods.pairs import pair_methods  # here: few commands show a pair
    from swgui.io.tables.pairs import pair_table

    check_outputs({"out": arguments.out}, [("saved pair", arguments.file)])
    if arguments.methods_text:
        text = written(pair_methods(result), arguments.methods_text)
        write_text(arguments.out, lambda file: file.write(text))
        return 0
    refuse_features(arguments, "pair")
    _write_shown(pair_table(result), kinds()["pair"], arguments)
    return 0 if result.state == "finished" else PARTIAL


def _write_shown(table: Table[Any], kind: Kind, arguments: argparse.Namespace) -> None:
    if arguments.format not in TABLE_FORMATS:
        message = f"'{arguments.format}' is a format of hits; a {kind.noun} has tables."
        raise InvalidParameter("format", arguments.format, message, hint=f"Formats are {', '.join(TABLE_FORMATS)}.")
    columns = [key.strip() for key in arguments.columns.split(",")] if arguments.columns else None
    write_table(arguments.out, with_metadata(table.choose(columns), arguments), arguments.format)


def verify_kind(name: str, path: Path, arguments: argparse.Namespace, signed: Sequence[str] = ()) -> int:
    """Carry out the run that a file has the result of once more; exit status 0 only if it is the same.

    Raises
    ------
    RunError
        If its kind is not installed or cannot be verified, or it is not complete.
    """
    from swgui.runs import RunError, Runs
    from swgui.runs.steps import said_of, verify_steps

    kept = Runs().of(name).open_file(path)
    if reason := kinds()[name].without.get("verify"):
        raise RunError(f"A {kinds()[name].noun} cannot be verified: {reason}.")
    with on_terminal() as terminal:
        different = terminal.run(verify_steps(kinds()[name], kept, terminal.cancel))
        if different is None:
            say("stopped before all was computed again.")
            return 1
        return verified(arguments, terminal, not different, [*signed, said_of(different)])


def verified(arguments: argparse.Namespace, terminal: Terminal, ok: bool, sentences: Sequence[str]) -> int:
    """Print the outcome of a verification; returns 1 if something differs, otherwise as `Terminal.status`."""
    facts = {"file": arguments.file, "ok": ok, "sentences": list(sentences)}
    stopped = terminal.cancel.is_set()
    status = deliver(arguments, Report(lines=sentences, facts=facts, complete=not stopped))
    return status if ok else 1


def chosen(tables: Mapping[str, Table[Any]], name: str | None) -> Table[Any]:
    """Return the table of a name, the first one without; `InvalidParameter` if there is none."""
    for key, table in tables.items():
        if name in (None, key):
            return table
    there = f"There {agree(len(tables), 'is', 'are')} {', '.join(tables)}." if tables else "It has none."
    raise InvalidParameter("table", name, f"There is no table '{name}'.", hint=there)
