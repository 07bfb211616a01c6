"""Engines and devices in plain words. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from swgui.engines.base import EngineOptions, EngineStatus

TITLES = {"cuda": "GPU", "cpu": "CPU", "reference": "Reference (slow, for checking)"}
SAME_RESULTS = "The CPU gives the same results, slower."


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """One entry of the list "Run on".

    Parameters
    ----------
    engine, device : str
        What a search is asked for; `device` is empty for the engine's own choice.
    text : str
        What the list says.
    where : str
        How the plan says it, for example ``on NVIDIA H200``.
    runs_on : tuple of (str, tuple of str)
        Engine and device names as a result names them: the key of remembered speeds.
    reason : str
        Why it cannot be chosen; empty if it can.
    settings : Mapping[str, str]
        What the engine is told besides.
    threads : int
        Threads of the processor; 0 for all cores.
    """

    engine: str
    device: str
    text: str
    where: str
    runs_on: tuple[str, tuple[str, ...]]
    reason: str = ""
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    threads: int = 0

    @property
    def options(self) -> EngineOptions:
        """What the engine is made with."""
        devices = tuple(part for part in self.device.split(",") if part)
        return EngineOptions(devices=devices, threads=self.threads, settings=dict(self.settings))


UNKNOWN = (EngineChoice("auto", "", "Automatic", "on the fastest device", ("auto", ())),)


def engine_choices(statuses: Sequence[EngineStatus]) -> tuple[EngineChoice, ...]:
    """Return what the user can choose from; the first is automatic, as the registry decides."""
    if not statuses:
        return UNKNOWN
    choices = []
    best = next((status for status in statuses if status.available), None)
    if best is not None:
        names = tuple(device.name for device in best.devices)
        choices.append(EngineChoice("auto", "", f"Automatic: {_titled(best)}", _where(best), (best.name, names)))
    for status in statuses:
        choices += _of_engine(status)
    return tuple(choices)


def several_devices(engine: str, device: str, statuses: Sequence[EngineStatus]) -> EngineChoice | None:
    """Return the choice of several devices that were ticked; None if it names one that is not there."""
    ids = [part for part in device.split(",") if part]
    available = {status.name: status for status in statuses if status.available}
    gpus = {d.id: d for d in available["cuda"].devices} if "cuda" in available else {}
    processor = available["cpu"].devices[0] if "cpu" in available and available["cpu"].devices else None
    chosen = [gpus[part] for part in ids if part in gpus]
    with_processor = engine == "cuda+cpu"
    known = len(chosen) + with_processor == len(set(ids) | ({"cpu"} if with_processor else set()))
    if engine not in ("cuda", "cuda+cpu") or not chosen or not known or (with_processor and processor is None):
        return None
    words = [f"GPU {gpu.id}" for gpu in chosen] + (["the CPU"] if with_processor else [])
    names = tuple(gpu.name for gpu in chosen) + ((processor.name,) if with_processor and processor else ())
    text = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
    return EngineChoice(engine, device, text, f"on {text}", (engine, names))


def gpu_note(statuses: Sequence[EngineStatus]) -> str:
    """Say why no GPU is used and what can be done; empty if one can be."""
    for status in statuses:
        if status.name == "cuda" and not status.available:
            return " ".join(part for part in (status.reason, SAME_RESULTS, status.hint) if part)
    return ""


def _of_engine(status: EngineStatus) -> list[EngineChoice]:
    title = TITLES.get(status.name, status.name)
    names = tuple(device.name for device in status.devices)
    if not status.available:
        text = f"{title}: not available"
        return [EngineChoice(status.name, "", text, "", (status.name, ()), f"{status.reason} {status.hint}".strip())]
    if status.name != "cuda":
        text = title if status.name == "reference" else _titled(status)
        return [EngineChoice(status.name, "", text, _where(status), (status.name, names))]
    single = [
        EngineChoice(
            "cuda", device.id, f"GPU {device.id}: {device.name}", f"on GPU {device.id}", ("cuda", (device.name,))
        )
        for device in status.devices
    ]
    if len(single) < 2:
        return single
    every = f"All {len(names)} GPUs"
    ids = ",".join(device.id for device in status.devices)
    return [EngineChoice("cuda", ids, every, f"on {len(names)} GPUs", ("cuda", names)), *single]


def _titled(status: EngineStatus) -> str:
    names = ", ".join(device.name for device in status.devices)
    title = TITLES.get(status.name, status.name)
    return names if names.upper().startswith(title.upper()) else f"{title} {names}".strip()


def _where(status: EngineStatus) -> str:
    if status.name == "cuda":
        return f"on {', '.join(device.name for device in status.devices)}"
    return "on the CPU" if status.name == "cpu" else "with the reference engine"
