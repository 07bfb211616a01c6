"""Finds pair engines by method; modules are imported only when asked for."""

from __future__ import annotations

import importlib
from typing import cast

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.core.methods.pair import CPU_METHOD, PAIR_METHODS
from swgui.engines import registry
from swgui.engines.base import EngineStatus
from swgui.engines.facts import GPU, REFERENCE
from swgui.engines.pair.base import PairAdapter, PairEngine


def pair_status(method: str) -> EngineStatus:
    """Return whether a method can run here; may take a second the first time."""
    return registry.probe(REFERENCE.name if method == CPU_METHOD else GPU.name)


def resolve_method(method: str) -> str:
    """Return the method that ``auto`` selects here, or the named one.

    Raises
    ------
    InvalidParameter
        If there is no such method.
    """
    if method == "auto":
        return "wavefront" if pair_status("wavefront").available else CPU_METHOD
    if method not in PAIR_METHODS:
        names = ", ".join(("auto", *PAIR_METHODS))
        raise InvalidParameter("method", method, f"There is no pair method '{method}'.", hint=f"Choose {names}.")
    return method


def make_pair_engine(method: str, options: EngineOptions) -> PairEngine:
    """Make the engine of a method.

    Raises
    ------
    EngineUnavailable
        With the reason and the remedy.
    InvalidParameter
        If there is no such method, device or setting.
    """
    chosen = resolve_method(method)
    status = pair_status(chosen)
    if not status.available:
        raise EngineUnavailable(chosen, status.reason, hint=status.hint)
    adapter = cast(PairAdapter, importlib.import_module(PAIR_METHODS[chosen].module))
    return adapter.create_pair_engine(chosen, options)
