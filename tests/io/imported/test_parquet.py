"""Parquet files as sources: columns by their usual names or by the user's, and clear sentences."""

import sys

import pytest

from swgui.cli import main
from swgui.core.errors import DatabaseError, InvalidParameter
from swgui.io.database.build import build_database, update_database
from swgui.io.database.file import database_facts, open_database
from swgui.io.database.library import open_any_database
from swgui.io.imported.opening import open_source
from swgui.io.imported.parquet import Columns, find_parquet_file
from swgui.io.sequences.reader import SequenceReader

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

USUAL = {
    "accession": ["P1", "P2", "P3", "P4"],
    "Sequence": ["MKVLW", "AALLVX", "mk-v", "WW*U"],
    "description": ["first [Homo sapiens]", None, "", "größe"],
    "taxid": [9606, None, 562, 10**12],
    "score": [1.0, 2.0, 3.0, 4.0],
}


def written(path, columns, **more):
    pq.write_table(pa.table(columns), path, **more)
    return path


def read(path, columns=None):
    with open_source(path, columns or Columns()) as source:
        return [(r.id, r.description, r.residues, r.taxid) for r in SequenceReader(source)]


EXPECTED = [
    ("P1", "first [Homo sapiens]", b"MKVLW", 9606),
    ("P2", "", b"AALLVX", 0),
    ("P3", "", b"MKV", 562),
    ("P4", "größe", b"WW*U", 0),
]


@pytest.mark.parametrize("rows", [1, 3, 1000])
def test_rows_are_records(tmp_path, monkeypatch, rows):
    monkeypatch.setattr("swgui.io.imported.parquet._ROWS", rows)
    path = written(tmp_path / "a.parquet", USUAL, row_group_size=3)
    assert read(path) == EXPECTED
    built = build_database([path], tmp_path / "x.swdb")
    assert [built.organisms.organism(row).taxid for row in range(4)] == [9606, 0, 562, 0]
    assert built.organisms.organism(0).name == "Homo sapiens"


def test_it_is_told_by_its_content(tmp_path):
    path = written(tmp_path / "a.fasta", USUAL)
    assert find_parquet_file(path) is not None
    assert read(path) == EXPECTED
    (tmp_path / "b.parquet").write_text(">a\nMKV\n")
    assert find_parquet_file(tmp_path / "b.parquet") is None
    assert find_parquet_file(tmp_path) is None
    with pytest.raises(DatabaseError, match="is a Parquet file, which swgui cannot search directly"):
        open_any_database(path)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_of_every_kind(tmp_path, kind):
    columns = {"id": pa.array(["a", "b", "a2"]).cast(kind), "seq": pa.array(["MKV", "WWW", "MKV"]).cast(kind),
               "tax_id": pa.array(["9606", "x", None]).cast(kind)}  # fmt: skip
    assert read(written(tmp_path / "a.parquet", columns)) == [
        ("a", "", b"MKV", 9606), ("b", "", b"WWW", 0), ("a2", "", b"MKV", 0)
    ]  # fmt: skip


def test_headers_and_numbers_as_identifiers(tmp_path):
    path = written(tmp_path / "a.parquet", {"header": ["a one", "b", "c  two words"], "seq": ["MKV", "WWW", "AAA"],
                                            "title": ["x", "y", ""]})  # fmt: skip
    assert [entry[:2] for entry in read(path)] == [("a", "one x"), ("b", "y"), ("c", "two words")]
    path = written(tmp_path / "b.parquet", {"id": [7, 1 << 40], "seq": ["MKV", "WWW"]})
    assert [entry[0] for entry in read(path)] == ["7", str(1 << 40)]
    path = written(tmp_path / "c.parquet", {"id": ["", None, "x"], "seq": ["MKV", "WWW", None]})
    assert [entry[0] for entry in read(path)] == ["record_1", "record_2"]


def test_columns_are_named_and_remembered(tmp_path, capsys):
    odd = {"col_a": ["one", "two"], "col_b": ["MKV", "WWW"], "id": ["no", "no"]}
    path, out = written(tmp_path / "a.parquet", odd), tmp_path / "x.swdb"
    assert main(["makedb", str(path), "-o", str(out), "--columns", "sequence=col_b, id=col_a"]) == 0
    assert list(open_database(out).ids) == ["one", "two"]
    assert Columns.read(database_facts(out).columns) == Columns(sequence="col_b", id="col_a")
    written(path, {name: values * 2 for name, values in odd.items()})
    assert len(update_database(out)) == 4


