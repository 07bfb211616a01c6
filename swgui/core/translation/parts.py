"""Parts of stored sequences, or of the frames of DNA, as subjects of their own: what engines are given of long ones.

A long sequence is many parts, which overlap so that any alignment lies wholly in one of them: they are scored side by
side, their scores say where in the sequence alignments are, and no more than some are ever translated at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN, Alphabet
from swgui.core.columns import ColumnRecord
from swgui.core.database import EncodedDatabase, TextColumn
from swgui.core.packing import ChunkPlan, sort_by_length
from swgui.core.translation.frames import frame_lengths
from swgui.core.translation.genetic_codes import CODON, strand_tables
from swgui.core.translation.programs import Translation
from swgui.core.translation.stretches import translate_open

Cut = Callable[[int], list[tuple[int, int]]]
_Ints = NDArray[np.int64]


class FrameParts(ColumnRecord, frozen=True):
    """Parts of frames of stored sequences, n of them, longest first."""

    positions: _Ints  # storage position of the sequence, shape (n,)
    frames: _Ints  # 0 for the sequence as it is stored, shape (n,)
    # starts, stops: half-open ranges of residues of the frame, shape (n,)
    starts: _Ints
    stops: _Ints

    @property
    def offsets(self) -> _Ints:
        """Where the residues of each begin if they lie one behind the other, shape (n + 1,)."""
        return np.concatenate([[0], np.cumsum(self.stops - self.starts)]).astype(np.int64)


def parts_of(
    database: EncodedDatabase, plan: ChunkPlan, frames: Sequence[int], most: int | None, cut: Cut
) -> FrameParts:
    """Return the parts of the frames of some stored sequences.

    Parameters
    ----------
    plan : ChunkPlan
        Which sequences; each has a part of each frame at least, though it may be empty.
    most : int, optional
        Residues up to which a frame is one part; all are without it.
    cut : callable
        Given the residues of a longer frame, returns half-open ranges of them.
    """
    bases = np.diff(database.offsets[plan.start : plan.stop + 1])
    columns = []
    for frame in frames:
        lengths = frame_lengths(bases, frame)
        long = np.zeros(len(lengths), dtype=np.bool_) if most is None else lengths > most
        short = np.flatnonzero(~long)
        columns.append(np.stack([plan.start + short, np.full_like(short, frame), 0 * short, lengths[short]]))
        for row in np.flatnonzero(long).tolist():
            ranges = np.array(cut(int(lengths[row])), dtype=np.int64).T
            columns.append(
                np.stack([np.full_like(ranges[0], value) for value in (plan.start + row, frame)] + [*ranges])
            )
    positions, of_frame, starts, stops = np.concatenate(columns, axis=1)
    near = np.lexsort((starts, positions))  # parts of one place stand together, whatever their frames
    order = near[sort_by_length((stops - starts)[near])]
    return FrameParts(positions[order], of_frame[order], starts[order], stops[order])


@dataclass(frozen=True, eq=False)
class PartDatabase(EncodedDatabase):
    """Parts of stored sequences as a database, in their order; nobody cuts them again."""


@dataclass(frozen=True, eq=False)
class CodonDatabase(PartDatabase):
    """Parts of frames as a database of proteins for an engine that translates them itself; `codes` is empty."""

    bases: NDArray[np.uint8] = field(kw_only=True, repr=False)  # codes of `NUCLEOTIDE`, of all sequences
    # Lowest base of each part's first codon, f; where the opposite strand is read -1 - f, and the next codon is three
    # bases below, shape (n,).
    firsts: _Ints = field(kw_only=True, repr=False)
    tables: NDArray[np.uint8] = field(kw_only=True, repr=False)  # as of `strand_tables`, shape (2, 4096)

    def some(self, start: int, stop: int) -> tuple[NDArray[np.uint8], _Ints]:
        """Return the bases that some parts are read from, and their `firsts` among these."""
        firsts, codons = self.firsts[start:stop], np.diff(self.offsets[start : stop + 1])
        forward = firsts >= 0
        lowest = np.where(forward, firsts, ~firsts - CODON * (codons - 1))[codons > 0]
        low = int(lowest.min(initial=len(self.bases)))
        high = int((lowest + CODON * codons[codons > 0]).max(initial=low))
        return self.bases[low:high], np.where(forward, firsts - low, firsts + low)


def stored_parts(database: EncodedDatabase, parts: FrameParts) -> PartDatabase:
    """Return parts of sequences as they are stored."""
    first = database.offsets[parts.positions]
    places = zip((first + parts.starts).tolist(), (first + parts.stops).tolist(), strict=True)
    codes = np.concatenate([database.symbols(slice(0, 0)), *(database.symbols(slice(*place)) for place in places)])
    return PartDatabase(codes=codes, **_as_subjects(database, database.alphabet, parts))


def translated_parts(database: EncodedDatabase, translation: Translation, parts: FrameParts) -> PartDatabase:
    """Return parts of frames as a database of proteins.

    Parameters
    ----------
    database : EncodedDatabase
        Of DNA.
    """
    how = translation.subject_code, translation.min_orf
    edges, codes = database.offsets, [np.zeros(0, np.uint8)]
    rows = zip(*(column.tolist() for column in (parts.positions, parts.frames, parts.starts, parts.stops)), strict=True)
    for position, frame, start, stop in rows:
        bases = database.codes[int(edges[position]) : int(edges[position + 1])]
        codes.append(translate_open(bases, frame, *how, start, stop))
    return PartDatabase(codes=np.concatenate(codes), **_as_subjects(database, PROTEIN, parts, how))


def codon_parts(database: EncodedDatabase, translation: Translation, parts: FrameParts) -> CodonDatabase:
    """Return the same for an engine that translates codons itself; stretches are not masked."""
    first, end = database.offsets[parts.positions], database.offsets[parts.positions + 1]
    inside = np.abs(parts.frames) - 1 + CODON * parts.starts
    return CodonDatabase(
        codes=np.zeros(0, np.uint8),
        bases=database.codes,
        firsts=np.where(parts.frames > 0, first + inside, ~(end - inside - CODON)),
        tables=strand_tables(translation.subject_code),
        **_as_subjects(database, PROTEIN, parts, (translation.subject_code, translation.min_orf)),
    )


def _as_subjects(
    database: EncodedDatabase, alphabet: Alphabet, parts: FrameParts, how: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Return what a database knows of parts besides their codes."""
    count = len(parts)
    nothing = TextColumn(np.zeros(0, np.uint8), np.zeros(count + 1, np.int64))
    return {
        "name": database.name,
        "alphabet": alphabet,
        "offsets": parts.offsets,
        "order": np.arange(count, dtype=np.int64),
        "ids": nothing,
        "descriptions": nothing,
        "checksum": _checksum(database, how, parts) if database.checksum else "",
    }


def _checksum(database: EncodedDatabase, how: tuple[int, ...], parts: FrameParts) -> str:
    """Return the checksum of parts of a database."""
    digest = hashlib.blake2b(f"{database.checksum} {how}".encode(), digest_size=16)
    for column in (parts.positions, parts.frames, parts.starts, parts.stops):
        digest.update(column.tobytes())
    return digest.hexdigest()
