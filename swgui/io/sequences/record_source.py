"""Sources that hold records, not text: databases of other programs, read block by block.

A source has blocks (`RecordSource.blocks`); the common part is here: records that need no remark are passed on many at
a time, all others one by one, as from FASTA.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from itertools import chain, islice
from types import TracebackType
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import INVALID, Alphabet
from swgui.core.errors import SequenceError
from swgui.core.plain import replace
from swgui.io.sequences.parsers import RawRecord, decode_title, drained
from swgui.io.sequences.plain_fasta import RecordBatch, encoder_of

_PRINTABLE: Final = bytes(range(32, 127)) + b"\t\x01"
_CONTROLS: Final = dict.fromkeys((*range(1), *range(2, 32), 127), " ")


class RecordBlock(msgspec.Struct, frozen=True, eq=False):
    """Records that follow each other, as a source has them; none of their texts is checked."""

    number: int  # of the first, from 1
    letters: bytes  # of all, concatenated
    lengths: NDArray[np.int64]
    ids: bytes
    id_lengths: NDArray[np.int64]
    descriptions: bytes
    description_lengths: NDArray[np.int64]
    taxids: NDArray[np.int32] | None = None  # 0 where unknown; None if all are

    def __len__(self) -> int:
        return len(self.lengths)

    def items(self, encoder: bytes) -> Iterator[RecordBatch | RawRecord]:
        """Yield runs of plain records, and the others, in order.

        Parameters
        ----------
        encoder : bytes, size 256
            Code of each residue that needs no remark, `INVALID` of others.
        """
        codes = np.frombuffer(self.letters.translate(encoder), dtype=np.uint8)
        ends = _ends(self.lengths)
        id_ends, description_ends = _ends(self.id_lengths), _ends(self.description_lengths)
        odd = (self.lengths == 0) | (self.id_lengths == 0)
        if codes.size and codes.max() == INVALID:
            odd[np.searchsorted(ends, np.flatnonzero(codes == INVALID), side="right") - 1] = True
        for texts, text_ends in ((self.ids, id_ends), (self.descriptions, description_ends)):
            if texts.translate(None, _PRINTABLE):
                signs = np.frombuffer(texts, dtype=np.uint8)
                strange = np.flatnonzero(~np.isin(signs, list(_PRINTABLE)))
                odd[np.searchsorted(text_ends, strange, side="right") - 1] = True
        run = 0
        for stop in [*np.flatnonzero(odd).tolist(), len(odd)]:
            if stop > run:
                yield RecordBatch(
                    number=self.number + run,
                    lines=np.zeros(stop - run, dtype=np.int64),
                    codes=codes[ends[run] : ends[stop]],
                    lengths=self.lengths[run:stop].astype(np.int32),
                    ids=self.ids[id_ends[run] : id_ends[stop]],
                    id_lengths=self.id_lengths[run:stop].astype(np.int32),
                    descriptions=self.descriptions[description_ends[run] : description_ends[stop]],
                    description_lengths=self.description_lengths[run:stop].astype(np.int32),
                    taxids=self.taxids[run:stop] if self.taxids is not None else None,
                )
            if stop < len(odd):
                yield self._raw(stop, ends, id_ends, description_ends)
            run = stop + 1

    def raws(self, kind: Alphabet | None) -> Iterator[RawRecord]:
        """Yield the records one by one, saying of which kind they are."""
        ends = [_ends(lengths) for lengths in (self.lengths, self.id_lengths, self.description_lengths)]
        for index in range(len(self)):
            yield replace(self._raw(index, *ends), alphabet=kind)

    def _raw(
        self, index: int, ends: NDArray[np.int64], id_ends: NDArray[np.int64], description_ends: NDArray[np.int64]
    ) -> RawRecord:
        identifier, description = (
            decode_title(text[edges[index] : edges[index + 1]])[0].translate(_CONTROLS).strip()
            for text, edges in ((self.ids, id_ends), (self.descriptions, description_ends))
        )
        body = self.letters[ends[index] : ends[index + 1]]
        taxid = int(self.taxids[index]) if self.taxids is not None else 0
        return RawRecord(self.number + index, 0, identifier, description, body, taxid=taxid)


def _ends(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


class RecordSource(ABC):
    """A database of another program, open for reading; use it in a ``with`` statement.

    Parameters
    ----------
    name : str
        What messages call it.
    path : str
        The file that stands for it.
    kind : Alphabet or None
        Of the sequences; None to tell it by their letters.
    form : str
        What the format is called.

    Attributes
    ----------
    position : int
        How far it was read, in bytes of that file.
    """

    packing, encoding = "", "utf-8"  # as a `TextSource` has them

    def __init__(self, name: str, path: str, kind: Alphabet | None, form: str) -> None:
        self.name, self.path, self.kind, self.form = name, path, kind, form
        self.position = 0
        self._peeked: list[RecordBlock] = []
        self._blocks: Generator[RecordBlock, None, None] | None = None

    @abstractmethod
    def blocks(self) -> Generator[RecordBlock, None, None]:
        """Yield all records, in blocks of some megabytes; once."""

    def first(self, count: int) -> list[RawRecord]:
        """Return the first records, at most so many, without consuming them; they say of which kind they are."""
        if self._blocks is None:
            self._blocks = self.blocks()
            self._peeked = [block for block in [next(self._blocks, None)] if block is not None]
        return [raw for block in self._peeked for raw in islice(block.raws(self.kind), count)]

    def raws(self) -> Iterator[RawRecord]:
        """Yield all records one by one."""
        for block in self.blocks():
            yield from block.raws(self.kind)

    def items(self, alphabet: Alphabet, plain: bytes) -> Iterator[RecordBatch | RawRecord]:
        """Yield all records.

        Parameters
        ----------
        plain : bytes
            Residues that need no remark.
        """
        encoder = encoder_of(alphabet, plain)
        rest = self._blocks if self._blocks is not None else self.blocks()
        for block in chain(drained(self._peeked), rest):
            yield from block.items(encoder)
            del block

    def error(self, message: str, *, line: int = 0, record: int = 0, hint: str = "") -> SequenceError:
        """Make an error that names this source."""
        return SequenceError(message[:1].upper() + message[1:], path=self.path, line=line, record=record, hint=hint)

    def __enter__(self) -> RecordSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._blocks is not None:
            self._blocks.close()  # and what it has open
            self._blocks = None
