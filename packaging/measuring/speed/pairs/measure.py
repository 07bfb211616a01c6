"""How one long pair is timed, and the pairs."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from speed.data import load_records
from swgui.core.alignment import Alignment
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault
from swgui.core.pair.problem import PairAligned, PairEnd, PairProblem, PairScored
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.pair.registry import make_pair_engine

SUBSTITUTED: Final = 0.1  # share of the residues of an artificial pair that differ
SEED: Final = 20_261_120


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Two sequences to align.

    Parameters
    ----------
    name : str
    query, subject : ndarray, dtype=uint8
    """

    name: str
    query: NDArray[np.uint8] = field(repr=False)
    subject: NDArray[np.uint8] = field(repr=False)

    @property
    def size(self) -> tuple[int, int]:
        """Residues of both."""
        return len(self.query), len(self.subject)

    @property
    def cells(self) -> int:
        """Cells of the score matrix."""
        return len(self.query) * len(self.subject)


def artificial_pair(rows: int, columns: int) -> Pair:
    """Make two related sequences of random residues; the same ones every time.

    The subject is the query over and over, with a tenth of its residues drawn anew.
    """
    rng = np.random.default_rng((SEED, rows, columns))
    query = rng.integers(0, 4, rows).astype(np.uint8)
    subject = np.resize(query, columns)
    drawn = rng.random(columns) < SUBSTITUTED
    subject[drawn] = rng.integers(0, 4, int(drawn.sum()))
    return Pair(f"{rows:,} x {columns:,}", query, subject)


def unrelated_pair(length: int) -> Pair:
    """Make two sequences of random residues; the same ones every time."""
    rng = np.random.default_rng((SEED, length))
    return Pair(
        f"{length:,} x {length:,}, unrelated",
        rng.integers(0, 4, length).astype(np.uint8),
        rng.integers(0, 4, length).astype(np.uint8),
    )


def genome_pair(folder: Path, name: str, query: str, subject: str) -> Pair:
    """Read the longest sequence of two files; `DataMissing` if one is not there."""
    longest = [
        max(load_records(folder, one, NUCLEOTIDE), key=lambda record: len(record.residues)) for one in (query, subject)
    ]
    codes = [NUCLEOTIDE.encode(record.residues) for record in longest]
    return Pair(name, codes[0], codes[1])


@dataclass(frozen=True, slots=True)
class PairTime:
    """One line of the benchmark.

    Parameters
    ----------
    part : str
        Which part of the benchmark it belongs to.
    pair : str
    rows, columns : int
        Residues of query and subject.
    method : str
    aligned : bool
        Whether the request was for the alignment, not just the score.
    settings : Mapping[str, str]
        In use.
    seconds : float
        From residues on the host to score or alignment on the host, median.
    phases : Mapping[str, float]
        Seconds of the phases of the median run, where the engine tells them.
    memory_bytes : int
        Device memory of the run, or as planned if only the score was requested.
    score : int
    published_ms : float or None
        What the paper prints, on its card.
    problem : str
        Why there is no time; empty if there is one.
    devices : int
        How many took part.
    """

    part: str
    pair: str
    rows: int
    columns: int
    method: str
    aligned: bool
    settings: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    phases: Mapping[str, float] = field(default_factory=dict)
    memory_bytes: int = 0
    score: int = 0
    published_ms: float | None = None
    problem: str = ""
    devices: int = 1

    @property
    def gcups(self) -> float:
        """10^9 cells of the score matrix per second; cells computed again do not count."""
        return self.rows * self.columns / self.seconds / 1e9 if self.seconds else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return everything."""
        return {**asdict(self), "gcups": self.gcups}


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Figures of one run."""

    end: PairEnd
    alignment: Alignment | None
    memory_bytes: int
    settings: Mapping[str, str]
    phases: Mapping[str, float]
    seconds: float
    devices: int


def time_pair(
    pair: Pair, scheme: ScoringScheme, method: str, options: EngineOptions, *, aligned: bool, repeats: int
) -> Run:
    """Align a pair several times after a first one that does not count; returns the median run.

    Raises
    ------
    SwguiError
        If the method cannot do it.
    """
    problem = PairProblem(EncodedQuery("query", pair.query), pair.subject, scheme, score_only=not aligned)
    runs: list[Run] = []
    with closing(make_pair_engine(method, options)) as engine:
        plan = engine.plan(problem)
        for _ in range(repeats + 1):
            began = time.perf_counter()
            steps = list(engine.run(problem, threading.Event()))
            seconds = time.perf_counter() - began
            scored = next((step for step in steps if isinstance(step, PairScored)), None)
            if scored is None:
                raise EngineFault(f"The method '{method}' ended without a score of {pair.name}.")
            found = next((step for step in steps if isinstance(step, PairAligned)), None)
            memory = found.memory_bytes if found and found.memory_bytes else plan.memory_bytes
            alignment = found.alignment if found else None
            phases = dict(getattr(engine, "phases", {}))
            runs.append(Run(scored.end, alignment, memory, plan.settings, phases, seconds, len(plan.devices)))
    counted = runs[1:] or runs
    middle = statistics.median_low([run.seconds for run in counted])
    return next(run for run in counted if run.seconds == middle)
