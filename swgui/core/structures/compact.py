"""Coordinates and confidence of chains in few bytes: six and one for each residue."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.structures.chain import Coordinates

FRAME: Final = 4  # numbers for each chain: the middle of it, and the length of a step
_STEP: Final = 0.01  # ångström; longer for chains that reach further than 327 Å from their middle
_REACH: Final = 32767
_MISSING: Final = -32768
_PLDDT_STEPS: Final = 2.0  # of each unit of confidence
NO_PLDDT: Final = 255


def pack_places(ca: Coordinates) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
    """Return the frame of a chain, shape (4,), and its coordinates in steps from the middle, shape (residues, 3)."""
    known = ca[~np.isnan(ca).any(axis=1)]
    if not len(known):
        return np.array([0, 0, 0, _STEP], np.float32), np.full(ca.shape, _MISSING, np.int16)
    middle = known.mean(axis=0, dtype=np.float64)
    step = max(_STEP, float(np.abs(known - middle).max()) / _REACH)
    steps = np.rint((ca - middle) / step)
    frame = np.array([*middle, step], np.float32)
    return frame, np.where(np.isnan(steps), _MISSING, steps).astype(np.int16)


def unpack_places(frame: NDArray[np.float32], steps: NDArray[np.int16]) -> Coordinates:
    """Return the coordinates in ångström, shape (residues, 3); nan where there are none."""
    places: Coordinates = steps.astype(np.float32) * frame[3] + frame[:3]
    places[steps[:, 0] == _MISSING] = np.nan
    return places


def pack_plddt(plddt: NDArray[np.float32] | None, residues: int) -> NDArray[np.uint8]:
    """Return the confidence of each residue in half units, shape (residues,)."""
    if plddt is None:
        return np.full(residues, NO_PLDDT, np.uint8)
    steps: NDArray[np.uint8] = np.rint(np.clip(plddt, 0, 100) * _PLDDT_STEPS).astype(np.uint8)
    return steps


def unpack_plddt(steps: NDArray[np.uint8]) -> NDArray[np.float32] | None:
    """Return the confidence of each residue, 0 to 100; None where the structure was measured."""
    if not len(steps) or steps[0] == NO_PLDDT:
        return None
    return steps.astype(np.float32) / np.float32(_PLDDT_STEPS)
