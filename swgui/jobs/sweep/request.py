"""The parameters that decide a sweep."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from swgui.core.database import ArrayDatabase, EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.sweep.data import synthetic_database, synthetic_query
from swgui.core.sweep.grid import QUERY_AXIS, Axis
from swgui.io.database.any_file import open_any_database


@dataclass(frozen=True, slots=True, eq=False)
class SweepRequest:
    """Everything that decides a sweep.

    Parameters
    ----------
    engine : str
        Name in the registry.
    axes : tuple of Axis
        One or two.
    database : EncodedDatabase, Path or int
        What is searched: sequences, a file of them, or how many residues synthetic ones have.
    query : EncodedQuery or int
        What is searched with, or the length of a synthetic query. With the axis ``query`` prefixes of it, repeated
        where it is too short.
    options : EngineOptions
        Devices (the first is measured), threads, and settings that all cells share.
    repeats : int
        Timed runs of a cell at least.
    least_seconds : float
        A cell is timed for at least so long (up to 50 runs): clocks need time to be read.
    watts : float
        Seconds for which a cell is timed at least to measure the energy that its device takes; 0 to measure none.
    budget : float
        Seconds after which no further cell is begun; 0 for no limit.
    seed : int
        Of the order of the cells.
    source : str
        File that a database in memory was read from; empty if there is none.
    query_file : str
        File whose first sequence the query is; empty if there is none.
    name : str
        What a list of runs calls it; by default by its axes.
    """

    engine: str
    axes: tuple[Axis, ...]
    database: EncodedDatabase | Path | int
    scheme: ScoringScheme
    query: EncodedQuery | int
    options: EngineOptions = field(default_factory=EngineOptions)
    repeats: int = 5
    least_seconds: float = 0.1
    watts: float = 0.0
    budget: float = 0.0
    seed: int = 0
    source: str = ""
    query_file: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.axes) <= 2:
            raise InvalidParameter("axes", len(self.axes), "A sweep has one axis or two.")
        if len({axis.name for axis in self.axes}) < len(self.axes):
            raise InvalidParameter("axes", self.axes[0].name, f"Both axes are '{self.axes[0].name}'.")
        if not self.length or (not isinstance(self.database, Path | int) and not len(self.database)):
            raise InvalidParameter("query", self.length, "A sweep needs a query and a database with residues.")
        for axis in self.axes:
            if axis.name == QUERY_AXIS and not all(value.isdigit() and int(value) for value in axis.values):
                raise InvalidParameter("query", axis.values, "Lengths of queries are whole numbers above 0.")

    @property
    def length(self) -> int:
        """Residues of the query."""
        return self.query if isinstance(self.query, int) else len(self.query)

    @property
    def file(self) -> str:
        """Path of the file of the database; empty if there is none."""
        return str(self.database.absolute()) if isinstance(self.database, Path) else self.source

    def sequences(self, cancel: threading.Event) -> tuple[EncodedQuery, ArrayDatabase]:
        """Return query and database: made up, read from a file, or as they are.

        Raises
        ------
        SwguiError
            If the file cannot be read.
        """
        query, database, alphabet = self.query, self.database, self.scheme.alphabet
        if isinstance(query, int):
            query = synthetic_query(query, alphabet)
        if isinstance(database, int):
            database = synthetic_database(database, alphabet)
        if isinstance(database, Path):
            database = open_any_database(database, alphabet=alphabet, cancel=cancel)
        return query, database.arrays()
