"""What the launches of a search take of a GPU: compiled, asked, and told with the settings in use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.devices import CPU
from swgui.core.errors import EngineUnavailable
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import EngineOptions, KernelUse
from swgui.engines.cuda import device
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.published.launch import (
    MethodPlan,
    Ranges,
    border_room,
    kernels_of,
    limits_of,
    plan_query,
    threshold_of,
)
from swgui.engines.cuda.published.layout import GroupLayout
from swgui.engines.cuda.published.search import published_limits
from swgui.engines.cuda.published.settings import divide
from swgui.engines.cuda.published.variants import MethodVariant, published_method
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.search import SLOTS, scans_at_once, streaming_limits
from swgui.engines.cuda.streaming.tuned import plan_with
from swgui.engines.cuda.streaming.variants import passes

MILLION: Final = 1_000_000
FELL_BACK: Final = "The program's own kernel (streaming) is used instead."


@dataclass(frozen=True, slots=True)
class _Compiled:
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
    """Say what the kernels for these queries would take of each device; compiles them if needed.

    For each device and query the method's own kernel comes first, then the kernel for subjects longer than
    the threshold. What several queries share is told once.

    Parameters
    ----------
    options : EngineOptions
    queries : sequence of EncodedQuery
    scheme : ScoringScheme
    database : EncodedDatabase, optional
        What would be searched: its lengths decide the tile of a single query, and which subjects are long. Without
        it, a large one is meant.

    Raises
    ------
    EngineUnavailable, InvalidParameter
    """
    found = device.probe()
    if not found.available:
        raise EngineUnavailable(device.NAME, found.reason, hint=found.hint)
    method, chosen, others = divide(options.settings)
    wanted = tuple(name for name in options.devices if name != CPU)
    uses: list[KernelUse] = []
    for info in device.choose(found.devices, wanted):
        card = Card(
            device.import_cupy(),
            info,
            dpx=others.get("dpx") != "off",
            pinned=chosen.get("pinned") != "off",
        )
        with card:
            known = database if database is not None and len(database) else None
            for query in queries:
                # As a search: with many queries one behind the other, nobody waits for the longest subject of each.
                layout = DatabaseLayout.of(np.asarray(known.offsets)) if known and len(queries) == 1 else None
                task = _Task(card, query, scheme, chosen, known, layout)
                told = _of_query(task, method.name) if len(query) else ()
                uses.extend(use for use in told if use not in uses)
        card.cancel_flag = None
    return tuple(uses)


@dataclass(frozen=True, slots=True)
class _Task:
    """One query on one GPU."""

    card: Card
    query: EncodedQuery
    scheme: ScoringScheme
    chosen: dict[str, str]
    database: EncodedDatabase | None
    layout: DatabaseLayout | None  # if it decides the tile

    @property
    def residues(self) -> int:
        """Of the database; 0 if it is not known."""
        return self.database.residues if self.database is not None else 0


def _of_query(task: _Task, method: str) -> Iterator[KernelUse]:
    card, query, chosen = task.card, task.query, task.chosen
    fallback: tuple[str, ...] = ()
    if method != DEFAULT_METHOD:
        plan = plan_query(0, query, task.scheme, method, chosen, limits_of(card))
        config = plan.config
        if not config.fallback:
            found, variants = _launched(task, plan)
            limits = published_limits(plan.length, task.residues, 1)
            settings = _told({**config.settings, **found, **_transfer(task, limits, config.streams)}, method)
            for variant, grid in variants:
                shared_bytes = variant.shared_bytes(len(query))
                allowed = variant.most_shared_bytes(len(query), card.shared_limit)
                kernel = card.kernel(variant.file, variant.kernel, variant.defines(), allowed)
                compiled = _ask(card, kernel, variant.threads, shared_bytes)
                launch = (variant.kernel, variant.threads, grid)
                yield _use(card, method, launch, compiled, shared_bytes, settings, config.remarks)
            return
        fallback = (config.fallback, FELL_BACK)
        chosen = {name: value for name, value in chosen.items() if name in ("chunk", "pinned", "streams")}
        task = replace(task, chosen=chosen)
    yield from _of_streaming(task, fallback)


def _launched(task: _Task, plan: MethodPlan) -> tuple[dict[str, str], list[tuple[MethodVariant, int]]]:
    """Return settings that the database decides, and the kernels with their blocks, the method's own first."""
    config, database, card = plan.config, task.database, task.card
    if database is None:
        variants = [(config.variant, config.grid)]
        if not published_method(config.method).whole_blocks:
            variants.append((config.long, config.long.min_blocks * card.multiprocessors))
        return {}, variants
    layout = GroupLayout.of(np.asarray(database.offsets))
    chunk = int(task.chosen.get("chunk", 0)) * MILLION
    limits = ChunkLimits(residues=chunk) if chunk else published_limits(plan.length, task.residues, 1)
    stop = plan_chunks(database.offsets, limits)[0].stop
    threshold = threshold_of(config, layout, 0, stop, border_room(card))
    ranges = Ranges.of(layout, 0, stop, config.method, threshold)
    kernels = [(variant, grid) for _, variant, grid in reversed(kernels_of(plan, ranges))]
    decided = not config.threshold and not published_method(config.method).whole_blocks
    return ({"threshold": str(threshold)} if decided else {}), kernels


