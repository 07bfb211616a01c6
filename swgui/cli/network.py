"""``swgui network``, ``cluster``, ``split``, ``judge`` and ``leak``: sequences all against all."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, suppress
from functools import wraps
from pathlib import Path
from typing import Final, TypeVar

from swgui.commands.engine import check_method, engine_name, engine_options
from swgui.commands.network import DEFAULT_EVALUE, NETWORK_EVALUE, check_scoring, network_request, pair_limit
from swgui.commands.scoring import choose_scheme
from swgui.core.control import stop_on_interrupt
from swgui.core.errors import InvalidParameter, Stopped, SwguiError
from swgui.core.network.edges import STRANDS_SAID, lengths_of
from swgui.core.network.measures import PairLimit, alignment_scores
from swgui.core.scoring import ScoringScheme
from swgui.core.words import count
from swgui.io.database.any_file import database_files, open_any_database
from swgui.io.network.clusters import CLUSTER_FORMATS, read_clusters, write_clusters
from swgui.io.network.file import SUFFIX, load_network, save_network
from swgui.io.network.graphs import GRAPH_FORMATS, GraphFormat, Network
from swgui.io.outputs import check_outputs
from swgui.io.saved.log import NO_LOG, Log, NoLog
from swgui.io.signatures import sign, signature_to_be
from swgui.io.table_files import check_writable, write_table
from swgui.io.whole_file import save_text
from swgui.jobs.events import Event, run_to_end
from swgui.jobs.network.grouping import (
    ClusterRequest,
    JudgeRequest,
    SplitRequest,
    check_names,
    cluster_steps,
    judge_steps,
    split_steps,
)
from swgui.jobs.network.leak import LeakRequest, Leaks, leak_steps, parts_of
from swgui.jobs.network.pairs import AllPairs, facts_of, sequences_of
from swgui.jobs.network.request import NetworkRequest, whole_network
from swgui.jobs.network.resume import log_beside
from swgui.jobs.progress import ProgressLine

T = TypeVar("T")
PARTS: Final = ("train", "valid", "test")


def _resumable(command: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """Let a command keep what was compared beside its output until that is written, and continue from it."""

    @wraps(command)
    def run(arguments: argparse.Namespace) -> int:
        arguments.log = NO_LOG
        try:
            with ExitStack() as arguments.until_written:
                status = command(arguments)
                if isinstance(arguments.log, Log) and arguments.log.problem:
                    _say(arguments.log.problem)
                return status
        except Stopped:
            if isinstance(arguments.log, Log) and arguments.log.worth_keeping:
                _say(f"What was compared is kept in {arguments.log.path}; the same command continues from there.")
            raise

    return run


def _log(arguments: argparse.Namespace, asked: AllPairs) -> Log | NoLog:
    """Return the log beside the output that keeps a comparison until the output is written."""
    beside = log_beside(arguments.out or getattr(arguments, "export", None), facts_of(asked))
    log: Log | NoLog = arguments.until_written.enter_context(beside)
    arguments.log = log
    return log


@_resumable
def cluster(arguments: argparse.Namespace) -> int:
    """Write clusters, and say on the standard error whether they keep what their rule promises."""
    form, limit = CLUSTER_FORMATS[arguments.format], pair_limit(arguments)
    with stop_on_interrupt() as cancel:
        asked, log = _asked(arguments, DEFAULT_EVALUE, [], cancel)
        aligned = form.has_identities or (form.has_strands and _has_strands(asked))
        request = ClusterRequest(asked, limit, arguments.rule, aligned)
        outcome = watched(cluster_steps(request, cancel, log))
    write_clusters(arguments.out, outcome.named, arguments.format)
    return _say_all(outcome.sentences)


def _has_strands(asked: NetworkRequest) -> bool:
    sequences = asked.sequences
    assert not isinstance(sequences, Path)  # it was opened
    return bool(sequences.strand if isinstance(sequences, Network) else sequences.alphabet.complements)


@_resumable
def split(arguments: argparse.Namespace) -> int:
    """Write which part each sequence is in."""
    names = arguments.names.split(",") if arguments.names else list(PARTS[: len(arguments.bins)])
    check_names(names, arguments.bins)
    with stop_on_interrupt() as cancel:
        asked, log = _asked(arguments, DEFAULT_EVALUE, [], cancel)
        request = SplitRequest(asked, pair_limit(arguments), arguments.bins, names, arguments.drop)
        outcome = watched(split_steps(request, cancel, log))
    write_table(arguments.out, outcome.table(), arguments.format)
    return _say_all(outcome.sentences)


@_resumable
def judge(arguments: argparse.Namespace) -> int:
    """Write the pairs that given clusters part or join wrongly; the exit status is 0 whatever they are."""
    limit, listed = pair_limit(arguments), read_clusters(arguments.clusters)
    with stop_on_interrupt() as cancel:
        asked, log = _asked(arguments, DEFAULT_EVALUE, [("clusters", arguments.clusters)], cancel)
        request = JudgeRequest(asked, limit, listed, arguments.clusters, arguments.joined)
        outcome = watched(judge_steps(request, cancel, log))
    write_table(arguments.out, outcome.table(), arguments.format)
    return _say_all(outcome.sentences)


@_resumable
def leak(arguments: argparse.Namespace) -> int:
    """Write the nearest training sequence of each test sequence."""
    if (arguments.test is None) == (arguments.split is None):
        arguments.parser.error("give TRAIN and TEST, or one file and --split")
    inputs = [("training", arguments.train), ("testing", arguments.test), ("split", arguments.split)]
    for name, path in inputs:
        if path and path.endswith(SUFFIX):
            hint = "Give the file of its sequences."
            raise InvalidParameter(name, path, f"'{path}' is a network, which has no residues.", hint=hint)
    outputs = {"out": arguments.out, "report": arguments.report, "certificate": arguments.certificate}
    outputs["sign"] = signature_to_be(arguments.sign, arguments.certificate)
    check_outputs(outputs, [*inputs, ("key", arguments.sign)])
    check_writable(arguments.out, arguments.format)
    parts = (arguments.train_part, arguments.test_part) if arguments.split else ()
    check_method(arguments)
    with stop_on_interrupt() as cancel:
        asked = _opened_leak(arguments, cancel)
        outcome = watched(leak_steps(asked, cancel, _log(arguments, asked.opened(cancel))))
    leaks, pairs = outcome.leaks, outcome.asked
    assert pairs is not None  # they were compared just now
    write_table(arguments.out, leaks.table(), arguments.format)
    if arguments.report:
        _report(leaks, pairs, arguments.report)
    if arguments.certificate:
        places = {"training": arguments.train, "test": arguments.test, "split": arguments.split}
        _certificate(leaks, pairs, {name: path for name, path in places.items() if path}, parts, arguments.certificate)
        if arguments.sign:
            sign(arguments.certificate, arguments.sign)
    return _say_all(leaks.summary())


def _opened_leak(arguments: argparse.Namespace, cancel: threading.Event) -> LeakRequest:
    """Return the comparison of two sets that is asked for, with both of them open."""
    space = None
    if arguments.split:
        parts = arguments.train_part, arguments.test_part
        train, test, space = parts_of(arguments.train, arguments.split, parts, cancel)
    else:
        train = open_any_database(arguments.train, cancel=cancel)
        test = open_any_database(arguments.test, alphabet=train.alphabet, cancel=cancel)
    scheme, strand = choose_scheme(arguments, test.alphabet), arguments.strand or ""
    how = arguments.evalue, scheme, engine_name(arguments), engine_options(arguments), strand, space
    return LeakRequest(train, test, pair_limit(arguments), *how)


@_resumable
def network(arguments: argparse.Namespace) -> int:
    """Write a network, or one that was written for other programs."""
    if not arguments.out and not arguments.export:
        arguments.parser.error("say where to write with -o NAME.swnet, --export FILE, or both")
    form = _graph_format(arguments) if arguments.export else None
    check_outputs({"out": arguments.out, "export": arguments.export}, [("network", arguments.fasta)])
    with stop_on_interrupt() as cancel:
        asked, log = _asked(arguments, NETWORK_EVALUE, [], cancel)
        if isinstance(asked.sequences, Network):  # which may be partial
            made = asked.sequences.up_to(asked.evalue)
        else:  # an output has all pairs, or is not written
            made = watched(whole_network(asked, cancel, log)).network
    if arguments.out:
        save_network(made, arguments.out)
    if form is not None:
        shown = _chosen(made, arguments)
        save_text(arguments.export, lambda file: form.write(shown, file))
        _say(f"{count(len(shown.edges), 'edge')} of {len(made.edges):,} written to {arguments.export}.")
    _say(
        f"{count(len(made.ids), 'sequence')}, {count(len(made.edges), 'edge')} with E up to {made.evalue:g}"
        f"{STRANDS_SAID[made.strand]}."
    )
    if made.partly:
        _say(made.partly)
    return 0


def _graph_format(arguments: argparse.Namespace) -> GraphFormat:
    """Return the format of the export; `InvalidParameter` if there is none."""
    name, ending = arguments.format, Path(arguments.export).suffix.lower()
    form = next(
        (form for form in GRAPH_FORMATS.values() if name == form.name or (not name and ending in form.suffixes)), None
    )
    if form is None:
        raise InvalidParameter(
            "format",
            name or ending,
            f"'{name or arguments.export}' is no format of networks.",
            hint=f"Give --format, one of {', '.join(GRAPH_FORMATS)}.",
        )
    return form


def _chosen(made: Network, arguments: argparse.Namespace) -> Network:
    """Return a network with the edges that are asked for."""
    kept = made.reaching(PairLimit(arguments.min_identity, arguments.min_coverage, coverage_of="both"))
    if arguments.min_alignment_score is not None:
        lengths = lengths_of(kept.edges, kept.lengths, kept.lengths)
        kept = kept.take(alignment_scores(kept.edges, lengths, kept.bits) >= arguments.min_alignment_score)
    return kept


def _asked(
    arguments: argparse.Namespace, evalue: float, inputs: Iterable[tuple[str, str]], cancel: threading.Event
) -> tuple[NetworkRequest, Log | NoLog]:
    """Return the saved network, or the sequences that were read, and the log that keeps the comparison.

    Parameters
    ----------
    evalue : float
        The E of sequences that are compared, if none is asked for.
    """
    check_writable(arguments.out, arguments.format)
    if arguments.fasta.endswith(SUFFIX):
        check_outputs({"out": arguments.out}, [*inputs, ("network", arguments.fasta)])
        made = load_network(arguments.fasta)
        check_scoring(arguments, made)
        limit = made.evalue if arguments.evalue is None else arguments.evalue
        return NetworkRequest(made, arguments.fasta, limit, _scheme_of(arguments, made, cancel)), NO_LOG
    given = [*inputs, *(("sequences", str(file)) for file in database_files(arguments.fasta))]
    check_outputs({"out": arguments.out}, given)
    check_method(arguments)
    sequences = open_any_database(arguments.fasta, cancel=cancel)
    limit = evalue if arguments.evalue is None else arguments.evalue
    asked = network_request(arguments, sequences, limit, arguments.fasta)
    return asked, _log(arguments, asked.opened(cancel))


def _scheme_of(arguments: argparse.Namespace, made: Network, cancel: threading.Event) -> ScoringScheme | None:
    """Return the scheme that is asked for with a network that has its own in words alone; None if it has its own."""
    if made.scheme is not None:
        return None
    with suppress(SwguiError):  # its sequences are not there: the steps say so where they are needed
        return choose_scheme(arguments, sequences_of(made, cancel).alphabet)
    return None


def _report(leaks: Leaks, asked: AllPairs, path: str) -> None:
    from swgui.jobs.network.report import write_report  # here: it is asked for seldom

    save_text(path, lambda file: write_report(leaks, asked, file))


def _certificate(leaks: Leaks, asked: AllPairs, places: dict[str, str], parts: Sequence[str], path: str) -> None:
    from swgui.jobs.network.certificate import leak_certificate  # here: it is asked for seldom

    facts = leak_certificate(leaks, asked, places, parts, shlex.join(["swgui", *sys.argv[1:]]))
    save_text(path, lambda file: file.write(json.dumps(facts, indent=1) + "\n"))


def watched(steps: Generator[Event, None, T]) -> T:
    """Run steps to their end and show how far they are."""
    line = ProgressLine()
    try:
        return run_to_end(steps, line.event)
    finally:
        line.clear()


def _say_all(sentences: Iterable[str]) -> int:
    for sentence in sentences:
        _say(sentence)
    return 0


def _say(sentence: str) -> None:
    print(f"swgui: {sentence}", file=sys.stderr)
