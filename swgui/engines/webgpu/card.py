"""One adapter at work: its pipelines, the residues that it keeps, and the scores that come back."""

from __future__ import annotations

import importlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import EngineFault
from swgui.core.score_profile import PositionGaps
from swgui.engines.webgpu.adapters import LIMITS, PACKAGE, Adapter
from swgui.engines.webgpu.layout import Layout
from swgui.engines.webgpu.shader import SUBJECTS, Shape, shader

KEPT_BYTES: Final = 1 << 30  # of layouts that stay on a card; software and parts of processors keep a quarter
PARAMETER_BYTES: Final = 32  # of `Params`
EDGE_BYTES: Final = 32  # of `Edge`, in which every arithmetic has a word of each subject
SLOT: Final = 256  # bytes between the parameters of two launches: every adapter allows offsets of this
ROUNDS: Final = 40_000  # of the loops of a launch in software, which ends loops of more than 65,535 without a word
LAUNCH_SECONDS: Final = 0.1  # systems end launches of some seconds; a Stop is obeyed between launches
WAITING_SECONDS: Final = 0.15  # of launches that wait at a time
LEARNT_SECONDS: Final = 0.005
FIRST_GCUPS: Final = {True: 300.0, False: 20.0}  # of a discrete card and of others, before anything was measured
SOFTWARE_GCUPS: Final = 0.3
_log = logging.getLogger(__name__)


class Prepared(msgspec.Struct, frozen=True, eq=False):
    """A query as one shape of the kernel reads it."""

    shape: Shape
    rows: NDArray[np.int32]  # profile, and costs by position, tile by tile
    tiles: int
    gap_first: int
    gap_extend: int

    @property
    def rows_scored(self) -> int:
        """Rows of the query and those that fill its last tile."""
        return self.tiles * self.shape.tile


