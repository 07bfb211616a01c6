"""Resources of a GPU in the launches of a search: compiled, queried, and reported with the settings in use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.devices import CPU
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.core.packing import ChunkLimits
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import KernelUse
from swgui.engines.cuda import device
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.methods import UseTask, divide, method_module, plan_with
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.search import scans_at_once, streaming_limits
from swgui.engines.cuda.streaming.tuning import TUNING
from swgui.engines.cuda.streaming.variants import passes

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Compiled:
    """A kernel as the driver sees it."""

    registers: int
    local_bytes: int
    static_bytes: int
    resident_blocks: int


def kernel_use(
    options: EngineOptions,
    queries: Sequence[EncodedQuery],
    scheme: ScoringScheme,
    database: EncodedDatabase | None = None,
) -> tuple[KernelUse, ...]:
    """Return the resources of each device for the kernels of these queries; compiles them if needed.

    For each device and query the method's own kernel comes first, then the kernel for subjects longer than the
    threshold. A kernel of several queries is listed once.

    Parameters
    ----------
    database : EncodedDatabase, optional
        Database of the search: its lengths decide the tile of a single query, and which subjects are long. The default
        is a large one.

    Raises
    ------
    EngineUnavailable, InvalidParameter
    """
    probed = device.probe()
    if not probed.available:
        raise EngineUnavailable(device.NAME, probed.reason, hint=probed.hint)
    method, chosen, others = divide(options.settings)
    wanted = tuple(name for name in options.devices if name != CPU)
    uses: list[KernelUse] = []
    for info in device.choose(probed.devices, wanted):
        gpu = Gpu(
            device.import_cupy(),
            info,
            dpx=others.get("dpx") != "off",
            pinned=chosen.get("pinned") != "off",
        )
        with gpu:
            given = database if database is not None and len(database) else None
            for query in queries:
                # As a search: with many queries in turn, none waits for the longest subject of another.
                layout = DatabaseLayout.of(np.asarray(given.stored_offsets())) if given and len(queries) == 1 else None
                task = UseTask(gpu, query, scheme, chosen, given, layout)
                if not len(query):
                    continue
                told = method_module(method).kernel_uses(task, method.name) if method.module else streaming_uses(task)
                uses.extend(use for use in told if use not in uses)
        gpu.cancel_flag = None
    return tuple(uses)


def streaming_uses(task: UseTask, remarks: tuple[str, ...] = ()) -> Iterator[KernelUse]:
    """Return the resources of the engine's own kernel."""
    gpu, chosen = task.gpu, task.chosen
    plan, told = plan_with(chosen, (0,), (task.query,), task.scheme, gpu, task.layout)
    variant = passes(plan.tile, plan.arithmetic, plan.length)[0][1]
    compiled = ask_driver(gpu, gpu.variant(variant), plan.tile.threads, variant.shared_bytes)
    settings = {"lanes": str(plan.tile.lanes), "rows": str(plan.tile.rows), "threads": str(plan.tile.threads)}
    streams = TUNING.scans
    if task.database is not None:
        layout = task.layout or DatabaseLayout.of(np.asarray(task.database.stored_offsets()))
        streams = scans_at_once(layout.blocks(0, layout.twins))
    limits = streaming_limits(plan.length, task.residues, 1)
    settings = in_order({**settings, **transfer_settings(task, limits, streams)}, DEFAULT_METHOD)
    launch = ("streaming", plan.tile.threads, gpu.multiprocessors)
    yield use_of(gpu, DEFAULT_METHOD, launch, compiled, variant.shared_bytes, settings, (*remarks, *told))


def transfer_settings(task: UseTask, limits: ChunkLimits, streams: int) -> dict[str, str]:
    """Return the values in use of the settings of chunks; the argument has the engine's choices."""
    millions = min(limits.residues, task.residues) / MILLION
    return {
        "chunk": task.chosen.get("chunk", f"{millions:.4g}" if millions else AUTO),
        "pinned": task.chosen.get("pinned", "on"),
        "streams": task.chosen.get("streams", str(streams)),
    }


def in_order(settings: dict[str, str], method: str) -> dict[str, str]:
    """Return the settings in the order of the method's table."""
    names = [setting.name for setting in SEARCH_METHODS[method].settings]
    return {name: settings[name] for name in names if name in settings}


def ask_driver(gpu: Gpu, kernel: Any, threads: int, shared_bytes: int) -> Compiled:
    """Return the driver's facts about a kernel."""
    resident = 0
    with suppress(AttributeError, gpu.cupy.cuda.driver.CUDADriverError):
        count = gpu.cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
        resident = int(count(kernel.kernel.ptr, threads, shared_bytes))
    return Compiled(int(kernel.num_regs), int(kernel.local_size_bytes), int(kernel.shared_size_bytes), resident)


def use_of(
    gpu: Gpu,
    method: str,
    launch: tuple[str, int, int],
    compiled: Compiled,
    shared_bytes: int,
    settings: dict[str, str],
    remarks: tuple[str, ...],
) -> KernelUse:
    """Return the record of a launch: the kernel's name, threads per block and blocks."""
    kernel, threads, blocks = launch
    return KernelUse(
        device=gpu.info.id,
        method=method,
        kernel=kernel,
        threads=threads,
        blocks=blocks,
        registers=compiled.registers,
        shared_bytes=compiled.static_bytes + shared_bytes,
        local_bytes=compiled.local_bytes,
        settings=settings,
        remarks=remarks,
        resident_blocks=compiled.resident_blocks,
    )
