"""Profiles of alignments, made in compiled code with the interpreter's lock released.

Rows that say little or nothing new are left out first: short ones, near copies, and ends that few others share. Then::

    Q = (alpha f + beta g) / (alpha + beta),  g(b) = sum_a f(a) P(b|a),  alpha = (N - 1) occupancy

with f the weighted frequencies of residues in a column (Henikoff and Henikoff 1994, J. Mol. Biol. 243:574) and N its
effective number of observations (Altschul et al. 1997, Nucleic Acids Res. 25:3389; pseudocounts after Tatusov et al.
1994, PNAS 91:12091). Scores are log-odds, so that the ungapped lambda of every column is that of bits.

A gap is cheap where rows open one: if a weighted share phi of the rows that could open a gap at a place does, then with
A observations of the expected share p0, ``p = ((N - 1) phi + A p0) / (N - 1 + A)``, and it costs
``first - kappa log2(p / p0)`` bits. This is the form of transition probabilities of profile HMMs (Durbin, Eddy, Krogh
and Mitchison 1998, Biological sequence analysis, chapter 5) as a cost.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.control import Check
from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.profiles.bases import SearchedBases
from swgui.core.profiles.log_odds import (
    HIGHEST,
    UNITS_PER_BIT,
    WILDCARD_BITS,
    conditional_frequencies,
    meant_by_symbols,
)
from swgui.core.profiles.recipe import LONG_QUERY, Recipe
from swgui.core.score_profile import PositionGaps, ScoreProfile
from swgui.core.scoring import SubstitutionMatrix
from swgui.core.statistics.background import background
from swgui.core.stretches import Subjects
from swgui.engines.native import library
from swgui.engines.native.rows import MaskSettings, mask_settings
from swgui.engines.native.scoring import checked, pointer, pointers
from swgui.engines.native.subjects import in_pieces

# Unrelated sequences are joined all along a long query if gaps are cheap at many of its positions, and no E is small
# then: beyond `LONG_QUERY` residues the expected share of gaps grows with the square of the length, so often at most.
MAX_EXPECTED: Final = 3.0
# Cells scored in the time of a row in a column of an alignment whose profile is made, of such a column, and of a
# residue of the longest subject that one scores; measured on one core with AVX-512.
CELLS_OF_ROW: Final = 125
CELLS_OF_COLUMN: Final = 5_000
CELLS_OF_RESIDUE: Final = 25
DEAREST_ABOVE: Final = 3.0  # bits beyond the cost of a gap that is as frequent as expected

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64
_Rows = tuple[NDArray[np.uint8], NDArray[np.int64]]  # codes and insertions of an alignment
# As the records of the same names in kernels/cpu/profiles.c.
_ALIGNMENT: Final = [(name, "i8") for name in ("codes", "rows", "columns", "insertions", "inserted", "by")]
_PROFILE: Final = ("scores", "gaps", "frequencies", "effective", "information")
PROFILE_ORDERS: Final = np.dtype(_ALIGNMENT + [(name, "i8") for name in _PROFILE])
WITHOUT_ORDERS: Final = np.dtype(
    _ALIGNMENT + [(name, "i8") for name in ("first", "last", "left_out", "parts", "offsets")]
)


@dataclass(frozen=True, slots=True, eq=False)
class BuiltProfile:
    """A profile and its inputs."""

    profile: ScoreProfile
    # Frequencies of residues in each column, with pseudocounts, shape (m, letters).
    frequencies: NDArray[np.float64] = field(repr=False)
    effective: NDArray[np.float64] = field(repr=False)  # independent observations of each column, shape (m,)
    information: float  # mean relative entropy of the columns, in bits

    @property
    def effective_sequences(self) -> float:
        """Mean number of independent observations of a column."""
        return float(self.effective.mean())


class ProfileSettings(ctypes.Structure):
    """Settings that make profiles: field by field `profile_settings` in ``kernels/cpu/profiles.c``."""

    _fields_ = (
        *(
            (name, _LONG)
            for name in ("letters", "symbols", "needed", "low", "coils", "by_rows", "both_strands", "position_gaps")
        ),
        *((name, _LONG) for name in ("gap_first", "gap_extend")),
        *((name, ctypes.c_double) for name in ("end_support", "identity", "beta", "gap_prior", "gap_chance")),
        *((name, ctypes.c_double) for name in ("gap_scale", "gap_bits", "cheapest", "dearest")),
        *((name, ctypes.c_double) for name in ("units", "highest", "unknown")),
        *((name, _POINTER) for name in ("conditional", "chance", "meant")),
        ("mask", MaskSettings),
    )


class ProfileMaker:
    """Makes profiles by one recipe; may be used by several threads at once.

    Parameters
    ----------
    matrix : SubstitutionMatrix
        The one whose implied frequencies of replacements are the pseudocounts.
    bases : SearchedBases, optional
        Facts of the nucleotide database that is searched; without them bases are equally frequent by chance.

    Raises
    ------
    ProfileError
        If no frequencies follow from the matrix.
    """

    def __init__(self, matrix: SubstitutionMatrix, recipe: Recipe, bases: SearchedBases | None = None) -> None:
        self.recipe = recipe
        self._conditional = np.ascontiguousarray(conditional_frequencies(matrix), dtype=np.float64)
        chance = background(matrix.alphabet)[: len(self._conditional)] if bases is None else bases.shares
        self._chance = np.array(chance, dtype=np.float64)
        self._mean_subject = math.inf if bases is None else bases.mean_length
        self._meant = meant_by_symbols(matrix.alphabet)
        self._both_strands = bool(matrix.alphabet.complements)
        self._masked = matrix.alphabet.name == PROTEIN.name
        self._settings_by_columns: dict[int, ProfileSettings] = {}
        self._masks: dict[int, MaskSettings] = {}

    def build(self, alignment: MasterAlignment, name: str = "") -> BuiltProfile:
        """Make a profile of an alignment, and give it a name."""
        return self.build_each([alignment], [name])[0]

    def build_each(self, alignments: Sequence[MasterAlignment], names: Sequence[str]) -> list[BuiltProfile]:
        """Make profiles of alignments, in one call, and give them names."""
        given, (symbols, letters) = [_arrays(alignment) for alignment in alignments], self._meant.shape
        orders = self._orders(given, PROFILE_ORDERS)
        columns = orders["columns"].tolist()
        ends = np.cumsum([0, *columns])
        made = [
            np.empty((int(ends[-1]), width), kind)
            for width, kind in ((symbols, np.int16), (4, np.int16), (letters, np.float64), (1, np.float64))
        ]
        information = np.empty(len(given))
        for name, array in zip(_PROFILE, (*made, information), strict=True):
            begins = ends[:-1] if array is not information else np.arange(len(given))
            orders[name] = pointer(array) + array.strides[0] * begins
        checked(library.function("build_profiles", _POINTER, _LONG)(pointer(orders), len(orders)))
        profiles = []
        for number, (alignment, name, of) in enumerate(zip(alignments, names, information.tolist(), strict=True)):
            own = slice(*ends[number : number + 2].tolist())
            scores, gaps, frequencies, effective = (array[own] for array in made)
            costs = PositionGaps(*gaps.reshape(4, -1))
            profile = ScoreProfile(name, alignment.alphabet, scores, costs, UNITS_PER_BIT)
            profiles.append(BuiltProfile(profile, frequencies, effective[:, 0], of))
        return profiles

    def scores_without(
        self,
        alignments: Sequence[MasterAlignment],
        left_out: Sequence[NDArray[np.bool_]],
        subjects: Subjects,
        part_of: Sequence[NDArray[np.int64]],
        searched: slice | None = None,
        *,
        threads: int = 1,
        check: Check = lambda: None,
    ) -> NDArray[np.int32]:
        """Score subjects with profiles from which some rows are left out.

        Parameters
        ----------
        left_out : sequence of ndarray, shape=(parts, rows), dtype=bool
            Of each alignment the rows that the profile of each part is made without; never the first.
        subjects : Subjects
            k of them, those of each alignment in turn.
        part_of : sequence of ndarray, shape=(n,)
            Of each alignment whose profile scores each subject.
        searched : slice, optional
            Columns that are scored with; all without it.
        threads, check
            As of `in_pieces`.

        Returns
        -------
        ndarray, shape=(k,), dtype=int32
        """
        scores, given = np.zeros(len(subjects), dtype=np.int32), [_arrays(alignment) for alignment in alignments]
        parts, before = [len(one) for one in left_out], np.cumsum([0, *map(len, left_out)])[:-1]
        part = np.concatenate([of + first for of, first in zip(part_of, before.tolist(), strict=True)])
        order = np.lexsort((-subjects.lengths, part))
        offsets = np.searchsorted(part[order], np.arange(sum(parts) + 1))
        out = [np.ascontiguousarray(one, dtype=np.uint8) for one in left_out]
        orders = self._orders(given, WITHOUT_ORDERS)
        orders["left_out"], orders["parts"] = pointers(*out), parts
        orders["offsets"] = pointer(offsets) + offsets.itemsize * before
        spans = [(searched or slice(None)).indices(columns)[:2] for columns in orders["columns"].tolist()]
        orders["first"], orders["last"] = np.array(spans).T
        arrays = pointers(subjects.codes, subjects.starts, subjects.lengths, order, scores)
        call = library.function("score_without", _POINTER, _LONG, *[_POINTER] * 5)
        longest = np.append(subjects.lengths[order], 0)[offsets[:-1]]  # of each part, which come longest first
        orders, cells = _by_part(orders, longest)

        def work(piece: slice) -> None:
            checked(call(pointer(orders[piece]), len(orders[piece]), *arrays))

        in_pieces(cells, work, threads=threads, check=check)
        return scores

    def _orders(self, given: Sequence[_Rows], kind: np.dtype[np.void]) -> NDArray[np.void]:
        """Return orders of a kind with their alignments and settings."""
        orders = np.zeros(len(given), dtype=kind)
        orders["codes"], orders["insertions"] = (
            pointers(*(one for one, _ in given)),
            pointers(*(one for _, one in given)),
        )
        orders["rows"], orders["columns"] = np.array([codes.shape for codes, _ in given]).T
        orders["inserted"] = [len(places) for _, places in given]
        orders["by"] = [ctypes.addressof(self.settings(columns)) for columns in orders["columns"].tolist()]
        return orders

    @property
    def letters(self) -> int:
        """Letters of the alphabet that are residues of their own."""
        return int(self._meant.shape[1])

    def settings(self, columns: int) -> ProfileSettings:
        """Return the settings that make profiles of this many columns: always the same, which live as long as this."""
        if columns not in self._settings_by_columns:  # another thread may be here
            self._settings_by_columns.setdefault(columns, self._for_columns(columns))
        return self._settings_by_columns[columns]

    def _for_columns(self, columns: int) -> ProfileSettings:
        recipe, (symbols, letters) = self.recipe, self._meant.shape
        costs = recipe.gap_costs(columns, self._mean_subject)
        return ProfileSettings(
            letters=letters,
            symbols=symbols,
            needed=recipe.residues_needed(columns),
            low=recipe.mask and self._masked,
            coils=recipe.mask_coils and self._masked,
            by_rows=recipe.observations == "rows",
            both_strands=self._both_strands,
            position_gaps=recipe.position_gaps,
            gap_first=round(costs.first * UNITS_PER_BIT),
            gap_extend=round(costs.extend * UNITS_PER_BIT),
            end_support=recipe.end_support,
            identity=recipe.max_identity,
            beta=recipe.beta,
            gap_prior=recipe.gap_prior,
            gap_chance=expected_gaps(columns, recipe),
            gap_scale=recipe.gap_scale,
            gap_bits=costs.first,
            cheapest=costs.cheapest,
            dearest=costs.first + DEAREST_ABOVE,
            units=UNITS_PER_BIT,
            highest=HIGHEST,
            unknown=UNITS_PER_BIT * WILDCARD_BITS,
            conditional=pointer(self._conditional),
            chance=pointer(self._chance),
            meant=pointer(self._meant),
            mask=self._mask(columns),
        )

    def _mask(self, columns: int) -> MaskSettings:
        """Return the settings that mask rows, and keep the tables that they point to."""
        return self._masks.setdefault(columns, mask_settings(columns))


def _by_part(orders: NDArray[np.void], longest: NDArray[np.int64]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Return orders of one part each, and about how many cells could be scored in the time of each, shape (parts,).

    Parameters
    ----------
    longest : ndarray, shape=(parts,)
        Residues of the longest subject of each part.
    """
    sizes = orders["parts"]
    each, begins = np.repeat(orders, sizes), np.cumsum(sizes) - sizes
    number = np.arange(len(each)) - np.repeat(begins, sizes)
    each["left_out"] += number * each["rows"]
    each["offsets"] += number * np.dtype(np.int64).itemsize
    each["parts"] = 1
    return each, each["columns"] * (CELLS_OF_ROW * each["rows"] + CELLS_OF_COLUMN + CELLS_OF_RESIDUE * longest)


def _arrays(alignment: MasterAlignment) -> _Rows:
    codes, alike = alignment.codes, alignment.alphabet.alike
    if alike:  # U counts as T
        codes = np.where(codes < DELETION, alignment.alphabet.alike_codes[codes], codes)
    return np.ascontiguousarray(codes), np.ascontiguousarray(alignment.insertions)


def expected_gaps(columns: int, recipe: Recipe) -> float:
    """Return the share of gaps that is expected at a position of a query of this many residues."""
    longer = min(max(1.0, columns / LONG_QUERY) ** 2, MAX_EXPECTED)
    return min(recipe.gap_chance * longer, 0.5)
