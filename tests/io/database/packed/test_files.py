"""Packed database files hold what the other form holds, and say what is wrong with them."""

import errno
import os
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, alphabet_by_name
from swgui.core.database import encode_database
from swgui.core.errors import DatabaseError, InvalidParameter, Stopped
from swgui.core.features import Feature
from swgui.core.plain import replace
from swgui.core.records import Letters, SequenceRecord
from swgui.io.database import format as database_format
from swgui.io.database.build import build_database, save_database, update_database
from swgui.io.database.file import check_database, database_facts, mapped_file, open_database, stored_report
from swgui.io.database.packed import file as packed_file
from swgui.io.database.packed import merging
from swgui.io.database.packed.build import pack_file, save_packed
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.layout import DIRECTORY, LIMIT, directory_of
from swgui.io.database.packed.merging import merge_identical
from swgui.io.database.packed.names import COLUMNS, NameWriter
from swgui.io.database.packed.reading import BlockReader
from swgui.io.organism_files import OrganismFiles
from swgui.io.sequences.ledger import IdLedger

TEXTS = ("ids", "descriptions", "feature_texts", "places")


def records(rng, count, letters=PROTEIN.letters, longest=90):
    signs = np.frombuffer(letters.encode(), np.uint8)
    for number in range(count):
        residues = signs[rng.integers(0, len(signs), rng.integers(0, longest))].tobytes()
        yield SequenceRecord(f"s{number}", f"number {number}" * int(rng.integers(0, 3)), residues)


def assert_same(left, right):
    """Compare a packed database with another one."""
    assert (left.alphabet, left.residues) == (right.alphabet, right.residues)
    for name in ("codes", "offsets", "order", "lengths"):
        assert np.array_equal(getattr(left, name), getattr(right, name)), name
    for name in TEXTS:
        mine, other = getattr(left, name), getattr(right, name)
        assert (mine is None) == (other is None), name
        if mine is not None:
            rows = np.arange(len(mine))[::-3]
            assert [mine.raw(row) for row in range(len(mine))] == [other.raw(row) for row in range(len(other))]
            assert mine.decoded(rows) == other.decoded(rows)
            assert list(mine.take(rows)) == list(other.take(rows))
            assert np.array_equal(mine.data, other.data)
            assert np.array_equal(mine.offsets, other.offsets)
    assert (left.track is None) == (right.track is None)
    if left.track is not None:
        assert np.array_equal(left.track.codes, right.track.codes)


@pytest.fixture
def packed(tmp_path, small_blocks):
    """A packed file of several blocks."""
    database = encode_database(records(np.random.default_rng(3), 200), PROTEIN, "mine")
    save_packed(database, tmp_path / "packed.swdb")
    assert len(PackedFile(tmp_path / "packed.swdb")) > 3
    return tmp_path / "packed.swdb"


@pytest.mark.parametrize("alphabet", [PROTEIN, NUCLEOTIDE], ids=lambda one: one.name)
@pytest.mark.parametrize(("residues", "sequences"), [(700, 50), (10**6, 10**6), (1, 10**6), (10**6, 1)])
def test_a_packed_file_holds_what_was_given(tmp_path, small_blocks, alphabet, residues, sequences):
    small_blocks(residues, sequences)
    database = encode_database(records(np.random.default_rng(1), 120, alphabet.letters), alphabet, "mine")
    save_packed(database, tmp_path / "packed.swdb")
    opened = open_database(tmp_path / "packed.swdb")
    assert_same(opened, database)
    assert opened.name == "mine"
    assert mapped_file(opened) == tmp_path / "packed.swdb"
    assert check_database(tmp_path / "packed.swdb").sequences == 120


def test_bases_take_two_bits_whatever_else_is_among_them(tmp_path):
    rng = np.random.default_rng(8)
    bases = bytearray(np.frombuffer(b"ACGT", np.uint8)[rng.integers(0, 4, 200_000)].tobytes())
    bases[1000:31_000] = b"N" * 30_000
    bases[31_000:31_004] = b"RYKM"
    given = [SequenceRecord("long", "", bytes(bases)), SequenceRecord("short", "", b"NNACGTNN")]
    database = encode_database(given, NUCLEOTIDE)
    save_packed(database, tmp_path / "dna.swdb")
    assert_same(open_database(tmp_path / "dna.swdb"), database)
    assert (tmp_path / "dna.swdb").stat().st_size < 200_000 / 4 + 3 * 4096


