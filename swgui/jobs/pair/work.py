"""The work on one long pair: what is asked for, and strands and further alignments put together into one list.

The engines (`swgui.engines.pair`) find the best alignment of one query strand at a time. Alignments are reported best
first over both strands: each strand is searched until its next best alignment is known, and the better of the two is
taken.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

import swgui
from swgui.core.alignment import Alignment, AlignmentCounts
from swgui.core.control import RunControl
from swgui.core.errors import InvalidParameter, ScoreMismatch, Stopped
from swgui.core.pair.problem import (
    STRANDS,
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairPlan,
    PairProblem,
    PairProgress,
    PairScored,
    Strand,
)
from swgui.core.pair.result import (
    PairAlignment,
    PairEvent,
    PairFound,
    PairProgressed,
    PairResult,
    PairState,
    StrandChoice,
)
from swgui.core.pair.view import score_and_count
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.engines.base import EngineOptions
from swgui.engines.pair.base import PairEngine
from swgui.io.saved.pair_checkpoint import CheckpointFile, StrandState, settle
from swgui.io.statistics import load_statistics

CHECKPOINT_SECONDS: Final = 10.0  # between two writes of the file
STOP_SECONDS: Final = 0.1  # for the file when the work is stopped: enough for a short one, and to hear of a fault
KNOWN_AFTER: Final = 0.5  # seconds of work before a time left is named


@dataclass(frozen=True, slots=True, eq=False)
class PairRequest:
    """Everything that decides the alignment of one pair.

    Parameters
    ----------
    query, subject : SequenceRecord
        Cleaned, of the scheme's alphabet, not empty.
    scheme : ScoringScheme
    mode : PairMode
    strand : {"both", "plus", "minus"}
        Which strands of the query are aligned; proteins have ``plus`` only.
    method : str
        ``auto`` or a name in `swgui.core.methods.pair.PAIR_METHODS`.
    options : EngineOptions
    score_only : bool
        Find the score and where the alignment ends, not the alignment.
    limit : int
        Alignments at most; more than one in local mode only. They share no aligned pair of residues.
    min_score : int
        Further alignments are listed from this score on; at least 1.
    checkpoint : Path, optional
        A file that keeps the state of the work; where it exists, the work goes on from it.

    Raises
    ------
    InvalidParameter
        If that makes no sense.
    """

    query: SequenceRecord
    subject: SequenceRecord
    scheme: ScoringScheme
    mode: PairMode = PairMode.LOCAL
    strand: StrandChoice = "plus"
    method: str = "auto"
    options: EngineOptions = field(default_factory=EngineOptions)
    score_only: bool = False
    limit: int = 1
    min_score: int = 1
    checkpoint: Path | None = None

    def __post_init__(self) -> None:
        for name, record in (("query", self.query), ("subject", self.subject)):
            if not record.residues:
                raise InvalidParameter(name, record.id, f"The {name} '{record.id}' has no residues.")
        if self.strand != "plus" and not self.scheme.alphabet.complements:
            raise InvalidParameter("strand", self.strand, "Proteins have one strand.", hint="Choose strand plus.")
        if self.limit < 1:
            raise InvalidParameter("limit", self.limit, f"{self.limit} alignments cannot be listed; 1 is the least.")
        if self.min_score < 1:
            raise InvalidParameter("min-score", self.min_score, f"A least score of {self.min_score} is not above 0.")
        if self.limit > 1 and self.mode is not PairMode.LOCAL:
            raise InvalidParameter(
                "limit", self.limit, f"A {self.mode} alignment has no next best one.", hint="Choose the local mode."
            )
        if self.limit > 1 and self.score_only:
            raise InvalidParameter(
                "limit", self.limit, "Further alignments need the first one, so the score alone is not enough."
            )

    @property
    def strands(self) -> tuple[Strand, ...]:
        """The strands of the query to align."""
        return STRANDS if self.strand == "both" else (self.strand,)

    @property
    def outline(self) -> PairProblem:
        """What an engine is asked for one strand, without the sequences: for planning."""
        rows, columns = len(self.query.residues), len(self.subject.residues)
        return PairProblem.outline(rows, columns, self.scheme, self.mode, score_only=self.score_only)

    def problems(self) -> dict[Strand, PairProblem]:
        """Return what an engine is asked for each strand, with the sequences encoded; `strands` in order."""
        alphabet = self.scheme.alphabet
        subject, codes = alphabet.encode(self.subject.residues), alphabet.encode(self.query.residues)
        queries: dict[Strand, EncodedQuery] = {}
        for strand in self.strands:
            minus = strand == "minus"
            on_strand = alphabet.reverse_complement(codes) if minus else codes
            queries[strand] = EncodedQuery(self.query.id, on_strand, strand=-1 if minus else 1)
        return {
            strand: PairProblem(query, subject, self.scheme, self.mode, self.score_only)
            for strand, query in queries.items()
        }


def lasting_settings(plan: PairPlan) -> dict[str, str]:
    """Return the settings that a checkpoint must agree in: neither threads nor devices change what is kept."""
    return {name: value for name, value in plan.settings.items() if name != "threads"}


def checksum(residues: bytes) -> str:
    """Return the SHA-256 of residues, in hexadecimal."""
    return hashlib.sha256(residues).hexdigest()


@dataclass(eq=False)
class _Side:
    """One strand of the query: what was taken from it and what comes next.

    `next` is the best alignment that is not taken yet; `done` means there is none that could be listed.
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
        remarks: tuple[str, ...],
    ) -> None:
        self.request = request
        self.engine = engine
        self.plan = replace(plan, remarks=(*plan.remarks, *remarks))
        self.sides = [_Side(strand, problem) for strand, problem in problems.items()]
        self.statistics: KarlinAltschul | None = (
            load_statistics(request.scheme) if request.mode is PairMode.LOCAL else None
        )
        self.checksums = checksum(request.query.residues), checksum(request.subject.residues)
        self.found: list[PairAlignment] = []
        self.state: PairState = "finished"
        self.reason = ""
        self.best: tuple[PairEnd, Strand] | None = None
        self.cells = self.pruned = 0
        self.memory = 0
        self.seconds: dict[str, float] = {}
        self.began = time.perf_counter()
        self.file: CheckpointFile | None = None

    def stop(self, state: PairState, reason: str) -> None:
        """Note why the work ended early, and whether it can be gone on with."""
        if self.file is not None:
            settle(self.file.path, STOP_SECONDS)
            if self.file.problem is not None:
                reason = f"{reason} The newest state of the work is not kept: {self.file.problem}"
        self.state, self.reason = state, reason

    def run(self, cancel: threading.Event) -> Iterator[PairEvent]:
        """Search the strands and list what they give."""
        if self.request.checkpoint is not None:
            self.file = CheckpointFile(self.request.checkpoint, self._facts())
            yield from self._take_up(self.file)
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
        """Delete the checkpoint file of finished work."""
        if self.file is not None and self.state == "finished":
            self.file.delete()

    def _list(self, side: _Side, alignment: Alignment) -> PairAlignment:
        """Take over an alignment, counted and with its statistics."""
        score, counts = score_and_count(alignment, side.problem.query, side.problem.subject, self.request.scheme)
        if score != alignment.score:
            raise ScoreMismatch(self.request.subject.id, alignment.score, score)
        side.taken.append(alignment)
        one = self._described(len(self.found) + 1, side.strand, alignment, counts)
        self.found.append(one)
        return one

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
        stage, before, skipped = "Scoring", self.cells, self.pruned
        start: int | None = None  # what an earlier run had done does not count for the speed
        steps = self.engine.run(replace(side.problem, excluded=tuple(side.taken)), cancel, side.resume)
        complete = False  # until there is a newer state, that of the earlier run is the one to keep
        with closing(steps):  # type: ignore[type-var]
            for step in steps:
                if isinstance(cancel, RunControl) and cancel.paused:
                    rested = cancel.wait_while_paused()  # which is no time of the work
                    began, changed, self.began = began + rested, changed + rested, self.began + rested
                now = time.perf_counter()
                match step:
                    case PairProgress():
                        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - changed
                        stage, changed = step.stage, now
                        start = step.cells_done + step.pruned if start is None else start
                        self.cells, self.pruned = before + step.cells_done, skipped + step.pruned
                        self._note_best(step.best, side.strand)
                        yield self._progressed(side, step, now - began, start)
                    case PairCheckpoint():
                        side.resume = step
                        self._save()
                    case PairScored(end):
                        side.end = end
                        self._note_best(end, side.strand)
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
        self._save(force=True)

    def _wanted(self, side: _Side, end: PairEnd) -> bool:
        """Whether an alignment with this score can still be listed."""
        request = self.request
        if request.score_only or (self.found and end.score < request.min_score):
            return False
        better = sum(other.next is not None and other.next.score >= end.score for other in self.sides)
        if len(self.found) + better >= request.limit:
            return False
        return not (better and end.score < request.min_score)

    def _note_best(self, end: PairEnd | None, strand: Strand) -> None:
        if end is not None and (self.best is None or end.score > self.best[0].score):
            self.best = end, strand

    def _progressed(self, side: _Side, step: PairProgress, seconds: float, start: int) -> PairProgressed:
        passed = step.cells_done + step.pruned
        left = None
        if seconds >= KNOWN_AFTER and passed > start:
            others = sum(other.open and other is not side for other in self.sides)
            speed = (passed - start) / seconds
            left = (max(0, step.cells_total - passed) + others * self.plan.cells) / speed
        return PairProgressed(
            stage=step.stage,
            strand=side.strand,
            index=len(self.found) + 1,
            cells_done=step.cells_done,
            cells_total=step.cells_total,
            pruned=step.pruned,
            seconds=time.perf_counter() - self.began,
            seconds_left=left,
            best=step.best,
        )

    def _facts(self) -> dict[str, object]:
        """Return what a checkpoint must agree in."""
        request = self.request
        return {
            "query": self.checksums[0],
            "subject": self.checksums[1],
            "matrix": checksum(request.scheme.matrix.scores.tobytes()),
            "gap costs": [request.scheme.gap_first, request.scheme.gap_extend],
            "mode": str(request.mode),
            "strand": request.strand,
            "score only": request.score_only,
            "limit": request.limit,
            "least score": request.min_score,
            "method": self.engine.method,
            "settings": lasting_settings(self.plan),
        }

    def _take_up(self, file: CheckpointFile) -> Iterator[PairEvent]:
        """Go on from a checkpoint file, if there is one."""
        saved = file.read()
        if saved is None:
            return
        for side in self.sides:
            state = saved[side.strand]
            side.next, side.end, side.done, side.resume = state.next, state.end, state.done, state.resume
            if state.end is not None:
                self._note_best(state.end, side.strand)
        pool = [(side, alignment) for side in self.sides for alignment in saved[side.strand].taken]
        for side, alignment in sorted(pool, key=lambda pair: -pair[1].score):
            if len(self.found) < self.request.limit:
                found = self._list(side, alignment)
                self._note_best(PairEnd(alignment.score, alignment.query_end, alignment.subject_end), side.strand)
                yield PairFound(found)

    def _save(self, *, force: bool = False) -> None:
        if self.file is None or not (force or self.file.due(CHECKPOINT_SECONDS)):
            return
        states = {
            side.strand: StrandState(tuple(side.taken), side.next, side.end, side.done, side.resume)
            for side in self.sides
        }
        if any(state != StrandState() for state in states.values()):  # else there is nothing to go on from
            self.file.write(states)

    def result(self) -> PairResult:
        """Put the result together from what there is."""
        request = self.request
        best, strand = self.best if self.best is not None else (None, request.strands[0])
        return PairResult(
            query=request.query,
            subject=request.subject,
            scheme=request.scheme,
            mode=request.mode,
            strand=request.strand,
            score_only=request.score_only,
            limit=request.limit,
            min_score=request.min_score,
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
            query_checksum=self.checksums[0],
            subject_checksum=self.checksums[1],
            query_length=len(request.query.residues),
            subject_length=len(request.subject.residues),
        )
