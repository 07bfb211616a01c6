"""Work behind the window: one long job at a time on its own thread, and short jobs on a pool.

The window's thread never computes, parses or writes files. It hands functions to `JobRunner` (a search:
a generator of events) or to `ShortJobs` (parse a paste, align one pair), and hears from them in its own
thread through Qt signals or callbacks. What is no longer wanted is dropped here, so that listeners never
see an event of a job they have replaced.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, QThread, QThreadPool, Signal, Slot

from swgui.core.control import RunControl

T = TypeVar("T")
MakeEvents = Callable[[RunControl], Iterable[object]]
log = logging.getLogger(__name__)


class _Worker(QObject):
    """Runs one job after another on the thread it was moved to."""

    event = Signal(int, object)
    failed = Signal(int, object)
    finished = Signal(int, bool)

    def __init__(self) -> None:
        super().__init__()
        self.oldest_wanted = 0  # jobs below it end at their next event; written by the window's thread only

    @Slot(int, object, object)
    def run(self, job_id: int, make_events: MakeEvents, cancel: RunControl) -> None:
        """Draw all events from the job's generator and close it here, in the thread that ran it."""
        try:
            if job_id < self.oldest_wanted:
                return
            # Leaving the block closes the generator, so its own `finally` frees device memory in this thread.
            with closing(_as_generator(make_events(cancel))) as events:
                for event in events:
                    if job_id < self.oldest_wanted:
                        return
                    self.event.emit(job_id, event)
        except Exception as error:  # whatever a job raises is for the user to read, never a dead thread
            if job_id >= self.oldest_wanted:
                log.exception("Job %d failed", job_id)
                self.failed.emit(job_id, error)
        finally:
            self.finished.emit(job_id, cancel.is_set())


def _as_generator(events: Iterable[object]) -> Iterator[object]:
    """Return an iterator that can be closed, also for a plain list of events."""
    if hasattr(events, "close"):
        return iter(events)
    return (event for event in events)