def test_features_places_and_letters_are_carried(tmp_path, small_blocks):
    shapes = alphabet_by_name("3Di")
    rng, given = np.random.default_rng(2), []
    for number, record in enumerate(records(rng, 80)):
        letters = "".join(rng.choice(list(shapes.letters), len(record.residues)))
        features = (Feature("domain", ((0, 1),), "a note"),) if number % 7 == 0 and record.residues else ()
        track = Letters("3Di", letters.encode())
        given.append(replace(record, letters=track, features=features, places=bytes([number]) * number))
    database = encode_database(given, PROTEIN)
    save_database(database, tmp_path / "plain.swdb")
    pack_file(tmp_path / "plain.swdb", tmp_path / "packed.swdb")
    opened = open_database(tmp_path / "packed.swdb")
    assert_same(opened, database)
    assert opened.record(7) == open_database(tmp_path / "plain.swdb").record(7)
    check_database(tmp_path / "packed.swdb")


def test_organisms_are_carried(tmp_path, small_blocks):
    source = tmp_path / "some.fasta"
    source.write_text("".join(f">a{n}\nMKVLW{'A' * n}\n" for n in range(120)))
    (tmp_path / "organisms.tsv").write_text("".join(f"a{n}\tHomo sapiens {n % 5}\n" for n in range(0, 120, 2)))
    files = OrganismFiles(str(tmp_path / "organisms.tsv"))
    plain = build_database([source], tmp_path / "plain.swdb", organisms=files)
    build_database([source], tmp_path / "packed.swdb", organisms=files, packed=True)
    packed = open_database(tmp_path / "packed.swdb")
    assert_same(packed, plain)
    assert [packed.organism(n) for n in range(120)] == [plain.organism(n) for n in range(120)]
    assert packed.stored_organisms is not None
    check_database(tmp_path / "packed.swdb")


def test_sequence_files_are_packed_in_one_pass(tmp_path, small_blocks):
    source = tmp_path / "some.fasta"
    odd = ">odd one\nmkv*-lw\n>empty\n\n"  # neither is read in bulk
    source.write_text("".join(f">a{n} d{n % 3}\nMKVLW{'A' * (n % 40)}\n" + odd * (n % 50 == 0) for n in range(400)))
    plain = build_database([source], tmp_path / "plain.swdb")
    build_database([source], tmp_path / "packed.swdb", packed=True)
    assert_same(open_database(tmp_path / "packed.swdb"), plain)
    assert stored_report(tmp_path / "packed.swdb").counts == stored_report(tmp_path / "plain.swdb").counts
    assert database_facts(tmp_path / "packed.swdb").sources == database_facts(tmp_path / "plain.swdb").sources
    assert sorted(path.name for path in tmp_path.iterdir()) == ["packed.swdb", "plain.swdb", "some.fasta"]
    source.write_text(">a\nMKV\n")
    assert len(update_database(tmp_path / "packed.swdb")) == 1
    assert database_facts(tmp_path / "packed.swdb").packed is not None  # its form stays


def test_a_database_is_not_packed_over_itself_by_name(packed):
    with pytest.raises(InvalidParameter, match="would replace it"):
        pack_file(packed, packed)


def test_identical_sequences_are_merged_and_none_is_lost(tmp_path, small_blocks):
    rng = np.random.default_rng(6)
    given = list(records(rng, 150, "ACDEFGHIK", 40))
    copies = rng.integers(0, 150, 90).tolist()
    again = [replace(given[row], id=f"c{n}", description="" if n % 3 else "x") for n, row in enumerate(copies)]
    database = encode_database([*given, *again], PROTEIN)
    save_packed(database, tmp_path / "packed.swdb")
    merged = merge_identical(tmp_path / "packed.swdb")
    opened = open_database(tmp_path / "packed.swdb")
    different = list(dict.fromkeys(record.residues for record in [*given, *again]))
    assert [opened.record(row).residues for row in range(len(opened))] == different
    assert merged == len(database) - len(different)
    assert database_facts(tmp_path / "packed.swdb").packed.merged == merged
    names = {}
    for record in [*given, *again]:
        names.setdefault(record.residues, []).append(f"{record.id} {record.description}".strip())
    for row in range(len(opened)):
        record = opened.record(row)
        assert [part.strip() for part in f"{record.id} {record.description}".split("\x01")] == names[record.residues]
    check_database(tmp_path / "packed.swdb")
    assert merge_identical(tmp_path / "packed.swdb") == 0


def test_sequences_that_share_a_hash_stay_apart(tmp_path, small_blocks, monkeypatch):
    database = encode_database(records(np.random.default_rng(6), 60), PROTEIN)
    save_packed(database, tmp_path / "packed.swdb")
    monkeypatch.setattr(merging, "content_hashes", lambda data, offsets, _: np.zeros(len(offsets) - 1, np.int64))
    merge_identical(tmp_path / "packed.swdb")
    opened = open_database(tmp_path / "packed.swdb")
    different = {database.record(row).residues for row in range(len(database))}
    assert {opened.record(row).residues for row in range(len(opened))} == different


