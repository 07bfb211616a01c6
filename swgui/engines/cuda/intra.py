"""A block of threads for each subject (``kernels/intra.cu``): number of threads and rows, compilation, the profile.

For the longest subjects of a small database (`swgui.engines.cuda.streaming.alone`), and for methods of papers.

Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0, BMC Research Notes 3:93 (2010), and CUDASW++, BMC Research Notes 2:73
(2009): the second stage, for subjects longer than a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda import tiles
from swgui.engines.cuda.arithmetic import INT16_RANGE, Arithmetic

FILE: Final = "intra.cu"
KERNEL: Final = "intra"
CELL_BYTES: Final = 8  # two words: H and E (or F) of one subject in 32 bits, or of two in 16
UNIT_ROWS: Final = 4  # query rows of one profile unit
WARP: Final = 32


def launch_defines(arithmetic: Arithmetic, threads: int, min_blocks: int) -> dict[str, int]:
    """Return the constants, without ``SW_``, that every kernel on ``include/method_cell.cuh`` takes."""
    most = INT16_RANGE - 1 if arithmetic.subjects == 2 else arithmetic.gap_first  # cut off at 0 all the same
    return {
        "SUBJECTS": arithmetic.subjects,
        "LETTERS": arithmetic.letters,
        "FIRST": min(arithmetic.gap_first, most),
        "FURTHER": min(arithmetic.gap_extend, most),
        "LIMIT": arithmetic.limit,
        "DPX": int(arithmetic.dpx),
        "THREADS": threads,
        "MIN_BLOCKS": min_blocks,
    }


def shared_bytes(arithmetic: Arithmetic, threads: int, rows: int) -> int:
    """Return the dynamic shared memory of a block: values between threads, and the strip's profile."""
    passed = 2 * threads * (32 + 4 * arithmetic.subjects)
    return passed + CELL_BYTES * arithmetic.codes * threads * rows // UNIT_ROWS + 8


def best_shape(
    length: int, arithmetic: Arithmetic, shared_limit: int, *, threads: int = 0, rows: int = 0, least: int = WARP
) -> tuple[int, int]:
    """Return threads per block and rows per thread with the least estimated time.

    A strip of the query takes as many steps as the subject has blocks of four columns, plus one for each
    thread before the last gets its first; a step costs its rows and about six rows' worth of waiting.

    Parameters
    ----------
    threads, rows : int
        As the user set them; 0 for a choice.
    least : int
        Threads per block that are needed to fill the GPU.
    """
    best: tuple[float, int, int] | None = None
    for many in (threads,) if threads else tiles.INTRA_THREADS:
        for high in (rows,) if rows else tiles.INTRA_ROWS:
            if shared_bytes(arithmetic, many, high) > shared_limit and not (threads and rows):
                continue
            used = min(many, -(-length // high))  # threads that have rows
            strips = max(1, -(-length // (many * high)))
            crowding = max(1, many / least)  # more threads than are needed to fill the GPU cost their time
            time = strips * crowding * (high + 6) * (300 + used)
            if best is None or time < best[0]:
                best = time, many, high
    if best is None:
        return threads or WARP, rows or tiles.INTRA_ROWS[0]
    return best[1:]


def arrange_units(profile: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the units of a padded profile, ``shape=(rows, codes)``, all those of a symbol side by side."""
    return profile.reshape(-1, UNIT_ROWS, profile.shape[1]).transpose(2, 0, 1)


@dataclass(frozen=True, slots=True)
class BlockVariant:
    """The kernel as it is compiled for twins of the program's own layout of a database (``SW_STREAM``)."""

    arithmetic: Arithmetic
    # threads, rows: threads per block; query rows of each
    threads: int
    rows: int

    @property
    def strip(self) -> int:
        """Query rows that need no border."""
        return self.threads * self.rows

    @property
    def shared_bytes(self) -> int:
        return shared_bytes(self.arithmetic, self.threads, self.rows)

    def defines(self) -> tuple[str, ...]:
        values = {**launch_defines(self.arithmetic, self.threads, 1), "ROWS": self.rows, "STREAM": 1}
        return tuple(f"-DSW_{name}={value}" for name, value in values.items())

    def arrange(self, profile: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return a query profile, ``shape=(letters, m)``, as the kernel reads it, with padding of score 0."""
        letters, length = profile.shape
        padded = np.zeros((self.arithmetic.codes, max(1, -(-length // UNIT_ROWS)) * UNIT_ROWS), dtype=np.int16)
        padded[:letters, :length] = profile  # units of a symbol lie side by side: its scores in their order
        return padded.ravel()
