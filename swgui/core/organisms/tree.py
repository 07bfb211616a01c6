"""The tree of organisms as arrays: ranks, lineages, clades and last common ancestors."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.ranges import concatenated_ranges
from swgui.core.texts import TextColumn

# Ranks of NCBI's taxonomy that are kept by name; others are "no rank". Numbers in users' files: only ever added to.
RANKS: Final = (
    "no rank", "superkingdom", "kingdom", "phylum", "class", "order", "family", "genus", "species", "subspecies",
    "strain", "clade", "subkingdom", "superphylum", "subphylum", "superclass", "subclass", "infraclass", "superorder",
    "suborder", "infraorder", "parvorder", "superfamily", "subfamily", "tribe", "subtribe", "subgenus",
    "species group", "species subgroup", "varietas", "forma", "isolate", "serotype", "serogroup", "biotype", "genotype",
    "pathogroup", "realm", "acellular root", "cellular root", "cohort", "subcohort", "section", "series", "morph",
)  # fmt: skip
# Names of ranks in newer dumps.
RENAMED: Final = {"domain": "superkingdom"}
LINEAGE: Final = RANKS[1:9]  # which columns show
# Ranks of newer dumps that stand where another one of `LINEAGE` stood: that of viruses.
_SHOWN_AS: Final = {"acellular root": "superkingdom"}
NOWHERE: Final = -1


class Taxonomy(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A tree of organisms, or the part of it that a database needs. A *node* is a place in these arrays."""

    taxids: NDArray[np.int32]  # numbers of NCBI, ascending, each once, shape (n,)
    parents: NDArray[np.int32]  # the node above each node; a root is above itself, shape (n,)
    ranks: NDArray[np.uint8]  # places in `RANKS`, shape (n,)
    names: TextColumn  # the scientific name of each node
    other_names: TextColumn  # synonyms and common names
    named: NDArray[np.int32]  # the node of each other name
    # Retired numbers, and those that replace them, shape (m, 2).
    merged: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.taxids)

    def nodes(self, taxids: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the node of each taxid, shape (k,); `NOWHERE` if it is not in the tree."""
        wanted = np.asarray(taxids, dtype=np.int64)
        if len(self.merged):
            old = np.searchsorted(self.merged[:, 0], wanted).clip(max=len(self.merged) - 1)
            wanted = np.where(self.merged[old, 0] == wanted, self.merged[old, 1], wanted)
        if not len(self):
            return np.full(wanted.shape, NOWHERE, dtype=np.int64)
        nodes = np.searchsorted(self.taxids, wanted).clip(max=len(self) - 1)
        return np.where(self.taxids[nodes] == wanted, nodes, NOWHERE)

    def node(self, taxid: int) -> int:
        """Return the node of one taxid; `NOWHERE` if it is not in the tree."""
        return int(self.nodes(np.array([taxid]))[0])

    def rank(self, node: int) -> str:
        """Return the rank of a node in words."""
        number = int(self.ranks[node])
        return RANKS[number] if number < len(RANKS) else RANKS[0]

    def lineage(self, node: int) -> list[int]:
        """Return the nodes from the root down to a node."""
        path = [node]
        while (above := int(self.parents[path[-1]])) != path[-1]:
            path.append(above)
        return path[::-1]

    def ranked(self, node: int) -> dict[str, str]:
        """Return the names above and at a node by rank, from `LINEAGE`; none for `NOWHERE`."""
        if node == NOWHERE:
            return {}
        ranks = [(self.rank(above), self.names[above]) for above in self.lineage(node)]
        ranked = {_SHOWN_AS.get(rank, rank): name for rank, name in ranks}
        return {rank: ranked[rank] for rank in LINEAGE if rank in ranked}

    def part(self, nodes: NDArray[np.int64]) -> Taxonomy:
        """Return the part of the tree that holds some nodes and all above them; `NOWHERE` is passed over."""
        kept = nodes_above(self.parents, nodes[nodes != NOWHERE])
        places, named = np.cumsum(kept) - 1, kept[self.named]
        numbers = self.taxids[kept]
        return Taxonomy(
            numbers,
            places[self.parents[kept]].astype(np.int32),
            self.ranks[kept],
            self.names.take(np.flatnonzero(kept)),
            self.other_names.take(np.flatnonzero(named)),
            places[self.named[named]].astype(np.int32),
            self.merged[np.isin(self.merged[:, 1], numbers)],
        )

    def below(self, tops: Iterable[int], nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask of the nodes that are one of `tops` or below it; `NOWHERE` is not."""
        inside = np.zeros(len(nodes), dtype=bool)
        if not len(self):
            return inside
        places = self._tour.places[nodes]
        for top in tops:
            # Those left of the clade wrap around to large numbers.
            inside |= (places - self._tour.places[top]).view(np.uint32) < self._tour.sizes[top]
        inside &= nodes != NOWHERE
        return inside

    @cached_property
    def _tour(self) -> Tour:
        return walk_around(self.parents)

    def nodes_named(self, name: str) -> list[int]:
        """Return the nodes of this name, upper or lower case; scientific names before others."""
        return self._nodes_by_name.get(name.casefold(), [])

    @cached_property
    def _nodes_by_name(self) -> dict[str, list[int]]:
        by_name: dict[str, list[int]] = {}
        for node in range(len(self)):
            by_name.setdefault(self.names[node].casefold(), []).append(node)
        for index, node in enumerate(self.named.tolist()):
            nodes = by_name.setdefault(self.other_names[index].casefold(), [])
            if node not in nodes:
                nodes.append(node)
        return by_name

    def common_ancestor(self, nodes: Iterable[int]) -> int:
        """Return the lowest node that all of these lie at or below; `NOWHERE` if there is none."""
        shared: list[int] | None = None
        for node in {int(node) for node in nodes}:
            if node == NOWHERE:
                continue
            path = self.lineage(node)
            if shared is None:
                shared = path
            else:
                same = [node == other for node, other in zip(shared, path, strict=False)]
                shared = shared[: same.index(False)] if False in same else shared[: len(same)]
        return shared[-1] if shared else NOWHERE


class Tour(msgspec.Struct, frozen=True, eq=False):
    """A walk around a tree that meets each node before those below it: a clade is a stretch of it."""

    places: NDArray[np.int32]  # of each node in the walk
    sizes: NDArray[np.uint32]  # of each clade, with its top


def walk_around(parents: NDArray[np.int32]) -> Tour:
    """Walk around a tree, or several; `parents` of shape (n,), where a root is its own parent."""
    levels = _levels(parents)
    sizes = np.ones(len(parents), dtype=np.int64)
    for level in reversed(levels[1:]):
        np.add.at(sizes, parents[level], sizes[level])
    places = np.zeros(len(parents), dtype=np.int64)
    roots = levels[0] if levels else np.zeros(0, dtype=np.int64)
    places[roots] = np.cumsum(sizes[roots]) - sizes[roots]
    for level in levels[1:]:
        above = parents[level]
        order = np.argsort(above, kind="stable")
        level, above = level[order], above[order]
        before = np.cumsum(sizes[level]) - sizes[level]
        first = np.searchsorted(above, above)  # of the siblings of each
        places[level] = places[above] + 1 + before - before[first]
    return Tour(places.astype(np.int32), sizes.astype(np.uint32))


def _levels(parents: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """Return the nodes of each depth, roots first."""
    order = np.argsort(parents, kind="stable")
    counts = np.bincount(parents, minlength=len(parents))
    firsts = np.cumsum(counts) - counts
    level = np.flatnonzero(parents == np.arange(len(parents)))
    levels: list[NDArray[np.int64]] = []
    while len(level):
        levels.append(level)
        below = order[concatenated_ranges(firsts[level], counts[level])]
        level = below[parents[below] != below]
    return levels


def nodes_above(parents: NDArray[np.int32], nodes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of the nodes that are some nodes or lie above them, shape (n,)."""
    above = np.zeros(len(parents), dtype=bool)
    wanted = np.unique(nodes)
    while len(wanted):
        above[wanted] = True
        wanted = np.unique(parents[wanted])
        wanted = wanted[~above[wanted]]
    return above


def node_in_a_circle(parents: NDArray[np.int32]) -> int | None:
    """Return a node from which no root is reached, None if there is none; `parents` of shape (nodes,)."""
    reached = parents
    for _ in range(max(len(parents), 1).bit_length()):
        reached = reached[reached]
    lost = parents[reached] != reached
    return int(reached[np.argmax(lost)]) if lost.any() else None
