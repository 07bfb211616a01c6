"""Databases on a device as the published methods want them: 32 subjects interleaved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.intra import WARP
from swgui.papers.search.layout import GroupLayout

ROW_BYTES: Final = 4 * WARP
PIECE_ROWS: Final = (32 << 20) // ROW_BYTES  # per transfer
STREAMED_PARTS: Final = 4  # some under way and one arriving
KERNEL: Final = ("papers/interleave.cu", "interleave")


@dataclass(frozen=True, eq=False)
class GroupResidues:
    """The residues of a range of groups on a device."""

    first_group: int
    last_group: int  # the one behind the last
    words: Any = field(repr=False)  # on the device, uint32, shape (32 x rows,): four residues of a subject each
    ready: Any = field(repr=False)  # CUDA event: the words are in place

    def holds(self, first_group: int, last_group: int) -> bool:
        return self.first_group <= first_group and last_group <= self.last_group


class GroupedDatabase:
    """One database on one GPU: held there as a whole if `memory` bytes suffice, else brought part by part."""

    def __init__(self, gpu: Gpu, database: EncodedDatabase, memory: int) -> None:
        self.gpu, self._database = gpu, database
        self.layout = GroupLayout.of(np.asarray(database.offsets))
        self.codes = database.codes
        self.letters = len(database.alphabet)
        self.group_start = gpu.constant(self.layout.group_start)
        self.words_of = gpu.constant(np.append(self.layout.words_of, np.uint32(0)))
        total = self.layout.rows(0, self.layout.groups)
        self.resident = total * ROW_BYTES <= memory
        self.part_rows = total if self.resident else max(memory // (STREAMED_PARTS * ROW_BYTES), 1)
        self._whole: GroupResidues | None = None

    @property
    def device_bytes(self) -> int:
        """Memory that residues take, or take at most, on the device."""
        return (1 if self.resident else STREAMED_PARTS) * self.part_rows * ROW_BYTES

    def is_of(self, database: EncodedDatabase) -> bool:
        return self._database.holds_the_same_as(database)

    def bring(self, first_group: int, last_group: int) -> GroupResidues:
        """Bring a range of groups onto the device; a resident database is brought as a whole the first time."""
        if not self.resident:
            return self._bring(first_group, last_group)
        if self._whole is None:
            self._whole = self._bring(0, self.layout.groups)
        return self._whole

    def _bring(self, first_group: int, last_group: int) -> GroupResidues:
        gpu, layout = self.gpu, self.layout
        words = gpu.empty(max(WARP * layout.rows(first_group, last_group), 1), np.uint32)
        interleave = gpu.kernel(*KERNEL, (f"-DSW_LETTERS={self.letters}",))
        stages: list[_Stage] = []
        with gpu.copy_stream as stream:
            for number, (first, last) in enumerate(layout.group_windows(first_group, last_group, PIECE_ROWS)):
                begin, end = WARP * first, min(WARP * last, layout.subjects)
                offsets = layout.offsets[begin : end + 1]
                codes = self.codes[int(offsets[0]) : int(offsets[-1])]
                if len(stages) < 2:
                    stages.append(_Stage(gpu))
                stage = stages[number % 2]
                stage.fill(codes, offsets, stream)
                threads = WARP * layout.rows(first, last)
                if threads:
                    arguments = (
                        stage.codes,
                        stage.offsets,
                        self.group_start,
                        np.int32(first_group),
                        np.int32(begin),
                        np.int32(end),
                        words,
                    )
                    interleave((-(-threads // 256),), (256,), arguments)
                stage.done.record(stream)
            ready = gpu.cupy.cuda.Event(disable_timing=True)
            ready.record(stream)
            for stage in stages:
                stage.done.synchronize()  # their buffers are about to be given back
        return GroupResidues(first_group, last_group, words, ready)


class _Stage:
    """Buffers through which one piece of a database goes to the device."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.host: tuple[NDArray[np.uint8], NDArray[np.int64]] | None = None
        self.codes: Any = None
        self.offsets: Any = None
        self.done = gpu.cupy.cuda.Event(disable_timing=True)

    def fill(self, codes: NDArray[np.uint8], offsets: NDArray[np.int64], stream: Any) -> None:
        gpu = self.gpu
        if self.host is not None:
            self.done.synchronize()  # in use until the piece before is laid out
        if self.host is None or len(self.host[0]) < len(codes) or len(self.host[1]) < len(offsets):
            self.host = gpu.host_array(max(len(codes), 1), np.uint8), gpu.host_array(len(offsets), np.int64)
            self.codes = gpu.empty(max(len(codes), 1), np.uint8)
            self.offsets = gpu.empty(len(offsets), np.int64)
        host_codes, host_offsets = self.host
        np.copyto(host_codes[: len(codes)], codes)
        np.copyto(host_offsets[: len(offsets)], offsets)
        gpu.upload(self.codes, host_codes[: len(codes)], stream)
        gpu.upload(self.offsets, host_offsets[: len(offsets)], stream)
