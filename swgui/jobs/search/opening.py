"""Opening the database of a search, with its progress, and whether a second track is scored."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import wait
from pathlib import Path
from typing import Final

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, TwoTracks
from swgui.core.control import start_thread
from swgui.core.database import EncodedDatabase
from swgui.core.errors import AlphabetMismatch, DatabaseError, InvalidParameter
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import AlphabetRecord, two_track_scheme
from swgui.core.search import Search
from swgui.engines.choice import Work, likely_residues
from swgui.engines.registry import facts as engine_facts
from swgui.engines.registry import resolve
from swgui.engines.windows import LONG_SUBJECT
from swgui.io.alphabets import alphabet_record
from swgui.io.database.any_file import open_any_database
from swgui.io.database.checked import ContentCheck
from swgui.io.database.facts import HeaderFacts
from swgui.io.database.file import header_facts
from swgui.io.read_report import ReadReport
from swgui.jobs.events import Stage
from swgui.jobs.search.events import DatabaseAltered, SearchEvent
from swgui.jobs.search.request import SearchRequest

LARGE: Final = 500_000_000  # residues of a packed file from which on a GPU searches it block by block


def open_steps(request: SearchRequest, cancel: threading.Event) -> Generator[SearchEvent, None, EncodedDatabase]:
    """Return the database of a request, opened if it is a file; says how far that is.

    Raises
    ------
    SwguiError
        If it cannot be read.
    Stopped
        If `cancel` was set.
    """
    if isinstance(request.database, EncodedDatabase):
        return request.database
    if isinstance(request.database, tuple):
        return (yield from _joined_steps(request, request.database, cancel))
    path, read = request.database, ReadReport()

    alphabet = request.search.database_alphabet.residue_alphabet

    def open_it(progress: Callable[[int, int], None]) -> EncodedDatabase:
        blocks = _in_blocks(path, request.search)
        return open_any_database(
            path, alphabet=alphabet, report=read, progress=progress, cancel=cancel, in_blocks=blocks
        )

    database = yield from _reporting(f"Reading {path.name}", open_it)
    if read.altered:
        yield DatabaseAltered(path.name, read.summary(), read.residues_altered)
    return database


def likely_work(request: SearchRequest) -> Work:
    """Return about what a search computes, by the sizes of files where its database is not open."""
    place, strands = request.database, len(request.search.strands)
    if isinstance(place, EncodedDatabase):
        residues = float(place.residues)
    else:
        residues = sum(map(likely_residues, place if isinstance(place, tuple) else (place,)))
    return Work(residues * strands * sum(request.lengths), residues * strands * len(request.queries))


def _in_blocks(path: Path, search: Search) -> bool:
    """Whether a file is large and packed, and a GPU unpacks its blocks sooner than they are unpacked in memory."""
    try:
        facts = header_facts(path) if path.is_file() and not search.organisms else None
    except DatabaseError:
        return False
    if facts is None or not on_gpus_in_blocks(facts) or search.translation is not None:
        return False
    engines = resolve(search.engine)
    return bool(engines) and engine_facts(engines[0]).on_gpu


def on_gpus_in_blocks(facts: HeaderFacts) -> bool:
    """Whether a file is searched block by block on GPUs though there is memory for it."""
    plain = facts.alphabet in (PROTEIN.name, NUCLEOTIDE.name) and facts.track is None
    whole = facts.alphabet == PROTEIN.name or facts.longest <= LONG_SUBJECT  # as others, cut for the device by the host
    return facts.packed is not None and plain and whole and facts.residues >= LARGE


def _joined_steps(
    request: SearchRequest, places: Sequence[Path], cancel: threading.Event
) -> Generator[SearchEvent, None, EncodedDatabase]:
    """Return several databases, opened for a request, as the one that it is to search; as `open_steps`.

    Raises
    ------
    SwguiError
        If one cannot be read, or is of another kind.
    """
    members: list[EncodedDatabase] = []
    for place in places:
        try:
            member = yield from open_steps(replace(request, database=place), cancel)
        except AlphabetMismatch as fault:
            if not members:
                raise
            raise InvalidParameter(
                "database",
                place.name,
                f"'{place.name}' is {fault.actual}, but '{members[0].name}' {fault.expected}.",
                hint="Databases that are searched as one are of one kind.",
            ) from None
        members.append(member)
    for member in members:
        member.subject_kind.check("joined", member.name)
    from swgui.core.several.joined import joined  # here: most searches are of one database

    return joined(members)


def _reporting(
    name: str, work: Callable[[Callable[[int, int], None]], EncodedDatabase]
) -> Generator[SearchEvent, None, EncodedDatabase]:
    """Run `work(progress)` in a thread and yield a `Stage` for each of its progress calls."""
    reports: queue.SimpleQueue[tuple[int, int] | None] = queue.SimpleQueue()
    yield Stage(name)
    reading = start_thread(lambda: work(lambda done, total: reports.put((done, total))), "swgui-read")
    reading.add_done_callback(lambda _: reports.put(None))
    try:
        while (report := reports.get()) is not None:
            yield Stage(name, *report)
    finally:
        wait([reading])
    return reading.result()


def all_read(check: ContentCheck, interval: float, cancel: threading.Event) -> Generator[SearchEvent, None, bool]:
    """Wait until all of a database was read; return whether it was a file, and right. Stop ends it.

    Parameters
    ----------
    interval : float
        Seconds between two events.
    """
    while (right := check.wait(interval)) is None:
        if cancel.is_set():
            return False
        yield Stage("Checking the database")
    return right


def in_tracks(request: SearchRequest, database: EncodedDatabase) -> tuple[SearchRequest, EncodedDatabase, str]:
    """Return request and database as they are searched, and a sentence on the tracks that are scored.

    Both tracks are scored where the database and all queries have them. The sentence is empty without a second track.

    Raises
    ------
    InvalidParameter
        If the request asks for both tracks, and the database has one.
    """
    if isinstance(request.scheme.alphabet, TwoTracks):  # of a search that is made again
        if database.track is None:
            what = f"The database '{database.name}' has no structure symbols."
            raise InvalidParameter("database", database.name, what, hint="Choose the one that was searched.")
        return request, database.in_two_tracks(), _both(request, request.scheme.alphabet.parts[1].name)
    record, why = scored_beside(request.queries, database, translated=request.translation is not None)
    if record is None:
        return request, database, f"Residues alone were scored: {why}." if why else ""
    beside = request.search.beside or record.beside
    scheme = two_track_scheme(request.scheme, record.matrix, beside)
    request = replace(request, search=replace(request.search, scheme=scheme))
    return request, database.in_two_tracks(), _both(request, record.name)


def scored_beside(
    queries: Sequence[SequenceRecord], database: EncodedDatabase, *, translated: bool
) -> tuple[AlphabetRecord | None, str]:
    """Return the second track that a search scores, or why it does not; neither if there is none."""
    track = database.track
    if track is None and all(query.letters is None for query in queries):
        return None, ""
    why = "translated DNA has no structure symbols" if translated else _reason(queries, database)
    record = alphabet_record(track.alphabet.name) if track is not None and not why else None
    return record, "" if record is not None else why or "no scores of the symbols are known"


def _both(request: SearchRequest, letters: str) -> str:
    return f"Residues and structure symbols ({letters}) were scored together: {request.scheme.describe()}."


def _reason(queries: Sequence[SequenceRecord], database: EncodedDatabase) -> str:
    """Return why a second track cannot be scored; empty if it can."""
    track = database.track
    if track is None:
        return f"the database '{database.name}' has no structure symbols"
    if all(query.letters is None for query in queries):
        return "the queries have no structure symbols (searches in rounds take none)"
    for query in queries:
        if query.letters is None:
            return f"the query '{query.id}' has no structure symbols"
        if query.letters.alphabet != track.alphabet.name:
            return (
                f"the symbols of '{query.id}' are {query.letters.alphabet}, those of the database {track.alphabet.name}"
            )
        if query.profile is not None:
            return f"'{query.id}' is searched with a profile of its residues"
    return ""
