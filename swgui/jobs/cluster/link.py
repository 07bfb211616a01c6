"""Looking at a cluster from outside: its workers, and whether the way there is safe. No Qt."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import cast

from swgui.core.devices import ClusterAddress
from swgui.core.engines import EngineOptions
from swgui.engines import registry
from swgui.engines.base import DeviceInfo
from swgui.engines.cluster.engine import ClusterEngine
from swgui.engines.cluster.security import NAME, is_exposed

__all__ = ["ClusterView", "is_exposed", "look"]


@dataclass(frozen=True, slots=True)
class ClusterView:
    """Devices and databases at a scheduler."""

    workers: tuple[DeviceInfo, ...]  # by name; their names are those that results and live figures use
    refused: tuple[str, ...] = ()  # sentences about workers that cannot be used


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
