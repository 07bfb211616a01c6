"""Searches among the runs: kept when they end, and while they run.

A search has these files, besides the note of every run:

* ``ID.swgui``, the saved search, once the run has ended;
* ``ID.journal``, the log of what is scored while it runs; it stays if the run ends early, for `SearchRuns.resume`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from swgui import paths
from swgui.core.alphabet import TRACKS
from swgui.core.contexts import NO_CONTEXT, OWN_CONTEXT
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter, LogError, SwguiError
from swgui.core.hits.marks import Marks
from swgui.core.hits.results import SearchResult
from swgui.core.plain import from_plain, plain, replace
from swgui.core.search import about_search
from swgui.engines.facts import CLUSTER
from swgui.io.database.any_file import database_files
from swgui.io.marks import MarkBook, MarksError, marks_place, read_marks
from swgui.io.outputs import keep_inputs
from swgui.io.remote.database import DistantDatabase
from swgui.io.remote.wire import FAILED, Refusal
from swgui.io.replacing import replace_file
from swgui.io.saved.facts import KIND, plain_search, search_of
from swgui.io.saved.log import in_use
from swgui.io.saved.older import new_journal
from swgui.io.saved.pack import manifest_of
from swgui.io.saved.score_log import ScoreLog, read_facts
from swgui.io.saved.search import (
    SUFFIX,
    LoadedSearch,
    RunFacts,
    database_file_of,
    load_search,
    read_inputs,
    read_manifest,
    save_search,
)
from swgui.io.whole_file import save_bytes
from swgui.jobs.events import Finished
from swgui.jobs.search.events import IterationEvent, RoundFinished
from swgui.jobs.search.request import SearchRequest
from swgui.runs.folder import BY_IDENTIFIER, drop_abandoned
from swgui.runs.kept import About, KindRuns, Packed
from swgui.runs.marked import give_marks
from swgui.runs.records import (
    ACTIVE,
    KEPT_SINCE,
    LEFT,
    NOTHING_KEPT,
    NOTHING_KEPT_HINT,
    NeededFile,
    RunError,
    RunRecord,
    name_of,
    new_id,
    not_kept,
    readable,
)
from swgui.runs.search_facts import (
    DatabaseName,
    OpenedFacts,
    RequestFacts,
    databases_of,
    default_name,
    record_of,
    runnable,
    two_found,
)

JOURNAL: Final = ".journal"
ROUND_SECONDS: Final = 1.0  # least time between two results of rounds that are kept while a search runs


class SearchRuns(KindRuns):
    """The searches, with rounds or without."""

    asked, result, state = JOURNAL, SUFFIX, JOURNAL

    # Running

    def run(self, asked: SearchRequest, cancel: threading.Event) -> Iterator[IterationEvent]:
        """Search as `search_steps` does, keep what is scored while it runs, and the result when it ends.

        If something cannot be kept, the search continues and its result says so.
        """
        if asked.search.options.on:
            yield from self._run_away(asked, cancel)
            return
        journal, problem = self._journal(asked)
        needed = True
        try:
            result = yield from self._steps(asked, cancel, journal)
            if result is not None:
                result, needed = self._keep(result, asked, journal, problem or (journal.problem if journal else ""))
                yield Finished(result)
        finally:  # also after an error, or when the window is closed: what was scored can be resumed
            if journal is not None:
                journal.close() if needed and journal.worth_keeping else journal.delete()

    def _run_away(self, asked: SearchRequest, cancel: threading.Event) -> Iterator[IterationEvent]:
        """Have another computer search, and keep its result; the journal says where the search is."""
        journal, problem = self._journal(asked)
        if journal is None:
            raise RunError(problem)
        needed, path = journal.worth_keeping, self.place(journal.path.stem, SUFFIX)

        def begun() -> None:
            nonlocal needed
            needed = True

        try:
            part, done = yield from self.carry_out_away(asked, journal.path.stem, cancel, begun)
            load_search(part)  # before it replaces a partial result
            replace_file(part, path)
            self.folder.keep_result(self.described(path.stem))
            done()
            result = self.open(path.stem).result
            needed = result.state != "complete"
            yield Finished(result)
        except Refusal as refusal:
            needed = needed and refusal.kind != FAILED
            raise
        finally:
            journal.close() if needed else journal.delete()

    @property
    def travels(self) -> bool:
        """Whether another computer can carry out searches."""
        return True

    def sent(self, asked: SearchRequest) -> Packed:
        """Return a search with its queries; the database is known by name and checksum."""
        search = asked.search
        local = {
            "--start-from": bool(asked.starts) or any(query.profile is not None for query in asked.queries),
            "--build-database": asked.build_database is not None,
            "--context FILE": search.context not in (NO_CONTEXT, OWN_CONTEXT),
            "--engine cluster": search.engine == CLUSTER.name,
        }
        for option, is_given in local.items():
            if is_given:
                message = f"A search on another computer cannot have {option}, which names something of this one."
                raise InvalidParameter("on", search.options.on, message, hint="Leave it out, or search here.")
        if not isinstance(asked.database, DistantDatabase):
            message = f"The database '{asked.database_name}' is on this computer, the search is to be on another one."
            hint = f"Choose one of '{search.options.on}'; of several databases one can be searched there at a time."
            raise InvalidParameter("database", asked.database_name, message, hint=hint)
        there = replace(search, options=replace(search.options, on=""))
        return Packed(plain(RequestFacts.begun(replace(asked, search=there))), {})

    def received(self, packed: Packed, find: Callable[[str, str], Path]) -> SearchRequest:
        """Return the search that another computer asks for."""
        with readable("request"):
            facts = from_plain(RequestFacts, packed.facts)
            search = search_of(facts.search)
            records = tuple(query.record() for query in facts.queries)
        if search.engine == CLUSTER.name or search.context not in (NO_CONTEXT, OWN_CONTEXT):
            raise RunError("The search names something of the other computer.")
        place = find(facts.database.name, facts.database.checksum)
        return SearchRequest(records, place, runnable(search), queries_masked=facts.queries_masked, name=facts.name)

    def cells(self, packed: Packed, residues: int) -> int:
        """Return how many cells a sent search computes, each round as many."""
        with readable("request"):
            facts = from_plain(RequestFacts, packed.facts)
            rounds = search_of(facts.search).iteration
        return replace(facts, opened=OpenedFacts(residues=residues)).cells * (rounds.rounds if rounds else 1)

    def send(self, run_id: str, path: Path) -> None:
        """Write a search to a file with the sequences of all hits, and no place of this computer."""
        loaded = self.open(run_id)
        run = RunFacts(name=self.record(run_id).name, started=loaded.facts.started)
        save_search(loaded.result, path, with_subjects=True, database_path="", run=run, compress=False)

    def _steps(
        self, request: SearchRequest, cancel: threading.Event, journal: ScoreLog | None
    ) -> Generator[IterationEvent, None, SearchResult | None]:
        """Search; rounds that others follow are kept."""
        if request.search.iteration is None:
            from swgui.jobs.search.run import search_steps  # here: the window has a history long before a search

            return (yield from search_steps(request, cancel, journal=journal))
        from swgui.jobs.iterate.run import iteration_steps

        steps, kept = iteration_steps(request, cancel, journal=journal), time.monotonic()
        with closing(steps):
            while True:
                try:
                    event = next(steps)
                except StopIteration as end:
                    result: SearchResult | None = end.value
                    return result
                yield event
                if isinstance(event, RoundFinished) and event.changing and time.monotonic() - kept > ROUND_SECONDS:
                    self._keep(event.so_far(), request, journal)
                    kept = time.monotonic()

    def about(self, asked: SearchRequest) -> About:
        """Return the facts of a run with this request for a list."""
        return About(default_name(asked), about_search(asked.search), len(asked.queries), asked.database_name)

    def engine(self, asked: SearchRequest) -> tuple[str, EngineOptions]:
        """Return which engine a search asks for, and with which devices and settings."""
        return asked.search.engine, asked.search.options

    def resume(self, run_id: str) -> SearchRequest:
        """Return the request of a run that ended early; `search` of it resumes after its last finished chunk.

        Raises
        ------
        RunError, LogError
            If that is not possible.
        """
        path = self.place(run_id, JOURNAL)
        if path.is_file() and in_use(path):
            raise RunError(ACTIVE)
        name = ""
        if self.place(run_id, SUFFIX).is_file():
            record = self.record(run_id)
            if record.resumable and record.rounds and not self._is_away(path):
                return self._continued(run_id)
            name = record.name  # the user may have given it another one
        if not path.is_file():
            raise RunError(NOTHING_KEPT, hint=NOTHING_KEPT_HINT)
        facts, _, _ = read_facts(path)
        with readable(run_id):
            asked = from_plain(RequestFacts, new_journal(facts))
            return replace(asked.request(), name=name or asked.name, run_id=run_id)

    def _is_away(self, journal: Path) -> bool:
        """Whether a journal is of a search on another computer."""
        return journal.is_file() and bool(read_facts(journal)[0].get("distant"))

    def earlier(self, request: SearchRequest) -> str:
        """Return the newest run of the name and the work of a request that is not active; empty if there is none."""
        for run_id in sorted(self.ids(), reverse=True):
            path = self.place(run_id, JOURNAL)
            with suppress(SwguiError, OSError):
                if path.is_file() and in_use(path):
                    continue
                if self.record(run_id).name == request.name and self._work(run_id) == _work(request):
                    return run_id
        return ""

    def _work(self, run_id: str) -> list[object]:
        """Return parameters, queries and database files of a run, as `_work` of its request."""
        if self.place(run_id, JOURNAL).is_file():
            facts, _, _ = read_facts(self.place(run_id, JOURNAL))
            with readable(run_id):
                return _work_of(from_plain(RequestFacts, new_journal(facts)))
        return _work(self.again(run_id))

    def again(self, run_id: str, *, resumed: bool = False) -> SearchRequest:
        """Return the request of a run, to run it anew; or, `resumed`, to continue behind its last whole round."""
        path = self.place(run_id, SUFFIX)
        if not path.is_file():
            return replace(self.resume(run_id), run_id="")
        manifest, records, asked = read_inputs(path)
        begun = (fact.rounds is not None and fact.rounds.from_profile for fact in manifest.queries)
        if any(begun) and all(record.profile is None for record in records) and not resumed:
            raise RunError(
                "This run began with a profile, which earlier versions of this program did not keep.",
                hint="Search with the profile again (--start-from).",
            )
        stored = manifest.database
        whole = stored.part or stored
        name = self.record(run_id).name
        if manifest.two is not None:
            hits, rounds = two_found(manifest.two)
            return SearchRequest(records, hits, runnable(asked), rounds, queries_masked=asked.mask, name=name)
        members = (DatabaseName(one.name, one.path, one.checksum.partition(TRACKS)[0]) for one in stored.members)
        database = tuple(one.find() for one in members) or DatabaseName(whole.name, stored.path, whole.checksum).find()
        return SearchRequest(records, database, runnable(asked), queries_masked=asked.mask, name=name)

    def _continued(self, run_id: str) -> SearchRequest:
        """Return the request of a search in rounds that continues behind the last whole one."""
        request, before = self.again(run_id, resumed=True), self.open(run_id).result
        request = replace(request, before=before, run_id=run_id)
        if request.build_database is not None:
            return replace(request, build_database=before.database)
        return replace(request, database=before.database)

    def _journal(self, request: SearchRequest) -> tuple[ScoreLog | None, str]:
        """Return an open journal; None if there can be none, and why.

        Searches that begin with an alignment, and rounds that begin with a profile, have none: it would not be known
        when they are resumed.
        """
        away = bool(request.search.options.on)
        profiles = request.search.iteration is not None and any(query.profile is not None for query in request.queries)
        if not away and (request.starts or profiles):
            return None, ""
        path = self.place(request.run_id or new_id(), JOURNAL)
        if path.is_file():
            return ScoreLog(path), ""
        try:
            paths.make_folder(self.folder.path)
            self.sweep()
            return ScoreLog(path, plain(RequestFacts.begun(request))), ""
        except (SwguiError, OSError) as fault:
            return None, not_kept(fault, while_it_ran=True)

    def _keep(
        self, result: SearchResult, request: SearchRequest, journal: ScoreLog | None, problem: str = ""
    ) -> tuple[SearchResult, bool]:
        """Keep a result; return it with a note if that failed, and whether its journal is still needed."""
        started = str(journal.facts["started"]) if journal else ""
        needed = result.state != "complete"
        try:
            kept = self.save(result, request, started=started, run_id=journal.path.stem if journal else request.run_id)
            result = replace(result, run_id=kept.id)
        except (SwguiError, OSError) as fault:
            problem, needed = not_kept(fault), True
        if problem:
            result = replace(result, message=" ".join(part for part in (result.message, problem) if part))
        return result, needed

    # Keeping

    def save(
        self, result: SearchResult, request: SearchRequest | None = None, *, name: str = "", started: str = "",
        run_id: str = "", layout: Mapping[str, Any] | None = None,
    ) -> RunRecord:  # fmt: skip
        """Keep a result, and delete the oldest runs beyond the limits.

        Raises
        ------
        FileNotWritten, OSError
            If it cannot be written.
        """
        paths.make_folder(self.folder.path)
        run_id = run_id or new_id()
        place, two = database_file_of(result.database), None
        if request:
            place, two = databases_of(result, request, _content_of_rounds(self.place(run_id, JOURNAL)))
        default = default_name(request) if request else name_of([query.query for query in result.queries])
        run = RunFacts(name=name or default, started=started, two=two)
        path = self.place(run_id, SUFFIX)
        save_search(result, path, layout=layout, database_path=place, run=run, compress=False)
        self.folder.keep_result(self.described(run_id))
        return self.record(run_id)

    def open(self, run_id: str) -> LoadedSearch:
        """Open a run, with what the user did to it since; `RunFileError` if it cannot be read."""
        loaded = load_search(self.path(run_id))
        since, result = self.folder.read_layout(run_id), replace(loaded.result, run_id=run_id)
        if result.state != "complete" and (record := self.record(run_id)).reason == KEPT_SINCE:
            said = f"{KEPT_SINCE} {record.fraction:.0%} of the work is kept, and Resume continues from there."
            result = replace(result, message=f"{result.message} {said}".strip())
        layout, remarks = dict(loaded.layout if since is None else since), list(loaded.remarks)
        try:
            layout = with_stars(layout, result, read_marks(marks_place(self.folder.path)))
        except MarksError as fault:
            remarks.append(str(fault))
        return loaded._replace(result=result, layout=layout, remarks=remarks)

    def holds(self, path: Path) -> bool:
        """Whether a file is a saved search."""
        return manifest_of(path).get("kind") == KIND

    def open_file(self, path: Path) -> LoadedSearch:
        """Return the search in a file; `RunFileError` if it cannot be read."""
        return load_search(path)

    def take_file(self, path: Path) -> str:
        """Keep a saved search among the runs, as it is, and return its id; `RunFileError` if it cannot be read."""
        read_manifest(path)
        self.folder.make()
        run_id = new_id()
        save_bytes(self.place(run_id, SUFFIX), lambda file: file.write(path.read_bytes()))
        return run_id

    def needs(self, run_id: str) -> tuple[NeededFile, ...]:
        """Return the databases of a search."""
        path = self.place(run_id, SUFFIX)
        if not path.is_file():
            asked = from_plain(RequestFacts, new_journal(read_facts(self.place(run_id, JOURNAL))[0]))
            of_rounds = (asked.two.rounds,) if asked.two is not None else ()
            of_hits = asked.members or (asked.database,)
            return tuple(NeededFile(one.name, one.path, one.checksum) for one in (*of_hits, *of_rounds))
        manifest = read_manifest(path)
        stored = manifest.database
        if (two := manifest.two) is not None:
            return tuple(NeededFile(one.name, one.path, one.checksum) for one in (*two.hits, two.rounds))
        checksum = stored.part.checksum if stored.part else stored.checksum
        if stored.members:
            return tuple(NeededFile(one.name, one.path, one.checksum, one.size) for one in stored.members)
        name = (stored.part.name if stored.part else "") or stored.name
        return (NeededFile(name, stored.path, checksum.partition(TRACKS)[0], stored.size),)

    def inputs(self, outcome: LoadedSearch) -> Iterable[str | Path | None]:
        """Return the databases of a search: where the one of its hits was found, and where each was."""
        two = outcome.facts.two
        return outcome.database_path, outcome.facts.database.path, *([two.rounds.path] if two is not None else [])

    def export(self, run_id: str, path: Path) -> None:
        """Write a search to a file of its own, with the sequences of its hits if they are not too many.

        Raises
        ------
        SwguiError
            If it cannot be read, the file not written, or `path` is its database.
        """
        loaded = self.open(run_id)
        run = RunFacts(name=self.record(run_id).name, started=loaded.facts.started, two=loaded.facts.two)
        place = loaded.database_path or loaded.facts.database.path or None
        keep_inputs(path, [("database", file) for file in (database_files(place) if place else ())])
        save_search(loaded.result, path, layout=loaded.layout, database_path=place, run=run)

    def described(self, run_id: str) -> RunRecord:
        """Return the entry of a saved search in a list."""
        return record_of(run_id, read_manifest(self.place(run_id, SUFFIX)))

    def resumable(self, record: RunRecord) -> bool:
        """Whether a journal is there, or whole rounds are, behind which the search continues."""
        return super().resumable(record) or record.rounds > 0

    def with_journal_progress(self, record: RunRecord) -> RunRecord:
        """Return a run with what its journal holds beyond its result; that of rounds ends with the first one."""
        if not self.place(record.id, JOURNAL).is_file():
            return record
        since = self.interrupted(record.id)
        return since if not record.rounds and since.fraction > record.fraction else record

    def interrupted(self, run_id: str) -> RunRecord:
        """Return the entry in a list of a search whose program ended while it ran."""
        path = self.place(run_id, JOURNAL)
        facts, cells, seconds = read_facts(path)
        with readable(run_id):
            asked = from_plain(RequestFacts, new_journal(facts))
            total, search = asked.cells, search_of(asked.search)
            on = search.options.on
            return RunRecord(
                id=run_id,
                name=asked.name,
                state="interrupted",
                queries=len(asked.queries),
                database=asked.database.name,
                about=about_search(search),
                started=asked.started,
                seconds=seconds,
                gcups=cells / seconds / 1e9 if seconds > 0 else 0.0,
                fraction=min(cells / total, 1.0) if total else 0.0,
                reason=LEFT.format(name=on) if on else "The program ended while the search ran.",
                on=on,
            )

    def sweep(self) -> None:
        """Delete what crashed programs left behind and nothing can use."""
        self.folder.sweep()
        for path in self.folder.idle(JOURNAL):
            saved = self.place(path.stem, SUFFIX)
            with suppress(SwguiError, OSError):
                if saved.is_file() and self.record(path.stem).state == "done":
                    path.unlink()
                    continue
            try:
                read_facts(path)
            except LogError:  # killed before it was begun
                drop_abandoned(path)


def with_stars(layout: dict[str, Any], result: SearchResult, book: MarkBook) -> dict[str, Any]:
    """Return the layout of a search with the stars and notes that its hits have by their identifiers.

    Those in a layout of an earlier version, which had them by place in the database, are added.
    """
    marks = Marks.from_facts(layout.get("marks"), len(result.queries), len(result.database))
    if layout.get(BY_IDENTIFIER):
        marks = marks.without_stars()
    give_marks(marks, result, book)
    others = {name: value for name, value in layout.items() if name not in ("marks", BY_IDENTIFIER)}
    return {**others, "marks": facts} if (facts := marks.facts()) else others


def _content_of_rounds(journal: Path) -> str:
    """Return the checksum of the database that the first round of a run searched; empty if it is not known."""
    with suppress(SwguiError, OSError):
        return str(read_facts(journal)[0]["opened"].get("checksum", "")).partition(TRACKS)[0]
    return ""


def _work(request: SearchRequest) -> list[object]:
    """Return parameters, queries and database files of a search: runs with equal ones are the same work."""
    return _work_of(RequestFacts.begun(request))


def _work_of(facts: RequestFacts) -> list[object]:
    search = plain_search(search_of(facts.search))  # lists of a journal are tuples in a request
    del search["engine"], search["options"]
    places = tuple(member.path for member in facts.members) or (facts.database.path,)
    of_rounds = facts.two.rounds.path if facts.two is not None else ""
    return [search, facts.queries, places, of_rounds]
