"""What decides a search, in the files of the history, and a request made of that again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from swgui.core.alphabet import TRACKS
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.entries.features import as_text, from_text, within
from swgui.core.headers import parse_header
from swgui.core.hits.limits import NO_MINIMUMS, Minimums
from swgui.core.hits.results import Correction, Strand, strands_of
from swgui.core.letters.record import Beside
from swgui.core.organisms.limit import OrganismLimit
from swgui.core.plain import Count
from swgui.core.profiles.recipe import IterationSettings
from swgui.core.query_range import QueryRange, searched_length
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import Translation
from swgui.core.words import count
from swgui.engines.registry import AUTO, engine_names
from swgui.history.records import HistoryError
from swgui.io.database.library import user_databases
from swgui.io.saved.facts import SchemeFacts, letters_of, places_of, places_text, texts_of
from swgui.io.saved.search import database_file_of
from swgui.jobs.iterate.again import original_matrix
from swgui.jobs.iterate.request import IteratedSearch, in_rounds
from swgui.jobs.search.request import SearchRequest

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


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFacts:
    """What a saved search does not say by itself: engine and options. The names are keys in users' files."""

    engine: str
    engine_devices: tuple[str, ...] = ()
    threads: Count = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    mask: bool = False
    keep_scores: bool = True
    organisms: tuple[str, ...] = ()
    exclude_organisms: tuple[str, ...] = ()
    iteration: IterationSettings | None = None
    beside: Beside | None = None

    @classmethod
    def of(cls, request: SearchRequest) -> EngineFacts:
        """Return what is saved of a request, of one in rounds how they go on, too."""
        return cls(**_engine_values(request))


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitFacts(EngineFacts):
    """With the limits of a search, as `ResultFacts` has them, too."""

    strand: Strand
    top: Count
    max_evalue: float
    effective_residues: Count = 0
    composition: Correction = "none"
    max_hsps: Count = 1
    query_range: QueryRange | None = None
    minimums: Minimums = NO_MINIMUMS
    translation: Translation | None = None


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


@dataclass(frozen=True, slots=True)
class OpenedFacts:
    """What became known of the database when it was opened, and of that of which it is a part."""

    checksum: str = ""
    residues: Count = 0
    whole: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFacts(LimitFacts):
    """Everything that decides a search: the first record of a journal, and of the second what is read again."""

    name: str
    started: str
    scheme: SchemeFacts
    queries: tuple[QueryText, ...]
    database: DatabaseName
    opened: OpenedFacts = field(default_factory=OpenedFacts)

    @classmethod
    def begun(cls, request: SearchRequest) -> RequestFacts:
        """Return what is saved of a request that begins now."""
        opened = request.database if isinstance(request.database, EncodedDatabase) else None
        plain_name = opened.name if opened else request.database.stem if isinstance(request.database, Path) else ""
        return cls(
            name=default_name(request),
            started=datetime.now().astimezone().isoformat(timespec="seconds"),
            scheme=SchemeFacts.of(request.scheme),
            queries=tuple(map(QueryText.of, request.queries)),
            database=DatabaseName(plain_name, str(database_of(request) or ""), opened.checksum if opened else ""),
            strand=request.strand,
            top=request.top,
            max_evalue=request.max_evalue,
            effective_residues=request.effective_residues,
            composition=request.composition,
            max_hsps=request.max_hsps,
            query_range=request.query_range,
            minimums=request.minimums,
            translation=request.translation,
            **_engine_values(request),
        )

    @property
    def cells(self) -> int:
        """Cells of the whole search: residues of queries times those of the database, in all strands or frames."""
        lengths = (searched_length(query, self.query_range, self.translation) for query in self.queries)
        cells, how = sum(lengths) * self.opened.residues, self.translation
        if how is None:
            return cells * len(strands_of(self.strand, None))
        return cells * how.times // (CODON if how.of.translates_database else 1)

    def request(self) -> SearchRequest:
        """Make the request again; `HistoryError` if its database is gone, `ValueError` if that is not one."""
        records = tuple(query.record() for query in self.queries)
        # The file was not open yet when the journal began; what it held is known since.
        opened = self.opened.checksum.partition(TRACKS)[0]  # a file is known by its residues
        database = replace(self.database, checksum=self.opened.whole or opened or self.database.checksum)
        return make_request(self, records, self.scheme.scheme(), database)


def _engine_values(request: SearchRequest) -> dict[str, Any]:
    return {
        "engine": request.engine,
        "engine_devices": request.options.devices,
        "threads": request.options.threads,
        "settings": request.options.settings,
        "mask": request.mask,
        "keep_scores": request.keep_scores,
        "organisms": request.organisms.only,
        "exclude_organisms": request.organisms.without,
        "beside": request.beside,
        "iteration": request.settings if isinstance(request, IteratedSearch) else None,
    }


def make_request(
    facts: LimitFacts, records: tuple[SequenceRecord, ...], scheme: ScoringScheme, database: DatabaseName
) -> SearchRequest:
    """Make a request again, with all of its rounds; `HistoryError` if its database is gone."""
    if facts.iteration is not None:  # what is saved is the last search: its profile, and a matrix in its units
        records = tuple(replace(record, profile=None) for record in records)
        scheme = replace(scheme, matrix=original_matrix(scheme.matrix))
    engine, options = facts.engine, EngineOptions(facts.engine_devices, facts.threads, facts.settings)
    if engine not in engine_names():  # of a package that is gone, or of an older version
        engine, options = AUTO, EngineOptions(threads=facts.threads)
    request = SearchRequest(
        queries=records,
        database=_find_database(database),
        scheme=scheme,
        strand=facts.strand,
        top=facts.top,
        max_evalue=facts.max_evalue,
        engine=engine,
        options=options,
        keep_scores=facts.keep_scores,
        effective_residues=facts.effective_residues,
        mask=facts.mask,
        composition=facts.composition,
        max_hsps=facts.max_hsps,
        query_range=facts.query_range,
        organisms=OrganismLimit(facts.organisms, facts.exclude_organisms),
        minimums=facts.minimums,
        translation=facts.translation,
        beside=facts.beside,
    )
    return request if facts.iteration is None else in_rounds(request, facts.iteration)


def _find_database(database: DatabaseName) -> Path:
    """Return where a database is: where it was, or wherever the same content is known."""
    path = database.path
    if path and Path(path).is_file():
        return Path(path)
    for known in user_databases():
        if database.checksum and known.checksum == database.checksum:
            return known.path
    raise HistoryError(
        f"The database '{database.name}' of this run was not found{f' at {path}' if path else ''}.",
        hint="Put it back, or open it once, so that it is known.",
    )
