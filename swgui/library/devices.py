"""``swgui.devices``."""

from __future__ import annotations

from swgui.engines.base import EngineStatus
from swgui.engines.registry import probe_engines


def devices(*, refresh: bool = False) -> tuple[EngineStatus, ...]:
    """Return the engines of this computer and their devices, those that ``engine="auto"`` tries first, best first.

    Parameters
    ----------
    refresh : bool
        Look again; otherwise what was found before is returned.

    Returns
    -------
    tuple of EngineStatus
        Each with ``name`` (what ``engine=`` takes), ``available``, ``devices`` (with ``id``, which ``device=`` takes,
        ``name``, ``memory`` and ``free_memory`` in bytes, and ``facts``), and, where it is not available, ``reason``
        and ``hint``.
    """
    return probe_engines(refresh=refresh)
