"""Parts of stored sequences, or of the frames of DNA, as subjects of their own: the form of long ones for engines.

A long sequence is many parts, which overlap so that any alignment lies wholly in one of them: they are scored side by
side, their scores show where in the sequence alignments are, and only some are translated at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN, Alphabet
from swgui.core.columns import ColumnRecord
from swgui.core.database import ArrayDatabase, Codons, TextColumn, tracks_of
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
        """Starts of the residues of each if they are concatenated, shape (n + 1,)."""
        return np.concatenate([[0], np.cumsum(self.stops - self.starts)]).astype(np.int64)


def parts_of(database: ArrayDatabase, plan: ChunkPlan, frames: Sequence[int], most: int | None, cut: Cut) -> FrameParts:
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


def bases_among(database: ArrayDatabase, start: int, stop: int) -> tuple[NDArray[np.uint8], _Ints]:
    """Return the bases that some parts are read from, and the `firsts` of their codons among these.

    Parameters
    ----------
    database : ArrayDatabase
        As `codon_parts` makes it.
    """
    codons, sizes = database.codons, np.diff(database.offsets[start : stop + 1])
    if codons is None:
        raise ValueError(f"'{database.name}' has no codons.")
    firsts = codons.firsts[start:stop]
    forward = firsts >= 0
    lowest = np.where(forward, firsts, ~firsts - CODON * (sizes - 1))[sizes > 0]
    low = int(lowest.min(initial=len(codons.bases)))
    high = int((lowest + CODON * sizes[sizes > 0]).max(initial=low))
    return codons.bases[low:high], np.where(forward, firsts - low, firsts + low)


def stored_parts(database: ArrayDatabase, parts: FrameParts) -> ArrayDatabase:
    """Return parts of sequences as they are stored."""
    first = database.offsets[parts.positions]
    places = zip((first + parts.starts).tolist(), (first + parts.stops).tolist(), strict=True)
    symbols = np.concatenate([database.symbols(slice(0, 0)), *(database.symbols(slice(*place)) for place in places)])
    codes, track = tracks_of(database.alphabet, symbols)
    return ArrayDatabase(codes=codes, track=track, **_as_subjects(database, database.alphabet, parts))


def translated_parts(database: ArrayDatabase, translation: Translation, parts: FrameParts) -> ArrayDatabase:
    """Return parts of frames as a database of proteins.

    Parameters
    ----------
    database : ArrayDatabase
        Of DNA.
    """
    how = translation.subject_code, translation.min_orf
    edges, codes = database.offsets, [np.zeros(0, np.uint8)]
    rows = zip(*(column.tolist() for column in (parts.positions, parts.frames, parts.starts, parts.stops)), strict=True)
    for position, frame, start, stop in rows:
        bases = database.codes[int(edges[position]) : int(edges[position + 1])]
        codes.append(translate_open(bases, frame, *how, start, stop))
    return ArrayDatabase(codes=np.concatenate(codes), **_as_subjects(database, PROTEIN, parts, how))


def codon_parts(database: ArrayDatabase, translation: Translation, parts: FrameParts) -> ArrayDatabase:
    """Return the same for an engine that translates codons itself; stretches are not masked."""
    first, end = database.offsets[parts.positions], database.offsets[parts.positions + 1]
    inside = np.abs(parts.frames) - 1 + CODON * parts.starts
    return ArrayDatabase(
        codes=np.zeros(0, np.uint8),
        codons=Codons(
            database.codes,
            np.where(parts.frames > 0, first + inside, ~(end - inside - CODON)),
            strand_tables(translation.subject_code),
        ),
        **_as_subjects(database, PROTEIN, parts, (translation.subject_code, translation.min_orf)),
    )


def _as_subjects(
    database: ArrayDatabase, alphabet: Alphabet, parts: FrameParts, how: tuple[int, ...] = ()
) -> dict[str, Any]:
    """Return the subject data of parts of a database, apart from their codes."""
    count = len(parts)
    nothing = TextColumn(np.zeros(0, np.uint8), np.zeros(count + 1, np.int64))
    return {
        "cut": True,
        "name": database.name,
        "alphabet": alphabet,
        "offsets": parts.offsets,
        "order": np.arange(count, dtype=np.int64),
        "ids": nothing,
        "descriptions": nothing,
        "checksum": _checksum(database, how, parts) if database.checksum else "",
    }


def _checksum(database: ArrayDatabase, how: tuple[int, ...], parts: FrameParts) -> str:
    """Return the checksum of parts of a database."""
    digest = hashlib.blake2b(f"{database.checksum} {how}".encode(), digest_size=16)
    for column in (parts.positions, parts.frames, parts.starts, parts.stops):
        digest.update(column.tobytes())
    return digest.hexdigest()
