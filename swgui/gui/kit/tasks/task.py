"""Work behind the window: a function on another thread, with progress, a result, and a way to stop it.

The window's thread never computes, parses or writes files. It hands functions to a `Task` and receives their events in
its own thread. Each start is a generation; one place, `Task._deliver`, drops events of older generations, so that
replaced work sends no more events. Only `join` waits; the program calls it after the window has closed: closing the
window only tells work to stop.
"""

from __future__ import annotations

import functools
import logging
import weakref
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QDeadlineTimer, QObject, Qt, QThreadPool, QTimer, Signal, Slot
from shiboken6 import isValid

from swgui.core.control import RunControl
from swgui.core.errors import explaining

T = TypeVar("T")
Tell = Callable[[int, int, str], None]  # done, total (0: not known), message
MakeEvents = Callable[[RunControl], Iterable[object]]
INTERVAL_MS = 100  # between two reports of progress
STEPS = 1_000  # of progress: Qt's integers have 32 bits, files may have more bytes
log = logging.getLogger(__name__)
_pools: set[QThreadPool] = set()  # all existing pools: a pool deleted at work would wait and never end
_tasks: weakref.WeakSet[Task] = weakref.WeakSet()
_left: set[QThreadPool] = set()  # tasks that are not used any more


class TaskControl(RunControl):
    """Argument of the function of a task: tells it to stop or pause, and takes its progress."""

    def __init__(self, generation: int, task: Task) -> None:
        super().__init__()
        self.generation = generation  # of the task
        self.wanted = True  # false once no listener is left; written by the window's thread
        # Thousandths done (-1 if not known) and message; written by the function's thread.
        self.told: tuple[int, str] | None = None
        self.announced = False
        self._task = task

    def tell(self, done: int, total: int, text: str = "") -> None:
        """Report progress; `total` is 0 if it is not known. Cheap: most reports are never shown."""
        self.told = (round(STEPS * done / total) if total else -1, text)
        if not self.announced:
            self.announced = True
            _relay().call(partial(self._task._deliver, self, self._task._pass_on))

    def send(self, part: object) -> None:
        """Hand over a part of the result; the window's thread receives every one of them, in order."""
        _relay().call(partial(self._task._deliver, self, partial(self._task.part.emit, part)))


