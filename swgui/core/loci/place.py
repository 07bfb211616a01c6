"""A place to look at: a stretch of a sequence of a database, and what lies there besides its features."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.translation.genetic_codes import STANDARD

_NONE = np.zeros(0, np.int64)


class Marks(msgspec.Struct, frozen=True, eq=False):
    """k marked stretches of one sequence: alignments, or places of a rule."""

    title: str
    # starts, ends: half-open ranges from 0; behind the origin of a circular sequence they count on, shape (k,)
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    strands: NDArray[np.int8]  # 1 or -1, shape (k,)
    names: tuple[str, ...]  # of each, shape (k,)
    shifts: NDArray[np.int64] = _NONE  # bases at which the reading shifts


class Place(msgspec.Struct, frozen=True, eq=False):
    """One stretch of a sequence."""

    database: EncodedDatabase
    db_index: int
    # start, end: half-open range from 0
    start: int
    end: int
    marks: Callable[[], tuple[Marks, ...]] = tuple  # called by a worker: marks of the whole sequence
    origin: str = ""  # name of the result that it is a place of
    code: int = STANDARD  # genetic code by which frames are read
