"""``swgui show`` and ``swgui verify``: searches in files."""

from __future__ import annotations

import argparse
from typing import Any

from swgui.cli.output import report, write_result
from swgui.cli.running import on_terminal, say
from swgui.cli.runs import open_run, pair_named, run_of_kind
from swgui.commands.engine import engine_name, engine_options
from swgui.core.control import stop_on_interrupt
from swgui.core.errors import InvalidParameter
from swgui.core.hits.limits import Limits
from swgui.core.hits.marks import Marks
from swgui.core.hits.results import SearchResult
from swgui.core.pair.result import PairResult
from swgui.io.database.library import database_files, open_any_database
from swgui.io.methods.forms import written
from swgui.io.methods.searches import search_methods
from swgui.io.outputs import check_outputs
from swgui.io.sequences.report import ReadReport
from swgui.io.signatures import check_signature
from swgui.io.statistics import load_statistics
from swgui.io.whole_file import write_text
from swgui.jobs.certificate import check_content, place_of, read_certificate
from swgui.jobs.events import run_to_end
from swgui.jobs.members import CertificateCheck, check_form, members_of
from swgui.jobs.network.certificate import FORMATS as LEAKS
from swgui.jobs.network.leak import parts_of
from swgui.jobs.network.verify import MEMBERS as LEAK_MEMBERS
from swgui.jobs.network.verify import verify_leaks
from swgui.jobs.progress import ProgressLine, bar
from swgui.jobs.rules.run import FORMATS as RULES
from swgui.jobs.rules.verify import MEMBERS as RULE_MEMBERS
from swgui.jobs.rules.verify import request_of, verify_certificate
from swgui.jobs.search.limits import move_limits
from swgui.jobs.search.verify import verify

MAX_TOLD = 20  # differences told one by one


def show(arguments: argparse.Namespace) -> int:
    """Write the hits of a saved search, or how they were found; of a run of another kind its table."""
    if (place := run_of_kind(arguments.file)) is not None:
        from swgui.cli.kinds import show_kind  # here: most saved runs are searches

        return show_kind(*place, arguments)
    if (pair := pair_named(arguments.file)) is not None:
        from swgui.cli.kinds import show_pair

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
    return 0 if result.state == "complete" else 1


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
    """Search again, compare every score, and say what differs; exit status 0 only if nothing does."""
    if arguments.signer:
        print(f"The signature is right: {check_signature(arguments.file, arguments.signer)}.")
    if (facts := read_certificate(arguments.file, *RULES, *LEAKS)) is not None:
        return (verify_rule if facts["format"] in RULES else verify_leak)(arguments, facts)
    if (place := run_of_kind(arguments.file)) is not None:
        from swgui.cli.kinds import verify_kind  # here, as below: most saved runs are searches
        from swgui.runs import Runs

        if place[0] == "rule":
            return verify_rule(arguments, Runs().of("rule").certificate_in(place[1]))
        return verify_kind(*place)
    if (pair := pair_named(arguments.file)) is not None:
        return _verify_pair(pair)
    result = open_run(arguments.file, ProgressLine(), arguments.database).result
    with on_terminal() as terminal:
        engine, options = engine_name(arguments), engine_options(arguments)
        outcome = terminal.run(verify(result, terminal.cancel, engine=engine, options=options))
    if outcome is None:
        say("stopped before anything was scored.")
        return 1
    print(outcome.describe())
    for difference in outcome.differences[:MAX_TOLD]:
        print(difference)
    if outcome.different > MAX_TOLD:
        print(f"and {outcome.different - MAX_TOLD:,} more")
    print("Stated, not verified: E-values, ranks, names, settings and dates; only scores were compared.")
    return terminal.status(complete=outcome.ok)


def _verify_pair(pair: PairResult) -> int:
    """Compute the score of a pair again, and add up its alignments; exit status 0 only if nothing differs."""
    from swgui.jobs.pair.verify import verify_pair  # here: few commands verify a pair

    with on_terminal() as terminal:
        check = terminal.run(verify_pair(pair, terminal.cancel))
        if check is None:
            say("stopped before all was compared.")
            return 1
        for sentence in check.describe():
            print(sentence)
        return 0 if check.ok else 1


def _named(arguments: argparse.Namespace) -> str:
    """Return the database that is named; certificates are of one alone."""
    named: list[str] = arguments.database or []
    if len(named) > 1:
        raise InvalidParameter("database", named[1], "A certificate is of one database.", hint="Name it alone.")
    return named[0] if named else ""


def verify_rule(arguments: argparse.Namespace, facts: dict[str, Any]) -> int:
    """Check a certificate, and say what was compared; exit status 0 only if all of it holds."""
    check_form(facts, members_of(RULE_MEMBERS, facts, RULES), arguments.file)
    place = _named(arguments) or place_of(facts, "database", arguments.file)
    request, reading = request_of(facts, place, arguments.engine), ReadReport()
    with on_terminal() as terminal:
        cancel, line = terminal.cancel, terminal.line
        database = open_any_database(
            place, alphabet=request.database_alphabet, report=reading, cancel=cancel, in_blocks=True
        )
        check_content(facts, "database", database, place)
        outcome = verify_certificate(
            facts,
            request,
            database,
            cancel,
            reading=reading if reading.records else None,
            full=arguments.full,
            progress=lambda done, total: line.show(f"scanning again {bar(done, total)}"),
        )
    return _told(outcome)


def verify_leak(arguments: argparse.Namespace, facts: dict[str, Any]) -> int:
    """Check the certificate of a leak likewise; ``-d`` names the sequences of training."""
    check_form(facts, members_of(LEAK_MEMBERS, facts, LEAKS), arguments.file)
    place = _named(arguments) or place_of(facts, "training", arguments.file)
    with on_terminal() as terminal:
        space, cancel = None, terminal.cancel
        if facts["split"]:
            table, parts = place_of(facts, "split", arguments.file), facts["split"]["parts"]
            train, test, space = parts_of(place, table, parts, cancel)
        else:
            train = open_any_database(place, cancel=cancel)
            tested = place_of(facts, "test", arguments.file)
            test = open_any_database(tested, alphabet=train.alphabet, cancel=cancel)
        check_content(facts, "training", train, place)
        check_content(facts, "test", test, str(facts["test"]["path"]))
        steps = verify_leaks(facts, test, train, arguments.engine, cancel, full=arguments.full, space=space)
        outcome = run_to_end(steps, terminal.hear)
    return _told(outcome)


def _told(outcome: CertificateCheck) -> int:
    """Print the comparisons and the differences; return the exit status."""
    for sentence in outcome.describe(MAX_TOLD):
        print(sentence)
    return 0 if outcome.ok else 1
