"""Models of HMMER3: read as profiles, implied by profiles, and how high they score by chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.log_odds import UNITS_PER_BIT, plain_letters
from swgui.core.score_profile import PositionGaps, ScoreProfile
from swgui.core.statistics.background import background

Floats = NDArray[np.float64]

NEVER: Final = 4000  # units: 500 bits, more than any alignment outweighs
TRANSITIONS: Final = ("MM", "MI", "MD", "IM", "II", "DM", "DD")
SEQUENCES: Final = 200
VITERBI_LENGTH: Final = 200
FORWARD_LENGTH: Final = 100
BESIDE: Final = 3.0  # nats: what HMMER's filters take for residues beside the model, however many there are
TAIL: Final = 0.04  # of the Forward scores
_SEED: Final = 42
_NEVER: Final = -200.0
_RARELY: Final = 1e-6
_OPENED: Final = 0.25  # at most, of either kind of gap
_EXTENDED: Final = 0.9  # at most


@dataclass(frozen=True, slots=True, eq=False)
class Plan7:
    """A model of M match states."""

    match: Floats = field(repr=False)  # probability of each plain residue at each match state, shape (M, K)
    # Natural logarithms of the probabilities `TRANSITIONS` that lead out of each node, node 0 first, shape (M + 1,
    # 7).
    transitions: Floats = field(repr=False)


def local_profile(model: Plan7, background: Floats) -> tuple[NDArray[np.int16], PositionGaps]:
    """Return what local Viterbi scores of a model are made of.

    Scores and costs are rounded to whole units. Costs are clipped to those that `PositionGaps` takes: an insertion
    costs 0 or more and its extension no more than its first residue; ``phi`` is lowered where a deletion as a whole
    would add to a score. What is impossible costs `NEVER`.

    Parameters
    ----------
    background : ndarray, shape=(K,)
        Frequencies of the plain residues in what is searched.

    Returns
    -------
    scores : ndarray, shape=(M, K), dtype=int16
    gaps : PositionGaps
    """
    units = UNITS_PER_BIT / log(2)
    mm, mi, md, im, ii, dm, dd = np.maximum(model.transitions, -NEVER / units).T
    with np.errstate(divide="ignore"):
        emitted = np.log(model.match / background)
    entered = np.concatenate([[0.0], mm[1:-1]])  # of position 1, nothing: every path may begin there
    scores = _whole(units * np.maximum(emitted + entered[:, None], -NEVER / units))
    first = np.clip(_whole(units * (mm - mi - im))[1:], 0, NEVER)
    extend = np.clip(_whole(-units * ii)[1:], 0, first)
    opened, extended = _deletions(_whole(-units * md), _whole(-units * dd), _whole(units * (dm - mm)))
    costs = (first, extend, opened, extended)
    return scores.astype(np.int16), PositionGaps(*(cost.astype(np.int16) for cost in costs))


def _whole(values: Floats) -> NDArray[np.int64]:
    return np.rint(values).astype(np.int64)


def _deletions(
    md: NDArray[np.int64], dd: NDArray[np.int64], phi: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return costs of opening and extending deletions at each position, from whole costs of nodes 0 to M."""
    phi = phi.copy()
    phi[-1] = 0  # nothing follows the last position
    cheapest = 2 * NEVER
    for k in range(1, len(phi)):
        cheapest = min(int(md[k - 1]), cheapest + int(dd[k - 1]))
        phi[k] = min(phi[k], cheapest)  # a deletion that ends here costs 0 or more
    opened = md[:-1] - phi[1:]
    extended = dd[:-1] - phi[1:] + np.concatenate([[0], phi[1:-1]])
    return opened, np.minimum(extended, opened)


