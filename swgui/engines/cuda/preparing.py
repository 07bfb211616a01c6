"""Compilation ahead: the kernels of a likely next search go into the cache of compiled kernels."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from math import log
from typing import Final

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.scoring import ScoringScheme
from swgui.engines.cuda import device, modules
from swgui.engines.cuda.arithmetic import Costs, Twins, plan_arithmetic
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.regions import FILE, defines_of
from swgui.engines.cuda.streaming.launch import load_of
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.tables import H200, Tables
from swgui.engines.cuda.streaming.variants import Load, Tile, passes, select_tile

SHORTEST: Final = 40
LONGEST: Final = 1000  # of queries whose kernels are compiled ahead
USUAL: Final = 300  # residues of a protein of middling length: its neighbours come first

Kernel = tuple[str, str, tuple[str, ...]]


def common_kernels(
    scheme: ScoringScheme, shared_limit: int, load: Load | None = None, tables: Tables = H200, *, dpx: bool
) -> list[Kernel]:
    """Return file, name and defines of the kernels for single queries, the likeliest first.

    Parameters
    ----------
    load : Load, optional
        Likely database of the next search.
    tables : Tables
        Of the GPU.
    """
    arithmetic = plan_arithmetic(Twins.SUBJECTS, Costs.for_queries(scheme), dpx=dpx)
    lengths = sorted(range(SHORTEST, LONGEST + 1), key=lambda length: abs(log(length / USUAL)))
    tiles: dict[Tile, int] = {}
    for length in lengths:
        tiles.setdefault(select_tile(length, arithmetic, shared_limit, load, tables), length)
    kernels: list[Kernel] = [("pack.cu", "pack", (f"-DSW_LETTERS={arithmetic.letters}",))]
    for tile, length in tiles.items():
        for _, variant in passes(tile, arithmetic, length):
            kernels.append(("streaming.cu", "streaming", variant.defines()))
    regions = FILE, "find_regions", defines_of(tracks=False, gaps=False, packed=dpx)
    return list(dict.fromkeys([*kernels[:2], regions, *kernels[2:]]))


def prepare(
    scheme: ScoringScheme, database: EncodedDatabase | None, cancel: threading.Event, threads: int = 1
) -> Iterator[tuple[int, int]]:
    """Compile the common kernels for the first device.

    Parameters
    ----------
    database : EncodedDatabase, optional
        Likely database of the next search.
    threads : int
        Kernels compiled at the same time.

    Yields
    ------
    tuple of int
        Kernels done and kernels in all.

    Raises
    ------
    KernelCompileError
    """
    probed = device.probe()
    if not probed.available:
        return
    cupy = device.import_cupy()
    gpu = Gpu(cupy, probed.devices[0])
    load = None
    if database is not None and len(database):
        load = load_of(DatabaseLayout.of(np.asarray(database.stored_offsets())), gpu.multiprocessors)
    kernels = common_kernels(scheme, gpu.shared_limit, load, gpu.tables, dpx=gpu.dpx)

    def compile_one(kernel: Kernel) -> bool:
        if cancel.is_set():
            return False
        with gpu:
            modules.build(cupy, *kernel)
        return True

    with contextlib.ExitStack() as stack:
        if threads > 1:
            # Not `in_parallel`: the compilations report one by one.
            pool = ThreadPoolExecutor(threads, thread_name_prefix="swgui-compile")
            stack.callback(pool.shutdown, cancel_futures=True)
            compiled = pool.map(compile_one, kernels)
        else:
            compiled = map(compile_one, kernels)
        for done, ended in enumerate(compiled, start=1):
            if not ended:
                return
            yield done, len(kernels)
