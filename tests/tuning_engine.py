"""A "GPU" for tests of sweeps: exact scores, a speed that follows from its settings, and faults on demand."""

import threading

import numpy as np

from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, InvalidParameter, Stopped
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.plain import replace
from swgui.engines import cpu, reference, registry
from swgui.engines.base import DeviceInfo, EngineStatus, KernelUse, TileTime
from swgui.engines.cuda.streaming import tables
from swgui.engines.reference import ReferenceEngine
from swgui.engines.reference_scores import score_all
from swgui.jobs.tiles import run

FACTS = {"compute capability": "9.0", "multiprocessors": "132", "UUID": "GPU-1", "driver": "580.1"}
GPU = DeviceInfo("0", "Test GPU", 80 << 30, 70 << 30, FACTS)
AUTO = {"threads": "128", "blocks": "2"}


def speed(settings):
    """10^9 cells per second: more threads and blocks are faster up to 256 x 2."""
    threads, blocks = int(settings["threads"]), int(settings["blocks"])
    return 100.0 * min(threads, 256) / 128 * (1 + 0.1 * min(blocks, 2))


class FakeGpu:
    """Stands for the module of the engine 'cuda'.

    Settings in `wrong` give a wrong score, those in `failing` fail while they run; 1,024 threads cannot be compiled.
    """

    def __init__(self, wrong=(), failing=()):
        self.wrong, self.failing = wrong, failing
        self.wrong_tiles, self.on_time, self.options = (), lambda number: None, EngineOptions()
        self.made = []
        self.status_now = EngineStatus("cuda", True, (GPU,))
        self.on_score = lambda: None

    def status(self):
        return self.status_now

    def settings(self, options):
        given = {name: value for name, value in options.settings.items() if value != "auto" and name != "method"}
        return AUTO | given

    def create(self, options):
        self.made.append(options)
        return FakeGpuEngine(self, self.settings(options))

    def tile_rater(self, wanted):
        return FakeRater(self)

    def kernel_use(self, options, queries, scheme, database=None):
        settings = self.settings(options)
        threads = int(settings["threads"])
        if threads == 1024:
            raise InvalidParameter("threads", "1024", "1,024 threads need 80,000 registers; there are 65,536.")
        blocks = settings["blocks"]
        if threads == 64 and blocks == "8":
            settings["blocks"] = "4"
        return (
            KernelUse("0", options.settings.get("method", "simt"), "simt", threads, 132 * int(blocks), 64, 16_384, 0,
                      settings, ("Only 4 blocks fit.",) if settings["blocks"] != blocks else (), 4),
        )  # fmt: skip


class FakeRater:
    """Times of a card that is fastest with 256 threads and skews of 5, half as fast as the one of the tables.

    Tiles in `adapter.wrong_tiles` (family, rows, threads) give a wrong score.
    """

    device, dpx, shared_limit, multiprocessors, memory = GPU, False, 99 * 1024, 24, 8 << 30

    def __init__(self, adapter):
        self.adapter, self.timed, self._scores = adapter, 0, {}

    def build(self, trial):
        return "It needs too much." if trial.rate.rows > 70 else ""

    def time(self, trial, database, repeats, cancel):
        self.timed += 1
        self.adapter.on_time(self.timed)
        if cancel.is_set():
            raise Stopped
        rate, cells = trial.rate, sum(map(len, trial.queries)) * database.residues
        blocks = int((np.diff(database.offsets)[::2] // 4 + 1).sum())
        if len(database) == 2:  # one group alone: 50 ns a row, and as much as 10 rows for the rest
            return TileTime((5e-8 * (rate.rows + 10) * blocks,) * repeats, cells, blocks, np.zeros((1, 2), np.int32))
        speed = 1e12 * (rate.rows / (rate.rows + 4)) * (1.2 if rate.threads == 256 else 1.0)
        speed *= (1.1 if rate.skew == 5 else 1.0) * {4: 0.8, 8: 1.0, 16: 0.99, 32: 0.98}[trial.lanes]
        length, height = len(trial.queries[0]), trial.lanes * rate.rows
        rows = length + 40 * (length > height) * -(-length // height)
        scores = self._scored(trial, database)
        if (trial.family, rate.rows, rate.threads) in self.adapter.wrong_tiles:
            scores = scores + 1
        return TileTime((cells * rows / length / speed,) * repeats, cells, blocks, scores)

    def _scored(self, trial, database):
        key = trial.family, len(trial.queries[0])
        if key not in self._scores:
            engine = cpu.create(self.adapter.options)
            plans = plan_chunks(database.offsets, engine.chunk_limits(trial.queries, database))
            all_of = [score_all(engine, one, database, plans, trial.scheme, threading.Event()) for one in trial.queries]
            self._scores[key] = np.stack([found.scores for found in all_of])
        return self._scores[key]

    def close(self):
        pass


class FakeGpuEngine:
    name = "cuda"

    def __init__(self, adapter, settings):
        self.adapter, self.settings = adapter, settings
        self.devices = (GPU,)
        self.closed = False

    def chunk_limits(self, queries, database):
        return ChunkLimits(1 << 40)

    def score(self, queries, database, plans, scheme, cancel):
        self.adapter.on_score()
        place = (self.settings["threads"], self.settings["blocks"])
        if place in self.adapter.failing:
            raise EngineFault("The launch failed: too many resources requested.")
        for chunk in ReferenceEngine().score(queries, database, plans, scheme, cancel):
            scores = chunk.scores.copy()
            if place in self.adapter.wrong:
                scores[: len(scores) // 2] += 1
            seconds = chunk.cells / speed(self.settings) / 1e9
            yield type(chunk)(chunk.query_index, chunk.db_index, scores, chunk.cells, 0, "Test GPU #0", seconds)

    def close(self):
        self.closed = True


def found_by_the_registry(monkeypatch):
    """Let the registry find such a GPU as the engine 'cuda'; returns it."""
    adapter = FakeGpu()
    others = {"cpu": cpu, "reference": reference}
    monkeypatch.setattr(registry, "adapter_of", lambda name: adapter if name == "cuda" else others[name])
    monkeypatch.setattr(registry, "probed", {})
    return adapter


def few_tiles(monkeypatch, rows=(8, 16, 24, 40, 48, 72)):
    """Leave some heights in the tables that came with the program; returns these tables."""
    rates = {family: tuple(rate for rate in table if rate.rows in rows) for family, table in tables.H200.rates.items()}
    few = replace(tables.H200, rates=rates)
    for module in (tables, run):
        monkeypatch.setattr(module, "H200", few)
    return few
