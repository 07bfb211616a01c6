"""The six frames of a DNA sequence: reading one, and where its residues stand among the bases.

Frame 1, 2 and 3 begin with the first, second and third base; -1, -2 and -3 with the last, the last but one and the last
but two, on the opposite strand. Frame 0 stands for a sequence that is not translated.

A *reading* is the pair of frames in which a query and a subject are compared, as one small number that stands where
searches without translation have the strand. It is above 1, so that what asks for ``strand > 0`` finds the residues
in the order of the alignment.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import InvalidParameter
from swgui.core.translation.genetic_codes import CODON, LETTERS, codon_table

FRAMES: Final = (1, 2, 3, -1, -2, -3)
NAMED_FRAMES: Final = {"all": FRAMES, "plus": FRAMES[:3], "minus": FRAMES[3:]}
_HIGHEST: Final = 3
_WIDTH: Final = 2 * _HIGHEST + 1
_FIRST: Final = 2  # readings begin here: 1 and -1 are strands


def read_frames(text: str) -> tuple[int, ...]:
    """Return the frames of a text like ``all``, ``plus``, ``minus`` or ``1,2,-3``, in the order of `FRAMES`.

    Raises
    ------
    InvalidParameter
        If it names none, or one that does not exist.
    """
    word = text.strip().lower() or "all"
    if word in NAMED_FRAMES:
        return NAMED_FRAMES[word]
    parts = [part for part in re.split(r"[\s,;]+", word) if part]
    wanted = {int(part) for part in parts if re.fullmatch(r"[+-]?[123]", part)}
    if len(wanted) != len(parts) or not wanted:
        raise InvalidParameter(
            "frames",
            text,
            f"'{text.strip()}' is not a list of different frames of DNA.",
            hint="Write all, plus, minus, or some of 1, 2, 3, -1, -2 and -3 with commas.",
        )
    return tuple(frame for frame in FRAMES if frame in wanted)


def write_frames(frames: tuple[int, ...]) -> str:
    """Return frames as `read_frames` reads them."""
    named = {of: name for name, of in NAMED_FRAMES.items()}
    return named.get(frames) or ",".join(map(str, frames))


def frame_lengths(lengths: NDArray[np.integer], frame: int) -> NDArray[np.int64]:
    """Return the residues of a frame of sequences of so many bases."""
    return np.maximum(lengths.astype(np.int64) - (abs(frame) - 1), 0) // CODON if frame else lengths.astype(np.int64)


def translate(
    bases: NDArray[np.uint8], frame: int, code: int = 1, start: int = 0, stop: int | None = None
) -> NDArray[np.uint8]:
    """Return the residues of one frame, or some of them.

    Parameters
    ----------
    bases : ndarray, shape=(L,), dtype=uint8
        Codes of `NUCLEOTIDE`, of the plus strand.
    frame : int
        One of `FRAMES`.
    code : int
        Number of the genetic code.
    start, stop : int
        Which residues of the frame.

    Returns
    -------
    ndarray, dtype=uint8
        Codes of `PROTEIN`.
    """
    part = bases[codons(frame, start, stop, len(bases))]
    triplets = (part if frame > 0 else NUCLEOTIDE.reverse_complement(part)).reshape(-1, CODON)
    index = triplets[:, 0].astype(np.uint16)
    for base in (1, 2):
        index *= LETTERS
        index += triplets[:, base]
    return codon_table(code)[index]


def codons(frame: int, start: int, stop: int | None, length: int) -> slice:
    """Return where some residues of a frame lie in a sequence of so many bases, on the plus strand.

    Parameters
    ----------
    start, stop : int
        Which residues; what is beyond the last one is left out, and without a `stop` none is.
    """
    before = abs(frame) - 1
    whole = max(length - before, 0) // CODON
    start, stop = min(start, whole), whole if stop is None else min(stop, whole)
    first, last = before + CODON * start, before + CODON * max(stop, start)
    return slice(first, last) if frame > 0 else slice(length - last, length - first)


def bases_of(
    frames: ArrayLike, starts: ArrayLike, ends: ArrayLike, lengths: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the last base of stretches of residues, from 1, in the direction of reading.

    In frames of the opposite strand the first base is above the last, as in BLAST.

    Parameters
    ----------
    frames : array_like of int, shape=(n,)
        0 where residues are letters of the sequence itself.
    starts, ends : array_like of int, shape=(n,)
        Residues of the frame, from 0, the end not included.
    lengths : array_like of int, shape=(n,)
        Bases of the whole sequences.
    """
    frame, start, end, length = (np.asarray(one, dtype=np.int64) for one in (frames, starts, ends, lengths))
    forward_first, forward_last = CODON * start + np.abs(frame), CODON * end + np.abs(frame) - 1
    first = np.where(frame > 0, forward_first, np.where(frame < 0, length - forward_first + 1, start + 1))
    last = np.where(frame > 0, forward_last, np.where(frame < 0, length - forward_last + 1, end))
    return first, last


def residues_at(frame: int, bases: ArrayLike, length: int) -> NDArray[np.int64]:
    """Return the residue, from 0, that each base is the first of in the direction of reading; as `bases_of` wrote them.

    Parameters
    ----------
    bases : array_like of int, shape=(n,)
        From 1; positions of residues where the frame is 0.
    length : int
        Bases of the whole sequence.
    """
    given = np.asarray(bases, dtype=np.int64)
    if not frame:
        return given - 1
    return ((given if frame > 0 else length + 1 - given) - abs(frame)) // CODON


def directions(readings: ArrayLike) -> NDArray[np.int64]:
    """Return 1 or -1 for strands and readings: of two translated sides that of the subject."""
    given, frames = np.asarray(readings, dtype=np.int64), subject_frames(readings)
    frames = np.where(frames == 0, query_frames(readings), frames)
    return np.sign(np.where(frames == 0, given, frames))


def reading(query_frame: int = 0, subject_frame: int = 0) -> int:
    """Return the reading of two frames; 0 for a sequence that is not translated."""
    return _FIRST + _WIDTH * (query_frame + _HIGHEST) + subject_frame + _HIGHEST


def query_frames(readings: ArrayLike) -> NDArray[np.int64]:
    """Return the frame of the query of readings; 0 for strands of searches without translation."""
    given = np.asarray(readings, dtype=np.int64)
    return np.where(given < _FIRST, 0, (given - _FIRST) // _WIDTH - _HIGHEST)


def subject_frames(readings: ArrayLike) -> NDArray[np.int64]:
    """Return the frame of the subject of readings; 0 for strands of searches without translation."""
    given = np.asarray(readings, dtype=np.int64)
    return np.where(given < _FIRST, 0, (given - _FIRST) % _WIDTH - _HIGHEST)


def query_frame(of: int) -> int:
    """Return the frame of the query of one reading."""
    return int(query_frames(of))


def subject_frame(of: int) -> int:
    """Return the frame of the subject of one reading."""
    return int(subject_frames(of))
