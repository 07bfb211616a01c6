"""Coordinates and confidence of chains in few bytes: six for each residue, and one more of predicted models."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Coordinates: TypeAlias = NDArray[np.float32]  # shape (residues, 3), in ångström; nan where there are none

_FRAME: Final = 16  # bytes before all: the middle of the chain, and the length of a step
_PLACE: Final = 6  # bytes of a residue
_STEP: Final = 0.01  # ångström; longer for chains that reach further than 327 Å from their middle
_REACH: Final = 32767
_MISSING: Final = -32768
_PLDDT_STEPS: Final = 2.0  # of each unit of confidence


class Places(NamedTuple):
    """Positions of the CA atoms of a chain, in ångström, shape (residues, 3), and the confidence of each, 0 to 100."""

    ca: Coordinates
    plddt: NDArray[np.float32] | None = None


def pack(places: Places) -> bytes:
    """Return places and confidence as bytes; `unpack` gives them back to 0.005 Å and a quarter of a unit."""
    frame, steps = _steps(places.ca)
    plddt = b"" if places.plddt is None else np.rint(np.clip(places.plddt, 0, 100) * _PLDDT_STEPS).astype(np.uint8)
    return frame.astype("<f4").tobytes() + steps.astype("<i2").tobytes() + bytes(plddt)


def unpack(packed: bytes, residues: int) -> Places | None:
    """Return the arguments of `pack`; None if they have another number of residues."""
    end = _FRAME + _PLACE * residues
    if len(packed) not in (end, end + residues) or not residues:
        return None
    frame = np.frombuffer(packed, "<f4", 4)
    steps = np.frombuffer(packed, "<i2", 3 * residues, _FRAME).reshape(-1, 3)
    ca: Coordinates = steps.astype(np.float32) * frame[3] + frame[:3]
    ca[steps[:, 0] == _MISSING] = np.nan
    plddt = np.frombuffer(packed, np.uint8, -1, end).astype(np.float32) / np.float32(_PLDDT_STEPS)
    return Places(ca, plddt if len(packed) > end else None)


def _steps(ca: Coordinates) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
    """Return the frame of a chain, shape (4,), and its coordinates in steps from the middle, shape (residues, 3)."""
    resolved = ca[~np.isnan(ca).any(axis=1)]
    if not len(resolved):
        return np.array([0, 0, 0, _STEP], np.float32), np.full(ca.shape, _MISSING, np.int16)
    middle = resolved.mean(axis=0, dtype=np.float64).astype(np.float32)
    step = np.float32(max(_STEP, float(np.abs(resolved - middle).max()) / _REACH))
    steps = np.rint((ca - middle) / step)
    return np.array([*middle, step], np.float32), np.where(np.isnan(steps), _MISSING, steps).astype(np.int16)
