"""A small kind of run for tests: it multiplies weights, one piece after the other."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import Stopped
from swgui.jobs import kind as kinds_module
from swgui.jobs.events import Progress
from swgui.jobs.kind import Kind
from swgui.runs.plain import PlainCodec


@dataclass(frozen=True)
class SumsAsked:
    """So many pieces of these weights."""

    name: str
    number: int
    weights: NDArray[np.float64] = field(repr=False)


@dataclass(frozen=True)
class Sums:
    """The sums."""

    complete: bool
    found: int
    sums: NDArray[np.float64] = field(repr=False)


def steps(asked: SumsAsked, control: Any, log: Any) -> Any:
    """Sum piece by piece."""
    sums = [float(entry.arrays["sum"][0]) for entry in log.entries()]
    while len(sums) < asked.number and not control.is_set():
        sums.append(float(asked.weights[len(sums)]))
        log.add({"piece": len(sums) - 1}, {"sum": np.array(sums[-1:])})
        yield Progress(len(sums), asked.number, 0.1, stage="Summing", unit="pieces")
    if not sums:
        raise Stopped
    return Sums(len(sums) == asked.number, len(sums), np.array(sums))


CODEC = PlainCodec(SumsAsked, Sums)


def declare(monkeypatch: Any) -> None:
    """Add the kind to the table of kinds, as an installed package does."""
    made = Kind("sums", "Sums", "sum of pieces", steps=f"{__name__}:steps", codec=f"{__name__}:CODEC")
    known = {**kinds_module.kinds(), made.name: made}
    for module in ("swgui.jobs.kind", "swgui.runs.store", "swgui.runs.folder", "swgui.runs.opening"):
        monkeypatch.setattr(f"{module}.kinds", lambda: known)
