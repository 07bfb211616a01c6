"""Stop for compiled calls: a flag that they look at every few thousand columns, set once a check raises."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import POLL_SECONDS, Check
from swgui.core.errors import Stopped

NEVER: Final[NDArray[np.int32]] = np.zeros(1, dtype=np.int32)  # the flag of a call without a stop


class _Watch:
    """Asks the checks of all calls under way, in a thread of its own."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls: dict[int, tuple[Check, NDArray[np.int32]]] = {}
        self._running = False

    def add(self, check: Check, flag: NDArray[np.int32]) -> None:
        with self._changed:
            self._calls[id(flag)] = check, flag
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="swgui-stop", daemon=True).start()
            elif len(self._calls) == 1:
                self._changed.notify()

    def remove(self, flag: NDArray[np.int32]) -> None:
        with self._changed:
            self._calls.pop(id(flag), None)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._calls))
                calls = list(self._calls.values())
            for check, flag in calls:
                try:
                    check()
                except BaseException:  # it raises again where the call returns
                    flag[0] = 1
            threading.Event().wait(POLL_SECONDS)


_watch: Final = _Watch()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watch.__init__)  # type: ignore[misc]  # its thread is not in the new process


@contextmanager
def stop_flag(check: Check) -> Iterator[NDArray[np.int32]]:
    """Yield a flag, shape (1,), that is other than 0 once `check` raises; at the end `check` is called once more."""
    flag = np.zeros(1, dtype=np.int32)
    _watch.add(check, flag)
    try:
        yield flag
    except Stopped:
        check()  # raises the error that stopped the call
        raise
    finally:
        _watch.remove(flag)
    check()
