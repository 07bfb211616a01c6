"""Database files: files open as they were saved; damage, truncation and newer versions are noticed."""

import hashlib
import json
import os
import re
import stat
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import AlphabetMismatch, DatabaseError, SequenceError, Stopped
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.io import read_report as report
from swgui.io.database import build, steps
from swgui.io.database import format as database_format
from swgui.io.database.build import build_database, save_database, update_database
from swgui.io.database.file import check_database, database_facts, open_database, stored_report
from swgui.io.sequences.reader import ReadReport, read_sequences
from tests.core.test_database import RECORDS

FASTA = ">one first of all\nMKVLWAALLV\nTFLAGCQU\n>two\nPP\n>three third\nMK-V\n>four\n\n>one again\nWWWWWWWW\n"


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.fasta"
    path.write_text(FASTA)
    return path


@pytest.fixture
def database(source, tmp_path):
    path = tmp_path / "db.swdb"
    build_database([source], path)
    return path


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def assert_equal(left, right):
    assert (left.name, left.alphabet, left.checksum) == (right.name, right.alphabet, right.checksum)
    for name in ("codes", "offsets", "order"):
        assert np.array_equal(getattr(left, name), getattr(right, name))
        assert getattr(left, name).dtype == getattr(right, name).dtype
    assert list(left.ids) == list(right.ids)
    assert list(left.descriptions) == list(right.descriptions)


@given(RECORDS, st.text(max_size=10))
def test_saved_and_opened_is_the_same(tmp_path_factory, records, name):
    path = tmp_path_factory.getbasetemp() / "law.swdb"
    original = encode_database(records, PROTEIN, name)
    save_database(original, path)
    opened = open_database(path)
    assert_equal(opened, original)
    assert [opened.record(i).residues for i in range(len(opened))] == [record.residues for record in records]
    facts = check_database(path)
    assert (facts.sequences, facts.residues, facts.checksum) == (len(records), opened.residues, original.checksum)
    assert facts.longest == max((len(record.residues) for record in records), default=0)


def test_built_and_encoded_in_memory_is_the_same(source, tmp_path):
    built = build_database([source], tmp_path / "db.swdb", name="mine")
    encoded = encode_database(read_sequences(source), PROTEIN, "mine")
    assert_equal(built, encoded)
    assert built.record(0) == SequenceRecord("one", "first of all", b"MKVLWAALLVTFLAGCQU")
    assert not built.codes.flags.writeable
    check_database(tmp_path / "db.swdb")


def test_a_check_can_be_stopped(source, tmp_path):
    build_database([source], tmp_path / "db.swdb")
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped, match="stopped"):
        check_database(tmp_path / "db.swdb", cancel=stop)


def test_sequences_longer_than_a_block_and_many_short_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "BLOCK", 100)
    monkeypatch.setattr(build, "BATCH", 64)
    random = np.random.default_rng(1)
    records = [
        SequenceRecord(f"id{n}", f"number {n}", PROTEIN.decode(random.integers(0, 20, int(length), dtype=np.uint8)))
        for n, length in enumerate([1, 99, 100, 101, 350, *random.integers(1, 120, 60)])
    ]
    source = tmp_path / "s.fa"
    source.write_text("".join(f">{r.header}\n{r.residues.decode()}\n" for r in records))
    assert_equal(build_database([source], tmp_path / "s.swdb"), encode_database(records, PROTEIN, "s"))


