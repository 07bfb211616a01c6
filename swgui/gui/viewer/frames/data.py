"""What lies in the six frames of a sequence: alignments frame by frame, open stretches and stops. Pure, without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import PLAIN, spell_out
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.translation.frames import bases_of, query_frame, subject_frame, translate
from swgui.core.translation.genetic_codes import CODON
from swgui.gui.viewer.shown import ShownHit

_STOP = PROTEIN.letters.index("*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an alignment that lies in one frame.

    Parameters
    ----------
    number : int
        Of the alignment, from 0.
    frame : int
        From 1 to 3 and from -1 to -3.
    first, last : int
        Bases of the plus strand from 1, both included.
    """

    number: int
    frame: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, eq=False)
class SixFrames:
    """A sequence of DNA, and where the alignments of a hit lie in its frames.

    Parameters
    ----------
    name : str
    bases : bytes
        Upper-case letters.
    code : int
        Genetic code.
    pieces : tuple of Piece
        Those of an alignment in the direction of reading; where the reading shifts the next one begins.
    of_query : bool
        Whether it is the query.
    """

    name: str
    bases: bytes
    code: int
    pieces: tuple[Piece, ...]
    of_query: bool

    def extent(self, number: int) -> tuple[int, int]:
        """Return the first and the last base of an alignment, from 1."""
        own = [one for one in self.pieces if one.number == number]
        return min(one.first for one in own), max(one.last for one in own)

    def stops(self, frame: int, first: int, last: int) -> NDArray[np.int64]:
        """Return the first bases (from 1, of the plus strand) of the stop codons of a frame within a stretch.

        Parameters
        ----------
        first, last : int
            Bases from 1, both included.
        """
        length = len(self.bases)
        before = abs(frame) - 1 if frame > 0 else (length - (abs(frame) - 1)) % CODON
        start = max(first - 1 - before, 0) // CODON * CODON + before  # where a codon of the frame begins
        part = NUCLEOTIDE.encode(self.bases[start : min(last, length)])
        part = part[: len(part) // CODON * CODON]
        residues = translate(part, 1 if frame > 0 else -1, self.code)
        places = np.flatnonzero((residues if frame > 0 else residues[::-1]) == _STOP)
        return start + 1 + CODON * places.astype(np.int64)


def six_frames(found: Sequence[ShownHit]) -> SixFrames | None:
    """Return the DNA side of the alignments of a pair, that of the subject first; None where nothing is translated."""
    if not found or (how := found[0].hit.translation) is None:
        return None
    hit = found[0].hit
    of_query = not how.of.translates_database
    record = hit.query_record if of_query else hit.subject
    pieces = [piece for number, one in enumerate(found) for piece in _pieces(number, one, of_query)]
    code = how.query_code if of_query else how.subject_code
    return SixFrames(record.id, record.residues, code, tuple(pieces), of_query)


def _pieces(number: int, shown: ShownHit, of_query: bool) -> list[Piece]:
    """Return the parts of an alignment, frame by frame."""
    hit, alignment = shown.hit, shown.alignment
    record = hit.query_record if of_query else hit.subject
    frame, length = (query_frame if of_query else subject_frame)(hit.strand), len(record.residues)
    if alignment.steps == PLAIN:
        start = alignment.query_start if of_query else alignment.subject_start
        end = alignment.query_end if of_query else alignment.subject_end
        first, last = (int(one) for one in bases_of(frame, start, end, length))
        return [Piece(number, frame, min(first, last), max(first, last))]
    columns = spell_out(alignment)
    places = columns.query if of_query else columns.subject
    places = places[places >= 0]
    edges = np.flatnonzero(np.diff(places % CODON)) + 1
    pieces = []
    for part in np.split(places, edges):
        low, high = int(part[0]), int(part[-1]) + CODON - 1  # of the strand, from 0
        own = low % CODON + 1
        if frame > 0:
            pieces.append(Piece(number, own, low + 1, high + 1))
        else:
            pieces.append(Piece(number, -own, length - high, length - low))
    return pieces
