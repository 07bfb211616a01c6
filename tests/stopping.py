"""SIGTERM at a chosen moment of a command."""

import os
import signal
import threading
import time

from swgui.cli import main
from swgui.core.signals import RECEIVED
from swgui.engines.native import library


class Calls:
    """Counts calls of compiled functions, and has SIGTERM come with one of them."""

    def __init__(self, monkeypatch):
        self.number, self.after, self.signal_at, self._lock = 0, 0, 0, threading.Lock()
        given = library.function
        monkeypatch.setattr(library, "function", lambda *words, **how: self._counted(given(*words, **how)))

    def _counted(self, function):
        def call(*arguments):
            with self._lock:
                self.number += 1
                comes = self.number == self.signal_at
                self.after += bool(RECEIVED)
            if comes:
                os.kill(os.getpid(), signal.SIGTERM)
                deadline = time.monotonic() + 60
                while not RECEIVED and time.monotonic() < deadline:  # the main thread takes it, even where it
                    signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)  # began to wait just then
                    time.sleep(0.001)
            return function(*arguments)

        return call

    def of(self, arguments, signal_at=0):
        """Run a command; return its status."""
        RECEIVED.clear()
        self.number, self.after, self.signal_at = 0, 0, signal_at
        before = signal.signal(signal.SIGUSR1, lambda *_: None)
        try:
            return main(arguments)
        finally:
            signal.signal(signal.SIGUSR1, before)
