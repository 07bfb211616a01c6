"""Location of the scores of random sequences against a model, as HMMER calibrates its own."""

from __future__ import annotations

from math import exp, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.log_odds import relative_entropy
from swgui.core.profiles.plan7 import TRANSITIONS, Plan7

Floats = NDArray[np.float64]
SEQUENCES: Final = 200
VITERBI_LENGTH: Final = 200
FORWARD_LENGTH: Final = 100
BESIDE: Final = 3.0  # nats: the cost in HMMER's filters of residues outside the model, however many there are
TAIL: Final = 0.04  # of the Forward scores
_SEED: Final = 42
_NEVER: Final = -200.0


def calibrate(model: Plan7, chance: Floats) -> tuple[float, float, float, float]:
    """Return the locations of random scores, in bits: of MSV, of Viterbi, of Forward, and the slope lambda.

    Parameters
    ----------
    chance : ndarray, shape=(K,)
        Frequencies of residues in random sequences.
    """
    entropy = float(relative_entropy(model.match, chance).mean())
    slope = log(2) + 1.44 / (len(model.match) * max(entropy, 0.01))
    random = np.random.default_rng(_SEED)
    viterbi = random.choice(len(chance), (VITERBI_LENGTH, SEQUENCES), p=chance)
    forward = random.choice(len(chance), (FORWARD_LENGTH, SEQUENCES), p=chance)
    odds = model.match / chance
    ungapped = np.full((len(odds) + 1, len(TRANSITIONS)), _NEVER)
    ungapped[:, [TRANSITIONS.index("MM"), TRANSITIONS.index("IM"), TRANSITIONS.index("DM")]] = 0.0
    msv = location(best_paths(odds, ungapped, viterbi), slope)
    best = location(best_paths(odds, model.transitions, viterbi), slope)
    return msv, best, tail(sums(odds, model.transitions, forward), slope), slope


def location(bits: Floats, slope: float) -> float:
    """Return the location of an extreme-value distribution of known slope, by maximum likelihood.

    Parameters
    ----------
    bits : ndarray, shape=(n,)
        Scores.
    """
    return float(-np.log(np.exp(-slope * bits).mean()) / slope)


def tail(bits: Floats, slope: float) -> float:
    """Return the location of an exponential tail of the slope that is as probable as the tail of the scores.

    Parameters
    ----------
    bits : ndarray, shape=(n,)
        Scores.
    """
    low, high = 0.05, 20.0  # the slope of their own distribution, by maximum likelihood
    for _ in range(60):
        middle = (low + high) / 2
        weights = np.exp(-middle * (bits - bits.min()))
        excess = 1 / middle - bits.mean() + (bits * weights).sum() / weights.sum()
        low, high = (middle, high) if excess > 0 else (low, middle)
    return location(bits, low) - log(-log(1 - TAIL)) / low + log(TAIL) / slope


def length_log_odds(length: int) -> tuple[float, float, float]:
    """Return the probabilities of another residue outside the model and of continuing, and the score with no model."""
    loop = length / (length + 3)
    return loop, 1 - loop, length * log(length / (length + 1)) + log(1 / (length + 1))


def sums(odds: Floats, transitions: Floats, residues: NDArray[np.int64]) -> Floats:
    """Return Forward scores in bits of random sequences, over all local paths with one or more passes.

    Parameters
    ----------
    odds : ndarray, shape=(m, K)
        Probabilities of residues in the model over those by chance.
    transitions : ndarray, shape=(m + 1, 7)
        Logarithms of the model's transitions.
    residues : ndarray, shape=(length, n)
        A column for each sequence.

    Returns
    -------
    ndarray, shape=(n,)
    """
    loop, move, null = length_log_odds(len(residues))
    count, positions = residues.shape[1], len(odds)
    mm, mi, md, im, ii, dm, dd = np.exp(np.maximum(transitions, _NEVER)).T[:, :, np.newaxis]
    enter = 2 / (positions * (positions + 1))
    match, insertion, deletion = (np.zeros((positions + 1, count)) for _ in range(3))
    before, again, after = np.ones(count), np.zeros(count), np.zeros(count)
    begin = before * move
    scale = np.zeros(count)
    for row in residues:
        moved = match[:-1] * mm[:-1] + insertion[:-1] * im[:-1] + deletion[:-1] * dm[:-1] + begin * enter
        new = np.zeros_like(match)
        new[1:] = moved * odds[:, row]
        insertion = match * mi + insertion * ii
        match = new
        deletion = np.zeros_like(match)
        for k in range(2, positions + 1):
            deletion[k] = match[k - 1] * md[k - 1] + deletion[k - 1] * dd[k - 1]
        end = match.sum(axis=0) + deletion.sum(axis=0)
        again, after, before = again * loop + end / 2, after * loop + end / 2, before * loop
        begin = (before + again) * move
        largest = np.maximum.reduce([before, again, after, match.max(axis=0)])
        scale += np.log(largest)
        for values in (match, insertion, deletion):
            values /= largest
        before, again, after, begin = before / largest, again / largest, after / largest, begin / largest
    return np.asarray((np.log(after * move) + scale - null) / log(2), dtype=np.float64)


def best_paths(odds: Floats, transitions: Floats, residues: NDArray[np.int64]) -> Floats:
    """Return Viterbi scores in bits of random sequences, over one or more passes; arguments as of `sums`."""
    _, move, null = length_log_odds(len(residues))
    count, positions = residues.shape[1], len(odds)
    mm, mi, md, im, ii, dm, dd = np.maximum(transitions, _NEVER).T[:, :, np.newaxis]
    emitted = np.log(np.maximum(odds, exp(_NEVER)))
    enter = log(2 / (positions * (positions + 1)))
    match, insertion, deletion = (np.full((positions + 1, count), -1e9) for _ in range(3))
    before, again, after = np.zeros(count), np.full(count, -1e9), np.full(count, -1e9)
    begin = before + log(move)
    extended = np.concatenate([[0.0, 0.0], np.cumsum(dd[1:-1, 0])])[:, np.newaxis]  # of a deletion up to k, from 1
    for row in residues:
        moved = np.maximum(match[:-1] + mm[:-1], np.maximum(insertion[:-1] + im[:-1], deletion[:-1] + dm[:-1]))
        moved = np.maximum(moved, begin + enter)
        new = np.full_like(match, -1e9)
        new[1:] = moved + emitted[:, row]
        insertion = np.maximum(match + mi, insertion + ii)
        match = new
        deletion = np.full_like(match, -1e9)
        opened = match[1:-1] + md[1:-1] - extended[2:]
        deletion[2:] = np.maximum.accumulate(opened, axis=0) + extended[2:]
        end = match.max(axis=0)
        again = np.maximum(again, end + log(0.5))
        after = np.maximum(after, end + log(0.5))
        begin = np.maximum(before, again) + log(move)
    return np.asarray((after + log(move) - BESIDE - null) / log(2), dtype=np.float64)
