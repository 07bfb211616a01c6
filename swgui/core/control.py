"""Stop and pause of running work, also of work in a thread of its own.

Code that starts a run has an event that ends it, `RunControl` where it can be paused, too. Code that computes takes a
`Check` and calls it between pieces of work; `checking` makes a check of an event. `swgui.core.signals` sets the event
at Ctrl+C.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from swgui.core.errors import Stopped

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
POLL_SECONDS: Final = 0.05  # between two looks at the end of a pause
LISTED_SECONDS: Final = 0.8  # grace period after Stop, in which a search still lists its hits so far
MIN_GRACE: Final = 0.25  # share of a grace period that is left where other work after Stop used it up
_LOOK_SECONDS: Final = 0.1  # between two looks at Stop

Check = Callable[[], None]  # called between pieces of work, by several threads; raises `Stopped` to give up


class StopEvent(threading.Event):
    """Set to stop, as any event; it also keeps when that was.

    Attributes
    ----------
    set_at : float or None
        The time of the first `set`, as `time.monotonic` tells it; None before.
    """

    def __init__(self) -> None:
        super().__init__()
        self.set_at: float | None = None

    def set(self) -> None:
        """Stop."""
        if self.set_at is None:
            self.set_at = time.monotonic()
        super().set()


class RunControl(StopEvent):
    """Set to stop, as any event; it can also pause a run between two chunks.

    A run with such a control also tells the best hits so far, which a window shows. A pause frees nothing: buffers and
    databases stay where they are, so that the run resumes at once.

    Attributes
    ----------
    wanted : bool
        False once this program needs neither the run nor its events: a run on another computer continues then.
    """

    wanted = True

    def __init__(self) -> None:
        super().__init__()
        self._paused = threading.Event()

    @property
    def paused(self) -> bool:
        """True if the run is to pause; never after a stop."""
        return self._paused.is_set() and not self.is_set()

    def pause(self) -> None:
        """Let the run pause before its next chunk."""
        self._paused.set()

    def resume(self) -> None:
        """End the pause."""
        self._paused.clear()

    def wait_while_paused(self) -> float:
        """Wait until the pause ends or the run is stopped; return the seconds that took."""
        began = time.perf_counter()
        while self.paused:
            self.wait(POLL_SECONDS)
        return time.perf_counter() - began


class Grace:
    """The time after Stop in which hits found so far are still listed; several threads may ask.

    It begins with Stop, so that work between Stop and the first look shortens it, to a share of `MIN_GRACE` at least.
    """

    def __init__(self) -> None:
        self._seen: float | None = None
        self._stopped = 0.0

    def begin(self, cancel: threading.Event) -> None:
        """Note that Stop was seen; only the first call counts."""
        if self._seen is None:
            self._seen = time.monotonic()
            self._stopped = (cancel.set_at if isinstance(cancel, StopEvent) else None) or self._seen

    def over(self, seconds: float) -> bool:
        """Return whether so many seconds of it are over; False before it began."""
        if self._seen is None:
            return False
        return time.monotonic() > max(self._stopped + seconds, self._seen + MIN_GRACE * seconds)


def rest(control: threading.Event) -> float:
    """Wait while a run is paused, where that is possible; return the seconds that took."""
    return control.wait_while_paused() if isinstance(control, RunControl) else 0.0


class AnyEvent(threading.Event):
    """Set if it was set itself, or if another event is."""

    def __init__(self, *others: threading.Event) -> None:
        super().__init__()
        self._others = others

    def is_set(self) -> bool:
        """Whether any of them is set."""
        return super().is_set() or any(other.is_set() for other in self._others)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for this one alone; return whether any of them is set."""
        return self.is_set() or super().wait(timeout) or self.is_set()


def start_thread(work: Callable[[], T], name: str, *, daemon: bool = False) -> Future[T]:
    """Begin one piece of work in a thread of its own; the future has its result or its exception.

    Many pieces go to a pool (`swgui.jobs.threads`, `swgui.engines.native.subjects.in_parallel`).

    Parameters
    ----------
    daemon : bool
        Whether the program may end before the work: not where it writes a file or is in a driver or a compiler.
    """
    from concurrent.futures import Future  # here: the text of --help needs none of it

    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as fault:  # for the waiting caller
            future.set_exception(fault)

    threading.Thread(target=run, name=name, daemon=daemon).start()
    return future


def run_interruptible(work: Callable[[], T], check: Check) -> T:
    """Return the value of work in a thread, such as reading a file; `check` may raise `Stopped` while it waits."""
    from concurrent.futures import wait

    coming = start_thread(work, "swgui-interruptible", daemon=True)
    while not wait([coming], _LOOK_SECONDS).done:
        check()
    return coming.result()


def checking(cancel: threading.Event | None, message: str = "Stopped.", *, hint: str = "") -> Check:
    """Return a function that raises `Stopped` once an event is set; without an event it never does."""

    def check() -> None:
        if cancel is not None and cancel.is_set():
            raise Stopped(message, hint=hint)

    return check
