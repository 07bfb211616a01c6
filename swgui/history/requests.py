"""What decides a search, in the files of the history, and a request made of that again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from swgui.core.alphabet import TRACKS
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.entries.features import as_text, from_text, within
from swgui.core.headers import parse_header
from swgui.core.plain import Count
from swgui.core.query_range import searched_length
from swgui.core.records import SequenceRecord
from swgui.core.search import Search
from swgui.core.translation.genetic_codes import CODON
from swgui.core.words import count
from swgui.engines.registry import AUTO, engine_names
from swgui.history.records import HistoryError
from swgui.io.database.library import user_databases
from swgui.io.saved.facts import letters_of, places_of, places_text, plain_search, search_of, texts_of
from swgui.io.saved.search import database_file_of
from swgui.jobs.search.request import SearchRequest

RETIRED_SETTINGS: Final = ("library",)
UNNAMED = "query"  # the id of residues without a header


def default_name(request: SearchRequest) -> str:
    """Return what a run is called: as the user says, or by its queries."""
    return request.name or name_of(request.queries)


def name_of(queries: Sequence[SequenceRecord]) -> str:
    """Return the name of a run by its queries: ``P69905 and 3 more``."""
    first = _title(queries[0]) if queries else "No queries"
    return first if len(queries) < 2 else f"{first} and {len(queries) - 1:,} more"


def _title(query: SequenceRecord) -> str:
    """Return what a query is called by people: ``LGB1_VICFA`` of ``gi|122087146|sp|P02232.2|LGB1_VICFA``."""
    if query.id == UNNAMED and not query.description:
        return f"Unnamed sequence of {count(len(query.residues), 'residue')}"
    return parse_header(query.id, query.description).name[:100]


def database_of(request: SearchRequest) -> Path | None:
    """Return the file the user opened as the database."""
    if isinstance(request.database, EncodedDatabase):
        return database_file_of(request.database)
    return request.database.absolute()


@dataclass(frozen=True, slots=True)
class QueryText:
    """A query with its residues."""

    id: str
    description: str
    residues: str
    features: str = ""
    letters: str = ""
    letters_alphabet: str = ""
    places: str = ""

    @classmethod
    def of(cls, query: SequenceRecord) -> QueryText:
        """Return what is saved of a query."""
        residues, letters = query.residues.decode("ascii"), texts_of(query.letters)
        places = places_text(query.places)
        return cls(query.id, query.description, residues, as_text(query.features), *letters, places)

    def record(self) -> SequenceRecord:
        """Make the query again."""
        residues = self.residues.encode("ascii")
        features, letters = (
            within(from_text(self.features), len(residues)),
            letters_of(self.letters, self.letters_alphabet),
        )
        places = places_of(self.places)
        return SequenceRecord(self.id, self.description, residues, features, letters=letters, places=places)


@dataclass(frozen=True, slots=True)
class DatabaseName:
    """A database by name, by the file it was opened from, and by its content; each empty where not known."""

    name: str = ""
    path: str = ""
    checksum: str = ""

    def find(self) -> Path:
        """Return where it is: where it was, or wherever the same content is known; `HistoryError` if it is gone."""
        if self.path and Path(self.path).is_file():
            return Path(self.path)
        for known in user_databases():
            if self.checksum and known.checksum == self.checksum:
                return known.path
        raise HistoryError(
            f"The database '{self.name}' of this run was not found{f' at {self.path}' if self.path else ''}.",
            hint="Put it back, or open it once, so that it is known.",
        )


@dataclass(frozen=True, slots=True)
class OpenedFacts:
    """What became known of the database when it was opened, and of that of which it is a part."""

    checksum: str = ""
    residues: Count = 0
    whole: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFacts:
    """A request: the first record of a journal, and of the second what is read again.

    Parameters
    ----------
    search : Mapping
        As `plain_search` makes it.
    """

    name: str
    started: str
    search: Mapping[str, Any]
    queries: tuple[QueryText, ...]
    database: DatabaseName
    opened: OpenedFacts = field(default_factory=OpenedFacts)
    queries_masked: bool = False

    @classmethod
    def begun(cls, request: SearchRequest) -> RequestFacts:
        """Return what is saved of a request that begins now."""
        opened = request.database if isinstance(request.database, EncodedDatabase) else None
        plain_name = opened.name if opened else request.database.stem if isinstance(request.database, Path) else ""
        return cls(
            name=default_name(request),
            started=datetime.now().astimezone().isoformat(timespec="seconds"),
            search=plain_search(request.search),
            queries=tuple(map(QueryText.of, request.queries)),
            database=DatabaseName(plain_name, str(database_of(request) or ""), opened.checksum if opened else ""),
            queries_masked=request.queries_masked,
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
        """Make the request again; `HistoryError` if its database is gone, `ValueError` if that is not one."""
        records = tuple(query.record() for query in self.queries)
        # The file was not open yet when the journal began; what it held is known since.
        opened = self.opened.checksum.partition(TRACKS)[0]  # a file is known by its residues
        database = replace(self.database, checksum=self.opened.whole or opened or self.database.checksum)
        search = runnable(search_of(self.search))
        return SearchRequest(records, database.find(), search, queries_masked=self.queries_masked)


def runnable(search: Search) -> Search:
    """Return a search by an engine and with settings that are there: those of a package, or a version, may be gone."""
    if search.engine in engine_names():
        return replace(search, options=without_retired(search.options))
    return replace(search, engine=AUTO, options=EngineOptions(threads=search.options.threads))


def without_retired(options: EngineOptions) -> EngineOptions:
    """Return options without settings that only earlier versions had; none of them changed a result."""
    known = {name: value for name, value in options.settings.items() if name not in RETIRED_SETTINGS}
    return replace(options, settings=known)
