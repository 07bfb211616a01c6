"""Computing methods and their settings: facts for windows, command lines and sweeps."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, cast

import msgspec

from swgui.core.errors import InvalidParameter

AUTO: Final = "auto"  # the value of every setting that the user leaves
THREADS: Final = "threads"  # of the CPU; engines take it from their options, not from their settings
MODULES: Final = ("swgui.papers.methods",)  # bring methods beyond the program's own: each has a `MethodSet` METHODS


class Setting(msgspec.Struct, frozen=True):
    """One knob of a method. Left alone it is ``"auto"``."""

    name: str  # key in `swgui.core.engines.EngineOptions.settings`
    title: str
    unit: str
    help: str
    # Values of a sweep, ascending; empty if it is no number or has no usual values.
    values: tuple[int, ...] = ()
    # minimum, maximum: limits of typed values; 0 and 0 for a choice of names
    minimum: int = 0
    maximum: int = 0
    names: tuple[str, ...] = ()  # the choices, if it is not a number
    step: int = 1  # a number must be a multiple of this
    listed: bool = False  # whether only the numbers of `values` may be typed

    @property
    def allowed(self) -> str:
        """Values that users may type apart from ``auto``, in words."""
        if self.names:
            return " or ".join(self.names)
        if self.listed:
            return f"{', '.join(map(str, self.values[:-1]))} or {self.values[-1]}"
        multiples = f" in multiples of {self.step}" if self.step > 1 else ""
        return f"{self.minimum} to {self.maximum}{multiples}"

    def allows(self, value: str) -> bool:
        """Whether a value may be typed; ``auto`` always may."""
        if value == AUTO or self.names:
            return value == AUTO or value in self.names
        if not value.isascii() or not value.isdecimal():
            return False
        number = int(value)
        if self.listed:
            return number in self.values
        return self.minimum <= number <= self.maximum and number % self.step == 0


class Method(msgspec.Struct, frozen=True):
    """One way of computing the same scores."""

    name: str  # value of ``--method``
    title: str
    paper: str  # the paper it comes from: authors, title, where and when; empty if it is the program's own
    summary: str  # one sentence
    settings: tuple[Setting, ...] = ()
    # Module that computes it, imported on use; empty if the engine computes it. For a search, it offers the functions
    # of `swgui.engines.cuda.engine.MethodModule`; for a pair, those of `swgui.engines.pair.base.PairAdapter`.
    module: str = ""

    def setting(self, name: str) -> Setting:
        """Return the setting of a name; `KeyError` if the method has none."""
        for setting in self.settings:
            if setting.name == name:
                return setting
        raise KeyError(name)

    def check(self, settings: Mapping[str, str]) -> None:
        """Refuse a setting that this method does not have, or a value it cannot take.

        Raises
        ------
        InvalidParameter
        """
        by_name = {setting.name: setting for setting in self.settings}
        for name, value in settings.items():
            if name not in by_name:
                has = ", ".join(by_name) or "no settings"
                raise InvalidParameter(
                    name, value, f"The method '{self.name}' has no setting '{name}'.", hint=f"It has {has}."
                )
            setting = by_name[name]
            if not setting.allows(value):
                raise InvalidParameter(
                    name,
                    value,
                    f"The setting '{name}' ({setting.title.lower()}) of the method '{self.name}' cannot be '{value}'.",
                    hint=f"It takes {setting.allowed}, or auto.",
                )


class MethodSet(msgspec.Struct, frozen=True):
    """Methods of a module of `MODULES`: ways of searching a database, and of aligning one long pair, on a GPU."""

    search: tuple[Method, ...] = ()
    pair: tuple[Method, ...] = ()


@cache
def method_sets() -> tuple[MethodSet, ...]:
    """Return the methods of the modules of `MODULES`."""
    return tuple(cast(MethodSet, importlib.import_module(name).METHODS) for name in MODULES)


def by_name(*methods: Method) -> Mapping[str, Method]:
    """Return a table of methods."""
    return MappingProxyType({method.name: method for method in methods})


# Settings of every method that searches on a GPU.
CHUNK = Setting(
    "chunk",
    "Chunk size",
    "million residues",
    "Residues of the database per launch.",
    (1, 2, 4, 8, 16, 32, 64, 128, 256),
    1,
    100_000,
)
PINNED = Setting(
    "pinned", "Page-locked memory", "", "Host memory of transfers: page-locked or ordinary.", names=("on", "off")
)
STREAMS = Setting(
    "streams",
    "Streams",
    "streams",
    "Chunks under way at once: the next begins while the last blocks of one finish.",
    (1, 2, 3, 4, 6, 8),
    1,
    16,
)
TRANSFER: Final = (CHUNK, PINNED, STREAMS)

# Settings of the engines that score on the CPU.
CPU_SETTINGS: Final = (
    Setting(THREADS, "Threads", "threads", "Threads that score at the same time; one per core is usual.", (1,), 1, 512),
    Setting(
        "chunk_residues",
        "Residues per chunk",
        "residues",
        "How much of the database is handed out at once: larger chunks cost less, smaller ones end together.",
        (20_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000),
        1,
        1_000_000_000,
    ),
)
