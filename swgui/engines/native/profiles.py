"""Profiles of alignments in compiled code, whole, with the interpreter's lock released.

They are those of `swgui.core.profiles.build`, which serves where there is no library: scores and costs are equal,
unless a sum that is added up in another order falls to the other side of a half.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN, Alphabet
from swgui.core.hits.stretches import Subjects
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.build import CHEAPEST_GAP, DEAREST_ABOVE, BuiltProfile, build_profile, expected_gaps
from swgui.core.profiles.log_odds import HIGHEST, UNITS_PER_BIT, WILDCARD_BITS, meant_by_symbols
from swgui.core.profiles.recipe import Recipe
from swgui.core.profiles.score_profile import PositionGaps, ScoreProfile
from swgui.core.profiles.weights import residues_needed
from swgui.core.statistics.background import background
from swgui.engines.native import library
from swgui.engines.native.rows import TO_NUMPY, mask_tables
from swgui.engines.native.scoring import checked, pointer, pointers

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64
_ALIGNMENT = (_POINTER, _LONG, _LONG, _POINTER, _LONG)  # codes, rows, columns, insertions, how many


class ProfileMaker:
    """Makes profiles by one recipe; may be used by several threads at once.

    Parameters
    ----------
    conditional : ndarray, shape=(letters, letters)
        P(b | a), of `conditional_frequencies`.
    recipe : Recipe
    """

    def __init__(self, conditional: NDArray[np.float64], recipe: Recipe) -> None:
        self.recipe = recipe
        self._conditional = np.ascontiguousarray(conditional, dtype=np.float64)
        self._chance = background(PROTEIN)[: len(conditional)].copy()
        self._meant = meant_by_symbols(PROTEIN)
        self._same: dict[int, tuple[NDArray[np.generic], ...]] = {}  # by columns

    def build(self, alignment: MasterAlignment, name: str = "") -> BuiltProfile:
        """Make a profile of an alignment; as `swgui.core.profiles.build.build_profile`."""
        if not self.compiled(alignment.alphabet):
            return build_profile(alignment, self._conditional, self.recipe, name)
        columns, (symbols, letters) = alignment.columns, self._meant.shape
        scores, gaps = np.empty((columns, symbols), dtype=np.int16), np.empty((4, columns), dtype=np.int16)
        frequencies, effective, information = np.empty((columns, letters)), np.empty(columns), np.empty(1)
        given = self._given(alignment)
        call = library.function("build_profile", *_ALIGNMENT, *[_POINTER] * 8)
        out = pointers(scores, gaps, frequencies, effective, information)
        status = call(*_alignment(given), *pointers(*given[2:5]), *out)
        if status == TO_NUMPY:
            return build_profile(alignment, self._conditional, self.recipe, name)
        checked(status)
        profile = ScoreProfile(name, alignment.alphabet, scores, PositionGaps(*gaps), UNITS_PER_BIT)
        return BuiltProfile(profile, frequencies, effective, float(information[0]))

    def scores_without(
        self, alignment: MasterAlignment, left_out: NDArray[np.bool_], subjects: Subjects, part_of: NDArray[np.int64]
    ) -> NDArray[np.int32] | None:
        """Score subjects with profiles from which some rows are left out.

        Parameters
        ----------
        left_out : ndarray, shape=(parts, rows), dtype=bool
            Rows that the profile of each part is made without; never the first.
        subjects : Subjects
            k of them.
        part_of : ndarray, shape=(k,)
            Whose profile scores each subject.

        Returns
        -------
        ndarray, shape=(k,), dtype=int32
            None where the library cannot do it.
        """
        if not self.compiled(alignment.alphabet):
            return None
        found, given = np.zeros(len(subjects), dtype=np.int32), self._given(alignment)
        order = np.lexsort((-subjects.lengths, part_of))
        offsets = np.searchsorted(part_of[order], np.arange(len(left_out) + 1))
        out, residues = (
            np.ascontiguousarray(left_out, dtype=np.uint8),
            (subjects.codes, subjects.starts, subjects.lengths),
        )
        call = library.function("score_without", *_ALIGNMENT, *[_POINTER] * 4, _LONG, *[_POINTER] * 6)
        parts = pointer(out), len(out), *pointers(*residues, order, offsets, found)
        status = call(*_alignment(given), *pointers(*given[2:5]), *parts)
        if status == TO_NUMPY:
            return None
        checked(status)
        return found

    def compiled(self, alphabet: Alphabet) -> bool:
        """Say whether profiles of this alphabet are made by the library."""
        return alphabet.name == PROTEIN.name and not library.problem()

    def _given(self, alignment: MasterAlignment) -> tuple[NDArray[np.generic], ...]:
        """Return what the library takes: codes, insertions, sizes, figures, addresses of tables, and the tables."""
        columns = alignment.columns
        if columns not in self._same:
            self._same[columns] = self._for_columns(columns)
        codes, places = np.ascontiguousarray(alignment.codes), np.ascontiguousarray(alignment.insertions)
        return codes, places, *self._same[columns]

    def _for_columns(self, columns: int) -> tuple[NDArray[np.generic], ...]:
        """Return what is the same for all alignments of so many columns."""
        recipe = self.recipe
        symbols, letters = self._meant.shape
        seg, thresholds, *logarithms = mask_tables(columns)
        costs = (round(cost * UNITS_PER_BIT) for cost in (recipe.gap_first, recipe.gap_extend))
        marks = recipe.mask, recipe.mask_coils, recipe.position_gaps
        sizes = np.array([letters, symbols, residues_needed(columns, recipe), *marks, *costs, *seg], dtype=np.int64)
        gap = recipe.gap_prior, expected_gaps(columns, recipe), recipe.gap_scale, recipe.gap_first
        limits = CHEAPEST_GAP, recipe.gap_first + DEAREST_ABOVE, UNITS_PER_BIT, HIGHEST, UNITS_PER_BIT * WILDCARD_BITS
        figures = np.array([recipe.end_support, recipe.max_identity, recipe.beta, *gap, *limits, *thresholds])
        tables = *logarithms, self._conditional, self._chance, self._meant
        addresses = np.array(pointers(*tables), dtype=np.uint64)
        return sizes, figures, addresses, *tables


def _alignment(given: Sequence[NDArray[np.generic]]) -> tuple[int, ...]:
    codes, places = given[:2]
    return pointer(codes), *codes.shape, pointer(places), len(places)
