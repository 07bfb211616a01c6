"""Devices that compute, here or in a cluster: records, made from text at the boundary of the program."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

CPU: Final = "cpu"  # its id among those of GPUs
SCHEDULER: Final = "scheduler"  # names among the settings of the cluster engine
TLS_SETTINGS: Final = ("tls-ca", "tls-cert", "tls-key")
ALLOW_PLAIN: Final = "allow-plain"


def device_ids(text: str) -> tuple[str, ...]:
    """Return the ids of devices in a text such as ``0,1,cpu``; empty text gives none."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def device_text(ids: Iterable[str]) -> str:
    """Return ids as settings files and the command line write them: separated by commas."""
    return ",".join(ids)


class DeviceChoice(msgspec.Struct, frozen=True):
    """An engine, and which of its devices it uses."""

    engine: str = "auto"  # name in the registry of engines; ``auto`` for the fastest one that can be used
    ids: tuple[str, ...] = ()  # ids of its devices, the CPU as ``cpu``; empty for the engine's own choice

    @property
    def automatic(self) -> bool:
        """Whether the program chooses the engine."""
        return self.engine == "auto"


class ClusterAddress(msgspec.Struct, frozen=True):
    """Address of a scheduler, as the user typed it; the engine checks it."""

    scheduler: str = ""  # ``host:port``, with or without ``tcp://`` or ``tls://``
    # ca, certificate, key: PEM files; all empty for a plain connection
    ca: str = ""
    certificate: str = ""
    key: str = ""
    allow_plain: bool = False  # whether a plain connection may leave this computer

    @property
    def files(self) -> dict[str, str]:
        """PEM files by the names of `TLS_SETTINGS`; empty text for those that are not given."""
        return dict(zip(TLS_SETTINGS, (self.ca, self.certificate, self.key), strict=True))

    @property
    def encrypted(self) -> bool:
        """Whether any PEM file is given."""
        return any(self.files.values())

    @property
    def settings(self) -> dict[str, str]:
        """The fields that have a value, as settings of the ``cluster`` engine."""
        given = {name: value for name, value in {SCHEDULER: self.scheduler, **self.files}.items() if value}
        return {**given, ALLOW_PLAIN: "on"} if self.allow_plain else given


def is_loopback(host: str) -> bool:
    """Return True if connections to a host stay on this computer; addresses that need a look-up do not."""
    from ipaddress import ip_address  # here: a search needs none

    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
