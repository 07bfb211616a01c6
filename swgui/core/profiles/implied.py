"""The model that the scores of a profile imply."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.log_odds import UNITS_PER_BIT, plain_letters
from swgui.core.profiles.plan7 import TRANSITIONS, Plan7
from swgui.core.score_profile import ScoreProfile
from swgui.core.statistics.background import background

Floats = NDArray[np.float64]
_RARELY: Final = 1e-6
_OPENED: Final = 0.25  # at most, of either kind of gap
_EXTENDED: Final = 0.9  # at most


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


def implied_model(profile: ScoreProfile) -> Plan7:
    """Return a model of HMMER3 for a profile.

    A gap opens with the probability ``2^-first`` and is extended with ``2^-extend``, both in bits. Closing it costs the
    rest of that, which the profile does not charge; so a gap costs more in the model, as in those of HMMER.
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
