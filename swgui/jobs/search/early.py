"""Hits made whole while other queries are still scored, and all hits in order at the end."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, Generic, Protocol, Self, TypeVar

from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.jobs.search.describe import Describing, Part, describers, lists_together, portions
from swgui.jobs.search.events import Listed
from swgui.jobs.threads import TUNING, Tasks

ROWS_OF_LIST: Final = 20_000  # a longer list is described at the end, where its rows are written as they are made
BYTES_AHEAD: Final = 32 << 20  # of what is made early, from which on the rest is made at the end
HANDED_OVER_SECONDS: Final = 1.2  # the writer's work on hits that are described takes longest in formats of alignments


class Piece(Protocol):
    """Some hits in the form that a caller wants them in, such as a `HitTable`."""

    @property
    def counts(self) -> Sequence[tuple[int, int]]:
        """Number of each query in the run, ascending, and of its hits."""

    @property
    def parts(self) -> Sequence[Self]:
        """The hits of each query."""

    @property
    def nbytes(self) -> int:
        """Size in memory, about."""


P = TypeVar("P", bound=Piece)


class Early(Generic[P]):
    """Describes the hits of queries as soon as their lists are made, on threads; those of the others at the end.

    Nothing begins unless scoring still takes `TUNING.long_scan` seconds when the first lists are made, and nothing more
    once all is scored: Python's lock is then that of the lists.

    Parameters
    ----------
    describing : Describing
        How hits are described; at the end it does the rest.
    ready : bool
        Whether pieces need no more work; those that need some are left out `HANDED_OVER_SECONDS` after Stop.
    room : int
        Bytes of pieces from which on nothing more is made early.
    """

    def __init__(self, describing: Describing[P], *, ready: bool = False, room: int = BYTES_AHEAD) -> None:
        self._describing, self._ready, self._room = describing, ready, room
        self._tasks: Tasks[tuple[int, ...], None] | None = None
        self._result: SearchResult | None = None  # the last one
        self._waiting: list[int] = []  # queries whose hits are in no portion yet
        self._changed = threading.Condition()  # of what follows
        self._begun: set[int] = set()  # queries under way or made
        self._made: dict[int, list[P]] = {}  # by query
        self._bytes = 0
        self._ended = False  # nothing more is begun
        self._unwanted = False  # what is under way is not needed any more
        self._pays: bool | None = None  # known with the first lists

    def __len__(self) -> int:
        """Return the number of queries whose hits are described."""
        return len(self._made)

    def add(self, listed: Listed) -> None:
        """Have the hits of lists described, where that pays."""
        if self._pays is None:
            self._pays = listed.seconds >= TUNING.long_scan
        if not self._pays or not listed.seconds:
            self._ended = True  # also for portions that wait
            return
        result, total = listed.result, len(listed.result.queries)
        self._result = result
        short = [number for number in listed.numbers if len(result.queries[number].hits) <= ROWS_OF_LIST]
        parts = [_part(result, number) for number in (*self._waiting, *short)]
        workers, threads = describers(parts, total)
        if self._tasks is None:
            self._tasks = Tasks(min(workers, TUNING.describers), "swgui-early")
        several = list(portions(parts, workers, total))
        rest = several.pop() if several and len(several[-1]) < lists_together(total, workers) else []
        for portion in several:
            self._tasks.begin(_numbers(portion), partial(self._make, portion, threads))
        self._waiting = list(_numbers(rest))

    def close(self) -> None:
        """Begin nothing more, and wait for what is under way."""
        self._ended = self._unwanted = True
        if self._tasks is not None:
            self._tasks.close()

    def in_order(self, result: SearchResult, parts: Sequence[Part]) -> Iterator[P]:
        """Yield all pieces, in order: what was made early, and the rest as `Describing` makes it.

        Parameters
        ----------
        result : SearchResult
            Of the whole search. Of what was made early nothing counts if a list of it is not in this result.
        parts : sequence of (HitList, sequence of int)
            All rows of all of its lists, by query.
        """
        early = self._taken(result)
        left = deque(sorted(early))
        for piece in self._describing.in_order([part for part in parts if part[0].query_index not in early]):
            while left and left[0] < piece.counts[0][0]:
                yield from self._of(left.popleft(), result)
            for part in piece.parts if left and left[0] < piece.counts[-1][0] else (piece,):
                while left and left[0] < part.counts[0][0]:
                    yield from self._of(left.popleft(), result)
                yield part
        while left:
            yield from self._of(left.popleft(), result)

    def _taken(self, result: SearchResult) -> set[int]:
        """Begin nothing more, and return the queries whose hits are described, or just being described."""
        with self._changed:
            self._ended = True
            if (cancel := self._describing.cancel) is not None and cancel.is_set():
                self._changed.wait_for(lambda: len(self._begun) == len(self._made))
            if not self._is_of(result):
                self._unwanted = True
                self._begun.clear()
            return set(self._begun)

    def _is_of(self, result: SearchResult) -> bool:
        """Whether all lists that were described are those of a result."""
        known = self._result
        if known is None or result.database is not known.database or result.search is not known.search:
            return False
        return all(result.queries[number] is known.queries[number] for number in self._begun)

    def _of(self, number: int, result: SearchResult) -> Iterator[P]:
        """Yield the pieces of a query whose description was begun early."""
        with self._changed:
            self._changed.wait_for(lambda: number in self._made or number not in self._begun)
            made = self._made.pop(number, None)
        if not self._ready and self._describing.stopped_for(HANDED_OVER_SECONDS):
            return
        yield from self._describing.in_order([_part(result, number)]) if made is None else made

    def _check(self) -> None:
        cancel = self._describing.cancel
        if self._unwanted or (cancel is not None and cancel.is_set()):
            raise Stopped

    def _make(self, portion: Sequence[Part], threads: int) -> None:
        """Describe hits, unless it is too late or there is no room; after an error they are described again in turn."""
        numbers = _numbers(portion)
        with self._changed:
            if self._ended or self._bytes >= self._room:
                return
            self._begun.update(numbers)
        made: dict[int, list[P]] = {number: [] for number in numbers}
        try:
            self._check()
            for piece in self._describing.at_once(portion, self._check, threads):
                for part in piece.parts:
                    made[part.counts[0][0]].append(part)
        except Exception:  # raised again where the hits are described in their turn
            with self._changed:
                self._begun.difference_update(numbers)
                self._changed.notify_all()
            return
        with self._changed:
            self._made.update(made)
            self._bytes += sum(part.nbytes for some in made.values() for part in some)
            self._changed.notify_all()


def _part(result: SearchResult, number: int) -> Part:
    return result.hit_list(number), range(len(result.queries[number].hits))


def _numbers(portion: Sequence[Part]) -> tuple[int, ...]:
    return tuple(listed.query_index for listed, _ in portion)
