"""``swgui show`` and ``swgui verify``: searches in files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final

from swgui.cli.kinds import show_kind, show_pair, verified, verify_kind
from swgui.cli.output import report
from swgui.cli.running import NOTHING_SCORED, on_terminal, say
from swgui.cli.runs import open_run, pair_named, run_of_kind
from swgui.cli.writing import write_result
from swgui.commands.common import PARTIAL
from swgui.commands.engine import engine_name, engine_options
from swgui.core.errors import InvalidParameter
from swgui.core.hits.marks import Marks
from swgui.core.hits.results import SearchResult
from swgui.core.limits import Limits
from swgui.core.pair.result import PairResult
from swgui.core.signals import stop_on_interrupt
from swgui.io.database.library import database_files
from swgui.io.methods.forms import written
from swgui.io.methods.searches import search_methods
from swgui.io.outputs import check_outputs
from swgui.io.signatures import check_signature
from swgui.io.statistics import load_statistics
from swgui.io.whole_file import write_text
from swgui.jobs.events import run_to_end
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search.limits import move_limits
from swgui.jobs.search.verify import verify
from swgui.jobs.verifying import certificate_steps, read_any_certificate

MAX_TOLD: Final = 20  # differences that are listed
STATED: Final = "Stated, not verified: E-values, ranks, names, settings and dates; only scores were compared."


def show(arguments: argparse.Namespace) -> int:
    """Write the hits of a saved search, or how they were found; of a run of another kind its table."""
    if (place := run_of_kind(arguments.file)) is not None:
        return show_kind(*place, arguments)
    if (pair := pair_named(arguments.file)) is not None:
        return show_pair(pair, arguments)
    line = ProgressLine()
    loaded = open_run(arguments.file, line, arguments.database)
    result = loaded.result
    databases = (*(arguments.database or ()), loaded.database_path, loaded.facts.database.path)
    files = [("database", file) for name in databases if name for file in database_files(name)]
    check_outputs({"out": arguments.out}, [("saved search", arguments.file), *files])
    if arguments.methods_text:
        text = written(search_methods(result), arguments.methods_text)
        write_text(arguments.out, lambda file: file.write(text))
        return 0
    result = _limited(result, arguments)
    marks = Marks.from_facts(loaded.layout.get("marks"), len(result.queries), len(result.database))
    alignments = write_result(result, arguments, line, marks, arguments.only)
    report(result, line, alignments)
    return 0 if result.state == "complete" else PARTIAL


def _limited(result: SearchResult, arguments: argparse.Namespace) -> SearchResult:
    """Return the result with the requested limits."""
    before = result.search.limits
    limits = Limits(
        before.top if arguments.top is None else arguments.top,
        before.max_evalue if arguments.evalue is None else arguments.evalue,
        before.effective_residues if arguments.dbsize is None else arguments.dbsize,
        before.minimums,
    )
    if limits == before:
        return result
    with stop_on_interrupt() as cancel:
        return move_limits(result, load_statistics(result.scheme), limits, cancel)


def run_verify(arguments: argparse.Namespace) -> int:
    """Compute a run again, or check a certificate, and print what differs; exit status 0 only if nothing does."""
    signed = []
    if arguments.signer:
        signed.append(f"The signature is right: {check_signature(arguments.file, arguments.signer)}.")
    if (facts := read_any_certificate(arguments.file)) is not None:
        return _verify_certificate(arguments, facts, signed)
    if (place := run_of_kind(arguments.file)) is not None:
        from swgui.runs import Runs  # here: most saved runs are searches

        if place[0] == "rule":
            return _verify_certificate(arguments, Runs().of("rule").certificate_in(place[1]), signed)
        return verify_kind(*place, arguments, signed)
    if (pair := pair_named(arguments.file)) is not None:
        return _verify_pair(arguments, pair, signed)
    result = open_run(arguments.file, ProgressLine(), arguments.database).result
    with on_terminal() as terminal:
        engine, options = engine_name(arguments), engine_options(arguments)
        outcome = terminal.run(verify(result, terminal.cancel, engine=engine, options=options))
        if outcome is None:
            say(NOTHING_SCORED)
            return 1
        said = [outcome.describe(), *map(str, outcome.differences[:MAX_TOLD])]
        if outcome.different > MAX_TOLD:
            said.append(f"and {outcome.different - MAX_TOLD:,} more")
        return verified(arguments, terminal, outcome.ok, [*signed, *said, STATED])


def _verify_pair(arguments: argparse.Namespace, pair: PairResult, signed: Sequence[str]) -> int:
    """Compute the score of a pair again, and add up its alignments; exit status 0 only if nothing differs."""
    from swgui.jobs.pair.verify import verify_pair  # here: few commands verify a pair

    with on_terminal() as terminal:
        check = terminal.run(verify_pair(pair, terminal.cancel))
        if check is None:
            say("stopped before all was compared.")
            return 1
        return verified(arguments, terminal, check.ok, [*signed, *check.describe()])


def _verify_certificate(arguments: argparse.Namespace, facts: dict[str, Any], signed: Sequence[str]) -> int:
    """Check a certificate; exit status 0 only if all of it holds."""
    with on_terminal() as terminal:
        steps = certificate_steps(
            facts,
            arguments.file,
            terminal.cancel,
            database=_named(arguments),
            engine=arguments.engine,
            full=arguments.full,
        )
        outcome = run_to_end(steps, terminal.hear)
        terminal.line.clear()
        return verified(arguments, terminal, outcome.ok, [*signed, *outcome.describe(MAX_TOLD)])


def _named(arguments: argparse.Namespace) -> str:
    """Return the database that --database names; a certificate is of one."""
    named: list[str] = arguments.database or []
    if len(named) > 1:
        raise InvalidParameter("database", named[1], "A certificate is of one database.", hint="Name it alone.")
    return named[0] if named else ""
