"""Differences between two releases of a database, by identifiers and residues: added, removed, changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import ArrayDatabase, EncodedDatabase
from swgui.core.texts import TextColumn
from swgui.io.sequences.ledger import hash_texts

_TURN: Final = 0x5851F42D4C957F2D  # so that residues and letters do not hash alike
KINDS: Final = ("added", "removed", "changed")


def content_hashes(
    codes: NDArray[np.uint8], offsets: NDArray[np.int64], letters: NDArray[np.uint8] | None = None
) -> NDArray[np.int64]:
    """Return a 64-bit hash of the residues, and letters, of each of some sequences, shape (n,)."""
    found = hash_texts(codes, offsets)
    return found if letters is None else found ^ hash_texts(letters, offsets) * np.int64(_TURN)


@dataclass(frozen=True, slots=True, eq=False)
class Prints:
    """Hashes of 64 bits of the identifier and of the content of each of some sequences."""

    ids: NDArray[np.int64]
    contents: NDArray[np.int64]

    @classmethod
    def of(cls, part: ArrayDatabase) -> Prints:
        """Return the hashes of sequences in memory, in source order."""
        contents = np.empty(len(part), np.int64)
        contents[part.order] = content_hashes(part.codes, part.offsets, part.track.codes if part.track else None)
        return cls(hash_texts(part.ids.data, part.ids.offsets), contents)

    @classmethod
    def together(cls, some: Sequence[Prints]) -> Prints:
        """Return the hashes of several parts, one part after the other."""
        none = np.zeros(0, np.int64)
        ids, contents = [one.ids for one in some], [one.contents for one in some]
        return cls(np.concatenate([none, *ids]), np.concatenate([none, *contents]))

    @property
    def pairs(self) -> NDArray[np.int64]:
        """A hash of identifier and content together."""
        return self.ids * np.int64(_TURN) ^ self.contents


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """Source indices, ascending, of sequences whose identifier is new or gone, or has another content now."""

    came: NDArray[np.int64]  # of the newer release
    went: NDArray[np.int64]  # of the older one
    changed: NDArray[np.int64]  # of the newer one

    @classmethod
    def of(cls, older: Prints, newer: Prints, older_rows: NDArray[np.int64], newer_rows: NDArray[np.int64]) -> Changes:
        """Compare sequences; `older_rows` and `newer_rows` are their source indices."""
        known = np.isin(newer.ids, older.ids)
        return cls(
            newer_rows[~known],
            older_rows[~np.isin(older.ids, newer.ids)],
            newer_rows[known & ~np.isin(newer.pairs, older.pairs)],
        )

    @classmethod
    def between(cls, older: EncodedDatabase, newer: EncodedDatabase) -> Changes:
        """Compare two databases in memory."""
        return cls.of(
            Prints.of(older.arrays()), Prints.of(newer.arrays()), np.arange(len(older)), np.arange(len(newer))
        )

    @property
    def counts(self) -> dict[str, int]:
        """Number of changes by kind, of `KINDS`."""
        return {"added": len(self.came), "removed": len(self.went), "changed": len(self.changed)}

    @property
    def in_words(self) -> str:
        """Number of changes by kind, as users read it."""
        return ", ".join(f"{number:,} {kind}" for kind, number in self.counts.items())

    def named(self, older: TextColumn, newer: TextColumn) -> Iterator[tuple[str, str]]:
        """Yield the kind of each change and its identifier, in the order of `KINDS`."""
        for kind, rows, ids in zip(KINDS, (self.came, self.went, self.changed), (newer, older, newer), strict=True):
            for row in rows.tolist():
                yield kind, ids[row]
