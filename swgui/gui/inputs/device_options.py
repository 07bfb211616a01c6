"""Make the options of an engine from the settings of the Device page. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from swgui.core.devices import DeviceChoice
from swgui.core.engines import EngineOptions, Kind
from swgui.core.methods.base import AUTO, THREADS, Method, Setting
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.core.plain import replace
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.registry import devices_of_kind, facts, listed_names
from swgui.io.tuning import InUse
from swgui.jobs.sweep.in_use import fitting, with_settings
from swgui.settings import DeviceSettings

Device = tuple[str, str]  # engine and id


def titled(method: Method) -> str:
    """Return a method as lists show it: its title, and its name on the command line."""
    return method.title if method.title.lower() == method.name else f"{method.title} ({method.name})"


def value_of(settings: DeviceSettings, group: str, setting: Setting) -> str:
    """Return the user's setting for a method (or ``cpu``), ``auto`` if there is no usable one."""
    value = settings.values.get(f"{group}.{setting.name}", AUTO)
    return value if setting.allows(value) else AUTO


def set_value(settings: DeviceSettings, group: str, name: str, value: str) -> None:
    """Keep the user's setting for a method (or ``cpu``); ``auto`` forgets it."""
    key = f"{group}.{name}"
    if value == AUTO:
        settings.values.pop(key, None)
    else:
        settings.values[key] = value


def by_hand(settings: DeviceSettings, engine: str) -> dict[str, str]:
    """Return everything that is set by hand for an engine, without memory and threads."""
    engine_facts = facts(engine)
    if not engine_facts.methods:
        others = (s for s in engine_facts.settings if s.name != THREADS)
        return {s.name: v for s in others if (v := value_of(settings, engine, s)) != AUTO}
    method = settings.method if settings.method in SEARCH_METHODS else AUTO
    own = {} if method == AUTO else {"method": method}
    group = DEFAULT_METHOD if method == AUTO else method
    for setting in SEARCH_METHODS[group].settings:
        if (value := value_of(settings, group, setting)) != AUTO:
            own[setting.name] = value
    return own


def engine_options(
    settings: DeviceSettings,
    statuses: Sequence[EngineStatus],
    run_on: DeviceChoice,
    *,
    lengths: Iterable[int] = (),
    symbols: int = 0,
    in_use: Sequence[InUse] = (),
) -> EngineOptions:
    """Return the options with which to make the engine of a search.

    Settings made by hand come first. Without them, settings found by a sweep apply if all queries are
    of the class they were found for; otherwise the engine chooses.

    Parameters
    ----------
    run_on : DeviceChoice
        Engine and devices; ``auto`` means the first usable engine.
    lengths : iterable of int
        Of the queries.
    symbols : int
        Of the alphabet.
    """
    name = run_on.engine
    if run_on.automatic:
        name = next((status.name for status in statuses if status.automatic), "")
    if not name:
        return EngineOptions(run_on.ids)
    gpus = _gpus(statuses, run_on.ids)
    own = by_hand(settings, name)
    threads = settings.threads if facts(name).threads else 0
    options = EngineOptions(run_on.ids, threads, own)
    if not own and settings.tuned and (entry := fitting(name, gpus, lengths, symbols, in_use)):
        options = with_settings(options, name, entry.settings)
    if facts(name).methods and settings.memory_percent and gpus:
        least = min(device.memory for device in gpus)
        memory = {"memory_mib": str(max(1, least * settings.memory_percent // 100 >> 20))}
        options = replace(options, settings={**options.settings, **memory})
    return options


def _gpus(statuses: Sequence[EngineStatus], devices: Sequence[str]) -> list[DeviceInfo]:
    gpus = devices_of_kind(statuses, Kind.GPU)
    return [device for device in gpus if device.id in devices] or list(gpus[:1])


def chosen_devices(run_on: DeviceChoice, statuses: Sequence[EngineStatus]) -> set[Device]:
    """Return the devices a search uses for a choice of the list "Run on"; none of an engine that is not there."""
    ids_of = {s.name: [device.id for device in s.devices] for s in statuses if s.available and s.devices}
    if run_on.automatic:
        first = next((s.name for s in statuses if s.automatic and s.devices), None)
        return set() if first is None else {(first, ids_of[first][0])}
    of_engine = ids_of.get(run_on.engine, [])
    return {(run_on.engine, device) for device in run_on.ids or of_engine[:1] if of_engine}


def choice_of(devices: Set[Device]) -> DeviceChoice:
    """Return the choice of the list "Run on" for a set of devices; automatic if it is empty."""
    engines = {engine for engine, _ in devices}
    cards = {device for engine, device in devices if facts(engine).accelerated}
    ids = tuple(sorted(cards, key=lambda text: (len(text), text)))
    first = next((engine for engine in listed_names() if engine in engines), None)
    return DeviceChoice() if first is None else DeviceChoice(first, ids if facts(first).accelerated else ())


def with_device(devices: Set[Device], device: Device, on: bool) -> set[Device]:
    """Return a set of devices with one more or one less; without devices of other engines."""
    if not on:
        return set(devices) - {device}
    return {other for other in devices if other[0] == device[0]} | {device}
