"""Two releases of a database side by side: whose sequences are the same, by content and by name."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check, run_interruptible
from swgui.core.database import EncodedDatabase, TextColumn

_LOOKED = 4096  # subjects hashed between two looks at Stop
_FEW = 200  # less than one subject in so many of a piece are read one by one, more with the whole piece
UNKNOWN = -1


Stretch = tuple[int, int, int]  # first older subject, first newer one, how many of each: alike one by one


def content_hashes(
    database: EncodedDatabase, check: Check = lambda: None, skipped: NDArray[np.bool_] | None = None
) -> NDArray[np.uint64]:
    """Return the hash (BLAKE2b, 128 bits) of the residues of each subject in source order, shape (N, 2).

    Parameters
    ----------
    skipped : ndarray, shape=(N,), dtype=bool, optional
        Subjects that are not looked at: their hash is 0, and a piece that has no others is not read.
    """
    made = np.zeros((len(database), 2), dtype=np.uint64)
    for rows, hashes in _hashed(database, np.ones(len(database), bool) if skipped is None else ~skipped, check):
        made[rows] = hashes
    return made


def _hashed(
    database: EncodedDatabase, wanted: NDArray[np.bool_], check: Check
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
    """Yield the subjects of each piece that are wanted, by source index, and their hashes; few are read one by one."""
    for piece in database.pieces:
        rows = piece.first + np.flatnonzero(wanted[piece.first : piece.stop])
        if not len(rows):
            continue
        if len(rows) * _FEW < piece.sequences:
            codes, starts, lengths = database.placed(rows)
            edges = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
            yield rows, _hashes((codes[start:stop] for start, stop in edges), check)
        else:
            opened = run_interruptible(piece.open, check)
            offsets, stored = np.asarray(opened.offsets), np.asarray(opened.position)[rows - piece.first]
            edges = zip(offsets[stored].tolist(), offsets[stored + 1].tolist(), strict=True)
            yield rows, _hashes((opened.symbols(slice(*edge)) for edge in edges), check)


def _hashes(sequences: Iterable[NDArray[Any]], check: Check) -> NDArray[np.uint64]:
    made = bytearray()
    for number, codes in enumerate(sequences):
        if number % _LOOKED == 0:
            check()
        made += hashlib.blake2b(np.ascontiguousarray(codes).data, digest_size=16).digest()
    return np.frombuffer(bytes(made), dtype="<u8").astype(np.uint64).reshape(-1, 2)


class Releases:
    """An older and a newer database.

    Parameters
    ----------
    older, newer : EncodedDatabase
        As they are searched.
    known : ndarray, shape=(k,), dtype=int64, optional
        Source indices of the older subjects whose residues are available, ascending; all of them by default.
    alike : sequence of Stretch
        Subjects whose residues and identifiers are the same, one by one: they are not read. `complete` looks up whether
        a subject among them has the residues of one that is not.
    hashes : ndarray, shape=(N, 2), dtype=uint64, optional
        Of all older subjects, as `content_hashes` gave them when their residues were available: none is read then.
    """

    def __init__(
        self,
        older: EncodedDatabase,
        newer: EncodedDatabase,
        known: NDArray[np.int64] | None = None,
        check: Check = lambda: None,
        alike: Sequence[Stretch] = (),
        hashes: NDArray[np.uint64] | None = None,
    ) -> None:
        self.older, self.newer, self._alike, self._check = older, newer, alike, check
        rest = np.ones(len(older), bool), np.ones(len(newer), bool)  # that are not in stretches that are alike
        for first, at, count in alike:
            rest[0][first : first + count] = rest[1][at : at + count] = False
        rows = np.flatnonzero(rest[0]) if known is None or hashes is not None else known
        if hashes is not None:
            self._hashes = hashes[rows]
        elif known is None:
            self._hashes = content_hashes(older, check, ~rest[0])[rows]
        else:
            self._hashes = _hashes(map(older.subject, rows.tolist()), check)
        groups = _groups(np.concatenate([self._hashes, content_hashes(newer, check, ~rest[1])[rest[1]]]))
        self._rows = rows  # of `_hashes`
        self._older = np.full(len(older), UNKNOWN, dtype=np.int64)
        self._newer = np.full(len(newer), UNKNOWN, dtype=np.int64)
        self._older[rows], self._newer[rest[1]] = groups[: len(rows)], groups[len(rows) :]
        number = int(groups.max(initial=UNKNOWN)) + 1
        for first, at, count in alike:
            self._older[first : first + count] = self._newer[at : at + count] = np.arange(number, number + count)
            number += count
        self._in_order()

    def _in_order(self) -> None:
        self._orders = tuple(np.argsort(groups, kind="stable") for groups in (self._older, self._newer))

    def complete(self, rows: Collection[int]) -> None:
        """Find subjects with the residues of some older ones among the equal ones, and among all that changed.

        Only then are `staying`, and `newer_like` and `older_like` of these, complete.
        """
        chosen = np.unique(np.array([*self._rows[~np.isin(self._older[self._rows], self._newer)], *rows], np.int64))
        if not self._alike or not len(chosen):
            return
        compared = np.isin(chosen, self._rows)
        hashes = np.empty((len(chosen), 2), np.uint64)
        hashes[compared] = self._hashes[np.searchsorted(self._rows, chosen[compared])]
        hashes[~compared] = _hashes(map(self.older.subject, chosen[~compared].tolist()), self._check)
        order = np.argsort(compared, kind="stable")  # those that were compared count: others have their group, too
        pairs = zip(hashes[order], self._older[chosen[order]].tolist(), strict=True)
        wanted = {digest.tobytes(): group for digest, group in pairs}
        lengths = np.unique(self.older.lengths_of(chosen))
        partners = np.full(len(self.newer), UNKNOWN)  # of those that are alike and as long as one of them
        for first, at, count in self._alike:
            fitting = np.flatnonzero(np.isin(self.newer.lengths_of(np.arange(at, at + count)), lengths))
            partners[at + fitting] = first + fitting
        words = np.unique(hashes[:, 0])
        for rows, found in _hashed(self.newer, partners != UNKNOWN, self._check):
            for place in np.flatnonzero(np.isin(found[:, 0], words)).tolist():
                if (group := wanted.get(found[place].tobytes())) is not None:
                    row = rows[place]
                    self._older[partners[row]] = self._newer[row] = group
        self._in_order()

    @property
    def source(self) -> NDArray[np.int64]:
        """Source index of an older subject with the residues of each newer one; -1 if there is none, shape (N,).

        One that is not alike is not compared with those that are.
        """
        order, groups = self._orders[0], self._older
        if not len(order):
            return np.full(len(self._newer), UNKNOWN, dtype=np.int64)
        place = np.minimum(np.searchsorted(groups, self._newer, sorter=order), len(order) - 1)
        return np.where(groups[order[place]] == self._newer, order[place], UNKNOWN)

    @property
    def staying(self) -> int:
        """Number of older subjects whose residues are in the newer database, too."""
        return int(np.isin(self._older, self._newer).sum())

    def newer_like(self, older: int) -> list[int]:
        """Return the newer subjects with the residues of an older one; none where those are not known."""
        return _members(self._newer, self._orders[1], int(self._older[older]))

    def older_like(self, newer: int) -> list[int]:
        """Return the older subjects that are known to have the residues of a newer one."""
        return _members(self._older, self._orders[0], int(self._newer[newer]))

    def is_known(self, older: int) -> bool:
        """Whether the residues of an older subject are known."""
        return bool(self._older[older] != UNKNOWN)

    def are_same(self, older: int, newer: int) -> bool:
        """Whether two subjects are known to have the same residues."""
        if not self._alike or self._older[older] == self._newer[newer]:
            return bool(self._older[older] == self._newer[newer])
        lengths = (int(some.lengths_of(np.array([row]))[0]) for some, row in ((self.older, older), (self.newer, newer)))
        return len(set(lengths)) == 1 and np.array_equal(self.older.subject(older), self.newer.subject(newer))


def _groups(hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return a number for each hash, shape (n, 2), the same for equal ones, from 0, shape (n,)."""
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))
    ascending = hashes[order]
    new = np.any(ascending[1:] != ascending[:-1], axis=1)
    numbers = np.empty(len(hashes), dtype=np.int64)
    numbers[order] = np.concatenate([np.zeros(min(len(hashes), 1), np.int64), np.cumsum(new)])
    return numbers


