"""Workers that die, stall, come late or differ; a scheduler that goes; certificates; Stop. All on the loopback."""

from __future__ import annotations

import asyncio
import gc
import itertools
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import swgui
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter
from swgui.core.packing import plan_chunks
from swgui.core.records import SequenceRecord
from swgui.engines import cpu
from swgui.engines.cluster import engine as cluster
from swgui.io.database.build import save_database
from swgui.jobs.events import Finished, Progress, finishing
from swgui.jobs.search.run import search_steps
from tests.engines.cluster.certificates import make_certificates
from tests.engines.conftest import all_scores, database_of, query_of, random_codes

pytest.importorskip("distributed", reason="dask and distributed are not installed")
from swgui.engines.cluster import session
from tests.asking import search_request
from tests.engines.cluster.processes import REPOSITORY, Processes


@pytest.fixture
def processes(tmp_path):
    made = Processes(tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="module")
def job():
    """Return queries and a database that keep two cores busy for seconds, with their scores."""
    rng = np.random.default_rng(5)
    queries = [query_of(random_codes(rng, 700, 20), f"q{i}") for i in range(24)]
    database = database_of([random_codes(rng, int(length), 20) for length in rng.integers(50, 550, 3000)], PROTEIN)
    return queries, database


@pytest.fixture(scope="module")
def expected(job, protein_scheme):
    queries, database = job
    engine = cpu.create(EngineOptions(threads=2))
    scores = all_scores(engine, queries, database, protein_scheme)
    engine.close()
    return scores


def connect(processes, **settings):
    settings = {"scheduler": processes.address, "unit-seconds": "0.2", "shard-residues": "100000", **settings}
    return cluster.create(EngineOptions(settings=settings))


def connected_to(processes, names):
    """Connect once there are these workers."""
    engine = connect(processes)
    while {device.id for device in engine.devices} != names:
        assert all(worker.poll() is None for worker in processes.workers.values())
        time.sleep(0.1)
        engine.refresh()
    return engine


def run_with(engine, job, scheme, on_result):
    """Search, tell `on_result` (number of chunks so far, chunk), and return scores, having checked each came once."""
    queries, database = job
    plans = plan_chunks(database.offsets, engine.chunk_limits(queries, database))
    scores = np.full((len(queries), len(database)), -1, dtype=np.int64)
    for number, chunk in enumerate(engine.score(queries, database, plans, scheme, threading.Event())):
        assert (scores[chunk.query_index, chunk.db_index] == -1).all(), "counted twice"
        scores[chunk.query_index, chunk.db_index] = chunk.scores
        on_result(number, chunk)
    return scores


def test_a_worker_killed_and_one_started_late_change_nothing(processes, job, expected, protein_scheme):
    processes.worker("first")
    processes.worker("second")
    engine = connect(processes)
    seen = set()

    def disturb(number, chunk):
        seen.add(chunk.device.rpartition("(")[2].rstrip(")"))
        if number == 0:
            processes.worker("late")
        if number == 20:
            processes.kill(processes.workers["first"])

    scores = run_with(engine, job, protein_scheme, disturb)
    assert (scores == expected).all()
    assert seen <= {"first", "second", "late"}
    # The next search is done by the one that came late.
    processes.kill(processes.workers["second"])
    few = job[0][:4], job[1]
    assert (run_with(engine, few, protein_scheme, lambda *_: None) == expected[:4]).all()
    engine.refresh()
    assert [device.id for device in engine.devices] == ["late"]
    engine.close()


def test_a_stalled_worker_has_its_work_done_by_others(processes, job, expected, protein_scheme):
    processes.worker("steady")
    processes.worker("stalling")
    connected_to(processes, {"steady", "stalling"}).close()
    engine = connect(processes, **{"stall-seconds": "1.5"})

    def disturb(number, chunk):
        if number == 20:
            processes.workers["stalling"].send_signal(signal.SIGSTOP)

    assert (run_with(engine, job, protein_scheme, disturb) == expected).all()
    processes.workers["stalling"].send_signal(signal.SIGCONT)
    few = job[0][:4], job[1]
    assert (run_with(engine, few, protein_scheme, lambda *_: None) == expected[:4]).all()
    engine.close()


