"""Making packed database files: of sequence files in one pass, and of another database."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, alphabet_by_name
from swgui.core.database import ArrayDatabase, EncodedDatabase
from swgui.core.errors import DatabaseError
from swgui.core.features import as_text
from swgui.core.organisms.subjects import UNKNOWN, SubjectOrganisms, grouped
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord, letters_beside
from swgui.core.texts import TextColumn, take_slices
from swgui.core.words import printable
from swgui.io.database.facts import HeaderFacts
from swgui.io.database.file import header_facts, open_database
from swgui.io.database.packed.keeping import Older, packed_writer
from swgui.io.database.packed.names import NOTHING, Texts
from swgui.io.database.packed.writer import PackedWriter, Subjects
from swgui.io.database.steps import Steps, described, known_kind, no_partner, read_all, report_facts
from swgui.io.imported.finding import find_imported_database
from swgui.io.organism_files import NO_FILES
from swgui.io.organisms.assign import OrganismSource
from swgui.io.outputs import keep_inputs
from swgui.io.read_report import ReadReport
from swgui.io.sequences.ledger import IdLedger
from swgui.io.sequences.plain_fasta import RecordBatch
from swgui.io.whole_file import whole_file

# Organisms of subjects that come some at a time: numbers that blocks hold, and in the end what they mean.

_Named = tuple[str, int]  # name, empty where only the taxid is known; taxid, 0 where it is not
BATCH: Final = 1 << 20  # bytes of records gathered before they are encoded
COMPARED: Final = 1 << 21  # identifiers checked for duplicates: more would take more memory
_STEP: Final = 1 << 22  # residues of another database taken at a time, about


class OrganismNumbers:
    """Gives numbers to what headers and sources say of organisms."""

    def __init__(self) -> None:
        self._numbers: dict[_Named, int] = {}
        self._counts: Counter[int] = Counter()
        self._source = OrganismSource(NO_FILES)

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, ids: Texts, descriptions: Texts, taxids: NDArray[np.int32] | None) -> NDArray[np.int32]:
        """Return the number of each subject's organism, shape (n,).

        Parameters
        ----------
        taxids : ndarray, shape=(n,), dtype=int32, optional
            What their source says; 0 where it says nothing.
        """
        found = self._source.assign(_column(ids), _column(descriptions), taxids)
        named = [
            ("" if name == f"taxid {taxid}" else name, taxid)
            for name, taxid in zip(found.names, found.taxids.tolist(), strict=True)
        ]
        numbers = [self._numbers.setdefault(one, len(self._numbers)) for one in named]
        self._counts.update(dict(zip(numbers, found.counts.tolist(), strict=True)))
        return np.array([*numbers, UNKNOWN], np.int32)[found.of]  # the unknown one is the last

    def meant(self) -> SubjectOrganisms:
        """Return the meaning of the numbers: organisms, and the organism of each number."""
        names = list(dict.fromkeys(name for name, _ in self._numbers if name))
        places = {name: place for place, name in enumerate(names)} | {"": UNKNOWN}
        of = np.array([places[name] for name, _ in self._numbers], np.int64)
        times = np.array([self._counts[number] for number in range(len(of))], np.int64)
        return grouped(of, names, np.array([taxid for _, taxid in self._numbers], np.int32), times)


def _column(texts: Texts) -> TextColumn:
    text, lengths = texts
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return TextColumn(np.frombuffer(text, np.uint8), offsets)


def build_packed(
    files: Sequence[Path],
    target: Path,
    name: str,
    steps: Steps,
    report: ReadReport,
    alphabet: Alphabet | None = None,
    refuse_other_kind: bool = False,
    older: Older | None = None,
) -> None:
    """Convert sequence files into a packed database file in one pass; memory is that of a block.

    The caller, `swgui.io.database.build.build_database`, checks the parameters and names the errors.
    """
    with whole_file(target, DatabaseError) as file:
        writer = packed_writer(file, older)
        # Only databases of other programs say of which organism a sequence is, but in its header.
        organisms = OrganismNumbers() if any(map(find_imported_database, files)) else None
        taker = _Taker(writer, organisms)
        read_all(files, taker, steps, report, alphabet, refuse_other_kind, IdLedger(most=COMPARED))
        facts = described(name, taker.finish(target, report.alphabet))
        meant = organisms.meant() if organisms else None
        facts = replace(facts, sources=tuple(steps.facts), report=report_facts(report), columns=steps.columns.text())
        writer.finish(facts, meant, numbered=True)
        steps.check()


class _Taker:
    """Takes records as a reader yields them."""

    def __init__(self, writer: PackedWriter, organisms: OrganismNumbers | None) -> None:
        self._writer = writer
        self._held: list[SequenceRecord] = []
        self._size = 0
        self._bare = ""  # the first record without letters
        self.organisms = organisms

    def add(self, record: SequenceRecord, alphabet: Alphabet | None) -> None:
        """Take one record."""
        self._writer.alphabet = alphabet
        self._held.append(record)
        self._size += len(record.residues) + len(record.id) + len(record.description) + len(record.places)
        if self._size >= BATCH:
            self._flush()

    def add_batch(self, batch: RecordBatch, alphabet: Alphabet | None) -> None:
        """Take many records."""
        self._flush()
        self._writer.alphabet = alphabet
        self._bare = self._bare or bytes(batch.ids[: int(batch.id_lengths[0])]).decode("utf-8", "replace")
        none = NOTHING, np.zeros(len(batch), np.int32)
        ids, descriptions = (batch.ids, batch.id_lengths), (batch.descriptions, batch.description_lengths)
        organisms = self.organisms.of(ids, descriptions, batch.taxids) if self.organisms is not None else None
        texts = ids, descriptions, none, none
        self._writer.add(Subjects(batch.codes, batch.lengths, texts, organisms=organisms))

    def _flush(self) -> None:
        alphabet, records = self._writer.alphabet, self._held
        if not records or alphabet is None:
            return
        columns = (
            [record.id.encode("utf-8", "replace") for record in records],
            [record.description.encode("utf-8", "replace") for record in records],
            [as_text(record.features, circular=record.circular).encode("utf-8", "replace") for record in records],
            [record.places for record in records],
        )
        codes = alphabet.encode(b"".join([record.residues for record in records]))
        lengths = np.array([len(record.residues) for record in records], np.int64)
        texts = tuple(map(_joined, columns))
        taxids, organisms = np.array([record.taxid for record in records], np.int32), None
        if self.organisms is not None:
            organisms = self.organisms.of(texts[0], texts[1], taxids)
        self._writer.add(Subjects(codes, lengths, texts, self._letters(records), organisms))
        self._held, self._size = [], 0

    def _letters(self, records: Sequence[SequenceRecord]) -> NDArray[np.uint8] | None:
        self._bare = self._bare or next((record.id for record in records if record.letters is None), "")
        first = next((record.letters for record in records if record.letters is not None), None)
        if first is not None and self._writer.track is None:
            self._writer.track = alphabet_by_name(first.alphabet)
        track = self._writer.track
        if track is None:
            return None
        if self._bare:
            raise no_partner(self._bare, "letters")
        return track.encode(b"".join([letters_beside(record, track.name) for record in records]))

    def finish(self, target: Path, alphabet: Alphabet | None) -> Alphabet:
        """Hand on what is left; return the kind of the sequences."""
        self._flush()
        return known_kind(target, alphabet)


def _joined(texts: Sequence[bytes]) -> Texts:
    return b"".join(texts), np.array([len(text) for text in texts], np.int64)


def pack_file(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    name: str = "",
    older: Older | None = None,
) -> None:
    """Rewrite a database file as a packed one, with all its content: in place, or to another file.

    Parameters
    ----------
    older : Older, optional
        A packed file whose blocks are reused where they are the same.

    Raises
    ------
    DatabaseError, InvalidParameter
        If the file cannot be opened, the other is not written, or would replace it.
    """
    if out is not None:
        keep_inputs(out, [("database", path)])
    facts = header_facts(path)
    save_packed(
        open_database(path, in_blocks=True), out or path, replace(facts, name=printable(name)) if name else facts, older
    )


def save_packed(
    database: EncodedDatabase,
    path: str | os.PathLike[str],
    facts: HeaderFacts | None = None,
    older: Older | None = None,
    change: Callable[[ArrayDatabase], ArrayDatabase] = lambda part: part,
) -> None:
    """Write a database to a packed file, completely or not at all, block by block if it is searched in blocks.

    Parameters
    ----------
    facts : HeaderFacts, optional
        Facts about its source.
    older : Older, optional
        As for `pack_file`.
    change : callable, optional
        Replaces each piece of the database before it is written.

    Raises
    ------
    DatabaseError
        If it cannot be written.
    """
    alphabet, track = database.alphabet.residue_alphabet, database.track
    facts = facts or described(printable(database.name), alphabet)
    with whole_file(path, DatabaseError) as file:
        writer = packed_writer(file, older)
        writer.alphabet, writer.track = alphabet, track.alphabet if track is not None else None
        for piece in database.pieces:
            for subjects in subjects_of(change(piece.open()), np.arange(piece.sequences)):
                writer.add(subjects)
        merged = facts.packed.merged if facts.packed else 0
        writer.finish(facts, database.stored_organisms, facts.track.source if facts.track else "", merged=merged)


def subjects_of(database: ArrayDatabase, chosen: NDArray[np.int64]) -> Iterator[Subjects]:
    """Yield subjects of a database in memory, chosen by source index, in order, shape (k,); some at a time."""
    organisms, track, first = database.stored_organisms, database.track, 0
    ends = np.cumsum(database.lengths[chosen], dtype=np.int64)
    columns = database.ids, database.descriptions, database.feature_texts, database.places
    while first < len(chosen):
        before = int(ends[first - 1]) if first else 0
        stop = max(first + 1, min(int(np.searchsorted(ends, before + _STEP, side="right")), first + (1 << 16)))
        rows = chosen[first:stop]
        positions = database.position[rows]
        none = NOTHING, np.zeros(len(rows), np.int64)
        yield Subjects(
            take_slices(database.codes, database.offsets, positions)[0],
            database.lengths[rows],
            tuple(none if column is None else _taken(column, rows) for column in columns),
            take_slices(track.codes, database.offsets, positions)[0] if track is not None else None,
            organisms.of[rows] if organisms is not None else None,
        )
        first = stop


def _taken(column: TextColumn, rows: NDArray[np.int64]) -> Texts:
    some = column.take(rows)
    return some.data.tobytes(), np.diff(some.offsets)