class Task(QObject):
    """Runs one function at a time in the background; a newer one replaces the older.

    The older one stops and sends no more events; the newer begins when it has returned. Work stopped without
    a replacement still sends events: it ends by itself and may hand over a partial result.
    """

    changed = Signal()  # work began, received a stop, or ended
    progressed = Signal(int, str)  # thousandths done, -1 if not known, and message; at most ten times a second
    part = Signal(object)  # a part of the result
    failed = Signal(object)  # the exception that ended work without a callback for it; `finished` follows
    # Work ended; whether it had received a stop. Exactly once for each start that was not replaced.
    finished = Signal(bool)

    def __init__(self, parent: QObject | None = None, *, pool: QThreadPool | None = None) -> None:
        super().__init__(parent)
        _relay()  # in the window's thread
        _tasks.add(self)
        self._own = pool is None
        self._pool = make_pool(1) if pool is None else pool
        self._generation = 0
        self._control: TaskControl | None = None
        self._runs = 0
        self._closed = False
        self._paced = False
        self.title = ""

    @property
    def busy(self) -> bool:
        return self._control is not None

    @property
    def stopping(self) -> bool:
        return self._control is not None and self._control.is_set()

    @property
    def idle(self) -> bool:
        """Whether no work runs, current or replaced, and every callback was called."""
        return not self._runs

    def start(
        self,
        work: Callable[[TaskControl], T],
        done: Callable[[T], object] | None = None,
        failed: Callable[[Exception], object] | None = None,
        *,
        title: str = "",
    ) -> None:
        """Run `work` on another thread, then `done(result)` or `failed(error)` on this one.

        Parameters
        ----------
        done, failed : callable, optional
            Without `failed`, the signal of this name reports errors.
        """
        if self._closed:
            return
        self._replace()
        control = self._control = TaskControl(self._generation, self)
        self.title = title
        self._runs += 1
        self._pool.start(partial(self._run, control, work, done, failed))
        self.changed.emit()

    def follow(self, make_events: MakeEvents) -> None:
        """Run a generator on another thread and pass each of its items to `part`.

        It is closed in the thread that ran it, so that its own ``finally`` frees device memory there.
        """
        self.start(partial(_send_all, make_events))

    def stop(self) -> None:
        """Tell the work to stop; it ends by itself."""
        if self._control is not None and not self._control.is_set():
            self._control.set()
            self.changed.emit()

    def pause(self, on: bool) -> None:
        """Pause the work before its next step, or resume it; work that cannot pause keeps running."""
        if self._control is not None:
            (self._control.pause if on else self._control.resume)()

    def drop(self) -> None:
        if self._control is not None:
            self._replace()
            self.changed.emit()

    def shutdown(self) -> None:
        """Drop the work for good, without waiting for it. Safe to call twice."""
        if self._closed:
            return
        self._replace()
        self._closed = True
        if self._own:
            leave(self._pool)

    def _replace(self) -> None:
        self._generation += 1
        if self._control is not None:
            self._control.wanted = False
            self._control.set()
            self._control = None

    def _run(
        self,
        control: TaskControl,
        work: Callable[[TaskControl], T],
        done: Callable[[T], object] | None,
        failed: Callable[[Exception], object] | None,
    ) -> None:
        end: Callable[[], object] = lambda: None  # noqa: E731
        if control.wanted:
            try:
                with explaining():
                    result = work(control)
                end = partial(done, result) if done is not None else end
            except Exception as error:  # the user reads any error; the thread never dies
                end = partial(failed or self._fail, error)
        _relay().call(partial(self._end, control, end))

    def _fail(self, error: Exception) -> None:
        log.error("Work in the background failed: %s", self.title, exc_info=error)
        self.failed.emit(error)

    def _end(self, control: TaskControl, end: Callable[[], object]) -> None:
        self._runs -= 1
        self._deliver(control, partial(self._ended, control, end))

    def _ended(self, control: TaskControl, end: Callable[[], object]) -> None:
        self._control = None
        self.changed.emit()
        end()
        self.finished.emit(control.is_set())

    def _deliver(self, control: TaskControl, call: Callable[[], object]) -> None:
        """Pass on the events of the work, unless it was replaced or no listener is left."""
        if control.generation == self._generation and not self._closed and isValid(self):
            call()

    def _pass_on(self) -> None:
        if not self._paced:
            self._paced = True
            self._tell()
            QTimer.singleShot(INTERVAL_MS, self, self._tell_again)

    def _tell_again(self) -> None:
        self._paced = False
        if self._control is not None and self._control.announced:
            self._pass_on()

    def _tell(self) -> None:
        if self._control is not None and self._control.told is not None:
            self._control.announced = False
            self.progressed.emit(*self._control.told)


def make_pool(threads: int) -> QThreadPool:
    """Return a pool of threads that `join` waits for; hand it to `leave` at the end."""
    pool = QThreadPool()
    pool.setMaxThreadCount(threads)
    pool.setExpiryTimeout(-1)  # one thread for all work of a task: devices keep things by thread
    _pools.add(pool)
    return pool


def leave(pool: QThreadPool) -> None:
    _left.add(pool)
    for idle in [pool for pool in _left if not pool.activeThreadCount()]:
        _left.discard(idle)
        _pools.discard(idle)


def stop_all() -> None:
    """Shut down every task, those of dialogs included, without waiting."""
    for task in list(_tasks):
        task.shutdown()


def join(timeout_ms: int = -1) -> bool:
    """Wait until no work runs any more; False if some still does after a time."""
    deadline = QDeadlineTimer(timeout_ms)
    ended = {pool for pool in _pools if pool.waitForDone(deadline)}
    _pools.difference_update(ended)
    return not _pools


def _send_all(make_events: MakeEvents, control: TaskControl) -> None:
    # Leaving the block closes the generator in this thread.
    with closing(_as_generator(make_events(control))) as events:
        for event in events:
            if not control.wanted:
                return
            control.send(event)


def _as_generator(events: Iterable[object]) -> Generator[object, None, None]:
    """Return a generator, also for a plain list of events; closing it closes its source."""
    yield from events


class _Relay(QObject):
    """Calls functions on the window's thread, in the order in which other threads ask for it."""

    _wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._wanted.connect(self._call, Qt.ConnectionType.QueuedConnection)

    def call(self, function: Callable[[], object]) -> None:
        """Have a function called; returns at once."""
        self._wanted.emit(function)

    @Slot(object)
    def _call(self, function: Callable[[], object]) -> None:
        function()


@functools.cache
def _relay() -> _Relay:
    return _Relay()
