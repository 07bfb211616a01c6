"""``swgui network``, ``cluster``, ``split``, ``judge`` and ``leak``: sequences all against all."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.commands.engine import check_method
from swgui.commands.network import DEFAULT_EVALUE, NETWORK_EVALUE, all_pairs, check_scoring, pair_limit
from swgui.commands.scoring import choose_scheme
from swgui.core.control import stop_on_interrupt
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.network.clusters import CLUSTER_RULES, verify
from swgui.core.network.edges import (
    IDENTITIES,
    STRANDS_SAID,
    Edges,
    PairLimit,
    alignment_scores,
    lengths_of,
    rows_of,
)
from swgui.core.network.judging import judge as judged
from swgui.core.network.splitting import DROPPED
from swgui.core.network.splitting import split as parted
from swgui.core.plain import replace
from swgui.core.words import count
from swgui.io.cells import sequence_names
from swgui.io.database.any_file import database_files, open_any_database
from swgui.io.network.clusters import CLUSTER_FORMATS, labels_of, read_clusters, write_clusters
from swgui.io.network.file import SUFFIX, load_network, save_network
from swgui.io.network.graphs import GRAPH_FORMATS, GraphFormat, Network
from swgui.io.network.tables import JudgedRows, NamedClusters, PartRows, judged_table, part_table
from swgui.io.outputs import check_outputs
from swgui.io.saved.log import NO_LOG, Log, NoLog
from swgui.io.signatures import sign, signature_to_be
from swgui.io.table_files import check_writable, write_table
from swgui.io.whole_file import save_text
from swgui.jobs.events import Event, run_to_end
from swgui.jobs.network.leak import Leaks, nearest_of
from swgui.jobs.network.pairs import (
    AllPairs,
    asked_again,
    edges_of,
    facts_of,
    identities_of,
    network_from,
    sequences_of,
)
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
    """Return what keeps a comparison beside the output of the command until that is written."""
    beside = log_beside(arguments.out or getattr(arguments, "export", None), facts_of(asked))
    log: Log | NoLog = arguments.until_written.enter_context(beside)
    arguments.log = log
    return log


@_resumable
def cluster(arguments: argparse.Namespace) -> int:
    """Write clusters, and say on the standard error whether they keep what their rule promises."""
    rule, limit = CLUSTER_RULES[arguments.rule], pair_limit(arguments)
    form = CLUSTER_FORMATS[arguments.format]
    with stop_on_interrupt() as cancel:
        made, sequences = _compared(arguments, DEFAULT_EVALUE, [], cancel)
        graph = made.similar(limit)
        clusters = rule.cluster(graph, limit.identity)
        named = NamedClusters(clusters, made.names, made.lengths)
        if form.has_identities or (form.has_strands and made.strand):
            named = _with_identities(named, arguments, made, sequences, cancel)
    write_clusters(arguments.out, named, arguments.format)
    counted = verify(clusters, graph)
    _say(f"{count(len(clusters), 'cluster')} of {count(len(made.ids), 'sequence')}.")
    _say(f"Similar: {_relation(made, limit)}.")
    within = f"{counted.unlike_within:,} pairs inside of clusters are not similar"
    _say(f"Counted again: {counted.apart:,} similar pairs lie in two clusters; {within}.")
    if rule.broken is not None:
        _say(f"Promised by '{rule.name}': {rule.promise}. Broken {rule.broken(counted):,} times.")
    return 0


def _with_identities(
    named: NamedClusters,
    arguments: argparse.Namespace,
    made: Network,
    sequences: EncodedDatabase | None,
    cancel: threading.Event,
) -> NamedClusters:
    """Return clusters with the identity of each member with its representative, and of nucleotides its strand."""
    representative = named.clusters.representative
    members = np.flatnonzero(representative != np.arange(len(representative)))
    pairs = np.sort(np.stack([members, representative[members]], axis=1), axis=1)
    edges = _alignments(arguments, made, sequences, pairs, cancel)
    identities, strands = np.ones(len(representative)), np.ones(len(representative), np.int8)
    identities[members] = IDENTITIES["shorter"].of(edges, lengths_of(edges, made.lengths, made.lengths))
    strands[members] = edges.strands
    return named._replace(identities=identities, strands=strands if made.strand else None, compared=made.strand)


@_resumable
def split(arguments: argparse.Namespace) -> int:
    """Write which part each sequence is in."""
    names = arguments.names.split(",") if arguments.names else list(PARTS[: len(arguments.bins)])
    if len(names) != len(arguments.bins) or len(set(names)) != len(names):
        raise InvalidParameter(
            "names",
            arguments.names,
            f"{count(len(arguments.bins), 'part')} cannot be called {', '.join(names)}.",
            hint="Give a name for each with --names.",
        )
    with stop_on_interrupt() as cancel:
        sequences, _ = _compared(arguments, DEFAULT_EVALUE, [], cancel)
    limit = pair_limit(arguments)
    graph = sequences.similar(limit)
    made = parted(graph, arguments.bins, drop=arguments.drop)
    called = {DROPPED: "dropped", **dict(enumerate(names))}

    parts = [called[number] for number in made.part.tolist()]
    write_table(arguments.out, part_table(PartRows(sequences.names, parts, sequences.strand)), arguments.format)
    sizes = ", ".join(f"{name} {size:,}" for name, size in zip(names, made.sizes(len(names)), strict=True))
    dropped = int((made.part == DROPPED).sum())
    _say(f"{sizes}; {dropped:,} left out; the largest group of relatives has {count(made.largest, 'sequence')}.")
    between = made.part[graph.first] != made.part[graph.second]
    between &= (made.part[graph.first] != DROPPED) & (made.part[graph.second] != DROPPED)
    _say(f"Similar: {_relation(sequences, limit)}.")
    _say(f"Counted again: {int(between.sum()):,} similar pairs lie in two parts.")
    return 0


@_resumable
def judge(arguments: argparse.Namespace) -> int:
    """Write the pairs that given clusters part or join wrongly; the exit status is 0 whatever they are."""
    limit, listed = pair_limit(arguments), read_clusters(arguments.clusters)
    with stop_on_interrupt() as cancel:
        made, sequences = _compared(arguments, DEFAULT_EVALUE, [("clusters", arguments.clusters)], cancel)
        labels, representative = labels_of(listed, made.ids, arguments.clusters)
        found = judged(labels, representative, made.similar(limit), every=arguments.joined == "every")
        pairs = np.concatenate([found.parted, found.joined])
        edges = _alignments(arguments, made, sequences, pairs, cancel)
    kinds = ["parted"] * len(found.parted) + ["joined"] * len(found.joined)
    rows = made.edge_rows()._replace(edges=edges, bits=np.full(len(edges), np.nan))
    write_table(arguments.out, judged_table(JudgedRows(kinds, rows)), arguments.format)
    _say(f"Similar: {_relation(made, limit)}.")
    unlike = f"{len(found.joined):,} pairs are joined that are not similar"
    _say(f"{len(found.parted):,} similar pairs are parted; {unlike}.")
    return 0


def _relation(made: Network, limit: PairLimit) -> str:
    """Say in words which pairs of a network are similar."""
    among = f"{count(len(made.ids), 'sequence')}{STRANDS_SAID[made.strand]}"
    return f"{limit.describe()}; E up to {made.evalue:g} among {among}"


def _alignments(
    arguments: argparse.Namespace,
    made: Network,
    sequences: EncodedDatabase | None,
    pairs: NDArray[np.int64],
    cancel: threading.Event,
) -> Edges:
    """Return pairs with their alignments, in the order given: their edges, or new ones where they have none."""
    rows = rows_of(pairs, made.edges.first, made.edges.second)
    known = rows >= 0
    if known.all():
        return made.edges.take(rows)
    sequences = sequences or sequences_of(made, cancel)
    scheme = made.scheme or choose_scheme(arguments, sequences.alphabet)
    if made.scheme is None and scheme.describe() != made.scoring:
        raise InvalidParameter(
            "matrix",
            arguments.matrix,
            f"'{arguments.fasta}' was made with {made.said}.",
            hint="Ask for the same matrix and gap costs.",
        )
    others = identities_of(asked_again(made, sequences, scheme), pairs[~known], cancel)
    edges = Edges.join([made.edges.take(rows[known]), others])
    return edges.take(rows_of(pairs, edges.first, edges.second))


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
        space = None
        if arguments.split:
            train, test, space = parts_of(arguments.train, arguments.split, parts, cancel)
        else:
            train = open_any_database(arguments.train, cancel=cancel)
            test = open_any_database(arguments.test, alphabet=train.alphabet, cancel=cancel)
        asked = all_pairs(arguments, test, train, arguments.evalue, space)
        leaks = nearest_of(asked, watched(edges_of(asked, cancel, _log(arguments, asked))), pair_limit(arguments))
    write_table(arguments.out, leaks.table(), arguments.format)
    if arguments.report:
        _report(leaks, asked, arguments.report)
    if arguments.certificate:
        places = {"training": arguments.train, "test": arguments.test, "split": arguments.split}
        _certificate(leaks, asked, {name: path for name, path in places.items() if path}, parts, arguments.certificate)
        if arguments.sign:
            sign(arguments.certificate, arguments.sign)
    for sentence in leaks.summary():
        _say(sentence)
    return 0


@_resumable
def network(arguments: argparse.Namespace) -> int:
    """Write a network, or one that was written for other programs."""
    if not arguments.out and not arguments.export:
        arguments.parser.error("say where to write with -o NAME.swnet, --export FILE, or both")
    form = _graph_format(arguments) if arguments.export else None
    check_outputs({"out": arguments.out, "export": arguments.export}, [("network", arguments.fasta)])
    with stop_on_interrupt() as cancel:
        made, _ = _compared(arguments, NETWORK_EVALUE, [], cancel)
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


def _compared(
    arguments: argparse.Namespace, evalue: float, inputs: Iterable[tuple[str, str]], cancel: threading.Event
) -> tuple[Network, EncodedDatabase | None]:
    """Return a network with pairs up to the E that is asked for, and its sequences where they were read.

    Parameters
    ----------
    evalue : float
        The E of sequences that are compared, if none is asked for.
    """
    made, sequences = _read_or_compared(arguments, evalue, inputs, cancel)
    return made.up_to(arguments.evalue), sequences


def _read_or_compared(
    arguments: argparse.Namespace, evalue: float, inputs: Iterable[tuple[str, str]], cancel: threading.Event
) -> tuple[Network, EncodedDatabase | None]:
    check_writable(arguments.out, arguments.format)
    if arguments.fasta.endswith(SUFFIX):
        check_outputs({"out": arguments.out}, [*inputs, ("network", arguments.fasta)])
        made = load_network(arguments.fasta)
        check_scoring(arguments, made)
        return made, None
    given = [*inputs, *(("sequences", str(file)) for file in database_files(arguments.fasta))]
    check_outputs({"out": arguments.out}, given)
    check_method(arguments)
    arguments.evalue = evalue if arguments.evalue is None else arguments.evalue
    sequences = open_any_database(arguments.fasta, cancel=cancel)
    asked = all_pairs(arguments, sequences, sequences, arguments.evalue)
    edges = watched(edges_of(asked, cancel, _log(arguments, asked)))  # an output has all pairs, or is not written
    return network_from(asked, edges, arguments.fasta), sequences


def parts_of(
    path: str, table: str, parts: Sequence[str], cancel: threading.Event
) -> tuple[EncodedDatabase, EncodedDatabase, tuple[float, float]]:
    """Return the sequences of training and of testing that a table tells apart, and the search space of the whole file.

    Parameters
    ----------
    parts : sequence of str
        The names of both parts.
    """
    whole, listed = open_any_database(path, cancel=cancel), read_clusters(table)
    made, names = [], sequence_names(whole.ids)
    for part in parts:
        chosen = [index for index, name in enumerate(names) if listed.cluster.get(name) == part]
        if not chosen:
            raise InvalidParameter(
                "split",
                table,
                f"No sequence of '{path}' is in the part '{part}' of '{table}'.",
                hint="Name the parts with --train-part and --test-part.",
            )
        records = (replace(whole.record(index), id=names[index]) for index in chosen)
        made.append(encode_database(records, whole.alphabet, f"{whole.name}: {part}"))
    return made[0], made[1], whole.search_space


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


def _say(sentence: str) -> None:
    print(f"swgui: {sentence}", file=sys.stderr)
