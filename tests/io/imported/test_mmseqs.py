"""MMseqs2 databases: the sequences of the file they were made of, and clear sentences about bad ones."""

import shutil
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from swgui.core.errors import DatabaseError, InvalidParameter
from swgui.io.database.build import build_database, update_database
from swgui.io.database.library import open_any_database
from swgui.io.imported.finding import find_imported_database, source_files
from swgui.io.unpacking import zstd_module
from tests.io.imported.test_blast import read

MADE = Path(__file__).parent / "made"
needs_mmseqs = pytest.mark.skipif(not shutil.which("mmseqs"), reason="MMseqs2 is not installed")


def copied(folder):
    for file in (*MADE.glob("mmseqs.*"), *MADE.glob("mmseqs_h*"), MADE / "mmseqs", MADE / "mmseqs_mapping"):
        shutil.copy(file, folder)
    return folder / "mmseqs"


@pytest.mark.parametrize(("name", "fasta"), [("mmseqs", "proteins"), ("mmseqs_dna", "dna")])
def test_the_same_sequences_as_in_the_file_it_was_made_of(tmp_path, name, fasta):
    assert read(MADE / name) == read(MADE / f"{fasta}.fasta")
    built = build_database([MADE / name], tmp_path / "x.swdb")
    assert built.checksum == build_database([MADE / f"{fasta}.fasta"], tmp_path / "y.swdb").checksum
    for ending in (".index", ".dbtype", "_h", "_h.index"):  # any of its files will do
        assert find_imported_database(MADE / f"{name}{ending}").name == MADE / name


def test_taxids_come_from_the_mapping(tmp_path):
    built = build_database([MADE / "mmseqs"], tmp_path / "x.swdb")
    assert [built.organisms.organism(row).taxid for row in range(4)] == [9606, 0, 0, 562]


def test_the_file_that_was_named_is_not_taken_for_text(tmp_path):
    with pytest.raises(DatabaseError, match="is an MMseqs2 database, which swgui cannot search directly"):
        open_any_database(MADE / "mmseqs")
    name = copied(tmp_path)
    assert name in source_files(name)
    with pytest.raises(InvalidParameter):
        build_database([name], name)
    assert len(build_database([name], tmp_path / "x.swdb")) == len(update_database(tmp_path / "x.swdb"))


@needs_mmseqs
@pytest.mark.parametrize("more", [(), ("--shuffle", "0"), ("--createdb-mode", "1")])
def test_many_in_any_order(tmp_path, monkeypatch, more):
    rng = np.random.default_rng(7)
    letters = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWYX", np.uint8)
    bodies = (rng.choice(letters, rng.integers(1, 900)).tobytes().decode() for _ in range(3000))
    fasta = tmp_path / "a.fasta"
    fasta.write_text("".join(f">id{n} title {n} \n{body}\n" for n, body in enumerate(bodies)))
    subprocess.run(["mmseqs", "createdb", fasta, tmp_path / "db", *more], check=True, capture_output=True)
    monkeypatch.setattr("swgui.io.imported.mmseqs._BLOCK_SEQUENCES", 700)
    monkeypatch.setattr("swgui.io.imported.mmseqs._BLOCK_BYTES", 1 << 16)
    assert sorted(read(tmp_path / "db")) == sorted(read(fasta))


@needs_mmseqs
@pytest.mark.parametrize("split", [False, True])
def test_packed_ones(tmp_path, split):
    fasta = tmp_path / "a.fasta"
    bodies = ("MKVLWAALLV" * (n % 70 + 1) for n in range(500))
    fasta.write_text("".join(f">s{n} a title {'again ' * (n % 20)}end\n{body}\n" for n, body in enumerate(bodies)))
    command = ["mmseqs", "createdb", fasta, tmp_path / "db", "--shuffle", "0"]
    subprocess.run(command + ([] if split else ["--compressed", "1"]), check=True, capture_output=True)
    if split:  # and titles as they are
        subprocess.run(["mmseqs", "compress", "db", "packed"], check=True, capture_output=True, cwd=tmp_path)
        for ending in ("", ".index", ".dbtype"):
            shutil.copy(tmp_path / f"db_h{ending}", tmp_path / f"packed_h{ending}")
    assert read(tmp_path / ("packed" if split else "db")) == read(fasta)


def packed_entry(text):
    zstd = zstd_module()
    if len(text) < 60:
        return len(text).to_bytes(4, "little") + text + b"\xff"
    data = zstd.compress(text)
    return len(data).to_bytes(4, "little") + data + b"\0"


