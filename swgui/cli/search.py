"""``swgui search``."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from swgui.cli.output import (
    check_outputs,
    report,
    save_result,
    write_scores,
    write_statistics,
)
from swgui.cli.queries import read_letters, read_queries
from swgui.cli.running import COMPLETE, Terminal, on_terminal, say, scored
from swgui.cli.writing import HitWriter
from swgui.commands.engine import check_method, tuned
from swgui.commands.iteration import with_rounds
from swgui.commands.output import export_options
from swgui.commands.search import databases_of, query_kind, request_of, with_places
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.engines.registry import begin
from swgui.io.export import find_format
from swgui.jobs.progress import ProgressLine
from swgui.jobs.search.events import IterationEvent, Listed
from swgui.jobs.search.opening import likely_work
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps

if TYPE_CHECKING:
    from swgui.core.statistics.shuffling import ShufflePlan
    from swgui.io.profiles.formats import StartingPoint


def run_with_history(
    request: SearchRequest,
    cancel: threading.Event,
    name: str | None,
    *,
    vectors: bool = True,
    as_listed: bool = False,
) -> Generator[IterationEvent, None, SearchResult | None]:
    """Search; kept in the history under a name, which may be empty, or not kept without one.

    Parameters
    ----------
    vectors : bool
        Whether the scores of subjects that are not listed are wanted; those of kept searches and of rounds are.
    as_listed : bool
        As of `search_steps`; of searches in rounds, and of those that are kept, there is no such event.
    """
    if name is not None:
        from swgui.runs import Runs  # here, as below: most searches keep nothing

        yield from Runs().run("search", replace(request, name=name), cancel)
    elif request.search.iteration is not None:
        from swgui.jobs.iterate.run import iteration_steps

        return (yield from iteration_steps(request, cancel))
    else:
        return (yield from search_steps(request, cancel, vectors=vectors, as_listed=as_listed))
    return None  # the last event has the result


def run(arguments: argparse.Namespace) -> int:
    """Search and write the hits."""
    plan = shuffle_plan(arguments)
    if arguments.part:
        from swgui.cli.several.merge import check_part

        check_part(arguments)
    check_method(arguments)
    if arguments.resume:
        from swgui.cli.runs import finished_search  # here, as below: few searches are resumed

        if (finished := finished_search(arguments)) is not None:
            return write_again(arguments, *finished, plan)
    request, start = asked_for(arguments)
    check_outputs(arguments, len(request.queries), _profile_outputs(arguments, request))
    away = bool(request.search.options.on)
    places = databases_of(arguments) if not arguments.resume and not away else []
    if plan is not None:
        _check_shuffled(places)
    if arguments.part:
        from swgui.cli.several.merge import run_part  # here, as below: few searches are done in parts

        return run_part(arguments, with_rounds(arguments, request, start), places)
    if arguments.tuned and not arguments.method and not arguments.resume and not away:
        request = with_tuned(request)
    if not arguments.resume:
        request = with_rounds(arguments, request, start)
    request = with_places(request, places)
    if not away:
        begin(request.search.engine, request.search.options, likely_work(request))
    if (arguments.history or away) and not arguments.resume:
        from swgui.cli.runs import taken_up

        request, earlier = taken_up(request, arguments.history or "")
        if earlier is not None:
            return write_again(arguments, replace(request, name=arguments.history), earlier, plan)
    with on_terminal() as terminal, HitWriter(arguments, terminal.line, terminal.cancel) as writer:
        line, cancel = terminal.line, terminal.cancel
        if line.talks:
            say_complexity(request, line, cancel)
        kept = request.name if arguments.resume or request.run_id else arguments.history
        result = search(request, terminal, (kept or "") if away else kept, writer, vectors=wants_vectors(arguments))
        if result is None:
            return 1
        alignments = _write_all(result, request, arguments, plan, terminal, writer)
    report(result, line, alignments)
    return terminal.status(complete=result.state == "complete")


def write_again(
    arguments: argparse.Namespace, request: SearchRequest, result: SearchResult, plan: ShufflePlan | None
) -> int:
    """Write the outputs of a run of the history that is complete, so that the same command may be repeated."""
    _resumed(request, arguments)
    check_outputs(arguments, len(request.queries), _profile_outputs(arguments, request))
    say(COMPLETE.format(name=request.name or arguments.resume))
    with on_terminal() as terminal, HitWriter(arguments, terminal.line, terminal.cancel) as writer:
        alignments = _write_all(result, request, arguments, plan, terminal, writer)
    report(result, terminal.line, alignments)
    return terminal.status(complete=True)


def _write_all(
    result: SearchResult,
    request: SearchRequest,
    arguments: argparse.Namespace,
    plan: ShufflePlan | None,
    terminal: Terminal,
    writer: HitWriter,
) -> int:
    """Write every output that the arguments name; returns the number of significant alignments, 0 if unknown."""
    line, cancel = terminal.line, terminal.cancel
    if arguments.save:
        save_result(result, request, Path(arguments.save))
    if request.search.iteration is not None:
        from swgui.cli.profiles import write_profiles  # here: few read or write profiles

        write_profiles(result, arguments)
    if arguments.scores:
        write_scores(result, Path(arguments.scores))
    if arguments.statistics:
        write_statistics(result, Path(arguments.statistics), plan, request, line, cancel)
    return writer.write(result)


def make_request(arguments: argparse.Namespace) -> SearchRequest:
    """Return the search that the arguments describe."""
    return asked_for(arguments)[0]


def asked_for(arguments: argparse.Namespace) -> tuple[SearchRequest, StartingPoint | None]:
    """Return the search that the arguments describe, and the file it begins with, if that is no file of sequences.

    Raises
    ------
    SwguiError
        If it cannot be read or carried out.
    """
    if getattr(arguments, "resume", None):
        from swgui.cli.runs import to_resume

        return _resumed(to_resume(arguments), arguments), None
    if not arguments.database:
        raise InvalidParameter(
            "database", None, "There is nothing to search.", hint="Give --database a .swdb file or a file of sequences."
        )
    if getattr(arguments, "start_from", None):  # `swgui audit` has none
        from swgui.cli.profiles import started_with

        return started_with(arguments)
    if not arguments.query:
        raise InvalidParameter(
            "query",
            None,
            "There is nothing to search with.",
            hint="Give --query a file of sequences, or --start-from an alignment or a profile.",
        )
    queries, alphabet = read_queries(arguments.query, arguments.type, query_kind(arguments))
    if getattr(arguments, "query_letters", None):
        queries = read_letters(arguments.query_letters, queries, arguments.letters_alphabet)
    database = None
    if getattr(arguments, "on", ""):
        from swgui.io.remote.database import distant_database

        database = distant_database(arguments.on, arguments.database)
    return request_of(arguments, queries, alphabet, database, left_out=say), None


def _resumed(request: SearchRequest, arguments: argparse.Namespace) -> SearchRequest:
    """Name the database of a resumed search in the arguments, so that no output replaces it."""
    places = request.database if isinstance(request.database, tuple) else (request.database,)
    arguments.database = [str(place) for place in places if isinstance(place, Path)] or None
    return request


def _profile_outputs(arguments: argparse.Namespace, request: SearchRequest) -> dict[str, str]:
    """Return the files of alignments and profiles that are to be written, by their options."""
    if not (arguments.save_alignment or arguments.save_profile):
        return {}
    from swgui.cli.profiles import profile_outputs

    return profile_outputs(arguments, request)


def say_complexity(request: SearchRequest, line: ProgressLine, cancel: threading.Event) -> None:
    """Print on a terminal how much of the queries is of low complexity, if any is."""
    from swgui.core.verdict.complexity import in_words, measure  # here: unused in a pipe

    if said := in_words(measure(request.queries, request.search.query_alphabet, cancel), len(request.queries)):
        line.say(f"swgui: {said}.")


def with_tuned(request: SearchRequest) -> SearchRequest:
    """Return a search with the settings that a sweep found for such queries, unless it has its own; print them."""
    request, said = tuned(request)
    if said:
        say(f"{said} (not with --no-tuned).")
    return request


def wants_vectors(arguments: argparse.Namespace) -> bool:
    """Whether an output of a search needs the scores of subjects that are not listed."""
    if arguments.save or arguments.scores or arguments.statistics:
        return True
    return find_format(arguments.format).fitted(export_options(arguments))


def search(
    request: SearchRequest,
    terminal: Terminal,
    history: str | None = None,
    writer: HitWriter | None = None,
    *,
    vectors: bool = True,
) -> SearchResult | None:
    """Run a search and show its progress; return None, and tell the user, if nothing was scored.

    Parameters
    ----------
    history : str, optional
        Name of the run in the history; it is not kept there if not given.
    writer : HitWriter, optional
        Describes hits as soon as their lists are made.
    vectors : bool
        As for `run_with_history`.
    """

    def hear(event: object) -> None:
        if isinstance(event, Listed) and writer is not None:
            writer.hear(event)
        else:
            terminal.hear(event)

    told = writer is not None
    steps = run_with_history(request, terminal.cancel, history, vectors=vectors, as_listed=told)
    result = terminal.run(steps, hear)
    if result is None and request.search.options.on:
        say(terminal.stopped)
        return None
    return scored(result)


def _check_shuffled(places: Sequence[Path]) -> None:
    """Raise `InvalidParameter` before a search whose hits could not be compared with shuffles."""
    from swgui.io.database.file import open_database  # here: few searches are shuffled
    from swgui.io.database.format import SUFFIX
    from swgui.jobs.search.shuffles import check_shuffled

    for place in places:
        if place.suffix == SUFFIX and place.is_file():
            check_shuffled(open_database(place, in_blocks=True))


def shuffle_plan(arguments: argparse.Namespace) -> ShufflePlan | None:
    """Return how hits are to be shuffled, None for not at all."""
    if not arguments.shuffles:
        return None
    from swgui.core.statistics.shuffling import ShufflePlan

    if not arguments.statistics:
        raise InvalidParameter("shuffles", arguments.shuffles, "--shuffles needs --statistics, where its results go.")
    return ShufflePlan(arguments.shuffles, arguments.shuffle_window, arguments.seed)
