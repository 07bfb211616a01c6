"""What the launches of a published method take of a GPU: compiled, asked, and told with the settings in use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.engines.base import KernelUse
from swgui.engines.cuda.kernel_use import (
    MILLION,
    ask_driver,
    in_order,
    streaming_uses,
    transfer_settings,
    use_of,
)
from swgui.engines.cuda.methods import UseTask
from swgui.papers.search.config import published_limits
from swgui.papers.search.launch import (
    MethodPlan,
    Ranges,
    border_room,
    kernels_of,
    limits_of,
    plan_query,
    threshold_of,
)
from swgui.papers.search.layout import GroupLayout
from swgui.papers.search.variants import MethodVariant, published_method

FELL_BACK: Final = "The program's own kernel (streaming) is used instead."


def kernel_uses(task: UseTask, method: str) -> Iterator[KernelUse]:
    """Say what the kernels for one query take: the method's own first, then the one for long subjects."""
    card, query = task.card, task.query
    plan = plan_query(0, query, task.scheme, method, task.chosen, limits_of(card))
    config = plan.config
    if config.fallback:
        chosen = {name: value for name, value in task.chosen.items() if name in ("chunk", "pinned", "streams")}
        yield from streaming_uses(replace(task, chosen=chosen), (config.fallback, FELL_BACK))
        return
    found, variants = _launched(task, plan)
    limits = published_limits(plan.length, task.residues, 1)
    settings = in_order({**config.settings, **found, **transfer_settings(task, limits, config.streams)}, method)
    for variant, grid in variants:
        shared_bytes = variant.shared_bytes(len(query))
        allowed = variant.most_shared_bytes(len(query), card.shared_limit)
        kernel = card.kernel(variant.file, variant.kernel, variant.defines(), allowed)
        compiled = ask_driver(card, kernel, variant.threads, shared_bytes)
        launch = (variant.kernel, variant.threads, grid)
        yield use_of(card, method, launch, compiled, shared_bytes, settings, config.remarks)


def _launched(task: UseTask, plan: MethodPlan) -> tuple[dict[str, str], list[tuple[MethodVariant, int]]]:
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
