"""Short functions on a few threads, each under a key; only the newest result of a key is used."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from swgui.gui.kit.tasks.task import Task, TaskControl, leave, make_pool

T = TypeVar("T")
log = logging.getLogger(__name__)


class Tasks(QObject):
    """Runs short functions (parse a paste, align one pair) on a thread pool: one `Task` for each key."""

    failed = Signal(str, object)  # key and exception of a task that had no `failed` callback of its own
    progressed = Signal(str, int, str)  # key, thousandths done (-1 if not known) and the message of a task

    def __init__(self, parent: QObject | None = None, *, threads: int = 2) -> None:
        super().__init__(parent)
        self._pool = make_pool(threads)
        self._tasks: dict[str, Task] = {}
        self._closed = False

    @property
    def idle(self) -> bool:
        return all(task.idle for task in self._tasks.values())

    def pending(self, key: str) -> bool:
        """Whether the newest task of `key` has not reported back yet."""
        return key in self._tasks and self._tasks[key].busy

    def submit(
        self,
        key: str,
        function: Callable[[], T],
        done: Callable[[T], object],
        failed: Callable[[Exception], object] | None = None,
    ) -> None:
        """Run `function` on the pool, then `done(result)` or `failed(error)` on this object's thread.

        A newer submit with the same `key` makes this one stale: it does not start if it has not yet,
        and its callbacks are not called.
        """
        self.start(key, lambda _control: function(), done, failed)

    def start(
        self,
        key: str,
        work: Callable[[TaskControl], T],
        done: Callable[[T], object],
        failed: Callable[[Exception], object] | None = None,
    ) -> None:
        """Run `work` as `submit` does; an event tells it to stop once it is stale or dropped."""
        if self._closed:
            return
        if key not in self._tasks:
            self._forget_ended()
            self._tasks[key] = Task(self, pool=self._pool)
            self._tasks[key].progressed.connect(partial(self.progressed.emit, key))
        self._tasks[key].start(work, done, failed or partial(self._fail, key))

    def drop(self, key: str) -> None:
        """Make the newest task of `key` stale."""
        if key in self._tasks:
            self._tasks[key].drop()

    def shutdown(self, last: Callable[[], object] | None = None) -> None:
        """Make no more calls from now on, without waiting for running work. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        for task in self._tasks.values():
            task.shutdown()
        self._tasks.clear()
        if last is not None:
            self._pool.start(last)
        leave(self._pool)

    def _forget_ended(self) -> None:
        for key in [key for key, task in self._tasks.items() if task.idle]:
            self._tasks.pop(key).deleteLater()

    def _fail(self, key: str, error: Exception) -> None:
        log.error("Task %s failed", key, exc_info=error)
        self.failed.emit(key, error)
