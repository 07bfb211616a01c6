"""Similarity of two sequences: identities, coverages and the limits of a pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import InvalidParameter
from swgui.core.network.edges import Edges, Lengths

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
TINY: Final = 1e-12  # numbers of residues are whole: two different shares are further apart


@dataclass(frozen=True, slots=True)
class Measure:
    """A way to put a number to a pair.

    Parameters
    ----------
    of : callable
        Takes pairs and the lengths of their sequences; returns shares of 1, shape (n,).
    """

    name: str
    meaning: str
    of: Callable[[Edges, Lengths], _Floats]


def _over(denominator: Callable[[Edges, Lengths], NDArray[np.integer]]) -> Callable[[Edges, Lengths], _Floats]:
    return lambda edges, lengths: edges.identities / np.maximum(denominator(edges, lengths), 1)


IDENTITIES: Final = {
    measure.name: measure
    for measure in (
        Measure("columns", "identical pairs / columns of the alignment (BLAST)", _over(lambda edges, _: edges.columns)),
        Measure(
            "shorter",
            "identical pairs / residues of the shorter sequence (CD-HIT)",
            _over(lambda _, lengths: np.minimum(*lengths)),
        ),
        Measure(
            "longer",
            "identical pairs / residues of the longer sequence",
            _over(lambda _, lengths: np.maximum(*lengths)),
        ),
        Measure("query", "identical pairs / residues of the first sequence", _over(lambda _, lengths: lengths[0])),
    )
}


def _shares(edges: Edges, lengths: Lengths) -> tuple[_Floats, _Floats]:
    """Return the fraction of each sequence that its alignment covers."""
    return edges.first_span / np.maximum(lengths[0], 1), edges.second_span / np.maximum(lengths[1], 1)


def _of_length(edges: Edges, lengths: Lengths, *, shorter: bool) -> _Floats:
    first, second = _shares(edges, lengths)
    return np.where((lengths[0] <= lengths[1]) == shorter, first, second)


COVERAGES: Final = {
    measure.name: measure
    for measure in (
        Measure("shorter", "part of the shorter sequence", lambda e, lengths: _of_length(e, lengths, shorter=True)),
        Measure("longer", "part of the longer sequence", lambda e, lengths: _of_length(e, lengths, shorter=False)),
        Measure("both", "the smaller of the two parts", lambda e, lengths: np.minimum(*_shares(e, lengths))),
        Measure("query", "part of the first sequence", lambda e, lengths: _shares(e, lengths)[0]),
    )
}


@dataclass(frozen=True, slots=True)
class EdgeLimit:
    """Limits of identity and coverage from which a pair counts as similar.

    Parameters
    ----------
    identity, coverage : float
        Shares of 1, at least.
    identity_over : str
        Key of `IDENTITIES`.
    coverage_of : str
        Key of `COVERAGES`.
    sure : float
        Alignments with E up to it count whatever they cover; 0 for none.

    Raises
    ------
    InvalidParameter
        If a share is not from 0 to 1, or there is no such measure.
    """

    identity: float = 0.0
    coverage: float = 0.0
    identity_over: str = "columns"
    coverage_of: str = "shorter"
    sure: float = 0.0

    def __post_init__(self) -> None:
        for name, share in (("identity", self.identity), ("coverage", self.coverage)):
            if not 0 <= share <= 1:
                raise InvalidParameter(
                    name, share, f"{name} must be from 0 to 1, not {share:g}.", hint="90 % is written 0.9 or 90%."
                )
        for name, key, table in (
            ("identity-over", self.identity_over, IDENTITIES),
            ("coverage-of", self.coverage_of, COVERAGES),
        ):
            if key not in table:
                raise InvalidParameter(
                    name, key, f"{name} cannot be '{key}'.", hint=f"It is one of {', '.join(table)}."
                )

    def values(self, edges: Edges, lengths: Lengths) -> tuple[_Floats, _Floats]:
        """Return identity and coverage of each pair by the measures of the limit, shape (n,) each."""
        return (
            IDENTITIES[self.identity_over].of(edges, lengths),
            COVERAGES[self.coverage_of].of(edges, lengths),
        )

    def reached(self, edges: Edges, lengths: Lengths) -> NDArray[np.bool_]:
        """Return a mask of the pairs that reach it, shape (n,); a share equal to the limit up to rounding does."""
        identity, coverage = self.values(edges, lengths)
        covered = coverage >= self.coverage - TINY
        if self.sure:
            covered |= edges.log10_evalues <= np.log10(self.sure)
        return covered & (identity >= self.identity - TINY)

    def describe(self) -> str:
        """Return the limits in words."""
        said = f"identity of at least {100 * self.identity:g} % ({IDENTITIES[self.identity_over].meaning})"
        if self.coverage:
            said += f", coverage of at least {100 * self.coverage:g} % ({COVERAGES[self.coverage_of].meaning})"
            said += f" or E up to {self.sure:g}" if self.sure else ""
        return said


def alignment_scores(edges: Edges, lengths: Lengths, bits: _Floats) -> _Ints:
    """Return the alignment scores of the Enzyme Function Initiative: -log10 of E of each pair alone, cut to whole.

    Parameters
    ----------
    bits : ndarray, shape=(n,)
        Bit scores.

    Returns
    -------
    ndarray, shape=(n,), dtype=int64
    """
    area = np.log10(np.maximum(lengths[0], 1)) + np.log10(np.maximum(lengths[1], 1))
    return np.asarray(np.trunc(bits * np.log10(2.0) - area), dtype=np.int64)
