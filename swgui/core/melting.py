"""Melting temperatures of primers, by nearest neighbours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Final

SODIUM: Final = 0.05  # mol/l
PRIMER: Final = 250e-9  # mol/l, in excess of the template
MAX_READINGS: Final = 256  # of a primer with ambiguous bases
# Enthalpy in kcal/mol and entropy in cal/(mol K) of two neighbours with their complement: SantaLucia, PNAS 95:1460
# (1998), unified parameters at 1 mol/l of sodium.
_PAIRS: Final = {
    "AA": (-7.9, -22.2), "AT": (-7.2, -20.4), "TA": (-7.2, -21.3), "CA": (-8.5, -22.7), "GT": (-8.4, -22.4),
    "CT": (-7.8, -21.0), "GA": (-8.2, -22.2), "CG": (-10.6, -27.2), "GC": (-9.8, -24.4), "GG": (-8.0, -19.9),
}  # fmt: skip
_ENDS: Final = {"A": (2.3, 4.1), "T": (2.3, 4.1), "C": (0.1, -2.8), "G": (0.1, -2.8)}  # of each end of the duplex
_TURNED: Final = str.maketrans("ACGT", "TGCA")
_GAS, _SALT, _ZERO, _SHORTEST = 1.987, 0.368, 273.15, 8


def melting_temperature(bases: str) -> float:
    """Return the temperature in °C at which half of a primer is bound to its complement.

    Parameters
    ----------
    bases : str
        Of A, C, G and T, two at least.

    Raises
    ------
    KeyError
        If there is another letter.
    """
    parts: list[tuple[float, float]] = [_ENDS[bases[0]], _ENDS[bases[-1]]]
    parts += [_PAIRS.get(a + b) or _PAIRS[(a + b).translate(_TURNED)[::-1]] for a, b in pairwise(bases)]
    enthalpy = sum(part[0] for part in parts)
    entropy = sum(part[1] for part in parts) + _SALT * (len(bases) - 1) * math.log(SODIUM)
    return 1000 * enthalpy / (entropy + _GAS * math.log(PRIMER)) - _ZERO


def melting_range(bases: str, ambiguous: Mapping[str, Sequence[str]]) -> tuple[float, float] | None:
    """Return the lowest and the highest melting temperature of the readings of a primer.

    Parameters
    ----------
    ambiguous : mapping from str to sequence of str
        The bases that a letter stands for.

    Returns
    -------
    tuple of (float, float), in °C, or None
        None for primers of fewer than 8 bases, other letters, and more than `MAX_READINGS` readings.
    """
    letters = ["".join(ambiguous.get(base, base)) for base in bases.upper().replace("U", "T")]
    readings = math.prod(map(len, letters))
    if len(bases) < _SHORTEST or not 0 < readings <= MAX_READINGS or not set("".join(letters)) <= set("ACGT"):
        return None
    found = [melting_temperature("".join(reading)) for reading in product(*letters)]
    return min(found), max(found)


def melting_text(bases: str, ambiguous: Mapping[str, Sequence[str]]) -> str:
    """Return the melting temperature of a primer in words: ``Tm 57 °C``, ``Tm 55 to 57 °C``; empty if unknown."""
    found = melting_range(bases, ambiguous)
    if found is None:
        return ""
    low, high = map(round, found)
    return f"Tm {low} °C" if low == high else f"Tm {low} to {high} °C"
