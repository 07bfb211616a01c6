"""A packed file rewritten from a newer release: blocks begin where those of the older file began.

Subjects come in the order of the newer release. Before one that is called like the first of an older block the block
that is written ends, so that blocks between which nothing changed are the same, bit by bit but for their place in the
file; to pack them again takes half as long as to read and compare the older ones. Other sequences are compared by
identifiers and content.

A block ends early only if it is at least half full, and may be larger by an eighth, or one more sequence would move the
ends of all behind it.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import DatabaseError
from swgui.core.organisms.subjects import SubjectOrganisms
from swgui.core.plain import replace
from swgui.io.database.changes import Changes, Prints, content_hashes
from swgui.io.database.facts import HeaderFacts, ReleaseFacts
from swgui.io.database.file import open_database
from swgui.io.database.packed.database import PackedDatabase
from swgui.io.database.packed.layout import Content, placed_at
from swgui.io.database.packed.writer import PackedWriter, Subjects
from swgui.io.sequences.ledger import hash_texts

RELEASES_STORED: Final = 200  # the newest
_SLACK: Final = 8  # a block may be larger by one in so many


@dataclass(slots=True, eq=False)
class Older:
    """The content of a packed file before an update, and the changes to it."""

    database: PackedDatabase
    release: str = ""  # name of the newer one
    changes: Changes | None = None  # None if the older file is damaged
    blocks: int = 0
    kept: int = 0  # blocks that are the same


def older_of(path: str | os.PathLike[str], release: str = "") -> Older | None:
    """Return the content of a file before an update to a release; None unless it is packed and can be read."""
    try:
        database = open_database(path, in_blocks=True)
    except DatabaseError:  # then it is made as a new one
        return None
    return Older(database, release) if isinstance(database, PackedDatabase) else None


def packed_writer(file: IO[bytes], older: Older | None) -> PackedWriter:
    """Return the writer of a packed file that reuses the blocks of an older one."""
    return KeepingWriter(file, older) if older is not None else PackedWriter(file)


class KeepingWriter(PackedWriter):
    """Writes a packed file whose blocks begin where those of an older one did.

    Parameters
    ----------
    older : Older
        Receives the changes when the file is finished.
    """

    def __init__(self, file: IO[bytes], older: Older, **limits: int) -> None:
        super().__init__(file, **limits)
        self._older, self._file = older, older.database.blocks.file
        self._half = self._limits[0] / 2, self._limits[1] / 2
        self._limits = self._limits[0] + self._limits[0] // _SLACK, self._limits[1] + self._limits[1] // _SLACK
        self._firsts = self._first_ids()
        self._first_hashes = np.array(list(self._firsts), np.int64)
        self._begun: int | None = None  # the older block as which the one that is written began
        self._kept: set[int] = set()  # blocks of which nothing changed
        self._ids: list[NDArray[np.int64]] = []  # hashes of what is in no block yet
        self._prints: list[Prints] = []  # of those in blocks that are not the same
        self._rows: list[NDArray[np.int64]] = []

    def _first_ids(self) -> dict[int, int]:
        """Return the number of each block by the hash of the identifier of its first subject."""
        ids, found = self._older.database.ids, dict[int, int]()
        for number, first in enumerate(self._file.firsts[:-1].tolist()):
            try:
                found.setdefault(int(_hashes(ids.raw(first), np.array([len(ids.raw(first))]))[0]), number)
            except DatabaseError:
                continue
        return found

    def add(self, subjects: Subjects) -> None:
        """Take subjects; all of them have letters, or none."""
        done, hashes = 0, _hashes(*subjects.texts[0])
        self._ids.append(hashes)
        for row in np.flatnonzero(np.isin(hashes, self._first_hashes)).tolist():
            if row > done:
                super().add(subjects.cut(done, row))
                done = row
            if self._codes.held >= self._half[0] or self._in_block >= self._half[1]:
                self.end_block()
            if not self._in_block:
                self._begun = self._firsts[int(hashes[row])]
        super().add(subjects.cut(done, len(subjects.lengths)) if done else subjects)

    def _put(self, content: Content, parts: list[Any], names: tuple[int, int, bytes]) -> None:
        super()._put(content, parts, names)
        number, self._begun = self._begun, None
        ids, count = np.concatenate(self._ids), len(content.lengths)
        own, self._ids = ids[:count], [ids[count:]]
        same = number is not None and self._is_same(number, parts, count)
        self._older.kept += same
        if number is not None and same and names[2] == self._file.directory["names_digest"][number].tobytes():
            self._kept.add(number)
            return
        self._prints.append(Prints(own, content_hashes(content.codes, _edges(content.lengths), content.letters)))
        self._rows.append(content.first + np.arange(count))

    def _is_same(self, number: int, parts: list[Any], sequences: int) -> bool:
        """Whether a block has the checksum of an older one where it stands in the place of that."""
        entry = self._file.directory[number]
        if int(entry["sequences"]) != sequences:
            return False
        digest = hashlib.blake2b(placed_at(parts[0], number, int(entry["first"])), digest_size=16)
        for part in parts[1:]:
            digest.update(part)
        return bool(digest.digest() == entry["digest"].tobytes())

    def finish(
        self, facts: HeaderFacts, organisms: SubjectOrganisms | None = None, letters_file: str = "", **more: Any
    ) -> None:
        """Write the rest and the changes; the file is complete afterwards."""
        if self._in_block:
            self.end_block()
        older, before = self._older, self._file.header.facts
        older.blocks, older.changes = len(self._file), self._changes()
        said = ReleaseFacts(older.release, facts.made, self.sequences, self.residues, older.blocks, older.kept)
        if (found := older.changes) is not None:
            said = replace(said, came=len(found.came), went=len(found.went), changed=len(found.changed))
        releases = before.releases or (ReleaseFacts("", before.made, before.sequences, before.residues),)
        facts = replace(facts, releases=(*releases, said)[-RELEASES_STORED:])
        super().finish(facts, organisms, letters_file, **more)

    def _changes(self) -> Changes | None:
        """Compare what is not in blocks that are the same; None if the older file is damaged there."""
        rest = [piece for number, piece in enumerate(self._older.database.pieces) if number not in self._kept]
        try:
            before = Prints.together([Prints.of(piece.open()) for piece in rest])
        except DatabaseError:
            return None
        none = np.zeros(0, np.int64)
        rows = np.concatenate([none, *(np.arange(piece.first, piece.stop) for piece in rest)])
        return Changes.of(before, Prints.together(self._prints), rows, np.concatenate([none, *self._rows]))


def _hashes(texts: bytes | memoryview, lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    return hash_texts(np.frombuffer(texts, np.uint8), _edges(lengths))


def _edges(lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return where texts or sequences of these lengths begin, and the end."""
    made = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=made[1:])
    return made
