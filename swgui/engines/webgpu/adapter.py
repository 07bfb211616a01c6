"""The door to the ``webgpu`` engine: the rest of it, and its package, are loaded only where that is installed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.engines.base import Engine, EngineStatus
from swgui.engines.webgpu import adapters

if TYPE_CHECKING:
    from swgui.core.database import EncodedDatabase
    from swgui.core.scoring import ScoringScheme
    from swgui.engines.webgpu.engine import WebGpuEngine


def status() -> EngineStatus:
    """Return the adapters, without raising."""
    return adapters.status()


def present() -> bool:
    """Whether the package is installed; whether there is an adapter is known once it is loaded."""
    return adapters.installed()


def create(options: EngineOptions) -> WebGpuEngine:
    """Make the engine.

    Raises
    ------
    EngineUnavailable
        If there is no adapter.
    EngineFault
        If one cannot be opened.
    InvalidParameter
        If there is no such adapter, or a setting is given: there are none.
    """
    for name, value in options.settings.items():
        raise InvalidParameter(name, value, f"The engine '{adapters.NAME}' has no setting '{name}'.")
    chosen = adapters.choose(options.devices)
    from swgui.engines.webgpu.card import Card
    from swgui.engines.webgpu.engine import WebGpuEngine

    return WebGpuEngine([Card(one) for one in chosen], _cores(options.threads))


def prepare(
    scheme: ScoringScheme, database: EncodedDatabase | None, cancel: threading.Event, threads: int = 1
) -> Iterator[tuple[int, int]]:
    """Measure the kernels on adapters on which they were not measured yet, software left out.

    Yields
    ------
    tuple of int
        Adapters done and adapters in all.
    """
    from swgui.engines.webgpu import speeds
    from swgui.engines.webgpu.card import Card

    some = [one for one in adapters.adapters() if not (one.missing or one.software or speeds.measured(one))]
    for number, one in enumerate(some, start=1):
        with closing(Card(one)) as card:
            speeds.measure(card, cancel)
        if cancel.is_set():
            return
        yield number, len(some)


def _cores(threads: int) -> Engine:
    """Return the engine of the cores; NumPy's where the compiled library cannot be used."""
    from swgui.engines import cpu, reference

    made = cpu if cpu.status().available else reference
    engine: Engine = made.create(EngineOptions(threads=threads))
    return engine