def test_several_sources_become_one_database(source, tmp_path):
    other = tmp_path / "other.fa"
    other.write_text(">five\nMMMMM\n>two\nPPP\n")
    notes = ReadReport()
    built = build_database([source, other], tmp_path / "db.swdb", report=notes)
    assert list(built.ids) == ["one", "two", "three", "one", "five", "two"]
    assert notes.records == 6
    assert [Path(s.path).name for s in database_facts(tmp_path / "db.swdb").sources] == ["source.fasta", "other.fa"]
    assert [remark.message for remark in notes.remarks if remark.kind == "duplicate"] == [
        "'source.fasta': Record 5 has the same identifier as record 1: 'one'.",
        "'other.fa': Record 2 has the same identifier as record 2 of 'source.fasta': 'two'.",
    ]
    dna = tmp_path / "dna.fa"
    dna.write_text(">d\nACGTACGTACGT\n")
    with pytest.raises(AlphabetMismatch, match=r"dna\.fa"):
        build_database([source, dna], tmp_path / "mixed.swdb")
    assert build_database([source, dna], tmp_path / "mixed.swdb", alphabet=PROTEIN).residues == 35 + 8 + 3 - 3
    with pytest.raises(SequenceError, match="no nucleotide sequence"):
        build_database([dna, source], tmp_path / "mixed2.swdb")


def test_facts_and_report_are_stored(source, database):
    facts = database_facts(database)
    assert (facts.name, facts.alphabet, facts.sequences, facts.longest) == ("db", PROTEIN, 4, 18)
    assert facts.program.startswith("swgui ")
    assert facts.format == "FASTA"
    assert facts.counts == {"odd": 1, "removed": 1, "empty": 1, "duplicate": 1}
    assert facts.sources[0].size == source.stat().st_size
    assert facts.size == database.stat().st_size
    fresh = ReadReport()
    list(read_sequences(source, report=fresh))
    kept = stored_report(database)
    assert kept.remarks == fresh.remarks
    assert kept.summary() == fresh.summary()


def test_stored_remarks_are_few_but_all_are_counted(tmp_path):
    source = tmp_path / "s.fa"
    source.write_text("".join(f">p{n}\nMK-V\n" for n in range(300)))
    build_database([source], tmp_path / "s.swdb")
    kept = stored_report(tmp_path / "s.swdb")
    assert len(kept.remarks) == steps.REMARKS_STORED < report.KEPT_PER_KIND
    assert kept.counts["removed"] == 300


def test_sections_are_aligned(database):
    with open(database, "rb") as file:
        header = database_format.read_header(file, str(database))
    assert set(header.sections) == set(database_format.SECTIONS)
    assert all(section.offset % 64 == 0 for section in header.sections.values())


def test_progress_rises_to_its_total(source, tmp_path):
    calls = []
    build_database([source], tmp_path / "db.swdb", progress=lambda done, total: calls.append((done, total)))
    assert len({total for _, total in calls}) == 1
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert calls[-1][0] == calls[-1][1]


def test_a_stopped_building_leaves_nothing_behind(source, tmp_path):
    cancel = threading.Event()
    before = files_in(tmp_path)

    def stop_later(done, total):
        cancel.set()

    cancel.set()
    with pytest.raises(Stopped):
        build_database([source], tmp_path / "db.swdb", cancel=cancel)
    cancel.clear()
    with pytest.raises(Stopped):
        build_database([source], tmp_path / "db.swdb", cancel=cancel, progress=stop_later)
    assert files_in(tmp_path) == before


def test_blocks_that_are_written_can_be_left_at_any_time(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "BLOCK", 8)
    lengths = np.array([5, 4, 2, 1], dtype=np.int32)
    for taken in (1, 2):
        with (tmp_path / "codes").open("wb+", buffering=0) as file:
            column = build._Column(file)
            column.take(bytes(range(12)), lengths)
            blocks = build.sorted_blocks(column, np.arange(4), np.array([0, 5, 9, 11, 12]))
            assert [bytes(next(blocks)) for _ in range(taken)] == [bytes(range(5)), bytes(range(5, 12))][:taken]
            blocks.close()


def test_a_failed_building_keeps_the_older_file(source, tmp_path, database):
    before = database.read_bytes()
    bad = tmp_path / "bad.fa"
    bad.write_bytes(b"@r\nACGT\n")
    names = files_in(tmp_path)
    with pytest.raises(SequenceError):
        build_database([bad], database)
    assert database.read_bytes() == before
    assert files_in(tmp_path) == names