def prepare(
    shape: Shape, profile: NDArray[np.int16], gap_first: int, gap_extend: int, gaps: PositionGaps | None = None
) -> Prepared:
    """Lay out a profile for a shape.

    Parameters
    ----------
    profile : ndarray, shape=(m, symbols), dtype=int16
    """
    number, length = shape.arithmetic, len(profile)
    tiles = max(1, -(-length // shape.tile))
    padded = np.full((tiles * shape.tile, shape.letters), -number.steepest, dtype=np.int32)
    padded[:length, : profile.shape[1]] = np.maximum(profile.astype(np.int32), -number.steepest)
    by_lane = padded.reshape(tiles, shape.lanes, shape.loads, number.rows, shape.letters)
    rows = by_lane.transpose(0, 4, 2, 1, 3).reshape(tiles, -1)
    if shape.gaps:
        if gaps is None:
            raise ValueError("A shape with costs by position needs some.")
        costs = np.zeros((tiles * shape.tile, 4), dtype=np.int32)
        costs[:length] = np.stack(gaps.columns, axis=1)
        rows = np.concatenate([rows, costs.reshape(tiles, -1)], axis=1)
    first, further = (min(cost, number.steepest - 1) for cost in (gap_first, gap_extend))
    return Prepared(shape, np.ascontiguousarray(rows).ravel(), tiles, first, further)


class Resident(msgspec.Struct, eq=False):
    """A layout on a card."""

    words: Any
    spans: Any
    groups: int
    longest: int  # steps
    subjects: int
    size: int  # bytes
    residues: int


class Begun(msgspec.Struct, frozen=True, eq=False):
    """Scores that a card is computing."""

    resident: Resident
    queries: int
    read: Any  # buffer that the scores come to
    mapped: Any  # promise of the package
    began: float
    cells: int


class Card:
    """An adapter that is in use; one thread works with it.

    Raises
    ------
    EngineFault
        If the adapter cannot be opened.
    """

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.name = adapter.info.name
        self._wgpu = importlib.import_module(PACKAGE)
        self.gcups = SOFTWARE_GCUPS if adapter.software else FIRST_GCUPS[adapter.discrete]
        limits = {name: adapter.limits[name] for name in LIMITS}
        with self.faults("be opened"):
            self.device = adapter.handle.request_device_sync(
                required_features=list(adapter.features), required_limits=limits
            )
        self._pipelines: dict[Shape, Any] = {}
        self.kept: OrderedDict[tuple[str, int, int], Resident] = OrderedDict()
        self._edges: Any = None
        self._ended = 0.0  # when the last scores came back

    @property
    def keeps(self) -> int:
        """Bytes of layouts that stay on the card."""
        return KEPT_BYTES if self.adapter.discrete else KEPT_BYTES // 4

    @property
    def largest(self) -> int:
        """Words of the largest layout: the edges of a word take 32 bytes at most."""
        binding = min(self.adapter.limits["max-storage-buffer-binding-size"], self.adapter.limits["max-buffer-size"])
        return binding // 32

    @property
    def most_subjects(self) -> int:
        return self.adapter.limits["max-compute-workgroups-per-dimension"] * SUBJECTS

    @contextmanager
    def faults(self, what: str) -> Iterator[None]:
        """Turn errors of the package, of a driver or a lost device into an `EngineFault`."""
        try:
            yield
        except EngineFault:
            raise
        except Exception as error:  # wgpu has many kinds: out of memory, lost, plain RuntimeErrors
            said = " ".join(str(error).split())[:300]
            _log.info("%s: %s", self.name, said, exc_info=True)
            raise EngineFault(
                f"The adapter '{self.name}' could not {what}: {said}",
                hint="Install the newest driver of the GPU, or run on the CPU.",
            ) from error

    def keep(self, key: tuple[str, int, int], layout: Callable[[], Layout], residues: int) -> Resident:
        """Return a layout that is on the card, or bring it there; the oldest make room."""
        if key in self.kept:
            self.kept.move_to_end(key)
            return self.kept[key]
        made = self.bring(layout(), residues)
        while self.kept and sum(one.size for one in self.kept.values()) + made.size > self.keeps:
            self.drop(self.kept.popitem(last=False)[1])
        self.kept[key] = made
        return made

    def bring(self, layout: Layout, residues: int) -> Resident:
        """Copy a layout to the card."""
        storage = self._wgpu.BufferUsage.STORAGE
        with self.faults("take residues"):
            words = self.device.create_buffer_with_data(data=layout.words, usage=storage)
            spans = self.device.create_buffer_with_data(data=layout.spans, usage=storage)
        size = layout.words.nbytes + layout.spans.nbytes
        return Resident(words, spans, len(layout.spans), layout.longest, layout.subjects, size, residues)

    def drop(self, resident: Resident) -> None:
        """Free the memory of a layout."""
        resident.words.destroy()
        resident.spans.destroy()

    def score(
        self, resident: Resident, queries: Sequence[Prepared], stop: Callable[[], bool]
    ) -> NDArray[np.int64] | None:
        """Return the scores of queries with the subjects of a layout; None once `stop` holds.

        Scores that reach `Number.limit` are that limit.

        Returns
        -------
        ndarray, shape=(queries, subjects), dtype=int64
        """
        begun = self.begin(resident, queries, stop)
        return None if begun is None else self.finish(begun)

    def begin(self, resident: Resident, queries: Sequence[Prepared], stop: Callable[[], bool]) -> Begun | None:
        """Launch the kernels of queries; None if it was stopped before the last. `finish` waits for the scores."""
        began = time.perf_counter()
        usage = self._wgpu.BufferUsage
        size = len(queries) * resident.groups * SUBJECTS * 4
        with self.faults("score"):
            bests = self.device.create_buffer(size=size, usage=usage.STORAGE | usage.COPY_SRC)
            if not self._launch_all(resident, queries, bests, stop):
                bests.destroy()
                return None
            read = self.device.create_buffer(size=size, usage=usage.COPY_DST | usage.MAP_READ)
            encoder = self.device.create_command_encoder()
            encoder.copy_buffer_to_buffer(bests, 0, read, 0, size)
            self.device.queue.submit([encoder.finish()])
            bests.destroy()  # once the copy is made
            mapped = read.map_async("READ")
        cells = resident.residues * sum(query.rows_scored for query in queries)
        return Begun(resident, len(queries), read, mapped, began, cells)

    def finish(self, begun: Begun) -> NDArray[np.int64]:
        """Return the scores of launched kernels, as `score`."""
        with self.faults("score"):
            begun.mapped.sync_wait()
            found = np.frombuffer(begun.read.read_mapped(copy=False), dtype=np.uint32)
            of_queries = found.reshape(begun.queries, -1)[:, : begun.resident.subjects].astype(np.int64)
            del found
            begun.read.unmap()
            begun.read.destroy()
        now = time.perf_counter()
        seconds = now - max(begun.began, self._ended)
        self._ended = now
        if seconds > LEARNT_SECONDS:  # less is mostly the time of the call itself
            self.gcups = (self.gcups + begun.cells / seconds / 1e9) / 2
        return of_queries

    def _launch_all(
        self, resident: Resident, queries: Sequence[Prepared], bests: Any, stop: Callable[[], bool]
    ) -> bool:
        """Launch the kernels of all queries; False if it was stopped before the last."""
        launches = [(number, part) for number, query in enumerate(queries) for part in self._parts(resident, query)]
        starts = np.cumsum([0, *(len(query.rows) for query in queries)])
        parameters = np.zeros((len(launches), SLOT // 4), dtype=np.int32)
        for line, (number, (first, end)) in zip(parameters, launches, strict=True):
            query, scores_at = queries[number], number * resident.groups * SUBJECTS
            given = query.tiles, first, end, scores_at, starts[number], query.gap_first, query.gap_extend
            line[: len(given)] = given
        usage = self._wgpu.BufferUsage
        settings = self.device.create_buffer_with_data(data=parameters, usage=usage.UNIFORM)
        profiles = np.concatenate([query.rows for query in queries])
        rows = self.device.create_buffer_with_data(data=profiles, usage=usage.STORAGE)
        edges = self._room_for_edges(resident)
        waiting = 0.0
        for place, (number, (first, end)) in enumerate(launches):
            if stop():
                return False
            shape = queries[number].shape
            parts = (
                (settings, place * SLOT, PARAMETER_BYTES),
                *((one, 0, one.size) for one in (resident.words, resident.spans, rows, edges, bests)),
            )
            self._launch(self.pipeline(shape), parts, resident.groups)
            waiting += resident.residues * shape.tile * (end - first) / self.gcups / 1e9
            if waiting > WAITING_SECONDS:  # a launch cannot be called off
                self.device.queue.read_buffer(bests, size=4)
                waiting = 0.0
        return True

    def _parts(self, resident: Resident, query: Prepared) -> list[tuple[int, int]]:
        """Return tiles of launches that end soon, first and end of each."""
        tile_seconds = resident.residues * query.shape.tile / self.gcups / 1e9
        most = max(1, int(LAUNCH_SECONDS / max(tile_seconds, 1e-9)))
        if self.adapter.software:
            most = min(most, max(1, ROUNDS // (resident.longest + query.shape.lanes)))
        return [(first, min(first + most, query.tiles)) for first in range(0, query.tiles, most)]

    def _launch(self, pipeline: Any, parts: Sequence[tuple[Any, int, int]], groups: int) -> None:
        entries = [
            {"binding": place, "resource": {"buffer": buffer, "offset": offset, "size": size}}
            for place, (buffer, offset, size) in enumerate(parts)
        ]
        bound = self.device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)
        encoder = self.device.create_command_encoder()
        steps = encoder.begin_compute_pass()
        steps.set_pipeline(pipeline)
        steps.set_bind_group(0, bound)
        steps.dispatch_workgroups(groups)
        steps.end()
        self.device.queue.submit([encoder.finish()])

    def _room_for_edges(self, resident: Resident) -> Any:
        """Return the buffer of what leaves a tile of rows: 32 bytes for each word, whatever the arithmetic."""
        wanted = max(EDGE_BYTES, resident.words.size // 4 * EDGE_BYTES)
        if self._edges is None or self._edges.size < wanted:
            if self._edges is not None:
                self._edges.destroy()
            self._edges = self.device.create_buffer(size=wanted, usage=self._wgpu.BufferUsage.STORAGE)
        return self._edges

    def pipeline(self, shape: Shape) -> Any:
        """Return the compiled kernel of a shape."""
        if shape not in self._pipelines:
            with self.faults("compile a kernel"):
                module = self.device.create_shader_module(code=shader(shape))
                stage = {"module": module, "entry_point": "main"}
                self._pipelines[shape] = self.device.create_compute_pipeline(layout="auto", compute=stage)
        return self._pipelines[shape]

    def close(self) -> None:
        """Free the memory of the card."""
        while self.kept:
            self.drop(self.kept.popitem()[1])
        if self._edges is not None:
            self._edges.destroy()
        self._pipelines.clear()
        self.device.destroy()
