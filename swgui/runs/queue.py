"""The queue of runs: which run has its turn, by its kind and its devices. No Qt; it belongs to one thread."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from swgui.core.engines import EngineOptions
from swgui.core.methods.base import AUTO
from swgui.engines.facts import CPU, GPU, REFERENCE
from swgui.jobs.kind import kinds
from swgui.runs.records import started_by_id

if TYPE_CHECKING:
    from swgui.runs.kept import About
    from swgui.runs.store import Runs

QueueState = Literal["waiting", "preparing", "running", "paused", "stopping", "failed"]
ACTIVE: Final = ("preparing", "running", "paused", "stopping")
ELSEWHERE: Final = "elsewhere"  # begins the names of other computers among devices
HOST: Final = (CPU.name, REFERENCE.name)  # engines of the CPU


def devices_of(engine: str, options: EngineOptions) -> frozenset[str]:
    """Return the devices that a run may use: ``cpu``, a name such as ``cuda 1``, or ``cuda`` for any of an engine.

    An engine that is chosen when the run begins may be the CPU or a GPU.
    """
    if options.on:
        return frozenset({f"{ELSEWHERE} {options.on}"})
    if engine == AUTO:
        return frozenset({CPU.name, GPU.name})
    host = engine in HOST
    return frozenset({CPU.name} if host else {f"{engine} {name}" for name in options.devices} or {engine})


def meet(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether two runs may use the same device."""
    return any(a == b or a.partition(" ")[0] == b or a == b.partition(" ")[0] for a in some for b in others)


@dataclass(slots=True, eq=False)
class QueuedRun:
    """A run that waits, runs, or failed without a result."""

    id: int
    kind: str
    request: Any
    about: About
    devices: frozenset[str]  # that it may use
    state: QueueState = "waiting"
    paused: bool = False  # whether it is paused, or will be soon
    started: str = ""  # local time, ISO 8601; empty while it waits
    fraction: float = 0.0  # share of the work that is done
    # seconds, gcups: wall time of the work so far, and speed
    seconds: float = 0.0
    gcups: float = 0.0
    reason: str = ""  # why it failed

    @property
    def on(self) -> str:
        """Address of the other computer that carries it out; empty for this one."""
        return next((device.partition(" ")[2] for device in self.devices if device.startswith(f"{ELSEWHERE} ")), "")

    @property
    def name(self) -> str:
        """Its name in the list."""
        return self.about.name


class Turns:
    """The runs that are active, those that wait in their order, those that failed; at most one of a kind is active.

    Parameters
    ----------
    store : Runs
        Says what a request is called, and which devices it may use.
    """

    def __init__(self, store: Runs) -> None:
        self._store, self._ids = store, itertools.count(1)
        self._runs: list[QueuedRun] = []
        self._current: dict[str, QueuedRun] = {}  # by kind
        self._own: QueuedRun | None = None  # the run that had its turn last, while it runs
        self._starting: QueuedRun | None = None
        self.auto = AUTO  # the engine that "auto" means on this computer, once it is known

    @property
    def runs(self) -> tuple[QueuedRun, ...]:
        """All of them, in order."""
        return tuple(self._runs)

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(run.state == "waiting" for run in self._runs)

    def find(self, run_id: int) -> QueuedRun | None:
        """Return the run with an id."""
        return next((run for run in self._runs if run.id == run_id), None)

    def current(self, kind: str) -> QueuedRun | None:
        """Return the run of a kind that has begun, or that waits for a device with its page."""
        return self._current.get(kind)

    def in_the_way(self, kind: str, request: Any) -> QueuedRun | None:
        """Return the run that a request of a kind waits for: one that computes on the same device.

        No request waits for runs that are paused or give way.
        """
        devices = self.devices_of(kind, request)
        for run in self._runs:
            computes = run.state in ("preparing", "running", "stopping") and not kinds()[run.kind].gives_way
            if computes and run.kind != kind and meet(run.devices, devices):
                return run
        return None

    def devices_of(self, kind: str, request: Any) -> frozenset[str]:
        """Return the devices that a request of a kind may use."""
        engine, options = self._store.of(kind).engine(request)
        return devices_of(self.auto if engine == AUTO else engine, options)

    def began_with(self, run: QueuedRun, engine: str) -> bool:
        """Note the engine that a run began with; returns whether its devices are others than was known."""
        before, options = run.devices, self._store.of(run.kind).engine(run.request)[1]
        run.devices = devices_of(engine, options)
        return run.devices != before

    def add(self, request: Any, kind: str) -> QueuedRun:
        """Put a run behind those that wait."""
        run = self._entry(request, kind)
        first_failed = next((row for row, other in enumerate(self._runs) if other.state == "failed"), len(self._runs))
        self._runs.insert(first_failed, run)
        return run

    def remove(self, run: QueuedRun) -> None:
        """Take a run off."""
        self._runs.remove(run)

    def move_up(self, run: QueuedRun) -> bool:
        """Move a waiting run before the one above it; False if it cannot."""
        index = self._runs.index(run)
        if run.state != "waiting" or not index or self._runs[index - 1].state != "waiting":
            return False
        self._runs[index - 1], self._runs[index] = run, self._runs[index - 1]
        return True

    def next(self) -> QueuedRun | None:
        """Return the run that has its turn: its devices are free, and none of its kind has begun."""
        begun = self._current.values()
        waiting = [run for run in self._runs if run.state == "waiting" and run not in begun]
        # A measurement waits for all other runs
        run = next((run for run in waiting if not kinds()[run.kind].gives_way), waiting[0] if waiting else None)
        if run is None or self._own is not None or any(meet(run.devices, other.devices) for other in begun):
            return None
        taken = self.current(run.kind) is not None or (kinds()[run.kind].gives_way and begun)
        return None if taken else run

    @contextmanager
    def starting(self, run: QueuedRun) -> Iterator[None]:
        """Note, while a run is started, that it has its turn."""
        self._starting = self._own = run
        try:
            yield
        finally:
            self._starting = None

    def begun(self, kind: str, request: Any, began: str, *, waits: bool) -> None:
        """Note that a request has begun, also from a page, or waits for a device with its page.

        Parameters
        ----------
        began : str
            Local time, ISO 8601.
        """
        run, earlier = self._starting, self._current.get(kind)
        if earlier is not None:  # it waited, or this one replaced it and dropped its result
            self._runs.remove(earlier)
        if earlier is not None and earlier.request is request:
            run = earlier
        elif run is None or run.request is not request:
            run = self._entry(request, kind)
        else:
            self._runs.remove(run)
        before = sum(other in self._current.values() for other in self._runs) if waits else 0
        self._runs.insert(before, run)
        run.state = "waiting" if waits else "preparing"
        run.started = started_by_id(getattr(request, "run_id", "")) or began  # a run that is resumed began earlier
        if earlier is not run and earlier is self._own:
            self._own = None
        self._current[kind] = run

    def ended(self, kind: str, reason: str | None = None) -> bool:
        """Note that the run of a kind ended, with a `reason` if it failed; False if there is none."""
        run = self._current.pop(kind, None)
        if run is None:
            return False
        if run in self._runs:
            self._runs.remove(run)
        if reason is not None:
            run.state, run.reason = "failed", reason
            self._runs.append(run)
        if run is self._own:
            self._own = None
        return True

    def _entry(self, request: Any, kind: str) -> QueuedRun:
        kept = self._store.of(kind)
        return QueuedRun(next(self._ids), kind, request, kept.about(request), self.devices_of(kind, request))
