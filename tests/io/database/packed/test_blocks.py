"""A packed file that is not in memory gives what one in memory gives: subjects, and every kind of search."""

import mmap
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, alphabet_by_name
from swgui.core.database import encode_database
from swgui.core.errors import DatabaseError
from swgui.core.records import Letters, SequenceRecord
from swgui.io.database.build import build_database
from swgui.io.database.file import mapped_file, open_database
from swgui.io.database.packed.build import save_packed
from swgui.io.database.packed.codec import unpack
from swgui.io.database.packed.database import PackedDatabase
from swgui.io.database.packed.writer import PackedWriter, Subjects
from swgui.io.database.steps import described

SHAPES = alphabet_by_name("3Di")
memory = partial(mmap.mmap, -1)


def letters_beside(rng, count, alphabet):
    return "".join(rng.choice(list(alphabet.letters[:-1]), count)).encode()


def some(alphabet, *, letters=False, count=150, longest=130, seed=5):
    rng = np.random.default_rng(seed)
    for number in range(count):
        residues = letters_beside(rng, int(rng.integers(0, longest)), alphabet)
        if alphabet is NUCLEOTIDE:
            residues = residues.translate(bytes.maketrans(b"RYSWKMBDHV", b"ACGTACGTNN"))
        track = Letters("3Di", letters_beside(rng, len(residues), SHAPES)) if letters else None
        yield SequenceRecord(f"s{number}", f"number {number}", residues, letters=track)


@pytest.fixture
def both(tmp_path, small_blocks, request):
    """A database in memory, and the same in a packed file, block by block."""
    alphabet, letters = request.param
    database = encode_database(some(alphabet, letters=letters), alphabet, "both")
    save_packed(database, tmp_path / "packed.swdb")
    packed = open_database(tmp_path / "packed.swdb", in_blocks=True)
    assert isinstance(packed, PackedDatabase)
    assert len(packed.pieces) > 5
    return database, packed


ALL = pytest.mark.parametrize("both", [(PROTEIN, False), (NUCLEOTIDE, False), (PROTEIN, True)], indirect=True)


@ALL
def test_pieces_are_the_whole(both):
    database, packed = both
    assert (len(packed), packed.residues) == (len(database), database.residues)
    assert np.array_equal(packed.lengths, database.lengths)
    assert sorted(packed.position) == list(range(len(packed)))
    first = 0
    for piece in packed.pieces:
        part = piece.open()
        assert (piece.first, piece.sequences, piece.residues) == (first, len(part), part.residues)
        assert list(part.ids) == [database.ids[first + row] for row in range(len(part))]
        assert np.array_equal(packed.position[first : first + len(part)][part.order], first + np.arange(len(part)))
        for row in range(len(part)):
            assert part.record(row) == database.record(first + row)
        first = piece.stop
    assert first == len(database)


