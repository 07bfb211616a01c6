"""Searches by rule among the runs: kept while they run, and when they end.

There are, besides the note of every run:

* ``ID.rule``, the request, and each block that was scanned with its places (`Log`); locked while it runs;
* ``ID.certificate``, the certificate as JSON, once it has ended or was stopped.

A file that a user saves has both: request, certificate, and the places of each block.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final

from swgui.core.control import RunControl, checking
from swgui.core.engines import EngineOptions
from swgui.core.errors import Stopped, SwguiError
from swgui.core.plain import from_plain, plain
from swgui.core.words import count
from swgui.io.database.any_file import open_any_database
from swgui.io.read_report import ReadReport
from swgui.io.saved.log import Arrays, Log, compare
from swgui.io.saved.pack import PackReader, PackWriter, damaged
from swgui.io.saved.resuming import log_at, read_any_log
from swgui.io.tables.rule_page import answer
from swgui.io.whole_file import save_bytes, save_text
from swgui.jobs.certificate import check_content
from swgui.jobs.events import Finished, Progress
from swgui.jobs.rules.checks import Checks
from swgui.jobs.rules.controls import Controls
from swgui.jobs.rules.known import rules
from swgui.jobs.rules.resume import add_block, asked, kept_block, take_block
from swgui.jobs.rules.run import RuleRun, certificate, query_facts, rule_facts
from swgui.jobs.rules.verify import request_of
from swgui.runs.kept import MAX_UNFINISHED, About, Ended, KindRuns
from swgui.runs.plain import FORMAT, Kept, read_array
from swgui.runs.records import (
    NOTHING_KEPT,
    NOTHING_KEPT_HINT,
    STOPPED,
    NeededFile,
    RunError,
    RunRecord,
    name_of,
    new_id,
    not_kept,
    now,
    readable,
)
from swgui.runs.search_facts import DatabaseName

RULE: Final = ".rule"
CERTIFICATE: Final = ".certificate"
NOUN: Final = "a saved search by rule"
MAX_PLACES: Final = 5_000_000  # 88 bytes each
_REQUEST: Final = "another request"  # key in a state: the record from which a run is made again
_RULE: Final = "rule"  # key in that record: the rule

# Of parameters that are counts: what is counted, one and several.
_COUNTED: Final = {
    "mismatches": ("mismatch", "mismatches"),
    "edits": ("difference", "differences"),
    "length": ("residue", "residues"),
}


class RuleRuns(KindRuns):
    """The searches by rule. The request holds the places found; the outcome is the certificate."""

    asked, result, state = RULE, CERTIFICATE, RULE

    def run(self, asked: RuleRun, cancel: threading.Event) -> Iterator[Progress | Finished]:
        """Scan the remaining blocks; finished blocks are kept after Stop. The outcome is a `Kept`.

        Raises
        ------
        Stopped
            If it was stopped before anything was scanned.
        SwguiError
            As `RuleRun.steps`.
        """
        run = asked
        log, problem = self._log(run)
        pause = cancel.wait_while_paused if isinstance(cancel, RunControl) else float
        try:
            yield from run.steps(checking(cancel), partial(self._keep, log), pause)
        except BaseException as fault:
            if not run.blocks or not isinstance(fault, Stopped):
                self._leave(log, drop=not run.blocks)
                raise
        facts = certificate(run, run.command)
        if log is not None:
            problem = log.problem or self._end(log, facts)
        yield Finished(Kept(run, facts, "" if log is None or problem else log.path.stem, problem))

    def _log(self, run: RuleRun) -> tuple[Log | None, str]:
        """Return the open log of a run that begins or continues; None if there can be none, and why."""
        log = None
        try:
            self.folder.make()
            said = self._state(run.run_id)[0][_REQUEST] if run.run_id else _said(run)
            path = self.place(run.run_id or new_id(), RULE)
            log = log_at(path, self.kind.name, {**asked(run), _REQUEST: said}, "run it again")
            if sum(1 for _ in log.entries()) != len(run.blocks):
                raise RunError(NOTHING_KEPT)
        except (SwguiError, OSError) as fault:
            self._leave(log, drop=not run.run_id)
            return None, not_kept(fault, while_it_ran=True)
        return log, ""

    def _keep(self, log: Log | None, run: RuleRun) -> None:
        """Keep the block that was scanned last, unless there is a problem with the log, which names it."""
        if log is None or log.problem:
            return
        if sum(block.found for block in run.blocks) > MAX_PLACES:
            log.problem = f"Runs with more than {MAX_PLACES:,} places are not kept."
        else:
            add_block(log, run)
            if log.problem:
                log.problem = f"The run could not be kept: {log.problem}"
        if log.problem:  # what an earlier program scanned stays, for the version that can use it
            self._leave(log, drop=not run.run_id)

    def _end(self, log: Log, facts: Mapping[str, Any]) -> str:
        """Keep the certificate of a run that has ended or was stopped; return why it cannot be kept."""
        log.close()
        try:
            self.save(log.path.stem, facts)
        except (SwguiError, OSError) as fault:
            return not_kept(fault)
        return ""

    def _leave(self, log: Log | None, *, drop: bool) -> None:
        """Leave a run to be resumed, or drop one that has nothing to be resumed from."""
        if log is None:
            return
        log.close()
        if drop:
            with suppress(SwguiError, OSError):
                self.delete(log.path.stem)

    def about(self, asked: RuleRun) -> About:
        """Return the facts of a run with this request for a list."""
        request = asked.request
        return About(
            name_of(request.queries),
            _about(rule_facts(request)),
            len(request.queries),
            asked.database.name,
        )

    def anew(self, asked: RuleRun) -> RuleRun:
        """Return a run as it was when nothing was scanned."""
        return RuleRun(asked.request, asked.database, reading=asked.reading, command=asked.command)

    def engine(self, asked: RuleRun) -> tuple[str, EngineOptions]:
        """Return which engine a rule asks for, and with which devices."""
        return asked.request.engine, asked.request.options

    def resume(self, run_id: str) -> RuleRun:
        """Return a run that ended early with what it has scanned; `run` of it continues.

        Raises
        ------
        RunError, DatabaseError, RunFileError
            If that is not possible.
        """
        run: RuleRun = self.open(run_id).asked
        run.run_id = run_id
        return run

    def again(self, run_id: str) -> RuleRun:
        """Return the run as it was when nothing was scanned; errors as of `open`."""
        return self.anew(self.open(run_id).asked)

    def earlier(self, run: RuleRun, name: str) -> str:
        """Return the newest run of the same work that can be continued, or is complete and has this name.

        Empty if there is none. Work is the same if rule, queries, database and the version of the program are.
        """
        for run_id in sorted(self.ids(), reverse=True):
            with suppress(SwguiError, OSError):
                record = self.record(run_id)
                if record.resumable or (record.state == "done" and record.name == name):
                    compare(self._state(run_id)[0], asked(run), self.place(run_id, RULE), "")
                    return run_id
        return ""

    def save(self, run_id: str, facts: Mapping[str, Any]) -> None:
        """Write the certificate of a run, and what a list shows of it; `FileNotWritten` if that cannot be done."""
        save_text(self.place(run_id, CERTIFICATE), lambda file: json.dump(facts, file))
        self.folder.keep_result(self.described(run_id))

    def open(self, run_id: str) -> Kept:
        """Open a run, its database and its places.

        Raises
        ------
        RunError, DatabaseError, RunFileError
            If it, or its database, is not there any more, or not what it was.
        """
        head, blocks = self._state(run_id)
        facts = self.certificate(run_id) if self.place(run_id, CERTIFICATE).is_file() else None
        with readable(run_id):
            return _opened(head[_REQUEST], blocks, facts)._replace(run_id=run_id)

    def open_file(self, path: Path) -> Kept:
        """Open a file that `export` or `write_file` wrote, and its database; errors as of `open`."""
        with readable(path.stem), PackReader(path, NOUN) as pack, pack.watched():
            manifest = self._manifest(pack, path)
            return _opened(manifest["asked"], _blocks(pack), manifest["certificate"])

    def take_file(self, path: Path) -> str:
        """Keep the run of a file among the runs, and return its id; `RunFileError` if it cannot be read."""
        with readable(path.stem), PackReader(path, NOUN) as pack, pack.watched():
            manifest, run_id = self._manifest(pack, path), new_id()
            self.folder.make()
            log = Log(self.place(run_id, RULE), self.kind.name, {_REQUEST: manifest["asked"]})
            try:
                for facts, columns in _blocks(pack):
                    log.add(facts, columns)
                if log.problem:
                    raise RunError(log.problem)
                self.save(run_id, manifest["certificate"])
            except BaseException:
                log.delete()
                raise
            log.close()
            return run_id

    def needs(self, run_id: str) -> tuple[NeededFile, ...]:
        """Return the database of a search by rule."""
        with readable(run_id):
            place = self._state(run_id)[0][_REQUEST]["database"]
            return (NeededFile(place["name"], place["path"], place["checksum"]),)

    def certificate_in(self, path: Path) -> dict[str, Any]:
        """Return the certificate in such a file, without its database; `RunFileError` if it cannot be read."""
        with readable(path.stem), PackReader(path, NOUN) as pack:
            facts: dict[str, Any] = self._manifest(pack, path)["certificate"]
            return facts

    def _manifest(self, pack: PackReader, path: Path) -> Mapping[str, Any]:
        if pack.manifest.get("format") != FORMAT or pack.manifest.get("kind") != self.kind.name:
            raise damaged(path, f"it is no {self.kind.noun} of the format '{FORMAT}'")
        return pack.manifest

    def write_file(self, asked: RuleRun, outcome: Mapping[str, Any], path: Path) -> None:
        """Write a run and its certificate to one file, whole or not at all.

        Raises
        ------
        RunError
            If its database is in memory alone.
        FileNotWritten
            If that is not possible.
        """
        if not asked.request.database:
            raise RunError("A search by rule in sequences without a file is not saved.", hint="Write them to a file.")
        self._write(_said(asked), (kept_block(asked, number) for number in range(len(asked.blocks))), outcome, path)

    def _write(
        self, said: Mapping[str, Any], blocks: Iterable[tuple[Any, Arrays]], facts: Mapping[str, Any], path: Path
    ) -> None:
        def write(file: Any) -> None:
            with PackWriter(file) as pack:
                listed = []
                for number, (block, columns) in enumerate(blocks):
                    for name, column in columns.items():
                        pack.array(f"{number}/{name}", column)
                    forms = [
                        [name, [one.dtype.newbyteorder("<").str, list(one.shape)]] for name, one in columns.items()
                    ]
                    listed.append({"facts": block, "columns": forms})
                manifest = {"format": FORMAT, "kind": self.kind.name, "asked": said, "certificate": facts}
                pack.finish({**manifest, "blocks": listed})

        save_bytes(path, write)

    def inputs(self, outcome: Kept) -> Iterable[str]:
        """Return the database of a run."""
        return (outcome.asked.request.database,)

    def export(self, run_id: str, path: Path) -> None:
        """Write places and certificate of a run to one file; errors as of `certificate`, and `FileNotWritten`."""
        head, blocks = self._state(run_id)
        self._write(head[_REQUEST], blocks, self.certificate(run_id), path)

    def certificate(self, run_id: str) -> dict[str, Any]:
        """Return the certificate of a run that has ended; `RunError` if there is none."""
        with readable(run_id):
            facts: dict[str, Any] = json.loads(self.path(run_id).read_text("utf-8"))
            return facts

    def described(self, run_id: str) -> RunRecord:
        """Return the entry of a run with a certificate in a list, read from the certificate."""
        facts, said = self.certificate(run_id), self._state(run_id)[0][_REQUEST]
        with readable(run_id):
            scanned = facts["blocks"][-1]["last"] if facts["blocks"] else 0
            reason = answer(facts) if facts["complete"] else f"{STOPPED} {answer(facts)}"
            share = _share(scanned, facts["database"])
            ended = Ended(facts["complete"], facts["found"], facts["seconds"], share, reason=reason)
            about = About(said["name"], _about(said[_RULE]), facts["queries"]["count"], facts["database"]["name"])
            return self.line(run_id, about, ended, said["started"], facts["date"])

    def interrupted(self, run_id: str) -> RunRecord:
        """Return the entry in a list of a search by rule whose program ended while it ran."""
        head, blocks = self._state(run_id)
        with readable(run_id):
            said, last, seconds = head[_REQUEST], 0, 0.0
            for facts, _ in blocks:
                last, seconds = facts["block"]["last"], facts["seconds"]
            reason = "The program ended while the search by rule ran."
            ended = Ended(False, None, seconds, _share(last, said["database"]), reason=reason)
            about = About(said["name"], _about(said[_RULE]), said["queries"]["count"], said["database"]["name"])
            return self.line(run_id, about, ended, said["started"], state="interrupted")

    def with_journal_progress(self, record: RunRecord) -> RunRecord:
        """Return a run that ended early with what was scanned since it had its certificate."""
        since = self.interrupted(record.id)
        return since if since.fraction > record.fraction else record

    def _state(self, run_id: str) -> Any:
        path = self.place(run_id, RULE)
        if not path.is_file():
            raise RunError(NOTHING_KEPT, hint=NOTHING_KEPT_HINT)
        asked, entries = read_any_log(path, self.kind.name)
        return asked.facts, entries


def _blocks(pack: PackReader) -> list[tuple[Any, Arrays]]:
    """Return the scanned blocks in a file: the facts of each, and its places."""
    return [
        (block["facts"], {name: read_array(pack, f"{number}/{name}", *form) for name, form in block["columns"]})
        for number, block in enumerate(pack.manifest["blocks"])
    ]


def _opened(said: Mapping[str, Any], blocks: Iterable[tuple[Any, Arrays]], facts: dict[str, Any] | None) -> Kept:
    """Make a run again from its request and its blocks; from its certificate, if there is one."""
    place = said["database"]
    database = str(DatabaseName(place["name"], place["path"], place["checksum"]).find())
    request = request_of(said, database, said["engine"], from_plain(EngineOptions, said.get("options", {})))
    reading = ReadReport()
    opened = open_any_database(database, alphabet=request.database_alphabet, report=reading, in_blocks=True)
    check_content(said, "database", opened, database)
    run = RuleRun(request, opened, reading=reading, command=said["command"])
    for block, columns in blocks:
        take_block(run, block, columns)
    if facts is None:
        return Kept(run, certificate(run, run.command))
    run.device, run.code, run.resumed = facts["device"], facts["code"], facts["resumed"]
    run.command = facts["command"]
    if facts["controls"] is not None:
        counts = {name: number for name, number in facts["controls"].items() if name != "ok"}
        run.controls = from_plain(Controls, counts)
    run.checks = None if facts["checks"] is None else from_plain(Checks, facts["checks"])
    return Kept(run, facts)


def _share(scanned: int, database: Mapping[str, Any]) -> float:
    """Return the share of the sequences that was scanned, of a run that is not finished."""
    return min(scanned / max(int(database["sequences"]), 1), MAX_UNFINISHED)


def _said(run: RuleRun) -> dict[str, Any]:
    """Return the record of a run that begins now."""
    database = Path(run.request.database).absolute()
    facts = {"name": run.database.name, "path": str(database), "checksum": run.database.checksum}
    return {
        "name": name_of(run.request.queries),
        "started": now(),
        _RULE: rule_facts(run.request),
        "queries": query_facts(run.request),
        "database": {**facts, "sequences": len(run.database)},
        "engine": run.request.engine,
        "options": plain(run.request.options),
        "command": run.command,
    }


def _about(rule: Mapping[str, Any]) -> str:
    """Return a rule in few words: its title, and what it allows."""
    values = {name: value for name, value in rule["parameters"].items() if value not in (None, False)}
    title, first = rules()[rule["name"]].title, next(iter(values.items()), None)
    if first is None:
        return title
    name, value = first
    if name in _COUNTED:
        return f"{title}, {count(value, *_COUNTED[name])}"
    if "/" in str(value):  # a share, exactly
        return f"{title}, {float(100 * Fraction(value)):g} %"
    return f"{title}, {name.replace('_', ' ').replace('pam', 'PAM')} {value}"
