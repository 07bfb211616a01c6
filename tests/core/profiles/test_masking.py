"""Residues that count as unknown in rows of an alignment: low complexity and coiled coils."""

import math

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.alignment import DELETION, OUTSIDE
from swgui.core.statistics.masking import low_complexity
from swgui.engines.native.rows import coil_score
from tests.core.profiles.reference import MASKED, WINDOW, coiled_coils, masked_rows

ZIPPER = "RMKQLEDKVEELLSKNYHLENEVARLKKLVGER"  # GCN4: O'Shea, Klemm, Kim and Alber 1991
GLOBULAR = "MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAH"


def coded(*texts):
    return np.concatenate([PROTEIN.encode(text.encode()) for text in texts]), np.cumsum([0, *map(len, texts)])


def matrix(*texts):
    width = max(map(len, texts))
    rows = np.full((len(texts), width), OUTSIDE, dtype=np.uint8)
    for row, text in zip(rows, texts, strict=True):
        row[: len(text)] = PROTEIN.encode(text.encode())
    return rows


def test_a_leucine_zipper_is_a_coiled_coil_and_a_globin_is_not():
    found = coiled_coils(*coded(GLOBULAR, GLOBULAR[:40] + ZIPPER + GLOBULAR[40:], ZIPPER[: WINDOW - 1]))
    assert not found[: len(GLOBULAR)].any()
    inside = np.flatnonzero(found[len(GLOBULAR) :])
    assert inside.min() >= 35
    assert inside.max() <= 40 + len(ZIPPER) + 5
    assert len(inside) >= WINDOW


def test_every_frame_counts_and_windows_end_with_their_sequence():
    for ahead in range(7):
        assert coiled_coils(*coded(GLOBULAR[:ahead] + ZIPPER)).sum() >= WINDOW
    halves = coded(ZIPPER[:17], ZIPPER[17:])
    assert not coiled_coils(*halves).any()
    assert not coiled_coils(*coded("")).any()


@pytest.mark.parametrize("least", [0.1, 0.5, 0.9])
def test_the_limit_of_the_score_has_the_probability(least):
    score = coil_score(least)
    coiled, globular = (math.exp(-(((score - mean) / 0.18) ** 2) / 2) for mean in (1.69, 0.80))
    assert coiled / (30 * globular + coiled) == pytest.approx(least)


def test_rows_are_masked_as_their_residues_alone_and_the_query_keeps_its_coils(rng):
    low = "".join(rng.choice(list("QQQN"), 30))
    texts = ZIPPER + GLOBULAR, GLOBULAR[:50] + low + GLOBULAR[50:], GLOBULAR[:20] + ZIPPER, low
    rows = matrix(*texts)
    rows[1, 10:14] = DELETION
    both = masked_rows(rows, PROTEIN, low=True, coils=True)
    hidden = both == MASKED
    assert (both[~hidden] == rows[~hidden]).all()
    assert not hidden[0].any()
    assert hidden[2, 21:48].all()
    only = masked_rows(rows, PROTEIN, low=True, coils=False)
    for row, masked in zip(rows, only, strict=True):
        residue = np.flatnonzero(row < DELETION)
        expected = row.copy()
        for first, last in low_complexity(row[residue], PROTEIN):
            expected[residue[first:last]] = MASKED
        assert masked.tolist() == expected.tolist()
    assert (only == MASKED).any(axis=1).tolist() == [False, True, False, True]
    assert (masked_rows(rows, PROTEIN, low=False, coils=False) == rows).all()
