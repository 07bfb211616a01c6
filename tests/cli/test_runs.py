"""Runs by file and by name: ``find``, ``compare``, ``show`` with other limits, and a search that is resumed."""

import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.cli import build_parser, main
from swgui.cli.search import make_request
from swgui.core.plain import replace
from swgui.engines import registry
from swgui.io.saved.search import load_search, save_search
from swgui.jobs.events import Finished
from swgui.runs import Runs
from tests.asking import answer
from tests.io.saved.saved_searches import protein_request, protein_request_on_disk

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture
def on_disk(tmp_path):
    return protein_request_on_disk(tmp_path)


@pytest.fixture
def kept(on_disk):
    """The result of a run of the history called 'first'."""
    events = list(Runs().run("search", replace(on_disk, name="first"), threading.Event()))
    return next(event.outcome for event in events if isinstance(event, Finished))


def table(capsys):
    head, *rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_find_says_where_any_subject_stands(kept, capsys):
    unlisted = next(at for at in range(len(kept.database)) if at not in kept.queries[0].hits.db_index)
    name = kept.database.ids[unlisted]
    assert main(["find", "first", name]) == 0
    rows = table(capsys)
    assert [row["qseqid"] for row in rows] == [query.query.id for query in kept.queries]
    assert {row["sseqid"] for row in rows} == {name}
    assert rows[0]["score"] == str(kept.queries[0].scores[unlisted])
    assert rows[0]["listed"] == "no"
    assert rows[0]["reason"].endswith(".")
    best = kept.queries[0]
    assert main(["find", "first", kept.database.ids[int(best.hits.db_index[0])], "-q", best.query.id]) == 0
    (row,) = table(capsys)
    assert (row["rank"], row["listed"], row["scored"]) == ("1", "yes", str(len(kept.database)))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["find", "second", "P"], "no such run of the history called 'second'"),
        (["find", "first", "nowhere-to-be-found"], "no subject has 'nowhere-to-be-found'"),
        (["find", "first", "P", "-q", "none"], "no such query"),
        (["compare", "first", "missing.swgui"], "missing.swgui"),
        (["search", "--resume", "third"], "no such run of the history called 'third'"),
        (["search", "--resume", "first", "--top", "7"], "--top would change it"),
        (["search", "--resume", "first", "-q", "x"], "-q would change it"),
        (["search", "-q", "x"], "There is nothing to search."),
    ],
)
def test_what_cannot_be_is_a_sentence(kept, capsys, words, sentence):
    assert main(words) in (1, 2)
    assert sentence in capsys.readouterr().err


def test_a_name_of_two_runs_is_no_name(kept, on_disk, capsys):
    list(Runs().run("search", replace(on_disk, name="first"), threading.Event()))
    assert main(["show", "first"]) == 1
    error = capsys.readouterr().err
    assert "2 runs are called 'first'" in error
    for record in Runs().list():
        assert record.id in error
    assert main(["show", Runs().list()[0].id, "--quiet"]) == 0


def test_compare_tells_what_moved(kept, tmp_path, capsys):
    fewer = replace(kept, queries=tuple(replace(one, hits=one.hits.take(slice(1, None))) for one in kept.queries))
    save_search(fewer, tmp_path / "fewer.swgui", database_path=tmp_path / "database.swdb")
    assert main(["compare", "first", str(tmp_path / "fewer.swgui")]) == 0
    captured = capsys.readouterr()
    states = [line.split("\t")[0] for line in captured.out.splitlines()[1:]]
    assert states.count("lost") == len(kept.queries)
    assert f"{states.count('lost')} lost." in captured.err
    assert main(["compare", "first", "first", "-o", str(tmp_path / "same.tsv")]) == 0
    assert {line.split("\t")[0] for line in (tmp_path / "same.tsv").read_text().splitlines()[1:]} == {"same"}


def test_show_moves_the_limits_of_a_run(kept, tmp_path, capsys):
    assert main(["show", "first", "--top", "3", "--max-target-seqs", "2"]) == 0
    assert len({(row["qseqid"], row["sseqid"]) for row in table(capsys)}) == 2 * len(kept.queries)
    assert main(["show", "first", "--evalue", "1e-9"]) == 0
    few = table(capsys)
    assert few
    assert all(float(row["evalue"]) <= 1e-9 for row in few)
    size = kept.database.residues
    assert main(["show", "first", "--dbsize", str(10 * size)]) == 0
    larger = table(capsys)
    assert float(larger[0]["evalue"]) > float(few[0]["evalue"])
    assert main(["show", "first", "--top", "0"]) == 2
    assert "list of 0 hits" in capsys.readouterr().err


def test_a_search_is_resumed_by_its_name(on_disk, small_chunks, tmp_path, capsys):
    whole = answer(protein_request())
    cancel, adapter = threading.Event(), registry.adapter_of("cpu")
    adapter.scored.clear()
    adapter.stop_after = (5, cancel)
    events = Runs().run("search", replace(on_disk, name="long"), cancel)
    list(events)
    adapter.stop_after = None
    before = len(small_chunks.scored)
    saved = tmp_path / "again.swgui"
    assert main(["search", "--resume", "long", "--save", str(saved), "--format", "blast6"]) == 0
    assert 0 < len(small_chunks.scored) - before < 16
    resumed, scored = capsys.readouterr().out, len(small_chunks.scored)
    assert resumed.count("\n") > 2
    assert main(["search", "--resume", "long", "--save", str(saved), "--format", "blast6"]) == 0
    said = capsys.readouterr()
    assert (said.out, len(small_chunks.scored)) == (resumed, scored)
    assert "'long' is complete" in said.err
    again = load_search(saved).result
    assert again.state == "complete"
    for one, other in zip(whole.queries, again.queries, strict=True):
        assert np.array_equal(one.scores, other.scores)
        assert np.array_equal(one.hits.db_index, other.hits.db_index)


def test_the_same_command_continues_a_run_of_its_name(on_disk, small_chunks, tmp_path, capsys):
    query = tmp_path / "q.fasta"
    query.write_text("".join(f">{one.id}\n{one.residues.decode()}\n" for one in on_disk.queries))
    place = on_disk.database if isinstance(on_disk.database, Path) else on_disk.database.path
    words = [
        "search",
        "-q",
        str(query),
        "-d",
        str(place),
        "--engine",
        "cpu",
        "--format",
        "blast6",
        "--history",
        "nightly",
    ]
    assert main(words[:-2]) == 0
    whole = capsys.readouterr().out
    cancel, adapter = threading.Event(), registry.adapter_of("cpu")
    adapter.scored.clear()
    adapter.stop_after = (5, cancel)
    request = make_request(build_parser().parse_args(words))
    list(Runs().run("search", replace(request, name="nightly"), cancel))
    adapter.stop_after = None
    before = len(small_chunks.scored)
    assert main(words) == 0
    said = capsys.readouterr()
    assert (said.out, "run 'nightly' is continued." in said.err) == (whole, True)
    scored = len(small_chunks.scored)
    assert 0 < scored - before < 16
    assert main(words) == 0
    said = capsys.readouterr()
    assert (said.out, len(small_chunks.scored)) == (whole, scored)
    assert "'nightly' is complete" in said.err
    assert len(Runs().list()) == 1
    assert main([*words, "--top", "2"]) == 0  # another search
    assert len(small_chunks.scored) > scored
    assert len(Runs().list()) == 2
