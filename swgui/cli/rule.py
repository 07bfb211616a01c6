"""``swgui rule``: every place that meets a rule, and a certificate that nothing was left out."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from swgui.cli.queries import read_queries
from swgui.cli.running import (
    COMPLETE,
    Report,
    Terminal,
    check_one_place,
    deliver,
    on_terminal,
    refuse_added,
    say,
    with_loci,
    with_metadata,
)
from swgui.commands.rule import manner_of, rule_of
from swgui.core.alphabet import Alphabet
from swgui.core.answer import Answer
from swgui.core.control import LISTED_SECONDS, Check, Grace, checking
from swgui.core.errors import Stopped, SwguiError
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.rules.asked import none_of, remarks
from swgui.core.rules.base import Rule
from swgui.core.rules.request import RuleRequest
from swgui.core.table import Table
from swgui.core.words import agree, count
from swgui.io.database.any_file import database_files, open_any_database
from swgui.io.outputs import check_outputs
from swgui.io.read_report import ReadReport
from swgui.io.signatures import sign, signature_to_be
from swgui.io.table_files import check_writable
from swgui.io.tables.rules import PLACE_FORMATS, write_places
from swgui.io.whole_file import save_text
from swgui.jobs.forecast import foretelling
from swgui.jobs.progress import ProgressLine, bar
from swgui.jobs.rules.answer import answer_to, with_answer
from swgui.jobs.rules.forecast import rule_forecast
from swgui.jobs.rules.resume import kept_state
from swgui.jobs.rules.run import RuleRun, certificate
from swgui.jobs.rules.table import PlaceRows, places_table

if TYPE_CHECKING:
    from swgui.jobs.rules.found import Background
    from swgui.runs.plain import Kept


def run(arguments: argparse.Namespace) -> int:
    """Write the places and the certificate; exit status 0 only if all was scanned."""
    inputs = [("query", name) for name in arguments.query if name != "-"]
    inputs += [("database", file) for file in database_files(arguments.database)]
    outputs = {
        "out": arguments.out,
        "certificate": arguments.certificate,
        "certificate_page": arguments.certificate_page,
        "checkpoint": arguments.checkpoint,
        "sign": signature_to_be(arguments.sign, arguments.certificate),
    }
    check_outputs(outputs, [*inputs, ("key", arguments.sign)])
    check_writable(arguments.out, arguments.format)
    refuse_added(arguments, PLACE_FORMATS)
    check_one_place(arguments)
    rule = rule_of(arguments)
    queries, alphabet = read_queries(arguments.query, arguments.type)
    request = _request(rule, queries, alphabet, arguments)
    say(*request.remarks)
    with on_terminal() as terminal:
        cancel, line = terminal.cancel, terminal.line
        rule_run, not_kept = _scanned(request, arguments, terminal)
        hints = _hints(rule_run, checking(cancel))
        figures = _allergen_figures(rule_run, arguments, checking(cancel), line)
        line.clear()
        answer = answer_to(rule_run.outcome(figures.fasta, figures.background))
        places = places_table(request, rule_run.database, rule_run.found(), figures.fasta)
        listed = _Listed(with_metadata(with_loci(places, arguments), arguments), cancel)
        if arguments.out or not arguments.json:
            left = _write(rule_run, listed, arguments, figures, answer)
        else:
            left = 0
            _write_certificates(rule_run, arguments, figures, answer)
    said = [summary(rule_run), *hints, not_kept]
    if figures.background is not None:
        said.append(figures.background.sentence())
    if left:
        said.append(f"stopped: {count(left, 'place is', 'places are')} not in the list, which has no certificate.")
    whole = rule_run.complete and not left
    if whole and arguments.checkpoint:
        Path(arguments.checkpoint).unlink(missing_ok=True)
    report = Report(
        table=listed.table,
        write=lambda: None,  # written above, before the sentences that count what is left out
        answer=answer,
        sentences=said,
        facts={"places": len(rule_run.found())},
        complete=whole and not cancel.is_set(),
    )
    return deliver(arguments, report)


def _request(
    rule: Rule, queries: Sequence[SequenceRecord], alphabet: Alphabet, arguments: argparse.Namespace
) -> RuleRequest:
    """Return the request; an error of a question that can be repaired names the options that do it."""
    manner = manner_of(arguments)
    try:
        return RuleRequest.given(rule, queries, alphabet, arguments.database, **manner)
    except SwguiError as fault:
        from swgui.core.rules.question import Question, hint_of, repairs_of  # here: most questions need no repair

        question = Question(rule, tuple(queries), alphabet, arguments.ambiguous, manner.get("with_pam", "auto"))
        fault.hint = f"{fault.hint} {hint_of(repairs_of(question), str(fault))}".strip()
        raise


def _scanned(request: RuleRequest, arguments: argparse.Namespace, terminal: Terminal) -> tuple[RuleRun, str]:
    """Carry out a request, with what a file or the list of runs has of it; return the run, and why it is not kept."""
    reading, cancel, name = ReadReport(), terminal.cancel, arguments.history
    kind = request.database_alphabet
    database = open_any_database(arguments.database, alphabet=kind, report=reading, cancel=cancel, in_blocks=True)
    rule_run = RuleRun(request, database, reading=reading, command=_command_line())
    if name is not None:
        return _in_the_list(rule_run, name, terminal)
    with kept_state(arguments.checkpoint, rule_run) as keep:
        _foretell(rule_run, terminal)
        terminal.run(rule_run.steps(checking(cancel), keep))
    return rule_run, ""


def _in_the_list(rule_run: RuleRun, name: str, terminal: Terminal) -> tuple[RuleRun, str]:
    """Carry out a run in the list of runs, where one of the same work is continued; a complete one is the outcome."""
    from swgui.runs import Runs  # here: most searches by rule are not kept

    runs = Runs()
    if run_id := runs.of("rule").earlier(rule_run, name):
        if not runs.record(run_id).resumable:
            say(COMPLETE.format(name=name))
            complete: RuleRun = runs.open(run_id).asked
            return complete, ""
        rule_run = runs.resume(run_id)
    _foretell(rule_run, terminal)
    kept: Kept | None = terminal.run(runs.run("rule", rule_run, terminal.cancel))
    if kept is None:
        return rule_run, ""
    if name and kept.run_id:
        runs.rename(kept.run_id, name)
    return rule_run, kept.not_kept


def _foretell(rule_run: RuleRun, terminal: Terminal) -> None:
    """Print how long a scan that begins now takes, if that is long."""
    for event in foretelling(rule_forecast(rule_run)) if not rule_run.blocks else ():
        terminal.hear(event)


class _Listed:
    """Rows of a table as they are written, after Stop for a while only; `count` says how many there were."""

    def __init__(self, table: Table[PlaceRows], cancel: threading.Event) -> None:
        self._all, self._cancel = table, cancel
        self.table = Table(table.available, self._parts, table.columns)
        self.count = 0

    def _parts(self) -> Iterator[PlaceRows]:
        grace, self.count = Grace(), 0
        for part in self._all.parts():
            if self._cancel.is_set():
                grace.begin(self._cancel)
            if grace.over(LISTED_SECONDS):
                return
            yield part
            self.count += len(part)


def _hints(rule_run: RuleRun, check: Check) -> list[str]:
    """Return hints on why nothing may have been found."""
    with suppress(Stopped):
        return [hint.said for hint in rule_run.hints(check)]
    return []


@dataclass(frozen=True, slots=True)
class _AllergenFigures:
    """Figures printed with an allergen check: FASTA's identity of each place, and the background."""

    fasta: NDArray[np.float64] | None = None
    background: Background | None = None


