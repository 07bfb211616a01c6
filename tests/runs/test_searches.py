"""Runs are kept, and survive whatever ends the program."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.control import RunControl
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import LogError, SwguiError
from swgui.core.packing import plan_chunks
from swgui.core.plain import from_plain, plain, replace
from swgui.core.records import SequenceRecord
from swgui.core.verdict.queries import significant_hits
from swgui.engines import registry
from swgui.io.database.build import save_database
from swgui.io.database.library import remember_database
from swgui.io.replacing import delete_file
from swgui.io.saved.log import in_use
from swgui.io.saved.score_log import ScoreLog, read_facts
from swgui.jobs.events import Finished, finishing
from swgui.jobs.search.events import PartialHits, Started
from swgui.jobs.search.run import search_steps
from swgui.runs import RunError, Runs
from swgui.runs.search_facts import RequestFacts, default_name
from tests.asking import altered, answer
from tests.fakes import SlowAdapter
from tests.io.saved.saved_searches import assert_same, nucleotide_request, protein_request, protein_request_on_disk

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


@pytest.fixture
def history(tmp_path):
    return Runs(tmp_path / "runs")


@pytest.fixture
def on_disk(tmp_path):
    return protein_request_on_disk(tmp_path)


def run(history, request, cancel=None):
    return list(history.run("search", request, cancel or threading.Event()))


def stop_after(history, request, chunks):
    """Search, and stop as a user would once some chunks are scored."""
    cancel, adapter = threading.Event(), registry.adapter_of("cpu")
    adapter.scored.clear()
    adapter.stop_after = (chunks, cancel)
    result = run(history, request, cancel)[-1].outcome
    adapter.stop_after = None
    return result


def files(history):
    return sorted(path.suffix for path in history.folder.iterdir())


def test_a_finished_run_is_kept_and_opens_again(history, on_disk):
    result = run(history, on_disk)[-1].outcome
    (record,) = history.list()
    assert (record.state, record.queries, record.database, record.fraction) == ("done", 2, "random", 1.0)
    assert record.name == "PROT3_TEST and 1 more"
    assert record.started <= record.finished
    assert record.found == sum(significant_hits(query.hits) for query in result.queries) > 0
    assert record.size == history.path(record.id).stat().st_size
    assert not record.resumable
    assert files(history) == [".json", ".swgui"]
    opened = history.open(record.id)
    assert_same(result, opened.result)
    assert opened.remarks == []


def test_renaming_and_deleting(history, on_disk):
    run(history, on_disk)
    run_id = history.list()[0].id
    assert history.rename(run_id, "  Globins\n again ").name == "Globins again"
    assert Runs(history.folder).list()[0].name == "Globins again"
    with pytest.raises(RunError, match="needs a name"):
        history.rename(run_id, " ")
    history.delete(run_id)
    assert history.list() == []
    assert files(history) == []
    for impossible in (history.record, history.open, lambda gone: history.rename(gone, "x")):
        with pytest.raises(SwguiError):
            impossible(run_id)


@pytest.mark.parametrize("name", ["../../etc/passwd", "x", "", "20260101-000000-12345678/../a"])
def test_an_id_cannot_lead_out_of_the_folder(history, name):
    for method in (history.record, history.delete, history.open, history.resume, history.again):
        with pytest.raises(RunError, match="is no run"):
            method(name)


@pytest.mark.parametrize("damage", ["{", "[]", "\udc80", "{}", '{"name": 5}', "[" * 100_000])
def test_a_damaged_note_is_made_again(history, on_disk, damage):
    run(history, on_disk)
    before = history.list()
    note = history.folder / f"{before[0].id}.json"
    note.write_bytes(damage.encode("utf-8", "surrogateescape"))
    assert history.list() == before
    assert json.loads(note.read_text())["name"] == before[0].name


def test_a_damaged_run_is_listed_with_the_reason_and_can_be_deleted(history, on_disk):
    run(history, on_disk)
    record = history.list()[0]
    history.path(record.id).write_bytes(b"PK\x03\x04 and nothing")
    (history.folder / f"{record.id}.json").unlink()
    (damaged,) = history.list()
    assert damaged.state == "damaged"
    assert "damaged" in damaged.reason
    history.delete(damaged.id)
    assert history.list() == []


def test_the_oldest_runs_beyond_the_limits_are_deleted(tmp_path, on_disk):
    result = answer(on_disk)
    history = Runs(tmp_path / "runs", max_runs=3)
    ids = [f"20260101-00000{n}-0000000a" for n in range(5)]
    for run_id in ids:
        history.of("search").save(result, run_id=run_id)
    assert [record.id for record in history.list()] == ids[:1:-1]
    size = history.list()[0].size
    small = Runs(tmp_path / "runs", max_bytes=size // 2)
    small.of("search").save(result, run_id="20260101-000009-0000000a")
    assert [record.id for record in small.list()] == ["20260101-000009-0000000a"]  # the newest stays, however large


def test_a_run_that_cannot_be_kept_still_gives_its_result(tmp_path, on_disk):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    result = run(Runs(blocked / "runs"), on_disk)[-1].outcome
    assert result.state == "complete"
    assert "not be kept" in result.message


def test_a_stopped_run_is_partial_and_goes_on_from_its_last_chunk(history, on_disk, small_chunks):
    whole = answer(on_disk)
    result = stop_after(history, on_disk, 5)
    assert result.state == "stopped"
    (record,) = history.list()
    assert (record.state, record.resumable) == ("partial", True)
    assert 0 < record.fraction < 1
    small_chunks.scored.clear()
    events = run(history, history.resume(record.id))
    (at,) = [at for at, event in enumerate(events) if isinstance(event, Started)]
    assert events[at].seconds == events[at + 1].seconds > 0
    assert events[at + 1].done == result.cells_done
    again = events[-1].outcome
    assert again.state == "complete"
    assert again.cells_done == again.cells_total == whole.cells_total
    assert again.seconds > 0
    assert_same(whole, replace(again, seconds=whole.seconds, finished_at=whole.finished_at))
    assert len(small_chunks.scored) == 16 - 5  # nothing is scored twice
    (record,) = history.list()
    assert (record.state, record.resumable, record.fraction) == ("done", False, 1.0)
    assert files(history) == [".json", ".swgui"]


def test_best_scores_of_before_come_with_those_of_a_resumed_run(history, on_disk, small_chunks, monkeypatch):
    stop_after(history, on_disk, 9)
    monkeypatch.setattr("swgui.jobs.search.run.PARTIAL_INTERVAL", 0)
    events = run(history, history.resume(history.list()[0].id), RunControl())
    queries = [event.query_index for event in events if isinstance(event, PartialHits)]
    assert sorted({*queries}) == list(range(len(on_disk.queries)))


def test_both_strands_go_on_too(history, tmp_path, small_chunks):
    request = nucleotide_request()
    save_database(request.database, tmp_path / "dna.swdb")
    request = replace(request, database=tmp_path / "dna.swdb")
    whole = answer(request)
    stop_after(history, request, 3)
    again = run(history, history.resume(history.list()[0].id))[-1].outcome
    assert_same(whole, replace(again, seconds=whole.seconds, finished_at=whole.finished_at))


def test_a_search_that_cannot_begin_leaves_nothing(history, on_disk, tmp_path):
    with pytest.raises(SwguiError):
        run(history, replace(on_disk, database=tmp_path / "nowhere.swdb"))
    assert files(history) == []


def test_a_resumed_run_whose_program_ended_shows_what_is_kept(history, on_disk, small_chunks):
    stop_after(history, on_disk, 2)
    (before,) = history.list()
    small_chunks.scored.clear()
    small_chunks.seconds = 0.03
    events = history.run("search", history.resume(before.id), threading.Event())
    while len(small_chunks.scored) < 8:
        next(events)
    events.close()
    (record,) = history.list()
    assert (record.id, record.state, record.resumable) == (before.id, "partial", True)
    assert record.fraction > before.fraction + 0.2
    assert "run was resumed" in record.reason
    result = history.open(record.id).result
    assert result.cells_done < record.fraction * result.cells_total  # the hits are those from before, and it says so
    assert f"{record.fraction:.0%} of the work" in result.message
    assert run(history, history.resume(record.id))[-1].outcome.state == "complete"


def test_another_database_is_refused(history, on_disk, small_chunks, tmp_path):
    stop_after(history, on_disk, 3)
    run_id = history.list()[0].id
    other = protein_request(subjects=41)
    save_database(other.database, tmp_path / "database.swdb")
    with pytest.raises(LogError, match="has changed since"):
        run(history, history.resume(run_id))
    assert history.list()[0].resumable  # nothing was lost by trying


def test_a_database_that_was_moved_is_found_when_a_run_is_resumed(history, on_disk, small_chunks, tmp_path):
    stop_after(history, on_disk, 3)
    moved = on_disk.database.rename(tmp_path / "moved.swdb")
    run_id = history.list()[0].id
    with pytest.raises(RunError, match="was not found"):
        history.resume(run_id)
    remember_database(moved)
    assert run(history, history.resume(run_id))[-1].outcome.state == "complete"


def test_a_run_that_goes_on_elsewhere_is_left_alone(history, on_disk, small_chunks):
    stop_after(history, on_disk, 3)
    run_id = history.list()[0].id
    elsewhere = Runs(history.folder)
    events = elsewhere.run("search", elsewhere.resume(run_id), threading.Event())
    while not isinstance(next(events), Started):
        pass
    assert not history.list()[0].resumable
    for method in (history.resume, history.delete):
        with pytest.raises(RunError, match="active"):
            method(run_id)
    assert isinstance(list(events)[-1], Finished)
    assert history.list()[0].state == "done"


def test_run_again_asks_the_same_of_the_same_engine(history, on_disk, monkeypatch):
    request = altered(on_disk, top=7, max_evalue=1e3, engine="reference", options=EngineOptions(threads=1), mask=True)
    result = run(history, request)[-1].outcome
    run_id = history.list()[0].id
    again = history.again(run_id)
    assert again.search == request.search
    assert again.queries_masked
    assert again.database == on_disk.database
    new = run(history, again)[-1].outcome
    same = {"seconds": 0, "finished_at": "", "message": "", "asked": again.search}
    assert_same(replace(new, **same), replace(result, **same))
    assert len(history.list()) == 2
    monkeypatch.setattr("swgui.runs.search_facts.engine_names", lambda: ("auto", "cpu"))  # the other one is gone
    older = history.again(run_id)
    assert (older.search.engine, older.search.options) == ("auto", EngineOptions(threads=1))
    delete_file(on_disk.database)
    with pytest.raises(RunError, match="was not found"):
        history.again(run_id)


def test_masked_queries_are_not_masked_twice(history, on_disk):
    low = SequenceRecord("low", "", b"MKTAYIAKQRQISFVKSHFSRQ" + b"QQNQQQNNQQQQ" + b"LEERLGLIEVQAPILSRVGDGT")
    result = run(history, replace(altered(on_disk, mask=True), queries=(low,)))[-1].outcome
    again = history.again(history.list()[0].id)
    assert b"XXXXXXXXXX" in again.queries[0].residues
    new = run(history, again)[-1].outcome
    assert new.queries[0].query.residues == result.queries[0].query.residues
    assert new.asked.mask
    assert "were masked" not in new.information  # they came so
    assert from_plain(RequestFacts, plain(RequestFacts.begun(again))).request().queries_masked


def test_settings_that_only_earlier_versions_had_are_passed_over(on_disk):
    options = EngineOptions(settings={"library": "opal", "chunk_residues": "1000"})
    request = altered(on_disk, engine="cpu", options=options)
    again = from_plain(RequestFacts, plain(RequestFacts.begun(request))).request()
    assert again.search.options.settings == {"chunk_residues": "1000"}


def test_a_full_disk_ends_the_journal_and_not_the_run(history, on_disk, small_chunks, monkeypatch):
    monkeypatch.setattr("swgui.io.saved.score_log.SPARE_BYTES", 1 << 62)
    result = run(history, on_disk)[-1].outcome
    assert result.state == "complete"
    assert "too little space" in result.message
    assert history.list()[0].state == "done"


def test_a_journal_ends_where_it_is_damaged(tmp_path, small_chunks):
    request = protein_request()
    database = request.database
    path = tmp_path / "20260101-000000-00000000.journal"
    journal = ScoreLog(path, {"name": "x"})
    list(finishing(search_steps(request, threading.Event(), journal=journal)))
    journal.close()
    whole = path.read_bytes()
    chunks = replay(path, database)
    assert len(chunks) == 16
    rng = np.random.default_rng(3)
    for cut in [8, 9, *rng.integers(10, len(whole), 60).tolist()]:
        path.write_bytes(whole[:cut])
        assert is_start_of(replay(path, database), chunks)
    for at in rng.integers(0, len(whole), 150).tolist():
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << int(rng.integers(8))]) + whole[at + 1 :])
        assert is_start_of(replay(path, database), chunks)


def replay(path, database):
    try:
        journal = ScoreLog(path)
        try:
            return list(journal.begin(database, 2))
        finally:
            journal.close()
    except LogError:
        return []


def is_start_of(some, all_of_them):
    return len(some) <= len(all_of_them) and all(
        a.query_index == b.query_index
        and a.cells == b.cells
        and np.array_equal(a.scores, b.scores)
        and np.array_equal(a.db_index, b.db_index)
        for a, b in zip(some, all_of_them, strict=False)
    )


CHILD = """
import json, os, sys, threading, signal
sys.path.insert(0, {root!r})
from pathlib import Path
from swgui.engines import registry
from tests.fakes import SlowAdapter
from tests.io.saved.saved_searches import protein_request
from swgui.core.plain import replace
from swgui.runs import Runs, folder
from swgui.io.saved import pack, score_log
from swgui.jobs.check import device
from swgui.jobs.search import run
registry.adapter_of = lambda name: SlowAdapter({seconds!r})
device.require_exact_engine = lambda *_: iter(())
def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)
PLACES = {{
    "saving": (pack.PackWriter, "finish"),
    "noting": (folder, "write_note"),
    "pruning": (folder.RunFolder, "prune"),
    "cleaning": (score_log.ScoreLog, "delete"),
    "opening": (run, "load_statistics"),
}}
request = replace(protein_request(), database=Path({database!r}))
def search(place):
    for event in Runs(place).run("search", request, threading.Event()):
        pass
