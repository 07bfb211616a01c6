"""A table of the user's own: how it is read, how its rows are found, and where its columns come out."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import openpyxl
import pytest

from swgui.cli import main
from swgui.core.compare.matching import NameIndex, match_names
from swgui.core.database import TextColumn
from swgui.core.table import SHORTEST, Column, Table
from swgui.io.metadata import MetadataError, read_metadata

IDS = ["sp|P02649|APOE_HUMAN", "NP_000032.1", "mine", "P69905.2"]


def table(*ids: str) -> Table[tuple[str, ...]]:
    columns = [
        Column[tuple[str, ...]]("sseqid", "Subject", "Its name.", "text", read=list),
        Column[tuple[str, ...]]("length", "Length", "Of the name.", "integer", read=lambda part: list(map(len, part))),
    ]
    return Table(columns, lambda: (ids,))


def written(tmp_path: Path, text: str, name: str = "own.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_are_found_by_identifier_by_accession_and_without_version(tmp_path: Path) -> None:
    own = read_metadata(written(tmp_path, "accession,ec\nP02649,1\nNP_000032.2,2\nmine,3\nP69905,4\nP0,5\n"))
    joined = own.join(table(*IDS, "absent"))
    assert [column.key for column in joined.columns] == ["sseqid", "length", "ec"]
    assert [row[2] for row in joined.rows()] == [1, 2, 3, 4, None]
    assert own.summary() == "own.csv: 4 of 5 names of the result have a row."


def test_names_are_found_as_match_names_finds_them() -> None:
    names = ["P02649", "NP_000032.1", "NP_000032.2", "sp|mine|M_1"]
    index, column = NameIndex(names), TextColumn.from_texts(names)
    for name in [*IDS, "NP_000032", "M_1", "absent"]:
        matches = match_names([name], column)
        expected = [matches.found[name]] if name in matches.found else list(matches.ambiguous.get(name, ()))
        assert list(index.find(name)) == expected


def test_a_name_that_matches_several_rows_gets_no_value(tmp_path: Path) -> None:
    own = read_metadata(written(tmp_path, "id\tx\nA.1\t1\nA.2\t2\n", "own.tsv"))
    assert [row[2] for row in own.join(table("A", "A.2")).rows()] == [None, 2]
    assert (
        own.summary() == "own.tsv: 1 of 2 names of the result has a row; 1 matches several of its rows, without values."
    )


def test_kinds_of_columns_and_clashes(tmp_path: Path) -> None:
    text = "# made by hand\nid;length;share;p;code;text\na;1;0.5;1e-50;007;1\nb;;0.25;0.1;8;x\nb;;0.25;0.1;8;x\n;;;;;\n"
    own = read_metadata(written(tmp_path, text))
    columns = own.join(table("a", "b")).columns[2:]
    assert [(column.key, column.kind) for column in columns] == [
        ("length_2", "integer"), ("share", "real"), ("p", "real"), ("code", "text"), ("text", "text"),
    ]  # fmt: skip
    assert [column.decimals for column in columns[1:3]] == [2, SHORTEST]
    assert "its column 'length' is called 'length_2'" in own.summary()


def test_a_workbook_is_read_as_its_csv(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    rows = [["id", "note", "empty", "share", "when"], ["a", "x, y", None, 0.5, None], ["b", None, None, 3, None]]
    for row in rows:
        sheet.append(row)
    sheet["E2"], sheet["E2"].number_format = 46355, "yyyy-mm-dd"
    path = tmp_path / "own.xlsx"
    book.save(path)
    own = read_metadata(path)
    assert [row[2:] for row in own.join(table("a", "b")).rows()] == [
        ("x, y", None, 0.5, "2026-11-29"), (None, None, 3.0, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'own.csv' is empty."),
        ("id\na\n", "own.csv has no columns next to the names."),
        ("a,b\n1,2\n", "No column of own.csv is called as one of names usually is: it has a, b."),
        ("id,b\na,1\na,2\n", "own.csv has 'a' twice, in lines 2 and 3, with other values."),
        ("id,b\na,1,2\n", "Line 2 of own.csv has 3 fields, its head 2."),
        ('id,b\na,"1\n', "own.csv is no proper table: unexpected end of data."),
        ("id,b\n,1\n", "own.csv has no rows with a name in its column 'id'."),
        ("PK\x03\x04", "own.csv is not a workbook that can be read."),
    ],
)
def test_what_is_no_such_table_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(MetadataError) as caught:
        read_metadata(written(tmp_path, text))
    assert caught.value.message == sentence


def test_commands_write_the_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    subjects = "MKVLAWRRLSTNGHEYFQPCDIAV", "MKVLAWRRLSTNGHEYFQPCDIAG"
    sequences = written(tmp_path, "".join(f">sp|P0000{n}|S{n}_X\n{text}\n" for n, text in enumerate(subjects)), "s.fa")
    own = written(tmp_path, "Entry\tEC number\nP00001\t1.2.3.4\n", "own.tsv")
    search = f"search -q {sequences} -d {sequences} --engine reference --columns sseqid --metadata {own}"
    assert main([*search.split(), "-o", str(tmp_path / "h.csv")]) == 0
    assert "own.tsv: 1 of 2" in capsys.readouterr().err
    with open(tmp_path / "h.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["sseqid"]: row["EC number"] for row in rows} == {"sp|P00000|S0_X": "", "sp|P00001|S1_X": "1.2.3.4"}
    assert main([*search.split(), "-o", str(tmp_path / "h.fasta")]) == 2
    assert main([*search.split(), "-o", str(own)]) == 2
    split = f"split {sequences} --metadata {own} -o {tmp_path / 'parts.json'}"
    assert main(split.split()) == 0
    parts = json.loads((tmp_path / "parts.json").read_text())
    assert {row["sequence"]: row["EC number"] for row in parts} == {"sp|P00000|S0_X": None, "sp|P00001|S1_X": "1.2.3.4"}
