"""The recurrence against its definition cell by cell, and against programs of the same models."""

import csv
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.frameshift import MOVES, best_end, rescored, shifted_alignment, span_bound
from swgui.core.translation.genetic_codes import codon_table
from swgui.io.matrices import load_matrix

PAIRS = Path(__file__).with_name("pairs.tsv")


def matrix_by_definition(profile, codons, first, further, shift, moves=MOVES):
    """Fill H cell by cell, as the definition is written."""
    m, n = len(profile), len(codons) + 2
    h = np.zeros((m + 1, n + 1), dtype=int)
    e, f = np.full((m + 1, n + 1), -(10**6)), np.full((m + 1, n + 1), -(10**6))
    for i in range(1, m + 1):
        for j in range(n + 1):
            f[i, j] = max(h[i - 1, j] - first, f[i - 1, j] - further)
            h[i, j] = max(0, f[i, j])
            if j >= 3:
                e[i, j] = max(h[i, j - 3] - first, e[i, j - 3] - further)
                moved = [h[i - 1, j - 3 - move] - shift for move in moves if j - 3 - move >= 0]
                pair = max([h[i - 1, j - 3], *moved]) + profile[i - 1, codons[j - 3]]
                h[i, j] = max(h[i, j], e[i, j], pair)
    return h


def cases(number=120, seed=16):
    """Yield small profiles, strands and costs, also without bases and with costs of 0."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        profile = rng.integers(-4, 9, size=(rng.integers(1, 12), 5)).astype(np.int16)
        codons = rng.integers(0, 5, size=rng.integers(0, 30)).astype(np.uint8)
        first = int(rng.integers(0, 8))
        yield profile, codons, first, int(rng.integers(0, first + 1)), int(rng.integers(0, 6))


@pytest.mark.parametrize("moves", [MOVES, (1, -1), (1, 2), ()])
def test_the_best_cell_is_that_of_the_definition(moves):
    for case in cases():
        h = matrix_by_definition(*case, moves)
        found = best_end(*case, moves)
        assert found.score == h.max()
        if found.score:
            column = int(np.argmax(h.max(axis=0)))
            assert (found.dna_end, found.protein_end) == (column, int(np.argmax(h[:, column])))


def test_paths_add_up_to_their_scores_and_stay_within_the_bound():
    shifts = 0
    for case in cases(seed=17):
        found = shifted_alignment(*case)
        if found is None:
            assert best_end(*case).score == 0
            continue
        ends = best_end(*case)
        assert (found.score, found.protein_end, found.dna_end) == (ends.score, ends.protein_end, ends.dna_end)
        assert rescored(found, *case) == ends.score
        profile, _, *costs = case
        bound = span_bound(profile, *costs)
        assert bound < 0 or found.dna_end - found.dna_start <= bound
        shifts += found.shifts
    assert shifts > 20


def test_a_path_says_where_it_shifts():
    profile = np.where(np.eye(4, dtype=bool), 5, -9).astype(np.int16)[[0, 1, 2, 3, 0, 1, 2]]
    codons = np.full(24, 3, dtype=np.uint8)
    codons[[0, 3, 6, 10, 13, 16, 17]] = [0, 1, 2, 3, 0, 1, 2]  # one base skipped after 9, two read twice after 19
    found = shifted_alignment(profile, codons, 12, 1, 4)
    assert found is not None
    assert (found.score, found.cigar, found.shifts) == (7 * 5 - 2 * 4, "3M1F3M2R1M", 2)
    assert found.shift_places() == [(9, 1), (19, -2)]
    assert (found.dna_start, found.dna_end) == (0, 20)


@pytest.fixture(scope="module")
def blosum():
    return load_matrix("BLOSUM62", PROTEIN).scores


@pytest.fixture(scope="module")
def pairs():
    with PAIRS.open() as lines:
        return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def given(pair, scores):
    dna = NUCLEOTIDE.encode(pair["dna"].encode()).astype(np.int64)
    codons = codon_table(1)[256 * dna[:-2] + 16 * dna[1:-1] + dna[2:]]
    return scores[PROTEIN.encode(pair["protein"].encode())], codons


def test_moves_of_one_base_are_those_of_fastx36(pairs, blosum):
    scores = blosum.copy()
    scores[:, PROTEIN.code("*")] = scores[:, PROTEIN.code("X")]  # to fastx36 a stop codon is any residue
    found = [best_end(*given(pair, scores), 12, 1, 15, (1, -1)).score for pair in pairs]
    assert found == [int(pair["fastx36"]) for pair in pairs]


def test_moves_forwards_are_those_of_exonerate(pairs, blosum):
    compared = [pair for pair in pairs if pair["exonerate"] != "-"]
    found = [best_end(*given(pair, blosum), 12, 1, 15, (1, 2)).score for pair in compared]
    assert found == [int(pair["exonerate"]) for pair in compared]


def test_all_moves_score_at_least_as_much_as_some(pairs, blosum):
    for pair in pairs:
        whole = best_end(*given(pair, blosum), 12, 1, 15).score
        assert whole >= max(best_end(*given(pair, blosum), 12, 1, 15, some).score for some in ((1, -1), (1, 2)))
