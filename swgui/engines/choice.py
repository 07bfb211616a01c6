"""Cores or GPU: the device that ends first, for ``auto``, of searches, networks and rules.

A GPU computes a hundred times as fast as the cores, but CUDA must be loaded first. ``auto`` takes the cores where they
end before a GPU would. Both times are estimates of the work; `tests/engines/choices.json` holds the times of whole
commands, which `packaging/measuring/choices.py` measures. A GPU starts before the rest of the program is imported, if
it is to be used: this module imports next to nothing.
"""

from __future__ import annotations

import math
import os
import stat
import sys
from typing import Final, NamedTuple

from swgui.engines.host import usable_cores

COMPRESSED: Final = 4  # bytes of sequences in one of a file with these endings
ENDINGS: Final = (".gz", ".bgz", ".bz2", ".xz", ".zst")


class Tuning(NamedTuple):
    """Numbers that were chosen by measurements, and the computer of these; a wrong one costs time only."""

    measured_on: str
    # cell, row, gpu_cell: seconds of a core for a cell, of a core for a residue of the database and each query, and of
    # a GPU for a cell
    cell: float
    row: float
    gpu_cell: float
    scaling: float  # power of their number with which cores become faster: many share units and the interpreter's lock
    # start, start_of_rules: seconds until a GPU that is not in use computes a search, and a rule
    start: float
    start_of_rules: float


TUNING: Final = Tuning(
    measured_on="4 and 16 cores of an Intel Xeon and one H200, November 2026; two cores of an AMD EPYC",
    cell=1 / 30e9,
    row=10e-9,
    gpu_cell=1 / 6e12,
    scaling=0.5,
    start=0.35,
    start_of_rules=1.0,
)


class Work(NamedTuple):
    """The work of a search.

    Parameters
    ----------
    cells : float
        Of all queries, each as often as it has strands or frames.
    rows : float
        Residues of the database, times the number of such queries.
    """

    cells: float
    rows: float = 0.0

    def on_cores(self, threads: int = 0) -> float:
        """Return the seconds that cores take; 0 for all."""
        alone = self.cells * TUNING.cell + self.rows * TUNING.row
        return alone / math.pow(threads or usable_cores(), TUNING.scaling)

    @property
    def on_gpu(self) -> float:
        """Seconds that a GPU takes with its start."""
        return self.cells * TUNING.gpu_cell + (0.0 if in_use() else TUNING.start)


MUCH: Final = Work(math.inf)  # of which nothing is known: a GPU is worth its start


def likely_residues(path: str | os.PathLike[str]) -> float:
    """Return about how many residues a file has, by its size; infinity where there is no such file."""
    try:
        found = os.stat(path)
    except OSError:
        return math.inf
    if not stat.S_ISREG(found.st_mode):
        return math.inf
    return found.st_size * (COMPRESSED if os.fspath(path).endswith(ENDINGS) else 1)


def in_use() -> bool:
    """Whether this process has loaded CUDA, so that a GPU begins at once."""
    return "cupy" in sys.modules


def cores_end_first(on_cores: float, on_gpu: float) -> bool:
    """Whether the cores end first, by the seconds of both; of a rule the latter is the start alone."""
    return on_cores <= on_gpu and on_cores < math.inf


def sentence(on_cores: float, on_gpu: float, threads: int = 0) -> str:
    """Return the reason why ``auto`` takes the cores."""
    from swgui.core.words import count, duration  # here: most searches say nothing

    cores = count(threads or usable_cores(), "core")
    return f"'auto' took the {cores} ({duration(on_cores)}), as a GPU would take {duration(on_gpu)} with its start."
