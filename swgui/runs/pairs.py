"""Pairs among the runs: kept when they end, and while they run.

Of a pair there are, besides the note of every run:

* ``ID.pair``, the request: a line of JSON, then the residues of query and subject, a line each; it is locked while
  the pair is aligned;
* ``ID.outcome``, the result as exported in JSON but without the residues, once the work has ended;
* ``ID.state``, the log of work that has not come to its end, with its newest state.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from swgui.core.engines import EngineOptions, current_settings
from swgui.core.errors import LogError, SwguiError
from swgui.core.methods.base import AUTO
from swgui.core.methods.pair import CPU_METHOD
from swgui.core.pair.problem import PairPlan, PairSettings
from swgui.core.pair.result import PairResult, PairState
from swgui.core.plain import Count, from_plain, plain, replace
from swgui.core.records import SequenceRecord
from swgui.core.search import about_pair
from swgui.engines.facts import CPU, GPU
from swgui.io.export.pairs import save_pair, write_json
from swgui.io.locking import lock
from swgui.io.saved.facts import RecordFacts
from swgui.io.saved.log import in_use, settle
from swgui.io.saved.pair import is_pair_file, open_pair_result
from swgui.io.saved.resuming import read_spent
from swgui.io.saved.scheme import SchemeFacts
from swgui.io.whole_file import save_text, whole_file
from swgui.jobs.events import Finished
from swgui.jobs.pair.events import PairEvent
from swgui.jobs.pair.request import AlignPair, CheckpointIdentity, PairRequest, deciding
from swgui.runs.kept import MAX_UNFINISHED, About, Ended, KindRuns
from swgui.runs.records import (
    ACTIVE,
    NOTHING_KEPT,
    NOTHING_KEPT_HINT,
    RunError,
    RunRecord,
    RunState,
    gone,
    new_id,
    not_kept,
    now,
    readable,
    short_name,
)

PAIR: Final = ".pair"
OUTCOME: Final = ".outcome"
STATE: Final = ".state"
FORMAT: Final = "swgui pair run 1"
_STATES: Final[dict[PairState, RunState]] = {"finished": "done", "stopped": "partial", "failed": "failed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceFacts(RecordFacts):
    """A sequence, but its residues, which follow in a line of their own; the checksum is theirs."""

    length: Count
    checksum: str

    @classmethod
    def of(cls, record: SequenceRecord, checksum: str) -> SequenceFacts:
        """Return the record of a sequence."""
        return cls(**cls.values(record), length=len(record.residues), checksum=checksum)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFacts(PairSettings):
    """All that decides the alignment of a pair, and what was planned. The names are keys in users' files."""

    format: str = FORMAT
    name: str
    started: str
    query: SequenceFacts
    subject: SequenceFacts
    scheme: SchemeFacts
    method: str
    engine_devices: tuple[str, ...] = ()
    threads: Count = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    asked: str
    plan: PairPlan

    @classmethod
    def begun(cls, request: PairRequest, plan: PairPlan, identity: CheckpointIdentity) -> PairFacts:
        """Return the record of a request that begins now."""
        return cls(
            name=pair_name(request.query, request.subject) if not request.name else request.name,
            started=now(),
            query=SequenceFacts.of(request.query, identity.query),
            subject=SequenceFacts.of(request.subject, identity.subject),
            scheme=SchemeFacts.of(request.scheme),
            method=request.method,
            engine_devices=request.options.devices,
            threads=request.options.threads,
            settings=request.options.settings,
            asked=identity.asked,
            plan=plan,
            **request.settings_asked,
        )

    @property
    def cells(self) -> int:
        """Cells of the matrices of all strands."""
        return self.plan.cells * (2 if self.strand == "both" else 1)

    @property
    def about(self) -> About:
        """Its facts for a list."""
        return About(self.name, about_pair(self.mode, self.scheme.scheme()), 1)

    def request(self, query: bytes, subject: bytes) -> PairRequest:
        """Make the request again; `ValueError` if that is none."""
        return PairRequest(
            query=self.query.record_with(query),
            subject=self.subject.record_with(subject),
            scheme=self.scheme.scheme(),
            method=self.method,
            options=EngineOptions(self.engine_devices, self.threads, current_settings(self.settings)),
            name=self.name,
            **self.settings_asked,
        )


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The log of earlier, unfinished runs of the same work."""

    run_id: str = ""  # of the run that can be resumed; empty if there is none
    methods: frozenset[str] = frozenset()  # the methods of all that is kept


def pair_name(query: SequenceRecord, subject: SequenceRecord) -> str:
    """Return the default name of a run: the names of both sequences."""
    return f"{short_name(query)} × {short_name(subject)}"


class PairRuns(KindRuns):
    """The runs that align one pair.

    Attributes
    ----------
    work : AlignPair, optional
        What does the work; `swgui.jobs.pair.run.align_pair` unless given.
    """

    asked, result, state = PAIR, OUTCOME, STATE
    work: AlignPair | None = None

    # Running

    def run(self, asked: PairRequest, cancel: threading.Event) -> Iterator[PairEvent]:
        """Align as `align_pair` does, keep the state of the work while it runs, and the result when it ends.

        If something cannot be kept, the work continues and its result says so.

        Raises
        ------
        RunError
            If a run is to be resumed that is active elsewhere, or that is not there any more.
        SwguiError
            As `align_pair`.
        """
        request, plan = asked, asked.plan
        if plan is None:
            from swgui.jobs.pair.run import plan_pair  # here: it loads the engines

            plan = plan_pair(request)
        try:
            run_id, held = self._begin(request, plan)
        except RunError:
            raise
        except (SwguiError, OSError) as fault:
            yield from _noted(self._work(request, cancel, plan), not_kept(fault, while_it_ran=True))
            return
        state, outcome = self.place(run_id, STATE), self.place(run_id, OUTCOME)
        try:
            for event in self._work(replace(request, checkpoint=state), cancel, plan):
                yield self._kept(run_id, event) if isinstance(event, Finished) else event
        finally:
            held.close()
            if not outcome.exists() and not state.exists():  # nothing to look at, nothing to continue from
                with suppress(SwguiError, OSError):
                    self.delete(run_id)

    def _work(self, request: PairRequest, cancel: threading.Event, plan: PairPlan) -> Iterator[PairEvent]:
        """Align; a kept state that does not fit any more, after an update for example, is thrown away."""
        align = self.work or _align_pair()
        try:
            yield from align(request, cancel, plan)
        except LogError:
            if request.checkpoint is None or not request.checkpoint.exists() or in_use(request.checkpoint):
                raise
            request.checkpoint.unlink()
            yield from align(request, cancel, plan)

    def _begin(self, request: PairRequest, plan: PairPlan) -> tuple[str, IO[bytes]]:
        """Return the run, and the open file that tells others that it is active."""
        if request.run_id:
            path = self.place(request.run_id, PAIR)
            if not path.is_file():
                raise RunError(NOTHING_KEPT, hint=NOTHING_KEPT_HINT)
            return request.run_id, _held(path)
        run_id = self._written(request, plan)
        return run_id, _held(self.place(run_id, PAIR))

    def _written(self, request: PairRequest, plan: PairPlan) -> str:
        """Write the request of a new run, and return the run."""
        self.folder.make()
        identity, run_id = CheckpointIdentity.of(request, plan), new_id()
        head = plain(PairFacts.begun(request, plan, identity))
        with whole_file(self.place(run_id, PAIR)) as file:
            file.write(json.dumps(head).encode("ascii"))
            for record in (request.query, request.subject):
                file.write(b"\n")
                file.write(record.residues)
            file.write(b"\n")
        return run_id

    def _kept(self, run_id: str, event: Finished) -> Finished:
        """Keep a result, and say in it what run it is; one that tells nothing is not kept."""
        result, paths = event.outcome, (self.place(run_id, name) for name in (OUTCOME, STATE))
        if result.best is None and not any(path.exists() for path in paths):
            return event
        result = replace(result, run_id=run_id)
        try:
            self._save(result)
        except (SwguiError, OSError) as fault:
            return Finished(_remarked(result, not_kept(fault)))
        return Finished(result)

    def _save(self, result: PairResult) -> None:
        """Write the result of a run, without the sequences, which its request has."""
        bare = replace(result, query=replace(result.query, residues=b""), subject=replace(result.subject, residues=b""))
        save_text(self.place(result.run_id, OUTCOME), lambda file: write_json(bare, file, residues=False))
        self.folder.keep_result(self._described(result.run_id, result))

    def take_file(self, path: Path) -> str:
        """Keep the pair of an exported file among the runs, and return its id.

        Raises
        ------
        RunFileError
            If it cannot be read.
        RunError
            If the file has no sequences.
        """
        result = open_pair_result(path)
        if not result.has_residues:
            raise RunError(f"'{path.name}' has no sequences.", hint="Export the pair with its sequences.")
        from swgui.jobs.pair.run import plan_pair  # here: it loads the engines

        request = PairRequest(result.query, result.subject, result.scheme, result.method, **result.settings_asked)
        run_id = self._written(request, plan_pair(request))
        self._save(replace(result, run_id=run_id))
        return run_id

    def unfinished(self, request: PairRequest, plan: PairPlan) -> Unfinished:
        """Look for earlier runs of the same work that can be resumed."""
        identity, methods, run_id = CheckpointIdentity.of(request, plan), set(), ""
        for candidate in sorted(self.folder.ids(STATE) & self.folder.ids(PAIR)):
            with suppress(SwguiError):
                facts = self._facts(candidate)
                if facts.asked == identity.asked and not in_use(self.place(candidate, PAIR)):
                    methods.add(facts.plan.method)
                    if facts.plan.method == plan.method and deciding(facts.plan) == identity.settings:
                        run_id = candidate
        return Unfinished(run_id, frozenset(methods))

    def finished(self, request: PairRequest, plan: PairPlan, name: str = "") -> PairResult | None:
        """Return the newest result of the same work, of a run of this name if one is given; None if there is none."""
        asked, names = CheckpointIdentity.of(request, plan).asked, (request.query.id, request.subject.id)
        for candidate in sorted(self.folder.ids(OUTCOME) & self.folder.ids(PAIR), reverse=True):
            with suppress(SwguiError):
                facts = self._facts(candidate)
                if facts.asked == asked and (facts.query.id, facts.subject.id) == names:
                    if name and self.record(candidate).name != name:
                        continue
                    result = self.open(candidate)
                    if result.state == "finished":
                        return result
        return None

    def resume(self, run_id: str) -> PairRequest:
        """Return the request of a run that ended early, with its plan; `run` of it continues where it was.

        Raises
        ------
        RunError
            If that is not possible.
        """
        self.left(run_id)
        plan, request = self._facts(run_id).plan, self.again(run_id)
        return replace(request, method=plan.method, run_id=run_id, plan=plan)

    def again(self, run_id: str) -> PairRequest:
        """Return the request of a run, to run it anew; `RunError` if it cannot be read."""
        with readable(run_id):
            request = self._facts(run_id).request(*self._residues(run_id))
        return replace(request, name=self.record(run_id).name)

    def about(self, asked: PairRequest) -> About:
        """Return the facts of a run with this request for a list."""
        return About(asked.name or pair_name(asked.query, asked.subject), about_pair(asked.mode, asked.scheme), 1)

    def engine(self, asked: PairRequest) -> tuple[str, EngineOptions]:
        """Return which engine a pair asks for, and with which devices and settings."""
        method = asked.method if asked.plan is None else asked.plan.method
        return {AUTO: AUTO, CPU_METHOD: CPU.name}.get(method, GPU.name), asked.options

    def delete(self, run_id: str) -> None:
        """Delete a run and all that belongs to it; `RunError` if it is active."""
        settle(self.place(run_id, STATE))  # it may be written in the background
        super().delete(run_id)

    # Kept

    def open(self, run_id: str) -> PairResult:
        """Open the result of a run, with its sequences, also if only the score was requested.

        Raises
        ------
        RunError, RunFileError
            If there is none yet, or if it cannot be read.
        """
        path = self.path(run_id)
        facts, residues = self._facts(run_id), self._residues(run_id)
        sequences = facts.query.record_with(residues[0]), facts.subject.record_with(residues[1])
        return replace(open_pair_result(path, sequences), run_id=run_id)

    def shown(self, run_id: str) -> PairResult:
        """Return the result of a run with its sequences encoded; errors as of `open`."""
        return self.open(run_id).encode()

    def holds(self, path: Path) -> bool:
        """Whether a file is an exported pair."""
        return is_pair_file(path)

    def open_file(self, path: Path) -> PairResult:
        """Return the pair in an exported file with its sequences encoded; `RunFileError` if it cannot be read."""
        return open_pair_result(path).encode()

    def export(self, run_id: str, path: Path) -> None:
        """Write a pair with its sequences as JSON; errors as of `open`, and `FileNotWritten`."""
        save_pair(path, "json", self.open(run_id))

    def _facts(self, run_id: str) -> PairFacts:
        """Read the request, without the residues."""
        path = self.place(run_id, PAIR)
        try:
            with readable(run_id), open(path, "rb") as file:
                facts = from_plain(PairFacts, json.loads(file.readline()))
                if facts.format != FORMAT:
                    raise ValueError(facts.format)
                return replace(facts, plan=replace(facts.plan, settings=current_settings(facts.plan.settings)))
        except OSError as fault:
            if isinstance(fault, SwguiError):
                raise
            raise gone(run_id) from fault

    def _residues(self, run_id: str) -> tuple[bytes, bytes]:
        """Read query and subject; `RunError` if they are not as long as they were."""
        facts = self._facts(run_id)
        with readable(run_id), open(self.place(run_id, PAIR), "rb") as file:
            file.readline()
            query = file.read(facts.query.length + 1)[:-1]
            subject = file.read(facts.subject.length + 1)[:-1]
            if (len(query), len(subject)) != (facts.query.length, facts.subject.length):
                raise ValueError("residues")
        return query, subject

    def described(self, run_id: str) -> RunRecord:
        """Return the entry of a run with a result in a list, read from the result."""
        return self._described(run_id, self.open(run_id))

    def _described(self, run_id: str, result: PairResult) -> RunRecord:
        facts, whole = self._facts(run_id), result.state == "finished"
        found = len(result.alignments) if whole and not facts.score_only else None
        share = _share(result.cells + result.pruned, facts)
        ended = Ended(whole, found, result.total_seconds, share, result.cells, result.reason)
        return self.line(run_id, facts.about, ended, facts.started, result.finished_at, _STATES[result.state])

    def interrupted(self, run_id: str) -> RunRecord:
        """Return the entry in a list of a pair whose program ended while it was aligned."""
        facts = self._facts(run_id)
        spent = read_spent(self.place(run_id, STATE))
        seconds, reason = sum(spent.seconds.values()), "The program ended while the pair was aligned."
        ended = Ended(False, None, seconds, _share(spent.passed, facts), spent.passed, reason)
        return self.line(run_id, facts.about, ended, facts.started, state="interrupted")

    def with_journal_progress(self, record: RunRecord) -> RunRecord:
        """Return a run with what its state holds beyond its result."""
        since = self.interrupted(record.id) if self.folder.has(record.id, STATE) else record
        return since if since.fraction > record.fraction else record


def _align_pair() -> AlignPair:
    from swgui.jobs.pair.run import align_pair  # here: it loads the engines

    return align_pair


def _share(passed: int, facts: PairFacts) -> float:
    """Return the share of the matrix that is done; below 1 for unfinished work."""
    return min(passed / facts.cells, MAX_UNFINISHED) if facts.cells else 0.0


def _held(path: Path) -> IO[bytes]:
    """Open a file and lock it; `RunError` if another program has it."""
    file = open(path, "r+b")  # noqa: SIM115
    if not lock(file):
        file.close()
        raise RunError(ACTIVE)
    return file


def _noted(events: Iterator[PairEvent], remark: str) -> Iterator[PairEvent]:
    """Add a remark to the result of events."""
    for event in events:
        yield Finished(_remarked(event.outcome, remark)) if isinstance(event, Finished) else event


def _remarked(result: PairResult, remark: str) -> PairResult:
    return replace(result, remarks=(*result.remarks, remark))
