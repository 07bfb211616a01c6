"""``swgui search``: arguments and the run."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from swgui import settings
from swgui.cli.choices import (
    DEFAULT_MATCH,
    DEFAULT_MATRIX,
    DEFAULT_MISMATCH,
    choose_scheme,
    parse_setting,
    read_queries,
)
from swgui.cli.output import (
    add_export_arguments,
    check_outputs,
    report,
    write_result,
    write_scores,
    write_statistics,
)
from swgui.cli.progress import ProgressLine
from swgui.cli.save import add_save_argument, run_with_history, save_result
from swgui.core.alphabet import ALPHABETS
from swgui.core.devices import device_ids
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import SEARCH_METHODS
from swgui.core.statistics.shuffling import ShufflePlan
from swgui.engines.base import EngineOptions
from swgui.engines.registry import engine_names, probe
from swgui.jobs.search.events import DatabaseAltered, Finished
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.sweep.in_use import for_search


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    files = add_input_arguments(parser)
    add_save_argument(files)
    add_export_arguments(files)
    files.add_argument("--scores", metavar="FILE.npz", help="also write every score: query_ids, subject_ids, scores")
    files.add_argument(
        "--statistics", metavar="FILE.json", help="also write fit and histogram of all scores of every query"
    )
    add_scoring_arguments(parser)
    limits = add_limit_arguments(parser)
    limits.add_argument(
        "--shuffles", type=int, default=0, metavar="N", help="Z-values of all hits by N shuffles, into --statistics"
    )
    limits.add_argument("--shuffle-window", type=int, default=0, metavar="W", help="shuffle within windows of W")
    limits.add_argument("--seed", type=int, default=1, help="of the shuffles (default 1)")
    engine = add_engine_arguments(parser)
    engine.add_argument(
        "--no-tuned",
        action="store_false",
        dest="tuned",
        help="leave out the settings that a sweep found for such queries and that were chosen on the Device page",
    )


def add_input_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Declare queries and database, for every command that searches; returns the group, for more files."""
    files = parser.add_argument_group("input and output")
    files.add_argument("-q", "--query", required=True, metavar="FILE", help="queries: FASTA, GenBank, ..., plain or gz")
    files.add_argument("-d", "--database", required=True, metavar="FILE", help="a .swdb file or a sequence file")
    files.add_argument("--type", choices=["auto", *ALPHABETS], default="auto", help="kind of sequence (default: auto)")
    return files


def add_scoring_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare matrix, gap costs and strand, for every command that searches."""
    scoring = parser.add_argument_group("scoring")
    scoring.add_argument("--matrix", metavar="NAME|FILE", help=f"default {DEFAULT_MATRIX} for proteins; also: a file")
    scoring.add_argument("--match", type=int, help=f"nucleotide match score (default {DEFAULT_MATCH})")
    scoring.add_argument("--mismatch", type=int, help=f"nucleotide mismatch score (default {DEFAULT_MISMATCH})")
    scoring.add_argument("--gap-open", type=int, metavar="COST", help="BLAST rule: a gap of k costs open + k x extend")
    scoring.add_argument(
        "--gap-extend", type=int, metavar="COST", help="default 11/1 for proteins, 5/2 for nucleotides"
    )
    scoring.add_argument("--strand", choices=["both", "plus", "minus"], help="default both for nucleotides")


def add_limit_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Declare what decides which hits are listed, for every command that searches; returns the group."""
    limits = parser.add_argument_group("hits")
    limits.add_argument("--top", type=int, default=500, metavar="N", help="hits per query at most (default 500)")
    limits.add_argument("--evalue", type=float, default=10.0, metavar="E", help="hits up to this E-value (default 10)")
    limits.add_argument(
        "--dbsize", type=int, default=0, metavar="RESIDUES", help="database size E refers to (default: its own)"
    )

    limits.add_argument(
        "--mask", action="store_true", help="mask stretches of low complexity in the queries (SEG, DUST)"
    )
    return limits


