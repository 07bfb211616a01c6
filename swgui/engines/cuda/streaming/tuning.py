"""Numbers of the streaming search that were chosen by measurements."""

from __future__ import annotations

from typing import Final

import msgspec


class Tuning(msgspec.Struct, frozen=True):
    """Numbers, and the computer that they were measured on; a wrong one costs time alone."""

    measured_on: str
    counts_alone: tuple[int, ...]  # numbers of twins with blocks of their own to choose from
    crowded: float  # slowdown of the longest remaining twin by other work, relative to its time alone
    freed: int  # twins of which about one keeps a multiprocessor busy to the end: shorter ones leave it sooner
    worth_seconds: float  # smallest gain of blocks of their own: it needs another kernel
    blocks_of_a_twin: int  # blocks of threads for a twin: eight twins fill a large GPU
    twins_at_once: int  # twins of queries that share a launch, at most
    cells_of_twins: int  # cells of a launch of short twins: half a millisecond of a large GPU
    cells_of_many: int  # the same where thousands of queries follow each other: four milliseconds
    scores_at_once: int  # scores that come back from a launch, at most
    scans: int  # scans under way at once of a large database, where each fills the GPU
    scans_of_small: int  # of a small one, where most of the GPU waits for the longest subject of each
    cells_per_chunk: int  # of a chunk, at most: about 50 ms on a large GPU
    smallest_chunk: int  # residues; below this a GPU is not filled
    cells_worth: int  # of a chunk, at least, about 4 ms: below this the host's work on it, 0.3 ms, begins to show
    chunks_per_device: int  # so that several GPUs end together
    speed: float  # cells per second that one multiprocessor reaches at least
    alone_seconds: float  # seconds per cell of a subject scored by one group alone
    alike: float  # two queries are scored at once if the shorter has at least this share of the longer
    # scans_side_by_side: scans of a millisecond side by side: a quarter of the blocks with four times the work each
    # lose less at their ends
    scans_side_by_side: int
    cells_in_turn: int  # of a scan from which on one follows the other, as with a large database: 8 ms of a large GPU
    small_blocks: int  # of four columns of two subjects: 64 million residues
    min_unit_blocks: int  # of a unit, at least: with fewer, taking it costs more than it balances
    # slab_blocks: of 8 bytes, of host memory at a time: large enough for full speed, small enough to be had quickly
    slab_blocks: int
    copy_threads: int  # threads of the host that fill the buffers of a transfer
    streamed_parts: int  # parts of a database that streams: three under way and one arriving
    pieces_at_once: int  # pieces that may be made room for at the same time, by this and other threads
    buffer_step: int  # bytes; sizes of large buffers are multiples of it, so that other queries can use them again


TUNING: Final = Tuning(
    measured_on="one NVIDIA H200 (132 multiprocessors, 1.98 GHz), CUDA 13.0, November 2026 (kernels/README.md)",
    counts_alone=(2, 4, 8, 16, 32),
    crowded=1.3,
    freed=3,
    worth_seconds=2e-3,
    blocks_of_a_twin=16,
    twins_at_once=32,
    cells_of_twins=4_000_000_000,
    cells_of_many=30_000_000_000,
    scores_at_once=8_000_000,
    scans=3,
    scans_of_small=12,
    cells_per_chunk=300_000_000_000,
    smallest_chunk=4_000_000,
    cells_worth=26_000_000_000,
    chunks_per_device=6,
    speed=2e10,
    alone_seconds=1e-9,
    alike=0.93,
    scans_side_by_side=4,
    cells_in_turn=50_000_000_000,
    small_blocks=8 << 20,
    min_unit_blocks=32,
    slab_blocks=4 << 20,
    copy_threads=4,
    streamed_parts=4,
    pieces_at_once=4,
    buffer_step=1 << 24,
)
