"""Looking at a cluster from outside: its workers, and whether the way there is safe. No Qt."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import cast

from swgui.core.errors import InvalidParameter
from swgui.engines import registry
from swgui.engines.base import DeviceInfo, EngineOptions
from swgui.engines.cluster.engine import ClusterEngine
from swgui.engines.cluster.security import ALLOW_PLAIN, NAME, TLS_SETTINGS, is_exposed

ENGINE = NAME


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A scheduler, as the user typed it.

    Parameters
    ----------
    scheduler : str
        ``host:port``, with or without ``tcp://`` or ``tls://``.
    ca, certificate, key : str
        PEM files; all empty for a plain connection.
    allow_plain : bool
        Whether a plain connection may leave this computer.
    """

    scheduler: str
    ca: str = ""
    certificate: str = ""
    key: str = ""
    allow_plain: bool = False

    @property
    def settings(self) -> dict[str, str]:
        """Settings of the ``cluster`` engine."""
        files = zip(TLS_SETTINGS, (self.ca, self.certificate, self.key), strict=True)
        settings = {"scheduler": self.scheduler, **{name: file for name, file in files if file}}
        return {**settings, ALLOW_PLAIN: "on"} if self.allow_plain else settings

    @property
    def exposed(self) -> bool:
        """Whether the connection would leave this computer without encryption; False for what is no address."""
        try:
            return is_exposed(self.scheduler, encrypted=bool(self.ca or self.certificate or self.key))
        except InvalidParameter:
            return False


@dataclass(frozen=True, slots=True)
class ClusterView:
    """What there is at a scheduler.

    Parameters
    ----------
    workers : tuple of DeviceInfo
        By name; their names are those that results and live figures use.
    refused : tuple of str
        Sentences about workers that cannot be used.
    """

    workers: tuple[DeviceInfo, ...]
    refused: tuple[str, ...] = ()


def look(address: ClusterAddress) -> ClusterView:
    """Connect to a scheduler, ask its workers what they are, and leave.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        As the ``cluster`` engine: no Dask, no scheduler, no worker, another version, a connection that is not safe.
    """
    engine = cast(ClusterEngine, registry.make_engine(NAME, EngineOptions(settings=address.settings)))
    with closing(engine):
        return ClusterView(engine.devices, engine.refused)
