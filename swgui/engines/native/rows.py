"""Alignments as rows in the columns of their query, in compiled code: written, compared, cut, and how they are masked.

What repeats itself scores well against all that repeats itself alike, whatever it descends from, so in a profile such
residues count as unknown:

* Low complexity: SEG (`swgui.core.statistics.masking`).
* Coiled coils: COILS, Lupas, Van Dyke and Stock (1991), Science 252:1162, with the frequencies MTIDK and the score
  distributions of Lupas (1996), Methods Enzymol. 266:513, for windows of 28 without weights.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.score_profile import PositionGaps
from swgui.core.stretches import Subjects
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointer, pointers
from swgui.engines.native.tracing import Paths

_POINTER, _LONG, _INT, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_double
COIL_PROBABILITY: Final = 0.5  # probability from which a window is a coiled coil
# Ratio of the frequency of a residue at the positions a ... g of heptads to its frequency elsewhere.
_MTIDK: Final = {
    "L": (2.998, 0.269, 0.367, 3.852, 0.510, 0.514, 0.562),
    "I": (2.408, 0.261, 0.345, 0.931, 0.402, 0.440, 0.289),
    "V": (1.525, 0.479, 0.350, 0.887, 0.286, 0.350, 0.362),
    "M": (2.161, 0.605, 0.442, 1.441, 0.607, 0.457, 0.570),
    "F": (0.490, 0.075, 0.391, 0.639, 0.125, 0.081, 0.038),
    "Y": (1.319, 0.064, 0.081, 1.526, 0.204, 0.118, 0.096),
    "G": (0.084, 0.215, 0.432, 0.111, 0.153, 0.367, 0.125),
    "A": (1.283, 1.364, 1.077, 2.219, 0.490, 1.265, 0.903),
    "K": (1.233, 2.194, 1.817, 0.611, 2.095, 1.686, 2.027),
    "R": (1.014, 1.476, 1.771, 0.114, 1.667, 2.006, 1.844),
    "H": (0.590, 0.646, 0.584, 0.842, 0.307, 0.611, 0.396),
    "E": (0.281, 3.351, 2.998, 0.789, 4.868, 2.735, 3.812),
    "D": (0.068, 2.103, 1.646, 0.182, 0.664, 1.581, 1.401),
    "Q": (0.311, 2.290, 2.330, 0.811, 2.596, 2.155, 2.585),
    "N": (1.231, 1.683, 2.157, 0.197, 1.653, 2.430, 2.065),
    "S": (0.332, 0.753, 0.930, 0.424, 0.734, 0.801, 0.518),
    "T": (0.197, 0.543, 0.647, 0.680, 0.905, 0.643, 0.808),
    "C": (0.918, 0.002, 0.385, 0.440, 0.138, 0.432, 0.079),
    "W": (0.066, 0.064, 0.065, 0.747, 0.006, 0.115, 0.014),
    "P": (0.004, 0.108, 0.018, 0.006, 0.010, 0.004, 0.007),
}
# Mean and standard deviation of scores, in coiled coils and in globular proteins, and how many more of these there are.
_COILED: Final = (1.69, 0.18)
_GLOBULAR: Final = (0.80, 0.18)
_RATIO: Final = 30.0

_Codes = NDArray[np.uint8]
_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
SOURCES: Final = np.dtype(  # as `row_source` in kernels/cpu/rows.h
    [(name, "i8") for name in ("codes", "rows", "columns", "insertions", "inserts", "inserted", "residues")]
)
TABLES: Final = np.dtype(  # as `row_table` in kernels/cpu/aligned_rows.c
    [("source", SOURCES)]
    + [(name, "i8") for name in ("query", "order", "kept", "codes", "insertions", "inserted", "inserts", "residues")]
)
PARTED: Final = np.dtype(  # as `parted_members`, likewise
    [(name, "i8") for name in ("codes", "rows", "columns", "member", "members", "part_of", "left_out", "parts")]
)
HEPTADS: Final = np.log([_MTIDK[letter] for letter in PROTEIN.letters[: len(_MTIDK)]])  # by code and position


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Alignments in the columns of their query, k of them; as in `RowTable`."""

    codes: _Codes = field(repr=False)  # shape (k, m)
    places: _Ints = field(repr=False)  # shape (i, 3)
    inserted: _Codes = field(repr=False)

    @property
    def source(self) -> tuple[int, ...]:
        """The rows as one of `SOURCES`; they must outlive it."""
        where = pointer(self.places), len(self.places), pointer(self.inserted), len(self.inserted)
        return pointer(self.codes), *self.codes.shape, *where