def add_engine_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Declare where the work is done, for every command that searches; returns the group, for more."""
    engine = parser.add_argument_group("engine")
    engine.add_argument("--engine", choices=engine_names(), default="auto", help="default: the fastest there is")
    engine.add_argument("--device", default="", metavar="ID[,ID]", help="devices as 'swgui devices' lists them")
    engine.add_argument("--threads", type=int, default=0, metavar="N", help="threads of the CPU engine (default: all)")
    engine.add_argument("--scheduler", metavar="ADDRESS", help="of a cluster, for --engine cluster")
    for kind, what in (("ca", "certificate authority"), ("cert", "certificate"), ("key", "key")):
        engine.add_argument(f"--tls-{kind}", metavar="FILE", help=f"{what} of the cluster's encrypted connections")
    engine.add_argument("--allow-plain", action="store_true", help="connect to another machine without encryption")
    engine.add_argument(
        "--method",
        choices=(AUTO, *SEARCH_METHODS),
        help="how a GPU computes the scores, all of them exact: 'swgui devices' describes them",
    )
    engine.add_argument(
        "--set",
        "--setting",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="a setting of the engine or of the method",
    )
    return engine


def run(arguments: argparse.Namespace) -> int:
    """Search and write the hits."""
    line = ProgressLine()
    plan = shuffle_plan(arguments)
    check_method(arguments)
    request = make_request(arguments)
    check_outputs(arguments, len(request.queries))
    if arguments.tuned and not arguments.method:
        request = with_tuned(request)
    with stop_on_interrupt() as cancel:
        result = search(request, line, cancel, arguments.history)
        if result is None:
            return 1
        if arguments.save:
            save_result(result, request, Path(arguments.save))
        if arguments.scores:
            write_scores(result, Path(arguments.scores))
        if arguments.statistics:
            write_statistics(result, Path(arguments.statistics), plan, request, line, cancel)
    write_result(result, arguments, line)
    report(result, line)
    return 0 if result.state == "complete" else 1


def make_request(arguments: argparse.Namespace) -> SearchRequest:
    """Return the search that the arguments of `add_input_arguments` and those below it describe."""
    queries, alphabet = read_queries(Path(arguments.query), arguments.type)
    return SearchRequest(
        queries=queries,
        database=Path(arguments.database),
        scheme=choose_scheme(arguments, alphabet),
        strand=arguments.strand or ("both" if alphabet.complements else "plus"),
        top=arguments.top,
        max_evalue=arguments.evalue,
        effective_residues=arguments.dbsize,
        engine=engine_name(arguments),
        options=engine_options(arguments),
        mask=arguments.mask,
    )


def with_tuned(request: SearchRequest) -> SearchRequest:
    """Return a search with the settings that a sweep found for such queries, where it brings none; says so."""
    if not settings.load().devices.tuned:
        return request
    lengths = {len(query.residues) for query in request.queries}
    options, found = for_search(request.engine, request.options, lengths, len(request.scheme.alphabet))
    if found is None:
        return request
    values = ", ".join(f"{name} {value}" for name, value in found.settings.items())
    low, high = found.key.query_class.split("-")
    print(
        f"swgui: settings of a sweep for queries of {low} to {high} residues are used: {values} (not with --no-tuned).",
        file=sys.stderr,
    )
    return replace(request, options=options)


def engine_name(arguments: argparse.Namespace) -> str:
    """Return the engine that the arguments of `add_engine_arguments` ask for: methods are those of GPUs."""
    return "cuda" if arguments.method not in (None, AUTO) and arguments.engine == "auto" else str(arguments.engine)


def check_method(arguments: argparse.Namespace) -> None:
    """Refuse a method that cannot run here, with the reason, before anything is read.

    Raises
    ------
    InvalidParameter
        If the engine that was asked for has no methods.
    EngineUnavailable
        If there is no GPU to run it on.
    """
    method, engine = arguments.method, engine_name(arguments)
    if method in (None, AUTO):
        return
    if not engine.startswith("cuda"):
        raise InvalidParameter(
            "method",
            method,
            f"The method '{method}' is one of the engine cuda, for NVIDIA GPUs; the engine {engine} has no methods.",
            hint="Leave out --method, or --engine.",
        )
    status = probe("cuda")
    if not status.available:
        raise EngineUnavailable(
            "cuda",
            f"The method '{method}' is for NVIDIA GPUs and cannot run here. {status.reason}",
            hint=f"{status.hint} Without --method the search runs on the CPU.".strip(),
        )


def engine_options(arguments: argparse.Namespace) -> EngineOptions:
    """Return what the engine is made with."""
    return EngineOptions(
        devices=device_ids(arguments.device),
        threads=arguments.threads,
        settings=engine_settings(arguments),
    )


def engine_settings(arguments: argparse.Namespace) -> dict[str, str]:
    """Return the engine's own settings; those of a cluster have arguments of their own."""
    given = dict(parse_setting(text) for text in arguments.settings)
    named = {
        name: getattr(arguments, name.replace("-", "_")) for name in ("scheduler", "tls-ca", "tls-cert", "tls-key")
    }
    given.update({name: value for name, value in named.items() if value})
    if arguments.method not in (None, AUTO):  # the automatic choice is that of every engine
        given["method"] = arguments.method
    if arguments.allow_plain:
        given["allow-plain"] = "on"
    return given


def search(
    request: SearchRequest, line: ProgressLine, cancel: threading.Event, history: str | None = None
) -> SearchResult | None:
    """Run a search and show how far it is; None, and a word to the user, if nothing was scored.

    Parameters
    ----------
    history : str, optional
        Name of the run in the history; it is not kept there if not given.
    """
    result = None
    for event in run_with_history(request, cancel, history):
        line.event(event)
        if isinstance(event, DatabaseAltered):
            line.clear()
            print(f"swgui: {event.name}: {event.summary} 'swgui makedb' lists all of it.", file=sys.stderr)
        elif isinstance(event, Finished):
            result = event.result
    line.clear()
    if result is None:
        print("swgui: stopped before anything was scored.", file=sys.stderr)
    return result


def shuffle_plan(arguments: argparse.Namespace) -> ShufflePlan | None:
    """Return how hits are to be shuffled, None for not at all."""
    if not arguments.shuffles:
        return None
    if not arguments.statistics:
        raise InvalidParameter("shuffles", arguments.shuffles, "--shuffles needs --statistics, where its results go.")
    return ShufflePlan(arguments.shuffles, arguments.shuffle_window, arguments.seed)


@contextmanager
def stop_on_interrupt() -> Iterator[threading.Event]:
    """Turn the first Ctrl+C into a stop that keeps what was scored; the second ends the program."""
    cancel = threading.Event()

    def stop(signum: int, frame: object) -> None:
        cancel.set()
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, stop)
    try:
        yield cancel
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
