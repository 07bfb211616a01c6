"""State that stays open between calls, and how a call runs: progress, and its end on Ctrl+C; devices and the sample."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.core.signals import stop_on_interrupt
from swgui.engines.base import Engine, EngineStatus
from swgui.engines.registry import KeptEngines, begin, new_engine, probe_engines
from swgui.jobs.events import Progress, Stage, run_to_end
from swgui.jobs.search.events import DatabaseAltered, RoundStarted
from swgui.jobs.search.opening import likely_work, open_steps
from swgui.jobs.search.request import SearchRequest
from swgui.library.bars import Bar, new_bar
from swgui.paths import resources_dir

T = TypeVar("T")
OnProgress = Callable[[str, int, int], object]
_OPEN_DATABASES: Final = 4
_PATIENCE: Final = 1.0  # seconds


class SwguiWarning(UserWarning):
    """A warning about input or result: residues that were replaced, for example, or a search that was stopped."""


class SessionCache:
    """Databases and engines that calls leave open for the next one."""

    def __init__(self) -> None:
        self.databases: dict[tuple[str, str], tuple[tuple[int, int], EncodedDatabase]] = {}
        self._engines, self._in_use = KeptEngines(), threading.Lock()
        self.last_engine: tuple[str, EngineOptions] | None = None

    def begin(self, request: SearchRequest) -> None:
        """Have the devices that a search is likely to take start meanwhile, unless one has been used before."""
        if self.last_engine is None:
            begin(request.search.engine, request.search.options, likely_work(request))

    @contextmanager
    def engine(self, name: str, options: EngineOptions) -> Iterator[Engine]:
        """Give the engine of the call before if it is the same, and free; another thread's call has one of its own."""
        if not self._in_use.acquire(blocking=False):
            with new_engine(name, options) as engine:
                yield engine
            return
        try:
            if self.last_engine not in (None, (name, options)):
                self._engines.close()  # it may hold most of a device's memory
            self.last_engine = name, options
            with self._engines.use(name, options) as engine:
                yield engine
        finally:
            self._in_use.release()

    def database(self, request: SearchRequest, cancel: threading.Event) -> Generator[Any, None, EncodedDatabase]:
        """Return the database of a request: the one that is open, if its file has not changed."""
        place = request.database
        if isinstance(place, EncodedDatabase):
            return place
        if isinstance(place, tuple):
            return (yield from open_steps(request, cancel))
        key, state = (os.path.realpath(place), request.search.database_alphabet.name), _state(place)
        opened = self.databases.pop(key, None)
        if opened is None or opened[0] != state:
            opened = (state, (yield from open_steps(request, cancel))) if state else None
        if opened is None:  # a pipe is read once
            return (yield from open_steps(request, cancel))
        self.databases[key] = opened
        while len(self.databases) > _OPEN_DATABASES:
            del self.databases[next(iter(self.databases))]
        return opened[1]

    def opened(self, request: SearchRequest, cancel: threading.Event) -> Generator[Any, None, SearchRequest]:
        """Return a request with its database open."""
        return replace(request, database=(yield from self.database(request, cancel)))

    def close(self) -> None:
        """Close the databases and the engines, which frees the devices."""
        self.databases.clear()
        if self._in_use.acquire(timeout=_PATIENCE):  # otherwise another thread computes on it
            self._engines.close()
            self.last_engine = None
            self._in_use.release()

    def forget(self) -> None:
        """Drop everything as it is: in a forked process the threads of the engines are not there."""
        self.databases, self._engines = {}, KeptEngines()
        self._in_use, self.last_engine = threading.Lock(), None


CACHE: Final = SessionCache()


def close() -> None:
    """Close what calls leave open for the next one: databases, and engines with what they hold on their devices.

    This is the one state that calls share. Results stay usable, and the next call opens what it needs. A `Database` in
    a ``with`` block calls this at its end.
    """
    CACHE.close()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=CACHE.forget)


def _state(place: Path) -> tuple[int, int] | None:
    """Return size and time of change of a file; None for what is no file."""
    with suppress(OSError, ValueError):
        if place.is_file():
            status = place.stat()
            return status.st_size, status.st_mtime_ns
    return None


class Listener:
    """Tells what a call does, and keeps what its result must say.

    Parameters
    ----------
    progress : callable, bool or None
        Called with the name of a stage, what is done of it and how much there is (0 where that is not known); True
        for a bar: of tqdm if that is installed (in a notebook that of notebooks), else text on the standard error.
    """

    def __init__(self, progress: OnProgress | bool | None) -> None:
        self.remarks: list[str] = []
        self._bar: Bar | None = new_bar() if progress is True else None
        self._call = progress if callable(progress) else None

    def event(self, event: object) -> None:
        """Tell of an event of a job."""
        match event:
            case DatabaseAltered(name, summary):
                self.remarks.append(f"{name}: {summary}")
                warn(self.remarks[-1])
            case Stage(name, done, total):
                self._tell(name, done, total)
            case Progress():
                self._tell(event.stage, event.done, event.total)
            case RoundStarted():
                named = f"Round {event.number}{' with the hits' if event.hits else ''}"
                self._tell(event.name if event.behind else named, 0, 0)

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self._call is not None:
            self._call(stage, done, total)
        if self._bar is not None:
            self._bar.show(stage, done, total)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()


def finish(
    steps: Callable[[threading.Event], Iterator[object]], progress: OnProgress | bool | None
) -> tuple[Any, list[str]]:
    """Run the steps of a job to their end; Ctrl+C stops it, and what was done by then is its result.

    Parameters
    ----------
    steps : callable
        Takes the event that stops them.
    progress : callable, bool or None
        As of `Listener`.

    Returns
    -------
    result : object
    remarks : list of str
        What users should know of it.

    Raises
    ------
    KeyboardInterrupt
        If it was stopped before there was anything, or a second time.
    SwguiError
        As the job.
    """
    listener = Listener(progress)
    with stop_on_interrupt(only_keyboard=True) as cancel:
        running = steps(cancel)
        try:
            result = run_to_end(running, listener.event)
        except Stopped:
            result = None
        finally:
            if isinstance(running, Generator):
                running.close()
            listener.close()
    if result is None:
        raise KeyboardInterrupt
    return result, listener.remarks


def warn(message: str) -> None:
    """Warn the caller of the library."""
    depth, frame = 1, sys._getframe(1)
    inside = ("swgui.", "contextlib")  # the latter between functions that are decorated
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(inside):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, SwguiWarning, stacklevel=depth)


class Sample(NamedTuple):
    """The sample that ships: 42 proteins of known families, and a database of them and 4,958 simulated ones."""

    queries: Path
    database: Path


def sample() -> Sample:
    """Return where the sample lies: ``queries, database = swgui.sample()``."""
    examples = resources_dir() / "examples"
    return Sample(examples / "sample_proteins.fasta", examples / "sample_database.fasta.gz")


def devices(*, refresh: bool = False) -> tuple[EngineStatus, ...]:
    """Return the engines of this computer and their devices, those that ``engine="auto"`` tries first, best first.

    Parameters
    ----------
    refresh : bool
        Look again; otherwise what was found before is returned.

    Returns
    -------
    tuple of EngineStatus
        Each with ``name`` (what ``engine=`` takes), ``available``, ``devices`` (with ``id``, which ``device=`` takes,
        ``name``, ``memory`` and ``free_memory`` in bytes, and ``facts``), and, where it is not available, ``reason``
        and ``hint``.
    """
    return probe_engines(refresh=refresh)