def test_a_database_is_built_again_from_its_sources(source, database):
    source.write_text(FASTA + ">five\nMMMM\n")
    assert len(update_database(database)) == 5
    assert open_database(database).name == "db"
    source.write_text(">bad\n")
    with pytest.raises(SequenceError):
        update_database(database)
    assert len(open_database(database)) == 5
    source.unlink()
    with pytest.raises(DatabaseError, match="is gone"):
        update_database(database)
    save_database(open_database(database), database)
    with pytest.raises(DatabaseError, match="does not name"):
        update_database(database)


def test_an_open_database_outlives_its_replacement(source, tmp_path, database):
    opened = open_database(database)
    source.write_text(">other\nACDEF\n")
    build_database([source], database)
    assert opened.record(0).residues == b"MKVLWAALLVTFLAGCQU"
    assert open_database(database).record(0).residues == b"ACDEF"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_the_file_may_be_read_by_others(source, tmp_path):
    old = os.umask(0o022)
    try:
        build_database([source], tmp_path / "db.swdb")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "db.swdb").stat().st_mode) == 0o644


@pytest.mark.parametrize("place", ["missing/db.swdb", "source.fasta/db.swdb", ".", "n" * 300 + ".swdb", "a\0b"])
def test_places_that_cannot_be_written(source, tmp_path, place):
    with pytest.raises(DatabaseError):
        build_database([source], tmp_path / place if place != "a\0b" else place)
    with pytest.raises(DatabaseError):
        save_database(encode_database([], PROTEIN), tmp_path / place if place != "a\0b" else place)
    assert files_in(tmp_path) == ["source.fasta"]


def test_no_sources(tmp_path):
    with pytest.raises(DatabaseError, match="at least one source"):
        build_database([], tmp_path / "db.swdb")


