"""Which run holds a device: those that users asked for go before what measures or serves. No Qt; safe for threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Final

from swgui.core.engines import EngineOptions
from swgui.core.methods.base import AUTO
from swgui.engines.facts import CPU, GPU, REFERENCE
from swgui.jobs.kind import Kind, kinds

HOST: Final = (CPU.name, REFERENCE.name)  # engines of the processor
WAIT: Final = "Wait until the {noun} has ended."


def devices_of(engine: str, options: EngineOptions) -> frozenset[str]:
    """Return the devices that a run may use: ``cpu``, a name such as ``cuda 1``, or ``cuda`` for any of an engine.

    An engine that is chosen when the run begins may be the CPU or a GPU.
    """
    if engine == AUTO:
        return frozenset({CPU.name, GPU.name})
    host = engine in HOST
    return frozenset({CPU.name} if host else {f"{engine} {name}" for name in options.devices} or {engine})


def meet(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether two runs may use the same device."""
    return any(a == b or a.partition(" ")[0] == b or a == b.partition(" ")[0] for a in some for b in others)


class Holding:
    """The runs that hold a device.

    Every user's run, of whatever kind, takes hold when it begins and gives back when it ends. What measures or serves
    (sweeps, estimates, compiling ahead, the folding server) waits meanwhile, or is refused with `refusal`.
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
