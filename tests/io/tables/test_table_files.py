"""One table in every form that tables have: files, workbooks, arrays and data frames."""

import csv
import io
import json

import numpy as np
import pytest

from swgui.core.table import Column, Table
from swgui.io.table_files import write_csv, write_json, write_tsv
from swgui.io.workbook import Book
from swgui.library.frames import Tabular

NAMES = ["=cmd|x", 'a "b", c', "\x1b[31mred", None]
E = np.array([-400.0, -2.0, np.nan, 1.0])
COLUMNS = (
    Column[slice]("name", "Name", "Of a file.", "text", read=lambda part: NAMES[part]),
    Column[slice]("strand", "Strand", "A sign.", "word", read=lambda part: ["-", "+", "-ACGT", "+"][part]),
    Column[slice]("n", "Number", "Whole.", "integer", read=lambda part: np.arange(-1, 3)[part]),
    Column[slice]("share", "Share", "Of all.", "real", unit="%", decimals=1,
                  read=lambda part: np.array([12.34, np.nan, 1, 0])[part]),
    Column[slice]("evalue", "E-value", "By chance.", "evalue", read=lambda part: E[part]),
)  # fmt: skip
TABLE = Table(COLUMNS, lambda: (slice(0, 3), slice(3, 3), slice(3, 4)))
HEAD = ["name", "strand", "n", "share", "evalue"]
ROWS = [
    ["'=cmd|x", "-", "-1", "12.3", "1.00e-400"],
    ['a "b", c', "+", "0", "", "0.0100"],
    ["[31mred", "-ACGT", "1", "1.0", ""],
    ["", "+", "2", "0.0", "10.0"],
]


def written(write, **more):
    file = io.StringIO(newline="")
    write(TABLE, file, **more)
    return file.getvalue()


def test_tabs_and_commas():
    assert written(write_tsv) == "".join("\t".join(row) + "\n" for row in [HEAD, *ROWS])
    assert list(csv.reader(io.StringIO(written(write_csv)))) == [HEAD, *ROWS]
    assert written(write_csv, headings=True).startswith("Name,Strand,Number,Share %,E-value\n")


def test_json_keeps_names_and_numbers():
    rows = json.loads(written(write_json), parse_float=str)
    assert [row["name"] for row in rows] == NAMES
    assert [row["share"] for row in rows] == ["12.3", None, "1.0", "0.0"]
    assert [row["evalue"] for row in rows] == ["1.00e-400", "0.0100", None, "10.0"]
    assert "\x1b" not in written(write_json)
    file = io.StringIO()
    write_json(Table(COLUMNS, lambda: ()), file)
    assert json.loads(file.getvalue()) == []


def test_workbooks_hold_numbers_and_no_formula(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = Book()
    book.add_table("Rows", TABLE)
    book.add_facts("About", {"made": "now"})
    with open(tmp_path / "x.xlsx", "wb") as file:
        book.save(file)
    sheet = openpyxl.load_workbook(tmp_path / "x.xlsx")["Rows"]
    rows = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert rows[0] == HEAD
    assert rows[1] == ["=cmd|x", "-", -1, 12.34, "1.00e-400"]
    assert sheet["A2"].data_type == "s"
    assert rows[2][2:] == [0, None, 0.01]


class Rows(Tabular):
    def _table(self, columns):
        return TABLE.choose(columns)


def test_arrays_and_data_frames():
    arrays = Rows().to_arrays()
    assert list(arrays) == HEAD
    assert arrays["name"].tolist() == NAMES
    assert arrays["n"].dtype == np.int64
    np.testing.assert_allclose(arrays["evalue"], [0.0, 0.01, np.nan, 10.0])
    assert list(Rows().to_arrays("n,name")) == ["n", "name"]
    for package, rows in (("pandas", "to_pandas"), ("polars", "to_polars"), ("pyarrow", "to_arrow")):
        if pytest.importorskip(package):
            frame = getattr(Rows(), rows)(["n", "evalue"])
            assert list(frame.columns if package != "pyarrow" else frame.column_names) == ["n", "evalue"]
