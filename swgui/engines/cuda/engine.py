"""The ``cuda`` engine: exact scores on one or several NVIDIA GPUs."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from mmap import mmap
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import ArrayDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter
from swgui.core.hits.scores import ChunkScores, TopHits
from swgui.core.methods.base import Method
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, TwoTrackMatrix, check_same_alphabet
from swgui.core.stretches import ScoredPairs
from swgui.core.translation.database import TranslatedDatabase
from swgui.engines import host
from swgui.engines.base import DeviceEngine, DeviceInfo, whole_number
from swgui.engines.cuda import device
from swgui.engines.cuda.ahead import Ahead
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.methods import divide, make_search
from swgui.engines.cuda.regions import GpuRegions
from swgui.engines.cuda.streaming.tuning import TUNING as STREAMING_TUNING
from swgui.engines.cuda.tuning import TUNING
from swgui.engines.windows import wants_parts

if TYPE_CHECKING:
    from swgui.engines.cuda.peaks import GpuPeaks

NAME: Final = device.NAME
MILLION: Final = 1_000_000
INT32: Final = np.iinfo(np.int32).max

# Setting: allowed values, the first being the default.
SETTINGS: Final = {
    "dpx": ("auto", "off"),  # fused 16-bit instructions where the GPU has them
    "pinned": ("on", "off"),  # page-locked host memory for transfers
    "twin_queries": ("on", "off"),  # two queries of similar length at once
}
FORMER: Final = {"pair_queries": "twin_queries"}  # settings as earlier versions called them
MEMORY: Final = "memory_mib"  # how much a database may take on each device
HOST_MEMORY: Final = "host_memory_mib"  # page-locked host memory, for each device, of a database that does not fit
PER_RESIDUE: Final = 32  # bytes of a device from which on it can hold a database and all that a search of it takes
HOST_SHARE: Final = 0.25  # of the host's memory, for all devices, if the user says nothing


def create(options: EngineOptions) -> CudaEngine:
    """Make the engine; `EngineUnavailable` or `InvalidParameter` if it cannot be."""
    probed = device.probe()
    if not probed.available:
        raise EngineUnavailable(NAME, probed.reason, hint=probed.hint)
    settings = {name: choices[0] for name, choices in SETTINGS.items()}
    method, chosen, others = divide(options.settings)
    settings["pinned"] = chosen.get("pinned", settings["pinned"])
    memory = 0
    devices = device.choose(probed.devices, options.devices)
    host_memory = int(HOST_SHARE * host.memory()) // len(devices)
    for given, value in others.items():
        name = FORMER.get(given, given)
        if name == MEMORY:
            memory = whole_number(name, value) << 20
        elif name == HOST_MEMORY:
            host_memory = whole_number(name, value, least=0) << 20
        elif name not in SETTINGS:
            names = ", ".join((*SETTINGS, MEMORY, HOST_MEMORY))
            raise InvalidParameter(name, value, f"The cuda engine has no setting '{name}'.", hint=f"It has {names}.")
        elif value not in SETTINGS[name]:
            choices = " or ".join(SETTINGS[name])
            raise InvalidParameter(name, value, f"The setting '{name}' cannot be '{value}'.", hint=f"Choose {choices}.")
        else:
            settings[name] = value
    return CudaEngine(device.import_cupy(), devices, settings, memory, host_memory, method=method, chosen=chosen)


class CudaEngine(DeviceEngine):
    """Scores on GPUs; databases stay on them between calls.

    Parameters
    ----------
    memory : int
        Bytes of each device for a database; 0 for most of its free memory.
    host_memory : int
        Bytes of page-locked host memory that a database which does not fit may take, for each device.
    """

    name = NAME
    _chunk = 0  # residues, if the user set them
    _regions: GpuRegions | None = None
    _lanes: tuple[CudaEngine, ...] = ()
    _ahead: Ahead | None = None  # compilation until it is closed

    def __init__(
        self,
        cupy: Any,
        devices: tuple[DeviceInfo, ...],
        settings: dict[str, str],
        memory: int,
        host_memory: int = 0,
        *,
        method: Method = SEARCH_METHODS[DEFAULT_METHOD],
        chosen: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.devices = devices
        self._again = partial(CudaEngine, cupy, settings=settings, method=method, chosen=chosen)
        self._memory, self._host_memory = memory, host_memory
        self._own_kernel = not method.module
        self._chunk = int(chosen.get("chunk", 0)) * MILLION
        self.searches = [
            make_search(
                Gpu(cupy, info, dpx=settings["dpx"] == "auto", pinned=settings["pinned"] == "on"),
                memory,
                host_memory,
                method,
                twin_queries=settings["twin_queries"] == "on",
                settings=chosen,
            )
            for info in devices
        ]

    @property
    def translates(self) -> bool:
        return self.searches[0].translates

    @property
    def unpacks(self) -> bool:
        return self._own_kernel

    def keeps(self, key: str) -> bool:
        return self.searches[0].packed.holds(key)

    def host_room(self, size: int) -> mmap:
        return self.searches[0].gpu.locked_memory(size)

    def lanes(self) -> Sequence[CudaEngine]:
        if not self._lanes and self.unpacks:
            for search, info in zip(self.searches, self.devices, strict=True):
                for _ in range(TUNING.pieces_at_once):
                    lane = self._again((info,), memory=self._memory // TUNING.pieces_at_once)
                    lane.searches[0].share(search)
                    self._lanes += (lane,)
        return self._lanes

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: ArrayDatabase) -> ChunkLimits:
        """Cut into chunks of about 50 ms for the mean query at most, and some of them for every device."""
        if self._chunk:
            return ChunkLimits(residues=self._chunk)
        length = max(1, sum(len(query) for query in queries) // max(1, len(queries)))
        if database.packed is not None:  # a piece of a database, with others scored at the same time
            return ChunkLimits(residues=max(STREAMING_TUNING.cells_per_chunk // length, 1))
        return self.searches[0].chunk_limits(length, database.residues, len(self.searches))

    def compile_ahead(self, queries: Sequence[EncodedQuery], database: ArrayDatabase, scheme: ScoringScheme) -> None:
        gaps = any(query.gaps is not None for query in queries)
        self.correction_work().begin(tracks=scheme.tracks is not None, gaps=gaps)
        if _in_parts(database):
            from swgui.engines.parts import compile_parts  # here, as below: most subjects are scored whole

            compile_parts(self, queries, database, None, (0,), scheme)
        else:
            self.searches[0].compile_ahead([queries], database, scheme)

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every plan; whichever device is free takes the next plan.

        Subjects that one group of threads would work on for long are scored in parts.
        """
        check_same_alphabet(scheme.alphabet, database.alphabet, "database")
        yield from score_empty(queries, database, plans)
        check_range(queries, database, scheme)
        if _in_parts(database):
            from swgui.engines.parts import PartSearch

            some = [index for index, query in enumerate(queries) if len(query)]
            search = PartSearch(self, database, None, (0,), scheme)
            for _, chunk in search.score([queries[index] for index in some], plans, cancel):
                yield replace(chunk, query_index=some[chunk.query_index])
            return
        left = iter(plans)
        taking = threading.Lock()

        def take() -> ChunkPlan | None:
            with taking:
                return next(left, None)

        if len(self.searches) == 1:
            yield from self.searches[0].run(take, queries, database, scheme, cancel)
            return
        from swgui.engines.side_by_side import merge  # here: most computers have one GPU

        runs = {search.gpu.label: partial(search.run, take, queries, database, scheme) for search in self.searches}
        yield from merge(runs, cancel)

    def best(
        self,
        query: EncodedQuery,
        database: ArrayDatabase,
        scheme: ScoringScheme,
        limit: int,
        cancel: threading.Event | None = None,
    ) -> tuple[TopHits, float] | None:
        """Return the best subjects of one query without bringing all scores to the host.

        Runs on the first device.

        Returns
        -------
        tuple of TopHits and float, or None
            The ranked hits and the milliseconds the kernels took; None if the search was cancelled, or if
            the database does not fit the device's memory (then `score` streams it).
        """
        check_same_alphabet(scheme.alphabet, database.alphabet, "database")
        check_range((query,), database, scheme)
        if not len(query) or not len(database):
            return None
        return self.searches[0].best(query, database, scheme, limit, cancel or threading.Event())

    def correction_work(self) -> GpuRegions:
        if self._regions is None:
            self._regions = GpuRegions(self.searches[0].gpu)
        return self._regions

    def side_by_side(
        self, database: ArrayDatabase, scheme: ScoringScheme, batches: Iterable[Sequence[EncodedQuery]]
    ) -> Sequence[CudaEngine]:
        room = min(self._memory or device.memory for device in self.devices)
        each = TUNING.engines_at_once if TUNING.engines_at_once * PER_RESIDUE * database.residues <= room else 1
        devices = [device for device in self.devices for _ in range(each)]
        if len(devices) == 1:
            return []
        memory, host_memory = self._memory // each, self._host_memory // each
        engines = [self._again((device,), memory=memory, host_memory=host_memory) for device in devices]
        kernels = {search.gpu.label: search.gpu.kernels for search in self.searches}
        for (search,) in (engine.searches for engine in engines):
            search.cells_of_twins = STREAMING_TUNING.cells_of_many
            search.gpu.kernels = kernels[search.gpu.label]
        first = engines[0].searches[0]
        ahead = None if _in_parts(database) else first.compile_ahead(batches, database, scheme)
        if ahead is not None:
            with first.gpu:
                ahead.load_kept()
        engines[0]._ahead = ahead
        return engines

    def count_pairs(self, pairs: ScoredPairs, check: Check = lambda: None) -> NDArray[np.int32] | None:
        return self.correction_work().count_pairs(pairs, check)

    def peaks_of(self, database: TranslatedDatabase, scheme: ScoringScheme) -> GpuPeaks | None:
        from swgui.engines.cuda.peaks import GpuPeaks  # here: few searches read DNA

        peaks = GpuPeaks.of(self.searches[0].gpu, database, scheme)
        if peaks is not None:
            peaks.begin()
        return peaks

    def close(self) -> None:
        if self._ahead is not None:
            self._ahead.stop()
        self._regions = None
        for lane in self._lanes:
            lane.close()
        self._lanes = ()
        for search in self.searches:
            search.close()


