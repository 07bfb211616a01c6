"""Every kind of search, kept: each command that takes a search that is kept takes it."""

import os
import shutil
import signal
import threading

import pytest

from swgui.cli import build_parser
from swgui.cli.search import asked_for
from swgui.commands.iteration import with_rounds
from swgui.core.plain import replace
from swgui.engines.native.library import problem
from swgui.io.saved.search import load_search
from swgui.jobs.events import Finished, Progress
from swgui.runs import Runs
from tests.modes import MODES, run, search, words_of, write_files
from tests.stopping import Calls

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")
FROM_FILES = [mode for mode in MODES if "--start-from" in MODES[mode]]
READ = {"pair": ("show", "verify")}  # commands that take a saved result of such a kind, too


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("modes")
    write_files(folder)
    return folder


@pytest.fixture(scope="module")
def saved(folder, tmp_path_factory):
    """Return a function that gives the file of a kind of search, and the table that the search wrote."""
    made = {}

    def of(mode):
        if mode not in made:
            place = tmp_path_factory.mktemp("saved")
            file, table = place / "saved.swgui", place / "hits.tsv"
            assert search(mode, folder, "--save", file, "-o", table, "--quiet") == 0
            made[mode] = file, table.read_text()
        return made[mode]

    return of


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(9)
def test_every_score_of_a_saved_search_is_found_again(saved, capsys, mode):
    file, _ = saved(mode)
    assert run("verify", file, "--engine", "cpu") == 0
    assert "the same on" in capsys.readouterr().out


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(9)
def test_without_its_database_the_stored_subjects_of_a_search_are_scored_again(folder, tmp_path, capsys, mode):
    place = tmp_path / "moved"
    shutil.copytree(folder, place)
    file = tmp_path / "saved.swgui"
    assert search(mode, place, "--save", file, "-o", tmp_path / "hits.tsv") == 0
    shutil.rmtree(place)
    for memory in ("cache", "data"):
        shutil.rmtree(tmp_path / "user" / memory, ignore_errors=True)
    assert run("verify", file, "--engine", "cpu") == 0
    assert "the same on" in capsys.readouterr().out


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(9)
def test_a_saved_search_shows_what_the_search_wrote(saved, capsys, mode):
    file, table = saved(mode)
    assert len(table.splitlines()) > 1
    capsys.readouterr()
    assert run("show", file) == 0
    assert capsys.readouterr().out == table


@pytest.mark.parametrize("mode", MODES)
def test_a_saved_search_compared_with_itself_is_the_same(saved, capsys, mode):
    file, _ = saved(mode)
    capsys.readouterr()
    assert run("compare", file, file) == 0
    said = capsys.readouterr()
    assert " 0 moved, 0 new, 0 lost" in said.err
    assert len(said.out.splitlines()) > 1


@pytest.mark.parametrize("mode", MODES)
def test_subjects_are_found_in_a_saved_search(saved, capsys, mode):
    file, table = saved(mode)
    header, first, *_ = (line.split("\t") for line in table.splitlines())
    fields = dict(zip(header, first, strict=True))
    capsys.readouterr()
    assert run("find", file, fields["sseqid"], "--query", fields["qseqid"]) == 0
    lines = [dict(zip(*pair, strict=True)) for pair in _rows(capsys.readouterr().out)]
    (row,) = (line for line in lines if line["sseqid"] == fields["sseqid"])
    assert (row["listed"], row["score"]) == ("yes", fields["score"])


def _rows(table):
    header, *rows = (line.split("\t") for line in table.splitlines())
    return [(header, row) for row in rows]


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode not in FROM_FILES])
@pytest.mark.sampled(9)
def test_a_stopped_search_is_resumed_to_the_same_end(folder, mode):
    arguments = build_parser().parse_args(["search", *words_of(mode, folder), "--set", "chunk_residues=1000"])
    request = with_rounds(arguments, *asked_for(arguments))
    history, cancel = Runs(), threading.Event()
    for event in history.run("search", request, cancel):
        if isinstance(event, Progress) and event.done:
            cancel.set()
    (record,) = history.list()
    if record.state == "partial":  # small ones may be done by then
        assert record.resumable
        (*_, last) = history.run("search", history.resume(record.id), threading.Event())
        assert isinstance(last, Finished)
    loaded = history.open(record.id).result
    assert loaded.state == "complete"
    assert loaded.asked == replace(request.search, beside=loaded.asked.beside)
    (*_, whole) = history.run("search", history.again(record.id), threading.Event())
    for one, other in zip(loaded.queries, whole.outcome.queries, strict=True):
        assert one.hits.db_index.tolist() == other.hits.db_index.tolist()
        assert one.hits.scores.tolist() == other.hits.scores.tolist()