def test_shards_are_sent_once_and_not_at_all_where_the_file_is(processes, job, protein_scheme, tmp_path, monkeypatch):
    queries, database = job
    sent = []
    send = session.Session.send

    async def count(self, address, name, database):
        sent.append((address, name))
        await send(self, address, name, database)

    monkeypatch.setattr(session.Session, "send", count)
    processes.worker("without")
    for _ in range(2):  # a new engine each time, as every search makes one
        engine = connect(processes)
        all_scores(engine, queries[:2], database, protein_scheme)
        engine.close()
    assert 0 < len(sent) == len(set(sent))
    assert len(sent) == len({name for _, name in sent})
    processes.kill(processes.workers["without"])
    shared = tmp_path / "shared"
    shared.mkdir()
    save_database(database, shared / "any name.swdb")
    sent.clear()
    processes.worker("with", ["--engine", "cpu", "--threads", "1", "--database-folder", str(shared)])
    engine = connect(processes)
    all_scores(engine, queries[:2], database, protein_scheme)
    engine.close()
    assert sent == []


def test_stop_ends_the_search_and_frees_the_worker(processes, protein_scheme, dna_scheme, job, expected):
    processes.worker("only")
    rng = np.random.default_rng(1)
    # 5e11 cells in one unit: minutes, if the stop did not reach into it.
    query = query_of(random_codes(rng, 100_000, 4))
    database = database_of([random_codes(rng, 5_000_000, 4)], NUCLEOTIDE)
    engine = connect(processes)
    cancel, ended = threading.Event(), threading.Event()
    plans = plan_chunks(database.offsets, engine.chunk_limits([query], database))

    def search():
        for _ in engine.score([query], database, plans, dna_scheme, cancel):
            raise AssertionError("that cannot be")
        ended.set()

    searching = threading.Thread(target=search)
    searching.start()
    time.sleep(2)  # sent, and under way
    cancel.set()
    assert ended.wait(60)
    searching.join()
    few = job[0][:2]
    assert (all_scores(engine, few, job[1], protein_scheme) == expected[:2]).all()
    engine.close()


def test_nothing_is_left_and_nothing_is_printed_where_a_search_is_stopped(processes, job, protein_scheme, caplog):
    processes.worker("one")
    queries, database = job
    for moment in (0, 5):
        engine = connect(processes)
        loop, plans = engine.session.loop, plan_chunks(database.offsets, engine.chunk_limits(queries, database))
        chunks = engine.score(queries, database, plans, protein_scheme, threading.Event())
        assert len(list(itertools.islice(chunks, moment))) == moment
        chunks.close()
        # As in Dask's senders, whose timer may run out in the last step of the loop, without a listener.
        loop.call_soon_threadsafe(lambda loop=loop: loop.create_future().set_exception(TimeoutError("Timeout")))
        engine.close()
        assert asyncio.all_tasks(loop) == set()
    processes.close()
    gc.collect()
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []
    assert "never retrieved" not in processes.log("one")


def test_a_lost_scheduler_ends_the_search_and_what_came_is_kept(processes, job, expected, protein_scheme, monkeypatch):
    processes.worker("one")
    queries, database = job
    request = search_request(
        queries=tuple(SequenceRecord(query.id, "", PROTEIN.decode(query.codes)) for query in queries),
        database=database,
        scheme=protein_scheme,
        engine="cluster",
        options=EngineOptions(settings={"scheduler": processes.address, "unit-seconds": "0.2"}),
    )
    progress, result = [], None
    for event in finishing(search_steps(request, threading.Event())):
        if isinstance(event, Progress):
            progress.append(event.done)
            processes.kill(processes.scheduler)
        if isinstance(event, Finished):
            result = event.outcome
    assert result is not None
    assert result.state == "failed"
    assert "connection to the scheduler" in result.message
    assert 0 < result.cells_done < result.cells_total
    assert progress == sorted(progress)
    scores = np.array([query.scores for query in result.queries])
    assert (scores[scores >= 0] == expected[scores >= 0]).all()
    assert (scores >= 0).sum() > 0


