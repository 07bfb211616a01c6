"""The state of a run in progress: stage, progress, speed, time left. No Qt."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from statistics import median, quantiles

import numpy as np
from numpy.typing import NDArray

from swgui.gui.kit.tasks.control import Figures
from swgui.gui.live.run_trace import RunTrace
from swgui.jobs.events import PAUSED, Finished, Progress, Stage
from swgui.jobs.search.events import IterationEvent, Parted, PartialHits, RoundStarted, Started

POINTS = 2_000
BATCHES = 10  # the time left comes from this many newest batches
BATCHES_NEEDED = 3
SHORTEST = 0.04  # seconds; a shorter interval (the last one of a run) does not measure speed
SPREAD_LIMIT = 0.30  # above it the time left comes from the mean of the whole run


class Ring:
    """The newest `capacity` points of a curve."""

    def __init__(self, capacity: int = POINTS) -> None:
        self._x = np.empty(capacity)
        self._y = np.empty(capacity)
        self._count = 0

    def __len__(self) -> int:
        return min(self._count, len(self._x))

    def add(self, x: float, y: float) -> None:
        """Add a point; the oldest goes when the ring is full."""
        slot = self._count % len(self._x)
        self._x[slot], self._y[slot] = x, y
        self._count += 1

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return x and y, oldest first; copies."""
        if self._count <= len(self._x):
            return self._x[: self._count].copy(), self._y[: self._count].copy()
        turn = -(self._count % len(self._x))
        return np.roll(self._x, turn), np.roll(self._y, turn)


class RunState:
    """Takes the events of one run and provides the figures that the window shows.

    Attributes
    ----------
    stage : Stage
        The current stage.
    stages : list of str
        Names of the stages so far, each once, in order.
    round : RoundStarted or None
        The current round of a search in several rounds; curves and progress belong to it.
    hits : dict of int to PartialHits
        Best subjects so far by query.
    wall : Ring
        Seconds since scoring began against GCUPS by the clock.
    devices : dict of str to Ring
        The same by the time each device computed.
    trace : RunTrace
        The whole run, however long.
    parts : Mapping[str, float]
        Time by phase, as `swgui.core.trace` names the phases.
    """

    def __init__(self) -> None:
        self.stage = Stage("Preparing")
        self.stages: list[str] = []
        self.round: RoundStarted | None = None
        self.started: Started | None = None
        self.progress: Progress | None = None
        self.finished: Finished | None = None
        self.hits: dict[int, PartialHits] = {}
        self.wall = Ring()
        self.devices: dict[str, Ring] = {}
        self.trace = RunTrace()
        self.parts: Mapping[str, float] = {}
        self._speeds: deque[float] = deque(maxlen=BATCHES)  # cells per second
        self._measured: Progress | None = None  # end of the newest point of the curves

    def feed(self, event: IterationEvent) -> None:
        match event:
            case RoundStarted():
                self._begin_round(event)
            case Stage():
                self._enter(event)
            case Started():
                self.started = event
                self.trace.resumed = event.seconds
                self._enter(Stage("Scoring"))
            case Progress():
                self._advance(event)
            case PartialHits():
                self.hits[event.query_index] = event
            case Parted():
                self.parts = event.seconds
            case Finished():
                self.finished = event

    @property
    def fraction(self) -> float | None:
        """Share of the current stage that is done, None where it is unknown."""
        if self.stage.name in ("Scoring", PAUSED) and self.progress is not None and self.progress.total:
            return self.progress.done / self.progress.total
        return self.stage.done / self.stage.total if self.stage.total else None

    @property
    def figures(self) -> Figures:
        """Progress of the run for lists of runs."""
        progress = self.progress
        begun = self.started is not None
        engine = self.started.engine if self.started is not None else ""
        if progress is None:
            return Figures(begun, paused=self.paused, engine=engine)
        share = progress.done / progress.total if progress.total else 0.0
        return Figures(begun, share, progress.seconds, self.gcups, self.paused, engine)

    @property
    def paused(self) -> bool:
        return self.stage.name == PAUSED

    @property
    def gcups(self) -> float:
        """Speed by the clock over the newest batches, 0 before the first."""
        return median(self._speeds) / 1e9 if self._speeds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Remaining cells by the median speed of the last ten batches, or by the mean of the run; None at its start."""
        progress = self.progress
        if progress is None or progress.done <= 0 or progress.seconds <= 0:
            return None
        speed = median(self._speeds) if self.steady else progress.done / progress.seconds
        return (progress.total - progress.done) / speed

    @property
    def steady(self) -> bool:
        """Whether the speeds of the last ten batches are close to each other: else the time left is "about"."""
        if len(self._speeds) < BATCHES_NEEDED:
            return False
        low, middle, high = quantiles(self._speeds, n=4, method="inclusive")
        return middle > 0 and (high - low) / middle <= SPREAD_LIMIT

    @property
    def stage_name(self) -> str:
        """The current stage, with the round if there are several: ``Round 2 of 6: Scoring``."""
        number = f"{self.round.name}: " if self.round is not None else ""
        return f"{number}{self.stage.name}"

    def _begin_round(self, event: RoundStarted) -> None:
        self.round = event
        self.stages.clear()
        self.hits.clear()
        self.progress = self._measured = None
        self._speeds.clear()
        self.wall, self.devices, self.trace = Ring(), {}, RunTrace()

    def _enter(self, stage: Stage) -> None:
        self.stage = stage
        if stage.name not in self.stages and stage.name != PAUSED:
            self.stages.append(stage.name)

    def _advance(self, new: Progress) -> None:
        old = self._measured
        seconds = new.seconds - (old.seconds if old else 0.0)
        done = new.done - (old.done if old else 0)
        self.progress = new
        self.trace.add(new)
        if seconds < SHORTEST and old is not None:
            return
        self._measured = new
        if old is None and new.seconds <= self.trace.resumed:
            return
        if seconds > 0 and done > 0:
            self._speeds.append(done / seconds)
            self.wall.add(new.seconds, done / seconds / 1e9)
        for device, total in new.device_done.items():
            device_done = total - (old.device_done.get(device, 0) if old else 0)
            spent = new.device_seconds.get(device, 0.0) - (old.device_seconds.get(device, 0.0) if old else 0.0)
            if device_done > 0 and spent > 0:
                self.devices.setdefault(device, Ring()).add(new.seconds, device_done / spent / 1e9)
