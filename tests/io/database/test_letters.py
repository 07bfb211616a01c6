import numpy as np
import pytest

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import ALPHABETS, PROTEIN
from swgui.core.errors import DatabaseError
from swgui.core.records import Letters, SequenceRecord
from swgui.io.database.build import LetterFile, build_database, build_from_records, save_database, update_database
from swgui.io.database.file import check_database, database_facts, open_database

RESIDUES = {"a": "MKVLA", "b": "WW", "c": "ACDEFGHIK", "a b": "MK"}
LETTERS = {"a": "DVQPX", "b": "pl", "c": "DDDDDDDVV", "a b": "LL"}


@pytest.fixture(params=[1, 40])
def folder(tmp_path, request):
    """Few records, and so many that they are read in bulk."""
    for name, table in (("residues", RESIDUES), ("letters", LETTERS)):
        rows = [(f"{key.split()[0]}.{n}", text) for n in range(request.param) for key, text in table.items()]
        if name == "letters":
            rows.reverse()  # records of one name stay in their order
            twice = [row for row in rows if row[0].startswith("a.")]
            rows = [row for row in rows if not row[0].startswith("a.")] + sorted(twice, key=lambda row: -len(row[1]))
        (tmp_path / f"{name}.fasta").write_text("".join(f">{key} x\n{text}\n" for key, text in rows))
    return tmp_path


def build(folder):
    letters = LetterFile(folder / "letters.fasta", ALPHABETS["3Di"])
    return build_database([folder / "residues.fasta"], folder / "two.swdb", letters=letters)


def test_both_tracks_are_in_the_file_whatever_their_order(folder):
    database = build(folder)
    assert database.record(0).letters == Letters("3Di", b"DVQPX")
    assert database.record(1).letters == Letters("3Di", b"PL")
    assert database.record(3).letters == Letters("3Di", b"LL")
    assert len(database.track.codes) == database.residues
    assert check_database(folder / "two.swdb").letters is ALPHABETS["3Di"]
    save_database(database, folder / "copy.swdb")
    copy = open_database(folder / "copy.swdb")
    assert (copy.checksum, copy.track.checksum) == (database.checksum, database.track.checksum)
    assert database_facts(folder / "copy.swdb").letters_file == ""
    before = (folder / "two.swdb").stat().st_size
    assert update_database(folder / "two.swdb").track.checksum == database.track.checksum
    assert (folder / "two.swdb").stat().st_size == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (">c.0 x", ">d.0 x", "'c.0' has no letters in 'letters.fasta'"),
        ("DDDDDDDVV", "DDDDDDDV", "'c.0' has 9 residues and 8 letters in 'letters.fasta'"),
        (">c.0 x", ">d.0\nDD\n>c.0 x", "'d.0' has no residues, but letters in 'letters.fasta'"),
    ],
)
def test_what_stands_alone_is_named(folder, old, new, said):
    path = folder / "letters.fasta"
    path.write_text(path.read_text().replace(old, new, 1) if "c.0" in old else path.read_text().replace(old, new))
    with pytest.raises(DatabaseError, match=said):
        build(folder)
    assert not (folder / "two.swdb").exists()


def test_records_bring_their_letters_with_them(tmp_path):
    records = [SequenceRecord("a", "", b"MKV", letters=Letters("3Di", b"DVQ")), SequenceRecord("b", "", b"WW")]
    database = build_from_records(records[:1], tmp_path / "one.swdb", alphabet=PROTEIN)
    assert database.record(0) == records[0]
    with pytest.raises(DatabaseError, match="'b' has no letters"):
        build_from_records(records, tmp_path / "two.swdb", alphabet=PROTEIN)
    assert build_from_records(records[1:], tmp_path / "bare.swdb", alphabet=PROTEIN).track is None


def test_a_damaged_letter_is_found(folder):
    database = build(folder)
    data = bytearray((folder / "two.swdb").read_bytes())
    at = data.find(np.asarray(database.track.codes).tobytes())
    data[at] ^= 1
    damaged = folder / "damaged.swdb"  # Windows lets no program write into a file that is mapped
    damaged.write_bytes(data)
    with pytest.raises(DatabaseError, match="letters"):
        check_database(damaged)
