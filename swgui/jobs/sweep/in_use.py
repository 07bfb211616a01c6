"""Settings that sweeps found and the user chose to use, for the searches they hold for.

They hold for queries of one class of lengths, of one alphabet, on one device with the driver and the kernels it had
then. A search whose queries are of several classes, or that runs on several GPUs, is left to the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from swgui.core.engines import EngineOptions
from swgui.core.methods.base import THREADS
from swgui.core.plain import replace
from swgui.core.sweep.grid import SweepKey, query_class
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.registry import facts, probe, resolve
from swgui.io.tuning import InUse, load_in_use, stale


def key_of(engine: str, device: DeviceInfo, symbols: int, length: int) -> SweepKey:
    """Return the key of settings tuned now on a device for a query's length."""
    from swgui.engines.digest import kernels_digest  # here: only where something was measured

    return SweepKey(
        engine=engine,
        device=device.identity,
        driver=device.driver,
        kernels=kernels_digest(kernels=facts(engine).kernels),
        letters=symbols,
        query_class=query_class(length),
    )


def why_not_used(key: SweepKey, statuses: Sequence[EngineStatus]) -> str:
    """Return one sentence on why the settings of a sweep are no longer used; empty if they still hold.

    Parameters
    ----------
    statuses : sequence of EngineStatus
        The state of the engines now.
    """
    for status in statuses:
        for device in status.devices if status.name == key.engine else ():
            now = key_of(key.engine, device, key.letters, 1)
            if now.device == key.device:
                return stale(key, now)
    return "Its device is not in this computer now."


def in_use(entries: Iterable[InUse], statuses: Sequence[EngineStatus]) -> tuple[InUse, ...]:
    """Return the settings in use that hold now."""
    return tuple(entry for entry in entries if not why_not_used(entry.key, statuses))


def fitting(
    engine: str, devices: Sequence[DeviceInfo], lengths: Iterable[int], symbols: int, entries: Iterable[InUse]
) -> InUse | None:
    """Return the tuned settings of a search, None if there are none.

    Parameters
    ----------
    engine : str
        By its own name, not ``auto``.
    """
    classes = {query_class(length) for length in lengths if length}
    if len(classes) != 1 or not engine or not facts(engine).tunable:
        return None
    used = {device.identity for device in devices}
    for entry in entries:
        key = entry.key
        on_gpu = facts(engine).kernels  # settings of one GPU hold for no other
        right_device = key.engine == engine and (not on_gpu or used == {key.device})
        if right_device and key.query_class in classes and key.letters == symbols:
            return entry
    return None


def with_settings(options: EngineOptions, engine: str, settings: Mapping[str, str]) -> EngineOptions:
    """Return options with the settings of a sweep over their own; threads of the CPU become its threads."""
    own = dict(settings)
    threads = options.threads
    if not facts(engine).methods and THREADS in own:
        threads = int(own.pop(THREADS))
    return replace(options, threads=threads, settings={**options.settings, **own})


def for_search(
    engine: str, options: EngineOptions, lengths: Iterable[int], symbols: int, path: Path | None = None
) -> tuple[EngineOptions, InUse | None]:
    """Return the options of a search with what sweeps found for it, and what that was.

    Options that say anything themselves stay as they are. Probes engines: the first time that may take a second.

    Parameters
    ----------
    engine : str
        As the user chose it, ``auto`` too.
    path : Path, optional
        Of the file of settings in use.
    """
    kept = load_in_use(path)
    if not kept or options.settings or options.threads:
        return options, None
    name = next(iter(resolve(engine)), "")
    if not name or not facts(name).tunable:
        return options, None
    first = probe(name)
    devices = [device for device in first.devices if device.id in options.devices] or first.devices[:1]
    entry = fitting(name, devices, lengths, symbols, in_use(kept, [first]))
    return (with_settings(options, name, entry.settings), entry) if entry else (options, None)
