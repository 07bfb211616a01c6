"""The runs that hold a device: measurements and servers wait for those of users. No Qt; safe for threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Final

from swgui.jobs.kind import Kind, kinds

WAIT: Final = "Wait until the {noun} has ended."


class Holding:
    """The runs that hold a device.

    Every user's run, of whatever kind, takes hold when it begins and gives back when it ends. Measurements and servers
    (sweeps, estimates, compiling ahead, the folding server) wait meanwhile, or are refused with `refusal`.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held: dict[Hashable, Kind] = {}
        self._listeners: list[Callable[[], object]] = []

    def take(self, run: Hashable, kind: str) -> None:
        """Note that a run of a kind computes from now on; nothing where it does already.

        Parameters
        ----------
        run : hashable
            What tells it from other runs.
        kind : str
            Name of its `swgui.jobs.kind.Kind`.
        """
        with self._lock:
            if run in self._held:
                return
            self._held[run] = kinds()[kind]
        self._tell()

    def give_back(self, run: Hashable) -> None:
        """Note that a run computes no more; nothing where it did not."""
        with self._lock:
            if self._held.pop(run, None) is None:
                return
        self._tell()

    @property
    def users(self) -> Kind | None:
        """The kind of the run of a user that began first among those which hold a device; None if there is none."""
        with self._lock:
            return next((kind for kind in self._held.values() if not kind.gives_way), None)

    @property
    def held(self) -> bool:
        """Whether any run holds a device, also one that measures."""
        with self._lock:
            return bool(self._held)

    @property
    def refusal(self) -> str:
        """Why nothing may measure or serve now, as a sentence; empty if it may."""
        kind = self.users
        return WAIT.format(noun=kind.noun) if kind is not None else ""

    def listen(self, hear: Callable[[], object]) -> Callable[[], None]:
        """Call a function after each change, in the thread that made it; return what ends that."""
        with self._lock:
            self._listeners.append(hear)

        def end() -> None:
            with self._lock:
                if hear in self._listeners:
                    self._listeners.remove(hear)

        return end

    def _tell(self) -> None:
        with self._lock:
            listeners = tuple(self._listeners)
        for hear in listeners:
            hear()
