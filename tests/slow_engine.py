"""An engine for tests of interrupted runs: exact, five subjects at a time, as slow as wanted."""

import os
import signal
import time

from swgui.core.packing import ChunkLimits
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.reference import ReferenceEngine


class SlowAdapter:
    """Stands for the module of an engine.

    `scored` counts chunks. `stop_after` is (chunks, event): the event is set once so many are scored; after
    `die_after` chunks the process kills itself.
    """

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.scored = []
        self.stop_after = None
        self.die_after = None
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
                if adapter.die_after is not None and len(adapter.scored) >= adapter.die_after:
                    os.kill(os.getpid(), signal.SIGKILL)
                if cancel.is_set():
                    return
                for chunk in engine.score([query], database, [plan], scheme, cancel):
                    adapter.scored.append(plan)
                    yield type(chunk)(row, chunk.db_index, chunk.scores, chunk.cells, chunk.rescored, "Slow", 0.01)
                if adapter.seconds:
                    time.sleep(adapter.seconds)

    def close(self):
        pass
