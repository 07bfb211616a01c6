"""Columns by name, by BLAST's and MMseqs2's names, and in groups."""

import pytest

from swgui.cli import main
from swgui.core.errors import InvalidParameter
from swgui.io.export.columns import (
    BLAST_COLUMNS,
    DEFAULT_COLUMNS,
    GROUPS,
    HIT_COLUMNS,
    OTHER_NAMES,
    choose_columns,
    has_usual,
)
from tests.cli.test_streams import FAMILY


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (None, DEFAULT_COLUMNS),
        (("std",), BLAST_COLUMNS),
        (("std", "qcovs"), (*BLAST_COLUMNS, "qcovs")),
        (("std", "+qcovs", "evalue"), (*BLAST_COLUMNS, "qcovs")),  # each once
        (("+link",), (*DEFAULT_COLUMNS, "link")),
        (("score", "+link"), ("score", "link")),
        (("query", "fident", "staxids"), ("query", "fident", "staxids")),
    ],
)
def test_names_and_groups(asked, names):
    assert tuple(column.name for column in choose_columns(asked)) == names
    assert has_usual(asked) == (asked is None or asked[0].startswith("+"))


def test_other_names_are_of_columns_that_are_there_and_hide_none():
    assert set(OTHER_NAMES.values()) <= set(HIT_COLUMNS)
    assert not (set(OTHER_NAMES) | set(GROUPS)) & set(HIT_COLUMNS)


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(InvalidParameter, match="no column 'qcovus'"):
        choose_columns(("std", "+qcovus"))


@pytest.fixture
def table(tmp_path, capsys):
    fasta = tmp_path / "family.fasta"
    fasta.write_text(FAMILY)

    def search(*more):
        assert (
            main(["search", "-q", str(fasta), "--db", str(fasta), "--engine", "reference", "--max-hsps", "1", *more])
            == 0
        )
        return [line.split("\t") for line in capsys.readouterr().out.splitlines()]

    return search


def test_values_are_written_as_the_other_program_does(table):
    names = "query,target,fident,pident,alnlen,qcov,qcovhsp,bits,bitscore,theader"
    head, *rows = table("--columns", names)
    assert head == names.split(",")
    row = dict(zip(head, rows[1], strict=True))
    assert row["target"] == "two"
    assert 0 < float(row["fident"]) < 1
    assert float(row["fident"]) == pytest.approx(float(row["pident"]) / 100, abs=5e-4)
    assert float(row["qcov"]) == pytest.approx(float(row["qcovhsp"]) / 100, abs=5e-4)
    assert row["bits"] == row["bitscore"]
    assert row["theader"] == "two its cousin"


def test_an_added_column_leaves_the_usual_ones(table):
    usual, more = table(), table("--columns", "+zscore")
    assert more[0] == [*usual[0], "zscore"]
    assert [row[: len(usual[0])] for row in more] == usual
    six = table("--outfmt", "6", "--columns", "+qcovs")
    assert [row[:12] for row in six] == table("--format", "blast6")
    assert {len(row) for row in six} == {13}


def test_everything_stays_in_json_when_a_column_is_added(table):
    assert table("--format", "json", "--columns", "+score")[0] == ["{"]
