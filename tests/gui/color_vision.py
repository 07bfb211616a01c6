"""How far apart two colours are, for full colour vision and for the three deficiencies.

Simulation of deficient colour vision: Machado, Oliveira and Fernandes 2009, full severity, applied to
linear sRGB. Distance: CIELAB 1976 under D65.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from swgui.gui.viewer.residues.schemes import linear

DEFICIENCIES: dict[str, NDArray[np.float64]] = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = np.array([0.95047, 1.0, 1.08883])


def lab(color: str, deficiency: str = "none") -> NDArray[np.float64]:
    """Return L*, a*, b* of a colour as seen with a deficiency, shape (3,)."""
    seen = np.clip(DEFICIENCIES[deficiency] @ linear(color), 0, 1)
    ratio = _XYZ @ seen / _WHITE
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one: str, other: str, deficiency: str = "none") -> float:
    """Return the CIELAB distance of two colours as seen with a deficiency; below about 10 they look alike."""
    return float(np.linalg.norm(lab(one, deficiency) - lab(other, deficiency)))


def smallest_distance(colors: list[str], deficiency: str = "none") -> float:
    """Return the distance of the two colours that are hardest to tell apart; infinity for fewer than two."""
    return min((distance(a, b, deficiency) for a, b in combinations(colors, 2)), default=float("inf"))
