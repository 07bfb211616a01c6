"""Features by position, and the sentences on places among them, against scans of every feature."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.features import Feature
from swgui.core.loci.sentence import locate
from swgui.core.loci.table import FeatureTable

LENGTH = 900
GENES = (
    Feature("gene", ((100, 400),), "abcA"),
    Feature("mRNA", ((100, 150), (200, 260), (300, 400)), "abcA"),
    Feature("CDS", ((120, 150), (200, 260), (300, 350)), "abcA"),
    Feature("CDS", ((500, 560), (561, 600)), "xyzB", -1),  # read with a shift of one base
    Feature("CDS", ((700, 720), (760, 800)), "xyzC", -1),
    Feature("promoter", ((440, 460),), "P1"),
)


def drawn(rng: np.random.Generator, count: int, *, circular: bool) -> list[Feature]:
    """Return features in one to three parts; on a circle some cross the origin."""
    made = []
    for number in range(count):
        edges = np.unique(rng.integers(0, 200, 2 * int(rng.integers(1, 4))))
        edges = edges[: len(edges) // 2 * 2] + int(rng.integers(0, LENGTH))
        spans = [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        if not circular:
            spans = [(a, min(b, LENGTH)) for a, b in spans if a < LENGTH]
        if spans:
            kind = str(rng.choice(["gene", "CDS", "mRNA", "tRNA", "misc_feature"]))
            made.append(Feature(kind, tuple(spans), f"g{number}", int(rng.choice([-1, 1]))))
    return made


def positions(start: int, end: int, *, circular: bool) -> set[int]:
    return {place % LENGTH if circular else place for place in range(start, end)}


@pytest.mark.parametrize("circular", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_overlaps_and_neighbours_are_those_of_a_scan(seed: int, circular: bool) -> None:
    rng = np.random.default_rng(seed)
    table = FeatureTable.of(drawn(rng, 25, circular=circular), LENGTH, circular=circular)
    starts = rng.integers(0, LENGTH, 120)
    ends = starts + rng.integers(1, 60, 120)
    ends = ends if circular else np.minimum(ends, LENGTH)
    around, pairs = table.neighbours(starts, ends), table.overlapping(starts, ends)
    assert (np.diff(table.starts) >= 0).all()
    for number, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        own = positions(start, end, circular=circular)
        covered = [positions(int(a), int(b), circular=circular) for a, b in zip(table.starts, table.ends, strict=True)]
        expected = [row for row, of_row in enumerate(covered) if of_row & own]
        rows = pairs.place == number
        assert pairs.row[rows].tolist() == expected
        for row, shift in zip(pairs.row[rows].tolist(), pairs.shift[rows].tolist(), strict=True):
            assert start + shift < table.ends[row]
            assert table.starts[row] < end + shift
        if any(table.primary[row] for row in expected):
            continue
        primary = np.flatnonzero(table.primary).tolist()
        steps = range(LENGTH)
        before = next((n for n in steps if any(_at(start - 1 - n, circular) in covered[row] for row in primary)), -1)
        behind = next((n for n in steps if any(_at(end + n, circular) in covered[row] for row in primary)), -1)
        assert (around.left_gap[number], around.right_gap[number]) == (before, behind)
        for gap, row, at in ((before, around.left, start - 1 - before), (behind, around.right, end + behind)):
            assert (row[number] < 0) == (gap < 0)
            assert gap < 0 or _at(at, circular) in covered[row[number]]


def _at(place: int, circular: bool) -> int:
    return place % LENGTH if circular else place


@pytest.mark.parametrize(
    ("start", "end", "sentence", "genes", "distance"),
    [
        (110, 140, "in abcA, exon 1", "abcA", 0),
        (160, 180, "in abcA, intron 1", "abcA", 0),
        (140, 160, "in abcA, across the border of exon 1", "abcA", 0),
        (140, 310, "in abcA, exons 1 to 3", "abcA", 0),
        (95, 110, "across the start of abcA", "abcA", 0),
        (390, 410, "across the end of abcA", "abcA", 0),
        (100, 400, "all of abcA", "abcA", 0),
        (590, 605, "across the start of xyzB", "xyzB", 0),
        (555, 565, "in xyzB", "xyzB", 0),
        (705, 715, "in xyzC, coding exon 2", "xyzC", 0),
        (730, 740, "in xyzC, intron 1", "xyzC", 0),
        (60, 65, "36 bp before abcA", "", 36),
        (400, 410, "between abcA and xyzB, 1 bp after abcA", "", 1),
        (445, 450, "between abcA and xyzB, 46 bp after abcA; in Promoter P1", "", 46),
        (690, 700, "between xyzB and xyzC, 1 bp after xyzC", "", 1),
        (850, 860, "51 bp before xyzC", "", 51),
        (390, 510, "across the end of abcA; across the end of xyzB; in Promoter P1", "abcA, xyzB", 0),
    ],
)
def test_sentences(start: int, end: int, sentence: str, genes: str, distance: int) -> None:
    table = FeatureTable.of(GENES, LENGTH)
    (locus,) = locate(table, np.array([start]), np.array([end]))
    assert locus == (sentence, genes, distance)


def test_sentences_across_the_origin_of_a_circle() -> None:
    genes = [Feature("CDS", ((0, 50), (850, 900)), "oriC"), Feature("gene", ((300, 400),), "rep", -1)]
    table = FeatureTable.of(genes, LENGTH, circular=True)
    starts, ends = np.array([880, 10, 840, 450, 100]), np.array([910, 20, 960, 460, 110])
    assert [locus.sentence for locus in locate(table, starts, ends)] == [
        "in oriC", "in oriC", "all of oriC", "between rep and oriC, 51 bp before rep",
        "between oriC and rep, 51 bp after oriC",
    ]  # fmt: skip


def test_strands_many_genes_and_sequences_without_genes() -> None:
    table = FeatureTable.of([Feature("gene", ((10 * n, 10 * n + 8),), f"g{n}", -1) for n in range(10)])
    starts, ends = np.array([2, 2, 0]), np.array([5, 5, 95])
    found = locate(table, starts, ends, np.array([-1, 1, 0]))
    assert [locus.sentence for locus in found] == ["in g0", "in g0, other strand", "over 10 genes, g0 to g9"]
    assert found[2].genes == "g0, g1, g2 and 7 more"
    protein = FeatureTable.of([Feature("DOMAIN", ((10, 90),), "Globin"), Feature("BINDING", ((20, 21),), "heme")])
    starts, ends = np.array([15, 95, 5]), np.array([25, 99, 8])
    assert [locus.sentence for locus in locate(protein, starts, ends, unit="aa")] == [
        "in Domain Globin; all of Binding site heme",
        "6 aa after Domain Globin",
        "3 aa before Domain Globin",
    ]
    assert locate(FeatureTable.of([]), starts, ends) == [("", "", None)] * 3
    assert FeatureTable.of(GENES).find("ABCA").tolist() == [0, 1, 2]
    assert FeatureTable.of(GENES).find("xyz").tolist() == [4, 5]