def test_newer_versions_are_refused_by_their_number(packed, monkeypatch):
    monkeypatch.setattr(database_format, "PACKED", 2)
    with pytest.raises(DatabaseError, match=r"newer version of this program \(format 3"):
        open_database(packed)


def test_any_damaged_byte_is_found(packed):
    whole, rng, file = packed.read_bytes(), np.random.default_rng(11), PackedFile(packed)
    blocks = [(int(entry["offset"]), int(entry["size"])) for entry in file.directory]
    names = [(int(entry["names"]), int(entry["names_size"])) for entry in file.directory]
    sections = [(section.offset, section.size) for section in file.header.sections.values()]
    assert sum(size for _, size in [*blocks, *names, *sections]) > len(whole) / 2  # all but what fills up
    for begin, size in [*blocks, *names, *sections, (0, 48), (len(whole) - 100, 100)]:
        for place in rng.integers(begin, begin + size, 8).tolist():
            damaged = bytearray(whole)
            damaged[place] ^= 1 << int(rng.integers(0, 8))
            packed.write_bytes(damaged)
            with pytest.raises(DatabaseError):
                check_database(packed)
            if (begin, size) not in names:  # unread until there is a hit
                with pytest.raises(DatabaseError):
                    open_database(packed)


def test_a_damaged_block_is_named(packed):
    entry = PackedFile(packed).directory[2]
    data = bytearray(packed.read_bytes())
    data[int(entry["offset"]) + 300] ^= 1
    packed.write_bytes(data)
    with pytest.raises(DatabaseError, match=r"damaged: block 3 of \d+ does not match its checksum"):
        open_database(packed)


def test_damaged_names_are_found_when_they_are_read(packed):
    entry = PackedFile(packed).directory[1]
    data = bytearray(packed.read_bytes())
    data[int(entry["names"]) + 40] ^= 1
    packed.write_bytes(data)
    database = open_database(packed)
    with pytest.raises(DatabaseError, match="the list of names of block 2"):
        list(database.ids)


def test_a_file_cut_off_anywhere_is_refused(packed):
    whole = packed.read_bytes()
    for size in range(0, len(whole), 997):
        packed.write_bytes(whole[:size])
        with pytest.raises(DatabaseError):
            open_database(packed)


def test_a_file_that_is_changed_while_it_is_open_is_refused(packed):
    file = PackedFile(packed)
    os.utime(packed, ns=(1, 1))
    with pytest.raises(DatabaseError, match="changed while it was read"), BlockReader(file) as reader:
        list(reader.each(lambda block: block.index.number))


def test_a_file_that_is_replaced_while_it_is_open_stays_what_it_was(packed):
    database, wanted = open_database(packed), list(open_database(packed).ids)
    packed.with_name("other").write_bytes(b"nothing")
    os.replace(packed.with_name("other"), packed)
    assert list(database.ids) == wanted


@pytest.mark.parametrize("direct", [False, True])
def test_blocks_come_in_order_from_any_number_of_threads(packed, direct):
    file = PackedFile(packed)
    for threads in (1, 2, 5):
        with BlockReader(file, threads=threads, direct=direct) as reader:
            assert list(reader.each(lambda block: block.index.number)) == list(range(len(file)))
            assert list(reader.each(lambda block: block.index.number, [3, 1])) == [3, 1]


def test_what_is_read_is_given_up_after_a_request(packed, monkeypatch):
    monkeypatch.setattr(packed_file, "REQUEST", 64)
    preadv, reading, closed = os.preadv, threading.Event(), threading.Event()
    asked = []

    def slow(*given):
        asked.append(given)
        reading.set()
        assert closed.wait(60)
        return preadv(*given)

    file = PackedFile(packed)
    monkeypatch.setattr(packed_file.os, "preadv", slow)
    with BlockReader(file, threads=2, direct=False) as reader:
        coming = [reader.begin(block, lambda block: block) for block in range(4)]
        assert reading.wait(60)
        reader.closed.set()
        closed.set()
    assert len(asked) <= 2
    coming.append(reader.begin(0, lambda block: block))
    assert {type(future.exception(0)) for future in coming} == {Stopped}
    assert all(thread.daemon for thread in reader.readers)


