"""Organisms of a search, and the whole that a database is a part of; `chosen` finds them among its organisms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from swgui.core.words import count


class OrganismLimit(msgspec.Struct, frozen=True):
    """Organisms to search."""

    # Names or taxids; every organism if empty. An entry may be several, with commas between them.
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.only or self.without)

    def describe(self) -> str:
        """Return the organisms in words: ``Homo sapiens, Mus musculus``, ``all but Bacteria``."""
        only, without = ", ".join(self.only), ", ".join(self.without)
        if only and without:
            return f"{only} without {without}"
        return only or (f"all but {without}" if without else "")


EVERY_ORGANISM: Final = OrganismLimit()


class DatabasePart(msgspec.Struct, frozen=True):
    """The whole of which a database is a part: its name, content and size, and the organisms in the part."""

    name: str
    checksum: str
    sequences: int
    limit: OrganismLimit

    def describe(self, subjects: int, effective_residues: int) -> str:
        """Return a sentence on the searched part of that database, and the size that E refers to.

        Parameters
        ----------
        subjects : int
            Subjects of the part.
        effective_residues : int
            Size of the database E refers to; 0 for that of the part.
        """
        refers = f"a database size of {effective_residues:,}" if effective_residues else "these alone"
        of = count(self.sequences, "subject")
        return f"{subjects:,} of {of} were searched (organism: {self.limit.describe()}). E refers to {refers}."


def limit_of(only: Iterable[str], without: Iterable[str]) -> OrganismLimit:
    """Return the limit of texts as a user types them; empty ones say nothing."""
    return OrganismLimit(entries(only), entries(without))


def entries(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the entries of a limit as a user types them; empty ones say nothing."""
    return tuple(part for text in texts if (part := " ".join(text.split())))
