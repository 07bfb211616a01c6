"""Small pairs, requests for them, and runs whose events are looked at."""

from __future__ import annotations

import threading

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.engines import EngineOptions
from swgui.core.pair.result import PairResult
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.engines.pair import cpu
from swgui.jobs.events import Finished
from swgui.jobs.pair import run as pair_run
from swgui.jobs.pair.events import PairFound, PairStarted
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from tests.asking import DNA_SCHEME

SCHEME = DNA_SCHEME
LETTERS = np.frombuffer(b"ACGT", dtype=np.uint8)


def dna(length: int, seed: int) -> bytes:
    return LETTERS[np.random.default_rng(seed).integers(0, 4, length)].tobytes()


def record(name: str, codes: np.ndarray) -> SequenceRecord:
    return SequenceRecord(name, "", NUCLEOTIDE.decode(codes))


def request_for(pair, **changes) -> PairRequest:
    return PairRequest(*pair, SCHEME, **({"method": "cpu"} | changes))


def run(request: PairRequest) -> PairResult:
    events = list(align_pair(request, threading.Event()))
    assert isinstance(events[0], PairStarted)
    assert isinstance(events[-1], Finished)
    result = events[-1].outcome
    found = [event.found for event in events if isinstance(event, PairFound)]
    assert tuple(found) == result.alignments
    assert [one.index for one in found] == list(range(1, len(found) + 1))
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    return result


ONE_THREAD = EngineOptions(threads=1)


def small_steps(monkeypatch) -> None:
    """Let the CPU report, and save, at every tile."""
    small = replace(cpu.TUNING, call_cells=0, shortest_tile=16, longest_tile=16)
    for name, value in (("TUNING", small), ("TICK_SECONDS", 0.0), ("CHECKPOINT_SECONDS", 0.0)):
        monkeypatch.setattr(cpu, name, value)
    monkeypatch.setattr(pair_run, "CHECKPOINT_SECONDS", 0.0)