REFUSED = {
    "empty": (b"", "is empty"),
    "fasta": (b">a\nMKV\n", "not a database of this program"),
    "short": (database_format.MAGIC, "cut off"),
    "zeros": (database_format.MAGIC + bytes(100), "damaged"),
    "line ends changed": (database_format.MAGIC.replace(b"\r\n", b"\n") + bytes(100), "not a database"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_foreign_files(tmp_path, name):
    data, part = REFUSED[name]
    path = tmp_path / "file.swdb"
    path.write_bytes(data)
    for function in (open_database, check_database, database_facts, stored_report):
        with pytest.raises(DatabaseError, match=part) as caught:
            function(path)
        assert "file.swdb" in caught.value.message


def test_missing_and_folder(tmp_path):
    with pytest.raises(DatabaseError, match="There is no database"):
        open_database(tmp_path / "nothing.swdb")
    with pytest.raises(DatabaseError, match="is a folder"):
        open_database(tmp_path)
    with pytest.raises(DatabaseError):
        open_database("a\0b")


def test_a_newer_version_is_named(database):
    data = bytearray(database.read_bytes())
    data[8:12] = struct.pack("<I", 7)
    database.write_bytes(data)
    with pytest.raises(DatabaseError, match="newer version") as caught:
        open_database(database)
    assert "Update the program" in caught.value.hint


def test_every_truncation_is_noticed_when_opened(database):
    data = database.read_bytes()
    for length in range(0, len(data), 7):
        database.write_bytes(data[:length])
        with pytest.raises(DatabaseError):
            open_database(database)
    database.write_bytes(data + b"\0")
    with pytest.raises(DatabaseError):
        open_database(database)


def test_every_flipped_bit_is_noticed(database):
    data = database.read_bytes()
    with open(database, "rb") as file:
        sections = database_format.read_header(file, str(database)).sections
    covered = np.zeros(len(data), dtype=bool)
    covered[:48] = True
    covered[max(s.offset + s.size for s in sections.values()) :] = True
    for section in sections.values():
        covered[section.offset : section.offset + section.size] = True
    everywhere = np.arange(len(data))
    covered &= (everywhere < 48) | (everywhere % 5 == 0)  # a fifth of the bytes will do
    for at in np.flatnonzero(covered):  # between the sections are zeros that mean nothing
        changed = bytearray(data)
        changed[at] ^= 1 << (at % 8)
        database.write_bytes(changed)
        with pytest.raises(DatabaseError):
            check_database(database)
    for name in ("offsets", "order", "id_offsets", "description_offsets"):
        changed = bytearray(data)
        changed[sections[name].offset + 8] ^= 1
        database.write_bytes(changed)
        with pytest.raises(DatabaseError, match="index"):
            open_database(database)
    changed = bytearray(data)
    changed[sections["codes"].offset] |= 0x80  # no letter has such a code
    database.write_bytes(changed)
    with pytest.raises(DatabaseError, match="'codes'"):
        open_database(database)


def rewrite_header(path, change):
    """Change the header of a file and make its checksum right again: a careless or hostile writer."""
    data = path.read_bytes()
    _, version, length, offset, _, _ = struct.unpack("<8sIIQQ16s", data[:48])
    facts = json.loads(data[offset : offset + length])
    change(facts)
    header = json.dumps(facts).encode()
    numbers = struct.pack("<IIQQ", version, len(header), offset, offset + len(header))
    checksum = hashlib.blake2b(numbers + header, digest_size=16).digest()
    path.write_bytes(database_format.MAGIC + numbers + checksum + data[48:offset] + header)


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.pop("sections"),
        lambda facts: facts["sections"].pop("codes"),
        lambda facts: facts["sections"].update(codes=[64, 1 << 60, "<u1", ""]),
        lambda facts: facts["sections"].update(codes=[-64, 31, "<u1", ""]),
        lambda facts: facts["sections"]["codes"].__setitem__(2, "|O"),
        lambda facts: facts.update(sequences=-1),
        lambda facts: facts.update(sequences="many"),
        lambda facts: facts.update(residues=10**9),
        lambda facts: facts.update(name=5),
        lambda facts: facts.update(checksum=None),
        lambda facts: facts.update(longest="long"),
        lambda facts: facts.update(sources="here"),
        lambda facts: facts.update(sources=["here"]),
        lambda facts: facts.update(report=[1]),
        lambda facts: facts["report"].update(counts={"odd": "many"}),
        lambda facts: facts["report"].update(remarks={"odd": 1}),
        lambda facts: facts["report"].update(remarks=[["odd", 5, 1, 1, 1]]),
        lambda facts: facts["report"].update(remarks=[["odd", "text", 1, 1, 1, 1]]),
        lambda facts: facts["report"].update(remarks=[["odd"]]),
    ],
)
def test_headers_that_lie_are_refused(database, change):
    rewrite_header(database, change)
    with pytest.raises(DatabaseError, match="damaged"):
        open_database(database)


@pytest.mark.parametrize("fact", [{"alphabet": "klingon"}, {"letters": "ABC"}, {"alphabet": "protein+klingon"}])
def test_an_alphabet_that_is_not_known_here_is_named(database, fact):
    rewrite_header(database, lambda facts: facts.update(fact))
    with pytest.raises(DatabaseError, match=f"letters of the alphabet '{re.escape(fact.get('alphabet', 'protein'))}'"):
        open_database(database)


def test_a_header_that_names_another_content_is_found_by_checking(database):
    rewrite_header(database, lambda facts: facts.update(checksum="0" * 32))
    with pytest.raises(DatabaseError, match="checksum of the content"):
        check_database(database)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("codes", np.full(6, 27, np.uint8)),
        ("offsets", np.array([0, 7, 6])),
        ("offsets", np.array([0, 2, 6])),
        ("order", np.array([1, 1])),
        ("order", np.array([0, 7])),
    ],
)
def test_checking_finds_what_a_careless_writer_did(tmp_path, field, values):
    """All checksums are right here; the content they cover is not."""
    good = encode_database([SequenceRecord("a", "", b"MKVL"), SequenceRecord("b", "", b"WW")], PROTEIN)
    save_database(replace(good, **{field: values}), tmp_path / "x.swdb")
    with pytest.raises(DatabaseError, match="damaged"):
        check_database(tmp_path / "x.swdb")


