"""Where a cluster is: one record from the fields of the window, the command line and settings to the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SCHEDULER: Final = "scheduler"  # names among the settings of the cluster engine
TLS_SETTINGS: Final = ("tls-ca", "tls-cert", "tls-key")
ALLOW_PLAIN: Final = "allow-plain"


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A scheduler, as somebody typed it; the engine checks it.

    Parameters
    ----------
    scheduler : str
        ``host:port``, with or without ``tcp://`` or ``tls://``.
    ca, certificate, key : str
        PEM files; all empty for a plain connection.
    allow_plain : bool
        Whether a plain connection may leave this computer.
    """

    scheduler: str = ""
    ca: str = ""
    certificate: str = ""
    key: str = ""
    allow_plain: bool = False

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
        """What is given, as settings of the ``cluster`` engine."""
        given = {name: value for name, value in {SCHEDULER: self.scheduler, **self.files}.items() if value}
        return {**given, ALLOW_PLAIN: "on"} if self.allow_plain else given
