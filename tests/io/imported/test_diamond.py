"""DIAMOND databases: the sequences of the file they were made of, and clear sentences about bad ones."""

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from swgui.core.errors import DatabaseError
from swgui.io.database.build import build_database, update_database
from swgui.io.imported import diamond
from swgui.io.imported.finding import find_imported_database, source_files
from tests.io.imported.test_blast import read

MADE = Path(__file__).parent / "made"
needs_diamond = pytest.mark.skipif(not shutil.which("diamond"), reason="DIAMOND is not installed")


def in_fasta(path):
    """Return DIAMOND's form of the records of a file: letters that it does not know are X."""
    records = [text.partition("\n") for text in path.read_text()[1:].split("\n>")]
    known = str.maketrans("UO-", "XXX", "\n")
    titles = [(header.partition(" "), body.translate(known)) for header, _, body in records]
    return [(name, rest, body.encode()) for (name, _, rest), body in titles]


@pytest.mark.parametrize("limit", [1 << 14, 1])
def test_the_same_sequences_as_in_the_file_it_was_made_of(tmp_path, monkeypatch, limit):
    monkeypatch.setattr(diamond, "_BLOCK_SEQUENCES", limit)
    assert read(MADE / "diamond.dmnd") == in_fasta(MADE / "proteins.fasta")
    found = find_imported_database(MADE / "diamond")  # as DIAMOND takes it
    assert (found.file, source_files(found.file)) == (MADE / "diamond.dmnd", [MADE / "diamond.dmnd"])
    built = build_database([MADE / "diamond"], tmp_path / "x.swdb")
    assert built.organisms.organism(0).taxid == 9606  # as its title says
    assert update_database(tmp_path / "x.swdb").checksum == built.checksum


def refused(path, *said):
    with pytest.raises(DatabaseError) as error:
        read(path)
    assert all(one in str(error.value) for one in (path.name, *said)), error.value


@pytest.mark.parametrize("place", [".", "/"])
def test_a_folder_without_a_name_means_no_database(place):
    assert diamond.find_diamond_database(place) is None


def test_what_is_damaged_or_of_another_version_is_refused(tmp_path):
    whole, path = (MADE / "diamond.dmnd").read_bytes(), tmp_path / "a.dmnd"
    for size in (0, 7, 30, 60, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        refused(path)
    path.write_bytes(whole[:12] + b"\x02" + whole[13:])
    refused(path, "has version 2 of its format", "diamond getseq -d a.dmnd > NAME.fasta")
    path.write_bytes(whole[:16] + bytes(8) + whole[24:])
    refused(path, "has no sequences")
    right = read(MADE / "diamond.dmnd")
    for place in range(16, len(whole), 23):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        with suppress(DatabaseError):  # there is no checksum
            assert len(read(path)) == len(right)


@needs_diamond
def test_many(tmp_path, rng):
    letters = np.frombuffer(b"ACDEFGHIKLMNPQRSTVWYX", np.uint8)
    bodies = (rng.choice(letters, rng.integers(1, 300)).tobytes().decode() for _ in range(2000))
    fasta = tmp_path / "a.fasta"
    fasta.write_text("".join(f">id{n} title {n}\n{'A' * (n % 90)}{body}\n" for n, body in enumerate(bodies)))
    subprocess.run(["diamond", "makedb", "--in", fasta, "-d", tmp_path / "db", "--quiet"], check=True)
    assert read(tmp_path / "db") == read(fasta)
    subprocess.run(["diamond", "getseq", "-d", tmp_path / "db", "-o", tmp_path / "b.fasta", "--quiet"], check=True)
    assert read(tmp_path / "db") == read(tmp_path / "b.fasta")
