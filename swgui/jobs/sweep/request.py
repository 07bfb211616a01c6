"""What decides a sweep."""

from __future__ import annotations

from dataclasses import dataclass, field

from swgui.core.database import ArrayDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.sweep.grid import QUERY_AXIS, Axis


@dataclass(frozen=True, slots=True, eq=False)
class SweepRequest:
    """Everything that decides a sweep."""

    engine: str  # name in the registry
    axes: tuple[Axis, ...]  # one or two
    database: ArrayDatabase
    scheme: ScoringScheme
    # What is searched with; with the axis ``query``, prefixes of it, repeated where it is too short.
    query: EncodedQuery
    # Devices (the first is measured), threads, and settings that all cells share.
    options: EngineOptions = field(default_factory=EngineOptions)
    repeats: int = 5  # timed runs of a cell at least
    least_seconds: float = 0.1  # a cell is timed for at least so long (up to 50 runs): clocks need time to be read
    budget: float = 0.0  # seconds after which no further cell is begun; 0 for no limit
    seed: int = 0  # of the order of the cells

    def __post_init__(self) -> None:
        if not 1 <= len(self.axes) <= 2:
            raise InvalidParameter("axes", len(self.axes), "A sweep has one axis or two.")
        if len({axis.name for axis in self.axes}) < len(self.axes):
            raise InvalidParameter("axes", self.axes[0].name, f"Both axes are '{self.axes[0].name}'.")
        if not len(self.query) or not len(self.database):
            raise InvalidParameter("query", self.query.id, "A sweep needs a query and a database with residues.")
        for axis in self.axes:
            if axis.name == QUERY_AXIS and not all(value.isdigit() and int(value) for value in axis.values):
                raise InvalidParameter("query", axis.values, "Lengths of queries are whole numbers above 0.")
