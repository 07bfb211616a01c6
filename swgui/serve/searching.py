"""Searches as jobs of a server: their requests, the work and their results."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

import swgui
from swgui.commands.engine import engine_group
from swgui.commands.option import options_of
from swgui.commands.search import query_kind, request_of, search_options
from swgui.core.alphabet import Alphabet
from swgui.core.errors import Stopped, SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.organisms.chosen import chosen_of_each
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.several.joined import joined
from swgui.core.words import count
from swgui.engines import registry
from swgui.io.read_report import ReadReport
from swgui.io.saved.search import load_search, save_search
from swgui.io.sequences.reader import read_text
from swgui.jobs.events import Progress, Stage, run_to_end
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from swgui.serve.databases import Databases, Served
from swgui.serve.house import House
from swgui.serve.makers import Deliver, Tell
from swgui.serve.requests import Allowed, Refused, User
from swgui.serve.tickets import Ticket

KIND: Final = "search"
SCORES_KEPT: Final = 64 << 20  # bytes of score vectors in a result; those of a larger search are left out
QUERIES, RESIDUES = 200, 60_000  # of searches that are carried out as one, at most
SAVED: Final = 4  # results that are written at a time: each waits for the disk
RESULT_BYTES: Final = 256 << 20
_EVERYONE: Final = User("")


class Asked(msgspec.Struct, frozen=True):
    """A search as its ticket keeps it, next to the text of its queries.

    Parameters
    ----------
    door : str
        Name of the door that it came through.
    databases : tuple of str
        Their names.
    options : mapping of str to object
        Values of options of ``swgui search`` by `Option.key`; all others have their defaults.
    notes : tuple of str
        Sentences for the receipt: which parts of the request have no effect.
    title : str
        As its owner calls it.
    """

    door: str
    databases: tuple[str, ...]
    options: Mapping[str, Any] = {}
    notes: tuple[str, ...] = ()
    title: str = ""

    @property
    def mode(self) -> str:
        """The text that a ticket keeps."""
        return msgspec.json.encode(self, order="deterministic").decode()


class SearchJob(msgspec.Struct, frozen=True, eq=False):
    """The request of one ticket.

    Parameters
    ----------
    how : tuple
        Databases and options: searches that share them are carried out as one.
    place : Path
        File of the first database.
    """

    id: str
    owner: str
    request: SearchRequest
    how: tuple[tuple[str, ...], bytes]
    place: Path
    kind: str = KIND


def asked_in(ticket: Ticket) -> Asked:
    """Return the request of the search of a ticket."""
    return msgspec.json.decode(ticket.mode, type=Asked)


class Searching:
    """Carries out searches (a `swgui.serve.makers.Maker`).

    Parameters
    ----------
    arguments : Namespace
        With the values of the group of engines.
    """

    kinds = frozenset({KIND})
    drops = False

    def __init__(self, arguments: argparse.Namespace, databases: Databases, engines: registry.KeptEngines) -> None:
        self._engine = {option.key: getattr(arguments, option.key) for option in options_of((engine_group(),))}
        self._databases, self._engines = databases, engines

    def read(self, ticket: Ticket, query: str) -> SearchJob:
        """Return the request of a ticket.

        Raises
        ------
        Refused, SwguiError
            If a database is not served any more, or an older program took what this one refuses.
        """
        asked = asked_in(ticket)
        found = self._databases.find(asked.databases, _EVERYONE)
        how = asked.databases, msgspec.json.encode(asked.options, order="deterministic")
        request, _ = request_for(asked, query, found, self._engine)
        return SearchJob(ticket.id, ticket.owner, request, how, found[0].place)

    def fits(self, jobs: Sequence[SearchJob], job: SearchJob) -> bool:
        """Whether a search has the settings of others, and all together are small enough to be one."""
        every = [length for one in (*jobs, job) for length in one.request.lengths]
        return all(one.how == job.how for one in jobs) and len(every) <= QUERIES and sum(every) <= RESIDUES

    def make(self, jobs: Sequence[SearchJob], cancel: threading.Event, deliver: Deliver, tell: Tell) -> None:
        """Search with the queries of all jobs, and deliver to each its own as a file that `swgui.load` opens, too.

        Raises
        ------
        Stopped
            Once `cancel` is set.
        SwguiError
            If the search fails.
        """
        queries = tuple(query for job in jobs for query in job.request.queries)
        request = replace(jobs[0].request, queries=queries)
        steps = search_steps(request, cancel, use=self._engines.use)
        result = run_to_end(steps, partial(_tell, jobs, tell))
        if cancel.is_set() or result is None:
            raise Stopped
        if result.state != "complete":
            raise SwguiError(result.message or "The search failed.")
        numbers = [len(job.request.queries) for job in jobs]
        starts = [sum(numbers[:place]) for place in range(len(jobs))]

        def finish(job: SearchJob, first: int) -> None:
            own = _part(result, first, len(job.request.queries))
            deliver(job, partial(_save, own, job.place), sum(len(query.hits) for query in own.queries))

        with ThreadPoolExecutor(min(len(jobs), SAVED), thread_name_prefix="swgui-results") as pool:
            list(pool.map(finish, jobs, starts))


def _part(result: SearchResult, first: int, number: int) -> SearchResult:
    """Return the result of some of the queries, with their share of the cells."""
    if number == len(result.queries):
        return result
    queries = result.queries[first : first + number]
    lengths = [len(query.query.residues) for query in result.queries]
    cells = result.cells_total * sum(lengths[first : first + number]) // sum(lengths)
    return replace(result, queries=queries, cells_done=cells, cells_total=cells)


def _tell(jobs: Sequence[SearchJob], tell: Tell, event: object) -> None:
    if isinstance(event, Progress | Stage):
        name = event.stage if isinstance(event, Progress) else event.name
        for job in jobs:
            tell(job.id, name, event.done, event.total)


def _save(result: SearchResult, database: Path, place: Path) -> None:
    """Write a result, without the names of subjects that are no hits, and without all scores where these are many."""
    size = 4 * len(result.queries) * len(result.database)
    if size > SCORES_KEPT:
        queries = tuple(replace(query, scores=None, strands=None) for query in result.queries)
        result = replace(result, queries=queries)
    hits = np.unique(np.concatenate([query.hits.db_index for query in result.queries]))
    save_search(result, place, compress=False, only=hits, database_path=database)
    if (written := place.stat().st_size) > RESULT_BYTES:
        place.unlink()
        most = f"{RESULT_BYTES >> 20} MiB that are kept"
        raise SwguiError(f"The result has {written >> 20:,} MiB, more than the {most}. Ask for fewer hits or queries.")


def request_for(
    asked: Asked, query: str, found: Sequence[Served], engine: Mapping[str, object] | None = None
) -> tuple[SearchRequest, tuple[str, ...]]:
    """Return the requested search, exactly as ``swgui search`` makes it of the same options, and notes.

    Raises
    ------
    SwguiError
        If it cannot be carried out: queries of another kind, costs that fit no matrix, nothing to search with.
    """
    values = {option.key: option.default for option in options_of(search_options())}
    arguments = argparse.Namespace(**values | dict(engine or {}) | dict(asked.options))
    database = joined([one.database for one in found])
    records, alphabet, notes = _read(query, query_kind(arguments), database.alphabet)
    request = request_of(arguments, records, alphabet, database, left_out=notes.append)
    if limit := request.search.organisms:  # before the search, so that its client hears of it
        chosen_of_each([one.database.organisms for one in found], limit, database.name)
    return request, tuple(notes)


def _read(
    text: str, kind: Alphabet | None, of_database: Alphabet
) -> tuple[tuple[SequenceRecord, ...], Alphabet, list[str]]:
    report = ReadReport()
    records = tuple(read_text(text, kind, report, expected=of_database))
    if not records or report.alphabet is None:
        raise Refused("The queries have no sequence.")
    return records, report.alphabet, [report.summary()] if report.altered else []


def submit_search(house: House, user: User, asked: Asked, query: str) -> Ticket:
    """Check a search, and return its ticket.

    Raises
    ------
    Refused, SwguiError
        If it cannot be carried out, or is more than is allowed.
    """
    if not query.strip():
        raise Refused("There is no query.")
    found = house.databases.find(asked.databases, user)
    request, notes = request_for(asked, query, found)
    lengths = [len(record.residues) for record in request.queries]
    _check(house.limits.searches, lengths)
    cells, most = _cells(request, found), user.cells or house.limits.cells
    if cells > most:
        raise Refused(f"The search has {cells:.2g} cells; {most:.2g} are allowed. Send fewer queries at a time.", 413)
    asked = replace(asked, notes=(*asked.notes, *notes), databases=tuple(one.name for one in found))
    facts = " ".join([swgui.__version__, *(one.database.checksum for one in found)])
    return house.submit(user, KIND, asked.mode, query, lengths, facts)


def _check(allowed: Allowed, lengths: Sequence[int]) -> None:
    if len(lengths) > allowed.chains:
        raise Refused(f"{count(len(lengths), 'query', 'queries')}: {allowed.chains:,} are allowed at a time.", 413)
    if sum(lengths) > allowed.residues:
        raise Refused(f"{sum(lengths):,} residues in the queries: {allowed.residues:,} are allowed at a time.", 413)


def _cells(request: SearchRequest, found: Sequence[Served]) -> float:
    """Return about how many cells a search has: both strands count twice, as do the frames of each translated side."""
    how = request.translation
    factor = len(request.search.strands) if how is None else 2 ** (how.of.translates_query + how.of.translates_database)
    return float(factor * sum(request.lengths) * sum(one.database.residues for one in found))


def result_of(house: House, ticket: Ticket) -> SearchResult:
    """Return the result of a search that is done, with the notes of its request among its remarks.

    Raises
    ------
    SwguiError
        If it cannot be read any more.
    """
    asked = asked_in(ticket)
    try:
        found = house.databases.find(asked.databases, _EVERYONE)
        database = joined([one.database for one in found])
        result = load_search(house.tickets.archive(ticket.id), database=database).result
    except (Refused, SwguiError):  # the database is another one by now: the result has its own subjects
        result = load_search(house.tickets.archive(ticket.id)).result
    return replace(result, information=" ".join(filter(None, (result.information, *asked.notes))))
