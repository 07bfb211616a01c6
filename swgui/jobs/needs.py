"""Needs of a search: time, memory and space, by the numbers that `swgui.jobs.search.estimate` has of a device."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from swgui.core.words import count
from swgui.engines.facts import CPU, GPU
from swgui.engines.host import usable_cores
from swgui.engines.registry import installed
from swgui.jobs.search.estimate import Calibration, all_remembered

CORE_GCUPS: Final = 25  # of a core with AVX2
PROGRAM_BYTES: Final = 100_000_000  # of the program alone, measured
GPU_BYTES: Final = 300_000_000  # of the driver, CuPy and buffers that the GPU copies from; measured (`BENCHMARKS.md`)
SEQUENCE_BYTES: Final = 170  # of a database file for each sequence: description and index; by Swiss-Prot
SCORE_BYTES: Final = 4  # kept for every query and sequence until a search has ended


@dataclass(frozen=True, slots=True)
class Size:
    """How large a database is, rounded."""

    title: str
    residues: int
    sequences: int


SIZES: Final = (
    Size("one bacterium", 1_300_000, 4_300),
    Size("Swiss-Prot", 200_000_000, 570_000),
    Size("UniRef50", 20_000_000_000, 70_000_000),
    Size("TrEMBL", 90_000_000_000, 250_000_000),
)


@dataclass(frozen=True, slots=True)
class Needs:
    """The needs of a search."""

    cells: int  # of all matrices
    seconds: float
    file: int  # bytes of the database file
    # Bytes of the computer, the database not counted: it is mapped, and the system keeps what there is room for.
    memory: int
    device: int  # bytes of a GPU that holds the whole database; one with less streams it


def _typical(engine: str, name: str, gcups: float) -> Calibration:
    """Return the numbers of a device whose speed is the same for all queries, and which has no fingerprint."""
    return Calibration(engine, (name,), "", start=0.0, per_query=0.0, cold=0.0, rates=((1, 1 / (gcups * 1e9)),))


# Measured with this program (`BENCHMARKS.md`), for estimates before there is a device to measure.
TYPICAL: Final = (
    _typical(GPU.name, "one NVIDIA H200", 6_600),
    _typical(CPU.name, "16 cores, AVX-512", 16 * 45),
    _typical(CPU.name, "two cores, AVX2", 2 * CORE_GCUPS),
)


def devices(path: Path | None = None) -> tuple[Calibration, ...]:
    """Return those of this computer that were measured, or else its cores at a usual speed, then `TYPICAL`."""
    measured = tuple(c for c in all_remembered(path) if not c.settings)
    return *(measured or (of_these_cores(),)), *TYPICAL


def of_these_cores() -> Calibration:
    """Return the numbers of the cores of this computer, each as fast as is usual with AVX2; not measured."""
    cores = usable_cores()
    return _typical(CPU.name, f"{count(cores, 'core')}, not measured", cores * CORE_GCUPS)


def needs(device: Calibration, length: int, queries: int, residues: int, sequences: int) -> Needs:
    """Return the needs of a search.

    Parameters
    ----------
    length : int
        Residues of each query; two strands count as two queries.
    """
    scans = device.seconds([length], residues)
    per_query = device.seconds([length, length], residues) - scans
    return Needs(
        cells=length * queries * residues,
        seconds=scans + per_query * (queries - 1),
        file=residues + SEQUENCE_BYTES * sequences,
        memory=PROGRAM_BYTES + GPU_BYTES * _on_gpu(device) + SCORE_BYTES * queries * sequences,
        device=residues,
    )


def _on_gpu(device: Calibration) -> bool:
    """Whether a GPU has a part in what searches; an engine that is not installed any more has none."""
    engine = installed().get(device.engine)
    return engine is not None and engine.on_gpu
