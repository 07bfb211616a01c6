"""Finds engines by name: those of the program (`swgui.engines.facts`) and those of installed packages.

Adapters are imported only when asked for, so that a start touches no CUDA. A package adds an engine with an entry
point of the group ``swgui.engines`` that names an `EngineFacts`; window, command line and manual show it from there.
"""

from __future__ import annotations

import functools
import importlib
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from types import MappingProxyType
from typing import Final, Protocol, cast

from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineFacts, EngineOptions, Kind
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import DeviceInfo, Engine, EngineStatus, KernelUse, TileRater
from swgui.engines.choice import MUCH, Work, cores_end_first, sentence
from swgui.engines.facts import ENGINES
from swgui.packages import entry_points

GROUP: Final = "swgui.engines"  # entry points of installed packages: each names an `EngineFacts`
BEST_FIRST: Final[tuple[Kind, ...]] = (
    Kind.GPU,
    Kind.GRAPHICS,
    Kind.CPU,
    Kind.REFERENCE,
)  # the order in which "auto" tries engines
AUTO: Final = "auto"  # the first engine that can run here, or, for known work, that ends first
_log = logging.getLogger(__name__)
probed: dict[str, EngineStatus] = {}  # by name, once it is known which engines can run here
UseEngine = Callable[[str, EngineOptions], AbstractContextManager[Engine]]


class Adapter(Protocol):
    """Contents of the module of an engine."""

    def status(self) -> EngineStatus:
        """Return whether the engine can run here, without raising."""

    def create(self, options: EngineOptions) -> Engine:
        """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""


class KernelAdapter(Adapter, Protocol):
    """Contents of the module of an engine that launches kernels."""

    def kernel_use(
        self,
        options: EngineOptions,
        queries: Sequence[EncodedQuery],
        scheme: ScoringScheme,
        database: EncodedDatabase | None = None,
    ) -> tuple[KernelUse, ...]:
        """Return the resources of each device for the kernels of these queries; compiles them if needed."""


@functools.cache
def installed() -> Mapping[str, EngineFacts]:
    """Return every engine by name: those of the program, then those of installed packages.

    A package that cannot be loaded, or names an engine that there is already, is passed over with a line in the log.
    """
    engines = {engine.name: engine for engine in ENGINES}
    for point in entry_points(GROUP):
        try:
            engine = point.load()
        except Exception:  # whatever a foreign package raises must not take the other engines along
            _log.exception("The engine '%s' of %s could not be loaded", point.name, point.value)
            continue
        if not isinstance(engine, EngineFacts) or engine.name in (AUTO, *engines):
            _log.error("The entry point '%s' (%s) names no new engine; it is passed over", point.name, point.value)
            continue
        engines[engine.name] = engine
    return MappingProxyType(engines)


def facts(name: str) -> EngineFacts:
    """Return the facts of an engine without loading it.

    Raises
    ------
    InvalidParameter
        If there is no such engine; ``auto`` is none, see `resolve`.
    """
    if name not in installed():
        raise InvalidParameter(
            "engine", name, f"There is no engine '{name}'.", hint=f"Choose {', '.join(engine_names())}."
        )
    return installed()[name]


def engine_names() -> tuple[str, ...]:
    """Return the values of ``--engine``."""
    return (AUTO, *installed())


def listed_names() -> tuple[str, ...]:
    """Return the engines that lists of devices show: those that ``auto`` tries, best first, then the others."""
    others = (name for name, engine in installed().items() if engine.listed and not engine.auto)
    return (*auto_names(), *others)


def auto_names() -> tuple[str, ...]:
    """Return the engines that ``auto`` tries, in this order."""
    tried = [engine for engine in installed().values() if engine.auto and engine.listed]
    return tuple(engine.name for engine in sorted(tried, key=lambda engine: BEST_FIRST.index(engine.kind)))


def of_kind(statuses: Iterable[EngineStatus], kind: Kind) -> EngineStatus | None:
    """Return the first engine of a kind, usable or not; None if none was probed."""
    return next((status for status in statuses if facts(status.name).kind is kind), None)


def devices_of_kind(statuses: Iterable[EngineStatus], kind: Kind) -> tuple[DeviceInfo, ...]:
    """Return the devices of the first engine of a kind; none if it cannot be used."""
    status = of_kind(statuses, kind)
    return status.devices if status is not None and status.available else ()


def probe(name: str, *, refresh: bool = False) -> EngineStatus:
    """Return whether one engine can run here; remembered until `refresh`.

    Raises
    ------
    InvalidParameter
        If there is no such engine.
    """
    if refresh or name not in probed:
        try:
            probed[name] = adapter_of(name).status()
        except Exception as error:  # a damaged installation or a foreign package must not take the others along
            _log.exception("The engine '%s' did not give its status", name)
            reason = f"The engine '{name}' could not be loaded: {error}."
            probed[name] = EngineStatus(name, available=False, reason=reason, hint="Install the program again.")
    return probed[name]


def probe_engines(*, refresh: bool = False) -> tuple[EngineStatus, ...]:
    """Return the status of the engines in lists of devices, those that ``auto`` tries first, best first.

    The first call may take a second: not for the window's thread.
    """
    return tuple(probe(name, refresh=refresh) for name in listed_names())


def resolve(name: str) -> tuple[str, ...]:
    """Return the engines to try for a choice, best first; GPUs by a common interface only where there is no other.

    Raises
    ------
    InvalidParameter
        If there is no such engine.
    """
    if name != AUTO:
        return (facts(name).name,)
    chosen: list[str] = []
    for one in auto_names():
        other = facts(one).kind is Kind.GRAPHICS and any(facts(before).on_gpu for before in chosen)
        if not other and probe(one).automatic:  # which of GPUs by a common interface takes some tenths of a second
            chosen.append(one)
    return tuple(chosen)


def ending_first(name: str, options: EngineOptions, work: Work) -> tuple[tuple[str, ...], str]:
    """Return the engines to try for some work, and a sentence if ``auto`` takes the cores though there is a GPU.

    A GPU that would start later than the cores end is not even looked for; it comes behind them, if they fail.
    """
    if not _cores_first(name, options, work):
        return resolve(name), ""
    cores = next((one for one in auto_names() if facts(one).kind is Kind.CPU), "")
    before = tuple(one for one in auto_names() if facts(one).accelerated and _present(one))
    if not cores or not before or not probe(cores).available:
        return resolve(name), ""
    gpus = tuple(one for one in before if facts(one).on_gpu)
    others = (one for one in auto_names() if one != cores and not facts(one).accelerated)
    said = sentence(work.on_cores(options.threads), work.on_gpu, options.threads) if gpus else ""
    return (cores, *gpus, *others), said


def _cores_first(name: str, options: EngineOptions, work: Work) -> bool:
    """Whether the cores go before a GPU: devices and settings that the user names are those of a GPU."""
    if name != AUTO or options.devices or options.settings:
        return False
    return cores_end_first(work.on_cores(options.threads), work.on_gpu)


def _present(name: str) -> bool:
    """Whether an engine may have a device here, as far as that is known at once."""
    adapter = adapter_of(name)
    return bool(adapter.present()) if hasattr(adapter, "present") else True


def begin(name: str, options: EngineOptions, work: Work = MUCH) -> None:
    """Start the devices of an engine in the background, if that takes time; later calls report failures.

    Parameters
    ----------
    work : Work
        Likely work: where the cores end first, nothing is started.
    """
    if _cores_first(name, options, work):
        return
    with suppress(Exception):  # error of a damaged installation or another package; `probe` describes it
        adapter = adapter_of(auto_names()[0] if name == AUTO else name)
        if hasattr(adapter, "begin"):
            adapter.begin(options)


def make_engine(name: str, options: EngineOptions) -> Engine:
    """Make an engine; ``auto`` takes the fastest that can run here.

    Raises
    ------
    EngineUnavailable
        With the reason and the remedy.
    InvalidParameter
        If there is no such engine, device or setting.
    """
    chosen = resolve(name)[0]
    status = probe(chosen)
    if not status.available:
        raise EngineUnavailable(chosen, status.reason, hint=status.hint)
    return adapter_of(chosen).create(options)


def new_engine(name: str, options: EngineOptions) -> AbstractContextManager[Engine]:
    """Make an engine for a while; errors as for `make_engine`."""
    return closing(make_engine(name, options))


class KeptEngines:
    """Engines for repeated use, with the data on their devices: by searches one after the other.

    Close it after use, as `contextlib.closing` does.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[str, EngineOptions, Engine]] = []

    @contextmanager
    def use(self, name: str, options: EngineOptions) -> Iterator[Engine]:
        """Give an engine for a while; one that fails is not given again. Errors as for `make_engine`."""
        kept = [entry for entry in self._kept if entry[:2] == (name, options)]
        if not kept:
            kept = [(name, options, make_engine(name, options))]
            self._kept += kept
        try:
            yield kept[0][2]
        except EngineFault:
            self._kept.remove(kept[0])
            kept[0][2].close()
            raise

    def close(self) -> None:
        while self._kept:
            self._kept.pop()[2].close()