def calibrate(model: Plan7, chance: Floats) -> tuple[float, float, float, float]:
    """Return where scores of random sequences lie, in bits: of MSV, of Viterbi, of Forward, and the slope lambda.

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
    msv = _location(_best(odds, ungapped, viterbi), slope)
    best = _location(_best(odds, model.transitions, viterbi), slope)
    return msv, best, _tail(_sums(odds, model.transitions, forward), slope), slope


def _location(bits: Floats, slope: float) -> float:
    """Return the location of an extreme-value distribution of known slope, by maximum likelihood."""
    return float(-np.log(np.exp(-slope * bits).mean()) / slope)


def _tail(bits: Floats, slope: float) -> float:
    """Return where an exponential tail of the slope lies that is as probable as that of the scores."""
    low, high = 0.05, 20.0  # the slope of their own distribution, by maximum likelihood
    for _ in range(60):
        middle = (low + high) / 2
        weights = np.exp(-middle * (bits - bits.min()))
        excess = 1 / middle - bits.mean() + (bits * weights).sum() / weights.sum()
        low, high = (middle, high) if excess > 0 else (low, middle)
    return _location(bits, low) - log(-log(1 - TAIL)) / low + log(TAIL) / slope


def _lengths(length: int) -> tuple[float, float, float]:
    """Return the probability of one more residue beside the model, of going on, and the score of no model at all."""
    loop = length / (length + 3)
    return loop, 1 - loop, length * log(length / (length + 1)) + log(1 / (length + 1))


def _sums(odds: Floats, transitions: Floats, residues: NDArray[np.int64]) -> Floats:
    """Return Forward scores in bits of random sequences, over all local paths with one or more passes."""
    loop, move, null = _lengths(len(residues))
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


def _best(odds: Floats, transitions: Floats, residues: NDArray[np.int64]) -> Floats:
    """Return Viterbi scores in bits of random sequences, over local paths with one or more passes."""
    _, move, null = _lengths(len(residues))
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


def implied_frequencies(profile: ScoreProfile) -> Floats:
    """Return the frequencies Q of residues for which the scores of a profile are log-odds.

    Returns
    -------
    ndarray, shape=(m, letters), dtype=float64
        ``Q(b) ~ P(b) 2^(s(b) / units a bit)``; every row adds up to 1.
    """
    letters = plain_letters(profile.alphabet)
    bits = profile.scores[:, :letters] / (profile.units_per_bit or UNITS_PER_BIT)
    weighted = background(profile.alphabet)[:letters] * np.exp2(bits)
    return np.asarray(weighted / weighted.sum(axis=1, keepdims=True), dtype=np.float64)


def relative_entropy(frequencies: Floats, chance: Floats) -> Floats:
    """Return how far the frequencies of each position are from chance, in bits; shape (m,)."""
    safe = np.maximum(frequencies, 1e-12)
    return np.asarray((frequencies * np.log2(safe / chance)).sum(axis=1), dtype=np.float64)


def implied_model(profile: ScoreProfile) -> Plan7:
    """Return a model of HMMER3 for a profile.

    A gap opens with the probability ``2^-first`` and is extended with ``2^-extend``, both in bits. To close it costs
    what is left of that, which the profile does not ask for; so a gap is dearer in the model, as in those of HMMER.
    """
    units = profile.units_per_bit or UNITS_PER_BIT
    insertion, longer, deletion, skipped = (costs / units for costs in profile.gaps.columns)
    nodes = np.zeros((len(profile) + 1, len(TRANSITIONS)))
    mi, md = np.zeros(len(nodes)), np.zeros(len(nodes))
    ii, dd = np.full(len(nodes), 0.5), np.full(len(nodes), 0.5)
    mi[1:], ii[1:] = np.exp2(-insertion), np.exp2(-longer)
    md[:-1], dd[:-1] = np.exp2(-deletion), np.exp2(-skipped)  # out of the node before the position
    mi[0] = mi[1]
    mi, md = np.clip(mi, _RARELY, _OPENED), np.clip(md, _RARELY, _OPENED)
    ii, dd = np.clip(ii, _RARELY, _EXTENDED), np.clip(dd, _RARELY, _EXTENDED)
    md[-1], dd[-1] = 0.0, 0.0  # the last node leads to the end
    dd[0] = 0.0
    nodes.T[:] = (1 - mi - md, mi, md, 1 - ii, ii, 1 - dd, dd)
    with np.errstate(divide="ignore"):
        return Plan7(implied_frequencies(profile), np.log(nodes))