def _of_streaming(task: _Task, remarks: tuple[str, ...]) -> Iterator[KernelUse]:
    card, chosen = task.card, task.chosen
    plan, told = plan_with(chosen, (0,), (task.query,), task.scheme, card, task.layout)
    variant = passes(plan.tile, plan.arithmetic, plan.length)[0][1]
    compiled = _ask(card, card.variant(variant), plan.tile.threads, variant.shared_bytes)
    settings = {"lanes": str(plan.tile.lanes), "rows": str(plan.tile.rows), "threads": str(plan.tile.threads)}
    streams = SLOTS
    if task.database is not None:
        layout = task.layout or DatabaseLayout.of(np.asarray(task.database.offsets))
        streams = scans_at_once(layout.blocks(0, layout.pairs))
    limits = streaming_limits(plan.length, task.residues, 1)
    settings = _told({**settings, **_transfer(task, limits, streams)}, DEFAULT_METHOD)
    launch = ("streaming", plan.tile.threads, card.multiprocessors)
    yield _use(card, DEFAULT_METHOD, launch, compiled, variant.shared_bytes, settings, (*remarks, *told))


def _transfer(task: _Task, limits: ChunkLimits, streams: int) -> dict[str, str]:
    """Return what is in use of the settings that have to do with chunks; what the engine chooses is given."""
    millions = min(limits.residues, task.residues) / MILLION
    return {
        "chunk": task.chosen.get("chunk", f"{millions:.4g}" if millions else AUTO),
        "pinned": task.chosen.get("pinned", "on"),
        "streams": task.chosen.get("streams", str(streams)),
    }


def _told(settings: dict[str, str], method: str) -> dict[str, str]:
    """Return the settings in the order of the method's table."""
    names = [setting.name for setting in SEARCH_METHODS[method].settings]
    return {name: settings[name] for name in names if name in settings}


def _ask(card: Card, kernel: Any, threads: int, shared_bytes: int) -> _Compiled:
    resident = 0
    with suppress(AttributeError, card.cupy.cuda.driver.CUDADriverError):
        count = card.cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
        resident = int(count(kernel.kernel.ptr, threads, shared_bytes))
    return _Compiled(int(kernel.num_regs), int(kernel.local_size_bytes), int(kernel.shared_size_bytes), resident)


def _use(
    card: Card,
    method: str,
    launch: tuple[str, int, int],
    compiled: _Compiled,
    shared_bytes: int,
    settings: dict[str, str],
    remarks: tuple[str, ...],
) -> KernelUse:
    kernel, threads, blocks = launch
    return KernelUse(
        device=card.info.id,
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
