"""``swgui rule``: every place that meets a rule, and a certificate that nothing was left out."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from swgui.cli.queries import read_queries
from swgui.commands.rule import rule_of
from swgui.core.control import checking, stop_on_interrupt
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.rules.request import RuleRequest
from swgui.core.words import count
from swgui.io.database.library import database_files, open_any_database
from swgui.io.outputs import check_outputs
from swgui.io.tables.place_lists import read_places
from swgui.io.tables.rule_page import certificate_page
from swgui.io.tables.rules import FORMATS
from swgui.io.whole_file import save_text, write_text
from swgui.jobs.progress import ProgressLine, bar
from swgui.jobs.rules.audit import audit_places, write_place_audit
from swgui.jobs.rules.resume import kept_state
from swgui.jobs.rules.rows import rows
from swgui.jobs.rules.run import RuleRun, certificate
from swgui.jobs.rules.verify import (
    check_database,
    place_of_database,
    read_certificate,
    request_of,
    verify_certificate,
)


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
    how = {"ambiguity": arguments.ambiguous, "strands": arguments.strand, "engine": arguments.engine}
    request = RuleRequest(rule, queries, alphabet, arguments.database, **how)
    for note in request.notes:
        print(f"swgui: {note}", file=sys.stderr)
    line = ProgressLine()
    with stop_on_interrupt() as cancel:
        database = open_any_database(arguments.database, alphabet=alphabet, cancel=cancel)
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
            save_text(Path(arguments.certificate_page), lambda file: file.write(certificate_page(facts)))


def verify_rule(arguments: argparse.Namespace, facts: dict[str, Any], line: ProgressLine) -> int:
    """Check a certificate, and say what was compared; exit status 0 only if all of it holds."""
    place = arguments.database or place_of_database(facts, arguments.file)
    request = request_of(facts, place, arguments.engine)
    with stop_on_interrupt() as cancel:
        database = open_any_database(place, alphabet=request.alphabet, cancel=cancel)
        check_database(facts, database, place)
        outcome = verify_certificate(
            facts,
            request,
            database,
            full=arguments.full,
            check=checking(cancel),
            progress=lambda done, total: line.show(f"scanning again {bar(done, total)}"),
        )
    line.clear()
    print(outcome.describe())
    for problem in outcome.problems:
        print(problem)
    return 0 if outcome.ok else 1


def audit_rule(arguments: argparse.Namespace) -> int:
    """Search by the rule of a certificate again, and compare the places with another program's list."""
    facts = read_certificate(arguments.rule)
    if facts is None:
        raise InvalidParameter("rule", arguments.rule, f"'{arguments.rule}' is no certificate of a search by rule.")
    place = arguments.database or place_of_database(facts, arguments.rule)
    given = [("table", arguments.table), ("certificate", arguments.rule)]
    check_outputs({"out": arguments.out}, [*given, *(("database", file) for file in database_files(place))])
    program, listed = read_places(arguments.table)
    line = ProgressLine()
    with stop_on_interrupt() as cancel:
        request = request_of(facts, place, arguments.engine)
        database = open_any_database(place, alphabet=request.alphabet, cancel=cancel)
        check_database(facts, database, place)
        made = RuleRun(request, database)
        made.go(checking(cancel), lambda done, total: line.show(f"scanning {bar(done, total)}"))
    line.clear()
    compared = audit_places(made, listed)
    write_text(arguments.out, lambda file: write_place_audit(made, compared, file))
    for sentence in compared.summary(program):
        print(f"swgui: {sentence}", file=sys.stderr)
    return 0


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
