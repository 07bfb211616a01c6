"""Profile against profile: quantised columns, the score of two of them as an integer, and plain local alignment.

The score of columns q and t is ``log2(sum_a q(a) t(a) / b(a))`` (Soding 2005, Bioinformatics 21:951), b being the
background. With ``u(a) = p(a) / sqrt(b(a))`` it is the logarithm of the plain product of two columns of one kind, so
that a stored profile serves as query and as subject, and both directions score the same. A column is 20 bytes,
``rint(u(a) 2**(scale/32))``, and its scale. All engines compute the integers that this module defines:

    S_ij = L(1 + sum_a codes_i(a) codes_j(a)) - scale_i - scale_j        in 1/32 bit
    L(v) = (bits of (v v) (v v) in float32 >> 20) - 8 * 127 + 1

L takes the exponent of the fourth power and 3 bits of its mantissa, a straight line between powers of two, which is
within 0.04 bit of the logarithm of v and 0.001 off in the mean. Both products are rounded to float32, as everywhere.
The 1 in the sum keeps columns without a common residue finite.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.errors import InvalidParameter, ProfileError
from swgui.core.plain import replace
from swgui.core.profiles.context import RESIDUES
from swgui.core.ranges import concatenated_ranges, range_offsets

UNITS_PER_BIT: Final = 32
SIZE: Final = len(RESIDUES)
MANTISSA_SHIFT: Final = 20  # leaves 3 bits of the mantissa of a float32: 32 units for a factor of 2 in a fourth power
OFFSET: Final = 8 * 127 - 1  # the exponent's bias, and what centres the error of L
HIGHEST_CODE: Final = 255
HIGHEST_SCALE: Final = 512  # of a column without a match
MAX_COLUMNS: Final = 1 << 16  # of a profile: a pair scores below 1,024 units, so that a score stays below 2**26
MIN_BACKGROUND: Final = 1e-4  # keeps scales positive
LARGEST_GAP: Final = 1 << 20  # units
ROWS: Final = 64  # of the definition at a time
_Columns = NDArray[np.float64] | NDArray[np.float32]


class PairGaps(msgspec.Struct, frozen=True):
    """Costs of gaps between profiles, in 1/32 bit; the same at every column.

    Raises
    ------
    InvalidParameter
        Unless ``0 <= extend <= first <= LARGEST_GAP``.
    """

    first: int = 4 * UNITS_PER_BIT  # of the first column of a gap
    extend: int = 13  # of each other column: 0.4 bit

    def __post_init__(self) -> None:
        if not 0 <= self.extend <= self.first <= LARGEST_GAP:
            costs = f"{self.first}, {self.extend}"
            raise InvalidParameter("gaps", costs, "Another column of a gap costs at least 0, and at most the first.")


class ProfileSet(msgspec.Struct, frozen=True, eq=False, weakref=True):
    """Quantised profiles, concatenated; arrays may be memory-mapped.

    Raises
    ------
    ProfileError
        If the arrays do not fit each other, or a profile has no column or more than `MAX_COLUMNS`.
    """

    codes: NDArray[np.uint8]  # of each residue of `RESIDUES`, shape (columns, 20)
    scales: NDArray[np.int16]  # 1/32 bit, from 1 to `HIGHEST_SCALE`, shape (columns,)
    offsets: NDArray[np.int64]  # the first column of each profile, and the end of the last, shape (profiles + 1,)

    def __post_init__(self) -> None:
        columns = len(self.scales)
        fits = self.codes.shape == (columns, SIZE) and self.codes.dtype == np.uint8 and self.scales.dtype == np.int16
        if not fits or not len(self.offsets) or self.offsets[0] != 0 or self.offsets[-1] != columns:
            raise ProfileError("The columns, scales and offsets of a set of profiles do not fit each other.")
        lengths = self.lengths
        if len(lengths) and (lengths.min() < 1 or lengths.max() > MAX_COLUMNS):
            which = int(np.flatnonzero((lengths < 1) | (lengths > MAX_COLUMNS))[0])
            found = f"Profile {which + 1} has {lengths[which]:,} columns, and {MAX_COLUMNS:,} are the most."
            raise ProfileError(found, hint="Leave out empty profiles and cut long ones.")
        if columns and not 1 <= self.scales.min() <= self.scales.max() <= HIGHEST_SCALE:
            raise ProfileError(f"A column has a scale outside 1 to {HIGHEST_SCALE}.", hint="Make the profiles again.")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> ProfileSet:
        """Return one profile as a set of one; nothing is copied."""
        return self.part(number, number + 1)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Columns of each profile, shape (profiles,)."""
        return np.diff(self.offsets)

    def part(self, first: int, last: int) -> ProfileSet:
        """Return the profiles from `first` to before `last`; nothing is copied."""
        begin, end = int(self.offsets[first]), int(self.offsets[last])
        return ProfileSet(self.codes[begin:end], self.scales[begin:end], self.offsets[first : last + 1] - begin)

    def take(self, numbers: NDArray[np.int64]) -> ProfileSet:
        """Return copies of some profiles, in the order given."""
        sizes = self.lengths[numbers]
        rows = concatenated_ranges(self.offsets[numbers], sizes)
        return ProfileSet(self.codes[rows], self.scales[rows], range_offsets(sizes))

    def shuffled(self, random: np.random.Generator) -> ProfileSet:
        """Return the profiles with the columns of each in a random order: a model of chance."""
        of = np.repeat(np.arange(len(self)), self.lengths)
        order = np.lexsort((random.random(len(of)), of))
        return replace(self, codes=self.codes[order], scales=self.scales[order])


