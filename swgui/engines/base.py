"""The protocol of all engines, and the description of devices."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from mmap import mmap
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from swgui.core.control import Check
from swgui.core.database import ArrayDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.translation.programs import Translation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from swgui.core.judging.correction_work import CorrectionWork
    from swgui.core.stretches import ScoredPairs
    from swgui.core.sweep.tile_rates import Family, Rate
    from swgui.core.translation.database import TranslatedDatabase
    from swgui.core.translation.peaks import StrandPeaks

LARGEST_SETTING: Final = 10**9
TILES: Final = "tiles"  # fact of a device: where the figures that choose tiles are from
NOT_USED: Final = "tiles measured here"  # fact of a device: why figures that were measured on it are not used


class DeviceInfo(msgspec.Struct, frozen=True):
    """One device an engine can use."""

    id: str  # value of ``--device``: ``"0"``, ``"1"``, ... for GPUs, ``"cpu"``
    name: str  # for example ``"NVIDIA H200"``
    # memory, free_memory: bytes; 0 if unknown
    memory: int = 0
    free_memory: int = 0
    # More to show: compute capability, driver, threads, instruction set.
    facts: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def identity(self) -> str:
        """Name under which measurements of it are kept: its UUID, or its name where it has none."""
        return self.facts.get("UUID") or self.name

    @property
    def driver(self) -> str:
        """Version of its driver; empty if it is not known."""
        return self.facts.get("driver") or self.facts.get("driver supports CUDA", "")


class EngineStatus(msgspec.Struct, frozen=True):
    """Whether an engine can run here."""

    name: str
    available: bool
    devices: tuple[DeviceInfo, ...] = ()
    reason: str = ""  # why it is not available, as one sentence; empty if it is
    hint: str = ""  # remedy for the user
    worth: bool = True  # whether it is faster than the cores, as far as that is known

    @property
    def automatic(self) -> bool:
        """Whether ``auto`` may take it."""
        return self.available and self.worth


def whole_number(name: str, value: str, least: int = 1) -> int:
    """Read a setting of an engine that is a whole number.

    Raises
    ------
    InvalidParameter
        If it is none, or below `least` or above `LARGEST_SETTING`.
    """
    try:
        number = int(value)
    except ValueError:
        number = least - 1
    if not least <= number <= LARGEST_SETTING:
        limits = f"from {least} to {LARGEST_SETTING:,}"
        raise InvalidParameter(name, value, f"The setting '{name}' takes a whole number {limits}, not '{value}'.")
    return number


class KernelUse(msgspec.Struct, frozen=True):
    """Resources of a GPU in one launch: for the occupancy view and the display of automatic choices."""

    device: str  # id of the `DeviceInfo`
    # method, kernel: name in `swgui.core.methods.search.SEARCH_METHODS`; entry point in ``kernels/``
    method: str
    kernel: str
    # threads, blocks: threads per block, blocks of the launch
    threads: int
    blocks: int
    registers: int  # per thread, as compiled
    shared_bytes: int  # shared memory per block, static and dynamic
    local_bytes: int = 0  # spilled registers and local arrays per thread
    settings: Mapping[str, str] = msgspec.field(
        default_factory=dict
    )  # every setting of the method with the value in use
    remarks: tuple[str, ...] = ()  # sentences for the user: causes of a fallback, and changed settings
    resident_blocks: int = 0  # blocks per multiprocessor as the driver counts them; 0 if unknown


class TileTrial(msgspec.Struct, frozen=True, eq=False):
    """One variant of a kernel that is to be timed."""

    family: Family  # whose table it belongs to
    rate: Rate  # its shape; the speed is not read
    lanes: int  # threads that hold the query together
    queries: tuple[EncodedQuery, ...]  # one, or two that are scored at once
    scheme: ScoringScheme


class TileTime(msgspec.Struct, frozen=True, eq=False):
    """Time of a trial, and its scores."""

    seconds: tuple[float, ...]  # of each run, by the events of the device
    cells: int
    blocks: int  # of four columns of two subjects that a database has
    scores: NDArray[np.int32]  # of the last run, shape (queries, subjects), in the order of storage


class TileRater(Protocol):
    """Times tiles on one device: made by an engine that has some, closed by its owner."""

    @property
    def device(self) -> DeviceInfo: ...

    @property
    def dpx(self) -> bool:
        """Whether the device has fused 16-bit instructions, so that maxima can be formed in two ways."""

    @property
    def shared_limit(self) -> int:
        """Bytes of shared memory that a block may have."""

    @property
    def multiprocessors(self) -> int: ...

    @property
    def memory(self) -> int:
        """Bytes that are free on the device."""

    def build(self, trial: TileTrial) -> str:
        """Compile a trial; returns why it cannot run, empty if it can. Several threads may call it at once."""

    def time(self, trial: TileTrial, database: ArrayDatabase, repeats: int, cancel: threading.Event) -> TileTime:
        """Time a trial that is built; `Stopped` if it was cancelled."""

    def close(self) -> None: ...


class Engine(Protocol):
    """Scores queries against a database, exactly.

    An engine is made by the registry, used by one thread at a time and closed by its owner; it may keep databases on
    its devices between calls, keyed by ``database.checksum``.
    """

    @property
    def name(self) -> str:
        """Name in the registry."""

    @property
    def devices(self) -> tuple[DeviceInfo, ...]:
        """Devices this engine will use."""

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: ArrayDatabase) -> ChunkLimits:
        """Return limits that cut the database so that a chunk needs about 20 to 100 ms per query."""

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every plan; results come in any order, each pair once.

        The iterator ends early once `cancel` is set, within 0.3 s; the scores yielded so far stay valid.

        Raises
        ------
        EngineFault
            If the engine fails; the scores yielded so far stay valid.
        """

    def close(self) -> None:
        """Release threads and device memory; the engine cannot be used afterwards."""


