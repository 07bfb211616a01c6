"""Observed columns of alignments: frequencies without pseudocounts, and the diversity around each column.

Around column i count the rows that have a residue in it. They are weighed by position (Henikoff and Henikoff 1994, J.
Mol. Biol. 243:574) in the columns that 90 % of them reach, as PSI-BLAST weighs reduced alignments (Altschul et al.
1997, Nucleic Acids Res. 25:3389). The frequencies of column i are the weighted ones of its residues, and its diversity
is ``2**H``, H the mean entropy of these columns in bits (Soding 2005, Bioinformatics 21:951): 1 for one sequence, 20
at most.
"""

from __future__ import annotations

import ctypes

import numpy as np

from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.observed import ObservedColumns
from swgui.engines.native import library
from swgui.engines.native.profiles import ProfileMaker, ProfileSettings
from swgui.engines.native.scoring import checked, pointer, pointers

_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64


def observe(alignment: MasterAlignment, maker: ProfileMaker) -> ObservedColumns:
    """Return the observed columns of an alignment of proteins.

    Parameters
    ----------
    maker : ProfileMaker
        Whose recipe chooses the rows that count: near copies, short rows and ends that few share are left out, and
        stretches of low complexity are masked.
    """
    codes, letters = np.ascontiguousarray(alignment.codes), maker.letters
    frequencies, entropies = np.empty((alignment.columns, letters), dtype=np.float32), np.empty(alignment.columns)
    call = library.function(
        "observed_columns", _POINTER, _LONG, _LONG, ctypes.POINTER(ProfileSettings), _POINTER, _POINTER
    )
    checked(call(pointer(codes), *codes.shape, maker.settings(alignment.columns), *pointers(frequencies, entropies)))
    return ObservedColumns(frequencies, np.asarray(np.exp2(entropies), dtype=np.float32))
