"""``swgui leak``, ``judge``, ``cluster``, ``split`` and ``network``: from files to files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.plain import replace
from swgui.io.network.file import load_network, save_network
from swgui.jobs.certificate import checksum_of
from swgui.runs import Runs

LETTERS = "ARNDCQEGHILKMFPSTWYV"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Return sequences of training, and of testing: the same, 90, 50 % identical, and unrelated."""
    rng = np.random.default_rng(7)

    def changed(text: str, share: float) -> str:
        letters = list(text)
        for place in rng.choice(len(text), round(share * len(text)), replace=False):
            letters[place] = LETTERS[(LETTERS.index(letters[place]) + int(rng.integers(1, 20))) % 20]
        return "".join(letters)

    mothers = ["".join(rng.choice(list(LETTERS), 120)) for _ in range(6)]
    train, test = tmp_path / "train.fa", tmp_path / "test.fa"
    train.write_text("".join(f">train{n}\n{text}\n" for n, text in enumerate(mothers)))
    tested = [mothers[0], changed(mothers[1], 0.1), changed(mothers[2], 0.5), "".join(rng.choice(list(LETTERS), 90))]
    test.write_text("".join(f">test{n}\n{text}\n" for n, text in enumerate(tested)))
    return train, test


def table(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_leak_lists_every_test_sequence_once(files: tuple[Path, Path], tmp_path: Path, capsys) -> None:
    out, page = tmp_path / "leaks.tsv", tmp_path / "leaks.html"
    assert main(["leak", *map(str, files), "-o", str(out), "--report", str(page), "--engine", "cpu"]) == 0
    rows = table(out)
    assert list(rows[0])[:6] == ["qseqid", "sseqid", "pident", "identity_shorter", "coverage", "evalue"]
    assert [(row["qseqid"], row["sseqid"]) for row in rows[:3]] == [(f"test{n}", f"train{n}") for n in range(3)]
    assert rows[0]["pident"] == rows[0]["coverage"] == "100.00"
    assert sorted(row["qseqid"] for row in rows) == [f"test{n}" for n in range(4)]
    assert "1 at 100 %" in capsys.readouterr().err
    text = page.read_text("utf-8")
    assert "test0 and train0" in text
    assert "<script" not in text


def test_leak_of_one_file_with_a_column(files: tuple[Path, Path], tmp_path: Path) -> None:
    whole, parts, out = tmp_path / "all.fa", tmp_path / "parts.csv", tmp_path / "leaks.tsv"
    whole.write_text(files[0].read_text() + files[1].read_text())
    names = [f"train{n},train" for n in range(6)] + [f"test{n},test" for n in range(4)]
    parts.write_text("\n".join(["sequence,part", *names]) + "\n")
    assert main(["leak", str(whole), "--split", str(parts), "-o", str(out), "--engine", "cpu"]) == 0
    assert [row["sseqid"] for row in table(out)[:2]] == ["train0", "train1"]


@pytest.mark.parametrize("split", [False, True])
def test_a_certificate_is_verified(split: bool, files: tuple[Path, Path], tmp_path: Path, capsys) -> None:
    facts, given = tmp_path / "leak.json", [str(files[0]), str(files[1])]
    if split:
        whole, parts = tmp_path / "all.fa", tmp_path / "parts.csv"
        whole.write_text(files[0].read_text() + files[1].read_text())
        names = [f"train{n},train" for n in range(6)] + [f"test{n},test" for n in range(4)]
        parts.write_text("\n".join(["sequence,part", *names]) + "\n")
        given = [str(whole), "--split", str(parts)]
    assert main(["leak", *given, "-o", str(tmp_path / "out.tsv"), "--certificate", str(facts), "--engine", "cpu"]) == 0
    said = json.loads(facts.read_text())
    assert (said["pairs"], said["with_neighbour"], said["with_identity_of_at_least"]["100"]) == (24, 3, 1)
    capsys.readouterr()
    assert main(["verify", str(facts), "--engine", "cpu", "--full"]) == 0
    assert "The certificate holds" in capsys.readouterr().out

    def changed(**more: object) -> None:
        facts.write_text(json.dumps({**said, **more}))

    changed(with_neighbour=2)
    assert main(["verify", str(facts), "--engine", "cpu"]) == 1
    assert "it was written" in capsys.readouterr().out
    other = {**said, "blocks": [{**said["blocks"][0], "sha256": "0" * 64}]}
    changed(blocks=other["blocks"], certificate_sha256=checksum_of(other))
    assert main(["verify", str(facts), "--engine", "cpu"]) == 1
    assert "'blocks.0.sha256' is stated as '0000" in capsys.readouterr().out
    changed(blocks="none")
    assert main(["verify", str(facts), "--engine", "cpu"]) == 1
    assert "damaged certificate" in capsys.readouterr().err.replace("\n", " ")
    changed(format="swgui leak certificate 99")
    assert main(["verify", str(facts), "--engine", "cpu"]) == 1
    assert "another version" in capsys.readouterr().err.replace("\n", " ")
    (files[0] if not split else whole).write_text(">train0\nMKVLAAGIVGLLLAQWERTY\n>test0\nMKVLA\n")
    changed()
    assert main(["verify", str(facts), "--engine", "cpu"]) in (1, 2)


@pytest.mark.parametrize("rule", ["components", "greedy", "complete", "upgma"])
def test_clusters_are_judged_right(rule: str, files: tuple[Path, Path], tmp_path: Path, capsys) -> None:
    whole, out, judged = tmp_path / "all.fa", tmp_path / "clusters.tsv", tmp_path / "judged.tsv"
    whole.write_text(files[0].read_text() + files[1].read_text())
    limits = ["--identity", "0.85", "--coverage", "0.8", "--engine", "cpu"]
    assert main(["cluster", str(whole), "--rule", rule, "-o", str(out), *limits]) == 0
    members = [line.split("\t") for line in out.read_text().splitlines()]
    assert ["train0", "test0"] in members or ["test0", "train0"] in members
    assert len(members) == 10
    assert main(["judge", str(out), str(whole), "-o", str(judged), *limits]) == 0
    assert table(judged) == []
    assert "Broken 0 times" in capsys.readouterr().err or rule == "upgma"


def test_judge_names_what_is_wrong(files: tuple[Path, Path], tmp_path: Path) -> None:
    whole, wrong, out = tmp_path / "all.fa", tmp_path / "wrong.tsv", tmp_path / "judged.tsv"
    whole.write_text(files[0].read_text() + files[1].read_text())
    pairs = [("train0", "train3"), *((f"train{n}", f"train{n}") for n in (0, 1, 2, 4, 5))]
    pairs += [(f"test{n}", f"test{n}") for n in range(4)]
    wrong.write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    assert main(["judge", str(wrong), str(whole), "--identity", "0.85", "-o", str(out), "--engine", "cpu"]) == 0
    rows = {(row["kind"], row["qseqid"], row["sseqid"]) for row in table(out)}
    assert rows == {("parted", "train0", "test0"), ("parted", "train1", "test1"), ("joined", "train0", "train3")}


def test_a_split_does_not_leak(files: tuple[Path, Path], tmp_path: Path) -> None:
    whole, out, leaks = tmp_path / "all.fa", tmp_path / "parts.tsv", tmp_path / "leaks.tsv"
    whole.write_text(files[0].read_text() + files[1].read_text())
    assert (
        main(["split", str(whole), "--bins", "70,30", "--names", "train,test", "-o", str(out), "--engine", "cpu"]) == 0
    )
    assert {row["part"] for row in table(out)} == {"train", "test"}
    assert main(["leak", str(whole), "--split", str(out), "-o", str(leaks), "--engine", "cpu"]) == 0
    assert all(float(row["pident"] or 0) < 30 for row in table(leaks))


def test_a_network_is_saved_and_exported(files: tuple[Path, Path], tmp_path: Path) -> None:
    whole, saved, edges = tmp_path / "all.fa", tmp_path / "n.swnet", tmp_path / "edges.tsv"
    whole.write_text(files[0].read_text() + files[1].read_text())
    assert main(["network", str(whole), "-o", str(saved), "--engine", "cpu"]) == 0
    assert main(["network", str(saved), "--export", str(edges), "--evalue", "1e-20"]) == 0
    assert {(row["source"], row["target"]) for row in table(edges)} >= {("train0", "test0"), ("train1", "test1")}
    assert main(["network", str(saved), "--export", str(edges), "--min-identity", "95%"]) == 0
    assert [(row["source"], row["target"]) for row in table(edges)] == [("train0", "test0")]


def test_a_saved_network_is_clustered_and_judged_as_its_sequences_are(files, tmp_path: Path, capsys) -> None:
    whole, saved, wrong = tmp_path / "all.fa", tmp_path / "n.swnet", tmp_path / "wrong.tsv"
    whole.write_text(files[0].read_text() + files[1].read_text())
    assert main(["network", str(whole), "-o", str(saved), "--evalue", "10", "--engine", "cpu"]) == 0
    capsys.readouterr()
    names = [f"train{n}" for n in range(6)] + [f"test{n}" for n in range(4)]
    wrong.write_text("".join(f"{names[n - n % 2]}\t{name}\n" for n, name in enumerate(names)))
    for words in (
        ["cluster", "{}", "--identity", "0.85", "--evalue", "1e-9"],
        ["split", "{}", "--bins", "70,30"],
        ["judge", str(wrong), "{}", "--identity", "0.85"],
    ):
        written = []
        for sequences in (whole, saved):
            out = tmp_path / f"{sequences.suffix}.tsv"
            given = [word.format(sequences) for word in words]
            assert main([*given, "-o", str(out), "--engine", "cpu"]) == 0
            written.append((out.read_text(), capsys.readouterr().err))
        assert written[0] == written[1]
    assert "joined\ttrain0\ttrain1" in written[0][0]
    assert main(["network", str(whole), "-o", str(saved), "--engine", "cpu"]) == 0
    cut, direct = tmp_path / "cut.swnet", tmp_path / "direct.swnet"
    assert main(["network", str(saved), "-o", str(cut), "--evalue", "1e-40"]) == 0
    assert main(["network", str(whole), "-o", str(direct), "--evalue", "1e-40", "--engine", "cpu"]) == 0
    some, same = (load_network(path).edges for path in (cut, direct))
    assert 0 < len(some) < len(load_network(saved).edges)
    assert (some.first.tolist(), some.second.tolist()) == (same.first.tolist(), same.second.tolist())
    whole.write_text(files[0].read_text())
    judged = ["judge", str(wrong), str(saved), "--identity", "0.85"]
    for words, said in (
        (judged, "holds other sequences now"),
        ([*judged, "--evalue", "100"], "holds pairs with E up to 1e-05 only"),
        ([*judged, "--matrix", "BLOSUM45"], "was made with BLOSUM62, gap 11/1"),
        ([*judged, "-o", str(saved)], "has the ending of a network"),
    ):
        assert main(words) in (1, 2)
        assert said in capsys.readouterr().err.replace("\n", " ")


def test_a_saved_network_is_judged_by_its_own_scoring(files, tmp_path: Path, capsys) -> None:
    whole, saved, wrong = files[1], tmp_path / "n.swnet", tmp_path / "wrong.tsv"
    scoring = ["--matrix", "PAM30", "--gap-open", "7", "--gap-extend", "2"]
    assert main(["network", str(whole), "-o", str(saved), "--engine", "cpu", *scoring]) == 0
    wrong.write_text("".join(f"test0\ttest{n}\n" for n in range(4)))
    written = []
    for given in ([str(whole), *scoring, "--evalue", "1e-5"], [str(saved)], [str(saved), *scoring]):
        out = tmp_path / "judged.tsv"
        assert main(["judge", str(wrong), *given, "-o", str(out), "--engine", "cpu"]) == 0
        written.append(out.read_text())
    assert written[0] == written[1] == written[2]
    assert written[0].count("joined") == 6
    kept = load_network(saved)
    save_network(replace(kept, scheme=None, scoring="mine, gap 7/2 (BLAST rule)"), saved)
    capsys.readouterr()
    assert main(["judge", str(wrong), str(saved)]) in (1, 2)
    assert "was made with mine, gap 7/2" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["leak", "{train}", "{test}", "-o", "{test}"], "would replace it"),
        (["leak", "{train}", "{none}"], "none.fa"),
        (["leak", "n.swnet", "{test}"], "'n.swnet' is a network, which has no residues"),
        (["cluster", "n.swnet"], "There is no network 'n.swnet'"),
        (["cluster", "{empty}"], "is empty"),
        (["judge", "{train}", "{train}"], "no file of clusters"),
        (["split", "{train}", "--bins", "50,50", "--names", "a"], "2 parts cannot be called a"),
        (["network", "{train}", "--export", "{none}.xyz"], "no format of networks"),
        (["cluster", "{train}", "--gap-open", "3", "--gap-extend", "3"], "No E-values are published"),
    ],
)
def test_what_cannot_be_done_is_said(words, said: str, files: tuple[Path, Path], tmp_path: Path, capsys) -> None:
    empty = tmp_path / "empty.fa"
    empty.write_text("")
    places = {"train": files[0], "test": files[1], "empty": empty, "none": tmp_path / "none.fa"}
    assert main([word.format(**places) for word in words]) in (1, 2)
    assert said in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize("command", ["network", "cluster", "split", "judge", "leak"])
