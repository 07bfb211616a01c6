"""A database in shares that are searched separately: the subjects of each, and the scores of one."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.scores import TopHits, WindowScores
from swgui.core.ranges import Stretch
from swgui.core.statistics.counts import Counted


class Share(msgspec.Struct, frozen=True):
    """One of some shares of about equally many residues, counted from 1; there may be more of them than subjects."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise InvalidParameter(
                "part",
                str(self),
                f"There is no part {self.number} of {self.of}.",
                hint="Parts are counted from 1: 1/16 is the first of 16, 16/16 the last.",
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def stretch(self, database: EncodedDatabase) -> Stretch:
        """Return the range of a database's subjects in it, by storage position; all shares together have all."""
        return self._edge(database, self.number - 1), self._edge(database, self.number)

    def _edge(self, database: EncodedDatabase, shares: int) -> int:
        if shares in (0, self.of):
            return len(database) if shares else 0
        left = database.residues * shares // self.of
        for piece in database.pieces:
            if left < piece.residues:
                return piece.first + int(np.searchsorted(piece.open().offsets[:-1], left, side="left"))
            left -= piece.residues
        return len(database)


class ShareScores(msgspec.Struct, frozen=True, eq=False):
    """Scores of a share, of every row: a query in one of its strands or readings."""

    share: Share
    stretch: Stretch
    subjects: int  # of all shares together
    # Source index of each of its own in storage order, shape (n,); only with `scores`, and not where it was read.
    sources: NDArray[np.int64]
    scores: NDArray[np.int32] | None  # of all its subjects in storage order, shape (rows, n)
    best: tuple[TopHits, ...]  # of each row, by source index of the whole database; only without `scores`
    # Counts of scores by length (`ScoreCounts.counted`) of each query, if E will be fitted to them without `scores`;
    # else empty.
    counts: tuple[Counted, ...]
    windows: tuple[tuple[WindowScores, ...], ...]  # of each row, where long subjects score
    cells: int
    rescored: int
    seconds: float
    engine: str
    devices: tuple[str, ...]
