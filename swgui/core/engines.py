"""Facts about an engine before it is loaded: one record that window, command line, sweeps and manual read."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

import msgspec

from swgui.core.errors import InvalidParameter
from swgui.core.methods.base import Setting

_RETIRED_SETTINGS: Final = ("library",)  # that only earlier versions had; none of them changed a result


class Kind(Enum):
    """Kind of an engine."""

    GPU = auto()
    GRAPHICS = auto()  # GPUs of any maker, by what they all have
    CPU = auto()
    REFERENCE = auto()  # slow, and plain enough to check the others against
    REMOTE = auto()  # computes on other machines


class SpeedSamples(msgspec.Struct, frozen=True):
    """Searches that tell how fast an engine is."""

    # small, large: residues of the two databases
    small: int
    large: int
    lengths: tuple[int, ...]  # residues of the queries, ascending
    # The large database is that large for so many cores, and grows with the number of cores; 0 if it does not.
    per_cores: int = 0


class EngineFacts(msgspec.Struct, frozen=True):
    """Name, kind and settings of one engine."""

    name: str  # value of ``--engine`` and of the engine in results
    module: str  # where its adapter is: `status` and `create`, see `swgui.engines.registry.Adapter`
    title: str  # as lists show it
    about: str = ""  # purpose, for its entry on the Device page and in the manual
    needs: str = ""  # requirements of the computer, in words
    kind: Kind = Kind.CPU
    auto: bool = False  # whether ``auto`` tries it: GPUs first, then CPUs, then references
    aside: str = ""  # remark of lists behind the title; empty for none
    methods: bool = False  # whether it takes a ``method`` of `swgui.core.methods.search` and that method's settings
    kernels: bool = False  # whether its scores come from the GPU program in ``kernels/``
    threads: bool = False  # whether it takes a number of threads
    settings: tuple[Setting, ...] = ()  # quantity that a sweep varies if the engine has no methods
    # Measurement of its speed; None if that takes too long, or depends on other computers.
    samples: SpeedSamples | None = None

    @property
    def local(self) -> bool:
        """Whether it computes on this computer."""
        return self.kind is not Kind.REMOTE

    @property
    def on_gpu(self) -> bool:
        """Whether it computes on GPUs of this computer with the program's own kernels for them."""
        return self.kind is Kind.GPU

    @property
    def accelerated(self) -> bool:
        """Whether it computes on cards of this computer, which take a moment to start."""
        return self.kind in (Kind.GPU, Kind.GRAPHICS)

    @property
    def listed(self) -> bool:
        """Whether it stands in lists of devices: it is not elsewhere."""
        return self.local

    @property
    def tunable(self) -> bool:
        """Whether settings decide how fast it is."""
        return self.methods or bool(self.settings)


def current_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Return settings that a file holds, without those that this version has no more."""
    return {name: value for name, value in settings.items() if name not in _RETIRED_SETTINGS}


class EngineOptions(msgspec.Struct, frozen=True):
    """The user's choices for an engine."""

    devices: tuple[str, ...] = ()  # ids of `DeviceInfo`; empty for the engine's own choice
    threads: int = 0  # threads of the CPU engine; 0 for all cores
    # Engine-specific settings by name (method, block size, ...); unknown names are refused.
    settings: Mapping[str, str] = msgspec.field(default_factory=dict)
    on: str = ""  # address of the computer that carries the run out, where its devices are; empty for this one

    def __post_init__(self) -> None:
        if self.threads < 0:
            raise InvalidParameter("threads", self.threads, f"{self.threads} threads cannot be used.")
