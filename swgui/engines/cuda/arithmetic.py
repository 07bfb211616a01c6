"""Arithmetic of the scores of one scheme in a register: one or two at a time, and their limits of overflow.

The kernels of the search keep two scores of 16 bits in a register where a scheme leaves them room, else one of 32
bits. Those of the program's own method read 16 bits as binary16 numbers and store zero as `floor`, in frames that
drift; those of the published methods take them as integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Final

from swgui.core.plain import replace
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme, TwoTrackMatrix

TOP: Final = 0x7BFF  # largest integer whose bits, read as binary16, are a finite number
INT16_RANGE: Final = 32_768
LARGEST: Final = (1 << 31) - 1
MIN_LIMIT: Final = 128  # with less room than this nearly every subject would be scored twice
PACKED_LIMIT: Final = 63  # -2 x score must fit 8 bits
SMALL_EXTENSION: Final = 8  # of all positions: kernels are made for each of these
SMALLEST_COST: Final = 64  # the dearest that kernels of costs by position are made for, at least
UNFRAMED: Final = 0  # the period of kernels that store scores as they are


class Gaps(IntEnum):
    """Gap costs that differ by position; values as in ``sw_params.cuh``."""

    SCHEME = 0  # none
    POSITIONS = 1
    OPENINGS = 2  # those of first residues


class Twins(IntEnum):
    """The two sequences in the halves of a register, a *twin*; values as in ``sw_params.cuh``."""

    SUBJECTS = 0
    QUERIES = 1
    NONE = 2  # one score of 32 bits


def _rounded_up(value: int, least: int) -> int:
    """Return `least`, or that times the power of two that makes it reach a value."""
    while least < value:
        least = 2 * least + least % 2
    return least


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs that decide on the arithmetic of scores."""

    letters: int  # symbols of the alphabet
    gap_first: int
    gap_extend: int
    # lowest, highest: range of the scores of one pair of residues
    lowest: int
    highest: int
    # Gap costs that differ by position; the costs here are then the highest, and extensions that differ count as
    # nothing.
    positions: Gaps = field(default=Gaps.SCHEME, kw_only=True)
    # Symbols and score range of each of two tracks; `letters` are those of the first.
    tracks: tuple[tuple[int, int, int], ...] = field(default=(), kw_only=True)

    @classmethod
    def for_queries(cls, scheme: ScoringScheme, queries: Iterable[EncodedQuery] = ()) -> Costs:
        """Look at a scheme.

        The range is that of its matrix, so that all queries (or none) share their kernels; of the profiles where
        queries have their own. Where gap costs differ by position, which they then must for all queries, ranges are
        rounded up to powers of two: every profile is another, and those of the same kind share their kernels.
        """
        queries = list(queries)
        if all(query.profile is None and query.gaps is None for query in queries):
            return _costs_of(scheme)
        tables = [scheme.matrix.scores if query.profile is None else query.profile for query in queries]
        lowest, highest = min(int(table.min()) for table in tables), max(int(table.max()) for table in tables)
        gaps = [query.gaps for query in queries if query.gaps is not None]
        if isinstance(scheme.matrix, TwoTrackMatrix):
            tracks = tuple((len(part), int(part.min()), int(part.max())) for part in scheme.matrix.parts)
            costs = scheme.gap_first, scheme.gap_extend
            return cls(tracks[0][0], *costs, lowest, highest, tracks=tracks)
        if not gaps:
            return cls(len(scheme.alphabet), scheme.gap_first, scheme.gap_extend, lowest, highest)
        first = max(costs.dearest for costs in gaps)
        least = min(-lowest, 2 * first)
        extension = _extension_of(gaps)
        first = _rounded_up(first, SMALLEST_COST)
        if extension is None:
            scores = _rounded_up(max(highest, least), PACKED_LIMIT)
            return cls(len(scheme.alphabet), first, 0, -scores, scores, positions=Gaps.POSITIONS)
        scores = _rounded_up(max(highest, least), PACKED_LIMIT - 2 * extension)
        return cls(len(scheme.alphabet), first, extension, -scores, scores, positions=Gaps.OPENINGS)


@lru_cache(maxsize=64)
def _costs_of(scheme: ScoringScheme) -> Costs:
    """Return the costs of queries without scores of their own."""
    table, gaps = scheme.matrix.scores, (scheme.gap_first, scheme.gap_extend)
    lowest, highest = int(table.min()), int(table.max())
    if not isinstance(scheme.matrix, TwoTrackMatrix):
        return Costs(len(scheme.alphabet), *gaps, lowest, highest)
    tracks = tuple((len(part), int(part.min()), int(part.max())) for part in scheme.matrix.parts)
    return Costs(tracks[0][0], *gaps, lowest, highest, tracks=tracks)


