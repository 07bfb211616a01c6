"""The alignment of one long pair from request to result: a generator of events, for the window and the command line.

`plan_pair` names the engine and the costs, `align_pair` compares the engine with the exact scores of the self-check and
runs `PairWork`: the engines (`swgui.engines.pair`) find the best alignment of one query strand at a
time. Alignments are reported best first over both strands: each strand is searched until its next best alignment is
known, and the better of the two is reported.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import swgui
from swgui.core.alignment import Alignment, AlignmentCounts
from swgui.core.control import RunControl
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, ScoreMismatch, Stopped, SwguiError
from swgui.core.methods.pair import CPU_METHOD
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairPlan,
    PairProblem,
    PairProgress,
    PairScored,
    PairStep,
    Strand,
)
from swgui.core.pair.result import PairAlignment, PairResult, PairState
from swgui.core.pair.view import score_and_count
from swgui.core.plain import replace
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.trace import part
from swgui.engines.pair.base import PairEngine
from swgui.engines.pair.registry import make_pair_engine, resolve_method
from swgui.io.saved.log import Log, settle
from swgui.io.saved.pair_states import KIND, Spent, StrandState, packed, unpacked
from swgui.io.saved.resuming import continued
from swgui.io.statistics import load_statistics
from swgui.io.whole_file import FileNotWritten, check_place
from swgui.jobs.check.pair import require_exact_pair
from swgui.jobs.events import Finished
from swgui.jobs.forecast import foretelling
from swgui.jobs.pair.events import PairEvent, PairFound, PairProgressed, PairStarted
from swgui.jobs.pair.forecast import pair_forecast
from swgui.jobs.pair.request import CheckpointIdentity, PairRequest
from swgui.paths import resolved

CHECKPOINT_SECONDS: Final = 10.0  # between two states that are kept
REMEDY: Final = "name another file"  # of a log of another request
STOP_SECONDS: Final = 0.1  # for the state when the work is stopped: enough for a short one, and to hear of a fault
KNOWN_AFTER: Final = 0.5  # seconds of work before a time left is named


def align_pair(request: PairRequest, cancel: threading.Event, plan: PairPlan | None = None) -> Iterator[PairEvent]:
    """Align a pair and say how far it is; the last event is `Finished`, however the work ended.

    When `cancel` is set, or the engine fails, the result has what was found by then and says so in ``state``. A
    `RunControl` as `cancel` can also pause the work; the device keeps what it holds. The checkpoint file of
    finished work is deleted when the caller asks for what comes after the result.

    Parameters
    ----------
    plan : PairPlan, optional
        What `plan_pair` said of this request; without it the work is planned first.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        If the work cannot begin.
    LogError
        If the checkpoint file is of other sequences or settings, damaged, or in use.
    FileNotWritten
        If there can be no checkpoint file at that place.
    """
    if request.checkpoint is not None:
        check_place(request.checkpoint)
    problems = request.problems()
    engine, plan = _prepare_exact(request, plan, problems[request.strands[0]], cancel)
    with closing(engine):
        work = PairWork(request, problems, engine, plan)
        yield PairStarted(plan, request.strands)
        try:
            try:
                yield from work.run(cancel)
            except Stopped:
                work.stop("stopped", "Stopped by you.")
            except (EngineFault, ScoreMismatch) as fault:
                work.stop("failed", str(fault))
            yield Finished(work.result())
            work.forget()  # only now: a caller that could not write the result down has not asked for more
        finally:
            work.leave()


def _prepare_exact(
    request: PairRequest, planned: PairPlan | None, problem: PairProblem, cancel: threading.Event
) -> tuple[PairEngine, PairPlan]:
    """Make an engine that has given the exact scores of the self-check, as it will be used."""
    engine, plan = prepare_engine(request, planned)
    try:
        require_exact_pair(engine, plan, problem, cancel)
    except Stopped:
        pass  # the work will notice at once
    except (EngineUnavailable, EngineFault) as fault:
        engine.close()
        if request.method != "auto":
            raise
        return prepare_cpu(request, fault)
    except BaseException:
        engine.close()
        raise
    return engine, plan


def plan_pair(request: PairRequest) -> PairPlan:
    """Return the costs of each strand: cells, memory, settings, and time if there is an estimate.

    May take a second, to measure the device.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        If it cannot be done, with what can.
    """
    engine, plan = prepare_engine(request)
    engine.close()
    return plan


def prepare_engine(request: PairRequest, plan: PairPlan | None = None) -> tuple[PairEngine, PairPlan]:
    """Make the engine; with ``auto`` the CPU does what the GPU's method cannot.

    Parameters
    ----------
    plan : PairPlan, optional
        What `plan_pair` said of this request; without it the work is planned now.

    Returns
    -------
    engine : PairEngine
        To be closed by the caller.
    plan : PairPlan

    Raises
    ------
    EngineUnavailable, InvalidParameter
        If it cannot be done, with what can.
    """
    method = resolve_method(request.method)
    if plan is not None and plan.method != method:
        if plan.method == CPU_METHOD:
            return make_pair_engine(CPU_METHOD, _on_cpu(request)), plan
        plan = None  # its device is gone
    try:
        engine = make_pair_engine(method, request.options)
        try:
            return engine, plan or engine.plan(request.outline)
        except BaseException:
            engine.close()
            raise
    except (EngineUnavailable, InvalidParameter) as problem:
        if request.method != "auto" or method == CPU_METHOD:
            raise
        return prepare_cpu(request, problem)


def prepare_cpu(request: PairRequest, problem: SwguiError) -> tuple[PairEngine, PairPlan]:
    """Make the CPU's engine and its plan, which says why it is used instead."""
    engine = make_pair_engine(CPU_METHOD, _on_cpu(request))
    plan = engine.plan(request.outline)
    return engine, replace(plan, remarks=(*plan.remarks, f"{problem.message} The CPU is used instead."))


