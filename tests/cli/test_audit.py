"""The missed-hit audit from the command line, with tables that blastp wrote (tests/data/foreign/README.md)."""

import argparse
import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from swgui.cli import audit
from swgui.commands.table import COMMANDS
from swgui.core.errors import SwguiError
from swgui.io.tables.comparisons import AUDIT_COLUMNS
from swgui.io.tables.hits import HitTableError, read_hit_table
from tests.described import numbers_in

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"
QUERIES, SUBJECTS = FOREIGN / "queries.fasta", FOREIGN / "subjects.fasta"


def run(table, *more):
    parser = argparse.ArgumentParser()
    COMMANDS["audit"].declare(parser)
    words = [
        "-q",
        str(QUERIES),
        "-d",
        str(SUBJECTS),
        "--table",
        str(table),
        "--engine",
        "reference",
        "--composition",
        "none",
        *more,
    ]
    return audit.run(parser.parse_args(words))


def rows_of(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def test_plain_scores_of_blastp_are_the_exact_ones(capsys):
    assert run(FOREIGN / "blastp_7_exact_costs.tsv") == 0
    out, err = capsys.readouterr()
    rows = rows_of(out)
    assert list(rows[0]) == [column.key for column in AUDIT_COLUMNS]
    both = [row for row in rows if row["found_by"] == "both"]
    assert len(both) == 25
    for row in both:
        assert row["score"] == row["table_score"]
        assert float(row["evalue"]) == pytest.approx(float(row["table_evalue"]), rel=0.06)  # two digits
    assert not [row for row in rows if row["found_by"] == "there"]
    assert numbers_in(err)[:3] == [25, 18, 0]
    assert "25 of 25" in err


@pytest.mark.parametrize("name", ["blastp_6.tsv", "blastp_7.tsv", "blastp_5.xml", "blastp_16.xml"])
def test_every_format_gives_the_same_pairs(name, capsys):
    assert run(FOREIGN / name) == 0
    out, err = capsys.readouterr()
    rows = rows_of(out)
    pairs = {(row["qseqid"], row["sseqid"]) for row in rows if row["found_by"] in ("both", "there")}
    with open(FOREIGN / "blastp_6.tsv") as file:
        assert pairs == {tuple(line.split("\t")[:2]) for line in file}
    (there,) = (row for row in rows if row["found_by"] == "there")
    assert (there["sseqid"], there["rank"], there["table_rank"]) == ("sp|N0003|NOISE3_MADE", "15", "6")
    assert "limit of 10" in there["reason"]
    twice = next(row for row in rows if row["sseqid"] == "sp|C0000|BOTH_MADE" and row["qseqid"] == "alpha")
    assert (twice["rank"], twice["table_rank"], twice["table_segments"]) == ("2", "2", "2")
    assert twice["table_evalue"] == "1.93e-54"  # of the better segment
    assert ("higher there" in err) == (name != "blastp_6.tsv")  # which has no raw scores


def test_the_table_goes_to_a_file_with_comments(tmp_path, capsys):
    out = tmp_path / "audit.tsv"
    assert run(FOREIGN / "blastp_6.tsv", "-o", str(out), "--comments", "--top", "2") == 0
    assert capsys.readouterr().out == ""
    text = out.read_text(encoding="utf-8")
    assert "# max_hits_per_query: 2\n" in text
    assert numbers_in(next(line for line in text.splitlines() if "by both" in line)) == [5, 1, 18]
    assert len(rows_of(text)) == 24


def test_names_that_mean_nothing_are_rows_too(tmp_path, capsys):
    table = tmp_path / "hits.tsv"
    table.write_text((FOREIGN / "blastp_6.tsv").read_text().replace("sp|N0011|NOISE11_MADE", "=cmd"))
    assert run(table) == 0
    out, err = capsys.readouterr()
    last = rows_of(out)[-1]
    assert (last["found_by"], last["sseqid"], last["table_segments"]) == ("no subject", "'=cmd", "3")
    assert "this name" in last["reason"]
    assert "here: =cmd." in err


def test_a_file_that_is_no_table_costs_no_search(tmp_path):
    broken = tmp_path / "broken.tsv"
    broken.write_text("a\tb\n")
    with pytest.raises(HitTableError, match=r"2 fields instead of 12"):
        run(broken, "-d", "nowhere.fasta")


def test_a_table_of_other_sequences_is_refused(tmp_path):
    other = tmp_path / "other.tsv"
    other.write_text("alpha\tx\t90\t10\t1\t0\t1\t10\t1\t10\t1e-5\t50\n")
    with pytest.raises(SwguiError, match=r"No subject of the table \(x\) is in the database"):
        run(other)


@pytest.mark.skipif(shutil.which("blastp") is None, reason="blastp is not installed")
def test_the_installed_blastp_is_read_like_the_stored_one(tmp_path):
    for name in ("queries.fasta", "subjects.fasta"):
        shutil.copy(FOREIGN / name, tmp_path)
    subprocess.run(
        ["makeblastdb", "-in", "subjects.fasta", "-dbtype", "prot", "-out", "made"],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip
    command = ["blastp", "-query", "queries.fasta", "-db", "made", "-outfmt", "7 std score"]
    subprocess.run([*command, "-comp_based_stats", "0", "-use_sw_tback", "-out", "hits.tsv"], cwd=tmp_path, check=True)
    new, stored = read_hit_table(tmp_path / "hits.tsv"), read_hit_table(FOREIGN / "blastp_7_exact_costs.tsv")
    scores = dict(zip(zip(new.queries, new.subjects, strict=True), new.values["score"], strict=True))
    before = dict(zip(zip(stored.queries, stored.subjects, strict=True), stored.values["score"], strict=True))
    strong = {pair: score for pair, score in before.items() if score >= 80}  # weak ones depend on the version
    assert strong.items() <= scores.items()
