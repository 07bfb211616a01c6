"""Numbers of long pairs on GPUs that were chosen by measurements."""

from __future__ import annotations

from typing import Final

import msgspec


class Tuning(msgspec.Struct, frozen=True):
    """Numbers, and the computer that they were measured on; a wrong one costs time alone."""

    measured_on: str
    followed_at_once: int  # stretches of the path that are followed on a device at a time
    aligned_at_once: int  # batches of small pieces that are aligned on a device at a time
    fewest_words: int  # of directions in a batch, where there are as many
    fewest_steps: int  # borders for each guess of where the path runs
    more_steps: int  # that a guess is followed beyond the next one
    saved_rows: int  # rows between two kept borders, at least
    prune_rows: int  # shorter pairs are done before pruning pays
    speed: float  # cells per second and multiprocessor
    step_seconds: float  # a step of a band with little other work
    skipped: float  # cost of a skipped cell, relative to a computed one
    enough: float  # share of the highest score that lengths allow: with less to begin with, both ends compute all
    shared_columns: int  # columns that share a value of an outlook
    warps: int  # of a multiprocessor that aligns pieces
    cut_seconds: float  # of a cut, with others at the same time
    cell_seconds: float  # of a cell that a warp computes
    fewest_cells: int  # of a piece that is not cut further, at least
    most_cells: int  # the same, at most
    cuts_at_once: int  # pieces that are cut at the same time on a device
    rounds_at_once: int  # rounds that run at the same time on a device
    min_columns: int  # columns of a device, at least: with fewer it would wait more than work
    min_bands: int  # bands for each device, at least
    rounds: int  # rounds for each device, at least
    max_turns: int  # blocks of columns of a device, at most: more were slower
    turns_pruned: int  # the same where work is along a diagonal, which passes from one to the next


TUNING: Final = Tuning(
    measured_on="one NVIDIA H200, and two of one computer, CUDA 13.0, November 2026 (kernels/README.md)",
    followed_at_once=5,
    aligned_at_once=2,
    fewest_words=1 << 24,
    fewest_steps=3,
    more_steps=2,
    saved_rows=1024,
    prune_rows=500_000,
    speed=3.5e10,
    step_seconds=8e-8,
    skipped=0.1,
    enough=0.2,
    shared_columns=1024,
    warps=24,
    cut_seconds=1.5e-4,
    cell_seconds=1.3e-9,
    fewest_cells=1 << 21,
    most_cells=1 << 24,
    cuts_at_once=12,
    rounds_at_once=4,
    min_columns=100_000,
    min_bands=8,
    rounds=4,
    max_turns=1,
    turns_pruned=2,
)
