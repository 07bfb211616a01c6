"""A database as a translated search sees it: proteins, made of its bases where and when they are needed.

Not all frames of a database need be in memory: engines get parts of them at a time (`parts`), alignments the stretches
that they read. The step that narrows windows on a device has both strands of a database that is not too large
(`peaks`).
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.database import ArrayDatabase, DatabaseView, EncodedDatabase, Parts, Residues, TextColumn
from swgui.core.packing import ChunkPlan
from swgui.core.ranges import Stretch, within
from swgui.core.scoring import check_same_alphabet
from swgui.core.translation.frames import frame_lengths, subject_frame, subject_frames
from swgui.core.translation.programs import Translation
from swgui.core.translation.stretches import translate_open


class TranslatedFrame(msgspec.Struct, frozen=True, eq=False):
    """A frame of a sequence, of which some residues at a time are translated."""

    bases: NDArray[np.uint8]  # codes of `NUCLEOTIDE`, shape (L,)
    # frame, code, least: as of `translate_open`
    frame: int
    code: int
    least: int = 0

    def __len__(self) -> int:
        return int(frame_lengths(np.array([len(self.bases)]), self.frame)[0])

    def __getitem__(self, part: slice) -> NDArray[np.uint8]:
        return translate_open(self.bases, self.frame, self.code, self.least, part.start, part.stop)


class TranslatedDatabase(DatabaseView):
    """A database under a translation; subjects, names and orders are those of the database itself.

    Lengths are those of the longest frame. Engines search `given`, or pieces of it.

    Parameters
    ----------
    given : EncodedDatabase
        As the user gave it.
    """

    def __init__(self, given: EncodedDatabase, translation: Translation) -> None:
        super().__init__(given)
        self.translation = translation

    alphabet = PROTEIN
    places = None

    @cached_property
    def checksum(self) -> str:
        return f"{self.given.checksum} {self.translation}" if self.given.checksum else ""

    @cached_property
    def residues(self) -> int:
        return frame_residues(self.given, int(self.translation.of.translates_database))

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        return self._longest(self.given.lengths)

    def lengths_of(self, db_index: NDArray[np.int64]) -> NDArray[np.int32]:
        return self._longest(self.given.lengths_of(db_index))

    def _longest(self, lengths: NDArray[np.int32]) -> NDArray[np.int32]:
        return frame_lengths(lengths, 1).astype(np.int32) if self.translation.of.translates_database else lengths

    def renamed(self, name: str) -> TranslatedDatabase:
        return TranslatedDatabase(self.given.renamed(name), self.translation)

    @property
    def search_space(self) -> tuple[float, float]:  # residues in every pair of frames
        return self.residues * self.translation.times, len(self)

    @property
    def in_stretches(self) -> bool:
        return self.given.in_stretches

    def lengths_seen(self, count: int) -> tuple[int, ...]:
        lengths = np.array(self.given.lengths_seen(count), dtype=np.int64)
        if self.translation.of.translates_database:
            lengths = frame_lengths(lengths, 1)
        return tuple(sorted(set(lengths.tolist())))

    @cached_property
    def bases(self) -> NDArray[np.int32]:
        """Length of each subject as it was given, shape (N,), source order."""
        return self.given.lengths

    def subject(self, db_index: int, strand: int = 1) -> NDArray[np.uint8]:
        """Return one subject in a reading, by source index; in the first frame for strand 1."""
        frame = self._frame(strand)
        codes = self.given.subject(db_index)
        how = self.translation
        return translate_open(codes, frame, how.subject_code, how.min_orf) if frame else codes

    def reading(self, db_index: int, strand: int = 1) -> Residues:
        """Return one subject in a reading, translated on access."""
        frame, codes = self._frame(strand), self.given.subject(db_index)
        how = self.translation
        return TranslatedFrame(codes, frame, how.subject_code, how.min_orf) if frame else codes

    def _frame(self, strand: int) -> int:
        return subject_frame(strand) or self.translation.of_subject[0]

    def placed(
        self,
        db_index: NDArray[np.int64],
        strands: NDArray[np.integer[Any]] | None = None,
        parts: Parts | None = None,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return residues in which some subjects lie in their readings; as `EncodedDatabase.placed`.

        A frame that several callers need is translated once.
        """
        if not self.translation.of.translates_database:
            return self.given.placed(db_index, strands, parts)
        frames = np.zeros(len(db_index), np.int64) if strands is None else subject_frames(strands)
        frames = np.where(frames == 0, self.translation.of_subject[0], frames)
        starts, stops = parts or (np.zeros(len(db_index), np.int64), np.full(len(db_index), -1))
        asked = np.stack([db_index, frames, starts, stops], axis=1)
        different, which = np.unique(asked, axis=0, return_inverse=True)
        how = self.translation.subject_code, self.translation.min_orf
        made = [
            translate_open(self.given.subject(db_index), frame, *how, start, None if stop < 0 else stop)
            for db_index, frame, start, stop in different.tolist()
        ]
        offsets = np.cumsum([0, *map(len, made)])
        codes = np.concatenate([np.zeros(0, np.uint8), *made])
        which = which.reshape(-1)
        return codes, offsets[:-1][which], np.diff(offsets)[which]


