"""The interface of every database: in memory, mapped, packed, joined, translated, or partly at hand."""

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import encode_database
from swgui.core.errors import DatabaseError
from swgui.core.records import SequenceRecord
from swgui.core.several.joined import joined
from swgui.core.translation.database import searched
from swgui.core.translation.programs import Translation
from swgui.io.database.build import save_database
from swgui.io.database.file import open_database
from swgui.io.database.packed.build import save_packed
from swgui.io.saved.stored_subjects import StoredSubjects


def records(count, letters):
    chance = np.random.default_rng(count)
    sizes = chance.integers(1, 60, count).tolist()
    return [
        SequenceRecord(f"s{number}", f"number {number}", bytes(chance.choice(list(letters), size).tolist()))
        for number, size in enumerate(sizes)
    ]


def mapped(folder, whole):
    save_database(whole, folder / "mapped.swdb")
    return open_database(folder / "mapped.swdb")


def packed(folder, whole):
    save_packed(whole, folder / "packed.swdb")
    return open_database(folder / "packed.swdb", in_blocks=True)


def halves(folder, whole):
    of = [[whole.record(row) for row in range(*edges)] for edges in ((0, 17), (17, len(whole)))]
    return joined([encode_database(some, PROTEIN, name) for some, name in zip(of, "ab", strict=True)])


def stored(folder, whole):
    rows = np.arange(len(whole))
    codes = np.concatenate([whole.subject(row) for row in rows])
    return StoredSubjects("mine", PROTEIN, whole.lengths, whole.ids, whole.descriptions, whole.checksum, rows, codes)


def as_read(folder, whole):
    return searched(whole, Translation("blastx"))


KINDS = {"memory": lambda _, whole: whole, "mapped": mapped, "packed": packed, "joined": halves, "stored": stored,
         "translated": as_read}  # fmt: skip


@pytest.fixture(params=KINDS)
def both(request, tmp_path):
    whole = encode_database(records(40, b"ACDEFGHIKLMNPQRSTVWY"), PROTEIN, "mine")
    return whole, KINDS[request.param](tmp_path, whole)


def test_subjects_are_the_same(both):
    whole, database = both
    assert (len(database), database.residues, database.search_space[1]) == (len(whole), whole.residues, len(whole))
    assert np.array_equal(database.lengths, whole.lengths)
    rows = np.random.default_rng(1).permutation(len(whole))
    assert np.array_equal(database.lengths_of(rows), whole.lengths[rows])
    assert database.ids.decoded(rows) == whole.ids.decoded(rows)
    assert [database.record(row) for row in rows.tolist()] == [whole.record(row) for row in rows.tolist()]
    parts = np.zeros(len(rows), np.int64), np.full(len(rows), -1)
    for given in (None, parts):
        codes, starts, lengths = database.placed(rows, None, given)
        for row, start, length in zip(rows.tolist(), starts.tolist(), lengths.tolist(), strict=True):
            assert np.array_equal(codes[start : start + length], whole.subject(row))
    seen = database.lengths_seen(3)
    assert (seen[0], seen[-1]) == (whole.lengths.min(), whole.lengths.max())


def test_storage_order_is_one_order(both):
    _, database = both
    order = database.sources(0, len(database))
    assert np.array_equal(database.position[order], np.arange(len(database)))
    assert np.array_equal(database.sources(5, 20), order[5:20])
    assert np.array_equal(np.diff(database.stored_offsets()), database.lengths[order])


def test_pieces_are_the_whole_and_open_as_arrays(both):
    whole, database = both
    if database.at_hand is not None:
        with pytest.raises(DatabaseError, match="cannot be searched"):
            database.pieces[0].open()
        assert database.at_hand.tolist() == [*range(len(whole))]
        database = database.searchable()
    found = []
    for piece in database.pieces:
        part = piece.open()
        assert (piece.first, piece.sequences, piece.residues) == (len(found), len(part), part.residues)
        found += [part.record(row).residues for row in range(len(part))]
    assert found == [whole.record(row).residues for row in range(len(whole))]


def test_a_name_alone_is_changed(both):
    _, database = both
    other = database.renamed("other")
    assert (other.name, database.name == "other") == ("other", False)
    assert (other.checksum, len(other), other.residues) == (database.checksum, len(database), database.residues)
    assert other.in_two_tracks() is other
    assert other.same_content(database)


def test_a_translation_has_the_lengths_of_its_longest_frame():
    dna = encode_database(records(30, b"ACGT"), NUCLEOTIDE, "dna")
    database = searched(dna, Translation("tblastn"))
    assert searched(dna, Translation("tblastn")) is database
    assert database.lengths.tolist() == [len(database.subject(row)) for row in range(len(dna))]
    assert database.residues == database.lengths.sum()
    assert np.array_equal(database.lengths_of(np.array([3, 1])), database.lengths[[3, 1]])
    assert database.arrays() is dna
    assert database.given.checksum in database.checksum
