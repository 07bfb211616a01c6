"""Signals that ask the program for an end: Ctrl+C, SIGTERM and SIGHUP."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final

from swgui.core.control import StopEvent

Handler = Callable[[int, FrameType | None], object]
SIGNALS: Final[Sequence[signal.Signals]] = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
RECEIVED: Final[list[int]] = []  # signals that asked for an end, the first one first


@contextmanager
def handling(handler: Handler, signals: Sequence[signal.Signals] = SIGNALS) -> Iterator[None]:
    """Handle the signals that ask for an end; one that is switched off, as `nohup` does with SIGHUP, stays so."""
    before = {}

    def noted(signum: int, frame: FrameType | None) -> None:
        RECEIVED.append(signum)
        handler(signum, frame)

    if threading.current_thread() is threading.main_thread():
        ignored = {sig for sig in signals if sig != signal.SIGINT and signal.getsignal(sig) is signal.SIG_IGN}
        before = {sig: signal.signal(sig, noted) for sig in signals if sig not in ignored}
    try:
        yield
    finally:
        for sig, earlier in before.items():
            signal.signal(sig, earlier)


@contextmanager
def stop_on_interrupt(*, only_keyboard: bool = False) -> Iterator[threading.Event]:
    """Turn the first signal that asks for an end into a stop that keeps the scores so far; the second ends the program.

    Parameters
    ----------
    only_keyboard : bool
        Leave all signals but Ctrl+C to the program that this is a part of.
    """
    cancel = StopEvent()

    def stop(signum: int, frame: FrameType | None) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    with handling(stop, SIGNALS[:1] if only_keyboard else SIGNALS):
        yield cancel
