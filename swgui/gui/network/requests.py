"""Requests of the Network page: their kinds of run, and the forecast of long ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from swgui.core.engines import EngineOptions
from swgui.core.errors import SwguiError
from swgui.core.words import count, duration
from swgui.engines.registry import resolve
from swgui.gui.words import wording
from swgui.jobs.network.edges import AllAgainstAll
from swgui.jobs.network.grouping import ClusterRequest, JudgeRequest, SplitRequest
from swgui.jobs.network.leak import LeakRequest
from swgui.jobs.network.request import NetworkRequest
from swgui.jobs.search.estimate import remembered
from swgui.runs.plain import Resumed

LONG_SECONDS: Final = 60.0  # a longer comparison begins after the user agrees
MANY_CELLS: Final = 10**12  # the same in pairs, if the speed of the device is not known
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
class Forecast:
    """A long comparison: the request with its sequences open, and its work.

    Parameters
    ----------
    seconds : float or None
        Estimated from measurements of the device; None without any.
    """

    asked: Any = field(repr=False)
    pairs: int
    cells: int
    seconds: float | None

    @property
    def long(self) -> bool:
        """Whether to ask the user before it begins."""
        return self.cells > MANY_CELLS if self.seconds is None else self.seconds > LONG_SECONDS

    @property
    def sentence(self) -> str:
        """The question to the user."""
        known = (
            f"about {duration(self.seconds)}" if self.seconds is not None else "the speed of the device is not known"
        )
        return f"{count(self.pairs, 'pair')} of sequences, {wording.cells(self.cells)}: {known}. Compare them?"


def forecast(asked: Any, compared: AllAgainstAll) -> Forecast:
    """Return how much there is to compare for a request."""
    queries, subjects, strands = compared.queries, compared.subjects, len(compared.strands)
    try:
        known = remembered(resolve(compared.engine)[0], compared.options)
    except (SwguiError, IndexError):  # the comparison reports the missing engine
        known = None
    seconds = known.seconds(queries.lengths.tolist() * strands, subjects.residues) if known is not None else None
    pairs = len(queries) * len(subjects)
    if compared.one_set:
        pairs = len(queries) * (len(queries) - 1) // 2
        seconds = seconds / 2 if seconds is not None else None
    return Forecast(asked, pairs, compared.cells, seconds)


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
