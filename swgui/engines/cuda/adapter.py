"""The door to the ``cuda`` engine: the rest of it, and CuPy, are loaded only where there is a driver."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from swgui.core.engines import EngineOptions
from swgui.engines.base import EngineStatus, KernelUse
from swgui.engines.cuda import device, opening

if TYPE_CHECKING:
    from swgui.core.database import EncodedDatabase
    from swgui.core.scoring import EncodedQuery, ScoringScheme
    from swgui.engines.cuda.engine import CudaEngine
    from swgui.engines.cuda.streaming.rating import TileRater


def status() -> EngineStatus:
    """Return the devices, without raising."""
    return device.probe() if device.has_driver() else device.without_driver()


def present() -> bool:
    """Whether there is a driver; whether it has a device is known once CUDA is loaded."""
    return device.has_driver()


def begin(options: EngineOptions) -> None:
    """Start the driver in the background: a caller that soon needs the status and the engine."""
    opening.begin(opening.number_of(next(iter(options.devices), "")))


def create(options: EngineOptions) -> CudaEngine:
    """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
    from swgui.engines.cuda import engine

    return engine.create(options)


def kernel_use(
    options: EngineOptions,
    queries: Sequence[EncodedQuery],
    scheme: ScoringScheme,
    database: EncodedDatabase | None = None,
) -> tuple[KernelUse, ...]:
    """As `swgui.engines.cuda.kernel_use.kernel_use`."""
    from swgui.engines.cuda import kernel_use as kernels

    return kernels.kernel_use(options, queries, scheme, database)


def tile_rater(wanted: str) -> TileRater:
    """Return the clock of tiles on a device; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
    from swgui.engines.cuda.streaming import rating

    return rating.TileRater(wanted)


def prepare(
    scheme: ScoringScheme, database: EncodedDatabase | None, cancel: threading.Event, threads: int = 1
) -> Iterator[tuple[int, int]]:
    """As `swgui.engines.cuda.preparing.prepare`; nothing without a driver."""
    if device.has_driver():
        from swgui.engines.cuda import preparing

        yield from preparing.prepare(scheme, database, cancel, threads)
