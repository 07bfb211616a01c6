"""Two releases of a database side by side: whose sequences are the same, by content and by name."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase

_LOOKED = 4096  # subjects hashed between two looks at Stop
UNKNOWN = -1


def content_hashes(database: EncodedDatabase, check: Check = lambda: None) -> NDArray[np.uint64]:
    """Return the hash (BLAKE2b, 128 bits) of the residues of each subject in source order, shape (N, 2)."""
    made = np.empty((len(database), 2), dtype=np.uint64)
    for piece in database.pieces:
        opened = piece.open()
        made[piece.first + np.asarray(opened.order)] = _hashes(
            (opened.symbols(slice(*edges)) for edges in pairwise(opened.offsets.tolist())), check
        )
    return made


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
        Source indices of the older subjects whose residues are at hand, ascending; all of them if not given.
    """

    def __init__(
        self,
        older: EncodedDatabase,
        newer: EncodedDatabase,
        known: NDArray[np.int64] | None = None,
        check: Check = lambda: None,
    ) -> None:
        self.older, self.newer = older, newer
        rows = np.arange(len(older)) if known is None else known
        before = content_hashes(older, check) if known is None else _hashes(map(older.subject, rows.tolist()), check)
        groups = _groups(np.concatenate([before, content_hashes(newer, check)]))
        self._older = np.full(len(older), UNKNOWN, dtype=np.int64)
        self._older[rows] = groups[: len(rows)]
        self._newer = groups[len(rows) :]
        self._orders = tuple(np.argsort(groups, kind="stable") for groups in (self._older, self._newer))

    @property
    def source(self) -> NDArray[np.int64]:
        """Source index of an older subject with the residues of each newer one; -1 if there is none, shape (N,)."""
        order, groups = self._orders[0], self._older
        if not len(order):
            return np.full(len(self._newer), UNKNOWN, dtype=np.int64)
        place = np.minimum(np.searchsorted(groups, self._newer, sorter=order), len(order) - 1)
        return np.where(groups[order[place]] == self._newer, order[place], UNKNOWN)

    @property
    def staying(self) -> int:
        """How many older subjects have their residues in the newer database, too."""
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
        return bool(self._older[older] == self._newer[newer])


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
    for index, name in enumerate(database.ids):
        if name in wanted:
            found.setdefault(name, []).append(index)
    return found
