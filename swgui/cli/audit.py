"""``swgui audit``: what another program's table misses, and what it has beyond the exact ranking."""

from __future__ import annotations

import argparse

from swgui.cli.output import input_files, report
from swgui.cli.running import Report, deliver, on_terminal
from swgui.cli.search import make_request, search
from swgui.commands.engine import check_method
from swgui.core.compare.audit import audit
from swgui.core.compare.audit_summary import summary
from swgui.core.control import checking
from swgui.core.errors import InvalidParameter
from swgui.io.database.library import database_files, open_any_database
from swgui.io.outputs import check_outputs
from swgui.io.statistics import load_statistics
from swgui.io.table_files import check_writable
from swgui.io.tables.comparisons import audit_comments, audit_table
from swgui.io.tables.hits import read_hit_table
from swgui.io.tables.place_lists import read_places
from swgui.jobs.certificate import check_content, place_of, read_certificate
from swgui.jobs.members import check_form, members_of
from swgui.jobs.progress import bar
from swgui.jobs.rules.audit import audit_places, place_audit_table
from swgui.jobs.rules.run import FORMATS, RuleRun
from swgui.jobs.rules.verify import MEMBERS, request_of


def run(arguments: argparse.Namespace) -> int:
    """Search exactly, compare, write the table, and say on the standard error what it shows."""
    if arguments.rule:
        return audit_rule(arguments)
    if not (arguments.query and arguments.database):
        arguments.parser.error("the following arguments are required: -q/--query, -d/--database")
    check_outputs({"out": arguments.out}, [("table", arguments.table), *input_files(arguments)])
    check_writable(arguments.out, arguments.format)
    table = read_hit_table(arguments.table)  # first: a file that cannot be read should not cost a search
    check_method(arguments)
    request = make_request(arguments)
    with on_terminal() as terminal:
        result = search(request, terminal)
    if result is None:
        return 1
    compared = audit(result, table, load_statistics(result.scheme))
    counts = {"missed": len(compared.only_here), "extra": len(compared.only_there)}
    status = deliver(
        arguments,
        Report(
            table=audit_table(compared),
            comments=audit_comments(compared) if arguments.comments else (),
            sentences=summary(compared),
            counts=counts,
            facts={"both": len(compared.both)},
            complete=result.state == "complete",
        ),
    )
    report(result, terminal.line)
    return status


def audit_rule(arguments: argparse.Namespace) -> int:
    """Search by the rule of a certificate again, and compare the places with another program's list."""
    facts = read_certificate(arguments.rule, *FORMATS)
    if facts is None:
        raise InvalidParameter("rule", arguments.rule, f"'{arguments.rule}' is no certificate of a search by rule.")
    check_form(facts, members_of(MEMBERS, facts, FORMATS), arguments.rule)
    place = arguments.database or place_of(facts, "database", arguments.rule)
    given = [("table", arguments.table), ("certificate", arguments.rule)]
    check_outputs({"out": arguments.out}, [*given, *(("database", file) for file in database_files(place))])
    check_writable(arguments.out, arguments.format)
    program, listed = read_places(arguments.table)
    with on_terminal() as terminal:
        cancel, line = terminal.cancel, terminal.line
        request = request_of(facts, place, arguments.engine)
        database = open_any_database(place, alphabet=request.database_alphabet, cancel=cancel, in_blocks=True)
        check_content(facts, "database", database, place)
        made = RuleRun(request, database)
        made.scan_all(checking(cancel), lambda done, total: line.show(f"scanning {bar(done, total)}"))
    compared = audit_places(made, program, listed)
    counts = {"missed": len(compared.missed), "extra": len(compared.extra)}
    facts = {"both": len(compared.same), "moved": len(compared.moved), "unknown": len(compared.unknown)}
    table, said = place_audit_table(made, compared), compared.summary(program)
    return deliver(arguments, Report(table=table, sentences=said, counts=counts, facts=facts))
