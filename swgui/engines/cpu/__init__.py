"""The ``cpu`` engine: exact scores by the program's own compiled library (`swgui.engines.native`), on all cores.

It puts one subject into each SIMD lane wherever subjects are many, and lays the query along the lanes where one is
alone. Queries whose score could leave 32 bits go to the plain form of the reference engine, which counts in 64; empty
subjects and empty queries score 0 without any call.

Stop. Work is cut into pieces of about 60 ms by residues, and the iterator never waits for a piece once
it is told to stop. A subject of more than a hundred million cells is cut into windows that overlap by
the longest possible alignment (`swgui.engines.windows`), so a chromosome also runs on all cores. A single subject of
35,000 residues against a query of 5,000 is 175 million cells: about 15 ms.
"""

from __future__ import annotations

from typing import Final

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.engines import host, native
from swgui.engines.base import DeviceInfo, EngineStatus, whole_number
from swgui.engines.cpu.engine import CpuEngine
from swgui.engines.facts import CPU

NAME: Final = CPU.name
CHUNK: Final = "chunk_residues"


def status() -> EngineStatus:
    """Say whether the compiled library can be used here."""
    if problem := native.problem():
        return EngineStatus(NAME, available=False, reason=f"{problem}.", hint=native.REMEDY)
    return EngineStatus(NAME, available=True, devices=(_device(),))


def create(options: EngineOptions) -> CpuEngine:
    """Make the engine.

    Parameters
    ----------
    options : EngineOptions
        ``threads``; ``devices`` may name ``"cpu"``; ``settings`` knows ``chunk_residues``: how large chunks are,
        ``auto`` (default) or a number.

    Raises
    ------
    EngineUnavailable
        If the compiled library cannot be used.
    InvalidParameter
        If an option is unknown.
    """
    if problem := native.problem():
        raise EngineUnavailable(NAME, f"{problem}.", hint=native.REMEDY)
    for device in options.devices:
        if device != NAME:
            raise InvalidParameter("device", device, f"The CPU engine has no device '{device}', only 'cpu'.")
    for name in options.settings:
        if name != CHUNK:
            raise InvalidParameter(name, options.settings[name], f"The CPU engine has no setting '{name}'.")
    given = options.settings.get(CHUNK, "auto")
    residues = 0 if given == "auto" else whole_number(CHUNK, given)
    return CpuEngine(_device(), options.threads or host.usable_cores(), residues)


def _device() -> DeviceInfo:
    facts = {"cores": str(host.usable_cores()), **native.facts()}
    return DeviceInfo(id=NAME, name=host.cpu_name(), memory=host.memory(), facts=facts)
