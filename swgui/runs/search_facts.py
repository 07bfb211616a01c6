"""The request of a search as facts in files, made again from them, and the entry of a saved search in a list."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from swgui.core.alphabet import TRACKS
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions, current_settings
from swgui.core.errors import DatabaseError
from swgui.core.hits.results import SearchResult, State
from swgui.core.plain import Count, replace
from swgui.core.query_range import searched_length
from swgui.core.records import SequenceRecord
from swgui.core.search import Search, about_search
from swgui.core.translation.genetic_codes import CODON
from swgui.engines.registry import AUTO, engine_names
from swgui.io.database.file import database_facts
from swgui.io.database.format import SUFFIX
from swgui.io.database.library import user_databases
from swgui.io.remote.database import DistantDatabase
from swgui.io.remote.wire import Listed
from swgui.io.saved.facts import NamedDatabase, RecordFacts, SearchFacts, TwoDatabases, plain_search, search_of
from swgui.io.saved.search import database_file_of
from swgui.io.unpacking import plain_name
from swgui.jobs.search.request import SearchRequest
from swgui.paths import beside_project
from swgui.runs.records import STOPPED, RunError, RunRecord, RunState, name_of, now, started_by_id

_STATES: Final[dict[State, RunState]] = {"complete": "done", "stopped": "partial", "failed": "failed"}


def record_of(run_id: str, facts: SearchFacts) -> RunRecord:
    """Return the entry of a saved search in a list."""
    result = facts.result
    state = _STATES[result.state]
    return RunRecord(
        id=run_id,
        name=facts.name or run_id,
        state=state,
        queries=len(facts.queries),
        database=facts.database.name if facts.two is None else " + ".join(one.name for one in facts.two.hits),
        started=facts.started or started_by_id(run_id),
        finished=result.finished_at,
        seconds=result.seconds,
        gcups=result.cells_done / result.seconds / 1e9 if result.seconds > 0 else 0.0,
        fraction=result.cells_done / result.cells_total if result.cells_total else 0.0,
        reason=result.message or (STOPPED if state == "partial" else result.information),
        rounds=_rounds(facts),
        about=_about(facts),
        found=_significant(facts),
    )


def _about(facts: SearchFacts) -> str:
    """Return the request; only the search knows whether it scores a second track."""
    asked, scheme = search_of(facts.asked), search_of(facts.search).scheme
    by_shape = scheme.matrix.of_residues is not scheme.matrix
    return about_search(replace(asked, scheme=scheme) if by_shape else asked)


def _significant(facts: SearchFacts) -> int | None:
    """Return how many significant hits all queries have together, if it is known of each."""
    numbers = [query.significant for query in facts.queries if query.significant is not None]
    return sum(numbers) if len(numbers) == len(facts.queries) else None


def _rounds(facts: SearchFacts) -> int:
    """Return how many whole rounds a search has, if it is known how they continue."""
    if not facts.asked.get("iteration"):
        return 0
    return max((len(query.rounds.rounds) for query in facts.queries if query.rounds is not None), default=0)


def default_name(request: SearchRequest) -> str:
    """Return the name of a run: the user's, or that of its queries."""
    return request.name or name_of(request.queries)


def database_of(request: SearchRequest) -> Path | None:
    """Return the file the user opened as the database."""
    if isinstance(request.database, DistantDatabase):
        return Path(f"{request.database.address}/{request.database.name}")
    if isinstance(request.database, EncodedDatabase):
        return database_file_of(request.database)
    return request.database.absolute() if isinstance(request.database, Path) else None


def databases_of(
    result: SearchResult, request: SearchRequest, checksum: str = ""
) -> tuple[Path | None, TwoDatabases | None]:
    """Return the file of the database of a result, and both databases where rounds are of another one than hits.

    Parameters
    ----------
    checksum : str
        Content of the one that rounds are of, where the request has not opened it.
    """
    two = _two(request, checksum)
    reported = any(query.rounds is not None and query.rounds.database for query in result.queries)
    return database_of(request) if two is None or reported else Path(two.rounds.path), two


def _two(request: SearchRequest, checksum: str = "") -> TwoDatabases | None:
    of = request.build_database
    if of is None:
        return None
    if isinstance(of, EncodedDatabase):
        rounds = NamedDatabase(of.name, str(database_file_of(of) or ""), of.checksum)
    else:
        rounds = NamedDatabase(plain_name(of.name), str(of.absolute()), checksum)
    opened = request.database.checksum if isinstance(request.database, EncodedDatabase) else ""
    hits = members_of(request) or (NamedDatabase(request.database_name, str(database_of(request) or ""), opened),)
    return TwoDatabases(rounds, hits)


def two_found(two: TwoDatabases) -> tuple[Path | tuple[Path, ...], Path]:
    """Return where the databases of hits and of rounds are; `RunError` if one is gone."""
    hits = tuple(DatabaseName.of(one).find() for one in two.hits)
    return hits if len(hits) > 1 else hits[0], DatabaseName.of(two.rounds).find()


