"""``swgui diff``: hits are gained and lost as a fresh search says, and every cause is the one that was made."""

import csv

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.core.compare.changes import CAUSES, NEW, PUSHED, REMOVED, ROSE
from swgui.core.records import SequenceRecord
from swgui.io.saved.search import load_search
from tests.cli.several.test_several import BASES, LETTERS, write
from tests.core.several.test_joined import ORGANISMS, records, with_relatives


def call(capsys, *words):
    status = main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert status == 0, err
    return out


def released(chance, made, queries, letters):
    """Return a newer release: some are gone, new, renamed, changed, merged, or of another organism; in other places."""
    newer = []
    for record in made:
        what = chance.integers(12)
        name, description, residues = record.id, record.description, record.residues
        if what == 0:
            continue
        if what == 1:
            name = f"{name}.2"
        elif what == 2:
            residues = residues[: max(len(residues) // 2, 1)]
        elif what == 3:
            description = description.replace("Homo sapiens", "Mus musculus").replace("9606", "10090")
        newer.append(SequenceRecord(name, description, residues))
    fresh = with_relatives(chance, records(chance, 90, letters, organism=True), queries, letters)
    newer += [SequenceRecord(f"new{one.id}", one.description, one.residues) for one in fresh if one.residues]
    return [newer[at] for at in chance.permutation(len(newer))]


def made_up(folder, seed, letters):
    chance = np.random.default_rng(seed)
    queries = [record for record in records(chance, 9, letters, 150) if len(record.residues) > 60][:3]
    made = with_relatives(chance, records(chance, 640, letters, organism=True), queries * 3, letters)
    made = [one for one in made if one.residues]
    newer = released(chance, made, queries, letters)
    named = {"q": queries, "old": made, "new": newer}
    return {name: str(write(folder / f"{name}.fasta", some)) for name, some in named.items()}


def rows_of(text):
    return list(csv.DictReader(text.splitlines(), delimiter="\t"))


def hits_of(result):
    names = result.database.ids
    return {
        (query.query.id, names[int(row)]): (rank, int(score), float(evalue))
        for query in result.queries
        for rank, (row, score, evalue) in enumerate(
            zip(query.hits.db_index, query.hits.scores, query.hits.log10_evalues, strict=True), start=1
        )
    }


def same_hits(one, other):
    for mine, theirs in zip(one.queries, other.queries, strict=True):
        for name in ("db_index", "scores", "strands", "bit_scores", "log10_evalues"):
            assert np.array_equal(getattr(mine.hits, name), getattr(theirs.hits, name), equal_nan=True), name
        assert np.array_equal(mine.scores, theirs.scores)


CASES = {
    "protein": (LETTERS, ["--evalue", "0.5"], True),
    "a short list": (LETTERS, ["--top", "8"], True),
    "one organism": (LETTERS, ["--organism", "Homo sapiens"], True),
    "fitted to the scores": (LETTERS, ["--gap-open", "7", "--gap-extend", "3"], True),
    "both strands": (BASES, [], True),
    "without the older database": (LETTERS, ["--evalue", "0.5"], False),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.sampled(3)
def test_gained_and_lost_are_those_of_a_fresh_search(tmp_path, capsys, case):
    letters, how, there = CASES[case]
    files = made_up(tmp_path, 40 + len(case), letters)
    old, new, again = (tmp_path / f"{name}.swgui" for name in ("a", "b", "c"))
    call(capsys, "search", "--engine", "cpu", "-q", files["q"], "-d", files["old"], "--save", old, *how)
    call(capsys, "search", "--engine", "cpu", "-q", files["q"], "-d", files["new"], "--save", new, *how)
    if not there:
        (tmp_path / "old.fasta").unlink()
    rows = rows_of(call(capsys, "diff", old, files["new"], "--engine", "cpu", "--save", again))
    fresh, made = load_search(new).result, load_search(again).result
    same_hits(made, fresh)
    assert (made.search, made.statistics) == (fresh.search, fresh.statistics)
    before, now = hits_of(load_search(old).result), hits_of(fresh)
    named = [(row["change"], (row["qseqid"], row["sseqid"])) for row in rows]
    found = {kind: {name for change, name in named if change == kind} for kind in ("gained", "lost")}
    assert found == {"gained": now.keys() - before.keys(), "lost": before.keys() - now.keys()}
    assert {name for change, name in named if change == "moved"} == {
        key for key in before.keys() & now.keys() if before[key] != now[key]
    }
    assert {row["cause"] for row in rows} <= set(CAUSES)
    assert found["gained"] or found["lost"]
    for row in rows:
        if row["change"] != "lost":
            assert int(row["rank"]) == now[row["qseqid"], row["sseqid"]][0]
        if row["change"] != "gained":
            assert int(row["rank_before"]) == before[row["qseqid"], row["sseqid"]][0]


def test_every_cause_is_told(tmp_path, capsys):
    chance = np.random.default_rng(5)
    query = bytes(chance.choice(list(LETTERS.encode()), 200).tolist())

    def piece(length):
        filled = bytes(chance.choice(list(LETTERS.encode()), 60).tolist())
        return filled + query[:length] + filled

    others = [SequenceRecord(f"r{n}", f"OS={ORGANISMS[n % 3]}", piece(0)) for n in range(40)]
    kept = {name: piece(120) for name in ("removed", "renamed", "merged", "changed", "taxon", "stays")}
    twin = SequenceRecord("twin", "OS=Homo sapiens", kept["merged"])
    old = [SequenceRecord(name, "OS=Homo sapiens", residues) for name, residues in kept.items()] + [twin, *others]
    new = [
        SequenceRecord("other name", "OS=Homo sapiens", kept["renamed"]), twin,
        SequenceRecord("changed", "OS=Homo sapiens", piece(0)), SequenceRecord("fresh", "OS=Homo sapiens", piece(90)),
        SequenceRecord("taxon", "OS=Mus musculus", kept["taxon"]),
        SequenceRecord("stays", "OS=Homo sapiens", kept["stays"]),
        *others,
    ]  # fmt: skip
    names = {"q": [SequenceRecord("q", "", query)], "old": old, "new": new}
    files = {name: str(write(tmp_path / f"{name}.fasta", some)) for name, some in names.items()}
    words = "-q", files["q"], "-d", files["old"], "--organism", "Homo sapiens", "--evalue", "1e-5", "--engine", "cpu"
    call(capsys, "search", *words, "--save", tmp_path / "run.swgui")
    rows = rows_of(call(capsys, "diff", tmp_path / "run.swgui", files["new"], "--engine", "cpu"))
    told = {(row["change"], row["sseqid"]): (row["cause"], row["other"]) for row in rows}
    assert told.pop(("moved", "stays"), ("size", ""))[0] in ("size", "other hits")
    assert told.pop(("moved", "twin"), ("size", ""))[0] in ("size", "other hits")
    assert told == {
        ("lost", "removed"): ("removed", ""),
        ("lost", "renamed"): ("renamed", "other"),
        ("gained", "other"): ("renamed", "renamed"),
        ("lost", "merged"): ("merged", "twin"),
        ("lost", "changed"): ("changed sequence", ""),
        ("lost", "taxon"): ("taxon moved", ""),
        ("gained", "fresh"): ("new sequence", ""),
    }


def test_size_alone_takes_and_gives_hits(tmp_path, capsys):
    chance = np.random.default_rng(6)
    query = bytes(chance.choice(list(LETTERS.encode()), 150).tolist())
    made = records(chance, 60, LETTERS, 90)
    made = [SequenceRecord(one.id, "", one.residues + query[: 20 + n % 30]) for n, one in enumerate(made)]
    many = [
        SequenceRecord(f"x{n}", "", one.residues)
        for n, one in enumerate(records(chance, 900, LETTERS, 300))
        if one.residues
    ]
    names = {"q": [SequenceRecord("q", "", query)], "small": made, "large": made + many}
    files = {name: str(write(tmp_path / f"{name}.fasta", some)) for name, some in names.items()}
    for one, other, share, kind, cause in (
        ("small", "large", 1.01, "lost", "below E by size"), ("large", "small", 0.99, "gained", "within E by size"),
    ):  # fmt: skip
        run = tmp_path / f"{one}.swgui"
        words = "search", "-q", files["q"], "-d", files[one], "--composition", "none", "--engine", "cpu"
        middle = float(rows_of(call(capsys, *words))[30]["evalue"])
        call(capsys, *words, "--evalue", share * middle, "--save", run)
        rows = rows_of(call(capsys, "diff", run, files[other], "--engine", "cpu"))
        assert {row["cause"] for row in rows if row["change"] == kind} == {cause}
        assert {row["cause"] for row in rows if row["change"] == "moved"} == {"size"}


def test_a_full_list_pushes_hits_out_and_lets_others_rise(tmp_path, capsys):
    chance = np.random.default_rng(12)
    query = bytes(chance.choice(list(LETTERS.encode()), 150).tolist())
    few = [SequenceRecord(f"s{n}", "", query[: 60 + 10 * n]) for n in range(4)] + records(chance, 40, LETTERS)[5:]
    more = [SequenceRecord(f"better{n}", "", query[: 120 + n]) for n in range(2)] + few
    files = {
        n: str(write(tmp_path / n, made))
        for n, made in (("q", [SequenceRecord("q", "", query)]), ("few", few), ("more", more))
    }
    causes = {}
    for one, other in (("few", "more"), ("more", "few")):
        run = tmp_path / f"{one}.swgui"
        call(capsys, "search", "-q", files["q"], "-d", files[one], "--top", "3", "--engine", "cpu", "--save", run)
        rows = rows_of(call(capsys, "diff", run, files[other], "--engine", "cpu"))
        causes[one] = {row["sseqid"]: row["cause"] for row in rows if row["change"] != "moved"}
    rose, pushed = (dict.fromkeys(("s1", "s2"), cause) for cause in (ROSE, PUSHED))
    gone, came = (dict.fromkeys(("better0", "better1"), cause) for cause in (REMOVED, NEW))
    assert causes == {"few": pushed | came, "more": rose | gone}


def test_nothing_changed(tmp_path, capsys):
    files = made_up(tmp_path, 7, LETTERS)
    run = tmp_path / "run.swgui"
    call(capsys, "search", "--engine", "cpu", "-q", files["q"], "-d", files["old"], "--save", run)
    assert rows_of(call(capsys, "diff", run, files["old"], "--engine", "cpu")) == []


def test_several_databases_are_compared_as_one(tmp_path, capsys):
    files = made_up(tmp_path, 14, LETTERS)
    parts = {}
    for name in ("old", "new"):
        records = (tmp_path / f"{name}.fasta").read_text().split(">")[1:]
        for part, some in (("a", records[:300]), ("b", records[300:])):
            parts[name + part] = tmp_path / f"{name}{part}.fasta"
            parts[name + part].write_text("".join(f">{record}" for record in some))
    one, both = tmp_path / "one.swgui", tmp_path / "both.swgui"
    words = "search", "--engine", "cpu", "-q", files["q"], "--save"
    call(capsys, *words, one, "-d", files["old"])
    call(capsys, *words, both, "-d", parts["olda"], "-d", parts["oldb"])
    wanted = rows_of(call(capsys, "diff", one, files["new"], "--engine", "cpu"))
    saved = tmp_path / "saved.swgui"
    found = call(capsys, "diff", both, parts["newa"], parts["newb"], "--engine", "cpu", "--save", saved)
    assert rows_of(found) == wanted
    assert load_search(saved).result.database.names == ("newa", "newb")


def test_what_cannot_be_compared_is_refused(tmp_path, capsys):
    files = made_up(tmp_path, 8, LETTERS)
    dna = write(tmp_path / "dna.fasta", records(np.random.default_rng(1), 30, BASES, 300)[5:])
    call(capsys, "makedb", dna, "-o", tmp_path / "dna.swdb", "--type", "nucleotide")
    run, rounds = tmp_path / "run.swgui", tmp_path / "rounds.swgui"
    words = "search", "--engine", "cpu", "-q", files["q"], "-d", files["old"], "--save"
    call(capsys, *words, run)
    call(capsys, *words, rounds, "--iterations", "2")
    for said, asked in (
        ("nucleotide", (run, tmp_path / "dna.swdb")),
        ("rounds", (rounds, files["new"])),
        ("gone.swdb", (run, tmp_path / "gone.swdb")),
        ("has the ending of a saved search", (run, files["new"], "-o", run)),
    ):
        assert main(["diff", *map(str, asked)]) != 0
        assert said in capsys.readouterr().err


def test_the_library_says_the_same(tmp_path, capsys):
    files = made_up(tmp_path, 9, LETTERS)
    hits = swgui.search(files["q"], files["old"], engine="cpu")
    hits.save(tmp_path / "run.swgui")
    rows = rows_of(call(capsys, "diff", tmp_path / "run.swgui", files["new"], "--engine", "cpu"))
    found = swgui.diff(hits, files["new"])
    table = found.to_arrays()
    assert [(row["change"], row["cause"], row["sseqid"]) for row in rows] == [
        (change.change, change.cause, change.subject) for change in found
    ]
    assert len(found.gained) + len(found.lost) + len(found.moved) == len(found) == len(table["rank"])
    assert [row["rank"] for row in rows] == [str(int(rank)) if rank == rank else "" for rank in table["rank"].tolist()]
    assert 0 < found.searched < len(found.hits.database)
    swgui.diff(tmp_path / "run.swgui", files["new"]).write(tmp_path / "changes.tsv")
    assert rows_of((tmp_path / "changes.tsv").read_text()) == rows
    assert "gained" in repr(found)
