"""One long pair on the CPU: exact, in linear memory, for computers without a GPU.

Three stages, each of them exact by itself.

1. *Scoring.* The score and the cell it ends in. A small local pair is scored in one call, the query along the lanes
   (`swgui.engines.native.regions`), which tells the start, too; it can be neither interrupted nor watched, so it gets
   what takes a second at most. Anything larger is computed in steps that can stop, report and go on from a checkpoint:
   similar sequences in a band along the diagonal (`band`), others in tiles (`sweep`); both leave out what cannot reach
   a score known from common words (`anchors`).
2. *Finding the start.* The same from the end backwards, with the score known (local and semi-global mode).
3. *Aligning.* The traceback inside the rectangle between start and end, through tiles (`walk`) or in a band.

Which of several best alignments is given is the same as in `swgui.engines.traceback`, whatever the sizes: the one that
ends first in the subject, then in the query; of these the one that starts last in the subject, then in the query; of
these, from the end, pairs before insertions before deletions.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from functools import cache
from typing import Final

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, Stopped
from swgui.core.methods.pair import CPU_METHOD, PAIR_METHODS
from swgui.core.pair.problem import PairCheckpoint, PairMode, PairPlan, PairProblem, PairStep
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines import host, native
from swgui.engines.base import DeviceInfo
from swgui.engines.pair.band_walk import KEPT_BYTES, STRETCH_BYTES
from swgui.engines.pair.cpu_job import Job, fits_a_call, profile_bytes, tile_size
from swgui.engines.pair.problem import make_problem
from swgui.engines.pair.sweep import Start, outer_borders
from swgui.engines.pair.tile import Best, compute_tile
from swgui.engines.pair.walk import BLOCK, STATE_VALUES

NAME: Final = CPU_METHOD
CALL_RATE: Final = 4e9  # cells per second, of long pairs on one core
PATH_SECONDS: Final = 2e-5  # per residue of both sequences, of the traceback along the diagonal
GLOBAL_PATH: Final = 2.0  # times as long as the score, of the traceback through all of the matrix
LOOKED_UP: Final = 4.0  # how much longer a cell takes where its score is looked up


def create_pair_engine(method: str, options: EngineOptions) -> CpuPairEngine:
    """Make the engine.

    Parameters
    ----------
    options : EngineOptions
        ``threads``; ``devices`` may name ``"cpu"``; there are no settings.

    Raises
    ------
    InvalidParameter
        If an option is unknown.
    EngineUnavailable
        If the compiled library cannot be used.
    """
    if problem := native.problem():
        raise EngineUnavailable(NAME, f"{problem}.", hint=native.REMEDY)
    for device in options.devices:
        if device != NAME:
            raise InvalidParameter("device", device, f"The CPU method has no device '{device}', only 'cpu'.")
    PAIR_METHODS[NAME].check(options.settings)
    return CpuPairEngine(options.threads or host.usable_cores())


class CpuPairEngine:
    """Aligns long pairs with the compiled library."""

    method = NAME

    def __init__(self, threads: int) -> None:
        facts = {"cores": str(host.usable_cores()), **native.facts()}
        self.devices = (DeviceInfo(id=NAME, name=host.cpu_name(), memory=host.memory(), facts=facts),)
        self.threads = threads

    def plan(self, problem: PairProblem) -> PairPlan:
        """Say beforehand what it will cost; measures this computer for a moment the first time."""
        rows, columns, cells, mode = problem.rows, problem.columns, problem.cells, problem.mode
        passes = 1 if problem.score_only else 2 if mode is PairMode.GLOBAL else 3
        quick = _is_quick(problem)
        nucleotides = bool(problem.scheme.alphabet.complements)
        seconds = cells / CALL_RATE
        if not quick:
            seconds = _seconds(rows, columns, threads=self.threads, nucleotides=nucleotides)
        if not problem.score_only:
            seconds += GLOBAL_PATH * seconds if mode is PairMode.GLOBAL else 0.0
            seconds += PATH_SECONDS * (rows + columns)
        tile = tile_size(rows, columns)
        remarks = []
        if not quick and cells >= 1e10:
            remarks.append("The time is that of unrelated sequences; similar ones take a fraction of it.")
        return PairPlan(
            method=NAME,
            devices=tuple(device.name for device in self.devices),
            cells=cells,
            cells_at_most=passes * cells,
            memory=self._memory(problem),
            settings={"threads": str(self.threads), "tile": f"{tile[0]} x {tile[1]}"},
            seconds=seconds,
            remarks=tuple(remarks),
        )

    def run(
        self, problem: PairProblem, cancel: threading.Event, resume: PairCheckpoint | None = None
    ) -> Iterator[PairStep]:
        """Find the best alignment; see `swgui.engines.pair.base.PairEngine`."""
        memory = sum(self._memory(problem).values())
        job = Job(self.threads, memory, problem, cancel)
        try:
            yield from job.run(resume)
        except Stopped:
            return
        except MemoryError as fault:
            raise EngineFault(
                "There is not enough memory for this pair.", hint="Close other programs, or align shorter sequences."
            ) from fault
        finally:
            job.left.set()

    def close(self) -> None:
        """Nothing is held between runs."""

    def _memory(self, problem: PairProblem) -> dict[str, int]:
        """Return the bytes it will take by purpose."""
        rows, columns, cells, bytes_each = problem.rows, problem.columns, problem.cells, 4
        memory = {
            "sequences": 24 * (rows + columns),
            "borders of tiles": 4 * bytes_each * (rows + columns),
            "tiles": self.threads * 16 * bytes_each * sum(tile_size(rows, columns)),
        }
        if _is_quick(problem):
            memory["query profile"] = profile_bytes(rows, len(problem.scheme.alphabet))
        if not problem.score_only:
            memory["lines for the traceback"] = min(KEPT_BYTES, 4 * bytes_each * max(1, cells // BLOCK))
            largest = max(4 * bytes_each * STATE_VALUES, STRETCH_BYTES)
            memory["blocks of the traceback"] = min(largest, 8 * bytes_each * (cells + BLOCK))
        return memory


def _is_quick(problem: PairProblem) -> bool:
    """Whether it is scored in one call."""
    return problem.mode is PairMode.LOCAL and fits_a_call(problem.rows, problem.columns, len(problem.scheme.alphabet))


def _speed_up(threads: int, rows: int) -> float:
    """Estimate what several threads gain: a part of each step is the interpreter's, for one thread at a time."""
    return 1 + 0.5 * min(threads - 1, 7) if threads > 1 and rows >= 1 << 18 else 1.0