"""
FOUR = "for _ in range(4):\n    search(Path({folder!r}))\n"
EACH = """
ended = {{}}
for stage, (owner, name) in PLACES.items():
    if not (child := os.fork()):
        setattr(owner, name, die)
        search(Path({folder!r}) / stage)
        os._exit(0)
    ended[stage] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps(ended))
"""
LOST_NOTHING = {"saving": 16, "noting": 16, "pruning": 16, "cleaning": 16, "opening": 0}  # chunks that are kept


@pytest.fixture(scope="module")
def killed(tmp_path_factory, repository):
    """A request, and the folder of its runs that were killed, each at a stage."""
    folder = tmp_path_factory.mktemp("killed")
    asked = protein_request_on_disk(folder)
    places = {"root": str(repository), "database": str(asked.database), "folder": str(folder), "seconds": 0.0}
    words = [sys.executable, "-c", (CHILD + EACH).format(**places)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == dict.fromkeys(LOST_NOTHING, -signal.SIGKILL), ended.stderr
    return asked, folder


@pytest.mark.skipif(sys.platform == "win32", reason="kills as POSIX does")
@pytest.mark.parametrize("stage", LOST_NOTHING)
def test_killed_at_any_stage_nothing_finished_is_lost(killed, small_chunks, stage):
    asked, folder = killed
    history = Runs(folder / stage)
    (record,) = history.list()
    if stage in ("noting", "pruning", "cleaning"):
        assert record.state == "done"
    else:
        assert record.state == "interrupted"
        assert record.fraction == pytest.approx(LOST_NOTHING[stage] / 16, abs=0.05)
        run(history, history.resume(record.id))
        assert len(small_chunks.scored) == 16 - LOST_NOTHING[stage]
    (record,) = history.list()
    assert record.state == "done"
    whole, kept = answer(asked), history.open(record.id).result
    assert_same(whole, replace(kept, seconds=whole.seconds, finished_at=whole.finished_at))
    history.sweep()
    assert set(files(history)) - {".part"} == {".json", ".swgui"}  # a half-written file is not mistaken for a run


def test_what_a_crash_left_behind_is_swept_away_after_a_day(history, on_disk):
    run(history, on_disk)
    old, young = history.folder / ".a.swgui.00.part", history.folder / ".b.swgui.00.part"
    empty = history.folder / "20260101-000000-00000000.journal"
    for path in (old, young, empty):
        path.touch()
    for path in (old, empty):
        os.utime(path, (1, 1))
    assert len(history.list()) == 1
    run(history, on_disk)
    assert not old.exists()
    assert not empty.exists()
    assert young.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="starts programs as POSIX does")
def test_two_programs_at_once_keep_all_runs(history, on_disk, repository):
    places = {"root": str(repository), "database": str(on_disk.database), "folder": str(history.folder)}
    code = (CHILD + FOUR).format(seconds=0.02, **places)
    programs = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL) for _ in range(2)]
    while any(program.poll() is None for program in programs):
        assert all(record.state in ("done", "interrupted") for record in history.list())
        time.sleep(0.01)
    assert [program.returncode for program in programs] == [0, 0]
    assert [record.state for record in history.list()] == ["done"] * 8


def test_every_chunk_form_survives_the_journal(tmp_path):
    """Slices of the database, scattered subjects, and scores of 16 and 32 bits."""
    from swgui.core.hits.scores import ChunkScores

    records = [SequenceRecord(f"s{i}", "", b"A" * (i % 5 + 1)) for i in range(20)]
    database = encode_database(records, PROTEIN, "x")
    plan = plan_chunks(database.offsets, SlowAdapter().limits)[1]
    chunks = [
        ChunkScores(0, database.order[plan.start : plan.stop], np.arange(len(plan), dtype=np.int32), 11, 1, "GPU", 0.5),
        ChunkScores(1, np.array([3, 1, 17]), np.array([5, 2**30, 0], dtype=np.int32), 7, 0, "größe", 0.25),
        ChunkScores(1, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), 0),
        ChunkScores(0, np.array([2, 4]), np.array([32_767, 40_000], dtype=np.int32), 3),
    ]
    path = tmp_path / "a.journal"
    journal = ScoreLog(path, {"name": "x"})
    assert list(journal.begin(database, 2)) == []
    for chunk in chunks[:2]:
        journal.add(chunk)
    journal.close()
    journal = ScoreLog(path)  # as a run that is resumed
    assert len(list(journal.begin(database, 2))) == 2
    for chunk in chunks[2:]:
        journal.add(chunk)
    assert in_use(path)
    with pytest.raises(LogError, match="in use"):
        ScoreLog(path)
    journal.close()
    assert not in_use(path)
    assert read_facts(path)[1] == 21
    found = replay(path, database)
    assert len(found) == 4
    for a, b in zip(found, chunks, strict=True):
        assert (a.query_index, a.cells, a.rescored, a.device, a.seconds) == (
            b.query_index, b.cells, b.rescored, b.device, b.seconds
        )  # fmt: skip
        np.testing.assert_array_equal(a.db_index, b.db_index)
        np.testing.assert_array_equal(a.scores, b.scores)


def test_what_is_scored_is_flushed_to_the_disk_now_and_then(history, on_disk, small_chunks, monkeypatch):
    flushed = []
    monkeypatch.setattr("swgui.io.saved.log.SYNC_SECONDS", 0.0)
    monkeypatch.setattr("swgui.io.saved.log.flush_to_disk", flushed.append)
    stop_after(history, on_disk, 5)
    assert 1 <= len(flushed) <= 6  # the database and five chunks
    assert len(set(flushed)) == 1


def test_the_default_folder_is_the_users(tmp_path):
    assert Runs().folder == tmp_path / "user" / "data" / "runs"
    assert Runs().list() == []
    assert default_name(protein_request()) == "PROT3_TEST and 1 more"


def test_the_layout_is_kept_beside_a_run_and_goes_with_it(history, on_disk):
    result = run(history, on_disk)[-1].outcome
    (record,) = history.list()
    assert result.run_id == record.id
    layout = {"columns": ["sseqid", "evalue"]}
    history.keep_layout(record.id, layout)
    opened = history.open(record.id)
    assert (opened.result.run_id, opened.layout) == (record.id, layout)
    assert files(history) == [".json", ".layout", ".swgui"]
    history.keep_layout(record.id, {})
    assert history.open(record.id).layout == {}
    place = history.folder / f"{record.id}.layout"
    for damage in (b"", b"[1]", b"{", b"\xff"):
        place.write_bytes(damage)
        assert history.open(record.id).layout == {}
    history.delete(record.id)
    assert files(history) == []
    with pytest.raises(RunError, match="There is no run"):
        history.keep_layout(record.id, layout)


def test_what_a_crash_left_of_a_deleted_run_is_swept(history, on_disk):
    run(history, on_disk)
    (record,) = history.list()
    history.keep_layout(record.id, {"columns": []})
    history.path(record.id).unlink()  # killed while it was being deleted
    run(history, on_disk)
    assert files(history) == [".json", ".swgui"]


def test_notes_of_earlier_versions_keep_the_names_that_were_given(history, on_disk):
    run_id = run(history, on_disk)[-1].outcome.run_id
    history.rename(run_id, "Given by hand")
    note = history.folder / f"{run_id}.json"
    values = json.loads(note.read_text())
    del values["kind"], values["found"]  # as version 0.1 wrote it
    note.write_text(json.dumps(values))
    record = history.record(run_id)
    assert (record.name, record.kind, record.found) == ("Given by hand", "search", None)