def members_of(request: SearchRequest) -> tuple[DatabaseName, ...]:
    """Return the databases that a request searches as one; nothing if it is one."""
    if isinstance(request.database, tuple):
        return tuple(DatabaseName(plain_name(place.name), str(place.absolute())) for place in request.database)
    if isinstance(request.database, Path) or len((request.database.whole or request.database).members) < 2:
        return ()
    members = (request.database.whole or request.database).members
    return tuple(DatabaseName(one.name, str(database_file_of(one) or ""), one.checksum) for one in members)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryText(RecordFacts):
    """A query with its residues."""

    residues: str

    @classmethod
    def of(cls, query: SequenceRecord) -> QueryText:
        """Return the record of a query."""
        return cls(**cls.values(query), residues=query.residues.decode("ascii"))

    def record(self) -> SequenceRecord:
        """Make the query again."""
        return self.record_with(self.residues.encode("ascii"))


class DatabaseName(NamedDatabase):
    """A database of a run, which is looked for when that is searched again."""

    __slots__ = ()

    @classmethod
    def of(cls, named: NamedDatabase) -> DatabaseName:
        """Return the database that a file names."""
        return cls(named.name, named.path, named.checksum)

    def find(self) -> Path:
        """Return where it is: where it was, or wherever the same content is known; `RunError` if it is gone."""
        from swgui.io.imported.finding import find_imported_database  # here: most runs are not searched again

        if self.path and (Path(self.path).is_file() or find_imported_database(self.path) is not None):
            return Path(self.path)
        for database in user_databases():
            if self.checksum and database.checksum == self.checksum:
                return database.path
        for place in beside_project(self.path):
            with suppress(DatabaseError):
                if not self.checksum or place.suffix != SUFFIX or database_facts(place).checksum == self.checksum:
                    return place
        raise RunError(
            f"The database '{self.name}' of this run was not found{f' at {self.path}' if self.path else ''}.",
            hint="Put it back, or open it once, so that it is known.",
        )


@dataclass(frozen=True, slots=True)
class OpenedFacts:
    """Facts of the database since it was opened, and of the database it is a part of."""

    checksum: str = ""
    residues: Count = 0
    whole: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFacts:
    """A request: the first record of a journal; `opened` comes from the second.

    It is of the database that is searched first: with `two` of the one that rounds are of.
    """

    name: str
    started: str
    search: Mapping[str, Any]  # as `plain_search` makes it
    queries: tuple[QueryText, ...]
    database: DatabaseName
    members: tuple[DatabaseName, ...] = ()  # several that are searched as one
    opened: OpenedFacts = field(default_factory=OpenedFacts)
    queries_masked: bool = False
    distant: Listed | None = None  # the database, if it is on another computer
    two: TwoDatabases | None = None  # those of rounds and of hits, where they differ

    @classmethod
    def begun(cls, request: SearchRequest) -> RequestFacts:
        """Return the record of a request that begins now."""
        opened = request.database if isinstance(request.database, EncodedDatabase) else None
        place, checksum = str(database_of(request) or ""), opened.checksum if opened else ""
        return cls(
            name=default_name(request),
            started=now(),
            search=plain_search(request.search),
            queries=tuple(map(QueryText.of, request.queries)),
            database=DatabaseName(request.database_name, place, checksum),
            members=members_of(request),
            queries_masked=request.queries_masked,
            distant=request.database.listed if isinstance(request.database, DistantDatabase) else None,
            two=_two(request),
        )

    @property
    def cells(self) -> int:
        """Cells of the whole search: residues of queries times those of the database, in all strands or frames."""
        search = search_of(self.search)
        how = search.translation
        cells = sum(searched_length(query, search.query_range, how) for query in self.queries) * self.opened.residues
        if how is None:
            return cells * len(search.strands)
        return cells * how.times // (CODON if how.of.translates_database else 1)

    def request(self) -> SearchRequest:
        """Make the request again; `RunError` if its database is gone, `ValueError` if that is not one."""
        records = tuple(query.record() for query in self.queries)
        # The file was not open yet when the journal began; its content is known since.
        known = self.opened.whole or self.opened.checksum.partition(TRACKS)[0]  # a file is known by its residues
        search = runnable(search_of(self.search))
        if self.distant is not None:
            there = DistantDatabase(search.options.on, self.distant)
            return SearchRequest(records, there, search, queries_masked=self.queries_masked)
        if self.two is not None:
            rounds = replace(self.two.rounds, checksum=known or self.two.rounds.checksum)
            hits, of = two_found(replace(self.two, rounds=rounds))
            return SearchRequest(records, hits, search, of, queries_masked=self.queries_masked)
        database = replace(self.database, checksum=known or self.database.checksum)
        place = tuple(member.find() for member in self.members) or database.find()
        return SearchRequest(records, place, search, queries_masked=self.queries_masked)


def runnable(search: Search) -> Search:
    """Return a search by an engine and with settings that are there: those of a package, or a version, may be gone."""
    if search.options.on:  # they are those of another computer
        return search
    if search.engine in engine_names():
        return replace(search, options=replace(search.options, settings=current_settings(search.options.settings)))
    return replace(search, engine=AUTO, options=EngineOptions(threads=search.options.threads))
