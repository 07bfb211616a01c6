"""The facts of a saved search, as records: the manifest, its scoring, queries, result and database.

Each record becomes JSON and comes back through `swgui.core.plain`: strict about what decides a score, tolerant of
everything that is merely more. The names of fields are keys in users' files and never change.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final, get_type_hints

import numpy as np

from swgui.core.features import as_text, from_text, is_circular, within
from swgui.core.hits.results import QueryResult, SearchResult, State
from swgui.core.organisms.limit import DatabasePart, OrganismLimit
from swgui.core.plain import Count, from_plain, plain
from swgui.core.records import Letters, SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.statistics.fit import FittedStatistics
from swgui.core.verdict.queries import significant_hits
from swgui.io.saved.rounds import RoundsFacts
from swgui.io.saved.scheme import SchemeFacts

KIND: Final = "swgui saved search"
FORMAT: Final = (2, 3)
LINE: Final = 60  # residues of a line of FASTA
_NAMES: Final = {"redone": "rescored"}  # key in files to the name in `SearchResult`, where they differ


def plain_search(search: Search) -> dict[str, Any]:
    """Return the parameters that decide a search, as JSON has them, for any kind of search."""
    return {"scheme": plain(SchemeFacts.of(search.scheme)), **_without_scheme(search)}


def _without_scheme(search: Search) -> dict[str, Any]:
    return {name: plain(getattr(search, name)) for name in search.__struct_fields__ if name != "scheme"}


def search_of(values: Mapping[str, Any]) -> Search:
    """Make a search again of what `plain_search` made of it; what it does not hold has its default.

    Raises
    ------
    ValueError, KeyError, SwguiError
        If that is not one.
    """
    return search_with(from_plain(SchemeFacts, values["scheme"]).scheme(), values)


def search_with(scheme: ScoringScheme, values: Mapping[str, Any]) -> Search:
    """Make a search of a scheme and of other values as JSON has them. Raises as `search_of`."""
    kinds = _kinds(Search)
    names = [name for name in Search.__struct_fields__ if name in values and name != "scheme"]
    return Search(scheme=scheme, **{name: from_plain(kinds[name], values[name]) for name in names})


@cache
def _kinds(record: type) -> dict[str, Any]:
    """Return the types of the fields of a record, which take 1.5 ms to find."""
    return get_type_hints(record)


def plain_changes(search: Search) -> dict[str, Any]:
    """Return the parameters of a search that differ from the defaults, as for `search_with`; without its scheme."""
    values, usual = (json.loads(json.dumps(_without_scheme(item))) for item in (search, Search(scheme=search.scheme)))
    return _changes(values, usual)


def _changes(values: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    changed = {name: value for name, value in values.items() if value != usual[name]}
    both = {name for name, value in changed.items() if isinstance(value, dict) and isinstance(usual[name], dict)}
    return {name: _changes(value, usual[name]) if name in both else value for name, value in changed.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFacts:
    """The fields of `SearchResult` that are numbers and texts."""

    engine: str
    devices: tuple[str, ...]
    state: State
    cells_done: Count
    cells_total: Count
    seconds: float
    redone: Count = 0
    statistics: str = ""
    message: str = ""
    version: str = ""
    finished_at: str = ""
    content_checked: bool = False
    left_out: Count = 0
    information: str = ""

    @classmethod
    def of(cls, result: SearchResult) -> ResultFacts:
        """Return the record of a result, apart from arrays."""
        return cls(**{entry.name: getattr(result, _NAMES.get(entry.name, entry.name)) for entry in fields(cls)})

    def values(self) -> dict[str, Any]:
        """Return the argument of `of`, by the names of `SearchResult`."""
        return {_NAMES.get(entry.name, entry.name): getattr(self, entry.name) for entry in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFacts:
    """A sequence, but its residues: a second track as text, and coordinates in base 64."""

    id: str
    description: str
    features: str = ""
    letters: str = ""
    letters_alphabet: str = ""
    places: str = ""

    @staticmethod
    def values(record: SequenceRecord) -> dict[str, str]:
        """Return the fields for a sequence."""
        letters = record.letters
        return {
            "id": record.id,
            "description": record.description,
            "features": as_text(record.features, circular=record.circular),
            "letters": letters.text.decode("ascii") if letters is not None else "",
            "letters_alphabet": letters.alphabet if letters is not None else "",
            "places": base64.b64encode(record.places).decode("ascii"),
        }

    def record_with(self, residues: bytes) -> SequenceRecord:
        """Make the sequence again; `ValueError` if the facts are not those of one."""
        features = within(from_text(self.features), len(residues))
        letters = Letters(self.letters_alphabet, self.letters.encode("ascii")) if self.letters_alphabet else None
        places = base64.b64decode(self.places, validate=True)
        circular = is_circular(self.features)
        return SequenceRecord(
            self.id, self.description, residues, features, letters=letters, places=places, circular=circular
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFacts(RecordFacts):
    """A query; its residues are in the FASTA part. `hits` is the number of its rows in the columns of hits."""

    length: Count
    subjects_scored: Count
    hits: Count
    fit: FittedStatistics | None = None
    rounds: RoundsFacts | None = None
    significant: Count | None = None  # of its hits; None without E-values, and in files of before

    @classmethod
    def of(cls, query: QueryResult) -> QueryFacts:
        """Return the record of a query, apart from arrays and residues."""
        return cls(
            **cls.values(query.query),
            length=len(query.query.residues),
            subjects_scored=query.subjects_scored,
            hits=len(query.hits),
            fit=query.fit,
            rounds=RoundsFacts.of(query.rounds) if query.rounds else None,
            significant=None if np.isnan(query.hits.log10_evalues).any() else significant_hits(query.hits),
        )


@dataclass(frozen=True, slots=True)
class PartFacts:
    """The whole database of a search in some of its organisms: content, name, and those organisms."""

    checksum: str = ""
    name: str = ""
    sequences: Count = 0
    organisms: tuple[str, ...] = ()
    exclude_organisms: tuple[str, ...] = ()

    @classmethod
    def of(cls, part: DatabasePart) -> PartFacts:
        """Return the record of a part."""
        return cls(part.checksum, part.name, part.sequences, part.limit.only, part.limit.without)

    def part(self) -> DatabasePart:
        """Return the argument of `of`."""
        limit = OrganismLimit(self.organisms, self.exclude_organisms)
        return DatabasePart(self.name, self.checksum, self.sequences, limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseFileFacts:
    """A database, where it was opened from (also relative to the saved search), and the bytes of that file."""

    path: str = ""
    relative: str = ""
    size: Count = 0
    name: str
    alphabet: str
    sequences: Count
    residues: Count
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberFacts(DatabaseFileFacts):
    """One of several databases that were searched as one, and the number of its subjects that were searched."""

    searched: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedDatabaseFacts(DatabaseFileFacts):
    """The database that was searched: of some organisms, or of several members."""

    part: PartFacts | None = None
    members: tuple[MemberFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class SubjectFacts:
    """Which parts of the database are stored: how many subjects, their residues, the names of all others."""

    count: Count
    residues: bool = False
    all_ids: bool = False


@dataclass(frozen=True, slots=True)
class NamedDatabase:
    """A database by name, by the file it was opened from, and by its content; each empty where not known."""

    name: str = ""
    path: str = ""
    checksum: str = ""


@dataclass(frozen=True, slots=True)
class TwoDatabases:
    """The databases of a search whose rounds are of another one than its hits."""

    rounds: NamedDatabase
    hits: tuple[NamedDatabase, ...]  # several that are searched as one


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """Facts that the history adds to a saved search."""

    name: str = ""
    started: str = ""  # local time, ISO 8601; empty where not known
    two: TwoDatabases | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFacts(RunFacts):
    """The manifest of a saved search; the checksums of its parts are next to it (`swgui.io.saved.pack`)."""

    kind: str
    format: tuple[Count, Count]
    program: str = "an unknown version"
    saved: str = ""
    # search, asked: as `plain_search` makes them of those of the result
    search: Mapping[str, Any]
    asked: Mapping[str, Any]
    result: ResultFacts
    queries: tuple[QueryFacts, ...]
    database: SavedDatabaseFacts
    scores: bool = False
    both_strands: bool = False
    corrected: bool = False
    directions: bool = False
    subjects: SubjectFacts


def fasta(records: Iterable[SequenceRecord]) -> bytes:
    """Return records as FASTA; names that would break a line are changed here and complete in their facts."""
    lines: list[bytes] = []
    for record in records:
        header = "".join(sign if sign.isprintable() else " " for sign in record.header)
        lines.append(b">" + header.encode("utf-8", "replace"))
        lines.extend(record.residues[start : start + LINE] for start in range(0, len(record.residues), LINE))
    return b"\n".join([*lines, b""])


def read_queries(facts: Sequence[QueryFacts], data: bytes) -> tuple[SequenceRecord, ...]:
    """Make the queries again from their facts and the FASTA part; `ValueError` if they do not fit together."""
    blocks = (b"\n" + data).split(b"\n>")[1:]
    records = []
    for fact, block in zip(facts, blocks, strict=True):
        residues = block.partition(b"\n")[2].replace(b"\n", b"")
        if len(residues) != fact.length:
            raise ValueError("length of a query")
        records.append(fact.record_with(residues))
    return tuple(records)