def test_what_the_drive_reports_is_a_sentence(packed, monkeypatch):
    file = PackedFile(packed)

    def failing(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(packed_file.os, "preadv", failing)
    with (
        pytest.raises(DatabaseError, match=r"cannot be read \(block 1 of .*Input/output error"),
        BlockReader(file) as r,
    ):
        list(r.each(lambda block: None))


def test_short_reads_are_gone_on_with_and_an_early_end_is_refused(packed, monkeypatch):
    wanted, preadv = open_database(packed), os.preadv
    monkeypatch.setattr(packed_file.os, "preadv", lambda fd, views, at: preadv(fd, [views[0][:101]], at))
    assert_same(open_database(packed), wanted)
    monkeypatch.setattr(packed_file.os, "preadv", lambda fd, views, at: 0)
    with pytest.raises(DatabaseError, match="cut off"):
        open_database(packed)


def limited(code, *arguments):
    run = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(run, capture_output=True, text=True, check=False)


def test_a_full_disk_leaves_nothing_behind(tmp_path):
    source = tmp_path / "some.fasta"
    source.write_text("".join(f">a{n}\n{'MKVLWAAL' * 40}\n" for n in range(3000)))
    code = """
import resource, signal, sys
from swgui.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
sys.exit(main(["makedb", sys.argv[1], "--packed", "-o", sys.argv[2]]))
"""
    done = limited(code, source, tmp_path / "out.swdb")
    assert done.returncode == 1, done.stderr
    assert "larger than the file system" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["some.fasta"]


@pytest.mark.slow
def test_memory_of_building_does_not_grow_with_the_sequences(tmp_path):
    source = tmp_path / "many.fasta"
    with source.open("w") as file:
        for first in range(0, 1_000_000, 10_000):
            file.write("".join(f">s{n}\nCASSLGQGAEQYF\n" for n in range(first, first + 10_000)))
    code = """
import resource, sys
from swgui.io.database import build
from swgui.io.database.packed import writer
writer.PackedWriter.__init__.__kwdefaults__.update(block_residues=1_000_000, block_sequences=100_000)
build.build_database([sys.argv[1]], sys.argv[2], packed=True)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    peaks = []
    for part in (10, 1):
        some = tmp_path / f"part{part}.fasta"
        some.write_bytes(source.read_bytes()[: source.stat().st_size // part].rpartition(b">")[0])
        done = limited(code, some, tmp_path / "out.swdb")
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 80_000  # kB: identifiers are compared up to a number


def test_directories_count_beyond_32_bits():
    blocks = 3000
    table = np.zeros(blocks, DIRECTORY)
    table["sequences"], table["residues"], table["size"] = 1 << 22, 1 << 30, 1 << 30
    table["first"] = np.arange(blocks, dtype=np.int64) << 22
    table["offset"] = np.arange(blocks, dtype=np.int64) << 30
    table["longest"] = 300
    end = blocks << 30
    data = table.view(np.uint8)
    assert len(directory_of(data, blocks << 22, blocks << 30, end)) == blocks
    assert blocks << 22 > 1 << 33
    assert blocks << 30 > 1 << 41
    for name, value in (("first", 5), ("residues", LIMIT), ("offset", end), ("offset", 7), ("sequences", -1)):
        wrong = table.copy()
        wrong[name][1700] = value
        with pytest.raises(ValueError, match=f"^{name}$|^offset$"):
            directory_of(wrong.view(np.uint8), blocks << 22, blocks << 30, end)


def test_a_sparse_file_beyond_a_terabyte_is_indexed_right(tmp_path, packed):
    """Move the last block of a file two terabytes behind, and find its subjects there."""
    file = PackedFile(packed)
    entry, moved = file.directory[-1], 1 << 41
    data = packed.read_bytes()
    begin, size = int(entry["offset"]), int(entry["size"])
    far = tmp_path / "far.swdb"
    table = file.directory.copy()
    table["offset"][-1] = moved
    with far.open("wb") as out:
        writer = database_format.DatabaseWriter(out, database_format.PACKED)
        out.write(data[64:begin])
        try:
            out.seek(moved)
            out.write(data[begin : begin + size])
        except OSError:
            pytest.skip("no sparse file of this size here")
        writer.end = moved + size
        writer.array("directory", table.view(np.uint8))
        writer.finish(file.header.facts)
    assert_same(open_database(far), open_database(packed))
    resource.getrusage(resource.RUSAGE_SELF)


def test_frames_of_names_are_bounded_in_subjects_and_bytes():
    kept = []
    names = NameWriter(kept.append)
    none = b"", np.zeros(10_000, np.int32)
    names.add(((b"x" * 10_000, np.ones(10_000, np.int32)), none, none, none))
    long = b"y" * (5 << 20), np.array([5 << 20])
    one = b"", np.zeros(1, np.int32)
    names.add((long, one, one, one))
    size, frames, _ = names.end_block()
    assert frames == 4  # twice as many as a frame takes, the rest, one that is long
    assert sum(map(len, kept)) == size
    assert names.any_of == [True, False, False, False]
    assert len(COLUMNS) == 4


def test_identifiers_are_compared_up_to_a_number():
    ledger = IdLedger(most=3)
    told = [remark for n in range(6) for remark in ledger.add("same", n + 1, n)]
    assert [remark.kind for remark in told] == ["duplicate", "duplicate", "note"]
    assert "first 3 sequences" in told[-1].message
    assert not ledger.flush()
