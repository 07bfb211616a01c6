"""``swgui.search``, ``swgui.iterate`` and ``swgui.deeper``, and ``swgui.load`` of what they saved."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Generator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swgui.commands.engine import check_method, tuned
from swgui.commands.iteration import with_rounds
from swgui.commands.search import query_kind, request_of, search_options
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import with_letters
from swgui.io.alphabets import alphabet_called
from swgui.io.database.any_file import database_files
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from swgui.library.calls import public
from swgui.library.databases import DatabaseLike, to_search
from swgui.library.hits import Hits
from swgui.library.options import Parameters, described
from swgui.library.queries import ReadSequences, Sequences, read_given
from swgui.library.session import CACHE, OnProgress, finish, warn

if TYPE_CHECKING:
    from swgui.io.profiles.formats import StartingPoint
    from swgui.io.saved.search import LoadedSearch
import os

from swgui.commands.deeper import deeper_options, deeper_request
from swgui.core.alphabet import PROTEIN
from swgui.library.databases import Database
from swgui.library.values import path_of

_FILES: Final = ("type", "query_range", "start_from")
_SHUFFLES: Final = ("shuffles", "shuffle_window", "seed")  # their results are a file of the command
SEARCH: Final = Parameters("search", search_options, _FILES, _SHUFFLES)
ITERATE: Final = Parameters(
    "iterate",
    search_options,
    _FILES,
    _SHUFFLES,
    defaults={"iterations": IterationSettings().rounds},
    command="search",
)
DEEPER: Final = Parameters("deeper", deeper_options)


@described(SEARCH)
def search(
    queries: Sequences | None, database: DatabaseLike, *, progress: OnProgress | bool | None = None, **options: Any
) -> Hits:
    """Search every query against every subject of a database, exactly.

    All other parameters are the options of ``swgui search``, with the same names, defaults and checks.

    Parameters
    ----------
    queries : str, Path, sequence object, mapping of names to them, or iterable of them
        A text that has a line end or begins with ``>`` is the content of a file; any other is the name of a file,
        or, if it has nothing but the symbols of residues and there is no such file, a sequence. Sequences of Biopython,
        biotite and scikit-bio are accepted directly. None where ``start_from`` says what to search with.
    database : str, Path, Database, or what `queries` may be
        A text is always a path here: of a ``.swdb`` file or a file of sequences. It stays open for the next call.
        Of a list of paths or databases all are searched as one: one ranking, E for all together.
    progress : callable or bool, optional
        Called with stage (str), done and total (int; 0 where it is not known); True for a bar on the standard error.

    Returns
    -------
    Hits
        Also after Ctrl+C: then of what was scored by then, and `Hits.partial` is True.

    Raises
    ------
    SwguiError
        If it cannot be carried out; every error of the library is one.
    KeyboardInterrupt
        If Ctrl+C came before anything was scored, or twice.
    """
    return _search(SEARCH.arguments(options), queries, database, progress)


@described(ITERATE)
def iterate(
    queries: Sequences | None, database: DatabaseLike, *, progress: OnProgress | bool | None = None, **options: Any
) -> Hits:
    """Search proteins, or RNA and DNA, in rounds, each with a profile of what the round before found.

    The same as `swgui.search` with ``iterations``, which is 6 here; all other parameters are the same.

    Returns
    -------
    Hits
        Of the last round; the columns ``first_round``, ``round_status`` and ``round_evalues`` say what became of each
        subject. After Ctrl+C of the last whole round, with `Hits.partial`.

    Raises
    ------
    SwguiError
        If it cannot be carried out.
    KeyboardInterrupt
        As `swgui.search`.
    """
    return _search(ITERATE.arguments(options), queries, database, progress)


def _search(
    arguments: argparse.Namespace,
    queries: Sequences | None,
    database: DatabaseLike,
    progress: OnProgress | bool | None,
) -> Hits:
    check_method(arguments)
    arguments.query, arguments.database = queries is not None, ""  # the request is given them below
    if arguments.on:
        from swgui.io.remote.database import distant_database  # here: few searches are elsewhere

        place: Path | EncodedDatabase = distant_database(arguments.on, _named(database))
    else:
        place = to_search(database)
    request, start, remarks, inputs = asked_for(arguments, queries, place)
    if not arguments.on:
        CACHE.begin(request)
    if arguments.tuned and not arguments.method and not arguments.on:
        request, said = tuned(request)
        remarks.append(said)
    request = with_rounds(arguments, request, start)
    result, more = finish(partial(searched, request), progress)
    return hits_of(
        result,
        [*remarks, *more],
        [*inputs, *database_inputs(database if isinstance(database, list | tuple) else place)],
    )


def _named(database: DatabaseLike) -> list[str]:
    """Return the names of databases of another computer; `InvalidParameter` if they are none."""
    given = database if isinstance(database, list | tuple) else [database]
    if not all(isinstance(one, str | os.PathLike) for one in given):
        message = "On another computer a database is searched that is there."
        raise InvalidParameter("database", database, message, hint="Give its name.")
    return [os.fspath(one) for one in given]


def asked_for(
    arguments: argparse.Namespace, queries: Sequences | None, place: Path | EncodedDatabase
) -> tuple[SearchRequest, StartingPoint | None, list[str], list[tuple[str, Path]]]:
    """Return the search, its first alignment or profile, the remarks, and the files that were read."""
    if getattr(arguments, "start_from", None):  # a watch has none
        from swgui.commands.starting import request_from  # here: few begin with profiles

        request, start = request_from(arguments, place)
        return request, start, list(start.remarks), [("alignment or profile", Path(arguments.start_from))]
    given = read_given(queries, arguments.type, expected=query_kind(arguments))
    records = given.records
    if arguments.query_letters is not None:
        name = alphabet_called(arguments.letters_alphabet).name
        beside = read_given(arguments.query_letters, name, "query_letters").records
        records = with_letters(records, beside, name, "query_letters")
    remarks = list(given.remarks)
    return request_of(arguments, records, given.alphabet, place, remarks.append), None, remarks, query_inputs(given)


def searched(request: SearchRequest, cancel: threading.Event) -> Generator[object, None, SearchResult | None]:
    """Search with what is open already; or on another computer, where the request names one."""
    if request.search.options.on:
        from swgui.runs import Runs  # here: few searches are elsewhere

        yield from Runs().run("search", request, cancel)
        return None  # the last event has the result
    request = yield from CACHE.opened(request, cancel)
    if request.search.iteration is None:
        return (yield from search_steps(request, cancel, use=CACHE.engine))
    from swgui.jobs.iterate.run import iteration_steps  # here: most searches have one round

    return (yield from iteration_steps(request, cancel, CACHE.engine))


def hits_of(result: SearchResult, remarks: list[str], inputs: list[tuple[str, Path]]) -> Hits:
    """Return a result, and warn if it is not whole."""
    if result.state != "complete":
        done = 100 * result.cells_done // result.cells_total if result.cells_total else 0
        warn(f"The search {'was stopped' if result.state == 'stopped' else 'failed'} when {done} % of it was done.")
    return Hits(
        result, remarks=[remark for remark in (*remarks, result.message, result.information) if remark], inputs=inputs
    )


def query_inputs(given: ReadSequences) -> list[tuple[str, Path]]:
    """Return the files that queries were read from, as outputs must not replace them."""
    return [("query", file) for file in given.files]


def database_inputs(place: object) -> list[tuple[str, Path]]:
    """Return the files of a database, likewise."""
    given = place if isinstance(place, list | tuple) else [place]
    return [("database", file) for one in given if isinstance(one, Path | str) for file in database_files(one)]


@described(DEEPER)
def deeper(
    queries: Sequences, database: DatabaseLike, *, progress: OnProgress | bool | None = None, **options: Any
) -> Hits:
    """Search proteins in rounds, and look for further evidence on what was found.

    All other parameters are the options of ``swgui deeper``, with the same names, defaults and checks; one of
    ``profiles``, ``neighbours`` and ``forward`` must be given.

    Parameters
    ----------
    queries, database, progress : as of `swgui.search`
        Proteins.

    Returns
    -------
    Hits
        As of `swgui.iterate`, with the columns ``profile_bits`` and ``profile_evalue``, ``forward_bits`` and
        ``forward_evalue``, ``path`` and ``path_evalues``. What only the best hits find stands among the hits with its
        own E, however large. After Ctrl+C with what was known by then, and `Hits.partial` is True.

    Raises
    ------
    SwguiError
        If it cannot be carried out.
    KeyboardInterrupt
        As `swgui.search`.
    """
    arguments = DEEPER.arguments(options)
    check_method(arguments)
    given = read_given(queries, PROTEIN.name)
    place = to_search(database)
    request = deeper_request(arguments, given.records, place)
    CACHE.begin(request)
    result, remarks = finish(partial(searched, request), progress)
    return hits_of(result, [*given.remarks, *remarks], [*query_inputs(given), *database_inputs(place)])


@public
def load(path: str | os.PathLike[str], database: Database | None = None) -> Hits | Any:
    """Open a run of any kind that was saved, by the library, by a command or by the window.

    Parameters
    ----------
    database : Database, optional
        That was searched; if not given, searched for at its former path and in the folder of the file. Without it the
        sequences in the file stand for it, and `Hits.remarks` says so.

    Returns
    -------
    Hits
        As they were found; of a run of another kind what its own function returns: a `Pair`, `RulePlaces`, a
        `SequenceNetwork` or a `RunResult`.

    Raises
    ------
    SwguiError
        If the file cannot be read.
    """
    from swgui.io.saved.search import load_search  # here, as below: few calls load a search
    from swgui.runs.opening import kind_of_saved

    file = path_of(path)
    if (kind := kind_of_saved(file)) not in ("", "search"):
        from swgui.library.opening import open_result

        return open_result(kind, file)
    return loaded_hits(load_search(file, database=None if database is None else database.encoded), file)


def loaded_hits(loaded: LoadedSearch, file: Path) -> Hits:
    """Return the hits of a saved search that was read from a file."""
    inputs = [("saved search", file), *database_inputs(loaded.database_path)]
    return Hits(loaded.result, remarks=loaded.remarks, inputs=inputs)
