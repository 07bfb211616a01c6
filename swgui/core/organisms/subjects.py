"""Organism of each subject of a database."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core import words
from swgui.core.headers import parse_header
from swgui.core.organisms.tree import LINEAGE, NOWHERE, Taxonomy
from swgui.core.plain import replace

UNKNOWN: Final = -1
DIGITS: Final = 9  # of a taxid at most
NAMED: Final = (*LINEAGE, "subspecies", "strain", "subfamily", "tribe", "suborder", "subphylum", "kingdom")


class Organism(msgspec.Struct, frozen=True):
    """An organism by name, its number in NCBI's taxonomy (0 if unknown), and the names above it by rank."""

    name: str = ""
    taxid: int = 0
    lineage: dict[str, str] = msgspec.field(default_factory=dict)


def organism_of(record_id: str, description: str) -> Organism:
    """Return the organism that one header names."""
    header = parse_header(record_id, description)
    taxid = int(header.taxid) if header.organism and header.taxid[:DIGITS].isdecimal() else 0
    return Organism(header.organism, taxid)


class SubjectOrganisms(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The organisms of the subjects of a database."""

    # Place in `names` of each subject's organism; `UNKNOWN` where it is not known, shape (N,).
    of: NDArray[np.int32]
    names: Sequence[str]  # different organisms: no two have one taxid
    taxids: NDArray[np.int32]  # of each organism; 0 if unknown, shape (k,)
    tree: Taxonomy | None = None

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Number of subjects of each organism, shape (k,)."""
        return np.bincount(self.of[self.of != UNKNOWN], minlength=len(self.names))

    @cached_property
    def nodes(self) -> NDArray[np.int64]:
        """Node of each organism in the tree, shape (k,); `NOWHERE` without."""
        if self.tree is None:
            return np.full(len(self.names), NOWHERE, dtype=np.int64)
        return np.where(self.taxids > 0, self.tree.nodes(self.taxids), NOWHERE)

    def organism(self, db_index: int) -> Organism:
        """Return the organism of one subject."""
        index = int(self.of[db_index])
        return Organism() if index == UNKNOWN else self.described(index)

    def described(self, index: int) -> Organism:
        """Return an organism by its place, with the names above it if there is a tree."""
        organism = self._described.get(index)
        if organism is None:
            lineage = self.tree.ranked(int(self.nodes[index])) if self.tree is not None else {}
            organism = self._described[index] = Organism(self.names[index], int(self.taxids[index]), lineage)
        return organism

    @cached_property
    def _described(self) -> dict[int, Organism]:
        return {}

    def take(self, rows: NDArray[np.int64]) -> SubjectOrganisms:
        """Return the organisms of some subjects."""
        return replace(self, of=self.of[rows])

    def condensed(self) -> SubjectOrganisms:
        """Return the same without organisms that have no subjects, and without nodes above none."""
        used, of = np.unique(np.append(self.of, UNKNOWN), return_inverse=True)  # the unknown one comes first
        held = used[1:]
        tree = self.tree.part(self.nodes[held]) if self.tree is not None else None
        names = tuple(self.names[index] for index in held.tolist())
        return SubjectOrganisms((of[:-1] - 1).astype(np.int32), names, self.taxids[held], tree)

    def by_count(self) -> list[int]:
        """Return the organisms that have subjects, the most frequent first, then by name."""
        held = np.flatnonzero(self.counts).tolist()
        return sorted(held, key=lambda index: (-int(self.counts[index]), self.names[index].casefold()))


def grouped(
    of: NDArray[np.int64], names: Sequence[str], taxids: NDArray[np.int32], times: NDArray[np.int64] | None = None
) -> SubjectOrganisms:
    """Return organisms of names and taxids that were read: one for every taxid, and for every name without.

    Parameters
    ----------
    of : ndarray, shape=(N,), dtype=int64
        Place in `names` of each subject.
    names : sequence of str
        Each once.
    taxids : ndarray, shape=(N,), dtype=int32
        Taxid of each subject; 0 if unknown.
    times : ndarray, shape=(N,), dtype=int64, optional
        For how many subjects each stands; for one without it.

    Returns
    -------
    SubjectOrganisms
        A name without a taxid is that organism which has it with one; of several names of a taxid the most frequent.
    """
    keys = np.where((of == UNKNOWN) & (taxids == 0), UNKNOWN, (of + 1) << 32 | taxids.astype(np.int64))
    pairs, inverse = np.unique(keys, return_inverse=True)
    counts = np.bincount(inverse, times, len(pairs))
    group = np.full(len(pairs), UNKNOWN, dtype=np.int32)
    places: dict[int | str, int] = {}
    chosen: list[str] = []
    numbers: list[int] = []
    by_name: dict[str, int] = {}
    with_taxid = (pairs & 0xFFFFFFFF) != 0
    for index in np.lexsort((-counts, ~with_taxid)).tolist():
        if pairs[index] == UNKNOWN:
            continue
        taxid, number = int(pairs[index] & 0xFFFFFFFF), int(pairs[index] >> 32) - 1
        name = names[number] if number >= 0 else ""
        place = places.get(taxid) if taxid else by_name.get(name)
        if place is None:
            place = len(chosen)
            chosen.append(name or f"taxid {taxid}")
            numbers.append(taxid)
            if taxid:
                places[taxid] = place
        by_name.setdefault(name, place)
        group[index] = place
    return SubjectOrganisms(group[inverse], tuple(chosen), np.array(numbers, dtype=np.int32))


def describe_organisms(organisms: SubjectOrganisms) -> str:
    """Describe the organisms: their number, the subjects that have one, and the organisms in the tree."""
    held = organisms.by_count()
    text = words.count(len(held), "organism")
    with_organism = int(organisms.counts.sum())
    if with_organism < len(organisms.of):
        text += f", known of {with_organism:,} of {words.count(len(organisms.of), 'subject')}"
    if organisms.tree is not None:
        placed = sum(int(organisms.nodes[index]) != NOWHERE for index in held)
        text += f", {placed:,} of them in a tree of {words.count(len(organisms.tree), 'node')}"
    return text


def describe_hits(organisms: SubjectOrganisms) -> str:
    """Describe the organisms of some hits: their number and, with a tree, the last common ancestor.

    Parameters
    ----------
    organisms : SubjectOrganisms
        Organisms of the subjects of these hits.

    Returns
    -------
    str
        ``5 organisms; last common ancestor: Gammaproteobacteria (class)``; empty if no organism
        is known.
    """
    different = np.unique(organisms.of[organisms.of != UNKNOWN])
    if not len(different):
        return ""
    if len(different) == 1:
        return f"{organisms.names[int(different[0])]}{_and_unknown(organisms)}"
    text = f"{len(different):,} organisms{_and_unknown(organisms)}"
    tree = organisms.tree
    node = tree.common_ancestor(organisms.nodes[different]) if tree is not None else NOWHERE
    if tree is None or node == NOWHERE:
        return text
    rank = tree.rank(node)
    return f"{text}; last common ancestor: {tree.names[node]}{f' ({rank})' if rank in NAMED else ''}"


def _and_unknown(organisms: SubjectOrganisms) -> str:
    unknown = int((organisms.of == UNKNOWN).sum())
    return f" ({unknown:,} of no known one)" if unknown else ""
