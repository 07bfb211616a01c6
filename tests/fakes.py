"""Engines that stand in for real ones, for every test that needs no real scores or no real speed."""

import time

import numpy as np

from swgui.core.database import take_chunk
from swgui.core.errors import EngineFault
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits
from swgui.engines.base import DeviceEngine, DeviceInfo, EngineStatus
from swgui.engines.cuda.streaming.tables import H200
from swgui.engines.reference import ReferenceEngine


class SlowAdapter:
    """Stands for the module of an engine.

    `scored` counts chunks. `stop_after` is (chunks, event): the event is set once so many are scored.
    """

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.scored = []
        self.stop_after = None
        self.limits = ChunkLimits(1 << 40, 5)

    def status(self):
        return EngineStatus("cpu", True, (DeviceInfo("cpu", "Slow"),))

    def create(self, options):
        return SlowEngine(self)


class SlowEngine:
    name = "cpu"
    devices = (DeviceInfo("cpu", "Slow"),)

    def __init__(self, adapter):
        self._adapter = adapter

    def chunk_limits(self, queries, database):
        return self._adapter.limits

    def score(self, queries, database, plans, scheme, cancel):
        adapter = self._adapter
        engine = ReferenceEngine()
        for row, query in enumerate(queries):
            for plan in plans:
                if adapter.stop_after and len(adapter.scored) >= adapter.stop_after[0]:
                    adapter.stop_after[1].set()
                if cancel.is_set():
                    return
                for chunk in engine.score([query], database, [plan], scheme, cancel):
                    adapter.scored.append(plan)
                    yield type(chunk)(row, chunk.db_index, chunk.scores, chunk.cells, chunk.rescored, "Slow", 0.01)
                if adapter.seconds:
                    time.sleep(adapter.seconds)

    def close(self):
        pass


class ToyEngine(DeviceEngine):
    """Scores by the best ungapped stretch that starts at the first letters; enough to rank."""

    def __init__(self, name, *, fail_after=None, cancel_after=None, per_chunk=2):
        self.name = name
        self.devices = (DeviceInfo(name, f"toy {name}"),)
        self.fail_after = fail_after
        self.cancel_after = cancel_after
        self.per_chunk = per_chunk
        self.closed = False

    def chunk_limits(self, queries, database):
        return ChunkLimits(10**9, self.per_chunk)

    def score(self, queries, database, plans, scheme, cancel):
        done = 0
        for row, query in enumerate(queries):
            for plan in plans:
                if done == self.cancel_after:
                    cancel.set()
                if cancel.is_set():
                    return
                if done == self.fail_after:
                    raise EngineFault("The toy broke.")
                done += 1
                chunk = take_chunk(database, plan)
                scores = [
                    _toy_score(query, chunk.codes[a:b], scheme)
                    for a, b in zip(chunk.offsets, chunk.offsets[1:], strict=False)
                ]
                yield ChunkScores(
                    row,
                    chunk.db_index,
                    np.array(scores, np.int32),
                    len(query) * chunk.residues,
                    device=self.name,
                    seconds=0.5,
                )

    def close(self):
        self.closed = True


def _toy_score(query, subject, scheme):
    n = min(len(query), len(subject))
    running = np.cumsum(query.scores(scheme)[np.arange(n), subject[:n]])
    return int(max(0, running.max(initial=0)))


class ToyAdapter:
    def __init__(self, name, **settings):
        self.engines = []
        self.name, self.settings = name, settings

    def status(self):
        available = not self.settings.get("missing")
        return EngineStatus(self.name, available, reason="" if available else "It is not there.", hint="Get it.")

    def create(self, options):
        self.engines.append(ToyEngine(self.name, **self.settings))
        return self.engines[-1]


class FakeGpu:
    """The requests to a GPU before anything runs on it."""

    info = DeviceInfo("0", "A GPU", facts={"compute capability": "9.0"})
    label = "A GPU #0"
    pinned = True
    multiprocessors = 132
    dpx = True
    tables = H200

    def __init__(self, *, memory=1 << 30, shared=232_448):
        self.memory, self.shared_limit = memory, shared

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def at_work(self):
        return self

    def free_memory(self):
        return self.memory


class DeviceAdapter:
    """Stands for the module of an engine whose scores are right, query by query, and that is no processor, or is one.

    It breaks after `fail_after` chunks, in its first use alone, and is slow before the last query until `ready`.
    """

    def __init__(self, device="0", fail_after=None, ready=lambda: True):
        self.device, self.fail_after, self.ready = device, fail_after, ready

    def status(self):
        return EngineStatus("toy", True, (DeviceInfo(self.device, "Toy"),))

    def create(self, options):
        fail_after, self.fail_after = self.fail_after, None
        return DeviceLike(self.device, fail_after, self.ready)


class DeviceLike(DeviceEngine):
    name = "toy"

    def __init__(self, device, fail_after, ready):
        self.devices, self._fail_after, self._ready = (DeviceInfo(device, "Toy"),), fail_after, ready

    def chunk_limits(self, queries, database):
        return ChunkLimits(10**9, 10**9)

    def score(self, queries, database, plans, scheme, cancel):
        for done, row in enumerate(reversed(range(len(queries)))):
            if done == self._fail_after:
                raise EngineFault("The toy broke.")
            if cancel.is_set():
                return
            while row == 0 and not self._ready():
                time.sleep(0.005)
                yield ChunkScores(row, np.zeros(0, np.int64), np.zeros(0, np.int32), 0, device="Toy", seconds=0.0)
            for chunk in ReferenceEngine().score([queries[row]], database, plans, scheme, cancel):
                yield ChunkScores(row, chunk.db_index, chunk.scores, chunk.cells, device="Toy", seconds=0.01)

    def close(self):
        pass