def _seconds(h: int, w: int, *, threads: int, nucleotides: bool) -> float:
    """Estimate the time to score a pair in tiles, all of them."""
    step, cell = _tile_costs()
    rows, columns = (min(side, whole) for side, whole in zip(tile_size(h, w), (h, w), strict=True))
    # Where there are more symbols than matches and mismatches, scores are looked up, which takes longer.
    cell = cell if nucleotides else LOOKED_UP * cell
    return h * w * (cell + step * (rows + columns) / max(1, rows * columns)) / _speed_up(threads, h)


@cache
def _tile_costs() -> tuple[float, float]:
    """Measure the seconds that one anti-diagonal of a tile takes, and one cell."""
    times = []
    for size in (1 << 9, 1 << 13):
        query, subject = np.random.default_rng(1).integers(0, 4, (2, size), dtype=np.uint8)
        scheme = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
        problem = make_problem(PairProblem(EncodedQuery("", query), subject, scheme))
        before = outer_borders(problem, Start.ANYWHERE)
        taken = []
        for _ in range(2):  # the shorter one: other programs may have the CPU just now
            began = time.perf_counter()
            compute_tile(problem, (0, size, 0, size), before, Best(0, 0, 0), floor=True, check=lambda cells: None)
            taken.append(time.perf_counter() - began)
        times.append((size, min(taken)))
    (small, quick), (large, slow) = times
    # Both take 2 x size anti-diagonals and size x size cells.
    step = quick / (2 * small)
    return step, max(slow - 2 * large * step, 0.1 * slow) / large**2
