"""Sequences of one name: every table tells them apart, and what this program writes it reads again."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

import swgui
from swgui.cli import main

LETTERS = "ARNDCQEGHILKMFPSTWYV"
LIMITS = ["--identity", "0.85", "--engine", "cpu"]
pytestmark = pytest.mark.usefixtures("user_folders")


def table(path: Path, delimiter: str = "\t") -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def run(*words: object) -> None:
    assert main([str(word) for word in words]) == 0


@pytest.fixture
def sequences(tmp_path: Path) -> Path:
    """Return six sequences, the third and the fifth called as the first, which has a relative in the fifth alone."""
    rng = np.random.default_rng(3)
    made = ["".join(rng.choice(list(LETTERS), 90)) for _ in range(5)]
    texts = [made[0], made[1], made[2], made[1][:-2] + "GG", made[0][:-3] + "AAA", made[3]]
    path = tmp_path / "all.fa"
    path.write_text("".join(f">{name}\n{text}\n" for name, text in zip("abacad", texts, strict=True)))
    return path


@pytest.mark.parametrize("form", ["tsv", "clstr", "csv"])
@pytest.mark.parametrize("saved", [False, True])
def test_clusters_are_judged_again(form: str, saved: bool, sequences: Path, tmp_path: Path) -> None:
    given, clusters, judged = sequences, tmp_path / "clusters", tmp_path / "judged.tsv"
    if saved:
        given = tmp_path / "all.swnet"
        run("network", sequences, "-o", given, "--engine", "cpu")
    run("cluster", given, "--format", form, "-o", clusters, *LIMITS)
    assert set(re.findall(r"\ba(?:_\d)?\b", clusters.read_text())) == {"a", "a_3", "a_5"}
    run("judge", clusters, given, "-o", judged, *LIMITS)
    assert table(judged) == []


def test_judge_names_the_one_that_is_wrong(sequences: Path, tmp_path: Path) -> None:
    wrong, judged = tmp_path / "wrong.csv", tmp_path / "judged.tsv"
    wrong.write_text("sequence,cluster\na,1\nb,2\na_3,1\nc,2\na_5,3\nd,4\n")
    run("judge", wrong, sequences, "-o", judged, *LIMITS)
    assert [tuple(row.values())[:3] for row in table(judged)] == [("parted", "a", "a_5"), ("joined", "a", "a_3")]


def test_parts_are_compared_again(sequences: Path, tmp_path: Path, capsys) -> None:
    parts, leaks, facts = tmp_path / "parts.tsv", tmp_path / "leaks.tsv", tmp_path / "leak.json"
    run("split", sequences, "--identity", "0.3", "--bins", "50,50", "--names", "train,test", "-o", parts)
    rows = {row["sequence"]: row["part"] for row in table(parts)}
    assert set(rows) == {"a", "b", "a_3", "c", "a_5", "d"}
    assert rows["a"] == rows["a_5"]
    run("leak", sequences, "--split", parts, "-o", leaks, "--certificate", facts, "--engine", "cpu")
    assert {row["qseqid"] for row in table(leaks)} == {name for name, part in rows.items() if part == "test"}
    run("verify", facts, "--engine", "cpu", "--full")
    parts.write_text("sequence\tpart\na\ttrain\na_5\ttest\na_3\ttrain\n")
    run("leak", sequences, "--split", parts, "-o", leaks, "--engine", "cpu")
    assert [(row["qseqid"], row["sseqid"]) for row in table(leaks)] == [("a_5", "a")]


def test_leaks_of_two_files(sequences: Path, tmp_path: Path) -> None:
    leaks, page = tmp_path / "leaks.tsv", tmp_path / "leaks.html"
    run("leak", sequences, sequences, "-o", leaks, "--report", page, "--engine", "cpu")
    assert {(row["qseqid"], row["sseqid"]) for row in table(leaks)} >= {("a", "a"), ("a_3", "a_3"), ("a_5", "a_5")}
    assert "a_5 and a_5" in page.read_text()


def test_places_of_a_rule(sequences: Path, tmp_path: Path) -> None:
    query, found, facts = tmp_path / "q.fa", tmp_path / "found.tsv", tmp_path / "facts.json"
    first, third = (sequences.read_text().split("\n")[place][20:32] for place in (1, 5))
    query.write_text(f">q\n{first}\n>q\n{third}\n")
    for form in ("bed", "gff3", "pepmatch"):
        listed = tmp_path / f"found.{form}"
        run("rule", "peptides", "-q", query, "-d", sequences, "--format", form, "-o", listed, "--engine", "cpu")
        assert {"q_2", "a_3", "a_5"} <= set(re.findall(r"[aq]_\d", listed.read_text())), form
    run("rule", "peptides", "-q", query, "-d", sequences, "-o", found, "--certificate", facts, "--engine", "cpu")
    assert [(row["qseqid"], row["sseqid"]) for row in table(found)] == [("q", "a"), ("q", "a_5"), ("q_2", "a_3")]
    audit = tmp_path / "audit.tsv"
    run("audit", "--rule", facts, "--table", found, "-o", audit, "--engine", "cpu")
    assert [(row["found_by"], row["qseqid"], row["sseqid"]) for row in table(audit)] == [
        ("both", "q", "a"),
        ("both", "q", "a_5"),
        ("both", "q_2", "a_3"),
    ]
    assert json.loads(facts.read_text())["found"]


def test_comparisons_of_searches(sequences: Path, tmp_path: Path) -> None:
    query, run_file, out = tmp_path / "q.fa", tmp_path / "r.swgui", tmp_path / "out.tsv"
    one = sequences.read_text().split("\n")[1]
    query.write_text(f">q\n{one}\n>q\n{one[:60]}\n")
    search = ["-q", query, "-d", sequences, "--engine", "cpu", "--evalue", "1e-3"]
    run("search", *search, "--save", run_file, "-o", tmp_path / "hits.tsv")
    run("compare", run_file, run_file, "-o", out)
    pairs = [(query, subject) for query in ("q", "q_2") for subject in ("a", "a_5")]
    assert [(row["qseqid"], row["sseqid"]) for row in table(out)] == pairs
    theirs = tmp_path / "theirs.tsv"
    theirs.write_text("qseqid\tsseqid\nq\tb\n")
    run("audit", *search, "--table", theirs, "-o", out)
    assert [(row["qseqid"], row["sseqid"]) for row in table(out) if row["found_by"] in ("here", "unclear")] == pairs
    run("find", run_file, "a", "-o", out)
    assert {row["sseqid"] for row in table(out)} == {"a", "a_3", "a_5"}


def test_the_library_drops_none(sequences: Path, tmp_path: Path) -> None:
    made = swgui.network(sequences, engine="cpu")
    assert made.ids == ["a", "b", "a_3", "c", "a_5", "d"]
    assert made.clusters("greedy", identity=0.85) == {"a": "a", "b": "b", "a_3": "a_3", "c": "b", "a_5": "a", "d": "d"}
    edges = made.edges()
    assert list(zip(edges["source"].tolist(), edges["target"].tolist(), strict=True)) == [("a", "a_5"), ("b", "c")]