def _on_cpu(request: PairRequest) -> EngineOptions:
    return EngineOptions(threads=request.options.threads)


@dataclass(eq=False)
class _Side:
    """One strand of the query: its alignments so far and the next one.

    `next` is the best alignment that is not reported yet; `done` means there is none that could be listed.
    """

    strand: Strand
    problem: PairProblem
    taken: list[Alignment] = field(default_factory=list)
    next: Alignment | None = None
    end: PairEnd | None = None
    done: bool = False
    resume: PairCheckpoint | None = None

    @property
    def open(self) -> bool:
        """Whether it has to be searched before anything can be listed."""
        return not self.done and self.next is None


class PairWork:
    """One request on one engine: strands in turn, one list of alignments."""

    def __init__(
        self,
        request: PairRequest,
        problems: Mapping[Strand, PairProblem],
        engine: PairEngine,
        plan: PairPlan,
    ) -> None:
        self.request = request
        self.engine = engine
        self.plan = plan
        self.identity = CheckpointIdentity.of(request, plan)
        self.sides = [_Side(strand, problem) for strand, problem in problems.items()]
        self.statistics: KarlinAltschul | None = (
            load_statistics(request.scheme, simulated=True) if request.mode is PairMode.LOCAL else None
        )
        self.found: list[PairAlignment] = []
        self.state: PairState = "finished"
        self.reason = ""
        self.best: tuple[PairEnd, Strand] | None = None
        self.cells = self.pruned = 0
        self.over = (0, 0)  # of them those of searches that have ended
        self.memory = 0
        self.seconds: dict[str, float] = {}
        self.began = time.perf_counter()
        self.log: Log | None = None  # from the first state on that is worth keeping
        self.problem = ""  # why there is none

    def stop(self, state: PairState, reason: str) -> None:
        """Note why the work ended early, and whether its newest state is kept."""
        problem = self.problem
        if self.log is not None:
            self.log.settle(STOP_SECONDS)
            problem = self.log.problem
        if problem:
            reason = f"{reason} The newest state of the work is not kept: {problem}"
        self.state, self.reason = state, reason

    def run(self, cancel: threading.Event) -> Iterator[PairEvent]:
        """Search the strands and list what they give."""
        if self.request.checkpoint is not None:
            path = resolved(self.request.checkpoint)
            settle(path)  # an earlier run of this program may still write it, or delete it
            if path.exists():
                self.log = continued(path, KIND, self.identity.facts(), REMEDY)
                yield from self._take_up(self.log)
        if self.log is None:
            yield from foretelling(pair_forecast(PairStarted(self.plan, self.request.strands)))
        while len(self.found) < self.request.limit:
            for side in self.sides:
                if side.open:
                    yield from self._search(side, cancel)
            waiting = [side for side in self.sides if side.next is not None]
            if not waiting:
                break
            side = max(waiting, key=lambda side: side.next.score if side.next else 0)  # the first of equals
            assert side.next is not None
            yield PairFound(self._list(side, side.next))
            side.next, side.end = None, None
            self._save(force=True)

    def forget(self) -> None:
        """Delete the log of finished work."""
        if self.log is not None and self.state == "finished":
            self.log.delete()
            self.log = None

    def leave(self) -> None:
        """Leave the log to a later run, without waiting for the state that is being written."""
        if self.log is not None:
            self.log.leave()

    def _list(self, side: _Side, alignment: Alignment) -> PairAlignment:
        """Take over an alignment, counted and with its statistics."""
        score, counts = score_and_count(alignment, side.problem.query, side.problem.subject, self.request.scheme)
        if score != alignment.score:
            raise ScoreMismatch(self.request.subject.id, alignment.score, score)
        side.taken.append(alignment)
        described = self._described(len(self.found) + 1, side.strand, alignment, counts)
        self.found.append(described)
        return described

    def _described(self, index: int, strand: Strand, alignment: Alignment, counts: AlignmentCounts) -> PairAlignment:
        bits = log10_evalue = math.nan
        if self.statistics is not None:
            lengths = len(self.request.query.residues), len(self.request.subject.residues)
            bits = float(self.statistics.bit_scores([alignment.score])[0])
            log10_evalue = float(
                self.statistics.log10_evalues([alignment.score], lengths[0], [lengths[1]], lengths[1], 1)[0]
            )
        return PairAlignment(index, strand, alignment, counts, bits, log10_evalue)

    def _search(self, side: _Side, cancel: threading.Event) -> Iterator[PairEvent]:
        """Find the next best alignment of one strand, or that there is none to be listed."""
        if cancel.is_set():
            raise Stopped
        began = changed = time.perf_counter()
        stage, (before, skipped) = "Scoring", self.over
        start: int | None = None  # what an earlier run had done does not count for the speed
        problem = replace(side.problem, excluded=tuple(side.taken), wanted=self._least(side))
        steps = self.engine.run(problem, cancel, side.resume)
        complete = False  # until there is a newer state, that of the earlier run is the one to keep
        with closing(steps):  # type: ignore[type-var]
            for step in _counted(steps):
                if isinstance(cancel, RunControl) and cancel.paused:
                    rested = cancel.wait_while_paused()  # which is no time of the work
                    began, changed, self.began = began + rested, changed + rested, self.began + rested
                now = time.perf_counter()
                match step:
                    case PairProgress():
                        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - changed
                        stage, changed = step.stage, now
                        start = step.cells_passed if start is None else start
                        self.cells, self.pruned = before + step.cells_done, skipped + step.pruned
                        self.note_best(step.best, side.strand)
                        yield self._progressed(side, step, now - began, start)
                    case PairCheckpoint():
                        side.resume = step
                        self._save()
                    case PairScored(end):
                        side.end = end
                        self.note_best(end, side.strand)
                        if not self._wanted(side, end):
                            side.done = complete = True
                            break
                        self._save()
                    case PairAligned():
                        self.memory = max(self.memory, step.memory_bytes)
                        complete = True
                        if step.alignment.columns:
                            side.next = step.alignment
                        else:
                            side.done = True
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - changed
        if not complete:
            self._save(force=True)
            raise Stopped
        side.resume = None
        self.over = (self.cells, self.pruned)
        self._save(force=True)

    def _least(self, side: _Side) -> int:
        """Return the score that one strand must reach to be of use, where another was searched before; 0 for any."""
        if self.request.score_only:
            return self.best[0].score if self.best is not None else 0
        others = [other.next.score for other in self.sides if other is not side and other.next is not None]
        return max(others, default=0) if len(self.found) + 1 == self.request.limit else 0

    def _wanted(self, side: _Side, end: PairEnd) -> bool:
        """Whether an alignment with this score can still be listed."""
        request = self.request
        if request.score_only or (self.found and end.score < request.min_score):
            return False
        better = sum(other.next is not None and other.next.score >= end.score for other in self.sides)
        if len(self.found) + better >= request.limit:
            return False
        return not (better and end.score < request.min_score)

    def note_best(self, end: PairEnd | None, strand: Strand) -> None:
        """Keep the better one; of equal ones the first of which it is known where it ends."""
        if end is None:
            return
        best = self.best[0] if self.best is not None else None
        placed = best is not None and end.score == best.score and bool(end.query_end) and not best.query_end
        if best is None or end.score > best.score or placed:
            self.best = end, strand

    def _progressed(self, side: _Side, step: PairProgress, seconds: float, start: int) -> PairProgressed:
        passed = step.cells_passed
        left = None
        if seconds >= KNOWN_AFTER and passed > start:
            others = sum(other.open and other is not side for other in self.sides)
            speed = (passed - start) / seconds
            left = (max(0, step.cells_total - passed) + others * self.plan.cells) / speed
        return PairProgressed(
            done=passed,
            total=step.cells_total,
            stage=step.stage,
            strand=side.strand,
            index=len(self.found) + 1,
            step=step,
            seconds=time.perf_counter() - self.began,
            left=left,
        )

    def _take_up(self, log: Log) -> Iterator[PairEvent]:
        """Continue from the state in a log, if there is one."""
        entry = log.state()
        if entry is None:
            return
        saved, spent = unpacked(entry, log.path)
        self.seconds, self.over = dict(spent.seconds), (spent.cells, spent.pruned)
        self.cells, self.pruned = self.over
        for side in self.sides:
            state = saved[side.strand]
            side.next, side.end, side.done, side.resume = state.next, state.end, state.done, state.resume
            if state.end is not None:
                self.note_best(state.end, side.strand)
        pool = [(side, alignment) for side in self.sides for alignment in saved[side.strand].taken]
        for side, alignment in sorted(pool, key=lambda pair: -pair[1].score):
            if len(self.found) < self.request.limit:
                listed = self._list(side, alignment)
                self.note_best(PairEnd(alignment.score, alignment.query_end, alignment.subject_end), side.strand)
                yield PairFound(listed)

    def _save(self, *, force: bool = False) -> None:
        path = self.request.checkpoint
        if path is None or not (force or self._due()):
            return
        states = {
            side.strand: StrandState(tuple(side.taken), side.next, side.end, side.done, side.resume)
            for side in self.sides
        }
        if all(state == StrandState() for state in states.values()):  # there is nothing to continue from
            return
        if self.log is None:
            try:
                self.log = Log(resolved(path), KIND, self.identity.facts())
            except FileNotWritten as fault:
                self.problem = str(fault)
                return
        self.log.replace(*packed(states, Spent(dict(self.seconds), *self.over, self.cells + self.pruned)))

    def _due(self) -> bool:
        if self.log is None:
            return time.perf_counter() - self.began >= CHECKPOINT_SECONDS
        return self.log.due(CHECKPOINT_SECONDS)

    def result(self) -> PairResult:
        """Put the result together from what there is."""
        request = self.request
        best, strand = self.best if self.best is not None else (None, request.strands[0])
        return PairResult(
            query=request.query,
            subject=request.subject,
            scheme=request.scheme,
            state=self.state,
            reason=self.reason,
            best=best,
            best_strand=strand,
            alignments=tuple(self.found),
            cells=self.cells,
            pruned=self.pruned,
            seconds=dict(self.seconds),
            method=self.engine.method,
            devices=tuple(device.name for device in self.engine.devices),
            settings=dict(self.plan.settings),
            memory_bytes=self.memory or self.plan.memory_bytes,
            statistics=self.statistics.describe() if self.statistics is not None else "",
            remarks=self.plan.remarks,
            version=swgui.__version__,
            finished_at=datetime.now().astimezone().isoformat(timespec="seconds"),
            query_checksum=self.identity.query,
            subject_checksum=self.identity.subject,
            query_length=len(request.query.residues),
            subject_length=len(request.subject.residues),
            **request.settings_asked,
        )


def _counted(steps: Iterator[PairStep]) -> Iterator[PairStep]:
    """Yield an engine's steps, their time counted for scoring up to the score and for the alignment from there on."""
    name = "scan"
    while True:
        with part(name):
            step = next(steps, None)
        if step is None:
            return
        if isinstance(step, PairScored):
            name = "align"
        yield step
