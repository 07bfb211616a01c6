"""Cuts of a database into shards, and of a search into work units. Pure: no Dask, no threads.

A shard is a contiguous range of the database in storage order, cut by residues, so that the same database always has
the same cuts and a shard has a lasting name. The work on one shard is a rectangle, queries by pieces (the parts of the
caller's plans that lie in the shard); each request of a worker cuts a unit from it, in the size that suits this worker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.database import ArrayDatabase, TextColumn, content_checksum, tracks_of
from swgui.core.index_check import are_offsets
from swgui.core.packing import ChunkLimits, ChunkPlan, plan_chunks

# Bounds of one unit apart from its cells, so that neither request nor answer is a large message.
LETTERS_PER_UNIT: Final = 1 << 16
SCORES_PER_UNIT: Final = 1 << 22


@dataclass(frozen=True, slots=True)
class ShardName:
    """Database, and part of it."""

    checksum: str  # of the content of the whole database
    # start, stop: half-open range of storage positions
    start: int
    stop: int
    residues: int

    def __str__(self) -> str:
        return f"{self.checksum}:{self.start}-{self.stop}"


@dataclass(frozen=True, slots=True, eq=False)
class ShardData:
    """The sequences of a shard, as they travel."""

    alphabet: str
    codes: NDArray[np.uint8] = field(repr=False)  # shape (r,): of two tracks symbols of both, dtype uint16
    offsets: NDArray[np.int64] = field(repr=False)  # shape (n + 1,): relative to `codes`


def name_shards(database: ArrayDatabase, residues: int) -> list[ShardName]:
    """Cut a database into shards of at most `residues` (one longer subject is a shard of its own)."""
    checksum = database.checksum or content_checksum(database.alphabet, database.codes, database.offsets, database.ids)
    plans = plan_chunks(database.offsets, ChunkLimits(residues))
    return [ShardName(checksum, plan.start, plan.stop, plan.residues) for plan in plans]


def take_shard(database: ArrayDatabase, name: ShardName) -> ShardData:
    """Return the sequences of a shard; the codes are a view."""
    offsets = database.offsets[name.start : name.stop + 1]
    codes = database.symbols(slice(offsets[0], offsets[-1]))
    return ShardData(database.alphabet.name, codes, offsets - offsets[0])


def shard_database(name: ShardName, alphabet: Alphabet, data: ShardData) -> ArrayDatabase:
    """Make a database of a shard that local engines can search; source order is storage order.

    Raises
    ------
    ValueError
        If the data differ from the name.
    """
    count = len(data.offsets) - 1
    if count != name.stop - name.start or len(data.codes) != name.residues:
        raise ValueError(f"The shard {name} has {count} subjects and {len(data.codes)} residues.")
    if not are_offsets(data.offsets, name.residues, longest_first=True):
        raise ValueError(f"The subjects of the shard {name} are not consecutive, longest first.")
    nothing = TextColumn(np.zeros(0, dtype=np.uint8), np.zeros(count + 1, dtype=np.int64))
    codes, track = tracks_of(alphabet, data.codes)
    return ArrayDatabase(
        name=str(name),
        alphabet=alphabet,
        codes=codes,
        offsets=data.offsets,
        order=np.arange(count, dtype=np.int64),
        ids=nothing,
        descriptions=nothing,
        checksum=str(name),
        track=track,
    )


@dataclass(eq=False, slots=True)
class Unit:
    """Some queries against some neighbouring pieces of one shard."""

    shard: ShardName
    queries: tuple[int, int]  # half-open range of positions in the list of queries
    pieces: tuple[ChunkPlan, ...]  # contiguous in the shard; storage positions of the database
    cells: int
    done: bool = False  # whether its scores were counted
    # failures, deaths: workers that said they failed on it, and that ended while they had it
    failures: int = 0
    deaths: int = 0

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def stop(self) -> int:
        return self.pieces[-1].stop


@dataclass(frozen=True, slots=True)
class _Rectangle:
    """Queries [top, bottom) against pieces [left, right) of a shard."""

    top: int
    bottom: int
    left: int
    right: int


class _ShardWork:
    """Remaining work on one shard."""

    def __init__(self, name: ShardName, pieces: list[ChunkPlan], letters: NDArray[np.int64]) -> None:
        self.name = name
        self.pieces = pieces
        self.letters = letters
        self.residues = np.concatenate([[0], np.cumsum([piece.residues for piece in pieces], dtype=np.int64)])
        self.left = [_Rectangle(0, len(letters) - 1, 0, len(pieces))] if pieces and len(letters) > 1 else []
        self.takers: set[str] = set()  # workers that took from it

    def cells(self, part: _Rectangle) -> int:
        letters = int(self.letters[part.bottom] - self.letters[part.top])
        return letters * int(self.residues[part.right] - self.residues[part.left])

    def cut(self, wanted: float) -> Unit:
        """Take about `wanted` cells, at least one query against one piece."""
        part = self.left.pop()
        while part.bottom - part.top > 1 and not self._fits(part, part.left + 1, wanted):
            middle = self._middle(part)
            self.left.append(_Rectangle(middle, part.bottom, part.left, part.right))
            part = _Rectangle(part.top, middle, part.left, part.right)
        right = part.left + 1
        while right < part.right and self._fits(part, right + 1, wanted):
            right += 1
        if right < part.right:
            self.left.append(_Rectangle(part.top, part.bottom, right, part.right))
        cells = self.cells(_Rectangle(part.top, part.bottom, part.left, right))
        return Unit(self.name, (part.top, part.bottom), tuple(self.pieces[part.left : right]), cells)

    def _fits(self, part: _Rectangle, right: int, wanted: float) -> bool:
        """Whether the part up to the piece before `right` is small enough for a unit."""
        queries = part.bottom - part.top
        subjects = self.pieces[right - 1].stop - self.pieces[part.left].start
        letters = int(self.letters[part.bottom] - self.letters[part.top])
        return (
            self.cells(_Rectangle(part.top, part.bottom, part.left, right)) <= wanted
            and letters <= LETTERS_PER_UNIT
            and queries * subjects <= SCORES_PER_UNIT
        )

    def _middle(self, part: _Rectangle) -> int:
        """Halve the queries by their residues."""
        half = (self.letters[part.top] + self.letters[part.bottom]) / 2
        cut = int(np.searchsorted(self.letters, half))
        return min(max(cut, part.top + 1), part.bottom - 1)


class WorkPool:
    """All work of one search: hands out units, takes them back, and counts each once.

    Parameters
    ----------
    shards : sequence of ShardName
        Shards of the whole database, in storage order.
    plans : sequence of ChunkPlan
        What is to be scored.
    offsets : ndarray, shape=(N + 1,), dtype=int64
        Where each stored subject begins.
    """

    def __init__(
        self,
        shards: Sequence[ShardName],
        plans: Sequence[ChunkPlan],
        offsets: NDArray[np.int64],
        lengths: Sequence[int],
    ) -> None:
        letters = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
        parts: dict[int, list[ChunkPlan]] = {}
        starts = np.array([shard.start for shard in shards], dtype=np.int64)
        for plan in plans:
            for shard, piece in _pieces(plan, shards, starts, offsets):
                parts.setdefault(shard, []).append(piece)
        self._work: list[_ShardWork] = []
        for index in sorted(parts):
            # A unit is one range of positions, so pieces with a gap between them do not go together.
            for run in _runs(sorted(parts[index], key=lambda piece: piece.start)):
                self._work.append(_ShardWork(shards[index], run, letters))
        self._returned: list[Unit] = []
        self._pairs_left = len(lengths) * sum(len(work.pieces) for work in self._work)
        self.cells_left = sum(work.cells(part) for work in self._work for part in work.left)

    @property
    def finished(self) -> bool:
        return self._pairs_left == 0

    def take(self, worker: str, held: Set[ShardName], wanted: float) -> Unit | None:
        """Return the next unit for a worker, or None if there is none to hand out.

        Units given back go first; then the shard the worker is at, shards it holds, and those with the
        fewest workers at them.

        Parameters
        ----------
        worker : str
            Any name.
        held : set of ShardName
            What the worker has in memory.
        wanted : float
            Cells that suit it.
        """
        while self._returned:
            unit = self._returned.pop()
            if not unit.done:
                return unit
        open_work = [work for work in self._work if work.left]
        if not open_work:
            return None
        best = min(open_work, key=lambda work: (worker not in work.takers, work.name not in held, len(work.takers)))
        best.takers.add(worker)
        return best.cut(wanted)

    def give_back(self, unit: Unit) -> None:
        """Take back a unit that was not scored, or not in time."""
        if not unit.done and unit not in self._returned:
            self._returned.append(unit)

    def count(self, unit: Unit) -> bool:
        """Count a unit as scored; False if it was before, and its scores must be dropped."""
        if unit.done:
            return False
        unit.done = True
        self._pairs_left -= (unit.queries[1] - unit.queries[0]) * len(unit.pieces)
        self.cells_left -= unit.cells
        return True


def _pieces(
    plan: ChunkPlan, shards: Sequence[ShardName], starts: NDArray[np.int64], offsets: NDArray[np.int64]
) -> Iterator[tuple[int, ChunkPlan]]:
    """Cut a plan where shards begin."""
    position = plan.start
    while position < plan.stop:
        index = int(np.searchsorted(starts, position, side="right")) - 1
        stop = min(plan.stop, shards[index].stop)
        yield index, ChunkPlan(position, stop, int(offsets[stop] - offsets[position]))
        position = stop


def _runs(pieces: Sequence[ChunkPlan]) -> Iterator[list[ChunkPlan]]:
    run: list[ChunkPlan] = []
    for piece in pieces:
        if run and run[-1].stop != piece.start:
            yield run
            run = []
        run.append(piece)
    if run:
        yield run
