"""Clusters, trees and splits against plain definitions, on random graphs."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pytest
from Bio import Phylo

from swgui.core.errors import InvalidParameter
from swgui.core.network.clusters import CLUSTER_RULES, Clusters, Graph, components, upgma_joins, verify
from swgui.core.network.judging import judge
from swgui.core.network.splitting import DROPPED, split
from swgui.core.network.tree import grow, newick, upgma


def random_graph(seed: int, sequences: int = 24, share: float = 0.2) -> Graph:
    rng = np.random.default_rng(seed)
    pairs = np.array(list(itertools.combinations(range(sequences), 2)))
    pairs = pairs[rng.random(len(pairs)) < share]
    similarity = rng.choice(np.linspace(0.5, 1, 11), len(pairs))  # with ties
    lengths = rng.integers(20, 40, sequences)
    return Graph(lengths, pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64), similarity)


def table_of(graph: Graph) -> dict[tuple[int, int], float]:
    pairs = zip(graph.first.tolist(), graph.second.tolist(), graph.similarity.tolist(), strict=True)
    return {(min(a, b), max(a, b)): value for a, b, value in pairs}


def groups(labels: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


def reachable(graph: Graph) -> set[frozenset[int]]:
    pairs, left, found = set(table_of(graph)), set(range(len(graph))), set()
    while left:
        group, new = set(), {min(left)}
        while new:
            group |= new
            new = {b for a, b in [*pairs, *((b, a) for a, b in pairs)] if a in group} - group
        found.add(frozenset(group))
        left -= group
    return found


@pytest.mark.parametrize("seed", range(8))
def test_components_are_what_paths_join(seed: int) -> None:
    graph = random_graph(seed, share=0.05)
    assert groups(components(graph)) == reachable(graph)
    assert groups(CLUSTER_RULES["components"].cluster(graph, 0.5).representative) == reachable(graph)


@pytest.mark.parametrize("rule", [rule for rule in CLUSTER_RULES.values() if rule.broken], ids=lambda rule: rule.name)
@pytest.mark.parametrize("seed", range(8))
def test_promises_are_kept(seed: int, rule) -> None:
    graph = random_graph(seed)
    clusters = rule.cluster(graph, 0.5)
    assert rule.broken(verify(clusters, graph)) == 0
    assert sorted(itertools.chain(*(group.tolist() for group in clusters.members()))) == list(range(len(graph)))
    assert all(clusters.representative[group[0]] == group[0] for group in clusters.members())


@pytest.mark.parametrize("seed", range(4))
def test_greedy_is_its_definition(seed: int) -> None:
    graph, table = random_graph(seed), table_of(random_graph(seed))
    order = sorted(range(len(graph)), key=lambda number: (-graph.lengths[number], number))
    representatives: list[int] = []
    expected = {}
    for number in order:
        known = [(table.get((min(number, other), max(number, other)), -1.0), other) for other in representatives]
        best = max((value for value, _ in known), default=-1.0)
        expected[number] = next(other for value, other in known if value == best) if best >= 0 else number
        if best < 0:
            representatives.append(number)
    made = CLUSTER_RULES["greedy"].cluster(graph, 0.5).representative
    assert made.tolist() == [expected[number] for number in range(len(graph))]


@pytest.mark.parametrize("name", ["complete", "upgma"])
@pytest.mark.parametrize("seed", range(6))
def test_linkage_joins_the_most_similar_clusters_first(name: str, seed: int) -> None:
    graph, table = random_graph(seed, share=0.4), table_of(random_graph(seed, share=0.4))
    members = {number: [number] for number in range(len(graph))}

    def alike(a: int, b: int) -> float | None:
        values = [table.get((min(x, y), max(x, y))) for x in members[a] for y in members[b]]
        if name == "complete":
            return None if None in values else min(values)
        mean = sum(value or 0.0 for value in values) / len(values)
        return mean if mean >= 0.5 else None

    while True:
        pairs = [(alike(a, b), a, b) for a, b in itertools.combinations(sorted(members), 2)]
        possible = [(-value, a, b) for value, a, b in pairs if value is not None]
        if not possible:
            break
        _, a, b = min((round(value, 12), a, b) for value, a, b in possible)
        members[a] += members.pop(b)
    expected = {frozenset(group) for group in members.values()}
    assert groups(CLUSTER_RULES[name].cluster(graph, 0.5).representative) == expected


@pytest.mark.parametrize("seed", range(4))
def test_the_tree_cut_anywhere_gives_the_components_there(seed: int) -> None:
    graph = random_graph(seed, share=0.1)
    tree = grow(len(graph), graph.first, graph.second, graph.similarity)
    for weight in (*np.unique(graph.similarity), 0.1, 2.0):
        kept = graph.similarity >= weight
        part = Graph(graph.lengths, graph.first[kept], graph.second[kept], graph.similarity[kept])
        assert groups(tree.cut(weight)) == reachable(part)
        assert tree.counts(np.array([weight]))[0] == len(reachable(part))


def test_the_tree_as_newick_names_every_sequence_once() -> None:
    graph = random_graph(3, sequences=6, share=0.3)
    tree = grow(6, graph.first, graph.second, graph.similarity)
    text = newick(tree, ["a", "b b", "it's", "d", "e", "f"], 1.0)
    assert text.endswith(";\n")
    assert text.count("(") == text.count(")")
    assert all(text.count(name) == 1 for name in ("'a'", "'b b'", "'it''s'", "'d'", "'e'", "'f'"))


@pytest.mark.parametrize("seed", range(4))
def test_leaves_of_the_upgma_tree_are_as_far_apart_as_their_clusters_were(seed: int) -> None:
    graph, table = random_graph(seed, sequences=12, share=0.4), table_of(random_graph(seed, sequences=12, share=0.4))
    text = newick(upgma(12, upgma_joins(graph)), [str(number) for number in range(12)], 1.0)
    tree = Phylo.read(io.StringIO(text), "newick")
    members, apart = {number: [number] for number in range(12)}, {}
    while len(members) > 1:
        values = {
            (a, b): np.mean([table.get((min(x, y), max(x, y)), 0.0) for x in members[a] for y in members[b]])
            for a, b in itertools.combinations(sorted(members), 2)
        }
        value, a, b = min((-round(float(value), 12), a, b) for (a, b), value in values.items())
        apart |= {(x, y): 1 + value for x in members[a] for y in members[b]}
        members[a] += members.pop(b)
    for (x, y), distance in apart.items():
        assert tree.distance(str(x), str(y)) == pytest.approx(distance, abs=1e-4)


def test_parts_of_a_split_have_no_similar_pairs() -> None:
    graph = random_graph(5, sequences=60, share=0.01)
    made = split(graph, [80.0, 10.0, 10.0])
    assert (made.part != DROPPED).all()
    assert (made.part[graph.first] == made.part[graph.second]).all()
    assert sum(made.sizes(3)) == 60
    assert made.sizes(3)[0] > made.sizes(3)[1]


def test_a_group_that_is_too_large_is_refused_or_cut() -> None:
    graph = random_graph(2, sequences=40, share=0.3)
    with pytest.raises(InvalidParameter, match="hang together"):
        split(graph, [50.0, 50.0])
    made = split(graph, [50.0, 50.0], drop=True)
    kept = made.part != DROPPED
    assert 0 < (~kept).sum() < 40
    inside = kept[graph.first] & kept[graph.second]
    assert (made.part[graph.first] == made.part[graph.second])[inside].all()


def test_wrongly_parted_and_joined_pairs_are_listed() -> None:
    graph = Graph(np.array([9, 8, 7, 6]), np.array([0, 1]), np.array([1, 2]), np.array([0.9, 0.9]))
    labels, representative = np.array([0, 0, 1, 0]), np.array([0, 0, 2, 0])
    made = judge(labels, representative, graph, every=True)
    assert made.parted.tolist() == [[1, 2]]
    assert made.joined.tolist() == [[0, 3], [1, 3]]
    assert judge(labels, representative, graph, every=False).joined.tolist() == [[0, 3]]


def test_the_longest_sequence_represents_a_cluster() -> None:
    graph = Graph(np.array([5, 9, 9]), np.array([0]), np.array([1]), np.array([1.0]))
    assert Clusters.of_labels(np.array([7, 7, 3]), graph).representative.tolist() == [1, 1, 2]
