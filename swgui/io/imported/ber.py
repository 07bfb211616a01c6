"""ASN.1 in basic encoding rules, of many entries at once: a walk over each, one step of all of them at a time.

An entry is a tree of tags; lengths of what holds others may be definite or indefinite. The walk gives each primitive
value with its *path*: the tags above it, a byte for each, the innermost last (beyond eight the outermost are lost).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

DEEPEST: Final = 16
_CONSTRUCTED: Final = 0x20
_INDEFINITE: Final = 0x80


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Primitive values, those of an entry in their order behind each other."""

    entries: NDArray[np.int64]  # of which entry each is
    paths: NDArray[np.uint64]
    starts: NDArray[np.int64]  # where its bytes begin
    sizes: NDArray[np.int64]
    # How many levels of the second depth, and of the fifth, were begun in its entry so far: lists within a list.
    elements: NDArray[np.int64]
    members: NDArray[np.int64]

    def integers(self, chosen: NDArray[np.int64], data: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return some values as whole numbers; of those beyond 64 bits the low ones."""
        starts, sizes = self.starts[chosen], self.sizes[chosen]
        numbers = np.where(data[starts.clip(max=len(data) - 1)] & 0x80 != 0, -1, 0) * (sizes > 0)
        for offset in range(int(min(sizes.max(initial=0), 16))):
            within = offset < sizes
            numbers[within] = (numbers[within] << 8) | data[starts[within] + offset]
        return numbers


class Damaged(ValueError):
    """Entries that are not as they should be; `entry` is the first of them."""

    def __init__(self, entry: int) -> None:
        super().__init__(entry)
        self.entry = entry


def walk(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], *, inside: bool = False
) -> Values:
    """Return the primitive values of entries, each of which is one list.

    Parameters
    ----------
    data : ndarray, dtype=uint8
    starts, ends : ndarrays, shape=(n,)
        Of the entries, ascending and within `data`.
    inside : bool
        Whether they are complete elements, as such lists have them.

    Raises
    ------
    Damaged
        If a length leads out of what holds it, the levels do not close, or are more than `DEEPEST`.
    """
    return _Walk(data, starts, ends, int(inside)).values()


class _Walk:
    """All entries that are not at their end, each with its place and the levels that are open."""

    def __init__(self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], depth: int) -> None:
        self._first = depth
        self._data = np.concatenate([data, np.zeros(8, np.uint8)])  # so that no look at a header leads outside
        count = len(starts)
        self._entry = np.arange(count)
        self._at, self._end = starts.astype(np.int64), ends.astype(np.int64)
        self._depth = np.full(count, depth)
        self._paths = np.zeros((DEEPEST + 1, count), dtype=np.uint64)
        self._ends = np.zeros((DEEPEST + 1, count), dtype=np.int64)
        self._ends[: depth + 1] = self._end
        self._definite = False  # whether an end was known anywhere
        self._open = np.full(count, 2 * depth)  # a bit for each depth: whether its end is not known
        self._elements, self._members = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self._found: list[tuple[NDArray[np.int64], ...]] = []

    def values(self) -> Values:
        self._drop_finished()
        while len(self._at):
            self._step()
            self._drop_finished()
        if not self._found:
            none = np.zeros(0, dtype=np.int64)
            return Values(none, none.astype(np.uint64), none, none, none, none)
        entries, paths, starts, sizes, elements, members = (
            np.concatenate(parts) for parts in zip(*self._found, strict=True)
        )
        order = np.argsort(entries, kind="stable")
        return Values(
            entries[order], paths[order].view(np.uint64), starts[order], sizes[order], elements[order], members[order]
        )

    def _drop_finished(self) -> None:
        """Close levels of known length that are at their end, and forget entries that are."""
        while self._definite and (~self._open & ((2 << self._depth) - 2)).any():
            level_end = self._ends[self._depth, np.arange(len(self._at))]
            full = (self._depth > 0) & (level_end == self._at) & (self._open >> self._depth & 1 == 0)
            if not full.any():
                break
            self._depth -= full
        going = self._at < self._end
        if going.all():
            return
        if (unclosed := ~going & (self._depth > self._first)).any():
            raise Damaged(int(self._entry[np.argmax(unclosed)]))
        for name in ("_entry", "_at", "_end", "_depth", "_paths", "_ends", "_open", "_elements", "_members"):
            setattr(self, name, getattr(self, name)[..., going])

    def _step(self) -> None:
        """Read one tag of every entry."""
        data, at = self._data, self._at
        tags, first = data[at], data[at + 1]
        if self._step_alike(tags, first):
            return
        sizes, headers = first.astype(np.int64), np.full(len(at), 2, dtype=np.int64)
        indefinite = first == _INDEFINITE
        if (long := first > _INDEFINITE).any():
            self._long_sizes(long, sizes, headers)
        closing = (tags == 0) & (first == 0)
        constructed = (tags & _CONSTRUCTED != 0) & ~closing
        rows = np.arange(len(at))
        limits = self._ends[self._depth, rows]
        sizes[indefinite] = 0
        behind = at + headers + sizes
        wrong = (behind > limits) | (indefinite & ~constructed) | (tags & 0x1F == 0x1F)
        wrong |= closing & ((self._depth == self._first) | (self._open >> self._depth & 1 == 0))
        wrong |= constructed & (self._depth >= DEEPEST)
        if wrong.any():
            raise Damaged(int(self._entry[np.argmax(wrong)]))
        primitive = ~constructed & ~closing
        if primitive.any():
            path = self._paths[self._depth, rows]
            self._found.append(
                (self._entry[primitive], path[primitive].view(np.int64), (at + headers)[primitive], sizes[primitive],
                 self._elements[primitive], self._members[primitive])
            )  # fmt: skip
        self._enter(np.flatnonzero(constructed), tags, np.where(indefinite, limits, behind), indefinite)
        self._depth -= closing
        self._at = np.where(constructed, at + headers, behind)

    def _step_alike(self, tags: NDArray[np.uint8], first: NDArray[np.uint8]) -> bool:
        """Read a tag of every entry if all go into, or all out of, something of unknown length at one depth.

        Most steps are of this kind, as most entries have the same fields. Whatever is in doubt is left alone.
        """
        depth = int(self._depth[0])
        closing = first[0] == 0
        if first[0] not in (0, _INDEFINITE) or (first != first[0]).any() or (self._depth != depth).any():
            return False
        if (self._at + 2 > self._ends[depth]).any():
            return False
        if closing:
            if tags.any() or depth == self._first or not (self._open >> depth & 1).all():
                return False
            self._depth -= 1
        else:
            if depth >= DEEPEST or (tags & _CONSTRUCTED == 0).any() or (tags & 0x1F == 0x1F).any():
                return False
            self._depth += 1
            self._paths[depth + 1] = self._paths[depth] << np.uint64(8) | tags if depth > 1 else 0
            self._ends[depth + 1] = self._ends[depth]
            self._open |= 2 << depth
            self._elements += depth == 1
            self._members += depth == 4
        self._at = self._at + 2
        return True

    def _enter(
        self,
        rows: NDArray[np.int64],
        tags: NDArray[np.uint8],
        ends: NDArray[np.int64],
        indefinite: NDArray[np.bool_],
    ) -> None:
        """Go into what holds others: `ends` is where it ends at the latest."""
        depth = self._depth[rows] + 1
        self._depth[rows] = depth
        above = self._paths[depth - 1, rows]
        # The list itself and its elements are not part of a path: it begins within an element.
        self._paths[depth, rows] = np.where(depth > 2, above << np.uint64(8) | tags[rows], 0)
        self._ends[depth, rows] = ends[rows]
        self._definite |= not indefinite[rows].all()
        self._open[rows] = self._open[rows] & ~(1 << depth) | indefinite[rows].astype(np.int64) << depth
        self._elements[rows] += depth == 2
        self._members[rows] += depth == 5

    def _long_sizes(self, long: NDArray[np.bool_], sizes: NDArray[np.int64], headers: NDArray[np.int64]) -> None:
        """Read lengths of more than one byte."""
        rows = np.flatnonzero(long)
        count = sizes[rows] - _INDEFINITE
        if (beyond := count > 4).any():
            raise Damaged(int(self._entry[rows[np.argmax(beyond)]]))
        value = np.zeros(len(rows), dtype=np.int64)
        for offset in range(int(count.max())):
            within = offset < count
            value[within] = value[within] << 8 | self._data[self._at[rows[within]] + 2 + offset]
        sizes[rows] = value
        headers[rows] += count
