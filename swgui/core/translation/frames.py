"""The six frames of a DNA sequence: reading one, and where its residues stand among the bases.

Frame 1, 2 and 3 begin with the first, second and third base; -1, -2 and -3 with the last, the last but one and the last
but two, on the opposite strand. Frame 0 means an untranslated sequence. Frames 4 and -4 are whole strands whose reading
may shift (`swgui.core.frameshift`): a residue begins at every base, positions are bases of the strand.

A *reading* is the pair of frames in which a query and a subject are compared, as one small number in place of the
strand of searches without translation. It is above 1, so that the test ``strand > 0`` finds the residues in the order
of the alignment.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import InvalidParameter
from swgui.core.translation.genetic_codes import CODON, LETTERS, codon_table

FRAMES: Final = (1, 2, 3, -1, -2, -3)
NAMED_FRAMES: Final = {"all": FRAMES, "plus": FRAMES[:3], "minus": FRAMES[3:]}
SHIFTING: Final = 4  # frame of a strand whose reading may shift, with the sign of the strand
_HIGHEST: Final = 3
_WIDTH: Final = 2 * _HIGHEST + 1
_FIRST: Final = 2  # readings begin here: 1 and -1 are strands
_SHIFTED: Final = ((SHIFTING, 0), (-SHIFTING, 0), (0, SHIFTING), (0, -SHIFTING))  # readings behind all others
_PAIRS: Final = np.array(
    [(0, 0)] * _FIRST + [(q - _HIGHEST, s - _HIGHEST) for q in range(_WIDTH) for s in range(_WIDTH)] + list(_SHIFTED)
)


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
    """Return the number of residues of a frame, of sequences of `lengths` bases, shape (n,)."""
    if abs(frame) == SHIFTING:
        return np.maximum(lengths.astype(np.int64) - (CODON - 1), 0)
    return np.maximum(lengths.astype(np.int64) - (abs(frame) - 1), 0) // CODON if frame else lengths.astype(np.int64)


def frame_sizes(lengths: NDArray[np.integer], frames: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the residues of frames of sequences of `lengths` bases, shape (n,): the frames of each in turn."""
    return np.stack([frame_lengths(lengths, frame) for frame in frames], axis=1).reshape(-1)


def frame_rows(length: int, frame: int) -> slice:
    """Rows of one of `FRAMES` among the residues of all of them, one frame behind the other, of `length` bases."""
    ends = np.cumsum([0, *frame_sizes(np.array([length]), FRAMES).tolist()]).tolist()
    at = FRAMES.index(frame)
    return slice(ends[at], ends[at + 1])


def translate(
    bases: NDArray[np.uint8], frame: int, code: int = 1, start: int = 0, stop: int | None = None
) -> NDArray[np.uint8]:
    """Return the residues of one frame, or some of them.

    Parameters
    ----------
    bases : ndarray, shape=(L,), dtype=uint8
        Codes of `NUCLEOTIDE`, of the plus strand.
    frame : int
        One of `FRAMES`, or a whole strand (`SHIFTING`).
    code : int
        Number of the genetic code.
    start, stop : int
        Which residues of the frame; of a whole strand which bases, with a residue for each but the last two.

    Returns
    -------
    ndarray, dtype=uint8
        Codes of `PROTEIN`.
    """
    part = bases[codons(frame, start, stop, len(bases))]
    if abs(frame) == SHIFTING:
        return codons_of(part, frame, code)
    triplets = (part if frame > 0 else NUCLEOTIDE.reverse_complement(part)).reshape(-1, CODON)
    index = triplets[:, 0].astype(np.uint16)
    for base in (1, 2):
        index *= LETTERS
        index += triplets[:, base]
    return codon_table(code)[index]


def codons_of(bases: NDArray[np.uint8], strand: int = 1, code: int = 1) -> NDArray[np.uint8]:
    """Return the codons of a strand, one from each base on.

    Parameters
    ----------
    bases : ndarray, shape=(n,), dtype=uint8
        Codes of `NUCLEOTIDE`, of the plus strand.
    strand : {1, -1}
    code : int
        Number of the genetic code.

    Returns
    -------
    ndarray, shape=(max(n - 2, 0),), dtype=uint8
        Codes of `PROTEIN`.
    """
    read = bases if strand > 0 else NUCLEOTIDE.reverse_complement(bases)
    index = np.zeros(max(len(read) - 2, 0), dtype=np.uint16)
    for base in range(3):
        index *= LETTERS
        index += read[base : base + len(index)]
    return np.asarray(codon_table(code)[index])


