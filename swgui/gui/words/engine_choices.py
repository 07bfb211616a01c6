"""Engines and devices in plain words. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from swgui.core.devices import CPU, DeviceChoice
from swgui.engines.base import EngineOptions, EngineStatus

TITLES = {"cuda": "GPU", "cpu": "CPU", "reference": "Reference (slow, for checking)"}
SAME_RESULTS = "The CPU gives the same results, slower."


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """One entry of the list "Run on".

    Parameters
    ----------
    run_on : DeviceChoice
        What a search is asked for.
    text : str
        What the list says.
    where : str
        How the plan says it, for example ``on NVIDIA H200``.
    runs_on : tuple of (str, tuple of str)
        Engine and device names as a result names them: the key of remembered speeds.
    reason : str
        Why it cannot be chosen; empty if it can.
    options : EngineOptions
        What the engine is made with. The entries of the list only name devices; a cluster brings its settings along.
    """

    run_on: DeviceChoice
    text: str
    where: str
    runs_on: tuple[str, tuple[str, ...]]
    reason: str = ""
    options: EngineOptions = field(default_factory=EngineOptions, hash=False)

    @property
    def engine(self) -> str:
        """Name of the engine, or ``auto``."""
        return self.run_on.engine


UNKNOWN = (EngineChoice(DeviceChoice(), "Automatic", "on the fastest device", ("auto", ())),)


def engine_choices(statuses: Sequence[EngineStatus]) -> tuple[EngineChoice, ...]:
    """Return what the user can choose from; the first is automatic, as the registry decides."""
    if not statuses:
        return UNKNOWN
    choices = []
    best = next((status for status in statuses if status.available), None)
    if best is not None:
        names = tuple(device.name for device in best.devices)
        choices.append(EngineChoice(DeviceChoice(), f"Automatic: {_titled(best)}", _where(best), (best.name, names)))
    for status in statuses:
        choices += _of_engine(status)
    return tuple(choices)


def several_devices(run_on: DeviceChoice, statuses: Sequence[EngineStatus]) -> EngineChoice | None:
    """Return the choice of several devices that were ticked; None if it names one that is not there."""
    found = {status.name: {device.id: device for device in status.devices} for status in statuses if status.available}
    wanted = [("cuda", gpu) for gpu in run_on.gpus] + ([(CPU, CPU)] if run_on.engine == "cuda+cpu" else [])
    devices = [found.get(engine, {}).get(device) for engine, device in wanted]
    if run_on.engine not in ("cuda", "cuda+cpu") or not run_on.gpus or None in devices:
        return None
    words = [f"GPU {device}" if engine == "cuda" else "the CPU" for engine, device in wanted]
    names = tuple(device.name for device in devices if device is not None)
    text = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
    return EngineChoice(run_on, text, f"on {text}", (run_on.engine, names))


def gpu_note(statuses: Sequence[EngineStatus]) -> str:
    """Say why no GPU is used and what can be done; empty if one can be."""
    for status in statuses:
        if status.name == "cuda" and not status.available:
            return " ".join(part for part in (status.reason, SAME_RESULTS, status.hint) if part)
    return ""


def _of_engine(status: EngineStatus) -> list[EngineChoice]:
    title = TITLES.get(status.name, status.name)
    names = tuple(device.name for device in status.devices)
    own = DeviceChoice(status.name)
    if not status.available:
        text = f"{title}: not available"
        return [EngineChoice(own, text, "", (status.name, ()), f"{status.reason} {status.hint}".strip())]
    if status.name != "cuda":
        text = title if status.name == "reference" else _titled(status)
        return [EngineChoice(own, text, _where(status), (status.name, names))]
    single = [
        EngineChoice(
            DeviceChoice("cuda", (gpu.id,)), f"GPU {gpu.id}: {gpu.name}", f"on GPU {gpu.id}", ("cuda", (gpu.name,))
        )
        for gpu in status.devices
    ]
    if len(single) < 2:
        return single
    every = DeviceChoice("cuda", tuple(gpu.id for gpu in status.devices))
    return [EngineChoice(every, f"All {len(names)} GPUs", f"on {len(names)} GPUs", ("cuda", names)), *single]


def _titled(status: EngineStatus) -> str:
    names = ", ".join(device.name for device in status.devices)
    title = TITLES.get(status.name, status.name)
    return names if names.upper().startswith(title.upper()) else f"{title} {names}".strip()


def _where(status: EngineStatus) -> str:
    if status.name == "cuda":
        return f"on {', '.join(device.name for device in status.devices)}"
    return "on the CPU" if status.name == "cpu" else "with the reference engine"
