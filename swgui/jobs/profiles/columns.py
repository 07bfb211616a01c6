"""Columns for comparison with other profiles: of sequences, of alignments, and of the scores of other programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.contexts import OWN_CONTEXT
from swgui.core.control import Check
from swgui.core.errors import ProfileError
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.context import Columns
from swgui.core.profiles.observed import ObservedColumns
from swgui.core.profiles.recipe import Recipe
from swgui.core.profiles.stored import columns_of_scores
from swgui.core.records import SequenceRecord
from swgui.core.scoring import SubstitutionMatrix
from swgui.engines.native.observed import observe
from swgui.engines.native.profiles import ProfileMaker
from swgui.jobs.search.queries import context_library

# Rows that count: all but near copies, 90 % identical (`hhmake -id 90`). Masks and cut ends lose relatives: 0.005 of a
# superfamily on 2,344 SCOP domains.
RECIPE: Final = Recipe(max_identity=0.9, min_residues=1, end_support=0.0, mask=False, mask_coils=False)


class BothColumns(msgspec.Struct, frozen=True, eq=False):
    """Observed columns of an alignment, and those of its certain members alone; the same ones where all are."""

    members: ObservedColumns
    certain: ObservedColumns

    @property
    def differ(self) -> bool:
        """Whether a member is in doubt."""
        return self.certain is not self.members


class ColumnsByContext:
    """Makes columns by a library of contexts.

    Parameters
    ----------
    context : str
        ``own``, or a file.
    matrix : SubstitutionMatrix
        Of proteins.

    Raises
    ------
    SwguiError
        If the library cannot be read.
    """

    def __init__(self, context: str, matrix: SubstitutionMatrix, *, threads: int = 0) -> None:
        contexts, self._expecting = context_library(context)
        self._threads = threads
        named = "of the program" if context == OWN_CONTEXT else f"'{contexts.name}'"
        self.said = f"with the contexts {named}"  # the library, as part of a sentence
        self._maker = ProfileMaker(matrix, RECIPE)

    def observed(self, alignment: MasterAlignment) -> ObservedColumns:
        """Return the columns of an alignment as its rows have them."""
        return observe(alignment, self._maker)

    def both(self, alignment: MasterAlignment) -> BothColumns:
        """Return the columns of an alignment, and those of its certain members."""
        members, certain = self.observed(alignment), alignment.of_certain
        return BothColumns(members, members if certain is alignment else self.observed(certain))

    def mixed(self, observed: Sequence[ObservedColumns], check: Check = lambda: None) -> list[Columns]:
        """Return the probabilities of profiles, those that their contexts expect mixed in; shapes (n, 20)."""
        expected = self._expecting.of_counts([one.counts for one in observed], threads=self._threads, check=check)
        return [one.mixed(its) for one, its in zip(observed, expected, strict=True)]

    def mixed_both(
        self, observed: Sequence[BothColumns], check: Check = lambda: None
    ) -> tuple[list[Columns], list[Columns]]:
        """Return the probabilities of profiles, and those of their certain members; the same arrays where all are."""
        doubtful = [one.certain for one in observed if one.differ]
        mixed = self.mixed([*(one.members for one in observed), *doubtful], check)
        members, others = mixed[: len(observed)], iter(mixed[len(observed) :])
        return members, [next(others) if one.differ else its for one, its in zip(observed, members, strict=True)]


def columns_of_record(record: SequenceRecord) -> Columns:
    """Return the probabilities of a query that has scores by position, shape (m, 20).

    Raises
    ------
    ProfileError
        If the units of its scores are not known.
    """
    profile = record.profile
    assert profile is not None
    if not profile.units_per_bit:
        raise ProfileError(
            f"The profile '{profile.name}' does not say how many units of its scores are one bit, so it cannot be "
            "compared with profiles.",
            hint="Search with the alignment that it was made of.",
        )
    return columns_of_scores(profile.scores, profile.units_per_bit)


def diversity_of(columns: Columns) -> NDArray[np.float32]:
    """Return the effective number of residues of each column by its probabilities alone, shape (n,)."""
    safe = np.maximum(columns, 1e-12)
    return np.asarray(np.exp2(-(columns * np.log2(safe)).sum(axis=1)), dtype=np.float32)
