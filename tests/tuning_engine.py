"""A "GPU" for tests of sweeps: exact scores, a speed that follows from its settings, and faults on demand."""

from swgui.core.errors import EngineFault, InvalidParameter
from swgui.core.packing import ChunkLimits
from swgui.engines import cpu, reference, registry
from swgui.engines.base import DeviceInfo, EngineStatus, KernelUse
from swgui.engines.reference import ReferenceEngine

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
