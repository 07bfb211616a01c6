"""Libraries of contexts: what the residues around a position say about the residues that belong there.

A state k of a library weighs ``exp(b_k + sum_j w_k(j, x_(i+j)))`` at position i of a sequence x, j over the places of a
window around it; the probabilities of the column are the mean of those of the states (Biegert and Soeding 2009, PNAS
106:3770; the form as of Angermueller, Biegert and Soeding 2012, Bioinformatics 28:3240). `swgui.engines.native.context`
computes them.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import ProfileError
from swgui.core.profiles.log_odds import UNITS_PER_BIT, log_odds_scores
from swgui.core.score_profile import PositionGaps, ScoreProfile
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.background import background

RESIDUES: Final = "ARNDCQEGHILKMFPSTWYV"  # the first codes of `PROTEIN`, in its order
NAMED: Final = "context scores"  # name of these profiles in results
WINDOW: Final = 13  # places of a window, the position itself in its middle
MAX_STATES: Final = 100_000
MAX_WEIGHT: Final = 1e4  # natural logarithm, whatever its sign
MAX_SCALE: Final = 10.0
_TOLERANCE: Final = 1e-2  # of the sum of the probabilities of a column, which files round

Columns = NDArray[np.float32]  # shape (n, 20)


class ContextLibrary(msgspec.Struct, frozen=True, eq=False, weakref=True):
    """A library of contexts; residues are in the order of `RESIDUES`.

    Raises
    ------
    ProfileError
        If shapes do not fit, windows have another length, or a number is not finite or out of its range.
    """

    weights: NDArray[np.float32]  # natural logarithms, of each place of the window, shape (states, 13, 20)
    bias: NDArray[np.float32]  # shape (states,)
    columns: Columns  # probabilities of the residue in the middle, each row adds up to 1, shape (states, 20)
    name: str  # what results call it
    # Probabilities that those of a column are compared with, shape (20,).
    background: NDArray[np.float64] = msgspec.field(default_factory=lambda: background(PROTEIN)[: len(RESIDUES)])
    scale: float = 1.0  # factor of scores, for contexts that are less sharp than the relatives to find

    def __post_init__(self) -> None:
        for field in ("weights", "bias", "columns"):
            values = np.ascontiguousarray(getattr(self, field), dtype=np.float32)
            values.setflags(write=False)
            msgspec.structs.force_setattr(self, field, values)
        chance = np.array(self.background, dtype=np.float64)
        chance.setflags(write=False)
        msgspec.structs.force_setattr(self, "background", chance)
        self._check_shapes()
        if not all(np.isfinite(values).all() for values in (self.weights, self.bias, self.columns)):
            raise self._fault("has a number that is not finite")
        if max(float(np.abs(values).max()) for values in (self.weights, self.bias)) > MAX_WEIGHT:
            raise self._fault(f"has a weight beyond ±{MAX_WEIGHT:,.0f}")
        if (self.columns < 0).any() or (np.abs(self.columns.sum(axis=1) - 1) > _TOLERANCE).any():
            raise self._fault("has probabilities of a state that do not add up to 1")
        if not (self.background > 0).all() or abs(self.background.sum() - 1) > _TOLERANCE:
            raise self._fault("has frequencies of residues that do not add up to 1, or one of 0")
        if not 0 < self.scale <= MAX_SCALE:
            raise self._fault(f"multiplies scores by {self.scale:g}, which is not above 0 and at most {MAX_SCALE:g}")

    def _check_shapes(self) -> None:
        states = len(self.bias)
        if self.weights.ndim != 3 or self.bias.ndim != 1 or self.columns.ndim != 2 or not states:
            raise self._fault("has no states, or states without weights")
        if states > MAX_STATES:
            raise self._fault(f"has {states:,} states, and {MAX_STATES:,} are the most")
        if {self.weights.shape[2], self.columns.shape[1], *self.background.shape} != {len(RESIDUES)}:
            letters = self.weights.shape[2]
            raise self._fault(f"is of an alphabet of {letters} residues, and proteins have {len(RESIDUES)}")
        if self.weights.shape[1] != WINDOW:
            raise self._fault(f"has windows of {self.weights.shape[1]} residues, not {WINDOW}")
        if len(self.weights) != states or len(self.columns) != states:
            counts = f"{len(self.weights):,} states with weights, {len(self.columns):,} with probabilities"
            raise self._fault(f"has {counts} and {states:,} with a bias")

    def _fault(self, what: str) -> ProfileError:
        return ProfileError(
            f"The context library '{self.name}' {what}.",
            hint="Take another copy of the file, or leave it out to use the library of the program.",
        )

    def __len__(self) -> int:
        return len(self.bias)


def residue_counts(codes: NDArray[np.uint8]) -> Columns:
    """Return a count of 1 for the residue at each position; none where it is not one of `RESIDUES`.

    Parameters
    ----------
    codes : ndarray, shape=(n,), dtype=uint8
        Of `PROTEIN`.

    Returns
    -------
    ndarray, shape=(n, 20), dtype=float32
    """
    counts = np.zeros((len(codes), len(RESIDUES)), dtype=np.float32)
    known = np.flatnonzero(codes < len(RESIDUES))
    counts[known, codes[known]] = 1.0
    return counts


def context_profile(
    codes: NDArray[np.uint8], columns: Columns, contexts: ContextLibrary, scheme: ScoringScheme
) -> ScoreProfile:
    """Return the scores of a query by the probabilities of a library: their log-odds, times its scale.

    Symbols of the query other than the 20 residues score as the matrix of the scheme has them.

    Parameters
    ----------
    codes : ndarray, shape=(n,), dtype=uint8
        The query, in `PROTEIN`.
    columns : ndarray, shape=(n, 20)
        Probabilities of residues at each position.
    contexts : ContextLibrary
    scheme : ScoringScheme
        In the units of profiles; its gap costs are those of each position.
    """
    scores = log_odds_scores(columns.astype(np.float64), PROTEIN, contexts.background, contexts.scale)
    other = codes >= len(RESIDUES)
    scores[other] = scheme.matrix.scores[codes[other]]
    gaps = PositionGaps.constant(len(codes), scheme.gap_first, scheme.gap_extend)
    return ScoreProfile(f"{NAMED} ({contexts.name})", PROTEIN, scores, gaps, UNITS_PER_BIT)
