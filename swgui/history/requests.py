"""What decides a search, in the files of the history, and a request made of that again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from swgui.core.database import EncodedDatabase
from swgui.core.records import SequenceRecord
from swgui.engines.base import EngineOptions
from swgui.history.records import HistoryError
from swgui.io.database.library import user_databases
from swgui.io.saved.facts import number, scheme_facts, text, whole
from swgui.io.saved.search import database_file_of
from swgui.jobs.search.request import SearchRequest


def default_name(request: SearchRequest) -> str:
    """Return the name of a run that was given none: its queries."""
    return name_of([query.id for query in request.queries])


def name_of(ids: list[str]) -> str:
    """Return the name of a run by the ids of its queries."""
    first = ids[0][:100] if ids else "No queries"
    return first if len(ids) < 2 else f"{first} and {len(ids) - 1:,} more"


def database_of(request: SearchRequest) -> Path | None:
    """Return the file the user opened as the database."""
    if isinstance(request.database, EncodedDatabase):
        return database_file_of(request.database)
    return request.database.absolute()


def engine_facts(request: SearchRequest) -> dict[str, Any]:
    """Return what a saved search does not say by itself: engine and options."""
    return {
        "engine": request.engine,
        "engine_devices": list(request.options.devices),
        "threads": request.options.threads,
        "settings": dict(request.options.settings),
        "mask": request.mask,
        "keep_scores": request.keep_scores,
    }


def request_facts(request: SearchRequest, name: str) -> dict[str, Any]:
    """Return everything that decides a search, as JSON values."""
    place = database_of(request)
    opened = request.database if isinstance(request.database, EncodedDatabase) else None
    return {
        "name": name,
        "started": datetime.now().astimezone().isoformat(timespec="seconds"),
        "scheme": scheme_facts(request.scheme),
        "queries": [
            {"id": query.id, "description": query.description, "residues": query.residues.decode("ascii")}
            for query in request.queries
        ],
        "database": {
            "name": opened.name if opened else request.database.stem if isinstance(request.database, Path) else "",
            "path": str(place or ""),
            "checksum": opened.checksum if opened else "",
        },
        "strand": request.strand,
        "top": request.top,
        "max_evalue": request.max_evalue,
        "effective_residues": request.effective_residues,
        **engine_facts(request),
    }


def make_request(
    facts: Mapping[str, Any], records: tuple[SequenceRecord, ...], scheme: Any, database: Mapping[str, Any]
) -> SearchRequest:
    """Make the request again; `HistoryError` if its database is gone, other errors if the facts are damaged."""
    return SearchRequest(
        queries=records,
        database=_find_database(text(database["path"]), text(database["checksum"]), text(database["name"])),
        scheme=scheme,
        strand=facts["strand"],
        top=whole(facts["top"]),
        max_evalue=number(facts["max_evalue"]),
        engine=text(facts["engine"]),
        options=EngineOptions(
            devices=tuple(text(device) for device in facts.get("engine_devices", ())),
            threads=whole(facts.get("threads", 0)),
            settings={text(name): text(value) for name, value in facts.get("settings", {}).items()},
        ),
        keep_scores=bool(facts.get("keep_scores", True)),
        effective_residues=whole(facts.get("effective_residues", 0)),
        mask=bool(facts.get("mask", False)),
    )


def _find_database(path: str, checksum: str, name: str) -> Path:
    """Return where a database is: where it was, or wherever the same content is known."""
    if path and Path(path).is_file():
        return Path(path)
    for known in user_databases():
        if checksum and known.checksum == checksum:
            return known.path
    raise HistoryError(
        f"The database '{name}' of this run was not found{f' at {path}' if path else ''}.",
        hint="Put it back, or open it once, so that it is known.",
    )
