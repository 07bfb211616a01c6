"""Requests of the Network page: their kinds of run, and the forecast of long ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from swgui.core.engines import EngineOptions
from swgui.jobs.forecast import Forecast, forecast_of
from swgui.jobs.kind import kinds
from swgui.jobs.network.edges import AllAgainstAll
from swgui.jobs.network.grouping import ClusterRequest, JudgeRequest, SplitRequest
from swgui.jobs.network.leak import LeakRequest
from swgui.jobs.network.request import NetworkRequest
from swgui.runs.plain import Resumed

KINDS: Final[Mapping[type, str]] = {
    NetworkRequest: "network",
    LeakRequest: "leak",
    JudgeRequest: "judge",
    SplitRequest: "split",
    ClusterRequest: "cluster",
}
Choose = Callable[[], tuple[str, EngineOptions]]  # returns the chosen engine and its options


def kind_of(asked: Any) -> str:
    """Return the kind of run of a request; empty if it is none of this page."""
    return KINDS.get(type(asked.asked if isinstance(asked, Resumed) else asked), "")


@dataclass(frozen=True, eq=False)
class LongRequest:
    """A request whose comparison takes long, with its sequences open: it begins after the user agrees."""

    asked: Any = field(repr=False)
    forecast: Forecast

    @property
    def sentence(self) -> str:
        """The question to the user."""
        return f"{self.forecast.sentence} Compare them?"


def long_or_not(asked: Any, compared: AllAgainstAll) -> Any:
    """Return a request, as `LongRequest` if its comparison takes long."""
    forecast = forecast_of(kinds()[kind_of(asked)], compared)
    return LongRequest(asked, forecast) if forecast.long else asked


def compared_by(asked: Any, cancel: threading.Event) -> AllAgainstAll | None:
    """Open the sequences of a request; None if they are not compared, as of a saved network.

    Raises
    ------
    SwguiError
        If they cannot be read, or not be compared as requested.
    """
    asked = asked.network if hasattr(asked, "network") else asked
    if isinstance(asked, NetworkRequest) and asked.is_saved:
        return None
    compared: AllAgainstAll = asked.opened(cancel)
    return compared
