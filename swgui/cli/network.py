"""``swgui network``, ``cluster``, ``split``, ``judge`` and ``leak``: sequences all against all."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from swgui.cli.kinds import save_result
from swgui.cli.running import COMPLETE, Report, Terminal, deliver, on_terminal, refuse_added, say
from swgui.commands.network import (
    cluster_request,
    judge_request,
    leak_request,
    network_request,
    split_request,
)
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.network.edges import lengths_of
from swgui.core.network.measures import EdgeLimit, alignment_scores
from swgui.core.plain import replace
from swgui.core.words import count
from swgui.io.database.any_file import database_files
from swgui.io.network.clusters import CLUSTER_FORMATS, write_clusters
from swgui.io.network.file import save_network
from swgui.io.network.graphs import GRAPH_FORMATS, GraphFormat, Network, graph_format
from swgui.io.outputs import check_outputs
from swgui.io.saved.log import NO_LOG, Log, NoLog
from swgui.io.sequences.sources import STANDARD
from swgui.io.signatures import sign, signature_to_be
from swgui.io.table_files import check_writable
from swgui.io.whole_file import save_text
from swgui.jobs.answers import answer_of
from swgui.jobs.kind import Kind, kinds, load
from swgui.jobs.network.edges import facts_of
from swgui.jobs.network.leak import LeakOutcome, LeakRequest
from swgui.jobs.network.request import NetworkOutcome, NetworkRequest
from swgui.jobs.network.resume import log_beside
from swgui.runs.plain import KEPT_AMONG_RUNS, Kept
from swgui.runs.steps import steps_of

_READ: Final = ("fasta", "clusters", "train", "test", "split", "sign")
_WRITTEN: Final = ("out", "export", "report", "certificate", "save")
BESIDE: Final = "The finished comparisons are kept in {path}; the same command continues from there."
NOTHING: Final = "Nothing was written: the output follows from all pairs."


def cluster(arguments: argparse.Namespace) -> int:
    """Write clusters, and say on the standard error whether they keep what their rule promises."""
    no_tables = [name for name, form in CLUSTER_FORMATS.items() if form.write is not None]
    refuse_added(arguments, no_tables)

    def report(found: Any, _: Any) -> Report:
        if arguments.format not in no_tables:
            return _rows(found)
        return _rows(found, write=lambda: write_clusters(arguments.out, found.named, arguments.format))

    return _carry_out(arguments, cluster_request, report)


def split(arguments: argparse.Namespace) -> int:
    """Write which part each sequence is in."""
    return _carry_out(arguments, split_request, lambda found, _: _rows(found))


def judge(arguments: argparse.Namespace) -> int:
    """Write the pairs that given clusters part or join wrongly; the exit status is 0 without ``--fail-on``."""
    return _carry_out(
        arguments,
        judge_request,
        lambda found, _: _rows(found, counts={"parted": found.parted, "joined": found.found - found.parted}),
    )


def leak(arguments: argparse.Namespace) -> int:
    """Write the nearest training sequence of each test sequence."""
    if (arguments.test is None) == (arguments.split is None):
        arguments.parser.error("give TRAIN and TEST, or one file and --split")
    if STANDARD in (arguments.train, arguments.test) and (arguments.split or arguments.train == arguments.test):
        arguments.parser.error("the standard input (-) gives one set: TRAIN or TEST, and not with --split")

    def report(found: LeakOutcome, asked: LeakRequest) -> Report:
        if arguments.report:
            codec = load(kinds()["leak"].codec)
            save_text(arguments.report, lambda file: codec.report(asked, found, file, threading.Event()))
        at = {f"{step} %": number for step, number in found.leaks.counts().items()}
        return _rows(found, reaching=found.leaks.reaching, facts={"neighbours": found.found, "at_identity": at})

    return _carry_out(arguments, leak_request, report)


def network(arguments: argparse.Namespace) -> int:
    """Write a network, or one that was written for other programs."""
    if not arguments.out and not arguments.export:
        arguments.parser.error("say where to write with -o NAME.swnet, --export FILE, or both")
    if arguments.metadata and not arguments.export:
        arguments.parser.error("--metadata adds columns to the file of --export: name that file, too")
    form = graph_format(arguments.format, arguments.export) if arguments.export else None
    if form is not None:
        arguments.format = form.name
        plain = [one.name for one in GRAPH_FORMATS.values() if not one.has_columns]
        refuse_added(arguments, plain, "graphml, xgmml, gexf, cx2 or nodes")

    def report(found: NetworkOutcome, _: Any) -> Report:
        if arguments.out:
            save_network(found.network, arguments.out)
        if form is not None:
            _export(found.network, form, arguments)
        return Report(facts={"sequences": len(found.network.ids), "edges": len(found.network.edges)})

    def ask(arguments: argparse.Namespace, cancel: threading.Event) -> NetworkRequest:
        asked = network_request(arguments, cancel)
        if asked.is_saved and arguments.history is not None:
            message = "A saved network is not compared again, so that there is no run to keep."
            raise InvalidParameter("history", arguments.history, message, hint="Leave out --history.")
        return asked

    return _carry_out(arguments, ask, report)


def _rows(found: Any, **more: Any) -> Report:
    """Return the report of an outcome that has a table; parameters as of `Report`."""
    return Report(table=found.table(), **more)


def _export(made: Network, form: GraphFormat, arguments: argparse.Namespace) -> None:
    """Write the requested edges."""
    shown = made.reaching(EdgeLimit(arguments.min_identity, arguments.min_coverage, coverage_of="both"))
    if arguments.min_alignment_score is not None:
        lengths = lengths_of(shown.edges, shown.lengths, shown.lengths)
        shown = shown.take(alignment_scores(shown.edges, lengths, shown.bits) >= arguments.min_alignment_score)
    if arguments.metadata:
        from swgui.commands.metadata import metadata_of  # here and below: few networks have columns of the user's own
        from swgui.io.network.own import with_own

        if (own := metadata_of(arguments)) is not None:
            shown = with_own(shown, own)
    save_text(arguments.export, lambda file: form.write(shown, file))
    say(f"{count(len(shown.edges), 'edge')} of {len(made.edges):,} written to {arguments.export}.")


def _carry_out(
    arguments: argparse.Namespace,
    ask: Callable[[argparse.Namespace, threading.Event], Any],
    report: Callable[[Any, Any], Report],
) -> int:
    """Carry out a request, write its outcome by a report of outcome and request, and return the exit status.

    The log of compared blocks is kept next to the output until that is written, or, with ``--history``, among the runs.
    """
    kind = kinds()[arguments.command]
    log: Log | NoLog = NO_LOG
    codec: Any = load(kind.codec)
    _check_files(arguments)
    if arguments.on:  # it is kept there, and among the runs here
        arguments.history = arguments.history or ""
    with on_terminal() as terminal:
        try:
            asked = ask(arguments, terminal.cancel)
            with log_beside(*_log_of(asked, arguments, terminal.cancel)) as log:
                kept = _compared(terminal, kind, asked, arguments.history, log)
                answer = answer_of(kind, kept.outcome, asked)
                told = replace(report(kept.outcome, asked), answer=answer, sentences=[kept.not_kept])
                status = deliver(arguments, told)
        except Stopped as stop:
            say(str(stop), NOTHING, BESIDE.format(path=log.path) if isinstance(log, Log) and log.worth_keeping else "")
            return 1
        save_result(kind, kept, arguments.save)
        if getattr(arguments, "certificate", None):
            facts = codec.certificate(asked, kept.outcome, shlex.join(["swgui", *sys.argv[1:]]))
            save_text(arguments.certificate, lambda file: json.dump(facts, file, indent=2))
            if arguments.sign:
                sign(arguments.certificate, arguments.sign)
        return status


def _check_files(arguments: argparse.Namespace) -> None:
    """Refuse outputs that would replace a file that is read, before any work."""
    given = {name: getattr(arguments, name, None) for name in (*_READ, *_WRITTEN)}
    read = ((name, place) for name in _READ if (place := given[name]))
    inputs = [
        ("key" if name == "sign" else name, file)
        for name, place in read
        if place != STANDARD
        for file in database_files(place)
    ]
    outputs = {name: given[name] for name in _WRITTEN}
    outputs["sign"] = signature_to_be(given["sign"], given["certificate"])
    check_outputs(outputs, inputs)
    if "export" not in vars(arguments):
        check_writable(arguments.out, arguments.format)


def _log_of(
    asked: Any, arguments: argparse.Namespace, cancel: threading.Event
) -> tuple[str | None, Mapping[str, object]]:
    """Return the output next to which the log is kept, and the request; no output if none is kept."""
    out = arguments.out or getattr(arguments, "export", None)
    if asked.comparison.is_saved or arguments.history is not None or not out:
        return None, {}
    return out, facts_of(asked.comparison.opened(cancel))


def _compared(terminal: Terminal, kind: Kind, asked: Any, history: str | None, log: Log | NoLog) -> Kept:
    """Carry out a request to its end.

    Raises
    ------
    Stopped
        If not all pairs were compared.
    """
    kept: Kept | None = terminal.run(steps_of(kind, asked, terminal.cancel, history=history, log=log))
    if kept is None:
        raise Stopped(terminal.stopped)
    if kept.earlier:
        say(COMPLETE.format(name=history))
    if not kept.outcome.complete and not asked.comparison.is_saved:  # a saved network may be partial
        raise Stopped(kept.outcome.sentence, hint=KEPT_AMONG_RUNS if kept.run_id else "")
    return kept
