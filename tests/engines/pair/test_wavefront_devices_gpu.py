"""The wavefront method on several GPUs, and on one GPU that is used as if it were two."""

from __future__ import annotations

import threading
from contextlib import closing

import numpy as np
import pytest

from swgui.core.engines import EngineOptions
from swgui.core.pair.problem import PairAligned, PairCheckpoint, PairMode, PairProblem, PairProgress, PairScored
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery
from swgui.engines.cuda import device as cuda_device
from swgui.engines.cuda.pair.wavefront import both_ends
from swgui.engines.cuda.pair.wavefront import engine as wavefront
from swgui.engines.cuda.pair.wavefront import pipeline as wavefront_pipeline
from swgui.engines.cuda.pair.wavefront.device import CudaDevice
from swgui.engines.cuda.pair.wavefront.engine import WavefrontEngine
from swgui.engines.pair.registry import make_pair_engine, pair_status
from tests.asking import DNA_SCHEME
from tests.engines.conftest import random_codes, relative
from tests.engines.pair.reference import ask

pytestmark = pytest.mark.gpu

SETTINGS = ({}, {"rows": "1", "columns": "1"}, {"prune": "on"}, {"bits": "32"})


class HalfAGpu(CudaDevice):
    """A GPU of which another one is the other half: launches of both must find places at the same time."""

    @property
    def multiprocessors(self) -> int:
        return super().multiprocessors // 2


@pytest.fixture(autouse=True)
def _share_all(monkeypatch):
    monkeypatch.setattr(wavefront_pipeline, "TUNING", replace(wavefront_pipeline.TUNING, min_columns=500, min_bands=1))
    monkeypatch.setattr(wavefront_pipeline, "CUT", 1)


@pytest.fixture(params=["halves of a GPU", "GPUs", "GPUs through the host"])
def together(request, monkeypatch):
    """A function that makes engines on several devices."""
    status = pair_status("wavefront")
    if not status.available:
        pytest.skip(f"{status.reason} {status.hint}")
    cupy, infos = cuda_device.import_cupy(), status.devices
    if request.param == "halves of a GPU":
        return lambda settings: WavefrontEngine([HalfAGpu(cupy, infos[0]) for _ in range(2)], infos[:1] * 2, settings)
    if len(infos) < 2:
        pytest.skip("There is one GPU only.")
    if request.param == "GPUs through the host":
        monkeypatch.setattr(CudaDevice, "has_way_to", lambda self, other: other is self)
    return lambda settings: WavefrontEngine([CudaDevice(cupy, info) for info in infos], infos, settings)


def alone(**settings):
    return closing(make_pair_engine("wavefront", EngineOptions(settings=settings)))


@pytest.mark.parametrize("mode", tuple(PairMode))
def test_score_end_and_alignment_are_those_of_one_device(rng, together, mode):
    for settings in SETTINGS:
        query = random_codes(rng, int(rng.integers(3_000, 20_000)), 4)
        subject = np.concatenate([random_codes(rng, int(rng.integers(1_000, 4_000)), 4), relative(rng, query, 4)])
        with alone(**settings) as one:
            expected = ask(one, query, subject, DNA_SCHEME, mode)
        with closing(together(settings)) as engine:
            answer = ask(engine, query, subject, DNA_SCHEME, mode)
            assert len(engine.devices) > 1
        assert answer.end == expected.end
        assert answer.alignment.cigar == expected.alignment.cigar


def test_a_pair_large_enough_to_fill_both(rng, together):
    query = random_codes(rng, 150_000, 4)
    subject = relative(rng, query, 4)
    with alone() as one:
        expected = ask(one, query, subject, DNA_SCHEME)
    with closing(together({})) as engine:
        for _ in range(3):
            answer = ask(engine, query, subject, DNA_SCHEME)
            assert answer.end == expected.end
            assert answer.alignment.cigar == expected.alignment.cigar


def test_near_relatives_are_computed_from_both_ends(rng, together, monkeypatch):
    told = []

    def send(self, first, last, send=both_ends._Messages.send_columns):
        told.extend([self._source.rectangle.backward] * (last - first))
        send(self, first, last)

    monkeypatch.setattr(both_ends._Messages, "send_columns", send)
    query = random_codes(rng, 400_000, 4)
    near = query.copy()
    near[rng.choice(query.size, query.size // 30, replace=False)] = 3
    subject = np.concatenate([random_codes(rng, 9_000, 4), near[:150_000], near[170_000:], random_codes(rng, 5_000, 4)])
    with alone(prune="on") as one:
        expected = ask(one, query, subject, DNA_SCHEME)
    with closing(together({"prune": "on"})) as engine:
        for _ in range(2):
            answer = ask(engine, query, subject, DNA_SCHEME)
            assert answer.end == expected.end
            assert answer.alignment.cigar == expected.alignment.cigar
    assert {True, False} == set(told)


def test_checkpoints_lead_to_the_same_end(rng, together, monkeypatch):
    monkeypatch.setattr(wavefront, "ROUND_SECONDS", 0.0)
    query, subject = random_codes(rng, 1_200_000, 4), random_codes(rng, 3_000, 4)
    subject[500:2_500] = query[1_190_000:1_192_000]
    problem = PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME)
    with closing(together({"rows": "1"})) as engine:
        steps = list(engine.run(problem, threading.Event()))
        checkpoints = [step for step in steps if isinstance(step, PairCheckpoint)]
        [end] = [step.end for step in steps if isinstance(step, PairScored)]
        again = list(engine.run(problem, threading.Event(), checkpoints[0]))
    with alone(rows="1") as one:
        once = list(one.run(problem, threading.Event(), checkpoints[-1]))
    for others in (again, once):
        assert [step.end for step in others if isinstance(step, PairScored)] == [end]


def test_a_cancelled_run_leaves_the_devices_ready(rng, together):
    query = random_codes(rng, 1_000_000, 4)
    cancel = threading.Event()
    with closing(together({})) as engine:
        for step in engine.run(PairProblem(EncodedQuery("q", query), query, DNA_SCHEME), cancel):
            assert not isinstance(step, PairAligned)
            if isinstance(step, PairProgress) and not cancel.is_set():
                cancel.set()
        assert cancel.is_set()
        assert ask(engine, query[:5_000], query[:5_000], DNA_SCHEME).end.score == 10_000