class DeviceEngine:
    """Optional capabilities of engines, with the defaults of one that has none."""

    @property
    def translates(self) -> bool:
        """Whether it reads the codons of DNA itself (`Codons`)."""
        return False

    @property
    def unpacks(self) -> bool:
        """Whether it scores databases whose residues are packed."""
        return False

    def keeps(self, key: str) -> bool:
        """Whether its device keeps the packed residues of a piece, by `swgui.core.database.Piece.key`."""
        return False

    def host_room(self, size: int) -> mmap:
        """Return memory of the host, of whole pages, from which its devices are given residues."""
        return mmap(-1, size)

    def lanes(self) -> Sequence[Engine]:
        """Return engines on the same devices that score pieces of a database in parallel; callers do not close them."""
        return ()

    def compile_ahead(self, queries: Sequence[EncodedQuery], database: ArrayDatabase, scheme: ScoringScheme) -> None:
        """Compile kernels of a possible next search in threads; returns at once, and the search need not follow."""

    def correction_work(self) -> CorrectionWork | None:
        """Return the object on its device that corrects for composition until it closes; None for the CPU's library."""
        return None

    def side_by_side(
        self, database: ArrayDatabase, scheme: ScoringScheme, batches: Iterable[Sequence[EncodedQuery]]
    ) -> Sequence[Engine]:
        """Return engines of one device each that score a database at the same time, in place of this one.

        Where one device can hold the database twice, two of them are of the same: while one prepares queries, or waits
        for the last of them, the other scores. None where one engine is as good. The caller closes them.

        Parameters
        ----------
        batches : iterable of sequences
            Queries that will be scored together: kernels are compiled and loaded ahead.
        """
        return ()

    def count_pairs(self, pairs: ScoredPairs, check: Check = lambda: None) -> NDArray[np.int32] | None:
        """Count the columns of the best local alignments of pairs, on its device; several threads may call it.

        Parameters
        ----------
        check : callable
            Called every half second at least; may raise to give up.

        Returns
        -------
        ndarray, shape=(k, 4), dtype=int32, or None
            Identical pairs and columns of the alignment that `swgui.engines.traceback` shows, and the residues of query
            and subject that it covers; -1 of pairs that are left to the compiled library, None of all.
        """
        return None

    def peaks_of(self, database: TranslatedDatabase, scheme: ScoringScheme) -> StrandPeaks | None:
        """Return the search on its device for the places where a translated database scores; None without one."""
        return None

    def with_frameshifts(self, translation: Translation) -> Engine | None:
        """Return an engine on the same devices of other computers that scores frameshifts; callers do not close it."""
        return None
