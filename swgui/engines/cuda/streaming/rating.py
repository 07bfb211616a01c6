"""Times single tiles of the streaming kernel on one GPU: what `swgui bench --tune` asks the GPU."""

from __future__ import annotations

import threading
from typing import Any

from swgui.core.database import ArrayDatabase
from swgui.core.errors import EngineUnavailable, KernelCompileError, Stopped
from swgui.core.plain import replace
from swgui.engines.base import TileTime, TileTrial
from swgui.engines.cuda import device, modules
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.scans import Slot
from swgui.engines.cuda.streaming.buffers import DeviceDatabase
from swgui.engines.cuda.streaming.launch import QueryPlan, StreamingScan, plan_queries
from swgui.engines.cuda.streaming.search import MEMORY_SHARE
from swgui.engines.cuda.streaming.variants import LETTER_STRIDE, KernelVariant, Tile, family_of, passes

FILE, KERNEL = "streaming.cu", "streaming"


class TileRater:
    """Times tiles on a GPU; kernels are compiled for it alone and are not kept.

    `build` may be called by several threads at once, `time` by one.

    Parameters
    ----------
    wanted : str
        Id of the device; empty for the first.

    Raises
    ------
    EngineUnavailable, InvalidParameter
    """

    def __init__(self, wanted: str = "") -> None:
        probed = device.probe()
        if not probed.available:
            raise EngineUnavailable(device.NAME, probed.reason, hint=probed.hint)
        (self.device,) = device.choose(probed.devices, (wanted,) if wanted else ())[:1]
        self._cupy = device.import_cupy()
        self._gpu = Gpu(self._cupy, self.device)
        self._built: dict[tuple[str, ...], bytes] = {}
        self._held: DeviceDatabase | None = None
        with self._gpu.at_work():
            self._slot = Slot(self._gpu)

    @property
    def dpx(self) -> bool:
        return self._gpu.dpx

    @property
    def shared_limit(self) -> int:
        return self._gpu.shared_limit

    @property
    def multiprocessors(self) -> int:
        return self._gpu.multiprocessors

    @property
    def memory(self) -> int:
        """Bytes that are free on the device."""
        with self._gpu:
            return self._gpu.free_memory()

    def build(self, trial: TileTrial) -> str:
        """Compile the kernels of a trial; returns why it cannot run, empty if it can."""
        plan = self._plan(trial)
        family = family_of(plan.arithmetic)
        if family != trial.family:
            return f"These scores are those of the family {family}."
        if plan.tile.shared_bytes(plan.arithmetic) > self._gpu.shared_limit:
            return "It needs more shared memory than a block has here."
        if plan.tile.letter_stride() > LETTER_STRIDE:
            return "Its tables are too large."
        try:
            with self._gpu:
                for variant in _variants(plan):
                    defines = variant.defines()
                    self._built[defines] = modules.compiled(self._cupy, FILE, KERNEL, defines)
        except KernelCompileError as error:
            return str(error)
        return ""

    def time(self, trial: TileTrial, database: ArrayDatabase, repeats: int, cancel: threading.Event) -> TileTime:
        """Time a trial that is built: the kernels of all its passes, by events of the device.

        Raises
        ------
        Stopped
        EngineFault
        """
        plan, gpu = self._plan(trial), self._gpu
        with gpu.at_work():
            if self._held is None or not self._held.is_of(database):
                self._held = None
                self._held = DeviceDatabase(gpu, database, int(MEMORY_SHARE * gpu.free_memory()))
            held = self._held
            for variant in _variants(plan):
                self._load(variant)
            seconds = []
            for _ in range(repeats + 1):  # the first one warms up
                scan = self._scan(plan, held)
                scan.begin()
                if not gpu.wait(scan.done, cancel, scan.seconds_at_most):
                    raise Stopped
                scores = scan.finish()
                seconds.append(scan.milliseconds_since(None) / 1000)
            gpu.kernels.clear()
        cells = sum(map(len, trial.queries)) * database.residues
        return TileTime(tuple(seconds[1:]), cells, held.layout.blocks(0, held.layout.twins), scores)

    def close(self) -> None:
        self._held = None
        self._built.clear()
        self._gpu.cancel_flag = None
        self._gpu.release()

    def _scan(self, plan: QueryPlan, held: DeviceDatabase) -> StreamingScan:
        letters = held.stream(0, held.layout.twins)
        return StreamingScan(self._slot, plan, held, letters, 0, held.layout.subjects)

    def _load(self, variant: KernelVariant) -> None:
        defines = variant.defines()
        binary = self._built.get(defines) or modules.compiled(self._cupy, FILE, KERNEL, defines)
        key = (KERNEL, defines, variant.shared_bytes)
        self._gpu.kernels[key] = modules.loaded(self._cupy, binary, KERNEL, variant.shared_bytes)

    def _plan(self, trial: TileTrial) -> QueryPlan:
        tile = Tile(trial.lanes, trial.rate.rows, trial.rate.threads, trial.rate.skew, trial.rate.halves)
        with self._gpu:
            plan = plan_queries(range(len(trial.queries)), trial.queries, trial.scheme, self._gpu, tile=tile)
        return replace(plan, tile=tile)  # also where scores have 32 bits


def _variants(plan: QueryPlan) -> dict[KernelVariant, Any]:
    return dict.fromkeys(variant for _, variant in passes(plan.tile, plan.arithmetic, plan.length))
