"""From the settings of the Device page to what an engine is made with. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from swgui.core.methods.base import AUTO, Method, Setting
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.core.sweep.axes import CPU_SETTINGS
from swgui.engines.base import DeviceInfo, EngineOptions, EngineStatus
from swgui.jobs.sweep.in_use import CPU, GPU_ENGINES, THREADS, InUse, fitting, with_settings
from swgui.settings import DeviceSettings


def titled(method: Method) -> str:
    """Return a method as lists show it: its title, and what the command line calls it."""
    return method.title if method.title.lower() == method.name else f"{method.title} ({method.name})"


def value_of(settings: DeviceSettings, group: str, setting: Setting) -> str:
    """Return what is set by hand for a method (or ``cpu``), ``auto`` where nothing usable is."""
    value = settings.values.get(f"{group}.{setting.name}", AUTO)
    return value if setting.allows(value) else AUTO


def set_value(settings: DeviceSettings, group: str, name: str, value: str) -> None:
    """Set a value by hand; ``auto`` forgets it."""
    key = f"{group}.{name}"
    if value == AUTO:
        settings.values.pop(key, None)
    else:
        settings.values[key] = value


def by_hand(settings: DeviceSettings, engine: str) -> dict[str, str]:
    """Return everything that is set by hand for an engine, without memory and threads."""
    if engine == CPU:
        others = (s for s in CPU_SETTINGS if s.name != THREADS)
        return {s.name: v for s in others if (v := value_of(settings, CPU, s)) != AUTO}
    if engine not in GPU_ENGINES:
        return {}
    method = settings.method if settings.method in SEARCH_METHODS else AUTO
    found = {} if method == AUTO else {"method": method}
    group = DEFAULT_METHOD if method == AUTO else method
    for setting in SEARCH_METHODS[group].settings:
        if (value := value_of(settings, group, setting)) != AUTO:
            found[setting.name] = value
    return found


def engine_options(
    settings: DeviceSettings,
    statuses: Sequence[EngineStatus],
    engine: str,
    devices: Sequence[str],
    *,
    lengths: Iterable[int] = (),
    letters: int = 0,
    in_use: Sequence[InUse] = (),
) -> EngineOptions:
    """Return what the engine of a search is made with.

    Settings made by hand come first. Where there are none, settings that a sweep found are taken if all queries are
    of the class they were found for; otherwise the engine chooses.

    Parameters
    ----------
    engine : str
        As chosen; for ``auto`` the first that can be used is meant.
    devices : sequence of str
        Ids; empty for the engine's own choice.
    lengths : iterable of int
        Of the queries.
    letters : int
        Of the alphabet.
    in_use : sequence of InUse
    """
    name = engine
    if name == "auto":
        name = next((status.name for status in statuses if status.available), "")
    found = by_hand(settings, name)
    gpus = _gpus(statuses, devices)
    threads = settings.threads if name in (CPU, "cuda+cpu") else 0
    options = EngineOptions(tuple(devices), threads, found)
    if not found and settings.tuned and (entry := fitting(name, gpus, lengths, letters, in_use)):
        options = with_settings(options, name, entry.settings)
    if name in GPU_ENGINES and settings.memory_percent and gpus:
        least = min(device.memory for device in gpus)
        memory = {"memory_mib": str(max(1, least * settings.memory_percent // 100 >> 20))}
        options = replace(options, settings={**options.settings, **memory})
    return options


def _gpus(statuses: Sequence[EngineStatus], devices: Sequence[str]) -> list[DeviceInfo]:
    found = [device for status in statuses if status.name == "cuda" for device in status.devices]
    return [device for device in found if device.id in devices] or found[:1]


def chosen_devices(engine: str, device: str, statuses: Sequence[EngineStatus]) -> set[tuple[str, str]]:
    """Return the devices a search uses, each as engine and id, for a choice of the list "Run on"."""
    available = [status for status in statuses if status.available and status.devices]
    if engine == "auto":
        return {(s.name, s.devices[0].id) for s in available[:1]}
    ids = [part for part in device.split(",") if part]
    if engine == "cuda+cpu":
        gpus = [part for part in ids if part != CPU] or [
            d.id for s in available if s.name == "cuda" for d in s.devices
        ][:1]
        return {("cuda", part) for part in gpus} | {(CPU, CPU)}
    status = next((s for s in available if s.name == engine), None)
    if status is None:
        return set()
    return {(engine, part) for part in (ids or [status.devices[0].id])}


def choice_of(chosen: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Return engine and device of the list "Run on" for a set of devices; automatic if it is empty."""
    devices = set(chosen)
    gpus = sorted((id_ for engine, id_ in devices if engine == "cuda"), key=lambda text: (len(text), text))
    engines = {engine for engine, _ in devices}
    if gpus and CPU in engines:
        return "cuda+cpu", ",".join((*gpus, CPU))
    if gpus:
        return "cuda", ",".join(gpus)
    return (CPU, "") if CPU in engines else ("reference", "") if "reference" in engines else ("auto", "")


def with_device(chosen: Iterable[tuple[str, str]], device: tuple[str, str], on: bool) -> set[tuple[str, str]]:
    """Add or take away a device; the reference engine works alone, the others together."""
    if not on:
        return set(chosen) - {device}
    if device[0] == "reference":
        return {device}
    return {other for other in chosen if other[0] != "reference"} | {device}
