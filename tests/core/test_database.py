import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import PROTEIN
from swgui.core.database import TextColumn, encode_database, take_chunk
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.records import SequenceRecord

RECORDS = st.lists(
    st.builds(
        SequenceRecord,
        id=st.text(max_size=8),
        description=st.text(max_size=12),
        residues=st.text(alphabet=PROTEIN.letters, max_size=30).map(str.encode),
    ),
    max_size=15,
)


def _readable(text):
    return text.encode("utf-8", "replace").decode()


@given(RECORDS)
def test_records_come_back_as_they_went_in(records):
    database = encode_database(records, PROTEIN)
    assert len(database) == len(records)
    assert database.residues == sum(len(r.residues) for r in records)
    assert database.lengths.tolist() == [len(r.residues) for r in records]
    for i, record in enumerate(records):
        back = database.record(i)
        assert (back.id, back.description) == (_readable(record.id), _readable(record.description))
        assert back.residues == record.residues


@given(RECORDS, st.integers(1, 60))
def test_chunks_hold_every_subject_once(records, residues):
    database = encode_database(records, PROTEIN)
    chunks = [take_chunk(database, plan) for plan in plan_chunks(database.offsets, ChunkLimits(residues))]
    seen = [int(i) for chunk in chunks for i in chunk.db_index]
    assert sorted(seen) == list(range(len(records)))
    for chunk in chunks:
        assert chunk.residues == chunk.lengths.sum()
        for n, i in enumerate(chunk.db_index):
            codes = chunk.codes[chunk.offsets[n] : chunk.offsets[n + 1]]
            assert PROTEIN.decode(codes) == records[i].residues


def test_a_chunk_is_a_view():
    database = encode_database([SequenceRecord("a", "", b"MKV"), SequenceRecord("b", "", b"MKVL")], PROTEIN)
    plan = plan_chunks(database.offsets, ChunkLimits(100))[0]
    assert np.shares_memory(take_chunk(database, plan).codes, database.codes)


def test_databases_of_many_blocks_know_lengths_and_positions(monkeypatch):
    monkeypatch.setattr("swgui.core.database._BLOCK", 3)
    lengths = [5, 1, 9, 0, 7, 7, 2, 8]
    database = encode_database([SequenceRecord(f"s{n}", "", b"M" * n) for n in lengths], PROTEIN)
    assert database.lengths.tolist() == lengths
    assert database.order[database.position].tolist() == list(range(len(lengths)))


def test_the_checksum_follows_the_content():
    one = SequenceRecord("a", "x", b"MKV")
    same = encode_database([one], PROTEIN).checksum
    assert encode_database([SequenceRecord("a", "other words", b"MKV")], PROTEIN).checksum == same
    assert encode_database([SequenceRecord("a", "x", b"MKL")], PROTEIN).checksum != same
    assert encode_database([SequenceRecord("b", "x", b"MKV")], PROTEIN).checksum != same
    assert encode_database([one, one], PROTEIN).checksum != same


def test_text_columns_behave_like_sequences():
    column = TextColumn.from_texts(["", "α", "b"])
    assert list(column) == ["", "α", "b"]
    assert column[-1] == "b"
    with pytest.raises(IndexError):
        column[3]
