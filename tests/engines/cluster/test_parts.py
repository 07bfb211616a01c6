"""The parts of the cluster engine that need no cluster: settings, cutting, and what a worker does."""

from __future__ import annotations

import importlib.util
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.devices import TLS_SETTINGS, ClusterAddress
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter
from swgui.core.hits.scores import ChunkScores
from swgui.core.organisms.limit import limit_of
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.records import SequenceRecord
from swgui.core.several.part import restricted
from swgui.engines import cpu, reference
from swgui.engines.cluster import engine as cluster
from swgui.engines.cluster.scorer import Scorer, UnitRequest
from swgui.engines.cluster.security import Connection, make_connection, read_settings
from swgui.engines.cluster.shards import (
    LETTERS_PER_UNIT,
    SCORES_PER_UNIT,
    WorkPool,
    name_shards,
    shard_database,
    take_shard,
)
from swgui.io.database.build import save_database
from tests.engines.conftest import database_of, query_of, random_codes


@pytest.fixture
def database(rng):
    return database_of([random_codes(rng, int(length), 20) for length in rng.integers(0, 120, 300)], PROTEIN)


# Settings and connections


def test_status_says_how_to_install_what_is_missing(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    found = cluster.status()
    assert not found.available
    assert "dask and distributed" in found.reason
    assert "pip install 'swgui-core[cluster]'" in found.hint
    with pytest.raises(EngineUnavailable, match="distributed"):
        cluster.create(EngineOptions(settings={"scheduler": "localhost:1"}))


def test_asking_for_the_status_does_not_load_dask():
    code = (
        "import sys; from swgui.engines.cluster import engine; from swgui.cli.computer import worker; engine.status();"
        "print([name for name in ('dask', 'distributed') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("localhost:8786", "tcp://localhost:8786"),
        ("127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("127.8.9.1:1", "tcp://127.8.9.1:1"),
        ("tcp://[::1]:8786", "tcp://[::1]:8786"),
    ],
)
def test_plain_connections_on_this_computer_are_allowed(address, expected):
    assert make_connection(ClusterAddress(address)) == Connection(expected)


@pytest.mark.parametrize("address", ["node1:8786", "tcp://10.0.0.1:8786", "tcp://[fe80::1]:9", "0.0.0.0:8786"])
def test_plain_connections_to_others_must_be_allowed(address):
    with pytest.raises(EngineUnavailable, match="would be plain") as refusal:
        make_connection(ClusterAddress(address))
    assert "allow-plain" in refusal.value.hint
    assert not make_connection(ClusterAddress(address, allow_plain=True)).encrypted


@pytest.mark.parametrize(
    "address", ["", "node1", "node1:0", "node1:x", "node1:99999", "http://a:1", "inproc://a:1", "tcp://a:1/b", "u@a:1"]
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(InvalidParameter) as refusal:
        make_connection(ClusterAddress(address, allow_plain=True))
    assert refusal.value.name == "scheduler"


def test_tls_needs_all_three_files_and_a_tls_address(tmp_path):
    files = [str(tmp_path / name) for name in TLS_SETTINGS]
    with pytest.raises(InvalidParameter, match="does not exist"):
        make_connection(ClusterAddress("node1:1", *files))
    for file in files:
        open(file, "w").close()
    assert make_connection(ClusterAddress("node1:1", *files)) == Connection("tls://node1:1", *files)
    with pytest.raises(InvalidParameter, match="plain connection"):
        make_connection(ClusterAddress("tcp://node1:1", *files, allow_plain=True))
    with pytest.raises(InvalidParameter, match="needs 'tls-key'"):
        make_connection(ClusterAddress("tls://node1:1", *files[:2], allow_plain=True))
    with pytest.raises(InvalidParameter, match="needs 'tls-ca'"):
        make_connection(ClusterAddress("tls://node1:1", allow_plain=True))


def test_settings_are_read_and_unknown_ones_refused(monkeypatch):
    monkeypatch.setenv("SWGUI_SCHEDULER", "localhost:7")
    found = read_settings({"unit-seconds": "0.5", "shard-residues": "1000"})
    assert (found.connection.address, found.unit_seconds, found.shard_residues) == ("tcp://localhost:7", 0.5, 1000)
    assert read_settings({"scheduler": "localhost:8"}).connection.address == "tcp://localhost:8"
    assert read_settings({"scheduler": "a:8", "allow-plain": "on"}).connection.address == "tcp://a:8"
    for name, value in (("colour", "red"), ("unit-seconds", "-1"), ("stall-seconds", "nan"), ("allow-plain", "maybe")):
        with pytest.raises(InvalidParameter) as refusal:
            read_settings({name: value})
        assert refusal.value.name == name
    monkeypatch.delenv("SWGUI_SCHEDULER")
    with pytest.raises(InvalidParameter, match="needs the address"):
        read_settings({})


# Shards and units


def test_shards_cover_the_database_and_have_lasting_names(database):
    shards = name_shards(database, 1000)
    assert len(shards) > 5
    assert [shard.start for shard in shards] == [0, *(shard.stop for shard in shards[:-1])]
    assert shards[-1].stop == len(database)
    assert sum(shard.residues for shard in shards) == database.residues
    assert shards == name_shards(database, 1000)
    whole = np.concatenate([take_shard(database, shard).codes for shard in shards])
    assert (whole == database.codes).all()


def test_a_shard_is_searched_like_a_database(database, protein_scheme):
    query = query_of(database.subject(5))
    for shard in name_shards(database, 4000):
        part = shard_database(shard, PROTEIN, take_shard(database, shard))
        assert len(part) == shard.stop - shard.start
        assert (part.subject(0) == database.subject(int(database.order[shard.start]))).all()
        plans = plan_chunks(part.offsets, ChunkLimits(residues=500))
        found = list(reference.create(EngineOptions()).score([query], part, plans, protein_scheme, threading.Event()))
        assert sum(len(chunk.db_index) for chunk in found) == len(part)


def test_a_shard_that_is_not_what_its_name_says_is_refused(database):
    first, second = name_shards(database, 3000)[:2]
    with pytest.raises(ValueError, match="subjects"):
        shard_database(first, PROTEIN, take_shard(database, second))
    wrong = take_shard(database, first)
    wrong.offsets[1] = -(10**9)
    with pytest.raises(ValueError, match="not consecutive"):
        shard_database(first, PROTEIN, wrong)


@pytest.mark.parametrize("seed", range(20))
def test_units_cover_every_pair_once_whatever_is_asked_for_and_given_back(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 200, int(rng.integers(1, 40))).tolist()
    subjects = [random_codes(rng, int(length), 20) for length in rng.integers(0, 90, int(rng.integers(1, 200)))]
    database = database_of(subjects, PROTEIN)
    shards = name_shards(database, int(rng.integers(50, 3000)))
    plans = plan_chunks(database.offsets, ChunkLimits(int(rng.integers(1, 900)), int(rng.integers(1, 50))))
    plans = [plan for plan in plans if rng.random() < 0.8] or plans[:1]
    pool = WorkPool(shards, plans, database.offsets, lengths)
    seen = np.zeros((len(lengths), len(database)), dtype=int)
    out, cells = [], pool.cells_left
    assert cells == sum(lengths) * sum(plan.residues for plan in plans)
    while not pool.finished:
        worker = f"w{rng.integers(3)}"
        unit = pool.take(worker, set(shards[: int(rng.integers(len(shards) + 1))]), float(10 ** rng.uniform(0, 7)))
        if unit is not None:
            out.append(unit)
        if out and (unit is None or rng.random() < 0.5):
            unit = out.pop(int(rng.integers(len(out))))
            if rng.random() < 0.3:
                pool.give_back(unit)
                if rng.random() < 0.5:  # a worker given up reports after all
                    out.append(unit)
            elif pool.count(unit):
                assert unit.shard.start <= unit.start < unit.stop <= unit.shard.stop
                assert unit.cells == sum(lengths[slice(*unit.queries)]) * sum(piece.residues for piece in unit.pieces)
                assert pool.cells_left == cells - unit.cells
                cells = pool.cells_left
                seen[slice(*unit.queries), unit.start : unit.stop] += 1
                assert not pool.count(unit)
    wanted = np.zeros(len(database), dtype=int)
    for plan in plans:
        wanted[plan.start : plan.stop] = 1
    assert (seen == wanted).all()
    assert pool.cells_left == 0
    assert pool.take("w0", set(), 1e9) is None


def test_units_are_of_the_size_asked_for_and_their_messages_bounded(rng):
    database = database_of([random_codes(rng, 100, 20)] * 400, PROTEIN)
    plans = plan_chunks(database.offsets, ChunkLimits(residues=1000))
    for wanted in (1e5, 1e6, 1e7, 1e12):
        pool = WorkPool(name_shards(database, 10**9), plans, database.offsets, [50] * 3000)
        sizes = []
        while not pool.finished:
            unit = pool.take("w", set(), wanted)
            queries = unit.queries[1] - unit.queries[0]
            assert unit.cells <= max(wanted, 50 * 1000)
            assert queries * 50 <= LETTERS_PER_UNIT
            assert queries * (unit.stop - unit.start) <= SCORES_PER_UNIT
            sizes.append(unit.cells)
            pool.count(unit)
        assert len(sizes) < 6 * max(1, sum(sizes) / wanted) + 10


def test_a_worker_stays_at_its_shard_and_others_go_to_free_ones(database):
    shards = name_shards(database, 3000)
    pool = WorkPool(shards, plan_chunks(database.offsets, ChunkLimits(100)), database.offsets, [10])
    taken = {worker: [pool.take(worker, {shards[2]}, 1).shard for _ in range(3)] for worker in ("a", "b", "c")}
    assert taken["a"] == [shards[2]] * 3
    free = WorkPool(shards, plan_chunks(database.offsets, ChunkLimits(100)), database.offsets, [10])
    first = {worker: free.take(worker, set(), 1).shard for worker in ("a", "b", "c")}
    assert len(set(first.values())) == 3
    assert {worker: free.take(worker, set(), 1).shard for worker in first} == first


# What a worker does


def no_shifts(*given):
    pytest.fail("no search here has frameshifts")


def scorer_of(find=lambda checksum: None, keep_bytes=1 << 30, engine=None):
    return Scorer(lambda: engine or cpu.create(EngineOptions(threads=1)), find, keep_bytes, no_shifts)


def request_for(shard, queries, scheme, run="run"):
    return UnitRequest(run, shard, 0, shard.stop - shard.start, tuple(queries), scheme)


def test_a_worker_scores_what_it_was_sent_and_says_what_it_lacks(database, protein_scheme, rng):
    queries = [query_of(random_codes(rng, 40, 20)) for _ in range(3)]
    scorer = scorer_of()
    shard = name_shards(database, 4000)[1]
    assert not scorer.open_shard(shard)
    assert scorer.score(request_for(shard, queries, protein_scheme)).state == "missing"
    scorer.keep_shard(shard, take_shard(database, shard))
    assert scorer.open_shard(shard)
    answer = scorer.score(request_for(shard, queries, protein_scheme))
    plans = plan_chunks(database.offsets, ChunkLimits(10**9))
    expected = np.zeros((3, len(database)), dtype=np.int32)
    for chunk in reference.create(EngineOptions()).score(queries, database, plans, protein_scheme, threading.Event()):
        expected[chunk.query_index, chunk.db_index] = chunk.scores
    assert (answer.scores == expected[:, database.order[shard.start : shard.stop]]).all()
    facts = scorer.facts()
    assert facts.engine == "cpu"
    assert facts.gcups > 0
    assert facts.shards == {shard}
    scorer.close()


def test_a_worker_keeps_no_more_than_it_may(database):
    shards = name_shards(database, 3000)
    scorer = scorer_of(keep_bytes=7000)
    for shard in shards[:4]:
        scorer.keep_shard(shard, take_shard(database, shard))
    assert scorer.facts().shards == {shards[2], shards[3]}
    scorer.close()


def test_a_worker_opens_the_file_with_the_right_checksum_only(database, tmp_path, rng, protein_scheme):
    from swgui.jobs.cluster.worker import DatabaseFiles

    other = database_of([random_codes(rng, 50, 20)] * 400, PROTEIN)
    (tmp_path / "a-damaged.swdb").write_bytes(b"not a database")
    files = DatabaseFiles([tmp_path, tmp_path / "absent"])
    shard = name_shards(database, 4000)[0]
    scorer = scorer_of(files.find)
    assert not scorer.open_shard(shard)
    save_database(other, tmp_path / "b.swdb")
    assert not scorer.open_shard(shard)
    save_database(database, tmp_path / "c.swdb")
    assert scorer.open_shard(shard)
    assert scorer.score(request_for(shard, [query_of(database.subject(3))], protein_scheme)).state == "scored"
    scorer.close()


class Waiting:
    """An engine that works until it is stopped."""

    name = "waiting"
    devices = ()

    def __init__(self):
        self.working = threading.Event()

    def chunk_limits(self, queries, database):
        return ChunkLimits(10**9)

    def score(self, queries, database, plans, scheme, cancel):
        self.working.set()
        assert cancel.wait(60)
        return iter(())

    def close(self):
        pass


def test_a_stop_reaches_into_the_unit_under_way_and_those_to_come(database, protein_scheme):
    engine = Waiting()
    scorer = scorer_of(engine=engine)
    shard = name_shards(database, 4000)[0]
    scorer.keep_shard(shard, take_shard(database, shard))
    answers = []
    request = request_for(shard, [query_of(database.subject(3))], protein_scheme)
    worker = threading.Thread(target=lambda: answers.append(scorer.score(request)))
    worker.start()
    assert engine.working.wait(60)
    scorer.stop("run")
    worker.join(60)
    assert [answer.state for answer in answers] == ["stopped"]
    assert scorer.score(request).state == "stopped"
    scorer.close()


class Wrong(Waiting):
    """An engine that fails, or leaves a subject out."""

    def __init__(self, error=None):
        self.error = error

    def score(self, queries, database, plans, scheme, cancel):
        if self.error:
            raise self.error
        index = np.arange(1, len(database))
        yield ChunkScores(0, index, np.zeros(len(index), dtype=np.int32), 1)


@pytest.mark.parametrize(
    ("engine", "message"), [(Wrong(EngineFault("It broke.", hint="Mend it.")), "It broke."), (Wrong(), "left subjects")]
)
def test_what_goes_wrong_in_the_engine_is_told(database, protein_scheme, engine, message):
    scorer = scorer_of(engine=engine)
    shard = name_shards(database, 4000)[0]
    scorer.keep_shard(shard, take_shard(database, shard))
    answer = scorer.score(request_for(shard, [query_of(database.subject(3))], protein_scheme))
    assert answer.state == "failed"
    assert message in answer.message
    assert answer.scores is None
    scorer.close()


def test_a_worker_without_an_engine_says_why():
    def none():
        raise EngineUnavailable("cpu", "No library.", hint="Install one.")

    facts = Scorer(none, lambda checksum: None, 1, no_shifts).facts()
    assert (facts.problem, facts.hint) == ("No library.", "Install one.")


# The command

needs_dask = pytest.mark.skipif(not cluster.status().available, reason=cluster.status().reason)


@needs_dask
def test_a_worker_is_started_for_every_gpu_and_all_end_with_the_command(monkeypatch):
    import argparse

    from swgui.cli.computer import worker
    from swgui.cli.computer.worker import WORKER
    from swgui.commands.option import declare

    started = []

    class Process:
        def __init__(self, command):
            self.command, self.ended = command, False
            started.append(self)

        def wait(self):
            return 3 if "1" in self.command else 0

        def terminate(self):
            self.ended = True

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(worker, "gpus_to_use", lambda engine: ("0", "1"))
    monkeypatch.setattr(worker.subprocess, "Popen", Process)
    monkeypatch.setattr(sys, "argv", ["swgui", "worker", "localhost:1", "--name", "x"])
    parser = argparse.ArgumentParser()
    declare(parser, WORKER)
    try:
        assert worker.run(parser.parse_args(["localhost:1", "--name", "x"])) == 3
    finally:
        signal.signal(signal.SIGTERM, before)
    for device, process in zip("01", started, strict=True):
        parsed = parser.parse_args(process.command[process.command.index("worker") + 1 :])
        assert (parsed.engine, parsed.device, parsed.name) == ("cuda", device, f"x-{device}")
        assert process.ended


@needs_dask
def test_the_address_of_a_worker_may_come_from_the_environment(monkeypatch):
    import argparse

    from swgui.cli.computer import worker
    from swgui.cli.computer.worker import WORKER
    from swgui.commands.option import declare

    parser = argparse.ArgumentParser()
    declare(parser, WORKER)
    monkeypatch.delenv("SWGUI_SCHEDULER", raising=False)
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://10.9.8.7:8786")
    with pytest.raises(EngineUnavailable, match=r"10\.9\.8\.7 would be plain"):
        worker.run(parser.parse_args([]))
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS")
    with pytest.raises(InvalidParameter, match="needs the address"):
        worker.run(parser.parse_args([]))


def test_some_organisms_of_a_database_are_cut_and_sent_like_any_other(rng):
    names = ["Homo sapiens", "Mus musculus"]
    records = [
        SequenceRecord(f"s{at}", f"OS={names[at % 2]}", PROTEIN.decode(random_codes(rng, 5 + at % 50, 20)))
        for at in range(200)
    ]
    whole = encode_database(records, PROTEIN, "both")
    part = restricted(whole, limit_of(["Mus musculus"], ()))
    alone = encode_database(records[1::2], PROTEIN, "mice")
    shards = name_shards(part, 900)
    assert len(shards) > 2
    assert not {name.checksum for name in shards} & {name.checksum for name in name_shards(whole, 900)}
    for name, same in zip(shards, name_shards(alone, 900), strict=True):
        cut = shard_database(name, PROTEIN, take_shard(part, name))
        expected = shard_database(same, PROTEIN, take_shard(alone, same))
        np.testing.assert_array_equal(cut.codes, expected.codes)
        np.testing.assert_array_equal(cut.offsets, expected.offsets)
