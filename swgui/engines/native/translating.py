"""Parts of the subjects of a search as residues; a search that reads frames translates them in one call."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from swgui.core.circular import text_of
from swgui.core.database import EncodedDatabase, Parts
from swgui.core.hits.scores import distinct
from swgui.core.stretches import Subjects
from swgui.core.translation.database import TranslatedDatabase
from swgui.core.translation.frames import SHIFTING, frame_lengths, subject_frames
from swgui.core.translation.genetic_codes import CODON, strand_tables
from swgui.engines.native.library import function, problem
from swgui.engines.native.scoring import pointers

_POINTER = ctypes.c_void_p


def subject_lengths(
    database: EncodedDatabase, db_index: NDArray[np.int64], strands: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the residues of subjects in their strands or readings, shape (k,)."""
    lengths = text_of(database).lengths[db_index].astype(np.int64)
    if not isinstance(database, TranslatedDatabase) or not database.translation.of.translates_database:
        return lengths
    bases, frames = database.given.lengths[db_index], _frames(database, strands)
    for frame in distinct(frames).tolist():
        own = frames == frame
        lengths[own] = frame_lengths(bases[own], frame)
    return lengths


def _frames(database: TranslatedDatabase, strands: NDArray[np.int64]) -> NDArray[np.int64]:
    frames = subject_frames(strands)
    return np.where(frames == 0, database.translation.of_subject[0], frames)


def parts_of_subjects(
    database: EncodedDatabase, db_index: NDArray[np.int64], strands: NDArray[np.int64], parts: Parts
) -> Subjects:
    """Return the result of `Subjects.of`, without a look for repeated parts.

    Parameters
    ----------
    db_index, strands : ndarray, shape=(k,)
    parts : (ndarray, ndarray), shape=(k,) each, dtype=int64
        Half-open ranges of residues within each subject; of a strand whose reading may shift, of its bases.
    """
    of = database if isinstance(database, TranslatedDatabase) else None
    if of is None or not of.translation.of.translates_database or of.translation.min_orf > 1 or problem():
        return Subjects.of(database, db_index, strands, parts)
    given, frames = of.given, _frames(of, strands)
    shifting = np.abs(frames) == SHIFTING
    starts, lengths = parts[0], np.maximum(parts[1] - parts[0] - np.where(shifting, CODON - 1, 0), 0)
    bases, first, sizes = given.placed(db_index)
    end = first + sizes
    step = np.where(shifting, 1, CODON).astype(np.int64)
    inside = np.where(shifting, 0, np.abs(frames) - 1) + step * starts
    lowest = np.where(frames > 0, first + inside, end - inside - CODON)
    last = lowest + np.where(frames > 0, 1, -1) * step * (lengths - 1)
    some = lengths > 0
    if (np.minimum(lowest, last) < first)[some].any() or (np.maximum(lowest, last) + CODON > end)[some].any():
        raise ValueError("A part lies outside its subject.")
    firsts = np.where(frames > 0, lowest, ~lowest)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    codes = np.empty(int(offsets[-1]), dtype=np.uint8)
    call = function("translate_codons", *[_POINTER] * 4, ctypes.c_int64, *[_POINTER] * 2)
    bases, table = np.ascontiguousarray(bases), np.ascontiguousarray(strand_tables(of.translation.subject_code))
    call(*pointers(bases, firsts, step, lengths), len(lengths), *pointers(table, codes))
    return Subjects(codes, offsets[:-1], lengths)
