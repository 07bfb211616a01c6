"""Saved pairs in the terminal: ``swgui verify`` and ``swgui show``."""

import json

import pytest

import swgui
from swgui.cli import main
from swgui.core.pair.problem import PairMode
from swgui.core.plain import replace
from swgui.io.export.pairs import save_pair
from swgui.io.saved.pair import open_pair_result

QUERY, SUBJECT = "MKVLAAGICWWSIINFEKLHHACDEFGHIK", "PPPMKVLAGICWWSIINYEKLHHPPPACDEFGHIKPP"
DNA = "ACGTTGCATTAGCCATAGGCATTACGGATCA"


@pytest.fixture
def saved(tmp_path):
    """Return a function that aligns and saves a pair, with options of `swgui.pair`."""

    def save(query=QUERY, subject=SUBJECT, **options):
        path = tmp_path / "pair.json"
        swgui.pair(query, subject, method="cpu", **options).write(path)
        return path

    return save


def test_a_pair_is_verified(saved, capsys):
    assert main(["verify", str(saved(limit=2))]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.endswith("was computed again by the engine 'cpu' of searches, and is the same.")
    assert second == "2 alignments add up to their scores."
    assert main(["verify", str(saved(limit=1))]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "1 alignment adds up to its score."


def test_another_mode_is_aligned_again(saved, capsys):
    assert main(["verify", str(saved(mode="global"))]) == 0
    assert "by the method 'cpu', the method that aligned the pair, once more" in capsys.readouterr().out


def test_both_strands_are_scored_again(saved, capsys):
    minus = DNA[::-1].translate(str.maketrans("ACGT", "TGCA"))
    assert main(["verify", str(saved(DNA, f"AAAA{minus}CC", type="nucleotide", strand="both"))]) == 0
    assert "and is the same" in capsys.readouterr().out


def test_a_score_that_is_not_the_best_is_found(saved, capsys):
    path = saved()
    result = open_pair_result(path)
    less = replace(result, mode=PairMode.GLOBAL)  # its file says so, and its alignment is local
    save_pair(path, "json", less)
    assert main(["verify", str(path)]) == 1
    assert f"The score is {result.score} in the file and " in capsys.readouterr().out


def test_a_score_alone_cannot_be_verified(saved, capsys):
    assert main(["verify", str(saved(score_only=True))]) == 2
    assert "has the score alone" in capsys.readouterr().err


def test_alignments_are_a_table_in_every_format(saved, tmp_path, capsys):
    path = saved(limit=2)
    for form in ("tsv", "csv", "json", "xlsx"):
        assert main(["show", str(path), "--format", form, "-o", str(tmp_path / f"t.{form}")]) == 0
    best, second = json.loads((tmp_path / "t.json").read_text())
    result = open_pair_result(path)
    assert best["score"] == result.score
    assert (best["qstart"], best["sstart"], best["qend"]) == (1, 4, len(QUERY))
    assert best["score"] >= second["score"]
    assert best["nident"] + best["mismatch"] + best["gaps"] == best["length"]
    assert (tmp_path / "t.xlsx").read_bytes()[:2] == b"PK"
    assert main(["show", str(path), "--columns", "qseqid,pident"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "qseqid\tpident"
    assert main(["show", str(path), "--methods-text", "plain"]) == 0
    assert "were compared" in capsys.readouterr().out


def test_a_query_on_the_other_strand_begins_at_its_higher_position(saved, capsys):
    minus = DNA[::-1].translate(str.maketrans("ACGT", "TGCA"))
    path = saved(DNA, f"AAAA{minus}CC", type="nucleotide", strand="minus")
    assert main(["show", str(path), "--columns", "qstart,qend,sstart,send,sstrand"]) == 0
    row = capsys.readouterr().out.splitlines()[1].split("\t")
    assert row == [str(len(DNA)), "1", "5", str(4 + len(DNA)), "minus"]


def test_arrays_of_the_library_are_the_table():
    found = swgui.pair(QUERY, SUBJECT, method="cpu")
    assert found.to_arrays(["score", "sstart"])["score"].tolist() == [found.score]
