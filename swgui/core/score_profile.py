"""Position-specific scores and gap costs: a query that represents a family."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, TwoTracks
from swgui.core.errors import ProfileError

PROFILE_LIMIT: Final = 16_000  # |value| at most, as of a matrix

_Costs = NDArray[np.int16]


class PositionGaps(msgspec.Struct, frozen=True, eq=False):
    """Costs of gaps by position of the query, in the units of its scores; where given, in place of any other costs.

    A cell (i, j) of the matrix is::

        H(i, j) = max(0, H(i-1, j-1) + score(i, j), I(i, j), D(i, j))
        I(i, j) = max(H(i, j-1) - insertion_first[i], I(i, j-1) - insertion_extend[i])
        D(i, j) = max(H(i-1, j) - deletion_first[i],  D(i-1, j) - deletion_extend[i])

    An insertion is a run of subject residues behind position i; a deletion leaves out positions of the query. The
    score of a pair is the largest H. Every gap costs 0 or more, so that no alignment need begin or end with one.

    Raises
    ------
    ProfileError
        If lengths differ or a cost is out of its range.
    """

    # insertion_first, insertion_extend: ``0 <= extend <= first``, shape (m,)
    insertion_first: _Costs
    insertion_extend: _Costs
    # deletion_first, deletion_extend: ``extend <= first``; an extension may be negative as long as no deletion as a
    # whole is, shape (m,)
    deletion_first: _Costs
    deletion_extend: _Costs

    def __post_init__(self) -> None:
        if len({np.shape(costs) for costs in self.columns}) != 1 or np.ndim(self.insertion_first) != 1:
            raise ProfileError("The gap costs of a profile have different lengths.")
        every = np.array(self.columns, dtype=np.int16)
        every.setflags(write=False)
        for name, costs in zip(self.__struct_fields__, every, strict=True):
            msgspec.structs.force_setattr(self, name, costs)
        if _largest(every) > PROFILE_LIMIT:
            raise ProfileError(f"A gap cost of a profile is beyond ±{PROFILE_LIMIT:,}.")
        dearer, refunds = every[1::2] > every[::2], every.min(initial=0) < 0
        if dearer[0].any() or (refunds and (self.insertion_extend < 0).any()):
            raise ProfileError("An insertion of a profile is cheaper to open than to extend, or costs less than 0.")
        if dearer[1].any() or (refunds and self.least_deletion_cost() < 0):
            raise ProfileError("A deletion of a profile is cheaper to open than to extend, or costs less than 0.")

    def __len__(self) -> int:
        return len(self.insertion_first)

    @property
    def columns(self) -> tuple[_Costs, _Costs, _Costs, _Costs]:
        """First and other residues of insertions, then of deletions."""
        return self.insertion_first, self.insertion_extend, self.deletion_first, self.deletion_extend

    @classmethod
    def constant(cls, length: int, gap_first: int, gap_extend: int) -> PositionGaps:
        """Return the same costs at every position."""
        first, extend = np.full(length, gap_first, np.int16), np.full(length, gap_extend, np.int16)
        return cls(first, extend, first, extend)

    @classmethod
    def joined(cls, parts: Sequence[PositionGaps]) -> PositionGaps | None:
        """Return the costs of queries, concatenated; None of none."""
        if len(parts) < 2:
            return parts[0] if parts else None
        return cls(*(np.concatenate(columns) for columns in zip(*(part.columns for part in parts), strict=True)))

    def are(self, gap_first: int, gap_extend: int) -> bool:
        """Return True if every position has these costs: then those of a scheme do."""
        first, extend = (self.insertion_first, self.deletion_first), (self.insertion_extend, self.deletion_extend)
        return bool(all((gap == gap_first).all() for gap in first) and all((gap == gap_extend).all() for gap in extend))

    def take(self, part: slice) -> PositionGaps:
        """Return the costs of some positions, in their order."""
        return PositionGaps(*(costs[part] for costs in self.columns))

    def reversed(self) -> PositionGaps:
        """Return the costs of the same gaps with query and subject read from the end.

        An insertion behind a position is then one behind the position that followed it, and a deletion opens at its
        other end. Costs behind the last position, where no alignment has an insertion, stay the same.
        """
        first, extend = (np.append(c[:-1][::-1], c[-1:]) for c in (self.insertion_first, self.insertion_extend))
        # A deletion of a ... b costs first[a] - extended[a] + extended[b]: opened at b, each step down to a adds this.
        further = self.deletion_first.astype(np.int32)
        further[:-1] += self.deletion_extend[1:].astype(np.int32) - self.deletion_first[1:]
        return PositionGaps(first, extend, self.deletion_first[::-1], further[::-1].astype(np.int16))

    def insertion(self, position: int, length: int) -> int:
        """Return the cost of a run of subject residues behind a position."""
        return int(self.insertion_first[position]) + (length - 1) * int(self.insertion_extend[position])

    def deletion(self, position: int, length: int) -> int:
        """Return the cost of leaving out positions from one on."""
        rest = self.deletion_extend[position + 1 : position + length]
        return int(self.deletion_first[position]) + int(rest.sum(dtype=np.int64))

    @property
    def dearest(self) -> int:
        """The highest cost of all."""
        return max(int(costs.max(initial=0)) for costs in self.columns)

    @property
    def cheapest_insertion(self) -> tuple[int, int]:
        """Smallest costs of the first and of each other residue of any insertion."""
        return int(self.insertion_first.min(initial=PROFILE_LIMIT)), int(
            self.insertion_extend.min(initial=PROFILE_LIMIT)
        )

    @property
    def cheapest_deletion(self) -> tuple[int, int]:
        """Smallest costs of the first and of each other position of any deletion; both 0 if one may pay for another."""
        extend = int(self.deletion_extend.min(initial=PROFILE_LIMIT))
        return (int(self.deletion_first.min(initial=PROFILE_LIMIT)), extend) if extend >= 0 else (0, 0)

    def least_deletion_cost(self) -> int:
        """Return the cost of the cheapest deletion, over all places and lengths."""
        if not len(self):
            return 0
        extended = np.cumsum(self.deletion_extend, dtype=np.int64)
        opened = np.minimum.accumulate(self.deletion_first - extended)  # with `extended` at its end a whole deletion
        return int((extended + opened).min())


class TrackProfile(msgspec.Struct, frozen=True, eq=False):
    """Scores of the positions of a query in two tracks: a symbol scores the sum of both."""

    # residues, letters: shapes (m, residues) and (m, letters), dtype int16
    residues: NDArray[np.int16]
    letters: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.residues)

    def __getitem__(self, positions: slice) -> TrackProfile:
        """Return the scores of some positions, as views."""
        return TrackProfile(self.residues[positions], self.letters[positions])

    @classmethod
    def of_sums(cls, sums: NDArray[np.int16], tracks: TwoTracks) -> TrackProfile:
        """Return two tables with these sums, rows of a `TwoTrackMatrix`, shape (m, symbols)."""
        first, second = tracks.parts
        both, unknown = sums.reshape(len(sums), len(first), len(second)), second.code(second.wildcard)
        return cls(both[:, :, unknown].copy(), both[:, 0, :] - both[:, 0, unknown, np.newaxis])

    @classmethod
    def joined(cls, parts: Sequence[TrackProfile]) -> TrackProfile:
        """Return the scores of one or more queries, concatenated."""
        if len(parts) == 1:
            return parts[0]
        return cls(np.concatenate([one.residues for one in parts]), np.concatenate([one.letters for one in parts]))

    def sums(self) -> NDArray[np.int16]:
        """Return the scores of all symbols, shape (m, symbols): some 400 times as many as there are letters."""
        return (self.residues[:, :, np.newaxis] + self.letters[:, np.newaxis, :]).reshape(len(self), -1)

    @property
    def tables(self) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """The scores of residues and of letters."""
        return self.residues, self.letters

    @property
    def bound(self) -> int:
        """A score that no subject can exceed."""
        if not len(self):
            return 0
        return int(np.maximum(self.residues.max(axis=1) + self.letters.max(axis=1), 0).sum(dtype=np.int64))


class ScoreProfile(msgspec.Struct, frozen=True, eq=False):
    """Scores of every position of a query against every symbol, and its gap costs.

    Raises
    ------
    ProfileError
        If shapes do not fit, a score is out of range, or a bit has a number of units that is not possible.
    """

    name: str  # how it was made, for results: ``round 3``, ``PF00042.hmm``
    alphabet: Alphabet
    scores: NDArray[np.int16]  # shape (m, symbols)
    gaps: PositionGaps
    units_per_bit: float = 0.0  # how many units of `scores` and `gaps` are one bit; 0 if unknown
    # Scores by the members that are certain alone, of a query that is compared with profiles; shape (m, symbols). None
    # if all members are.
    certain: NDArray[np.int16] | None = None

    def __post_init__(self) -> None:
        scores = np.ascontiguousarray(self.scores, dtype=np.int16)
        if scores.ndim != 2 or scores.shape[1] != len(self.alphabet) or len(scores) != len(self.gaps):
            raise ProfileError(
                f"The profile '{self.name}' has scores of shape {scores.shape} for {len(self.gaps)} positions of "
                f"gap costs and {len(self.alphabet)} symbols."
            )
        if _largest(scores) > PROFILE_LIMIT:
            raise ProfileError(f"The profile '{self.name}' has a score beyond ±{PROFILE_LIMIT:,}.")
        if not 0 <= self.units_per_bit < inf:
            raise ProfileError(
                f"The profile '{self.name}' has {self.units_per_bit:g} units a bit, which is no scale of scores.",
                hint="Give the units of its scores that are one bit, or 0 if they are not known.",
            )
        scores.setflags(write=False)
        msgspec.structs.force_setattr(self, "scores", scores)
        if self.certain is not None:
            certain = np.ascontiguousarray(self.certain, dtype=np.int16)
            if certain.shape != scores.shape or _largest(certain) > PROFILE_LIMIT:
                raise ProfileError(f"The scores of the certain members of the profile '{self.name}' do not fit it.")
            certain.setflags(write=False)
            msgspec.structs.force_setattr(self, "certain", certain)

    def __len__(self) -> int:
        return len(self.scores)

    def reverse_complement(self) -> ScoreProfile:
        """Return the profile of the opposite strand, which scores a sequence as this one its reverse complement.

        Raises
        ------
        ValueError
            If the alphabet has no complements.
        """
        pairs = self.alphabet.reverse_complement(np.arange(len(self.alphabet), dtype=np.uint8)[::-1])
        turned = [None if table is None else table[::-1, pairs] for table in (self.scores, self.certain)]
        assert turned[0] is not None
        return ScoreProfile(self.name, self.alphabet, turned[0], self.gaps.reversed(), self.units_per_bit, turned[1])


def _largest(values: NDArray[np.int16]) -> int:
    """Return the largest of some values, whatever its sign."""
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))