@given(st.binary(max_size=300), st.booleans())
def test_random_bytes_give_a_database_error(tmp_path_factory, data, with_magic):
    path = tmp_path_factory.getbasetemp() / "random.swdb"
    path.write_bytes((database_format.MAGIC if with_magic else b"") + data)
    for function in (open_database, check_database, database_facts):
        with pytest.raises(DatabaseError):
            function(path)


@given(st.lists(st.tuples(st.integers(0, 1 << 20), st.binary(min_size=1, max_size=9)), min_size=1, max_size=4))
def test_overwritten_bytes_give_a_database_or_a_database_error(tmp_path_factory, edits):
    base = tmp_path_factory.getbasetemp()
    path = base / "edited.swdb"
    save_database(
        encode_database([SequenceRecord("a", "b", b"MKV" * 30), SequenceRecord("c", "", b"W")], PROTEIN), path
    )
    data = bytearray(path.read_bytes())
    for at, new in edits:
        start = at % len(data)
        data[start : start + len(new)] = new
    path.unlink()  # not rewritten in place: the array of an earlier example may still map it
    path.write_bytes(data)
    try:
        opened = open_database(path)
    except DatabaseError:
        return
    assert len(opened) == 2
    assert all(len(opened.subject(i)) in (90, 1) for i in range(2))


def test_nucleotides(tmp_path):
    source = tmp_path / "d.fa"
    source.write_text(">d\nACGTRYSWKMBDHVNU\n>e\n" + "ACGT" * 50 + "\n")
    built = build_database([source], tmp_path / "d.swdb")
    assert built.alphabet is NUCLEOTIDE
    assert built.record(0).residues == b"ACGTRYSWKMBDHVNU"


MEMORY_SCRIPT = """
import re, sys
from pathlib import Path
from swgui.io.database.build import build_database
built = build_database([sys.argv[1]], sys.argv[2])
# Not `ru_maxrss`, which a process inherits from the one that started it.
peak = int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
print(len(built), built.residues, peak // 1024)
"""


def build_in_a_process(source, out):
    done = subprocess.run(
        [sys.executable, "-c", MEMORY_SCRIPT, str(source), str(out)], capture_output=True, text=True, check=True
    )
    return tuple(map(int, done.stdout.split()))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read as Linux counts it")
def test_memory_does_not_grow_with_the_input(tmp_path):
    """140 MB in short records need no 120 MB of memory, and 60 MB in a single line no 220 MB."""
    random = np.random.default_rng(5)
    letters = PROTEIN.decode(random.integers(0, 20, 1 << 20, dtype=np.uint8))
    source, out = tmp_path / "s.fa", tmp_path / "s.swdb"
    with open(source, "wb") as file:
        for number in range(140):
            for part in range(0, 1 << 20, 1 << 17):
                file.write(b">p%d_%d some protein\n%b\n" % (number, part, letters[part : part + (1 << 17)]))
    count, residues, megabytes = build_in_a_process(source, out)
    assert (count, residues) == (1120, 140 << 20)
    assert megabytes < 120
    with open(source, "wb") as file:
        file.write(b">long\n")
        for _ in range(60):
            file.write(letters)
        file.write(b"\n>short\nMKV\n")
    count, residues, megabytes = build_in_a_process(source, out)
    assert (count, residues) == (2, (60 << 20) + 3)
    assert megabytes < 220


@pytest.mark.data
def test_the_real_proteins(data_dir, tmp_path):
    built = build_database([data_dir / "proteins" / "uniprot_16proteomes.fasta.gz"], tmp_path / "u.swdb")
    assert (len(built), built.residues) == (87_936, 41_058_649)
    assert (int(built.lengths.max()), int(np.median(built.lengths))) == (10_549, 344)
    counts = np.bincount(built.codes, minlength=27)
    assert (counts[PROTEIN.code("X")], counts[PROTEIN.code("U")]) == (223, 14)
    check_database(tmp_path / "u.swdb")
