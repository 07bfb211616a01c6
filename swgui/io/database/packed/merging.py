"""Identical sequences of a packed file merged: the first stays, the names of the others stand in its description."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import DatabaseError, InvalidParameter
from swgui.core.plain import replace
from swgui.core.texts import TextColumn
from swgui.io.database.changes import content_hashes
from swgui.io.database.file import header_facts, open_database
from swgui.io.database.packed.build import subjects_of
from swgui.io.database.packed.keeping import Older, packed_writer
from swgui.io.database.packed.writer import Subjects
from swgui.io.imported.deflines import JOINED
from swgui.io.whole_file import whole_file

_COMPARED: Final = 1 << 24  # residues compared at a time, about


def merge_identical(
    path: str | os.PathLike[str], out: str | os.PathLike[str] | None = None, older: Older | None = None
) -> int:
    """Rewrite a packed file with identical sequences merged: in place, or to another file.

    Returns how many were merged with an earlier one.

    Sequences with letters must have the same letters. About 40 bytes of memory a sequence are used.

    Parameters
    ----------
    older : Older, optional
        A file whose blocks are reused where they are the same.

    Raises
    ------
    InvalidParameter
        If the file holds coordinates, which are those of one structure.
    DatabaseError
        If it cannot be read or written.
    """
    database, facts = open_database(path, in_blocks=True), header_facts(path)
    if database.places is not None:
        message = "Identical sequences of structures are not merged: each has coordinates of its own."
        raise InvalidParameter("merge_identical", str(path), message, hint="Leave out --merge-identical.")
    same = _same_as(database)
    merged = int((same != np.arange(len(same))).sum())
    if facts.packed is None or not (merged or out):
        return 0
    with whole_file(out or path, DatabaseError) as file:
        writer = packed_writer(file, older)
        writer.alphabet, writer.track = database.alphabet, database.track.alphabet if database.track else None
        for subjects in _kept(database, same):
            writer.add(subjects)
        source = facts.track.source if facts.track else ""
        writer.finish(facts, database.stored_organisms, source, merged=facts.packed.merged + merged)
    return merged


def _same_as(database: EncodedDatabase) -> NDArray[np.int64]:
    """Return the first subject that each is identical with, shape (N,): itself, where there is none before it."""
    hashes = np.empty(len(database), np.int64)
    for piece in database.pieces:
        part = piece.open()
        letters = part.track.codes if part.track is not None else None
        hashes[piece.first + part.order] = content_hashes(part.codes, part.offsets, letters)
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    new = np.ones(len(order), bool)  # the first of those with its hash
    new[1:] = hashes[1:] != hashes[:-1]
    firsts = order[np.flatnonzero(new)]
    same = np.arange(len(order))
    same[order] = firsts[np.cumsum(new) - 1]
    rows = np.flatnonzero(same != np.arange(len(same)))
    differ = rows[~_are_equal(database, rows, same[rows])]  # a hash that two share
    same[differ] = differ
    return same


def _are_equal(database: EncodedDatabase, rows: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Compare subjects with others, one by one, shape (k,)."""
    symbols = database.in_two_tracks()
    lengths = database.lengths[rows].astype(np.int64)
    equal = np.asarray(lengths == database.lengths[others], np.bool_)
    ends = np.cumsum(lengths)
    first = 0
    while first < len(rows):
        before = int(ends[first - 1]) if first else 0
        stop = max(first + 1, int(np.searchsorted(ends, before + _COMPARED, side="right")))
        mine, theirs = (symbols.placed(some[first:stop]) for some in (rows, others))
        pairs = zip(mine[1].tolist(), theirs[1].tolist(), mine[2].tolist(), strict=True)
        for row, (left, right, length) in enumerate(pairs, start=first):
            equal[row] &= np.array_equal(mine[0][left : left + length], theirs[0][right : right + length])
        first = stop
    return equal


@dataclass(frozen=True, slots=True, eq=False)
class _Merged:
    """Which subjects are merged with which, by source index, shape (k,) each."""

    firsts: NDArray[np.int64]  # ascending; each as often as there are others of it
    others: NDArray[np.int64]

    @classmethod
    def of(cls, same: NDArray[np.int64]) -> _Merged:
        others = np.flatnonzero(same != np.arange(len(same)))
        order = np.argsort(same[others], kind="stable")
        return cls(same[others][order], others[order])


def _kept(database: EncodedDatabase, same: NDArray[np.int64]) -> Iterator[Subjects]:
    """Yield the subjects that stay, with the names of others in their descriptions."""
    merged = _Merged.of(same)
    for piece in database.pieces:
        part = piece.open()
        kept = same[piece.first : piece.stop] == np.arange(piece.first, piece.stop)
        some = slice(*np.searchsorted(merged.firsts, (piece.first, piece.stop)))
        rows, others = merged.firsts[some] - piece.first, merged.others[some]
        names = [
            JOINED + name + (b" " if title else b"") + title
            for name, title in zip(_raw(database.ids, others), _raw(database.descriptions, others), strict=True)
        ]
        own = part.descriptions.take(np.arange(len(part)))
        yield from subjects_of(replace(part, descriptions=_longer(own, rows, names)), np.flatnonzero(kept))


def _raw(column: TextColumn, rows: NDArray[np.int64]) -> list[bytes]:
    taken = column.take(rows)
    data, edges = taken.data.tobytes(), taken.offsets.tolist()
    return [data[start:stop] for start, stop in pairwise(edges)]


def _longer(column: TextColumn, rows: NDArray[np.int64], more: list[bytes]) -> TextColumn:
    """Return texts with others behind some of them; `rows` are in order, one may come several times."""
    data, pieces, done = column.data.tobytes(), [], 0
    for end, text in zip(column.offsets[rows + 1].tolist(), more, strict=True):
        pieces += [data[done:end], text]
        done = end
    added = np.zeros(len(column), np.int64)
    np.add.at(added, rows, np.array([len(text) for text in more], np.int64))
    offsets = column.offsets + np.concatenate([[0], np.cumsum(added)])
    return TextColumn(np.frombuffer(b"".join([*pieces, data[done:]]), np.uint8), offsets)
