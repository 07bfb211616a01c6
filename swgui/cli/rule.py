"""``swgui rule``: every place that meets a rule, and a certificate that nothing was left out."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from contextlib import suppress
from pathlib import Path

from swgui.cli.queries import read_queries
from swgui.commands.rule import manner_of, rule_of
from swgui.core.control import checking, stop_on_interrupt
from swgui.core.errors import Stopped
from swgui.core.rules.request import RuleRequest
from swgui.core.words import count
from swgui.io.database.any_file import database_files, open_any_database
from swgui.io.outputs import check_outputs
from swgui.io.tables.rules import FORMATS
from swgui.io.whole_file import save_text
from swgui.jobs.progress import ProgressLine, bar
from swgui.jobs.rules.resume import kept_state
from swgui.jobs.rules.rows import rows
from swgui.jobs.rules.run import RuleRun, certificate


def run(arguments: argparse.Namespace) -> int:
    """Write the places and the certificate; exit status 0 only if all was scanned."""
    given = [("query", name) for name in arguments.query if name != "-"]
    given += [("database", file) for file in database_files(arguments.database)]
    outputs = {
        "out": arguments.out,
        "certificate": arguments.certificate,
        "certificate_page": arguments.certificate_page,
        "state": arguments.state,
    }
    check_outputs(outputs, given)
    rule = rule_of(arguments)
    queries, alphabet = read_queries(arguments.query, arguments.type)
    request = RuleRequest(rule, queries, alphabet, arguments.database, **manner_of(arguments))
    for note in request.notes:
        print(f"swgui: {note}", file=sys.stderr)
    line = ProgressLine()
    with stop_on_interrupt() as cancel:
        database = open_any_database(arguments.database, alphabet=request.database_alphabet, cancel=cancel)
        made = RuleRun(request, database)
        with kept_state(arguments.state, made) as keep, suppress(Stopped):
            made.go(checking(cancel), lambda done, total: line.show(f"scanning {bar(done, total)}"), keep)
    line.clear()
    _write(made, arguments)
    if arguments.state and made.complete:
        Path(arguments.state).unlink(missing_ok=True)
    print(f"swgui: {summary(made)}", file=sys.stderr)
    return 0 if made.complete else 1


def _write(made: RuleRun, arguments: argparse.Namespace) -> None:
    write, request = FORMATS[arguments.format], made.request
    places = made.found()
    if arguments.out:
        save_text(Path(arguments.out), lambda file: write(rows(request, made.database, places), request, file))
    else:
        write(rows(request, made.database, places), request, sys.stdout)
    if arguments.certificate or arguments.certificate_page:
        facts = certificate(made, shlex.join(["swgui", *sys.argv[1:]]))
        if arguments.certificate:
            save_text(Path(arguments.certificate), lambda file: json.dump(facts, file, indent=2))
        if arguments.certificate_page:
            from swgui.io.tables.rule_page import certificate_page  # here: most runs write none

            save_text(Path(arguments.certificate_page), lambda file: file.write(certificate_page(facts)))


def summary(made: RuleRun) -> str:
    """Return what was found, in a sentence."""
    places = sum(block.found for block in made.blocks)
    database = made.database
    scanned = made.blocks[-1].last if made.blocks else 0
    where = f"{count(len(database), 'sequence')} of {database.name}"
    if not made.complete:
        where = f"the first {scanned:,} of {where}, where the search was stopped,"
    if not places:
        return f"None. No place in {where} meets the rule."
    return f"{count(places, 'place')} in {where} meet the rule."