class JobRunner(QObject):
    """Runs one long job (a generator of events) at a time on one persistent thread.

    Every job has its own id and its own `RunControl`. A newer job cancels the older one, and
    nothing the older one still says is passed on. A job that is only cancelled keeps its voice: its
    generator ends by itself and may hand over what it has.

    Signals
    -------
    event(int, object)
        Job id and one event.
    failed(int, object)
        Job id and the exception that ended it; `finished` follows.
    finished(int, bool)
        Job id and whether it had been cancelled. Exactly once for each job that was not replaced.
    """

    event = Signal(int, object)
    failed = Signal(int, object)
    finished = Signal(int, bool)
    _begin = Signal(int, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._id = 0
        self._cancel: RunControl | None = None
        self._closed = False
        self._thread = QThread()
        self._thread.setObjectName("swgui-jobs")
        self._worker = _Worker()
        self._worker.moveToThread(self._thread)
        queued = Qt.ConnectionType.QueuedConnection
        self._begin.connect(self._worker.run, queued)
        self._worker.event.connect(self._on_event, queued)
        self._worker.failed.connect(self._on_failed, queued)
        self._worker.finished.connect(self._on_finished, queued)
        self._thread.start()

    @property
    def current(self) -> int:
        """Id of the job that runs or ran last; 0 before the first."""
        return self._id

    @property
    def running(self) -> bool:
        """Whether the current job has not finished yet."""
        return self._cancel is not None

    @property
    def cancelling(self) -> bool:
        """Whether the current job runs and was told to stop."""
        return self._cancel is not None and self._cancel.is_set()

    def start(self, make_events: MakeEvents) -> int:
        """Start a job and return its id; a job that still runs is cancelled and falls silent.

        Parameters
        ----------
        make_events : Callable[[RunControl], Iterable[object]]
            Called on the worker's thread with what stops and pauses the job.
        """
        if self._closed:
            raise RuntimeError("The job runner was shut down.")
        self.cancel()
        self._id += 1
        self._cancel = RunControl()
        self._worker.oldest_wanted = self._id
        self._begin.emit(self._id, make_events, self._cancel)
        return self._id

    def cancel(self) -> None:
        """Tell the current job to stop; it ends by itself and `finished` follows."""
        if self._cancel is not None:
            self._cancel.set()

    def pause(self, on: bool) -> None:
        """Pause the current job before its next chunk, or resume it; jobs that cannot pause go on."""
        if self._cancel is not None:
            (self._cancel.pause if on else self._cancel.resume)()

    def shutdown(self) -> None:
        """Stop the current job, silence it and join the thread. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self.cancel()
        self._worker.oldest_wanted = self._id + 1
        self._thread.quit()
        self._thread.wait()

    @Slot(int, object)
    def _on_event(self, job_id: int, event: object) -> None:
        if job_id == self._id and not self._closed:
            self.event.emit(job_id, event)

    @Slot(int, object)
    def _on_failed(self, job_id: int, error: object) -> None:
        if job_id == self._id and not self._closed:
            self.failed.emit(job_id, error)

    @Slot(int, bool)
    def _on_finished(self, job_id: int, cancelled: bool) -> None:
        if job_id == self._id and not self._closed:
            self._cancel = None
            self.finished.emit(job_id, cancelled)


class ShortJobs(QObject):
    """Runs short functions on a thread pool; only the newest of each key is listened to.

    Signals
    -------
    failed(str, object)
        Key and exception of a job that had no `failed` callback of its own.
    """

    failed = Signal(str, object)
    _ended = Signal(int, object, object)

    def __init__(self, parent: QObject | None = None, *, threads: int = 2) -> None:
        super().__init__(parent)
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(threads)
        self._ticket = 0
        self._newest: dict[str, int] = {}
        self._waiting: dict[int, tuple[str, Callable[[Any], None], Callable[[Exception], None] | None]] = {}
        self._closed = False
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    @property
    def idle(self) -> bool:
        """Whether nothing runs and every callback was called."""
        return not self._waiting

    def pending(self, key: str) -> bool:
        """Whether the newest job of `key` has not reported back yet."""
        ticket = self._newest.get(key)
        return ticket is not None and ticket in self._waiting

    def submit(
        self,
        key: str,
        function: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Run `function` on the pool, then `done(result)` or `failed(error)` on this object's thread.

        A newer submit with the same `key` makes this one stale: it does not start if it has not yet,
        and its callbacks are not called.
        """
        if self._closed:
            return
        self._ticket += 1
        ticket = self._ticket
        self._newest[key] = ticket
        self._waiting[ticket] = (key, done, failed)
        self._pool.start(lambda: self._run(ticket, key, function))

    def drop(self, key: str) -> None:
        """Make the newest job of `key` stale."""
        self._newest.pop(key, None)

    def shutdown(self) -> None:
        """Forget what waits, wait for what runs; no callback is called afterwards. Safe to call twice."""
        self._closed = True
        self._newest.clear()
        self._pool.clear()
        self._pool.waitForDone()
        self._waiting.clear()

    def _run(self, ticket: int, key: str, function: Callable[[], Any]) -> None:
        result: object = None
        error: Exception | None = None
        if self._newest.get(key) == ticket:
            try:
                result = function()
            except Exception as caught:  # handed to the window's thread, which can show it
                error = caught
        self._ended.emit(ticket, result, error)

    @Slot(int, object, object)
    def _on_ended(self, ticket: int, result: object, error: Exception | None) -> None:
        key, done, failed = self._waiting.pop(ticket, ("", None, None))
        if done is None or self._newest.get(key) != ticket:
            return
        if error is None:
            done(result)
        elif failed is not None:
            failed(error)
        else:
            log.error("Short job %s failed", key, exc_info=error)
            self.failed.emit(key, error)
