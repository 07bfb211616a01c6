"""FASTA in bulk: runs of records that need no remark, as arrays.

A record is plain if its header is printable ASCII that begins with an identifier, and its letters are upper-case and
common ones of the alphabet, with nothing but line breaks between them. All others are passed on one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import INVALID, Alphabet
from swgui.io.read_report import ReadReport
from swgui.io.sequences.parsers import RawRecord, drained, fasta_records, raw_fasta
from swgui.io.sequences.sources import TextSource

LARGEST: Final = 1 << 24  # bytes of text taken at a time; a record beyond is handed on by itself

_PRINTABLE: Final = bytes(range(32, 127)) + b"\t\n"
_BLANK: Final = np.isin(np.arange(256), list(b" \t\n"))


class RecordBatch(msgspec.Struct, frozen=True, eq=False):
    """Plain records that follow each other, as a database stores them."""

    number: int  # of the first record, from 1, empty records counted
    lines: NDArray[np.int64]  # line of each header, shape (n,)
    codes: NDArray[np.uint8]  # residues, record after record
    lengths: NDArray[np.int32]  # shape (n,)
    # ids, descriptions: ASCII, concatenated
    ids: bytes
    # id_lengths, description_lengths: shape (n,)
    id_lengths: NDArray[np.int32]
    descriptions: bytes
    description_lengths: NDArray[np.int32]
    # What the source says of the organism of each, shape (n,); 0 where it does not.
    taxids: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.lengths)


def parse_plain(
    source: TextSource, alphabet: Alphabet, plain: bytes, report: ReadReport
) -> Iterator[RecordBatch | RawRecord]:
    """Scan FASTA that begins with a header, in bulk.

    Parameters
    ----------
    plain : bytes
        Residues that need no remark.
    report : ReadReport
        Gets the remarks on headers.

    Yields
    ------
    RecordBatch or RawRecord
        In the order of the text.

    Raises
    ------
    SequenceError
        If a record is longer than `LONGEST_RECORD`.
    """
    encoder, number, line = encoder_of(alphabet, plain), 1, 1
    for pieces in whole_records(source.blocks()):
        lines = sum(piece.count(b"\n") for piece in pieces)
        if sum(map(len, pieces)) > LARGEST:
            number = yield from fasta_records(drained(pieces), source, report, number, line)
        else:
            for item in _Block(b"".join(pieces), number, line).items(encoder, report):
                number += len(item) if isinstance(item, RecordBatch) else 1
                yield item
        line += lines


def encoder_of(alphabet: Alphabet, plain: bytes) -> bytes:
    """Return the code of each byte that is one of these letters, `INVALID` of others."""
    table = np.full(256, INVALID, dtype=np.uint8)
    table[np.frombuffer(plain, dtype=np.uint8)] = alphabet.encode(plain)
    return table.tobytes()


def whole_records(blocks: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Cut text again where records begin; each piece is one or more of them with all line breaks."""
    pieces: list[bytes] = []
    for block in blocks:
        broken = bool(pieces) and pieces[-1].endswith(b"\n") and block.startswith(b">")
        cut = block.rfind(b"\n>") + 1
        if cut or broken:
            yield [*pieces, block[:cut]]
            pieces = []
        pieces.append(block[cut:])
    if pieces:
        yield pieces


