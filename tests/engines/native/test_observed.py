"""Observed columns against their definition, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.alignment import DELETION, OUTSIDE, AlignedRow, MasterAlignment
from swgui.core.profiles.recipe import Recipe
from swgui.engines.native.observed import observe
from swgui.engines.native.profiles import ProfileMaker
from swgui.io.matrices import load_matrix

PLAIN = Recipe(max_identity=1.01, min_residues=1, end_support=0.0, mask=False, mask_coils=False)


def maker(recipe: Recipe = PLAIN) -> ProfileMaker:
    return ProfileMaker(load_matrix("BLOSUM62", PROTEIN), recipe)


def alignment(codes: NDArray[np.uint8]) -> MasterAlignment:
    return MasterAlignment(PROTEIN, tuple(AlignedRow(f"r{number}", "", row) for number, row in enumerate(codes)))


def random_rows(rows: int, columns: int, seed: int) -> NDArray[np.uint8]:
    """Return rows that reach parts of a query, with gaps and unknown residues."""
    random = np.random.default_rng(seed)
    family = random.integers(0, 20, columns)
    codes = np.where(random.random((rows, columns)) < 0.5, family, random.integers(0, 21, (rows, columns)))
    codes[1:][random.random((rows - 1, columns)) < 0.15] = DELETION
    for row in codes[1:]:
        first, last = np.sort(random.integers(0, columns, 2))
        row[:first] = row[last + 1 :] = OUTSIDE
        row[first] = row[last] = 3
    codes[0][codes[0] > 20] = 3
    return codes.astype(np.uint8)


def by_definition(codes: NDArray[np.uint8]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return frequencies and diversity, column by column."""
    columns = codes.shape[1]
    frequencies, diversity = np.zeros((columns, 20)), np.ones(columns)
    for column in range(columns):
        rows = codes[codes[:, column] < 20]
        if not len(rows):
            continue
        near = [place for place in range(columns) if (rows[:, place] != OUTSIDE).sum() >= 0.9 * len(rows)]
        near = [place for place in near if (rows[:, place] < 20).any()]
        weights = np.zeros(len(rows))
        for place in near:
            letters, which, counts = np.unique(rows[:, place], return_inverse=True, return_counts=True)
            different = (letters < 20).sum()
            weights += np.where(rows[:, place] < 20, 1 / (counts[which] * different), 0)
        weights /= (rows < 20).sum(axis=1)
        weights /= weights.sum()
        entropies = []
        for place in near:
            shares = np.bincount(rows[:, place], weights, 256)[:20]
            shares = shares[shares > 0] / shares.sum()
            entropies.append(-(shares * np.log2(shares)).sum())
        frequencies[column] = np.bincount(rows[:, column], weights, 256)[:20]
        diversity[column] = 2 ** np.mean(entropies)
    return frequencies, diversity


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 30), (2, 17), (9, 40), (60, 90)])
def test_observed_columns_are_those_of_the_definition(rows: int, columns: int) -> None:
    codes = random_rows(rows, columns, rows)
    found, (frequencies, diversity) = observe(alignment(codes), maker()), by_definition(codes)
    np.testing.assert_allclose(found.frequencies, frequencies, atol=2e-6)
    np.testing.assert_allclose(found.diversity, diversity, rtol=1e-5)


def test_a_sequence_alone_has_diversity_one_and_its_own_residues() -> None:
    codes = PROTEIN.encode(b"MKVLWAALX")
    found = observe(alignment(codes[None]), maker())
    assert found.diversity.tolist() == [1.0] * 9
    assert found.frequencies[:8].argmax(axis=1).tolist() == codes[:8].tolist()
    assert not found.frequencies[8].any()  # an unknown residue


def test_copies_and_masked_stretches_do_not_count() -> None:
    row = PROTEIN.encode(b"MKVLWAALGHEQRTNDPCFIYSMKVLWAALGHEQRTNDPCFIYS")
    other = PROTEIN.encode(b"MKVLWAIVGHDQKTNEPCLIFSMRVLYAALGHQERTNDPSFIYT")
    once, often = (observe(alignment(np.stack([row, *[other] * times])), maker(Recipe())) for times in (1, 5))
    np.testing.assert_array_equal(once.frequencies, often.frequencies)
    low = PROTEIN.encode(b"MKVLWAALGHEQRTNDPCFIYS" + b"Q" * 30)
    assert not observe(alignment(low[None]), maker(Recipe())).frequencies[30:45].any()


def test_a_mix_is_the_observation_where_many_were_seen_and_the_context_where_none_was() -> None:
    from swgui.core.profiles.observed import ObservedColumns

    frequencies = np.zeros((3, 20), dtype=np.float32)
    frequencies[:2, 4] = 1.0
    expected = np.full((3, 20), 0.05, dtype=np.float32)
    mixed = ObservedColumns(frequencies, np.array([1.0, 8.0, 1.0], np.float32)).mixed(expected)
    np.testing.assert_allclose(mixed[:, 4], [0.28 + 0.72 * 0.05, 0.7 + 0.3 * 0.05, 0.05], rtol=1e-6)
    np.testing.assert_allclose(mixed.sum(axis=1), 1.0, rtol=1e-6)
