"""The judge of the correction's compiled code, in NumPy: shuffled copies, and the roots that lambdas are logarithms of.

Shuffled copies of a stretch of a sequence are the same on every computer and in any order.

There is no state that a copy would leave behind: the number of a copy, its kind, the stretch and a seed give its
random numbers. With ``mixed`` the last step of SplitMix64 (Steele, Lea and Flood 2014) and all sums modulo 2^64::

    sum   = seed * GOLDEN + mixed(32 * 0 + code 0) + mixed(32 * 1 + code 1) + ...
    key   = mixed(mixed(sum + kind) + number)
    words = mixed(key + GOLDEN), mixed(key + 2 * GOLDEN), ...      each two draws of 32 bits, the low one first

To shuffle n things, thing k is exchanged with thing ``draw k * (k + 1) >> 32``, for k = 1 ... n - 1 (Fisher and
Yates).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.judging.correction_work import PERIODS, REVERSED, WINDOWS

GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
NEWTON_STEPS: Final = 40
LONGEST_PERIOD: Final = 255

_Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def mixed(words: _Words) -> _Words:
    """Return the outputs of SplitMix64 for the given states."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def copies(codes: NDArray[np.uint8], kind: int, width: int, numbers: NDArray[np.int64], seed: int) -> NDArray[np.uint8]:
    """Make copies of a stretch, shape (count, n); parameters as for `orders`."""
    return np.asarray(codes[orders(codes, kind, width, numbers, seed)])


def orders(codes: NDArray[np.uint8], kind: int, width: int, numbers: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Return the residue of a stretch at each place of its copies.

    Parameters
    ----------
    codes : ndarray, shape=(n,), dtype=uint8
        Below 32.
    kind : int
        `WHOLE`, `WINDOWS` or `PERIODS`.
    width : int
        Residues of a window, or of a period (at most `LONGEST_PERIOD`).
    numbers : ndarray, shape=(count,)
        Of the copies, from 0, or `REVERSED`.
    seed : int
        0 or more.

    Returns
    -------
    ndarray, shape=(count, n), dtype=int64
    """
    n = codes.size
    at = np.arange(n, dtype=np.uint64)
    first = np.array([seed], dtype=np.uint64) * GOLDEN + mixed(np.uint64(32) * at + codes).sum(dtype=np.uint64)
    keys = mixed(mixed(first + np.uint64(kind)) + numbers.astype(np.uint64))
    if kind == PERIODS:
        order = np.tile(np.arange(width), (len(numbers), 1))
        _shuffle(order, _draws(keys, width))
        places = (np.arange(-(-n // width))[:, np.newaxis] * width + order[:, np.newaxis, :]).reshape(len(numbers), -1)
        made = places[places < n].reshape(len(numbers), n)
    else:
        width = min(width, n) if kind == WINDOWS else n
        made, draws = np.tile(np.arange(n), (len(numbers), 1)), _draws(keys, n)
        whole = n - n % max(width, 1)
        windows = len(numbers), -1, max(width, 1)
        _shuffle(made[:, :whole].reshape(windows), draws[:, :whole].reshape(windows))
        _shuffle(made[:, whole:], draws[:, whole:])
    made[numbers == REVERSED] = np.arange(n)[::-1]
    return made


def _draws(keys: _Words, count: int) -> _Words:
    """Return draws of 32 bits, shape (keys, count)."""
    words = mixed(keys[:, np.newaxis] + np.arange(1, count // 2 + 2, dtype=np.uint64) * GOLDEN)
    both = np.stack([words & np.uint64(0xFFFFFFFF), words >> np.uint64(32)], axis=-1)
    return both.reshape(len(keys), -1)[:, :count]


def _shuffle(things: NDArray[np.integer], draws: _Words) -> None:
    """Shuffle along the last axis, in place."""
    for k in range(1, things.shape[-1]):
        other = ((draws[..., k] * np.uint64(k + 1)) >> np.uint64(32)).astype(np.int64)[..., np.newaxis]
        kept = things[..., k].copy()
        things[..., k] = np.take_along_axis(things, other, axis=-1)[..., 0]
        np.put_along_axis(things, other, kept[..., np.newaxis], axis=-1)


def solve_bases(queries: Floats, subjects: Floats, groups: Sequence[Ints], values: Ints, above: Floats) -> Floats:
    """Do as `CorrectionWork.solve_bases`, which sums up in the same order: the same to the last bit."""
    weights, begin = [], 0
    for group in groups:
        some = slice(begin, begin + len(group))
        weights.append(weights_of(queries[:, some], subjects[:, some], group, int(group.max()) + 1))
        begin = some.stop
    if len(groups) == 1:
        return bases_of(values, weights[0], above)
    sums = np.zeros((len(values), len(subjects)))
    for at, weight in enumerate(weights[0]):
        for beside, other in enumerate(weights[1], at):
            sums[beside] += weight * other
    return bases_of(values, sums, above)


def weights_of(queries: Floats, subjects: Floats, groups: NDArray[np.int64], count: int) -> Floats:
    """Return how often each score occurs, shape (count, n)."""
    weights = np.zeros((count, len(subjects)))
    for a, row in enumerate(groups.tolist()):
        for b, group in enumerate(row):
            weights[group] += queries[:, a] * subjects[:, b]
    return weights


def bases_of(values: NDArray[np.int64], weights: Floats, above: Floats) -> Floats:
    """Solve ``sum of weights * base^values = 1`` for base > 1, as `solve_bases`.

    Parameters
    ----------
    values : ndarray, shape=(different scores,)
        Ascending.
    weights : ndarray, shape=(different scores, n)
    """
    mean = np.zeros(weights.shape[1])
    for value, weight in zip(values.tolist(), weights, strict=True):
        mean += weight * value
    moving = mean < 0
    bases: Floats = np.where(moving, above, 1.0)
    for _ in range(NEWTON_STEPS):
        total, slope = _sums(values.tolist(), weights, bases)
        moving &= (total > 1) & (slope > 0)
        share = np.where(moving, (total - 1) / np.where(slope > 0, slope, 1.0), 0.0)
        bases = np.where(moving, np.maximum(bases - bases * share, 1.0), bases)
        moving &= share > 1e-9
        if not moving.any():
            break
    return bases


def _sums(values: list[int], weights: Floats, bases: Floats) -> tuple[Floats, Floats]:
    """Return the sum of weights times powers, and the same times the values: upwards from 0, then downwards."""
    total, slope = np.zeros(len(bases)), np.zeros(len(bases))
    positive = next(at for at, value in enumerate([*values, 1]) if value > 0)
    upwards, downwards = range(positive, len(values)), range(positive - 1, -1, -1)
    for base, places in ((bases, upwards), (1 / bases, downwards)):
        power, reached = np.ones(len(bases)), 0
        for at in places:
            power = power * _raised(base, abs(values[at] - reached))
            reached = values[at]
            total += weights[at] * power
            slope += weights[at] * power * reached
    return total, slope


def _raised(base: Floats, exponent: int) -> Floats:
    power = np.ones(len(base))
    while exponent:
        if exponent & 1:
            power = power * base
        base, exponent = base * base, exponent >> 1
    return power