def test_the_same_command_writes_a_complete_run_again(
    command: str, files: tuple[Path, Path], tmp_path: Path, user_folders: Path, capsys
) -> None:
    whole, listed = tmp_path / "all.fa", tmp_path / "clusters.tsv"
    whole.write_text(files[0].read_text() + files[1].read_text())
    names = [line[1:] for line in whole.read_text().splitlines() if line.startswith(">")]
    listed.write_text("".join(f"train0\t{name}\n" for name in names))
    words = {"leak": [*map(str, files)], "judge": [str(listed), str(whole)]}.get(command, [str(whole)])
    out = tmp_path / ("out.swnet" if command == "network" else "out.tsv")
    words += ["-o", str(out), "--history", "mine", "--engine", "cpu"]
    if command == "leak":
        words += ["--report", str(tmp_path / "leaks.html"), "--certificate", str(tmp_path / "leak.json")]

    def again(*more: str) -> tuple[bytes, bool]:
        assert main([command, *words, *more]) == 0
        return out.read_bytes(), "run 'mine' is complete; nothing is computed again." in capsys.readouterr().err

    content, complete = again()
    assert not complete
    out.unlink()
    assert again() == (content, True)
    assert [record.name for record in Runs().list()] == ["mine"]
    assert not again("--evalue", "0.5")[1]  # another request
    whole.write_text(whole.read_text().replace(">train5", ">train6"))
    files[0].write_text(files[0].read_text() + ">more\nMKVLAAGIVGLWWY\n")
    listed.write_text(listed.read_text().replace("train5", "train6"))
    assert not again()[1]  # other sequences


def test_a_network_has_the_columns_of_the_users_own_table(files: tuple[Path, Path], tmp_path: Path, capsys) -> None:
    own, nodes, net = tmp_path / "own.csv", tmp_path / "all.nodes", tmp_path / "all.swnet"
    own.write_text("protein,role,length\ntrain0,enzyme,1\ntrain5,carrier,2\n")
    given = ["network", str(files[0]), "--engine", "cpu", "--metadata", str(own)]
    assert main([*given, "--export", str(nodes), "-o", str(net)]) == 0
    rows = {row["id"]: (row["role"], row["length_2"]) for row in table(nodes)}
    assert rows == {**{f"train{n}": ("", "") for n in range(6)}, "train0": ("enzyme", "1"), "train5": ("carrier", "2")}
    assert "own.csv: 2 of 6 names of the result have a row" in capsys.readouterr().err
    assert main([*given, "--export", str(tmp_path / "all.sif")]) == 2
    assert "have no place for the columns of --metadata" in capsys.readouterr().err
    assert main([*given, "--export", str(own), "--format", "graphml"]) == 2  # no table is replaced
    with pytest.raises(SystemExit):
        main([*given, "-o", str(net)])
    assert "name that file, too" in capsys.readouterr().err
