"""Profiles of alignments in compiled code, whole, with the interpreter's lock released.

They are those of `swgui.core.profiles.build`, which serves nucleotides: scores and costs are equal, unless a sum that
is added up in another order falls to the other side of a half.
"""

from __future__ import annotations

import ctypes

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
from swgui.engines.native.rows import TO_NUMPY, MaskSettings, mask_settings
from swgui.engines.native.scoring import checked, pointer, pointers

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64
_ALIGNMENT = (_POINTER, _LONG, _LONG, _POINTER, _LONG)  # codes, rows, columns, insertions, how many


class ProfileSettings(ctypes.Structure):
    """How profiles are made: field by field `profile_settings` in ``kernels/cpu/profiles.c``."""

    _fields_ = (
        *((name, _LONG) for name in ("letters", "symbols", "needed", "low", "coils", "position_gaps")),
        *((name, _LONG) for name in ("gap_first", "gap_extend")),
        *((name, ctypes.c_double) for name in ("end_support", "identity", "beta", "gap_prior", "gap_chance")),
        *((name, ctypes.c_double) for name in ("gap_scale", "gap_bits", "cheapest", "dearest")),
        *((name, ctypes.c_double) for name in ("units", "highest", "unknown")),
        *((name, _POINTER) for name in ("conditional", "chance", "meant")),
        ("mask", MaskSettings),
    )


_SETTINGS = ctypes.POINTER(ProfileSettings)


class ProfileMaker:
    """Makes profiles by one recipe; may be used by several threads at once.

    Parameters
    ----------
    conditional : ndarray, shape=(letters, letters)
        P(b | a), of `conditional_frequencies`.
    """

    def __init__(self, conditional: NDArray[np.float64], recipe: Recipe) -> None:
        self.recipe = recipe
        self._conditional = np.ascontiguousarray(conditional, dtype=np.float64)
        self._chance = background(PROTEIN)[: len(conditional)].copy()
        self._meant = meant_by_symbols(PROTEIN)
        self._same: dict[int, ProfileSettings] = {}  # by columns
        self._masks: dict[int, MaskSettings] = {}

    def build(self, alignment: MasterAlignment, name: str = "") -> BuiltProfile:
        """Make a profile of an alignment; as `swgui.core.profiles.build.build_profile`."""
        if not self.compiled(alignment.alphabet):
            return build_profile(alignment, self._conditional, self.recipe, name)
        columns, (symbols, letters) = alignment.columns, self._meant.shape
        scores, gaps = np.empty((columns, symbols), dtype=np.int16), np.empty((4, columns), dtype=np.int16)
        frequencies, effective, information = np.empty((columns, letters)), np.empty(columns), np.empty(1)
        given = _arrays(alignment)
        call = library.function("build_profile", *_ALIGNMENT, _SETTINGS, *[_POINTER] * 5)
        out = pointers(scores, gaps, frequencies, effective, information)
        status = call(*_alignment(*given), self._settings(columns), *out)
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
        found, given = np.zeros(len(subjects), dtype=np.int32), _arrays(alignment)
        order = np.lexsort((-subjects.lengths, part_of))
        offsets = np.searchsorted(part_of[order], np.arange(len(left_out) + 1))
        out, residues = (
            np.ascontiguousarray(left_out, dtype=np.uint8),
            (subjects.codes, subjects.starts, subjects.lengths),
        )
        call = library.function("score_without", *_ALIGNMENT, _SETTINGS, _POINTER, _LONG, *[_POINTER] * 6)
        parts = pointer(out), len(out), *pointers(*residues, order, offsets, found)
        status = call(*_alignment(*given), self._settings(alignment.columns), *parts)
        if status == TO_NUMPY:
            return None
        checked(status)
        return found

    def compiled(self, alphabet: Alphabet) -> bool:
        """Say whether profiles of this alphabet are made by the library."""
        return alphabet.name == PROTEIN.name

    def _settings(self, columns: int) -> ProfileSettings:
        """Return how profiles of so many columns are made."""
        if columns not in self._same:
            self._same[columns] = self._for_columns(columns)
        return self._same[columns]

    def _for_columns(self, columns: int) -> ProfileSettings:
        recipe, (symbols, letters) = self.recipe, self._meant.shape
        return ProfileSettings(
            letters=letters,
            symbols=symbols,
            needed=residues_needed(columns, recipe),
            low=recipe.mask,
            coils=recipe.mask_coils,
            position_gaps=recipe.position_gaps,
            gap_first=round(recipe.gap_first * UNITS_PER_BIT),
            gap_extend=round(recipe.gap_extend * UNITS_PER_BIT),
            end_support=recipe.end_support,
            identity=recipe.max_identity,
            beta=recipe.beta,
            gap_prior=recipe.gap_prior,
            gap_chance=expected_gaps(columns, recipe),
            gap_scale=recipe.gap_scale,
            gap_bits=recipe.gap_first,
            cheapest=CHEAPEST_GAP,
            dearest=recipe.gap_first + DEAREST_ABOVE,
            units=UNITS_PER_BIT,
            highest=HIGHEST,
            unknown=UNITS_PER_BIT * WILDCARD_BITS,
            conditional=pointer(self._conditional),
            chance=pointer(self._chance),
            meant=pointer(self._meant),
            mask=self._mask(columns),
        )

    def _mask(self, columns: int) -> MaskSettings:
        """Return how rows are masked, and keep the tables that this points to."""
        self._masks[columns] = mask_settings(columns)
        return self._masks[columns]


def _arrays(alignment: MasterAlignment) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    return np.ascontiguousarray(alignment.codes), np.ascontiguousarray(alignment.insertions)


def _alignment(codes: NDArray[np.uint8], places: NDArray[np.int64]) -> tuple[int, ...]:
    return pointer(codes), *codes.shape, pointer(places), len(places)
