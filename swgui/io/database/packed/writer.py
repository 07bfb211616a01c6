"""Writing a packed database file in one pass: subjects come in source order, a block at a time is in memory."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.organisms.subjects import UNKNOWN, SubjectOrganisms
from swgui.core.plain import replace
from swgui.io.database.facts import HeaderFacts, PackedFacts, TrackFacts
from swgui.io.database.format import DIRECTORY as SECTION
from swgui.io.database.format import NUMBERS, PACKED, DatabaseWriter
from swgui.io.database.organisms import OF_SUBJECTS, sections_of
from swgui.io.database.packed.codec import checksum
from swgui.io.database.packed.layout import DIRECTORY, PAGE, Content, content_checksum_of
from swgui.io.database.packed.names import COLUMNS, NameWriter, Texts

# A block takes as many residues as 64 MB hold at 5 bits, and no more subjects than that their lengths and order take no
# more than the residues: so that building takes less than 0.5 GB. Larger blocks gain nothing: these are read in a few
# requests at the rate of the drive.
BLOCK_RESIDUES: Final = 107_000_000
BLOCK_SEQUENCES: Final = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class Subjects:
    """Subjects that follow each other: residues, concatenated, and the texts of each (`COLUMNS`)."""

    codes: NDArray[np.uint8]
    lengths: NDArray[np.integer[Any]]
    texts: tuple[Texts, ...]
    letters: NDArray[np.uint8] | None = None
    organisms: NDArray[np.int32] | None = None

    def cut(self, first: int, stop: int) -> Subjects:
        """Return some of them."""
        at = np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])
        inside = slice(int(at[first]), int(at[stop]))
        texts = []
        for text, lengths in self.texts:
            ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
            texts.append((memoryview(text)[int(ends[first]) : int(ends[stop])], lengths[first:stop]))
        return Subjects(
            self.codes[inside],
            self.lengths[first:stop],
            tuple(texts),
            self.letters[inside] if self.letters is not None else None,
            self.organisms[first:stop] if self.organisms is not None else None,
        )


class _Room:
    """Residues of a block as they come, in an array that grows only for a subject longer than a block."""

    def __init__(self, size: int) -> None:
        self._array = np.empty(size, np.uint8)
        self.held = 0

    def add(self, codes: NDArray[np.uint8]) -> None:
        if self.held + len(codes) > len(self._array):
            grown = np.empty(self.held + len(codes), np.uint8)
            grown[: self.held] = self._array[: self.held]
            self._array = grown
        self._array[self.held : self.held + len(codes)] = codes
        self.held += len(codes)

    def taken(self) -> NDArray[np.uint8]:
        held, self.held = self.held, 0
        return self._array[:held]


class PackedWriter:
    """Writes blocks and names as subjects come, then the directory and the header.

    Parameters
    ----------
    file : binary file
        Open for writing and reading, empty.
    block_residues, block_sequences : int
        When a block is full; a longer subject is a block of its own.
    """

    def __init__(
        self,
        file: IO[bytes],
        *,
        block_residues: int = BLOCK_RESIDUES,
        block_sequences: int = BLOCK_SEQUENCES,
    ) -> None:
        self._writer = DatabaseWriter(file, PACKED)
        self._limits = block_residues, block_sequences
        self._names = NameWriter(lambda data: self._writer.append([data]))
        self._codes, self._letters = _Room(block_residues), _Room(0)
        self._lengths: list[NDArray[np.int32]] = []
        self._organisms: list[NDArray[np.int32]] = []
        self._known = False  # whether an organism of the block is known
        self._entries: list[tuple[Any, ...]] = []
        self._in_block = 0
        self._names_begin = self._writer.append([])[0]
        self.alphabet: Alphabet | None = None
        self.track: Alphabet | None = None
        self.sequences = self.residues = self.longest = 0

    def __len__(self) -> int:
        return self.sequences

    def add(self, subjects: Subjects) -> None:
        """Take subjects; all of them have letters, or none."""
        most_residues, most = self._limits
        ends = np.cumsum(subjects.lengths, dtype=np.int64)
        first, count = 0, len(ends)
        while first < count:
            before = int(ends[first - 1]) if first else 0
            stop = int(np.searchsorted(ends, before + most_residues - self._codes.held, side="right"))
            stop = min(stop, first + most - self._in_block, count)
            if stop <= first and self._in_block:
                self.end_block()
                continue
            stop = max(stop, first + 1)
            self._take(subjects if (first, stop) == (0, count) else subjects.cut(first, stop))
            first = stop

    def _take(self, part: Subjects) -> None:
        self._codes.add(part.codes)
        if part.letters is not None:
            self._letters.add(part.letters)
        lengths = part.lengths.astype(np.int32)
        unknown = np.full(len(lengths), UNKNOWN, np.int32)
        self._organisms.append(unknown if part.organisms is None else part.organisms)
        self._known |= part.organisms is not None
        self._lengths.append(lengths)
        self._names.add(part.texts)
        self._in_block += len(lengths)
        self.sequences += len(lengths)
        self.residues += len(part.codes)
        self.longest = max(self.longest, int(lengths.max(initial=0)))

    def end_block(self) -> None:
        """Write the block of the sequences taken since the last one."""
        assert self.alphabet is not None
        names = self._names.end_block()
        content = Content(
            len(self._entries),
            self.sequences - self._in_block,
            self._codes.taken(),
            np.concatenate(self._lengths).astype(np.int64),
            self._letters.taken() if self.track is not None else None,
            np.concatenate(self._organisms) if self._known else None,
        )
        self._put(content, content.parts(self.alphabet, self.track), names)
        self._lengths, self._organisms, self._in_block, self._known = [], [], 0, False

    def _put(self, content: Content, parts: list[Any], names: tuple[int, int, bytes]) -> None:
        """Write the parts of a block behind its names, of which there are bytes, frames and checksum."""
        lengths, crc, digest = content.lengths, 0, hashlib.blake2b(digest_size=16)
        for part in parts:
            crc = checksum(part, crc)
            digest.update(part)
        offset, size = self._writer.append(parts, PAGE)
        counts = content.first, len(lengths), len(content.codes), int(lengths.max()), int(lengths.min())
        entry = offset, size, *counts, self._names_begin, *names[:2], crc, 0, digest.digest(), names[2]
        self._entries.append(entry)
        self._names_begin = offset + size

    def finish(
        self,
        facts: HeaderFacts,
        organisms: SubjectOrganisms | None = None,
        letters_file: str = "",
        *,
        numbered: bool = False,
        merged: int = 0,
    ) -> None:
        """Write the rest; the file is complete afterwards.

        Parameters
        ----------
        facts : HeaderFacts
            Without the counts and checksums that are made here.
        organisms : SubjectOrganisms, optional
            The meaning of the numbers of the subjects' organisms.
        letters_file : str
            The source of the second track.
        numbered : bool
            Whether `organisms` are those of numbers, which the subjects have.
        merged : int
            Sequences that were merged with identical ones.
        """
        if self._in_block:
            self.end_block()
        table = np.array(self._entries, DIRECTORY)
        self._writer.array(SECTION, table.view(np.uint8) if len(table) else np.zeros(0, np.uint8))
        if organisms is not None:
            for name, array in sections_of(organisms).items():
                if name != OF_SUBJECTS or numbered:
                    self._writer.array(NUMBERS if name == OF_SUBJECTS else name, array)
        track = self.track
        checksum = content_checksum_of([facts.alphabet, *([track.name] if track else [])], table)
        kinds = dict(zip(COLUMNS, self._names.any_of, strict=True))
        self._writer.finish(
            replace(
                facts,
                sequences=self.sequences,
                residues=self.residues,
                longest=self.longest,
                checksum=checksum,
                track=TrackFacts(track.name, track.letters, checksum, letters_file) if track else None,
                packed=PackedFacts(kinds["features"], kinds["places"], merged),
            )
        )
