"""Scores and subjects that bring kernels to the edges of their tiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LETTERS = 27


@dataclass(frozen=True, kw_only=True)
class Scores:
    """The kind of scores that a variant of a kernel is tried with."""

    gap_first: int = 12
    gap_extend: int = 1
    lowest: int = -4
    highest: int = 11
    dpx: bool = True
    letters: int = LETTERS


def matrix_of(rng: np.random.Generator, case: Scores) -> np.ndarray:
    """Return asymmetric scores, shape (letters, letters), mostly negative: local alignments stay local."""
    matrix = rng.integers(case.lowest, case.highest + 1, (case.letters, case.letters))
    return np.where(rng.random(matrix.shape) < 0.7, np.minimum(matrix, case.lowest // 4), matrix)


def related(rng: np.random.Generator, query: np.ndarray, letters: int) -> np.ndarray:
    """Return a piece of the query with changes and a gap, between random residues; codes, dtype uint8."""
    piece = query[: int(rng.integers(1, len(query) + 1))]
    piece = np.where(rng.random(len(piece)) < 0.2, rng.integers(0, letters, len(piece)), piece)
    cut = int(rng.integers(0, len(piece) + 1))
    parts = [rng.integers(0, letters, 3), piece[:cut], rng.integers(0, letters, int(rng.integers(0, 4))), piece[cut:]]
    return np.concatenate(parts).astype(np.uint8)