@pytest.mark.parametrize("mode", FROM_FILES)
def test_what_begins_with_other_files_is_saved_but_not_kept(folder, saved, capsys, mode):
    assert search(mode, folder, "--history", "mine") != 0
    assert "not kept" in capsys.readouterr().err
    assert load_search(saved(mode)[0]).result.state == "complete"


@pytest.mark.skipif(os.name == "nt" or bool(problem()), reason="signals of POSIX, compiled code")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(9)
def test_what_a_stopped_search_listed_is_written_and_saved(folder, saved, tmp_path, monkeypatch, capsys, mode):
    _, whole = saved(mode)
    file, table = tmp_path / "stopped.swgui", tmp_path / "hits.tsv"
    words = ["search", *words_of(mode, folder), "--set", "chunk_residues=1000", "--save", str(file), "-o", str(table)]
    calls = Calls(monkeypatch)
    for _ in range(2):  # content kept for the next search, such as the statistics of a profile, is not computed again
        assert calls.of(words) == 0
        assert table.read_text() == whole
        for path in (file, table):
            path.unlink()
    total = calls.number
    capsys.readouterr()
    assert calls.of(words, max(1, total // 2)) == 128 + signal.SIGTERM
    assert "stopped" in capsys.readouterr().err.lower()
    result = load_search(file).result
    assert run("show", file) == (0 if result.state == "complete" else 3)
    written, shown = (_best_of_each(text) for text in (table.read_text(), capsys.readouterr().out))
    assert written == shown
    assert len(written) == sum(len(query.hits) for query in result.queries)
    assert table.read_text().splitlines()[0] == whole.splitlines()[0]


def _best_of_each(table):
    """Return query, subject, score, E and best alignment of every hit; others of a subject take time after a stop."""
    lines = [dict(zip(*pair, strict=True)) for pair in _rows(table)]
    keys = "rank", "qseqid", "sseqid", "score", "log10_evalue", "qstart", "sstart", "length"
    return [tuple(line[key] for key in keys) for line in lines if line["hsp"] == "1"]


OTHERS = {
    "pair": ["pair", "{}/one.fasta", "{}/two.fasta", "--subject-id", "kin7", "--method", "cpu", "--format", "json",
             "--history", "mine"],
    "msa": ["msa", "-q", "{}/one.fasta", "-d", "{}/proteins.swdb", "--engine", "cpu"],
    "deeper": ["deeper", "-q", "{}/one.fasta", "-d", "{}/proteins.swdb", "--engine", "cpu", "--iterations", "2",
               "--neighbours", "--best", "1"],
}  # fmt: skip


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_saved_search_is_refused_by_each_command_that_takes_one(folder, tmp_path, capsys, kind):
    out = tmp_path / {"pair": "out.json", "msa": "out.a3m", "deeper": "out.tsv"}[kind]
    command, *words = (word.replace("{}", str(folder)) for word in OTHERS[kind])
    assert run(command, *words, "-o", out) == 0
    written = out.read_bytes()
    for given in (out, *(["mine"] if kind == "pair" else [])):
        for verb, more in (("show", ()), ("verify", ()), ("compare", (given,)), ("find", ("kin7",))):
            capsys.readouterr()
            status = run(verb, given, *more)
            said = capsys.readouterr()
            if verb in READ.get(kind, ()):
                assert status == 0
                assert said.out
                continue
            assert status in (1, 2)
            (sentence,) = said.err.splitlines()
            assert sentence.startswith("swgui: ")
            assert said.out == ""
    assert out.read_bytes() == written
