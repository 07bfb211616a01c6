"""Lineages, clades and last common ancestors."""

import numpy as np
import pytest

from swgui.core.organisms.tree import NOWHERE, walk_around
from swgui.core.plain import replace
from swgui.io.organisms.assign import TaxonomyDump
from tests.core.organisms.made import TREE, write_dump


def names(nodes):
    return [TREE.names[int(node)] for node in nodes]


def test_lineage_from_the_root_down():
    assert names(TREE.lineage(TREE.node(9606))) == [
        "root", "cellular organisms", "Eukaryota", "Mammalia", "Homo", "Homo sapiens"
    ]  # fmt: skip
    assert TREE.ranked(TREE.node(83333)) == {
        "superkingdom": "Bacteria", "phylum": "Pseudomonadota", "genus": "Escherichia", "species": "Escherichia coli"
    }  # fmt: skip
    assert TREE.ranked(NOWHERE) == {}


def test_viruses_have_a_superkingdom_in_old_and_new_dumps(tmp_path):
    above = [(1, 1, "no rank", "root"), (2559587, 10239, "realm", "Riboviria"), (11676, 2559587, "species", "HIV-1")]
    for rank in ("superkingdom", "acellular root"):
        folder = write_dump(tmp_path / rank, [*above, (10239, 1, rank, "Viruses")])
        tree = TaxonomyDump(folder).above(np.array([11676], dtype=np.int32))
        assert tree.ranked(tree.node(11676)) == {"superkingdom": "Viruses", "species": "HIV-1"}


def test_domains_are_superkingdoms(tmp_path):
    nodes = [
        (1, 1, "no rank", "root"),
        (131567, 1, "cellular root", "cellular organisms"),
        (2, 131567, "domain", "Bacteria"),
    ]
    tree = TaxonomyDump(write_dump(tmp_path, nodes)).above(np.array([2], dtype=np.int32))
    assert tree.ranked(tree.node(2)) == {"superkingdom": "Bacteria"}


@pytest.mark.parametrize(
    ("taxids", "ancestor"),
    [
        ((9606,), "Homo sapiens"),
        ((9606, 10090), "Mammalia"),
        ((83333, 83334, 564), "Escherichia"),
        ((83333, 562), "Escherichia coli"),
        ((9606, 562), "cellular organisms"),
        ((9606, 7, 99999), "Homo sapiens"),
    ],
)
def test_common_ancestors(taxids, ancestor):
    assert names([TREE.common_ancestor(TREE.nodes(np.array(taxids)))]) == [ancestor]


def test_a_part_holds_what_lies_above():
    part = TREE.part(TREE.nodes(np.array([83333, 7])))
    assert next(iter(part.names)) == "root"
    assert part.ranked(part.node(83333)) == TREE.ranked(TREE.node(83333))
    assert (part.node(9606), part.node(99999), len(part)) == (NOWHERE, NOWHERE, 7)
    assert [list(part.other_names), part.nodes_named("eubacteria")] == [["eubacteria"], [part.node(2)]]
    assert len(TREE.part(TREE.nodes(np.array([], dtype=np.int32)))) == 0


def test_nothing_has_no_ancestor():
    assert TREE.common_ancestor([]) == NOWHERE
    assert TREE.common_ancestor([NOWHERE]) == NOWHERE


def test_clades_and_other_names():
    inside = TREE.below(TREE.nodes_named("EUBACTERIA"), np.arange(len(TREE)))
    assert names(np.flatnonzero(inside)) == [
        "Bacteria", "Escherichia", "Escherichia coli", "Escherichia fergusonii", "Pseudomonadota",
        "Escherichia coli K-12", "Escherichia coli O157:H7",
    ]  # fmt: skip
    assert TREE.nodes_named("nobody") == []
    assert TREE.nodes(np.array([1, 3, 99999, 2_000_000_000])).tolist() == [0, NOWHERE, 8, NOWHERE]


def slow_clade(parents, top):
    """Which nodes have a node above them, step by step."""
    inside = np.zeros(len(parents), dtype=bool)
    for node in range(len(parents)):
        at = node
        while at != top and parents[at] != at:
            at = parents[at]
        inside[node] = at == top
    return inside


@pytest.mark.parametrize("seed", range(6))
def test_clades_of_random_trees_are_those_found_step_by_step(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 400))
    deep = rng.random() < 0.5  # a chain, more or less, or a bush
    above = [int(rng.integers(max(0, node - 3) if deep else 0, node)) for node in range(1, count)]
    roots = rng.random(count) < 0.02
    parents = np.where(roots, np.arange(count), np.array([0, *above])).astype(np.int32)
    shuffled = rng.permutation(count).astype(np.int32)
    mixed = np.empty(count, dtype=np.int32)
    mixed[shuffled] = shuffled[parents]
    tour = walk_around(mixed)
    assert sorted(tour.places.tolist()) == list(range(count))
    tree = replace(TREE, taxids=np.arange(1, count + 1, dtype=np.int32), parents=mixed)
    nodes = np.append(rng.integers(0, count, 300), NOWHERE)
    for tops in ([0], rng.integers(0, count, 3).tolist(), []):
        wanted = np.zeros(count, dtype=bool)
        for top in tops:
            wanted |= slow_clade(mixed, top)
        assert tree.below(tops, nodes).tolist() == [*wanted[nodes[:-1]].tolist(), False]


def test_a_clade_of_no_tree():
    assert walk_around(np.zeros(0, dtype=np.int32)).places.tolist() == []