def test_damaged_packed_entries_are_refused(tmp_path):
    name = copied(tmp_path)
    texts = [b"MKVLW\n", b"MKVLWAALLV" * 300 + b"\n"]
    entries = [packed_entry(text) for text in texts]
    (tmp_path / "mmseqs.dbtype").write_bytes(struct.pack("<I", 1 << 31))
    begins = [0, len(entries[0])]
    index = "".join(
        f"{n}\t{begin}\t{len(text) + 1}\n" for n, (begin, text) in enumerate(zip(begins, texts, strict=True))
    )
    (tmp_path / "mmseqs.index").write_text(index)
    whole = b"".join(entries)
    name.write_bytes(whole)
    assert [entry[2] for entry in read(name)] == [text[:-1] for text in texts]
    for size in range(len(whole) - 1, 0, -3):
        name.write_bytes(whole[:size])
        refused(name, "is truncated", tmp_path)
    for place in range(begins[1], len(whole)):
        name.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with suppress(DatabaseError):  # there is no checksum
            assert len(read(name)[1][2]) <= len(texts[1])


def test_several_data_files_count_as_one(tmp_path):
    name = copied(tmp_path)
    whole = name.read_bytes()
    cut = whole.index(b"\0", 20) + 1
    name.unlink()
    (tmp_path / "mmseqs.0").write_bytes(whole[:cut])
    (tmp_path / "mmseqs.1").write_bytes(b"")
    (tmp_path / "mmseqs.2").write_bytes(whole[cut:])
    assert read(name) == read(MADE / "mmseqs")
    assert tmp_path / "mmseqs.2" in source_files(name)


def test_entries_without_a_title_get_a_name(tmp_path):
    name = copied(tmp_path)
    lines = (tmp_path / "mmseqs_h.index").read_text().splitlines(keepends=True)
    (tmp_path / "mmseqs_h.index").write_text("".join(lines[1:]))
    entries = read(name)
    assert entries[0][0] == "record_1"
    assert entries[1:] == read(MADE / "mmseqs")[1:]


def test_positions_beyond_two_to_the_32(tmp_path):
    name = copied(tmp_path)
    far = (1 << 32) + 4096
    with open(name, "r+b") as file:
        file.seek(far)
        file.write(b"MKVLW\n\0")
    with open(tmp_path / "mmseqs.index", "a") as index:
        index.write(f"{1 << 40}\t{far}\t7\n")
    assert read(name)[-1] == ("record_18", "", b"MKVLW")


def refused(path, match, tmp_path):
    with pytest.raises(DatabaseError, match=match):
        build_database([path], tmp_path / "out.swdb")
    assert not (tmp_path / "out.swdb").exists()


@pytest.mark.parametrize(
    ("file", "data", "sentence"),
    [
        ("mmseqs.dbtype", struct.pack("<I", 2), r"is an MMseqs2 database of profiles \(type 2\)"),
        ("mmseqs.dbtype", struct.pack("<I", 99), r"of another kind of data \(type 99\)"),
        ("mmseqs.dbtype", struct.pack("<I", 1 << 20), "sequences in a layout"),
        ("mmseqs.dbtype", b"\0\0", r"'mmseqs\.dbtype' is truncated"),
        ("mmseqs.index", b"", "has no sequences"),
        ("mmseqs.index", b"0\t0\n1\t2\n", "is no index of an MMseqs2 database"),
        ("mmseqs.index", b"0\t0\t17\t3\n0\n", "is no index"),
        ("mmseqs.index", b"0\t0\t-17\n", "is no index"),
        ("mmseqs.index", b"0\t0\t1e3\n", "is no index"),
        ("mmseqs.index", b"0\t0\t" + b"9" * 30 + b"\n", "is no index"),
        ("mmseqs.index", b"0\t0\t17\n\n1\t2\t3\n", "is no index"),
        ("mmseqs.index", b"0\t0\t999999999\n", "it is truncated"),
        ("mmseqs.index", b"0\t999999999999999999\t1\n", "it is truncated"),
        ("mmseqs.index", b"0\t0\t0\n", "it is truncated"),
        ("mmseqs.index", b"0\t0\t17\n0\t17\t6\n", "names an entry twice"),
        ("mmseqs", b"MK", "it is truncated"),
        ("mmseqs_h", b"", "it is truncated"),
        ("mmseqs_mapping", b"TAXM\0\1", "two numbers in each line"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, file, data, sentence):
    name = copied(tmp_path)
    (tmp_path / file).write_bytes(data)
    refused(name, sentence, tmp_path)


def test_a_missing_data_file_is_named(tmp_path):
    name = copied(tmp_path)
    (tmp_path / "mmseqs_h").unlink()
    refused(name, r"no 'mmseqs_h' next to 'mmseqs_h\.index'", tmp_path)
