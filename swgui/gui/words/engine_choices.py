"""Engines and devices in plain words. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from swgui.core.devices import DeviceChoice
from swgui.core.engines import EngineOptions, Kind
from swgui.engines.base import EngineStatus
from swgui.engines.facts import CPU as CPU_ENGINE
from swgui.engines.registry import devices_of_kind, facts, installed, of_kind

SAME_RESULTS = "The CPU gives the same results, slower."


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """One entry of the list "Run on"."""

    run_on: DeviceChoice  # value for a search
    text: str  # text in the list
    where: str  # name in the plan, for example ``on NVIDIA H200``
    runs_on: tuple[str, tuple[str, ...]]  # engine and device names as a result names them: the key of remembered speeds
    reason: str = ""  # reason why it cannot be chosen; empty if it can
    # Options of the engine. The entries of the list only name devices; a cluster brings its settings along.
    options: EngineOptions = field(default_factory=EngineOptions, hash=False)

    @property
    def engine(self) -> str:
        """Name of the engine, or ``auto``."""
        return self.run_on.engine


UNKNOWN = (EngineChoice(DeviceChoice(), "Automatic", "on the fastest device", ("auto", ())),)


def engine_choices(statuses: Sequence[EngineStatus]) -> tuple[EngineChoice, ...]:
    """Return the user's choices; the first is automatic, as the registry decides."""
    if not statuses:
        return UNKNOWN
    choices = []
    best = next((status for status in statuses if status.automatic), None)
    if best is not None:
        names = tuple(device.name for device in best.devices)
        choices.append(EngineChoice(DeviceChoice(), f"Automatic: {_titled(best)}", _where(best), (best.name, names)))
    for status in statuses:
        choices += _of_engine(status)
    return tuple(choices)


def away_choice(address: str) -> EngineChoice:
    """Return the choice of another computer, with the devices that it takes itself."""
    return EngineChoice(
        DeviceChoice(),
        f"Another computer: {address}",
        f"on {address}",
        ("auto", (address,)),
        options=EngineOptions(on=address),
    )


def several_devices(run_on: DeviceChoice, statuses: Sequence[EngineStatus]) -> EngineChoice | None:
    """Return the choice of GPUs that were ticked; None if it names one that is not there."""
    engine = installed().get(run_on.engine)
    by_id = {device.id: device for device in devices_of_kind(statuses, Kind.GPU)}
    if engine is None or not engine.on_gpu or not run_on.ids or not by_id.keys() >= set(run_on.ids):
        return None
    words = [f"GPU {device}" for device in run_on.ids]
    names = tuple(by_id[device].name for device in run_on.ids)
    text = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
    return EngineChoice(run_on, text, f"on {text}", (run_on.engine, names))


def gpu_note(statuses: Sequence[EngineStatus]) -> str:
    """Return a sentence on why no GPU is used and how to change that; empty if one can be."""
    gpu = of_kind(statuses, Kind.GPU)
    if gpu is None or gpu.available:
        return ""
    return " ".join(part for part in (gpu.reason, SAME_RESULTS, gpu.hint) if part)


def _of_engine(status: EngineStatus) -> list[EngineChoice]:
    engine = facts(status.name)
    title = f"{engine.title} ({engine.aside})" if engine.aside else engine.title
    names = tuple(device.name for device in status.devices)
    own = DeviceChoice(status.name)
    if not status.available:
        text = f"{title}: not available"
        return [EngineChoice(own, text, "", (status.name, ()), f"{status.reason} {status.hint}".strip())]
    if not engine.accelerated:
        text = title if engine.kind is Kind.REFERENCE else _titled(status)
        return [EngineChoice(own, text, _where(status), (status.name, names))]
    single = [
        EngineChoice(
            DeviceChoice(engine.name, (gpu.id,)),
            f"GPU {gpu.id}: {gpu.name}",
            f"on GPU {gpu.id}",
            (engine.name, (gpu.name,)),
        )
        for gpu in status.devices
    ]
    if len(single) < 2:
        return single
    every = DeviceChoice(engine.name, tuple(gpu.id for gpu in status.devices))
    text = f"{len(names)} GPUs"
    return [EngineChoice(every, f"All {text}", f"on {text}", (engine.name, names)), *single]


def _titled(status: EngineStatus) -> str:
    names = ", ".join(device.name for device in status.devices)
    title = facts(status.name).title
    return names if names.upper().startswith(title.upper()) else f"{title} {names}".strip()


def _where(status: EngineStatus) -> str:
    engine = facts(status.name)
    if engine.accelerated:
        return f"on {', '.join(device.name for device in status.devices)}"
    return f"on the {engine.title}" if engine is CPU_ENGINE else f"with the {engine.name} engine"
