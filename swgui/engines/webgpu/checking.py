"""A kernel's scores of made-up pairs next to those of the plain form: a driver that miscompiles it is found out."""

from __future__ import annotations

import functools
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.score_profile import PositionGaps
from swgui.engines.rowscan import local_scores
from swgui.engines.webgpu.card import Card, prepare
from swgui.engines.webgpu.layout import lay_out
from swgui.engines.webgpu.shader import SUBJECTS, Shape

PAIRS: Final = 2 * SUBJECTS  # two workgroups
GAP_FIRST: Final = 12
GAP_EXTEND: Final = 1
MAX_LENGTH: Final = 90  # residues of a subject: above the steps in which the lanes of a cluster wait for each other


class _Pairs(msgspec.Struct, frozen=True, eq=False):
    """A profile, subjects, longest first, and their scores."""

    profile: NDArray[np.int16]
    codes: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    gaps: PositionGaps | None
    scores: NDArray[np.int64]


@functools.lru_cache(maxsize=8)
def _pairs(letters: int, length: int, *, by_position: bool) -> _Pairs:
    """Make pairs up; half of the subjects are pieces of the query with errors."""
    rng = np.random.default_rng(letters)
    profile = rng.integers(-6, 3, (length, letters)).astype(np.int16)
    query = rng.integers(0, letters, length).astype(np.uint8)
    profile[np.arange(length), query] = rng.integers(4, 12, length)
    lengths = np.sort(rng.integers(1, MAX_LENGTH, PAIRS))[::-1].astype(np.int64)
    codes = rng.integers(0, letters, int(lengths.sum())).astype(np.uint8)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    for subject in range(0, PAIRS, 2):
        own = slice(offsets[subject], offsets[subject + 1])
        start = int(rng.integers(0, max(1, length - int(lengths[subject]))))
        piece = np.resize(query[start:], int(lengths[subject]))
        codes[own] = np.where(rng.random(len(piece)) < 0.8, piece, codes[own])
    gaps = None
    if by_position:
        first, extend = rng.integers(4, 14, (2, length)), rng.integers(0, 4, (2, length))
        gaps = PositionGaps(*(costs.astype(np.int16) for costs in (first[0], extend[0], first[1], extend[1])))
    scores = local_scores(profile, codes, offsets, GAP_FIRST, GAP_EXTEND, gaps=gaps)
    if scores is None:
        raise RuntimeError("Nothing stops the plain form here.")
    return _Pairs(profile, codes, lengths, gaps, scores.astype(np.int64))


def is_right(card: Card, shape: Shape) -> bool:
    """Return True if a kernel gives the scores of `PAIRS` pairs, over two tiles and a part of a third.

    Raises
    ------
    EngineFault
        If it cannot be compiled or launched.
    """
    pairs = _pairs(shape.letters - 1, 2 * shape.tile + 3, by_position=shape.gaps)
    known = card.bring(lay_out(pairs.codes, pairs.lengths, shape.letters - 1), len(pairs.codes))
    try:
        query = prepare(shape, pairs.profile, GAP_FIRST, GAP_EXTEND, pairs.gaps)
        scores = card.score(known, [query], lambda: False)
    finally:
        card.drop(known)
    return scores is not None and np.array_equal(scores[0], np.minimum(pairs.scores, shape.arithmetic.limit))