def rows_of(paths: Paths, subjects: Subjects, columns: int) -> Rows:
    """Return alignments of a query of this many residues with subjects as rows."""
    codes = np.empty((len(paths), columns), dtype=np.uint8)
    places = np.empty((len(paths.ops), 3), dtype=np.int64)
    spans = paths.regions.subject_end - paths.regions.subject_start
    inserted, totals = np.empty(int(spans.sum()), dtype=np.uint8), np.zeros(2, dtype=np.int64)
    begins = np.stack([paths.regions.query_start, paths.regions.subject_start], axis=1)
    call = library.function("write_rows", *[_POINTER] * 3, _LONG, _LONG, *[_POINTER] * 8)
    given = pointers(subjects.codes, subjects.starts, subjects.lengths)
    arrays = begins, paths.ops, paths.lengths, paths.offsets, codes, places, inserted, totals
    checked(call(*given, len(paths), columns, *pointers(*arrays)))
    return Rows(codes, places[: totals[0]].copy(), inserted[: totals[1]].copy())


def order_rows(sources: NDArray[np.void], queries: Sequence[_Codes], order: _Ints, kept: Sequence[int]) -> list[Rows]:
    """Return each query with some of the rows that were found with it behind it, in an order.

    Parameters
    ----------
    sources : ndarray, shape=(q,), dtype=SOURCES
        The rows of each query.
    queries : sequence of ndarray, shape=(m,), dtype=uint8
        Codes of each.
    order : ndarray, shape=(k,), dtype=int64
        The chosen rows of all queries in turn, by number among those of the query.
    kept : sequence of int
        How many of these each query has.
    """
    tables = np.zeros(len(sources), dtype=TABLES)
    tables["source"], tables["kept"] = sources, kept
    sizes = (tables["kept"] + 1) * sources["columns"], 3 * sources["inserts"], sources["residues"]
    ends = [np.cumsum(np.append(0, of)) for of in sizes]
    made = tuple(np.empty(int(end[-1]), kind) for end, kind in zip(ends, (np.uint8, np.int64, np.uint8), strict=True))
    given, own = np.ascontiguousarray(order, dtype=np.int64), [np.ascontiguousarray(codes) for codes in queries]
    before = given.itemsize * np.cumsum(np.append(0, kept))[:-1]
    tables["query"], tables["order"] = pointers(*own), pointer(given) + before
    for name, array, end in zip(("codes", "insertions", "inserted"), made, ends, strict=True):
        tables[name] = pointer(array) + array.itemsize * end[:-1]
    checked(library.function("order_rows", _POINTER, _LONG)(pointer(tables), len(tables)))
    numbers = zip(
        *(end.tolist() for end in ends), tables["inserts"].tolist(), tables["residues"].tolist(), strict=False
    )
    codes, places, inserted = made
    return [
        Rows(
            codes[at : at + (some + 1) * columns].reshape(-1, columns),
            places[place : place + 3 * inserts].reshape(-1, 3).copy(),  # there was room for all that were found
            inserted[residue : residue + residues].copy(),
        )
        for (at, place, residue, inserts, residues), some, columns in zip(
            numbers, kept, sources["columns"].tolist(), strict=True
        )
    ]


def purge(codes: _Codes, letters: int, max_identity: float) -> _Ints:
    """Return the rows without near copies, in their order; the first is always kept.

    A row is left out if it is identical in at least `max_identity` of the columns it shares with a row above it that
    is kept, where these are 90 % of its residues (Altschul et al. 1997, Nucleic Acids Res. 25:3389, with 98 %).

    Parameters
    ----------
    codes : ndarray, shape=(n, m), dtype=uint8
        Best row first.
    letters : int
        Codes below it are residues.
    max_identity : float
        From 0 to 1; above 1 all rows are kept.
    """
    given, kept, total = np.ascontiguousarray(codes), np.empty(len(codes), dtype=np.int64), np.zeros(1, dtype=np.int64)
    call = library.function("purge_rows", _POINTER, _LONG, _LONG, _LONG, _DOUBLE, _POINTER, _POINTER)
    checked(call(pointer(given), *given.shape, letters, max_identity, *pointers(kept, total)))
    return kept[: total[0]]


