"""3Di symbols of a backbone: the alphabet of Foldseek (van Kempen et al. 2023), by the package mini3di.

The symbols are Foldseek's: the first and the last residue, and those whose surroundings lack an atom, have the symbol
D, as published.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import SequenceError
from swgui.io.structures.backbone import Backbone

_SHORTEST: Final = 3  # residues; a shorter chain has no inner residue
_INVALID: Final = b"D"  # Foldseek's symbol of residues that it cannot tell
_MIN_COMPLETE: Final = 0.5  # of the residues with N, CA and C, or the chain has no shape


def shape_of(backbone: Backbone) -> bytes:
    """Return the 3Di symbols of a chain, one for each residue.

    Returns
    -------
    bytes
        Empty if more than half of the residues lack N or C, as in models of CA alone.
    """
    count = len(backbone.residues)
    n, ca, c, cb = backbone.atoms
    complete = ~np.isnan(backbone.atoms[:3]).any(axis=(0, 2))
    if not count or complete.mean() < _MIN_COMPLETE:
        return b""
    if count < _SHORTEST:
        return _INVALID * count
    with np.errstate(invalid="ignore", divide="ignore"):
        states: NDArray[np.uint8] = _encoder().encode_atoms(ca=ca, cb=cb, n=n, c=c).filled()
    symbols: NDArray[np.uint8] = _symbols()[states]
    return symbols.tobytes()


@cache
def _encoder() -> Any:
    try:
        import mini3di
    except ImportError as fault:
        message = "3Di symbols are made by the package mini3di, which is not installed."
        raise SequenceError(message, hint="Install it with: pip install mini3di") from fault
    return mini3di.Encoder()


@cache
def _symbols() -> NDArray[np.uint8]:
    return np.frombuffer(b"ACDEFGHIKLMNPQRSTVWY", np.uint8)