@ALL
def test_subjects_are_read_where_they_are(both):
    database, packed = both
    rng = np.random.default_rng(1)
    for row in range(len(packed)):
        assert np.array_equal(packed.subject(row), database.subject(row))
        assert packed.record(row) == database.record(row)
        reading, whole = packed.reading(row), database.subject(row)
        assert len(reading) == len(whole)
        assert np.array_equal(reading[len(whole) // 3 : len(whole)], whole[len(whole) // 3 :])
    rows = rng.permutation(len(packed))[:60]
    first = database.lengths[rows] // 4
    parts = first.astype(np.int64), np.where(rows % 2, -1, database.lengths[rows] // 2).astype(np.int64)
    for given in (None, parts):
        codes, starts, lengths = packed.placed(rows, None, given)
        wanted, begins, sizes = database.placed(rows, None, given)
        assert np.array_equal(lengths, sizes)
        for start, begin, size in zip(starts, begins, sizes, strict=True):
            assert np.array_equal(codes[start : start + size], wanted[begin : begin + size])


@ALL
def test_it_is_never_put_together(both):
    database, packed = both
    with pytest.raises(DatabaseError, match="needs it as a whole"):
        packed.arrays()
    order = packed.sources(0, len(packed))
    assert np.array_equal(order[packed.position], np.arange(len(packed)))
    assert np.array_equal(np.diff(packed.stored_offsets()), database.lengths[order])
    shortest, longest = int(database.lengths.min()), int(database.lengths.max())
    seen = packed.lengths_seen(5)
    assert (seen[0], seen[-1]) == (shortest, longest)
    assert packed.renamed("other").name == "other"
    assert mapped_file(packed).name == "packed.swdb"


def test_the_second_track_is_searched_by_blocks_too(tmp_path, small_blocks):
    database = encode_database(some(PROTEIN, letters=True), PROTEIN, "both")
    save_packed(database, tmp_path / "packed.swdb")
    whole = database.in_two_tracks()
    packed = open_database(tmp_path / "packed.swdb", in_blocks=True).in_two_tracks()
    assert packed.alphabet is whole.alphabet
    rows = np.arange(len(packed))[::-2]
    codes, starts, lengths = packed.placed(rows)
    for row, start, length in zip(rows, starts, lengths, strict=True):
        assert np.array_equal(codes[start : start + length], whole.subject(row))
    part = packed.pieces[2].open()
    assert np.array_equal(part.subject(0), whole.subject(packed.pieces[2].first))
    assert packed.record(3) == whole.record(3)
    assert packed.letter_shares is not None


def test_blocks_may_be_asked_for_by_many_threads(tmp_path, small_blocks):
    database = encode_database(some(PROTEIN), PROTEIN, "both")
    save_packed(database, tmp_path / "packed.swdb")
    packed = open_database(tmp_path / "packed.swdb", in_blocks=True)
    wanted = [piece.open().codes.tobytes() for piece in packed.pieces]
    order = np.random.default_rng(3).integers(0, len(wanted), 400).tolist()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda block: packed.pieces[block].open().codes.tobytes(), order))
    assert found == [wanted[block] for block in order]


def test_packed_residues_stay_as_long_as_somebody_has_them(tmp_path, small_blocks):
    database = encode_database(some(PROTEIN), PROTEIN, "both")
    save_packed(database, tmp_path / "packed.swdb")
    packed = open_database(tmp_path / "packed.swdb", in_blocks=True)
    held = [piece.packed(False, memory).result().packed.data()[0] for piece in packed.pieces]
    for piece, planes in zip(packed.pieces, held, strict=True):
        codes, whole, bare = np.empty(piece.residues, np.uint8), piece.open(), piece.packed(True, memory).result()
        unpack(planes, np.array([0, piece.residues]), np.zeros(1, np.int64), 5, codes)
        assert np.array_equal(codes, whole.codes)
        assert np.array_equal(bare.offsets, whole.offsets)
        assert np.array_equal(bare.order, whole.order)
        assert np.array_equal(bare.packed.data()[0], planes)


def test_bases_stay_packed_with_what_two_bits_leave_out(tmp_path, small_blocks):
    small_blocks(4_000, 30)
    few = [
        SequenceRecord(one.id, "", one.residues.translate(bytes.maketrans(b"ACGTN", b"ACGTA")) + b"NNRN" * (n % 9 == 0))
        for n, one in enumerate(some(NUCLEOTIDE))
    ]
    save_packed(encode_database(few, NUCLEOTIDE), tmp_path / "packed.swdb")
    packed, left_out = open_database(tmp_path / "packed.swdb", in_blocks=True), 0
    for piece in packed.pieces:
        opened = piece.packed(False, memory).result()
        residues, runs = opened.packed.data()
        codes, (count, rest) = np.empty(piece.residues, np.uint8), divmod(len(runs), 17)
        unpack(residues, np.array([0, piece.residues]), np.zeros(1, np.int64), opened.packed.bits, codes)
        starts, lengths = runs[: 16 * count].view(np.int64).reshape(2, count)
        for start, length, code in zip(starts, lengths, runs[16 * count :], strict=True):
            codes[start : start + length] = code
        assert np.array_equal(codes, piece.open().codes)
        assert (opened.packed.bits, rest) == (2, 0)
        left_out += count
    assert left_out


def test_what_was_read_ahead_in_vain_is_let_go(tmp_path, small_blocks):
    small_blocks(200, 5)
    save_packed(encode_database(some(PROTEIN), PROTEIN), tmp_path / "packed.swdb")
    packed = open_database(tmp_path / "packed.swdb", in_blocks=True)
    assert len(packed.pieces) > 20
    for piece in packed.pieces:
        piece.begin(False, memory)
    assert len(packed.blocks.begun) == 16
    assert len(packed.pieces[0].packed(False, memory).result()) == packed.pieces[0].sequences


def test_it_is_opened_by_blocks_where_memory_is_short(tmp_path, small_blocks, monkeypatch):
    save_packed(encode_database(some(PROTEIN), PROTEIN), tmp_path / "packed.swdb")
    assert not isinstance(open_database(tmp_path / "packed.swdb"), PackedDatabase)
    monkeypatch.setattr("swgui.io.database.packed.opening.memory", lambda: 1000)
    assert isinstance(open_database(tmp_path / "packed.swdb"), PackedDatabase)


LIMITED = """
import resource, sys
from swgui.io.database.file import open_database
database = open_database(sys.argv[1], in_blocks=True)
sys.stdout.write(database.ids[0])
held = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (80 << 20),) * 2)
print(sum(len(piece.open().codes) for piece in database.pieces), database.residues)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say how much memory is used")
def test_all_blocks_are_read_in_the_memory_of_a_few(tmp_path):
    rng = np.random.default_rng(2)
    with (tmp_path / "large.swdb").open("w+b") as file:
        writer = PackedWriter(file, block_residues=4_000_000)
        writer.alphabet = PROTEIN
        for number in range(40):
            lengths = np.full(4_000, 1_000)
            names = b"".join(b"s%07d" % (number * 4_000 + row) for row in range(4_000)), np.full(4_000, 8)
            nothing = b"", np.zeros(4_000, np.int64)
            codes = rng.integers(0, 20, 4_000_000).astype(np.uint8)
            writer.add(Subjects(codes, lengths, (names, nothing, nothing, nothing)))
        writer.finish(described("large", PROTEIN))
    run = [sys.executable, "-c", LIMITED, str(tmp_path / "large.swdb")]
    one_arena = {**os.environ, "MALLOC_ARENA_MAX": "1"}  # others reserve as much as is left, and use little of it
    done = subprocess.run(run, capture_output=True, text=True, check=False, env=one_arena)
    assert done.stdout.split() == ["s0000000160000000", "160000000"], done.stderr


KILLED = """
import os, signal, sys
from swgui.io.database.build import build_database
from swgui.io.database.packed import writer
end = writer.PackedWriter.end_block
def kill(self):
    end(self)
    if len(self._entries) == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
writer.PackedWriter.end_block = kill
writer.PackedWriter.__init__.__kwdefaults__["block_residues"] = 1000
build_database([sys.argv[1]], sys.argv[2], packed=True)
"""


def test_a_build_that_is_killed_leaves_the_older_file(tmp_path):
    source, out = tmp_path / "some.fasta", tmp_path / "out.swdb"
    source.write_text("".join(f">a{n}\nMKVLWAALLV\n" for n in range(600)))
    save_packed(encode_database([SequenceRecord("old", "", b"MKV")], PROTEIN), out)
    for blocks in (1, 3, 6):
        run = [sys.executable, "-c", KILLED, str(source), str(out), str(blocks)]
        assert subprocess.run(run, capture_output=True, check=False).returncode == -9
        assert list(open_database(out).ids) == ["old"]
    build_database([source], out, packed=True)
    assert len(open_database(out)) == 600
