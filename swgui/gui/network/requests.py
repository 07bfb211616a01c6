"""Requests of the Network page: their kinds of run, and the forecast of long ones."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from swgui.core.engines import EngineOptions
from swgui.gui.inputs.marks import SharedMarks
from swgui.jobs.forecast import Forecast, forecast_of
from swgui.jobs.kind import kinds
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.runs import Runs
from swgui.runs.plain import Resumed
from swgui.settings import Settings

PAGE: Final = "network"
Choose = Callable[[], tuple[str, EngineOptions]]  # returns the chosen engine and its options


class Using(NamedTuple):
    """Parts of the window that page and tabs share: `choose_engine` returns engine and options; marks may be made."""

    settings: Settings
    choose_engine: Choose
    history: Runs
    marks: SharedMarks | None = None


def kind_of(asked: Any) -> str:
    """Return the kind of run of a request; empty if it is none of this page."""
    name = getattr(asked.asked if isinstance(asked, Resumed) else asked, "kind", "")
    return name if name in [kind.name for kind in kinds().values() if kind.page == PAGE] else ""


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
    """Return a request, as `LongRequest` if its comparison takes long on this computer."""
    if compared.options.on:  # whose speed is not known here
        return asked
    forecast = forecast_of(kinds()[kind_of(asked)], compared)
    return LongRequest(asked, forecast) if forecast.long else asked


def compared_by(asked: Any, cancel: threading.Event) -> AllAgainstAll | None:
    """Open the sequences of a request; None if they are not compared, as of a saved network.

    Raises
    ------
    SwguiError
        If they cannot be read, or not be compared as requested.
    """
    comparison = asked.comparison
    if comparison.is_saved:
        return None
    compared: AllAgainstAll = comparison.opened(cancel)
    return compared