def quantised(profiles: Sequence[_Columns], background: NDArray[np.float64]) -> ProfileSet:
    """Return profiles in the integers that engines compare.

    Parameters
    ----------
    profiles : sequence of ndarray, shape=(n, 20)
        Probabilities of `RESIDUES` at each column. A column of zeros matches nothing.
    background : ndarray, shape=(20,)
        Probabilities that columns are compared with; the same for all profiles that are compared with each other.

    Raises
    ------
    ProfileError
        If shapes do not fit, a number is not finite or below 0, or a probability of the background below 1e-4.
    """
    if background.shape != (SIZE,) or not (background >= MIN_BACKGROUND).all():
        raise ProfileError(f"The background of profiles is not {SIZE} probabilities of at least {MIN_BACKGROUND:g}.")
    for number, profile in enumerate(profiles):
        if profile.ndim != 2 or profile.shape[1] != SIZE:
            raise ProfileError(f"Profile {number + 1} has the shape {profile.shape}, not (columns, {SIZE}).")
        if not (np.isfinite(profile) & (profile >= 0) & (profile <= 1.01)).all():
            raise ProfileError(f"Profile {number + 1} has a number that is not a probability.")
    stacked = np.concatenate([np.zeros((0, SIZE)), *profiles]) / np.sqrt(background)
    highest = stacked.max(axis=1, initial=0.0)
    matching = highest > 0
    scales = np.full(len(stacked), HIGHEST_SCALE)
    wanted = np.floor(UNITS_PER_BIT * np.log2(HIGHEST_CODE / highest[matching]))
    scales[matching] = np.clip(wanted, 1, HIGHEST_SCALE)
    codes = np.rint(stacked * np.exp2(scales / UNITS_PER_BIT)[:, None])
    offsets = range_offsets(np.array([len(profile) for profile in profiles], dtype=np.int64))
    return ProfileSet(np.minimum(codes, HIGHEST_CODE).astype(np.uint8), scales.astype(np.int16), offsets)


def column_scores(query: ProfileSet, target: ProfileSet, rows: slice = slice(None)) -> NDArray[np.int32]:
    """Return the scores of the columns of one set, or some, with those of another, 1/32 bit; shape (rows, columns)."""
    # Sums of integers below 2**24: exact in float32, in whatever order.
    sums = query.codes[rows].astype(np.float32) @ target.codes.astype(np.float32).T + np.float32(1)
    sums *= sums
    sums *= sums
    logarithms = (sums.view(np.int32) >> MANTISSA_SHIFT) - np.int32(OFFSET)
    return np.asarray(logarithms - query.scales[rows, None].astype(np.int32) - target.scales.astype(np.int32))


def pair_score(query: ProfileSet, target: ProfileSet, gaps: PairGaps, check: Check = lambda: None) -> int:
    """Return the score of the best local alignment of two profiles, in 1/32 bit: the definition, row by row.

    Parameters
    ----------
    query, target : ProfileSet
        One profile each.
    check : callable
        Called every few rows; may raise to give up.
    """
    columns = len(target.scales)
    steps = gaps.extend * np.arange(columns, dtype=np.int64)
    above, down = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    best = 0
    for first in range(0, len(query.scales), ROWS):
        check()
        for scores in column_scores(query, target, slice(first, first + ROWS)):
            down = np.maximum(above - gaps.first, down - gaps.extend)
            now = np.maximum(np.concatenate([[0], above[:-1]]) + scores, np.maximum(down, 0))
            # A gap along the row begins at the largest value so far, with the cost of each step added back.
            reached = np.maximum.accumulate(now + steps)
            now[1:] = np.maximum(now[1:], reached[:-1] - gaps.first + gaps.extend - steps[1:])
            above, best = now, max(best, int(now.max()))
    return best
