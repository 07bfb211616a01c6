"""`tiled`: one pair in tiles along anti-diagonals, with kernels launched in three ways.

After the paper on tiling with dynamic and concurrent kernels: the score matrix is cut into tiles of t x t cells whose
borders live in host memory, page-locked or pageable. Tiles on one anti-diagonal are independent and go to concurrent
streams; the anti-diagonals of blocks inside a tile are launched one by one from the host, or all at once as a captured
graph, or by a kernel on the device. For the alignment the tiles that the path runs through are computed again with
directions, from the last one back; the paper leaves that to the CPU.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Final

from swgui.core.alignment import Alignment, rescore
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter, ScoreMismatch
from swgui.core.methods.base import AUTO
from swgui.core.methods.occupancy import card_limits
from swgui.core.methods.pair import PAIR_METHODS
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairPlan,
    PairProblem,
    PairProgress,
    PairScored,
    PairStep,
)
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import device
from swgui.engines.cuda.card import Card
from swgui.papers.occupancy.equations import tile_limits
from swgui.papers.striped.engine import check_one_device, check_problem, nothing, score_too_large
from swgui.papers.tiled.machine import CardTiles
from swgui.papers.tiled.run import TileRun
from swgui.papers.tiled.shape import BLOCK, LARGEST, LONGEST, TileShape, host_bytes, memory_of

METHOD: Final = "tiled"
DIRECTIONS_PER_BYTE: Final = 2  # cells of a tile whose directions are kept


def create_pair_engine(method: str, options: EngineOptions) -> TiledEngine:
    """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
    found = device.probe()
    if not found.available:
        raise EngineUnavailable(method, found.reason, hint=found.hint)
    PAIR_METHODS[method].check(options.settings)
    chosen = check_one_device(method, device.choose(found.devices, options.devices))
    pinned = options.settings.get("host_memory", AUTO) != "pageable"
    return TiledEngine(Card(device.import_cupy(), chosen, pinned=pinned), options.settings)


class TiledEngine:
    """Tiles on one card.

    Parameters
    ----------
    card : Card
        With page-locked host memory or without.
    settings : Mapping[str, str]
        ``tile``, ``launch`` and ``host_memory``; what is left out is ``auto``.
    """

    method = METHOD

    def __init__(self, card: Card, settings: Mapping[str, str]) -> None:
        self.devices: tuple[DeviceInfo, ...] = (card.info,)
        self.phases: dict[str, float] = {}  # seconds of the last run
        self._card = card
        self._settings = dict(settings)
        launch = settings.get("launch", AUTO)
        self._way = "graph" if launch == AUTO else launch

    def plan(self, problem: PairProblem) -> PairPlan:
        """Say what it will cost; `InvalidParameter` if it is not for this method."""
        check_problem(METHOD, problem)
        shape, remarks = self._shape(problem)
        rows, columns, cells = problem.rows, problem.columns, problem.cells
        tiles = shape.tiles(rows) + shape.tiles(columns)
        again = 0 if problem.score_only else min(tiles * shape.tile * shape.tile, cells)
        host = host_bytes(shape, rows, columns)
        return PairPlan(
            method=METHOD,
            devices=(self._card.label,),
            cells=cells,
            cells_at_most=cells + again,
            memory=memory_of(shape, rows, columns, len(problem.scheme.alphabet), aligned=not problem.score_only),
            settings={
                "tile": str(shape.tile),
                "launch": self._way,
                "host_memory": "pinned" if self._card.pinned else "pageable",
            },
            remarks=(*remarks, f"The borders of the tiles take {host / 2**20:,.1f} MiB of host memory."),
        )

    def run(
        self, problem: PairProblem, cancel: threading.Event, resume: PairCheckpoint | None = None
    ) -> Iterator[PairStep]:
        """Find the best alignment; there are no checkpoints, so `resume` is not looked at."""
        check_problem(METHOD, problem)
        shape, _ = self._shape(problem)
        query, subject, scheme = problem.query, problem.subject, problem.scheme
        table = query.profile if query.profile is not None else scheme.matrix.scores
        highest = int(table.max(initial=0))
        if min(len(query), len(subject)) * highest + 4 * scheme.gap_first >= LARGEST:
            raise score_too_large(METHOD, LARGEST)
        if not len(query) or not len(subject):
            yield from nothing(problem)
            return
        machine = CardTiles(
            self._card,
            shape,
            self._way,
            shape.at_once(len(query), len(subject)),
            query.codes,
            subject,
            table,
            by_position=query.profile is not None,
        )
        run = TileRun(machine, shape, len(query), len(subject))
        began = time.perf_counter()
        cells, done = problem.cells, 0
        try:
            for diagonal in range(run.diagonals):
                for filled in run.fill(diagonal):
                    done += filled
                    if cancel.is_set():
                        return
                yield PairProgress("Scoring", done, cells, best=self._best(run))
        finally:
            machine.finish()
        self.phases = {"fill": time.perf_counter() - began}
        end = run.end()
        yield PairScored(end)
        if problem.score_only:
            return
        if not end.score:
            yield PairAligned(Alignment.from_runs(0, 0, (), 0), machine.used_bytes)
            return
        began = time.perf_counter()
        for step in run.path(end):
            if cancel.is_set():
                return
            if isinstance(step, Alignment):
                self.phases["path"] = time.perf_counter() - began
                added = rescore(step, query, subject, scheme)
                if added != end.score:
                    raise ScoreMismatch("the subject", end.score, added)
                yield PairAligned(step, machine.used_bytes)
            else:
                done += step
                yield PairProgress("Aligning", done, max(cells, done), best=end)

    def close(self) -> None:
        """Give back the memory that is not in use."""
        self._card.release()

    def _best(self, run: TileRun) -> PairEnd | None:
        end = run.end()
        return end if end.score else None

    def _shape(self, problem: PairProblem) -> tuple[TileShape, list[str]]:
        longer, scheme = max(problem.rows, problem.columns), problem.scheme
        if longer > LONGEST:
            raise InvalidParameter(
                "length",
                longer,
                f"The method '{METHOD}' is for sequences of at most {LONGEST:,} residues; one has {longer:,}.",
                hint="Choose the method wavefront, striped-score, chunked-align-1 or cpu.",
            )
        with self._card:
            free = self._card.free_memory()
        cores = card_limits(self.devices[0].facts["compute capability"]).cores * self._card.multiprocessors
        limits = tile_limits(cores, DIRECTIONS_PER_BYTE * free, 1)
        longest = BLOCK * max(1, math.ceil(longer / BLOCK))
        remarks = [
            f"On {self._card.label} a tile's diagonal keeps all {cores:,} cores busy from t = {limits.smallest:,} on, "
            f"and a tile fits the memory up to t = {limits.largest:,}."
        ]
        asked = self._settings.get("tile", AUTO)
        if asked == AUTO:
            wanted = BLOCK * math.ceil(limits.smallest / BLOCK)
        else:
            wanted = int(asked)
            if wanted > limits.largest:
                raise InvalidParameter(
                    "tile",
                    wanted,
                    f"A tile of {wanted:,} x {wanted:,} cells does not fit the memory of {self._card.label}.",
                    hint=f"It holds tiles of up to {limits.largest // BLOCK * BLOCK:,}.",
                )
        tile = min(wanted, limits.largest // BLOCK * BLOCK, longest)
        if tile < wanted:
            remarks.append(f"The tile is {tile:,}, since that holds the whole matrix.")
        return TileShape(tile, len(scheme.alphabet), scheme.gap_first, scheme.gap_extend), remarks