def frame_offsets(database: ArrayDatabase, frame: int) -> NDArray[np.int64]:
    """Return the start of each stored subject in one frame, shape (N + 1,); frame 0 is none."""
    if not frame:
        return database.offsets
    return np.concatenate([[0], np.cumsum(frame_lengths(np.diff(database.offsets), frame))]).astype(np.int64)


def frame_residues(database: EncodedDatabase, frame: int, stretch: Stretch | None = None) -> int:
    """Return the residues of the subjects of a stretch, or of all, in one frame; frame 0 is none."""
    if stretch is None:  # no piece need be opened
        of_pieces = (database.lengths_of(np.arange(one.first, one.stop)) for one in database.pieces if frame)
        return sum(int(frame_lengths(one, frame).sum(dtype=np.int64)) for one in of_pieces) or database.residues
    residues = 0
    for piece in database.pieces:
        start, stop = within(stretch, piece.first, piece.sequences)
        if start < stop:
            offsets = piece.open().offsets[start : stop + 1]
            residues += int(frame_lengths(np.diff(offsets), frame).sum()) if frame else int(offsets[-1] - offsets[0])
    return residues


def translated_piece(database: ArrayDatabase, frame: int, translation: Translation, plan: ChunkPlan) -> ArrayDatabase:
    """Return stored subjects of a database of DNA in one frame, each whole, as a database of proteins.

    Parameters
    ----------
    plan : ChunkPlan
        Which of them, by storage position; their order is the source order of the proteins.
    """
    edges = database.offsets[plan.start : plan.stop + 1].tolist()
    how = translation.subject_code, translation.min_orf
    codes = [translate_open(database.codes[first:last], frame, *how) for first, last in pairwise(edges)]
    count = len(codes)
    nothing = TextColumn(np.zeros(0, np.uint8), np.zeros(count + 1, np.int64))
    return ArrayDatabase(
        name=database.name,
        alphabet=PROTEIN,
        codes=np.concatenate([np.zeros(0, np.uint8), *codes]),
        offsets=np.cumsum([0, *map(len, codes)], dtype=np.int64),
        order=np.arange(count, dtype=np.int64),
        ids=nothing,
        descriptions=nothing,
        checksum=f"{database.checksum} {how} {frame} {plan.start}-{plan.stop}" if database.checksum else "",
    )


def searched(database: EncodedDatabase, translation: Translation | None) -> EncodedDatabase:
    """Return the form of a database that is scored: itself, or its translation, which is made once.

    Raises
    ------
    AlphabetMismatch
        If the program compares another kind of sequence.
    """
    if translation is None:
        return database
    made: dict[Translation, TranslatedDatabase] = vars(database).setdefault("_translated", {})
    if translation not in made:
        check_same_alphabet(translation.of.database, database.alphabet, "database")
        made[translation] = TranslatedDatabase(database, translation)
    return made[translation]