def cut_ends(rows: Rows, scores: NDArray[np.int16], gaps: PositionGaps, least: float) -> tuple[Rows, _Ints]:
    """Cut off the ends of rows that gain less than `least` a column.

    A local alignment extends as long as its score does not fall, so behind a shared domain it follows any sequence
    there at hardly any gain, and the next round finds relatives of that (over-extension: Gonzalez and Pearson 2010,
    Nucleic Acids Res. 38:2177). The call keeps the stretch of each row with the highest score, less `least` for every
    column.

    Parameters
    ----------
    scores : ndarray, shape=(m, symbols), dtype=int16
        What the alignments were made with, as `gaps`.
    least : float
        In the units of the scores.

    Returns
    -------
    Rows
    ndarray, shape=(2, k), dtype=int64
        Residues of each row that were cut off at its beginning and at its end.
    """
    codes, places, inserted = rows.codes.copy(), rows.places.copy(), rows.inserted.copy()
    off, left = np.zeros((2, len(codes)), dtype=np.int64), np.zeros(2, dtype=np.int64)
    profile, costs = np.ascontiguousarray(scores, np.int16), np.ascontiguousarray(gaps.columns, np.int16)
    call = library.function(
        "cut_rows", _POINTER, _LONG, _LONG, _POINTER, _DOUBLE, *[_POINTER] * 2, _LONG, *[_POINTER] * 3, _LONG
    )
    given = pointer(profile), *profile.shape, pointer(costs), least, pointer(codes), pointer(places), len(places)
    checked(call(*given, *pointers(inserted, off, left), len(codes)))
    return Rows(codes, places[: left[0]], inserted[: left[1]]), off


def part_members(
    codes: Sequence[_Codes], member: Sequence[_Ints], members: Sequence[int], fewest: int, share: float, most: int
) -> tuple[list[_Ints], list[NDArray[np.bool_]]]:
    """Put members of alignments into parts: those with rows that are alike, one to the next, and small groups together.

    Rows are alike that have the same residue in at least a share of their common columns, `fewest` or more.

    Parameters
    ----------
    codes : sequence of ndarray, shape=(k, m), dtype=uint8
        Rows of each alignment.
    member : sequence of ndarray, shape=(k,), dtype=int64
        The member that each row is of, from 0; -1 for a row of none.
    members : sequence of int
        How many there are.
    most : int
        Parts of an alignment at most.

    Returns
    -------
    list of ndarray, shape=(members,), dtype=int64
        The part of each member, -1 of one without rows.
    list of ndarray, shape=(parts, k), dtype=bool
        Rows of each part.
    """
    given, of = [np.ascontiguousarray(rows) for rows in codes], [np.ascontiguousarray(one) for one in member]
    parted = np.zeros(len(given), dtype=PARTED)
    part_of = [np.empty(count, dtype=np.int64) for count in members]
    left_out = [np.zeros((most, len(rows)), dtype=np.bool_) for rows in given]
    for name, arrays in (("codes", given), ("member", of), ("part_of", part_of), ("left_out", left_out)):
        parted[name] = pointers(*arrays)
    parted["rows"], parted["columns"], parted["members"] = *np.array([rows.shape for rows in given]).T, members
    call = library.function("part_members", _POINTER, _LONG, _LONG, _DOUBLE, _LONG)
    checked(call(pointer(parted), len(parted), fewest, share, most))
    return part_of, [rows[:parts] for rows, parts in zip(left_out, parted["parts"].tolist(), strict=True)]


def coil_score(least: float = COIL_PROBABILITY) -> float:
    """Return the score at which a window is a coiled coil with a probability.

    ``P = G_c / (30 G_g + G_c)``, G being normal distributions; both have the same deviation, so P grows with the score.
    """
    (coiled, deviation), (globular, _) = _COILED, _GLOBULAR
    odds = math.log(_RATIO * least / (1.0 - least))
    return (coiled + globular) / 2 + deviation**2 * odds / (coiled - globular)


class MaskSettings(ctypes.Structure):
    """Settings that mask rows: field by field `mask_settings` in ``kernels/cpu/rows.h``."""

    _fields_ = (
        *((name, _LONG) for name in ("window", "most_trim", "most_odd")),
        *((name, _DOUBLE) for name in ("low", "high", "coil")),
        *((name, _POINTER) for name in ("c_log2", "log2", "ln_factorial", "ln", "heptads")),
    )
    arrays: tuple[_Floats, ...]  # targets of the pointers


@lru_cache(maxsize=64)
def mask_settings(columns: int) -> MaskSettings:
    """Return the settings that mask rows of this many columns."""
    from swgui.core.statistics.masking import SegSettings  # here: few searches make profiles

    seg = SegSettings()
    window, whole = np.arange(1, seg.window + 1), np.arange(1, max(columns, len(HEPTADS)) + 1)
    logarithms = window * np.log2(window), np.log2(window), np.cumsum(np.log(whole)), np.log(whole)
    c_log2, log2, ln_factorial, ln = arrays = tuple(np.concatenate([[0.0], table]) for table in logarithms)
    made = MaskSettings(
        window=seg.window,
        most_trim=seg.most_trim,
        most_odd=seg.most_odd,
        low=seg.low,
        high=seg.high,
        coil=math.log(coil_score()),
        c_log2=pointer(c_log2),
        log2=pointer(log2),
        ln_factorial=pointer(ln_factorial),
        ln=pointer(ln),
        heptads=pointer(HEPTADS),
    )
    made.arrays = arrays
    return made
