"""Runs pairs for the Pair page: one at a time, in the background."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator

from PySide6.QtCore import QObject

from swgui.core import words
from swgui.core.methods.pair import CPU_METHOD
from swgui.core.pair.problem import PairProgress
from swgui.engines.facts import CPU, GPU
from swgui.gui.kit.tasks.control import Figures, JobController
from swgui.gui.pair.wording import STRAND_WORDS, gcups, time_range
from swgui.gui.words import wording
from swgui.jobs.events import Finished
from swgui.jobs.pair.events import PairEvent, PairFound, PairProgressed, PairStarted
from swgui.jobs.pair.request import AlignPair, PairRequest
from swgui.jobs.pair.run import align_pair

SPEED_SECONDS = 3.0  # the speed is the mean over the last seconds


class PairRunState:
    """Takes the events of one run."""

    def __init__(self) -> None:
        self.started: PairStarted | None = None
        self.event: PairProgressed | None = None  # the newest of its kind
        self.best: int | None = None  # the best score so far, of both strands
        self.found = 0  # alignments that are known
        self.finished: Finished | None = None
        self._passed: deque[tuple[float, int]] = deque()  # seconds and cells computed since the strand began
        self._of: tuple[str, int] | None = None
        self._total = 0
        self._behind: dict[str, int] = {}  # cells of strands that are searched for the first alignment

    def feed(self, event: PairEvent) -> None:
        match event:
            case PairStarted():
                self.started = event
            case PairProgressed():
                self._advance(event)
            case PairFound():
                self.found += 1
            case Finished():
                self.finished = event

    def _advance(self, event: PairProgressed) -> None:
        self.event = event
        if event.step.best is not None:
            score = event.step.best.score
            self.best = score if self.best is None else max(self.best, score)
        of = (event.strand, event.index)
        if of != self._of:
            if self._of is not None and self._of[1] == event.index == 1:
                self._behind[self._of[0]] = self._total
            self._of = of
            self._passed.clear()
        self._total = event.step.cells_total
        self._passed.append((event.seconds, event.step.cells_done))
        while len(self._passed) > 2 and self._passed[1][0] <= event.seconds - SPEED_SECONDS:
            self._passed.popleft()

    @property
    def progress(self) -> PairProgress | None:
        """Progress of the engine on the current strand and alignment; None before it has begun."""
        return self.event.step if self.event is not None else None

    @property
    def _ahead(self) -> int:
        if self.started is None or self.event is None or self.event.index > 1:
            return 0
        return max(0, len(self.started.strands) - 1 - len(self._behind))

    @property
    def cells(self) -> tuple[int, int]:
        """Cells done and in all: of all strands for the first alignment, of one for each further one."""
        progress, event = self.progress, self.event
        if progress is None or event is None:
            return 0, 0
        behind = sum(self._behind.values()) if event.index == 1 else 0
        ahead = self._ahead * self.started.plan.cells if self.started is not None else 0
        total = behind + progress.cells_total + ahead if progress.cells_total else 0
        return behind + progress.cells_passed, total

    @property
    def fraction(self) -> float | None:
        """Share of the work on this alignment that is done, on all strands; None where it is not known."""
        done, total = self.cells
        return min(1.0, done / total) if total else None

    @property
    def figures(self) -> Figures:
        """Progress of the run for lists of runs."""
        seconds, begun = self.event.seconds if self.event is not None else 0.0, self.started
        engine = "" if begun is None else CPU.name if begun.plan.method == CPU_METHOD else GPU.name
        return Figures(self.event is not None, self.fraction or 0.0, seconds, self.gcups, engine=engine)

    @property
    def gcups(self) -> float:
        """Cells computed per nanosecond, over the last seconds; 0 at the beginning."""
        if len(self._passed) < 2:
            return 0.0
        (first, before), (last, now) = self._passed[0], self._passed[-1]
        return (now - before) / (last - first) / 1e9 if last > first else 0.0

    @property
    def title(self) -> str:
        event = self.event
        if event is None:
            return "Preparing" if self.started is None else "Beginning"
        parts = [event.step.stage]
        if self.started is not None and len(self.started.strands) > 1:
            parts.append(STRAND_WORDS[event.strand])
        if event.index > 1:
            parts.append(f"alignment {event.index:,}")
        return ", ".join(parts)

    @property
    def line(self) -> str:
        progress = self.progress
        if progress is None:
            return ""
        parts = []
        if progress.cells_total:
            done, total = self.cells
            parts.append(f"{wording.progress(done, total)}, {wording.scaled(done)} of {wording.cells(total)}")
        else:
            parts.append(wording.cells(progress.cells_done))
        if progress.pruned:
            share = progress.pruned / max(progress.cells_passed, 1)
            parts.append(f"{100 * share:.0f} % of them skipped")
        if self.gcups:
            parts.append(gcups(self.gcups))
        if self.best is not None:
            parts.append(f"best score so far {self.best:,}")
        if self.found:
            parts.append(f"{words.count(self.found, 'alignment')} found")
        return "   ".join(parts)

    @property
    def time_left(self) -> str:
        """The time left in words, as a range while not all work has begun; empty in the first moments."""
        left = self.event.seconds_left if self.event is not None else None
        if left is None:
            return ""
        progress = self.progress
        sure = not self._ahead and progress is not None and progress.cells_passed < progress.cells_total
        return f"about {words.duration(left)} left" if sure else f"{time_range(left)} left"


class PairController(JobController):
    """Carries out one pair at a time."""

    def __init__(self, parent: QObject | None = None, *, align: AlignPair = align_pair) -> None:
        super().__init__("pair", self._carry_out, parent, make_state=PairRunState)
        self.align = align

    def start(self, request: PairRequest) -> None:
        """Align a pair, once it may begin; nothing while one is aligned."""
        if not self.active:
            super().start(request)

    def _begin(self, request: PairRequest) -> None:
        super()._begin(request)
        self._changed = True
        self._tell()

    def _carry_out(self, request: PairRequest, cancel: threading.Event) -> Iterator[PairEvent]:
        return _encoded(self.align(request, cancel, request.plan))


def _encoded(events: Iterator[PairEvent]) -> Iterator[PairEvent]:
    for event in events:
        if isinstance(event, Finished):
            event.outcome.encode()
        yield event