def test_search_through_the_registry_is_complete_and_names_its_workers(
    processes, job, expected, protein_scheme, monkeypatch
):
    monkeypatch.setenv("SWGUI_SCHEDULER", processes.address)
    processes.worker("one")
    queries, database = job
    few = tuple(SequenceRecord(query.id, "", PROTEIN.decode(query.codes)) for query in queries[:3])
    request = search_request(queries=few, database=database, scheme=protein_scheme, engine="cluster")
    *_, last = finishing(search_steps(request, threading.Event()))
    assert isinstance(last, Finished)
    assert last.outcome.state == "complete"
    assert last.outcome.engine == "cluster"
    assert last.outcome.devices[0].endswith("(one)")
    assert (np.array([query.scores for query in last.outcome.queries]) == expected[:3]).all()


OLD = "import swgui; swgui.__version__ = '0.0.7'"


def test_another_version_is_refused_with_both_named(processes):
    processes.worker("old", before=OLD)
    with pytest.raises(EngineUnavailable) as refusal:
        connect(processes)
    assert "swgui 0.0.7" in refusal.value.message
    assert f"swgui {swgui.__version__}" in refusal.value.message


def test_another_version_that_comes_late_is_not_used(processes, job, expected, protein_scheme):
    processes.worker("right")
    engine = connect(processes)
    processes.worker("old", before=OLD)
    seen = set()
    assert (run_with(engine, job, protein_scheme, lambda _, chunk: seen.add(chunk.device)) == expected).all()
    assert {device.rpartition("(")[2] for device in seen} == {"right)"}
    engine.close()


DASK_WORKER = ["-m", "distributed.cli.dask_worker", "--no-dashboard", "--no-nanny", "--nthreads", "1"]


def test_a_plain_dask_worker_is_refused(processes):
    processes.start("plain", [*DASK_WORKER, processes.address])
    with pytest.raises(EngineUnavailable, match="was not started by 'swgui worker'") as refusal:
        connect(processes)
    assert "--preload swgui.jobs.cluster.worker" in refusal.value.hint


def test_a_preloaded_dask_worker_is_as_good(processes, job, expected, protein_scheme, monkeypatch):
    monkeypatch.setenv("SWGUI_WORKER_ENGINE", "cpu")
    monkeypatch.setenv("SWGUI_WORKER_THREADS", "1")
    own = ["--name", "dask", "--preload", "swgui.jobs.cluster.worker"]
    processes.start("preloaded", [*DASK_WORKER, processes.address, *own])
    engine = connect(processes)
    assert [device.id for device in engine.devices] == ["dask"]
    assert (all_scores(engine, job[0][:2], job[1], protein_scheme) == expected[:2]).all()
    engine.close()


def test_without_workers_or_scheduler_there_is_a_sentence(processes, monkeypatch):
    with pytest.raises(EngineUnavailable, match="has no workers") as refusal:
        connect(processes, **{"stall-seconds": "0.5"})
    assert f"swgui worker {processes.address}" in refusal.value.hint
    processes.worker("one")
    with pytest.raises(EngineUnavailable, match="no worker 'absent'"):
        cluster.create(EngineOptions(devices=("absent",), settings={"scheduler": processes.address}))
    processes.kill(processes.scheduler)
    monkeypatch.setattr(session, "CONNECT_SECONDS", 0.5)
    with pytest.raises(EngineUnavailable, match="no Dask scheduler") as refusal:
        connect(processes)
    assert ". Check the address" in str(refusal.value)


