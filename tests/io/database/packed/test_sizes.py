"""Files of more sequences and residues than numbers of 32 bits count: their blocks are holes of a sparse file."""

import os
import zlib

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.plain import replace
from swgui.io.database.facts import PackedFacts
from swgui.io.database.file import open_database
from swgui.io.database.format import DIRECTORY as SECTION
from swgui.io.database.format import PACKED, DatabaseWriter
from swgui.io.database.packed.codec import packed_size
from swgui.io.database.packed.layout import DIRECTORY, HEAD, MAGIC, PAGE, PART, padded, squeeze
from swgui.io.database.packed.names import NameWriter
from swgui.io.database.steps import described

DIGITS = 7


def write_sparse(path, blocks, sequences, length):
    """Write blocks of subjects, each of alanines, which are zeros that take no room on the drive."""
    residues, nothing = sequences * length, (b"", np.zeros(sequences, np.int64))
    size = packed_size(residues, 5)
    lengths = squeeze(np.full(sequences, length, "<u1" if length < 256 else "<u4"))
    digits = (np.arange(sequences)[:, None] // 10 ** np.arange(DIGITS)[::-1] % 10 + ord("0")).astype(np.uint8)
    entries = []
    with open(path, "w+b") as file:
        writer = DatabaseWriter(file, PACKED)
        names = NameWriter(lambda data: writer.append([data]))
        begin = writer.append([])[0]
        names.add(((digits.tobytes(), np.full(sequences, DIGITS)), nothing, nothing, nothing))
        names_size, frames, digest = names.end_block()  # those of all blocks
        for block in range(blocks):
            counts = block, block * sequences, sequences, residues, length
            head = HEAD.pack(MAGIC, *counts, 5, 0, len(lengths), size, 0, 0, 0)
            head = head.ljust(padded(len(head), PART), b"\0") + lengths
            whole = padded(padded(len(head), PART) + size, PAGE)
            offset, written = writer.append([head], PAGE)
            writer.end = offset + whole
            file.truncate(writer.end)
            crc = zlib.crc32(bytes(whole - written), zlib.crc32(head)) if block == blocks - 1 else 0
            numbers = offset, whole, block * sequences, sequences, residues, length, length
            entries.append((*numbers, begin, names_size, frames, crc, 0, b"", digest))
        writer.array(SECTION, np.array(entries, DIRECTORY).view(np.uint8))
        facts = described("large", PROTEIN), {"sequences": blocks * sequences, "residues": blocks * residues}
        writer.finish(replace(facts[0], **facts[1], longest=length, packed=PackedFacts(False, False, 0)))


@pytest.mark.parametrize(
    ("blocks", "sequences", "length"), [(2385, 1 << 21, 1), (2804, 1, 107_000_000)], ids=["sequences", "residues"]
)
def test_what_is_beyond_32_bits_is_found(tmp_path, blocks, sequences, length):
    try:
        write_sparse(tmp_path / "large.swdb", blocks, sequences, length)
    except OSError:
        pytest.skip("no sparse file of this size here")
    assert os.stat(tmp_path / "large.swdb").st_blocks < 1 << 20
    database, count = open_database(tmp_path / "large.swdb", in_blocks=True), blocks * sequences
    assert len(database) == count
    assert database.residues == count * length > 1 << 32
    assert database.pieces[-1].stop == count
    rows = np.array([count - 1, 0, count // 2 + 1])
    assert database.lengths_of(rows).tolist() == [length] * 3
    assert [int(text) for text in database.ids.decoded(rows)] == (rows % sequences).tolist()
    parts = np.full(3, max(length - 3, 0)), np.full(3, -1)
    codes, _, lengths = database.placed(rows, None, parts)
    assert lengths.tolist() == [min(length, 3)] * 3
    assert not codes.any()
    if length == 1:
        last = database.pieces[-1].open()
        assert len(last) == sequences
        assert not last.codes.any()