def _in_parts(database: ArrayDatabase) -> bool:
    """Return True if subjects are cut into parts."""
    return not database.cut and wants_parts(database.offsets)


def score_empty(
    queries: Sequence[EncodedQuery], database: ArrayDatabase, plans: Sequence[ChunkPlan]
) -> Iterator[ChunkScores]:
    """Yield the scores of queries without residues: zeros."""
    for index, query in enumerate(queries):
        if len(query):
            continue
        for plan in plans:
            db_index = np.asarray(database.order[plan.start : plan.stop], dtype=np.int64)
            yield ChunkScores(
                index, db_index, np.zeros(len(plan), dtype=np.int32), cells=0, stored=(plan.start, plan.stop)
            )


def check_range(queries: Sequence[EncodedQuery], database: ArrayDatabase, scheme: ScoringScheme) -> None:
    """Refuse searches whose scores might not fit 32 bits."""
    longest = int(np.diff(database.offsets[:2]).max(initial=0))
    tracks = isinstance(scheme.matrix, TwoTrackMatrix)  # whose table is large
    most = INT32 if tracks else int(scheme.matrix.scores.max(initial=0))
    for query in queries:
        if query.profile is None and min(len(query), longest) * most + 4 * scheme.gap_first <= INT32:
            continue
        highest = int(query.scores(scheme).max(initial=0))
        if min(len(query), longest) * highest + 4 * scheme.gap_first > INT32:
            raise EngineFault(
                f"A score of '{query.id}' may be above 2,147,483,647 and could not be reported.",
                hint="Use a matrix with smaller values; the ratios to the gap costs decide the ranking.",
            )