def test_chosen_workers_are_used_and_no_others(processes, job, expected, protein_scheme):
    for name in ("a", "b"):
        processes.worker(name)
    connected_to(processes, {"a", "b"}).close()
    engine = cluster.create(EngineOptions(devices=("b",), settings={"scheduler": processes.address}))
    seen = set()
    few = job[0][:4], job[1]
    scores = run_with(engine, few, protein_scheme, lambda _, chunk: seen.add(chunk.device))
    assert (scores == expected[:4]).all()
    assert [device.rpartition("(")[2] for device in seen] == ["b)"]
    engine.close()


BROKEN = """
from swgui.core.errors import EngineFault
from swgui.engines.cluster.scorer import Scorer
def fail(*arguments):
    raise EngineFault("It broke.", hint="Mend it.")
Scorer.score_with = fail
"""


def test_work_of_a_worker_whose_engine_fails_is_done_by_others(processes, job, expected, protein_scheme):
    processes.worker("broken", before=BROKEN)
    alone = connect(processes)
    with pytest.raises(EngineFault, match=r"worker broken failed: It broke\.") as fault:
        run_with(alone, job, protein_scheme, lambda *_: None)
    assert fault.value.hint == "Mend it."
    alone.close()
    processes.worker("good")
    engine = connected_to(processes, {"broken", "good"})
    seen = set()
    assert (run_with(engine, job, protein_scheme, lambda _, chunk: seen.add(chunk.device)) == expected).all()
    assert [device.rpartition("(")[2] for device in seen] == ["good)"]
    engine.close()


# TLS


def test_tls_checks_both_sides(tmp_path, job, expected, protein_scheme):
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    files, others = make_certificates(tmp_path / "ours"), make_certificates(tmp_path / "theirs")
    processes = Processes(tmp_path, tls=files)
    try:
        assert processes.address.startswith("tls://")
        own = [part for name, file in files.items() for part in (f"--{name}", file)]
        processes.worker("one", ["--engine", "cpu", "--threads", "1", *own])
        engine = connect(processes, **files)
        assert (all_scores(engine, job[0][:2], job[1], protein_scheme) == expected[:2]).all()
        engine.close()
        with pytest.raises(EngineUnavailable, match="no Dask scheduler"):
            connect(processes, **others)
        with pytest.raises(InvalidParameter, match="needs 'tls-ca'"):
            connect(processes)
    finally:
        processes.close()


def test_the_worker_command_refuses_plain_connections_to_others():
    from tests.engines.cluster.processes import WORKER

    found = subprocess.run(
        [sys.executable, "-c", WORKER, "10.1.2.3:8786"], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert found.returncode != 0
    assert "would be plain" in found.stderr


# The real thing


@pytest.mark.data
@pytest.mark.nightly
def test_three_workers_equal_the_cpu_engine_on_real_queries(processes, protein_scheme, data_dir):
    from swgui.core.database import encode_database
    from swgui.core.hits.scores import TopHits
    from swgui.io.sequences.reader import read_sequences

    folder = data_dir / "proteins"
    database = encode_database(read_sequences(folder / "swissprot_16species.fasta.gz", PROTEIN), PROTEIN)
    records = list(read_sequences(folder / "cudasw_20queries.fasta", PROTEIN))
    queries = [query_of(PROTEIN.encode(record.residues), record.id) for record in records]
    assert len(queries) == 20
    for name in ("one", "two", "three"):
        processes.worker(name)
    engine = cluster.create(
        EngineOptions(settings={"scheduler": processes.address, "shard-residues": "4000000", "unit-seconds": "0.5"})
    )
    seen = set()
    scores = run_with(engine, (queries, database), protein_scheme, lambda _, chunk: seen.add(chunk.device))
    engine.close()
    local = cpu.create(EngineOptions(threads=2))
    wanted = all_scores(local, queries, database, protein_scheme)
    local.close()
    assert (scores == wanted).all()
    assert len(seen) == 3
    everything = np.arange(len(database), dtype=np.int64)
    for row, right in zip(scores, wanted, strict=True):
        ours, theirs = TopHits(500), TopHits(500)
        ours.update(row.astype(np.int32), everything)
        theirs.update(right.astype(np.int32), everything)
        assert ours == theirs