class _Block:
    """Text of whole records, taken apart.

    Parameters
    ----------
    text : bytes
        Begins with ``>``.
    number, line : int
        Of its first record.
    """

    def __init__(self, text: bytes, number: int, line: int) -> None:
        self._text, self._number, self._line = text, number, line
        signs = np.frombuffer(text, dtype=np.uint8)
        breaks = np.flatnonzero(signs == ord("\n"))
        behind = breaks[breaks < len(signs) - 1] + 1
        heads = behind[signs[behind] == ord(">")]
        self._heads = np.concatenate([[0], heads])
        ends = np.append(heads, len(signs))  # of records, with their last line break
        lines_before = np.searchsorted(breaks, self._heads)
        lines_behind = np.append(lines_before[1:], len(breaks))
        breaks = np.append(breaks, len(signs))
        self._bodies = np.minimum(breaks[lines_before] + 1, ends)
        self._ends, self._lines = ends, lines_before + line
        self._lengths = ends - self._bodies - np.maximum(lines_behind - lines_before - 1, 0)
        spans = np.stack([self._bodies - self._heads, ends - self._bodies], axis=1).ravel()
        self._in_body = np.repeat(_alternating(len(spans)), spans)
        self._signs = signs

    def items(self, encoder: bytes, report: ReadReport) -> Iterator[RecordBatch | RawRecord]:
        """Yield runs of plain records and the others."""
        codes = np.frombuffer(self._signs[self._in_body].tobytes().translate(encoder, b"\n"), dtype=np.uint8)
        title = self._signs[~self._in_body]
        widths = self._bodies - self._heads
        starts = np.cumsum(widths) - widths + 1  # of identifiers
        # The text may end within a header, without a line break.
        stops = starts - 1 + widths - np.append(np.ones(len(widths) - 1, np.int64), title[-1] == ord("\n"))
        blanks = np.append(np.flatnonzero(_BLANK[title]), len(title))
        id_ends = np.minimum(blanks[np.searchsorted(blanks, starts)], stops)
        rests = np.minimum(id_ends + 1, stops)
        first, last = title[np.minimum(rests, len(title) - 1)], title[stops - 1]
        described = stops > rests
        odd = (id_ends == starts) | (self._lengths == 0) | (described & (_BLANK[first] | _BLANK[last]))
        if title.tobytes().translate(None, _PRINTABLE):
            strange = np.flatnonzero(~np.isin(title, list(_PRINTABLE)))
            odd[np.searchsorted(starts, strange, side="right") - 1] = True
        ends = np.cumsum(self._lengths)
        if codes.size and codes.max() == INVALID:
            odd[np.searchsorted(ends, np.flatnonzero(codes == INVALID), side="right")] = True
        columns = _Columns(title, starts, id_ends, rests, stops)
        run = 0
        for stop in [*np.flatnonzero(odd).tolist(), len(odd)]:
            if stop > run:
                yield self._batch(slice(run, stop), codes[ends[run] - self._lengths[run] : ends[stop - 1]], columns)
            if stop < len(odd):
                yield self._raw(stop, report)
            run = stop + 1

    def _batch(self, run: slice, codes: NDArray[np.uint8], columns: _Columns) -> RecordBatch:
        ids, id_lengths = columns.texts(columns.starts[run], columns.id_ends[run])
        descriptions, description_lengths = columns.texts(columns.rests[run], columns.stops[run])
        return RecordBatch(
            number=self._number + run.start,
            lines=self._lines[run],
            codes=codes,
            lengths=self._lengths[run].astype(np.int32),
            ids=ids,
            id_lengths=id_lengths,
            descriptions=descriptions,
            description_lengths=description_lengths,
        )

    def _raw(self, index: int, report: ReadReport) -> RawRecord:
        head, body, end = int(self._heads[index]), int(self._bodies[index]), int(self._ends[index])
        if index < len(self._heads) - 1:
            end -= 1  # the line break before the next header
        title = self._text[head + 1 : body].removesuffix(b"\n")
        return raw_fasta(self._number + index, int(self._lines[index]), title, self._text[body:end], report)


class _Columns(msgspec.Struct, frozen=True, eq=False):
    """Where identifiers and descriptions are in the headers of a block."""

    title: NDArray[np.uint8]
    starts: NDArray[np.int64]
    id_ends: NDArray[np.int64]
    rests: NDArray[np.int64]
    stops: NDArray[np.int64]

    def texts(self, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[bytes, NDArray[np.int32]]:
        """Return stretches of the headers, concatenated, and their lengths."""
        first = int(begins[0])
        spans = np.stack([np.append(begins[:1] - first, begins[1:] - ends[:-1]), ends - begins], axis=1).ravel()
        kept = np.repeat(_alternating(len(spans)), spans)
        return self.title[first : first + len(kept)][kept].tobytes(), (ends - begins).astype(np.int32)


def _alternating(count: int) -> NDArray[np.bool_]:
    """Return False, True, False, ..."""
    pattern = np.zeros(count, dtype=bool)
    pattern[1::2] = True
    return pattern
