"""Reading in bulk gives what reading record by record gives: records, remarks and counts."""

import io

import numpy as np
import pytest
from msgspec.structs import asdict

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import SequenceError
from swgui.io.read_report import ReadReport
from swgui.io.sequences import parsers, plain_fasta
from swgui.io.sequences.ledger import IdLedger, hash_texts
from swgui.io.sequences.plain_fasta import RecordBatch, whole_records
from swgui.io.sequences.reader import SequenceReader
from swgui.io.sequences.sources import TextSource

PLAIN = "".join(f">p{n} protein number {n}\nMKWVTFISLLW\nACDEFGH\n" for n in range(120))

# Each is put between plain records, or at the end.
ODD = {
    "lower case": ">x low\nMKwv\n",
    "rare letter": ">x\nMKU\n",
    "gap signs": ">x\nMK-W\n",
    "blank in a line": ">x\nMK W\n",
    "blank line": ">x\nMK\n\nW\n",
    "blank at a line's end": ">x\nMK \nW\n",
    "comment": ">x\n;said\nMKW\n",
    "empty": ">x\n",
    "empty with blank lines": ">x\n\n\n",
    "no identifier": ">\nMKW\n",
    "blank before the identifier": ">  x y\nMKW\n",
    "two blanks": ">x  y\nMKW\n",
    "blank at the end": ">x y \nMKW\n",
    "only a blank behind": ">x \nMKW\n",
    "tab": ">x\ty z\nMKW\n",
    "UTF-8": ">x café\nMKW\n",
    "Latin-1": ">x caf\xe9\nMKW\n",
    "control": ">x\x1by\nMKW\n",
    "separator": ">x\x1cy\nMKW\n",
    "duplicate": ">p7 again\nMKW\n",
    "digits": ">x\nMK1\n",
    "greater inside": ">x >y\nMK>W\n",
    "two greater": ">>x\nMKW\n",
    "one letter": ">x\nM\n",
    "beyond ASCII": ">x\nMKé\n",
}


def read(data: bytes, *, batches: bool, block: int = 1 << 20):
    """Return records as they are stored, and all remarks."""
    report, records = ReadReport(), []
    with TextSource(io.BytesIO(data), "the text", size=len(data)) as source:
        source.decoded = cut(source.decoded, block)
        reader = SequenceReader(source, report=report)
        for item in reader.batches() if batches else reader:
            records += stored(item) if isinstance(item, RecordBatch) else [(item.id, item.description, item.residues)]
    return records, {**asdict(report), "alphabet": report.alphabet}


def cut(blocks, size):
    for block in blocks:
        yield from (block[at : at + size] for at in range(0, len(block), size))


def stored(batch):
    ids = split(batch.ids, batch.id_lengths)
    descriptions = split(batch.descriptions, batch.description_lengths)
    residues = split(PROTEIN.decode(batch.codes), batch.lengths)
    return [(i.decode(), d.decode(), r) for i, d, r in zip(ids, descriptions, residues, strict=True)]


def split(data, lengths):
    ends = np.cumsum(lengths)
    return [data[end - length : end] for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]


@pytest.mark.parametrize("end", ["\n", "", "\n\n"])
@pytest.mark.parametrize("name", ODD)
def test_every_odd_record_is_read_as_by_itself_and_its_neighbours_too(name, end):
    odd = ODD[name].encode("latin-1" if name == "Latin-1" else "utf-8")
    for data in (
        PLAIN.encode() + odd + b">y last\nWWW\n>z\nKKK" + end.encode(),
        PLAIN.encode() + odd * 2 + odd.rstrip(b"\n") + end.encode(),
    ):
        assert read(data, batches=True) == read(data, batches=False)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 64, 1000])
def test_blocks_may_end_anywhere(block, monkeypatch):
    text = "".join(ODD[name] for name in ODD if name != "Latin-1")
    data = (PLAIN + text + PLAIN).encode()
    monkeypatch.setattr("swgui.io.sequences.sources.HEAD", 4_000)
    assert read(data, batches=True, block=block) == read(data, batches=False)


def test_most_records_come_in_batches():
    items = []
    with TextSource(io.BytesIO((PLAIN + ODD["gap signs"] + PLAIN).encode()), "the text") as source:
        items = list(SequenceReader(source).batches())
    assert [len(item) if isinstance(item, RecordBatch) else item.id for item in items] == [120, "x", 119, 1]


def test_a_record_that_is_too_long_for_bulk_is_read_by_itself(monkeypatch):
    monkeypatch.setattr(plain_fasta, "LARGEST", 8_000)
    data = (PLAIN + ">long one\n" + "MKWVTFISLL\n" * 2_000 + ODD["duplicate"] + PLAIN).encode()
    assert read(data, batches=True, block=500) == read(data, batches=False)
    with TextSource(io.BytesIO(data), "the text") as source:
        source.decoded = cut(source.decoded, 500)
        assert not all(isinstance(item, RecordBatch) for item in SequenceReader(source).batches())


@pytest.mark.parametrize("batches", [True, False])
def test_a_record_with_more_letters_than_lengths_can_say_is_refused(monkeypatch, batches):
    monkeypatch.setattr(plain_fasta, "LARGEST", 8_000)
    monkeypatch.setattr(parsers, "LONGEST_RECORD", 20_000)
    data = (PLAIN + ">long one\n" + "MKWVTFISLL\n" * 2_000 + PLAIN).encode()
    with pytest.raises(SequenceError, match="Record 121 of the text has more than 20,000 letters") as raised:
        read(data, batches=batches, block=500)
    assert (raised.value.record, raised.value.line) == (121, 361)


def test_text_is_cut_only_where_records_begin():
    text = b">a\nMK\n>b\nWW\nK\n>c"
    for size in range(1, len(text) + 1):
        parts = [b"".join(part) for part in whole_records(cut([text], size))]
        assert b"".join(parts) == text
        assert all(part.startswith(b">") for part in parts)


def test_hashes_tell_texts_apart_whatever_their_lengths():
    rng = np.random.default_rng(5)
    texts = {bytes(rng.integers(1, 256, length, dtype=np.uint8)) for length in range(1, 700)}
    texts |= {b"x" * length for length in range(700)} | {b"x" * length + b"y" for length in range(700)}
    ordered = sorted(texts)
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in ordered])])
    hashes = hash_texts(np.frombuffer(b"".join(ordered), np.uint8), offsets)
    assert len(set(hashes.tolist())) == len(ordered)
    alone = [hash_texts(np.frombuffer(text, np.uint8), np.array([0, len(text)]))[0] for text in ordered]
    assert hashes.tolist() == alone


def test_identifiers_given_at_once_and_one_by_one_are_compared_with_each_other():
    ledger = IdLedger()
    ledger.begin("one")
    assert not ledger.add("b", 1, 1)
    ledger.add_many(b"aabc", np.array([2, 1, 1], np.int32), 2, np.array([3, 5, 7]))
    found = ledger.flush()
    assert [(remark.record, remark.line) for remark in found] == [(3, 5)]
    assert found[0].message.startswith("Record 3 has")