@pytest.mark.parametrize("text", ["sequence", "letters=x", "id=", "=x"])
def test_columns_of_another_form_are_refused(text):
    with pytest.raises(InvalidParameter, match="does not name the columns to read"):
        Columns.read(text)


@pytest.mark.parametrize(
    ("columns", "named", "sentence"),
    [
        ({"id": ["a"], "letters": ["MKV"]}, "", "no column that is known to hold the sequence; there are id, letters"),
        ({"sequence": ["MKV"], "x": ["a"]}, "", "no column that is known to hold the id"),
        ({"id": ["a"], "seq": ["MKV"]}, "id=nothing", "has no column 'nothing'"),
        ({"id": ["a"], "seq": [1]}, "", "Column 'seq' of .* holds int64, no sequence"),
        ({"id": [[1]], "seq": ["MKV"]}, "", "Column 'id' of .* no id"),
        ({"id": ["a"], "seq": ["MKV"], "taxid": [True]}, "", "Column 'taxid' of .* holds bool, no taxid"),
        ({"id": ["a"], "seq": ["MKV"], "title": [["x"]]}, "", "Column 'title' of .* holds list.*, no description"),
        ({"id": pa.array([], pa.string()), "seq": pa.array([], pa.string())}, "", "has no rows"),
    ],
)
def test_what_is_wrong_with_columns_is_said(tmp_path, columns, named, sentence):
    path = written(tmp_path / "a.parquet", columns)
    with pytest.raises(DatabaseError, match=sentence):
        build_database([path], tmp_path / "x.swdb", columns=Columns.read(named))
    assert not (tmp_path / "x.swdb").exists()


def test_columns_of_one_name_are_refused(tmp_path):
    table = pa.table([pa.array(["MKV"]), pa.array(["a"]), pa.array(["b"])], names=["seq", "id", "id"])
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DatabaseError, match="has several columns 'id'; there are seq, id, id"):
        build_database([tmp_path / "a.parquet"], tmp_path / "x.swdb")


@pytest.mark.parametrize(
    "taxids",
    [
        pa.array([9606.0, None, 0.5]),
        pa.array([9606, 1 << 63, 0], pa.uint64()),
        pa.array([b"9606", b"\xff", b""]),
        pa.array(["9606", "no", None], pa.string_view()),
        pa.array(["9606", "no", None]).dictionary_encode(),
    ],
    ids=["floating", "uint64", "bytes", "view", "dictionary"],
)
def test_taxids_in_other_forms_and_what_is_left_out(tmp_path, taxids):
    columns = {"id": list("abc"), "seq": pa.array(["MKV", "WWW", "AAA"], pa.string_view()), "taxid": taxids}
    path = written(tmp_path / "a.parquet", {**columns, "title": [[1], [2], [3]]})
    given = Columns.read("description=-")
    built = build_database([path], tmp_path / "x.swdb", columns=given)
    assert [built.organism(row).taxid for row in range(3)] == [9606, 0, 0]
    assert Columns.read(database_facts(tmp_path / "x.swdb").columns) == given


def test_damaged_files_are_refused(tmp_path):
    path = written(tmp_path / "a.parquet", USUAL)
    whole = path.read_bytes()
    for cut in (4, 8, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(DatabaseError, match=r"\(a Parquet file\) cannot be read"):
            build_database([path], tmp_path / "x.swdb")
    path.write_bytes(whole[:4] + bytes(60) + whole[64:])
    with pytest.raises(DatabaseError, match="cannot be read"):
        build_database([path], tmp_path / "x.swdb")
    assert not (tmp_path / "x.swdb").exists()


def test_without_the_package_the_sentence_names_the_extra(tmp_path, monkeypatch):
    path = written(tmp_path / "a.parquet", USUAL)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(DatabaseError, match="is read by the package pyarrow, which is not installed") as caught:
        build_database([path], tmp_path / "x.swdb")
    assert "swgui-core[parquet]" in caught.value.hint