def _members(groups: NDArray[np.int64], order: NDArray[Any], group: int) -> list[int]:
    if group == UNKNOWN:
        return []
    first, last = (int(np.searchsorted(groups, group, side, sorter=order)) for side in ("left", "right"))
    return [int(index) for index in order[first:last]]


def places_of(database: EncodedDatabase, wanted: Collection[str]) -> dict[str, list[int]]:
    """Return the source indices of subjects by their identifiers, of those that are wanted."""
    found: dict[str, list[int]] = {}
    ends = np.unique(_ends(TextColumn.from_texts(wanted)))
    damaged = any("\ufffd" in name for name in wanted)  # stored as other bytes than those of the name
    for first, part in database.ids.parts():
        rows = np.arange(len(part)) if damaged else np.flatnonzero(np.isin(_ends(part), ends))
        for row, name in zip(rows.tolist(), part.decoded(rows), strict=True):
            if name in wanted:
                found.setdefault(name, []).append(first + row)
    return found


def _ends(texts: TextColumn) -> NDArray[np.uint64]:
    """Return the last eight bytes of each text as a number, shape (n,)."""
    padded = np.concatenate([np.zeros(8, np.uint8), texts.data])
    words = np.ndarray(len(texts.data) + 1, dtype="<u8", buffer=padded.data, strides=(1,))
    unused = (8 - np.minimum(np.diff(texts.offsets), 8)).astype(np.uint64) * np.uint64(8)
    return np.where(unused < 64, words[texts.offsets[1:]] >> np.minimum(unused, 63), 0).astype(np.uint64)