def kernel_use(
    name: str,
    options: EngineOptions,
    queries: Sequence[EncodedQuery],
    scheme: ScoringScheme,
    database: EncodedDatabase | None = None,
) -> tuple[KernelUse, ...]:
    """Return the resources of each device for an engine's kernels of these queries; nothing without kernels.

    May compile: not for the window's thread.

    Parameters
    ----------
    database : EncodedDatabase, optional
        Database of the search; the default is a large one.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        As `make_engine`.
    """
    chosen = resolve(name)[0]
    adapter = adapter_of(chosen)
    if not hasattr(adapter, "kernel_use"):
        return ()
    return cast(KernelAdapter, adapter).kernel_use(options, queries, scheme, database)


def tile_rater(name: str, device: str = "") -> TileRater:
    """Return the clock of the tiles of an engine's kernel on a device, by default the first.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        As `make_engine`, and if the engine has no tiles.
    """
    adapter = adapter_of(name)
    status = probe(name)
    if not status.available:
        raise EngineUnavailable(name, status.reason, hint=status.hint)
    if not hasattr(adapter, "tile_rater"):
        raise InvalidParameter("engine", name, f"The engine '{name}' has no tiles to measure.", hint="Take a GPU.")
    return cast(TileRater, adapter.tile_rater(device))


def prepare(
    name: str, scheme: ScoringScheme, database: EncodedDatabase | None, cancel: threading.Event, threads: int = 1
) -> Iterator[tuple[int, int]]:
    """Prepare an engine for its first common search: compile kernels. Nothing for most engines.

    Parameters
    ----------
    database : EncodedDatabase, optional
        Likely database of the next search.
    threads : int
        Kernels compiled at the same time, where they are compiled.

    Yields
    ------
    tuple of int
        Steps done and steps in all.
    """
    adapter = adapter_of(resolve(name)[0])
    if hasattr(adapter, "prepare"):
        yield from adapter.prepare(scheme, database, cancel, threads)


def adapter_of(name: str) -> Adapter:
    """Return the module of an engine of ours, or of an installed package."""
    return cast(Adapter, importlib.import_module(facts(name).module))