def codons(frame: int, start: int, stop: int | None, length: int) -> slice:
    """Return the positions of some residues of a frame in a sequence of this many bases, on the plus strand.

    Parameters
    ----------
    start, stop : int
        Residues; those beyond the last one are left out, and without a `stop` none is.
    """
    if abs(frame) == SHIFTING:
        start, stop = min(start, length), length if stop is None else min(stop, length)
        return slice(start, max(stop, start)) if frame > 0 else slice(length - max(stop, start), length - start)
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
    frame, start, end, length = (np.asarray(values, dtype=np.int64) for values in (frames, starts, ends, lengths))
    unit, before = bases_each(frame), np.where(np.abs(frame) == SHIFTING, 1, np.abs(frame))
    forward_first, forward_last = unit * start + before, unit * end + before - 1
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
    forward = given if frame > 0 else length + 1 - given
    return forward - 1 if abs(frame) == SHIFTING else (forward - abs(frame)) // CODON


def bases_each(frames: ArrayLike) -> NDArray[np.int64]:
    """Return the number of letters per position of each frame, shape (n,): 3 in a codon, else 1."""
    without_sign = np.abs(frames)
    return np.where((without_sign == 0) | (without_sign == SHIFTING), 1, CODON)


def begun_in(of: int, starts: tuple[int, int] | None) -> tuple[int, int]:
    """Return the frames of query and subject, of `FRAMES` or 0, in which an alignment in a reading begins.

    Parameters
    ----------
    starts : (int, int), optional
        Where it begins, positions from 0; without it no frame of a strand that may shift is known.
    """
    pair = query_frame(of), subject_frame(of)
    if SHIFTING not in map(abs, pair):
        return pair
    if starts is None:
        return 0, 0
    query, subject = (
        (1 if frame > 0 else -1) * (start % CODON + 1) if frame else 0
        for frame, start in zip(pair, starts, strict=True)
    )
    return query, subject


def directions(readings: ArrayLike) -> NDArray[np.int64]:
    """Return 1 or -1 for strands and readings, shape (n,): of two translated sides that of the subject."""
    given, frames = np.asarray(readings, dtype=np.int64), subject_frames(readings)
    frames = np.where(frames == 0, query_frames(readings), frames)
    return np.sign(np.where(frames == 0, given, frames))


def reading(query_frame: int = 0, subject_frame: int = 0) -> int:
    """Return the reading of two frames; 0 for a sequence that is not translated."""
    if (query_frame, subject_frame) in _SHIFTED:
        return len(_PAIRS) - len(_SHIFTED) + _SHIFTED.index((query_frame, subject_frame))
    return _FIRST + _WIDTH * (query_frame + _HIGHEST) + subject_frame + _HIGHEST


@lru_cache(maxsize=64)
def readings_of(query_frames: tuple[int, ...], subject_frames: tuple[int, ...]) -> tuple[int, ...]:
    """Return the readings of every pair of frames, those of the first frame of the query first."""
    return tuple(reading(query, subject) for query in query_frames for subject in subject_frames)


def query_frames(readings: ArrayLike) -> NDArray[np.int64]:
    """Return the frame of the query of readings, shape (n,); 0 for strands of searches without translation."""
    return np.asarray(_PAIRS[np.maximum(np.asarray(readings, dtype=np.int64), 0), 0])


def subject_frames(readings: ArrayLike) -> NDArray[np.int64]:
    """Return the frame of the subject of readings, shape (n,); 0 for strands of searches without translation."""
    return np.asarray(_PAIRS[np.maximum(np.asarray(readings, dtype=np.int64), 0), 1])


def steps_of(of: int) -> tuple[int, int]:
    """Return the query and subject positions per residue in one reading: 3 if it may shift."""
    query, subject = (CODON if abs(frame) == SHIFTING else 1 for frame in (query_frame(of), subject_frame(of)))
    return query, subject


@lru_cache(maxsize=256)
def query_frame(of: int) -> int:
    """Return the frame of the query of one reading."""
    return int(_PAIRS[max(of, 0), 0])


@lru_cache(maxsize=256)
def subject_frame(of: int) -> int:
    """Return the frame of the subject of one reading."""
    return int(_PAIRS[max(of, 0), 1])
