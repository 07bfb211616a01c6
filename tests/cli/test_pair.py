"""``swgui pair``: what it takes, writes and refuses."""

from __future__ import annotations

import contextlib
import io
import json
import re
import threading

import numpy as np
import pytest

from swgui.cli import main, pair, running
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.pair.problem import PairEnd, PairPlan, PairProgress
from swgui.engines.pair.cpu import CpuPairEngine
from swgui.io.export.pairs import PAIR_FORMATS
from swgui.io.saved.log import settle
from swgui.io.saved.pair import open_pair_result
from swgui.io.whole_file import FileNotWritten
from swgui.jobs.pair.events import PairProgressed
from swgui.jobs.progress import ProgressLine
from swgui.runs import Runs
from tests.jobs.pair.pair_by_hand import small_steps


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(8)
    letters = NUCLEOTIDE.decode(rng.integers(0, 4, 300).astype(np.uint8)).decode()
    a, b, several = tmp_path / "a.fa", tmp_path / "b.fa", tmp_path / "several.fa"
    a.write_text(f">a first\n{letters}\n")
    b.write_text(f">b\n{letters[:150]}{letters[160:]}\n")
    several.write_text(f">one\n{letters[:100]}\n>two\n{letters[100:]}\n>two\nACGT\n")
    return str(a), str(b), str(several)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = main(["pair", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_text_on_the_standard_output(files, capsys):
    status, out, err = run(capsys, *files[:2], "--method", "cpu")
    assert status == 0
    assert err.startswith("swgui: a and b align best from 1 to 300 with ")
    assert err.count("\n") == 2
    assert "both strands of the query are aligned (--strand plus" in err
    assert "strand" not in run(capsys, *files[:2], "--method", "cpu", "--strand", "plus")[2]
    assert "only the plus strand" in run(capsys, *files[:2], "--method", "cpu", "--mode", "global")[2]
    assert "Identities = 290/300 (97%)" in out
    assert "Score = " in out


@pytest.mark.parametrize("name", PAIR_FORMATS)
def test_every_format_into_a_file(files, tmp_path, capsys, name):
    out = tmp_path / "out"
    assert run(capsys, *files[:2], "--method", "cpu", "--format", name, "-o", str(out))[:2] == (0, "")
    assert out.stat().st_size > 100


def test_json_has_score_coordinates_and_cigar(files, tmp_path, capsys):
    _, out, _ = run(capsys, *files[:2], "--format", "json", "--method", "cpu", "--gap-open", "4", "--gap-extend", "1")
    document = json.loads(out)
    assert document["score"] == 2 * 290 - (4 + 10)
    (one,) = document["alignments"]
    assert (one["query_start"], one["query_end"], one["subject_start"], one["subject_end"]) == (1, 300, 1, 290)
    assert one["score"] == document["score"]
    assert "10I" in one["cigar"]
    (tmp_path / "x.json").write_text(out)
    assert open_pair_result(tmp_path / "x.json").score == document["score"]


def test_modes_strands_limits_and_score_only(files, capsys):
    for arguments, score in (
        (("--mode", "global"), 580 - 25),
        (("--mode", "semiglobal", "--match", "1", "--mismatch", "-2"), 290 - 25),
        (("--strand", "both"), 580 - 25),
        (("--score-only",), 580 - 25),
    ):
        status, out, _ = run(capsys, *files[:2], "--method", "cpu", "--format", "json", *arguments)
        assert status == 0
        document = json.loads(out)
        assert document["score"] == score
        assert len(document["alignments"]) == ("--score-only" not in arguments)
    _, out, _ = run(
        capsys,
        *files[:2],
        "--method",
        "cpu",
        "--format",
        "json",
        "--strand",
        "both",
        "--top",
        "3",
        "--min-score",
        "9",
    )
    found = json.loads(out)["alignments"]
    assert len(found) == 3
    assert all(one["score"] >= 9 for one in found)


def test_one_of_several_sequences(files, capsys):
    a, _, several = files
    status, out, _ = run(capsys, several, a, "--query-id", "one", "--method", "cpu", "--format", "json")
    assert json.loads(out)["score"] == 200
    for arguments, said in (
        ((several, a), "has 3 sequences. Choose one with --query-id: one, two, two"),
        ((several, a, "--query-id", "three"), "no sequence called 'three'"),
        ((a, several, "--subject-id", "two"), "2 sequences called 'two'"),
    ):
        status, out, err = run(capsys, *arguments)
        assert (status, out) == (2, "")
        assert said in err


def test_the_plan_computes_nothing(files, capsys, monkeypatch):
    monkeypatch.setattr(pair, "align_pair", None)
    status, out, _ = run(capsys, *files[:2], "--plan", "--method", "cpu", "--strand", "both")
    assert status == 0
    assert "plus strand: method cpu" in out
    assert "minus strand" in out
    assert "cells: 87,000" in out
    assert re.search(r"time: about \d+\.\d+ m?s\n", out)
    assert "memory: " in out


def test_a_long_time_is_planned_in_hours(capsys):
    pair.show_plan(PairPlan("cpu", ("One",), 10**12, 10**12, seconds=16_182.5), ("plus",))
    assert "  time: about 4 h 30 min\n" in capsys.readouterr().out


def test_settings_and_wrong_ones(files, capsys):
    assert run(capsys, *files[:2], "--method", "cpu", "--threads", "1")[0] == 0
    for arguments, said in (
        (("--setting", "nonsense=1"), "nonsense"),
        (("--setting", "library"), "NAME=VALUE"),
        (("--device", "7"), "no device '7'"),
        (("--top", "0"), "1 is the least"),
        (("--top", "2", "--mode", "global"), "no next best"),
        (("--score-only", "--format", "sam"), "only the score"),
    ):
        status, out, err = run(capsys, *files[:2], "--method", "cpu", *arguments)
        assert (status, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1


def test_different_kinds_are_refused(files, tmp_path, capsys):
    protein = tmp_path / "p.fa"
    protein.write_text(">p\nMKVLWWQRPL\n")
    status, _, err = run(capsys, files[0], str(protein))
    assert status == 1
    assert "nucleotide" in err
    status, out, _ = run(capsys, str(protein), str(protein), "--method", "cpu", "--format", "json")
    assert json.loads(out)["score"] > 40


@contextlib.contextmanager
def stopped_at_once():
    stopped = threading.Event()
    stopped.set()
    yield stopped


def test_a_stop_is_said_and_keeps_what_was_found(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(running, "stop_on_interrupt", stopped_at_once)
    kept = tmp_path / "state"
    status, out, err = run(capsys, *files[:2], "--method", "cpu", "--format", "json", "--checkpoint", str(kept))
    assert status == 3
    assert json.loads(out)["state"] == "stopped"
    assert err.startswith("swgui: Not finished. ")
    assert "stopped" in err
    monkeypatch.undo()
    status, out, _ = run(capsys, *files[:2], "--method", "cpu", "--format", "json", "--checkpoint", str(kept))
    assert (status, json.loads(out)["state"]) == (0, "finished")
    assert not kept.exists()


def test_the_history_keeps_a_pair_and_resumes_it(files, user_folders, capsys, monkeypatch):
    command = (*files[:2], "--method", "cpu", "--format", "json", "--history")
    stop = threading.Event()
    small_steps(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(running, "stop_on_interrupt", lambda: contextlib.nullcontext(stop))
        patch.setattr(pair, "progress_text", lambda event: (event.step.cells_done > 16 * 16 and stop.set()) or "")
        assert run(capsys, *command, "Two strains")[0] == 3
    (kept,) = Runs().list()
    assert (kept.name, kept.kind, kept.resumable) == ("Two strains", "pair", True)
    assert run(capsys, *command)[0] == 0
    (finished,) = Runs().list()
    assert (finished.id, finished.name, finished.state) == (kept.id, "Two strains", "done")
    assert run(capsys, *command)[0] == 0  # nothing is left to resume: a run of its own, named by its sequences
    assert sorted(one.name for one in Runs().list()) == ["Two strains", "a × b"]
    status, out, said = run(capsys, *command, "x", "--checkpoint", "state")
    assert (status, out) == (2, "")
    assert "--checkpoint or --history" in said


def test_progress_says_cells_score_and_time_left():
    step = PairProgress("Scoring", 2_000_000_000, 10_000_000_000, 1_000_000_000, PairEnd(77, 5, 6))
    event = PairProgressed(done=0, total=0, seconds=60.0, strand="plus", index=1, step=step, left=4_000.0)
    text = pair.progress_text(event)
    assert "Scoring [#######" in text
    assert "30 %" in text
    assert "2.00 G cells + 1.00 G left out" in text
    assert "score 77" in text
    assert "1 h 7 min left" in text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_the_summary(files, capsys, monkeypatch):
    monkeypatch.setattr(running, "ProgressLine", lambda: ProgressLine(Terminal()))
    _, _, err = run(capsys, *files[:2], "--method", "cpu", "--top", "2")
    assert "300 x 290 bases" in err
    assert "score 555" in err
    assert "Alignment 2: score" in err


@pytest.mark.usefixtures("links")
def test_what_could_not_be_written_is_said_before_the_work(files, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(pair, "align_pair", None)
    a, b, _ = files
    before = [(tmp_path / name).read_bytes() for name in ("a.fa", "b.fa")]
    link = tmp_path / "link.fa"
    link.symlink_to(a)
    for out, said, status in (
        (tmp_path / "none" / "x", "does not exist", 1),
        (tmp_path, "is a folder", 1),
        (b, "is the file of the subject; the result would replace it", 2),
        (link, "is the file of the query", 2),
        (tmp_path / "state", "--out and --checkpoint both name", 2),
    ):
        found = run(capsys, a, b, "--method", "cpu", "-o", str(out), "--checkpoint", str(tmp_path / "state"))
        assert found[:2] == (status, "")
        assert said in found[2]
    assert [(tmp_path / name).read_bytes() for name in ("a.fa", "b.fa")] == before


@pytest.mark.parametrize("arguments", [(), ("--score-only",), ("--strand", "both", "--top", "3", "--min-score", "9")])
def test_a_result_that_could_not_be_written_is_not_computed_again(files, tmp_path, capsys, monkeypatch, arguments):
    """The disk is full in the end; with another output the same command has nothing left to compute."""
    out, kept = tmp_path / "out", tmp_path / "state"
    arguments = (*files[:2], "--method", "cpu", "--format", "json", "--checkpoint", str(kept), *arguments)
    _, expected, _ = run(capsys, *arguments)
    assert not kept.exists()

    def no_space(*_):
        raise FileNotWritten(str(out), "There is no space left for 'out'.")

    monkeypatch.setattr(pair, "save_pair", no_space)
    status, _, said = run(capsys, *arguments, "-o", str(out))
    assert (status, "left for 'out'" in said) == (1, True)
    assert not out.exists()
    settle(kept)
    assert kept.exists()
    monkeypatch.undo()
    monkeypatch.setattr(CpuPairEngine, "run", None)
    assert run(capsys, *arguments, "-o", str(out))[:2] == (0, "")
    first, second = json.loads(expected), json.loads(out.read_text())
    assert [first[key] for key in ("score", "end", "state", "alignments")] == [
        second[key] for key in ("score", "end", "state", "alignments")
    ]
    assert not kept.exists()


@pytest.fixture
def lists(tmp_path):
    rng = np.random.default_rng(11)
    texts = [NUCLEOTIDE.decode(rng.integers(0, 4, 60).astype(np.uint8)).decode() for _ in range(3)]
    a, b, wanted = tmp_path / "queries.fa", tmp_path / "subjects.fa", tmp_path / "pairs.tsv"
    a.write_text("".join(f">q{number}\n{text}\n" for number, text in enumerate(texts)))
    b.write_text("".join(f">s{number}|x\n{text[5:]}\n" for number, text in enumerate(texts)))
    wanted.write_text("# query and subject\nq2\ts2|x\nq0\ts1|x\n")
    return str(a), str(b), str(wanted)


def test_several_pairs_follow_each_other(lists, capsys):
    status, out, _ = run(capsys, *lists[:2], "--pairs", "each", "--method", "cpu", "--format", "paf")
    assert status == 0
    rows = [line.split("\t") for line in out.splitlines() if line.count("\t") > 10]
    assert [(row[0], row[5], row[9]) for row in rows] == [(f"q{n}", f"s{n}|x", "55") for n in range(3)]
    _, out, _ = run(capsys, *lists[:2], "--pairs", lists[2], "--method", "cpu", "--format", "paf")
    rows = [line.split("\t") for line in out.splitlines() if line.count("\t") > 10]
    assert [(row[0], row[5]) for row in rows] == [("q2", "s2|x"), ("q0", "s1|x")]


def test_several_pairs_are_written_into_a_folder_and_finished_ones_kept(lists, tmp_path, capsys, monkeypatch):
    words = (*lists[:2], "--pairs", "all", "--method", "cpu", "--format", "json", "-o", str(tmp_path / "out"))
    assert run(capsys, *words, "--history", "many")[0] == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names[:2] == ["0001-q0-s0_x.json", "0002-q0-s1_x.json"]
    assert len(names) == 9
    before = [open_pair_result(tmp_path / "out" / name).score for name in names]
    kept = Runs().list()
    assert [record.state for record in kept] == ["done"] * 9
    Runs().delete(kept[0].id)
    aligned = []
    real = pair.align
    monkeypatch.setattr(pair, "align", lambda *given: (aligned.append(given[0].query.id), real(*given))[1])
    assert run(capsys, *words, "--history", "many")[0] == 0
    assert len(aligned) == 1, "the others were finished before"
    assert [open_pair_result(tmp_path / "out" / name).score for name in names] == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--pairs", "all", "--format", "json"), "do not follow each other in one stream of JSON"),
        (("--pairs", "each", "--query-id", "q1"), "--query-id is for one pair"),
        (("--pairs", "no-such-file"), "no-such-file"),
    ],
)
def test_what_several_pairs_cannot_be(lists, capsys, words, said):
    status, _, err = run(capsys, *lists[:2], *words)
    assert status == (1 if "no-such-file" in words else 2)
    assert said in err


def test_a_list_names_pairs_that_are_there(lists, tmp_path, capsys):
    wanted = tmp_path / "wrong.txt"
    for text, said in (
        ("q1 s1|x more\n", "line 1: a pair is two identifiers, not 3."),
        ("\nq1 s9\n", "line 2: of the subject 's9' there are none."),
        ("# nothing\n", "wrong.txt names no pair."),
    ):
        wanted.write_text(text)
        assert said in run(capsys, *lists[:2], "--pairs", str(wanted))[2]
