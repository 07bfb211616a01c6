"""Speeds of the shapes of the kernel on an adapter: measured on it once, and kept with its driver's version."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import numpy as np

from swgui import paths
from swgui.core.errors import EngineFault
from swgui.engines.webgpu import shapes
from swgui.engines.webgpu.adapters import NAME, Adapter
from swgui.engines.webgpu.card import Card, Prepared, Resident, prepare
from swgui.engines.webgpu.checking import GAP_EXTEND, GAP_FIRST, is_right
from swgui.engines.webgpu.layout import Layout, lay_out
from swgui.engines.webgpu.shader import shader

LETTERS: Final = 28  # of proteins, with the padding
RESIDUES: Final = (4_000_000, 40_000_000)  # of the made-up databases: the second for cards that end the first at once
LONG_ENOUGH: Final = 0.01  # seconds of a call that is mostly the kernel
REPEATS: Final = 3
# GCUPS of one NVIDIA H200 through Vulkan, wgpu 0.32, November 2026 (kernels/README.md): a query of 2,005 residues.
_MEASURED: Final = {
    "f16": {"8x32": 3063, "8x24": 2880, "8x16": 2840, "4x40": 2950, "4x32": 2954, "4x24": 2746, "4x16": 2404},
    "f32": {"8x32": 1886, "8x16": 1906, "4x32": 2066, "4x16": 1995},
    "i32": {"8x32": 2306, "8x16": 2489, "4x32": 2685},
}
TYPICAL: Final[Mapping[str, float]] = {
    f"{number}:{shape}": float(gcups) for number, of_shape in _MEASURED.items() for shape, gcups in of_shape.items()
}
SOFTWARE: Final[Mapping[str, float]] = {
    choice.key: 0.004 if choice.number == shapes.NARROW else 0.8 for choice in shapes.CHOICES
}  # Mesa's lavapipe on two cores emulates numbers of 16 bits


def of(adapter: Adapter) -> Mapping[str, float]:
    """Return GCUPS by `Choice.key`: as measured on an adapter, or typical ones."""
    if adapter.software:
        return SOFTWARE
    return measured(adapter) or TYPICAL


def measured(adapter: Adapter) -> Mapping[str, float]:
    """Return the speeds that were measured on an adapter with its driver and these kernels; empty if none were."""
    try:
        kept = json.loads(_place(adapter).read_text("utf-8"))
        return {str(key): float(value) for key, value in kept["gcups"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def measure(card: Card, cancel: threading.Event) -> Mapping[str, float]:
    """Measure the shapes on a card, in some seconds, and keep the speeds; nothing if `cancel` is set.

    A shape whose scores are wrong there, or that does not compile, has a speed of 0.
    """
    adapter = card.adapter
    useful = [one for one in shapes.CHOICES if one.lanes > 1 or "subgroup" not in adapter.features]
    fitting = shapes.fitting(useful, LETTERS, adapter.limits, adapter.features)
    found: dict[str, float] = {}
    small, large = (card.bring(made, residues) for made, residues in map(_database, RESIDUES))
    try:
        for choice in fitting:
            if cancel.is_set():
                return {}
            try:
                found[choice.key] = _speed(card, choice, small, large)
            except EngineFault:
                found[choice.key] = 0.0
    finally:
        card.drop(small)
        card.drop(large)
    keep(adapter, found)
    return found


def _speed(card: Card, choice: shapes.Choice, small: Resident, large: Resident) -> float:
    """Return the GCUPS of a shape with a query that fills its tiles; 0 if its scores are wrong."""
    shape = choice.shape(LETTERS)
    if not is_right(card, shape):
        return 0.0
    length = max(1, 768 // shape.tile) * shape.tile
    profile = np.random.default_rng(0).integers(-4, 3, (length, LETTERS - 1)).astype(np.int16)
    query = prepare(shape, profile, GAP_FIRST, GAP_EXTEND)
    seconds, database = _seconds(card, query, small), small
    if seconds < LONG_ENOUGH:
        seconds, database = _seconds(card, query, large), large
    return length * database.residues / seconds / 1e9


def _seconds(card: Card, query: Prepared, database: Resident) -> float:
    """Return the shortest time of some calls."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        card.score(database, [query], lambda: False)
        times.append(time.perf_counter() - began)
        if times[-1] > 10 * LONG_ENOUGH:
            break
    return min(times)


def _database(residues: int) -> tuple[Layout, int]:
    """Return made-up subjects with the lengths of proteins, longest first, and their residues."""
    rng = np.random.default_rng(residues)
    lengths = np.clip(np.exp(rng.normal(5.7, 0.7, residues // 370)), 20, 3_000).astype(np.int64)
    lengths[::-1].sort()
    return lay_out(rng.integers(0, 20, int(lengths.sum())).astype(np.uint8), lengths, LETTERS - 1), int(lengths.sum())


def _place(adapter: Adapter) -> Path:
    about = f"{adapter.info.identity} {adapter.info.driver} {adapter.info.facts['interface']} {_kernels()}"
    return paths.cache_dir() / NAME / f"{hashlib.blake2b(about.encode(), digest_size=8).hexdigest()}.json"


@functools.cache
def _kernels() -> str:
    """Return a checksum of the kernels' texts."""
    texts = "".join(shader(choice.shape(LETTERS)) for choice in shapes.CHOICES)
    return hashlib.blake2b(texts.encode(), digest_size=8).hexdigest()


def keep(adapter: Adapter, gcups: Mapping[str, float]) -> None:
    """Write speeds to the cache folder; without one they are measured again next time."""
    place = _place(adapter)
    text = json.dumps({"adapter": adapter.info.name, "driver": adapter.info.driver, "gcups": gcups}, indent=1)
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_suffix(f".{os.getpid()}")
        beside.write_text(text, "utf-8")
        beside.replace(place)
