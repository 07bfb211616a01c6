"""The ``cpu`` engine: exact scores from SIMD libraries, on all cores.

Three libraries complement each other and any of them is enough. The *compiled* library of the program
(`swgui.engines.native`) puts one subject into each SIMD lane, with AVX2 and AVX-512, for plain queries and
position-specific profiles: best wherever subjects are many. *pyopal* does so for plain queries. *parasail*
lays one query along the lanes: best for single long subjects. A small cost
model (`cost`) picks per piece; what a library cannot score exactly never reaches it:

* position-specific profiles go to the compiled library or to parasail, and without them to the NumPy path
  (`rowscan`), which is exact and about a hundred times slower;
* gap costs by position go to the compiled library, or to the NumPy path;
* queries whose score could leave 32 bits go to the NumPy path, which counts in 64;
* empty subjects and empty queries score 0 without any library.

Stop. Work is cut into pieces of about 60 ms by residues, and the iterator never waits for a piece once
it is told to stop. A subject of more than a hundred million cells is cut into windows that overlap by
the longest possible alignment (`windows`), so a chromosome also runs on all cores. A single subject of
35,000 residues against a query of 5,000 is 175 million cells: about 10 ms in parasail; with pyopal
alone about 0.3 s in one lane, after which the thread leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.engines import host, native
from swgui.engines.base import DeviceInfo, EngineStatus, whole_number
from swgui.engines.cpu.engine import CpuEngine
from swgui.engines.facts import CPU
from swgui.engines.simd import opal, striped

NAME: Final = CPU.name
LIBRARIES: Final[Mapping[str, Callable[[], str]]] = {
    "compiled": native.problem,
    "pyopal": opal.problem,
    "parasail": striped.problem,
}
SETTINGS: Final = ("library", "chunk_residues")
_HINT: Final = "Install one of them: 'pip install pyopal', or 'pip install parasail' on Python 3.14 and later."


def status() -> EngineStatus:
    """Say whether any of the libraries can be used here; those behind the first one that can are not imported."""
    if all(problem() for problem in LIBRARIES.values()):
        reason = f"The CPU engine needs one of its libraries: {'; '.join(problem() for problem in LIBRARIES.values())}."
        return EngineStatus(NAME, available=False, reason=reason, hint=_HINT)
    return EngineStatus(NAME, available=True, devices=(_device(),))


def create(options: EngineOptions) -> CpuEngine:
    """Make the engine.

    Parameters
    ----------
    options : EngineOptions
        ``threads``; ``devices`` may name ``"cpu"``; ``settings`` knows ``library``: ``auto`` (default),
        ``compiled``, ``pyopal`` or ``parasail``; and ``chunk_residues``: how large chunks are, ``auto`` (default)
        or a number.

    Raises
    ------
    EngineUnavailable
        If no library, or not the one asked for, can be used.
    InvalidParameter
        If an option is unknown.
    """
    now = status()
    if not now.available:
        raise EngineUnavailable(NAME, now.reason, hint=now.hint)
    chosen = _library(options)

    def usable(name: str) -> bool:
        return chosen in ("auto", name) and not LIBRARIES[name]()

    compiled = usable("compiled")
    ahead = compiled and native.lanes()  # of pyopal, whatever is scored (`cost`): then it is not even imported
    threads = options.threads or host.usable_cores()
    return CpuEngine(
        _device(),
        threads,
        use_opal=not ahead and usable("pyopal"),
        use_striped=usable("parasail"),
        use_compiled=compiled,
        chunk_residues=_chunk_residues(options),
    )


def _library(options: EngineOptions) -> str:
    """Check all options and return the library asked for."""
    for device in options.devices:
        if device != NAME:
            raise InvalidParameter("device", device, f"The CPU engine has no device '{device}', only 'cpu'.")
    for name in options.settings:
        if name not in SETTINGS:
            raise InvalidParameter(name, options.settings[name], f"The CPU engine has no setting '{name}'.")
    chosen = options.settings.get("library", "auto")
    if chosen == "auto":
        return chosen
    if chosen not in LIBRARIES:
        choices = ", ".join(["auto", *LIBRARIES])
        raise InvalidParameter("library", chosen, f"There is no library '{chosen}'.", hint=f"Choose from {choices}.")
    if problem := LIBRARIES[chosen]():
        hint = "Install the program again." if chosen == "compiled" else f"Install it with 'pip install {chosen}'."
        raise EngineUnavailable(NAME, f"{problem}.", hint=hint)
    return chosen


def _chunk_residues(options: EngineOptions) -> int:
    """Return the size of chunks asked for, 0 for automatic."""
    given = options.settings.get("chunk_residues", "auto")
    return 0 if given == "auto" else whole_number("chunk_residues", given)


def _device() -> DeviceInfo:
    facts = {"cores": str(host.usable_cores()), **native.facts(), **opal.facts(), **striped.facts()}
    return DeviceInfo(id=NAME, name=host.cpu_name(), memory=host.memory(), facts=facts)
