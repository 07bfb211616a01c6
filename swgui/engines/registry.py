"""Finds engines by name. Adapters are imported only when asked for, so that a start touches no CUDA."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol, cast

from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import Engine, EngineOptions, EngineStatus, KernelUse


class Adapter(Protocol):
    """What the module of an engine offers."""

    def status(self) -> EngineStatus:
        """Say whether the engine can run here, without raising."""

    def create(self, options: EngineOptions) -> Engine:
        """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""


class KernelAdapter(Adapter, Protocol):
    """What the module of an engine offers if it launches kernels."""

    def kernel_use(
        self,
        options: EngineOptions,
        queries: Sequence[EncodedQuery],
        scheme: ScoringScheme,
        database: EncodedDatabase | None = None,
    ) -> tuple[KernelUse, ...]:
        """Say what the kernels for these queries would take of each device; compiles them if needed."""


# Name to module, fastest first.
ADAPTERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cuda": "swgui.engines.cuda.engine",
        "cpu": "swgui.engines.cpu",
        "reference": "swgui.engines.reference",
        "cuda+cpu": "swgui.engines.together",
        "cluster": "swgui.engines.cluster.engine",
    }
)
# Engines made of others: what each part is checked as.
PARTS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"cuda+cpu": ("cuda", "cpu")})
AUTO: Final = ("cuda", "cpu", "reference")  # what "auto" tries, in this order; the others only when asked for

_probed: dict[str, EngineStatus] = {}


def engine_names() -> tuple[str, ...]:
    """Return what ``--engine`` takes."""
    return ("auto", *ADAPTERS)


def probe(name: str, *, refresh: bool = False) -> EngineStatus:
    """Say whether one engine can run here; remembered until `refresh`."""
    if refresh or name not in _probed:
        try:
            _probed[name] = _adapter(name).status()
        except ImportError as error:  # a damaged installation must not take the other engines along
            reason = f"The engine '{name}' could not be loaded: {error}."
            _probed[name] = EngineStatus(name, available=False, reason=reason, hint="Install the program again.")
    return _probed[name]


def probe_engines(*, refresh: bool = False) -> tuple[EngineStatus, ...]:
    """Say which engines can run on this computer, best first.

    The first call may take a second: not for the window's thread.
    """
    return tuple(probe(name, refresh=refresh) for name in AUTO)


def resolve(name: str) -> tuple[str, ...]:
    """Return the engines to try for a choice, best first.

    Raises
    ------
    InvalidParameter
        If there is no such engine.
    """
    if name == "auto":
        return tuple(name for name in AUTO if probe(name).available)
    if name not in ADAPTERS:
        raise InvalidParameter(
            "engine", name, f"There is no engine '{name}'.", hint=f"Choose {', '.join(engine_names())}."
        )
    return (name,)


def make_engine(name: str, options: EngineOptions) -> Engine:
    """Make an engine; ``auto`` takes the first of cuda, cpu and reference that can run here.

    Raises
    ------
    EngineUnavailable
        With the reason and what to do about it.
    InvalidParameter
        If there is no such engine, device or setting.
    """
    chosen = resolve(name)[0]
    status = probe(chosen)
    if not status.available:
        raise EngineUnavailable(chosen, status.reason, hint=status.hint)
    return _adapter(chosen).create(options)


def kernel_use(
    name: str,
    options: EngineOptions,
    queries: Sequence[EncodedQuery],
    scheme: ScoringScheme,
    database: EncodedDatabase | None = None,
) -> tuple[KernelUse, ...]:
    """Say what an engine's kernels for these queries would take of each device; nothing for engines without any.

    May compile: not for the window's thread.

    Parameters
    ----------
    name : str
        As `make_engine`.
    options : EngineOptions
    queries : sequence of EncodedQuery
    scheme : ScoringScheme
    database : EncodedDatabase, optional
        What would be searched; without it, a large one is meant.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        As `make_engine`.
    """
    chosen = resolve(name)[0]
    adapter = _adapter(chosen)
    if not hasattr(adapter, "kernel_use"):
        return ()
    return cast(KernelAdapter, adapter).kernel_use(options, queries, scheme, database)


def prepare(
    name: str, scheme: ScoringScheme, database: EncodedDatabase | None, cancel: threading.Event
) -> Iterator[tuple[int, int]]:
    """Do ahead what an engine would do at the first common search: compile kernels. Nothing for most engines.

    Parameters
    ----------
    name : str
        As `make_engine`.
    scheme : ScoringScheme
    database : EncodedDatabase, optional
        What the next search is likely to be against.
    cancel : threading.Event

    Yields
    ------
    tuple of int
        Steps done and steps in all.
    """
    adapter = _adapter(resolve(name)[0])
    if hasattr(adapter, "prepare"):
        yield from adapter.prepare(scheme, database, cancel)


def _adapter(name: str) -> Adapter:
    return cast(Adapter, importlib.import_module(ADAPTERS[name]))
