"""One protein chain of a structure file: residues, 3Di symbols, coordinates and confidence, residue by residue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.features import Feature
from swgui.core.structures.compact import Coordinates, Places, pack

UNKNOWN_SHAPE: Final = ord("X")  # the symbol of a residue whose shape is not known, or was masked
PLDDT_FULL: Final = 100.0
LOW_PLDDT: Final = 70.0
VERY_LOW_PLDDT: Final = 50.0


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain as it was read."""

    id: str  # ``1tim:A``, or the name of the file alone where it holds one chain
    description: str  # its kind in the file
    residues: bytes  # upper-case letters of the protein alphabet; every residue that has a CA atom
    shape: bytes  # 3Di symbols, as many; empty if the backbone is not complete enough for them
    ca: Coordinates  # places of the CA atoms, shape (residues, 3), in ångström
    # Confidence of a predicted model, 0 to 100, shape (residues,); None for measured structures.
    plddt: NDArray[np.float32] | None = None

    @property
    def places(self) -> bytes:
        """Coordinates and confidence in few bytes."""
        return pack(Places(self.ca, self.plddt))

    @property
    def features(self) -> tuple[Feature, ...]:
        """Stretches of low confidence of a model, as AlphaFold DB names them: below 70 low, below 50 very low."""
        if self.plddt is None:
            return ()
        very_low = self.plddt < VERY_LOW_PLDDT
        kinds = (("LOW_PLDDT", (self.plddt < LOW_PLDDT) & ~very_low), ("VERY_LOW_PLDDT", very_low))
        features = (
            Feature(kind, ((start, end),), _range(self.plddt[start:end]))
            for kind, where in kinds
            for start, end in _stretches(where)
        )
        return tuple(sorted(features, key=lambda feature: feature.start))

    def __len__(self) -> int:
        return len(self.residues)

    def masked(self, minimum: float) -> bytes:
        """Return the 3Di symbols, unknown where the confidence of a model is below `minimum`."""
        if self.plddt is None or not self.shape:
            return self.shape
        symbols = np.frombuffer(self.shape, np.uint8).copy()
        symbols[self.plddt < minimum] = UNKNOWN_SHAPE
        return symbols.tobytes()


def _stretches(where: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the half-open ranges in which something is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]).astype(np.int8)))
    return [(int(start), int(end)) for start, end in edges.reshape(-1, 2)]


def _range(plddt: NDArray[np.float32]) -> str:
    low, high = round(float(plddt.min())), round(float(plddt.max()))
    return f"pLDDT {low}" if low == high else f"pLDDT {low} to {high}"