def _extension_of(gaps: Sequence[PositionGaps]) -> int | None:
    """Return the common cost of all extensions; None if they differ, or kernels do not support it."""
    costs = [costs for gap in gaps for costs in (gap.insertion_extend, gap.deletion_extend[1:]) if len(costs)]
    least, most = min(int(cost.min()) for cost in costs), max(int(cost.max()) for cost in costs)
    return least if 0 <= least == most <= SMALL_EXTENSION else None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Arithmetic of the scores of one scheme."""

    twins: Twins
    packed: bool  # whether the profile is stored in the packed form (two subjects, small scores)
    letters: int  # symbols of the alphabet
    gap_first: int
    gap_extend: int
    floor: int  # stored form of a score of zero
    # Rows after which the drift of frames starts again; ``(period - 1) * gap_extend <= gap_first``. `UNFRAMED` for
    # kernels without frames.
    period: int
    worst: int  # lower scores are raised to this, if there are frames: two gaps are cheaper, so no alignment changes
    limit: int  # 16-bit scores from here on may have overflowed
    dpx: bool  # whether the fused 16-bit instructions may be used
    positions: Gaps = Gaps.SCHEME  # which gap costs differ by position; `gap_first` is then the dearest
    beside: int = 0  # symbols of a second track; 0 without one. Then no score is raised

    @property
    def subjects(self) -> int:
        """Subjects whose scores a register holds."""
        return 2 if self.twins is Twins.SUBJECTS else 1

    @property
    def abreast(self) -> int:
        """Columns that go down a thread's rows side by side; fewer where a column has more to keep in registers."""
        plain = not self.positions and not self.beside
        return 4 if plain and self.twins is not Twins.NONE else 2

    @property
    def codes(self) -> int:
        """Symbols of the alphabet and the padding symbol."""
        return self.letters + 1

    def stored_range(self, highest: int) -> tuple[int, int]:
        """Return the range of the values in a profile in frames, if no score is above `highest`."""
        if self.positions:
            return self.worst - (self.period - 2) * self.gap_extend, highest + 2 * self.gap_extend
        low = self.worst + self.gap_first - (self.period - 1) * self.gap_extend
        return low, highest + self.gap_first + self.gap_extend


@lru_cache(maxsize=256)
def plan_arithmetic(twins: Twins, costs: Costs, *, dpx: bool, period: int = 4) -> Arithmetic:
    """Compute floor, limit and packing for a scheme.

    Parameters
    ----------
    period : int
        Rows between two starts of the drift, if the gap costs allow; else fewer. `UNFRAMED` for kernels that store
        scores as they are.

    Returns
    -------
    Arithmetic
        In 32 bits, with `Twins.NONE`, if 16 leave too little room for this scheme.
    """
    worst, rows = costs.lowest if costs.tracks else max(costs.lowest, -2 * costs.gap_first), period
    highest = max(costs.highest, worst)
    while rows > 1 and (rows - 1) * costs.gap_extend > costs.gap_first:
        rows //= 2
    dearest = costs.gap_first
    if costs.positions:  # a first residue and an extension, each of any cost, from one value
        dearest = 2 * costs.gap_first
    if costs.positions is Gaps.POSITIONS:  # no frames
        rows = min(rows, 1)
    floor = max(dearest, -worst) + 1 if rows else 0
    limit = LARGEST
    if twins is not Twins.NONE:
        room = TOP - floor - costs.gap_extend * (rows + 2) - 1 if rows else INT16_RANGE
        limit = room - max(highest, 0)
        if limit < max(MIN_LIMIT, 2 * highest):
            return plan_arithmetic(Twins.NONE, costs, dpx=dpx, period=period)
    gaps = costs.gap_first, costs.gap_extend
    plain = Arithmetic(twins, False, costs.letters, *gaps, floor, rows, worst, limit, dpx, costs.positions)
    low, high = plain.stored_range(highest)
    if costs.tracks:
        (_, worst, best), (letters, least, most) = costs.tracks
        low, high = replace(plain, worst=worst).stored_range(best)
        low, high = min(low, least), max(high, most)
        plain = replace(plain, beside=letters)
    small = low >= -PACKED_LIMIT and high <= PACKED_LIMIT
    return replace(plain, packed=rows > 0 and twins is Twins.SUBJECTS and small)