def _allergen_figures(
    rule_run: RuleRun, arguments: argparse.Namespace, check: Check, line: ProgressLine
) -> _AllergenFigures:
    """Return the figures of an allergen check, those that are there when it is stopped; none of other rules."""
    if not rule_run.complete or not rule_run.request.is_allergen_check:
        return _AllergenFigures()
    from swgui.jobs.rules.background import fasta_identities, measure_background

    figures = _AllergenFigures()
    with suppress(Stopped):
        figures = _AllergenFigures(fasta_identities(rule_run.request, rule_run.database, rule_run.found(), check))
        if not arguments.no_background:

            def show(done: int, total: int) -> None:
                line.show(f"background {bar(done, total)}")

            background = measure_background(rule_run.request, rule_run.database, check, show)
            figures = replace(figures, background=background)
    return figures


def _write(
    rule_run: RuleRun, shown: _Listed, arguments: argparse.Namespace, figures: _AllergenFigures, answer: Answer
) -> int:
    """Write places and certificate; returns how many places are left out because of Stop."""
    places = rule_run.found()

    def complete() -> bool:
        return rule_run.complete and shown.count == len(places)

    write_places(arguments.out, shown.table, rule_run.request, arguments.format, complete)
    if left := len(places) - shown.count:
        return left
    _write_certificates(rule_run, arguments, figures, answer)
    return 0


def _write_certificates(
    rule_run: RuleRun, arguments: argparse.Namespace, figures: _AllergenFigures, answer: Answer
) -> None:
    """Write the certificates that are named, as JSON and as a page."""
    if arguments.certificate or arguments.certificate_page:
        facts = with_answer(certificate(rule_run, _command_line()), answer)
        if figures.background is not None:
            from swgui.jobs.rules.background import with_background

            facts = with_background(facts, figures.background)
        if arguments.certificate:
            save_text(Path(arguments.certificate), lambda file: json.dump(facts, file, indent=2))
            if arguments.sign:
                sign(arguments.certificate, arguments.sign)
        if arguments.certificate_page:
            from swgui.io.tables.rule_page import certificate_page  # here: most runs write none

            save_text(Path(arguments.certificate_page), lambda file: file.write(certificate_page(facts)))


def _command_line() -> str:
    return shlex.join(["swgui", *sys.argv[1:]])


def summary(rule_run: RuleRun) -> str:
    """Return sentences on the results and their queries."""
    places = sum(block.found for block in rule_run.blocks)
    database = rule_run.database
    scanned = rule_run.blocks[-1].last if rule_run.blocks else 0
    where = f"{count(len(database), 'sequence')} of {database.name}"
    if not rule_run.complete:
        where = f"the first {scanned:,} of {where}, where the search was stopped,"
    facts = rule_run.facts()
    found = f"{count(places, 'place')} in {where} {agree(places, 'meets', 'meet')} the rule."
    return " ".join([found if places else f"None. {none_of(where, facts)}", *remarks(facts)])
