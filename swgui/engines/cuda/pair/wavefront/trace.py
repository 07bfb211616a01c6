"""The alignment behind a score, in linear memory, on one device or several.

The forward pass has kept borders of the matrix every so many rows. The path is followed from its end to the last
border before it, and from border to border; its pieces are cut again until they are small, and small ones are aligned
directly (`follow`, `direct`).

One border is behind the other, and a single one seldom keeps a device busy. So the path is followed from several
borders at once, each from the cell with the highest score: a stretch that ends there has nearly always come the same
way as the path. A stretch depends only on the place where it begins. Hence a stretch from a guess counts where the path
comes to the very same place, and nowhere else: for any guess, the alignment is that of the stretches in turn.
Meanwhile pieces are cut, and those that are small enough are aligned.

Which of several best alignments is found: the one that ends first in the subject, then first in the query.
For local alignments the start is the last in the subject, then in the query, of those between the last two borders
crossed; otherwise, of several crossings the last in the subject that is not within a gap; inside a small piece,
from the end to the start, an aligned pair where there is a choice, else a query residue against a gap.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from swgui.core.alignment import Alignment
from swgui.core.errors import EngineFault, Stopped
from swgui.core.pair.problem import PairEnd, PairMode
from swgui.engines.cuda.pair.wavefront.cells import Cells
from swgui.engines.cuda.pair.wavefront.device import Device
from swgui.engines.cuda.pair.wavefront.direct import (
    BATCH_BYTES,
    PathPiece,
    Runs,
    align_directly,
    gap_runs,
    join_runs,
)
from swgui.engines.cuda.pair.wavefront.follow import Follower, Forward, PathPoint, PathSegment
from swgui.engines.cuda.pair.wavefront.letters import Pair
from swgui.engines.cuda.pair.wavefront.tuning import TUNING

REST_SECONDS: Final = 2e-5  # between two looks at all that is at work
BATCH_SHARE: Final = 4  # of the free memory, at most, for directions
FOLLOW, CUT, ALIGN = "follow", "cut", "align"

_T = TypeVar("_T")
Work = Generator[Any, None, Any]


@dataclass(eq=False)
class _Job:
    work: Work
    then: Callable[[Any], None]
    kind: str
    lane: int
    mark: Any = None


class Lanes:
    """Runs generators that yield while their device is at work.

    Parameters
    ----------
    kinds : dict of str to int
        Number of generators of each kind at a time on a device.
    first : int
        Number of the first lane.
    """

    def __init__(self, devices: Sequence[Device], kinds: dict[str, int], first: int = 1) -> None:
        self._devices = devices
        self._free: dict[str, list[list[int]]] = {kind: [] for kind in kinds}
        for kind, count in kinds.items():
            self._free[kind] = [list(range(first, first + count)) for _ in devices]
            first += count
        self._waiting: dict[str, deque[tuple[Callable[[int], Work], Callable[[Any], None]]]]
        self._waiting = {kind: deque() for kind in kinds}
        self._jobs: list[list[_Job]] = [[] for _ in devices]
        self._at_work = dict.fromkeys(kinds, 0)
        self._ready = []  # marks of the uploads for all lanes
        for device in devices:
            with device.at_work():
                self._ready.append(device.mark())

    def begin(self, kind: str, make: Callable[[int], Work], then: Callable[[Any], None]) -> None:
        """Begin a generator as soon as there is a lane for it.

        Parameters
        ----------
        make : callable
            Given the number of a device, returns the generator.
        then : callable
            Receives the result of the generator.
        """
        self._waiting[kind].append((make, then))

    def busy(self, kind: str) -> int:
        """Return the number of a kind at work or waiting."""
        return self._at_work[kind] + len(self._waiting[kind])

    def turn(self) -> bool:
        """Advance each generator that waits for no mark; returns True if one did anything."""
        moved = self._fill()
        for number, (device, jobs) in enumerate(zip(self._devices, self._jobs, strict=True)):
            for job in list(jobs):
                if job.mark is not None and not device.reached(job.mark):
                    continue
                try:
                    with device.at_work(job.lane):
                        job.mark = next(job.work)
                    moved = moved or job.mark is not None
                except StopIteration as end:
                    moved = True
                    jobs.remove(job)
                    self._at_work[job.kind] -= 1
                    self._free[job.kind][number].append(job.lane)
                    job.then(end.value)
        return moved

    def close(self) -> None:
        """End all running work; the call stops all devices before it waits for one."""
        at_work = [device for device, jobs in zip(self._devices, self._jobs, strict=True) if jobs]
        for device in at_work:
            device.halt()
        for device in at_work:
            device.settle()
        for jobs in self._jobs:
            for job in jobs:
                job.work.close()
            jobs.clear()
        self._at_work = dict.fromkeys(self._at_work, 0)
        for queue in self._waiting.values():
            queue.clear()

    def _fill(self) -> bool:
        """Give free lanes to waiting work; among several devices to the one with the most free lanes."""
        begun = False
        for kind, queue in self._waiting.items():
            free = self._free[kind]
            while queue and any(free):
                number = max(range(len(free)), key=lambda device: len(free[device]))
                make, then = queue.popleft()
                lane = free[number].pop()
                with self._devices[number].at_work(lane):
                    self._devices[number].wait_for(self._ready[number])
                self._at_work[kind] += 1
                self._jobs[number].append(_Job(make(number), then, kind, lane))
                begun = True
        return begun


class Traceback:
    """Finds one alignment.

    Parameters
    ----------
    pairs : sequence of Pair
        The same one on each device; the first device has the borders.
    cells : Cells
        Cells of the forward pass; they decide the bits.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        mode: PairMode,
        cells: Cells,
        end: PairEnd,
        forward: Forward,
        cancel: threading.Event,
    ) -> None:
        self.alignment: Alignment | None = None
        self._pairs, self._mode, self._end, self._forward, self._cancel = pairs, mode, end, forward, cancel
        room = min(pair.device.free_memory() for pair in pairs) // BATCH_SHARE
        self._most_words = min(BATCH_BYTES, room) // TUNING.aligned_at_once // 4
        longest = max(end.query_end, end.subject_end)
        self._followers = [Follower(pair, cells, longest) for pair in pairs]
        self._lanes = Lanes(
            [pair.device for pair in pairs],
            {FOLLOW: TUNING.followed_at_once, CUT: TUNING.cuts_at_once, ALIGN: TUNING.aligned_at_once},
        )
        self._aligned_cells = 0
        self._known: dict[PathPoint, PathSegment | None] = {}  # by where a stretch ends; None while it is followed
        self._way: list[PathSegment] | None = None
        self._cuts: dict[PathPiece, list[PathPiece] | EngineFault | None] = {}  # None while it is cut
        self._runs: dict[PathPiece, Runs | EngineFault] = {}
        self._small: list[PathPiece] = []  # that wait for others to be aligned with
        self._words = 0  # of their directions

    @property
    def done(self) -> int:
        """Cells computed so far."""
        return sum(follower.done for follower in self._followers) + self._aligned_cells

    def run(self) -> Iterator[int]:
        """Yield the number of cells done now and then; the alignment is in `alignment` afterwards.

        Raises
        ------
        Stopped
            Once the work is cancelled; nothing is at work on any device then.
        EngineFault
            If a part of the path has another score than expected.
        """
        start = PathPoint(self._end.query_end, self._end.subject_end, False, self._end.score)
        with closing(self._lanes) as lanes:
            lanes.begin(FOLLOW, lambda number: self._follow_all(number, start), self._followed)
            guesses = _spread(self._forward, start, TUNING.followed_at_once * len(self._pairs))
            if guesses:
                self._follow_guesses(self._followers[0].highest(self._forward, guesses))
            while self._way is None or lanes.busy(CUT) or lanes.busy(ALIGN):
                if self._cancel.is_set():
                    raise Stopped
                if not lanes.turn():
                    time.sleep(REST_SECONDS)
                self._align_small()
                yield self.done
        self.alignment = self._put_together()
        yield self.done

    def _follow_all(self, number: int, place: PathPoint) -> Generator[Any, None, list[PathSegment]]:
        """Follow the path from its end to its start, over stretches that others have followed or follow."""
        way: list[PathSegment] = []
        while not way or not way[-1].is_first:
            if place not in self._known:
                yield from self._stretch(number, place)
            while (stretch := self._known.get(place)) is None and place in self._known:
                yield
            if stretch is not None:  # else the worker that followed it gave up
                way.append(stretch)
                place = stretch.start
        return way

    def _follow_guess(self, number: int, place: PathPoint, steps: int) -> Generator[Any, None, None]:
        """Follow a path that may be the wanted one, until it reaches a place already followed."""
        for step in range(steps):
            if self._way is not None or place in self._known:
                return
            try:
                stretch = yield from self._stretch(number, place, keep=step > 0)
            except EngineFault:  # a skipped part of the matrix lay on this path
                return
            if stretch.is_first:
                return
            place = stretch.start

    def _stretch(self, number: int, place: PathPoint, *, keep: bool = True) -> Generator[Any, None, PathSegment]:
        """Follow one stretch for all; `keep` says that it is likely to be needed, so that it may be cut at once."""
        self._known[place] = None
        try:
            stretch = yield from self._followers[number].stretch(place, self._forward, self._mode)
        except EngineFault:
            del self._known[place]
            raise
        self._known[place] = stretch
        if keep and stretch.piece is not None:
            self._cut(stretch.piece)
        return stretch

    def _follow_guesses(self, places: list[PathPoint]) -> None:
        """Begin at all of these places, the last of them first: from there it is the longest way."""
        steps = -(-len(self._forward.saved) // (len(places) + 1)) + TUNING.more_steps
        for place in sorted(places, key=lambda place: -place.row):
            if place.left > 0 or self._mode is not PairMode.LOCAL:
                self._lanes.begin(
                    FOLLOW,
                    lambda number, place=place: self._follow_guess(number, place, steps),  # type: ignore[misc]
                    lambda _: None,
                )

    def _followed(self, way: list[PathSegment]) -> None:
        """Cut the uncut pieces, now that the needed ones are known."""
        self._way = way[::-1]
        for stretch in self._way:
            if stretch.piece is not None:
                self._cut(stretch.piece)

    def _cut(self, piece: PathPiece) -> None:
        """Begin to cut a piece, unless that was done."""
        if piece in self._cuts:
            return
        self._cuts[piece] = None

        def keep(small: list[PathPiece] | EngineFault) -> None:
            self._cuts[piece] = small
            if not isinstance(small, EngineFault):
                aligned = [piece for piece in small if not piece.is_gap]
                self._small += aligned
                self._words += sum(piece.words for piece in aligned)

        self._lanes.begin(CUT, lambda number: _caught(self._followers[number].cut(piece)), keep)

    def _align_small(self) -> None:
        """Begin to align small pieces, if there are enough of them or no more to come."""
        last = self._way is not None and not self._lanes.busy(CUT)
        most = self._most_words
        if last:
            most = min(most, max(self._words // (TUNING.aligned_at_once * len(self._pairs)), TUNING.fewest_words))
        elif self._words < most:
            return
        batches = list(_batches(self._small, most))
        self._small = [] if last or not batches else batches.pop()
        self._words = sum(piece.words for piece in self._small)
        for batch in batches:
            self._lanes.begin(
                ALIGN,
                lambda number, batch=batch: align_directly(self._pairs[number], batch),  # type: ignore[misc]
                lambda runs, batch=batch: self._aligned(batch, runs),  # type: ignore[misc]
            )

    def _aligned(self, batch: Sequence[PathPiece], runs: Sequence[Runs | EngineFault]) -> None:
        self._runs.update(zip(batch, runs, strict=True))
        self._aligned_cells += sum(piece.rows * piece.columns for piece in batch)

    def _put_together(self) -> Alignment:
        """Return the alignment, once all of its pieces are aligned."""
        assert self._way, "the path was followed"
        cuts = [_good(self._cuts[stretch.piece]) for stretch in self._way if stretch.piece is not None]
        pieces = itertools.chain.from_iterable(cuts)
        runs = [gap_runs(piece) if piece.is_gap else _good(self._runs[piece]) for piece in pieces]
        ops, lengths = join_runs(runs)
        start, end = self._way[0].start, self._end
        return Alignment(start.row, end.query_end, start.column, end.subject_end, ops, lengths, end.score)


def _spread(forward: Forward, start: PathPoint, most: int) -> list[int]:
    """Return numbers of borders, ascending, from which to follow paths in addition to the one from the end."""
    count = sum(saved.row < start.row for saved in forward.saved)
    parts = min(most, count // TUNING.fewest_steps)
    return [count * part // parts for part in range(1, parts)]


def _caught(work: Generator[Any, None, _T]) -> Generator[Any, None, _T | EngineFault]:
    """Do work that may prove needless: a fault of it counts only if the result is needed."""
    try:
        return (yield from work)
    except EngineFault as fault:
        return fault


def _good(result: _T | EngineFault | None) -> _T:
    """Return the result; raises the fault if there was one."""
    assert result is not None, "all that is needed has ended"
    if isinstance(result, EngineFault):
        raise result
    return result


def _batches(pieces: list[PathPiece], most: int) -> Iterator[list[PathPiece]]:
    """Yield as many pieces at a time as have directions in so many words."""
    batch: list[PathPiece] = []
    words = 0
    for piece in pieces:
        if batch and words + piece.words > most:
            yield batch
            batch, words = [], 0
        batch.append(piece)
        words += piece.words
    if batch:
        yield batch
