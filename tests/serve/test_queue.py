"""Who is next, and what becomes of jobs when something goes wrong."""

import sqlite3
import threading
import time
from typing import NamedTuple

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import Stopped, SwguiError
from swgui.core.profiles.alignment import AlignedRow, MasterAlignment
from swgui.core.profiles.diversity import diverse
from swgui.engines.native.rows import purge
from swgui.serve import queue as queueing
from swgui.serve.queue import Queue, in_turn
from swgui.serve.tickets import ATTEMPTS, COMPLETE, ERROR, PENDING, RUNNING, Ticket, Tickets

QUERY = ">101\nMKV\n"


@pytest.fixture
def tickets(tmp_path):
    made = Tickets(tmp_path / "folder")
    yield made
    made.close()


def put(tickets, owner="ann", query=QUERY, most=50):
    return tickets.submit(owner, "msa", "env", query, [3], "database", most)


class Asked(NamedTuple):
    """A job."""

    id: str
    owner: str
    kind: str
    query: str


class Work:
    """Makes archives without searching; waits, fails or is slow on request."""

    def __init__(self):
        self.go, self.batches, self.fails = threading.Event(), [], None
        self.go.set()

    def warm(self): ...

    def close(self): ...

    def drops(self, kind):
        return True

    def read(self, ticket, query):
        return Asked(ticket.id, ticket.owner, ticket.kind, query)

    def fits(self, jobs, job):
        return True

    def make(self, jobs, cancel, deliver, tell):
        self.batches.append([job.owner for job in jobs])
        while not self.go.wait(0.01):
            if cancel.is_set():
                raise Stopped
        if self.fails is not None:
            self.fails(jobs)
        for job in jobs:
            deliver(job, b"archive", 1)


@pytest.fixture
def work():
    return Work()


@pytest.fixture
def queue(tickets, work, monkeypatch):
    monkeypatch.setattr(queueing, "TEND", 0.05)
    made = Queue(tickets, work, 1e6)
    made.start()
    yield made
    made.close()


def done(queue, ticket):
    return queue.wait(ticket, time.monotonic() + 60)


def until(check):
    end = time.monotonic() + 60
    while not check():
        assert time.monotonic() < end
        time.sleep(0.01)


def state(tickets, ticket):
    return tickets.get(ticket.id).state


def test_owners_take_turns():
    def job(owner, number):
        return Ticket(str(number), owner, "msa", "env", "3", PENDING, "", float(number))

    waiting = [job("ann", 0), job("ann", 1), job("ann", 2), job("bob", 3), job("eve", 4)]
    assert [one.id for one in in_turn(waiting, {})] == ["0", "3", "4", "1", "2"]
    assert [one.id for one in in_turn(waiting, {"ann": 2, "bob": 1})] == ["4", "3", "0", "1", "2"]


def test_jobs_that_wait_are_one_search(queue, work, tickets):
    work.go.clear()
    first = put(tickets)
    queue.notify()
    until(lambda: state(tickets, first) == RUNNING)
    others = [put(tickets, owner, f">1\n{'MKV' * n}\n") for n in (1, 2) for owner in ("ann", "bob")]
    assert queue.searching
    work.go.set()
    assert all(done(queue, one).state == COMPLETE for one in [first, *others])
    assert work.batches == [["ann"], ["ann", "bob", "ann", "bob"]] or work.batches[1][:2] == ["bob", "ann"]


def test_one_job_is_stopped_and_the_others_go_on(queue, work, tickets):
    work.go.clear()
    one, two = put(tickets), put(tickets, "bob")
    queue.notify()
    until(lambda: state(tickets, two) == RUNNING)
    queue.stop(one.id)
    assert "stopped" in tickets.get(one.id).reason
    work.go.set()
    assert done(queue, two).state == COMPLETE
    assert state(tickets, one) == ERROR
    work.go.clear()
    last = put(tickets, "eve")
    queue.notify()
    until(lambda: state(tickets, last) == RUNNING)
    queue.stop(last.id)
    until(lambda: not queue.searching)  # this search is not wanted any more


def test_whoever_fails_fails_alone(queue, work, tickets):
    def fails(jobs):
        if any(job.owner == "bob" for job in jobs):
            raise SwguiError("The search failed.")

    work.fails = fails
    queue.pause(True)
    made = [put(tickets, owner) for owner in ("ann", "bob", "eve")]
    queue.notify()
    assert queue.paused
    queue.pause(False)
    assert [done(queue, one).state for one in made] == [COMPLETE, ERROR, COMPLETE]
    assert tickets.get(made[1].id).reason == "The search failed."


def test_a_fault_of_our_own_tells_nothing_of_the_sequence(queue, work, tickets, caplog):
    def fails(jobs):
        raise KeyError(jobs[0].query)

    work.fails = fails
    one = put(tickets)
    queue.notify()
    assert "KeyError" in done(queue, one).reason
    assert "MKV" not in caplog.text + tickets.get(one.id).reason


def test_a_table_that_cannot_be_read_for_a_while_ends_no_server(queue, tickets, monkeypatch, caplog):
    with monkeypatch.context() as broken:
        broken.setattr(tickets, "waiting", lambda: (_ for _ in ()).throw(sqlite3.DatabaseError(QUERY)))
        until(lambda: "DatabaseError" in caplog.text)
    one = put(tickets)
    queue.notify()
    assert done(queue, one).state == COMPLETE
    assert "MKV" not in caplog.text


def test_a_full_disk_is_said_and_nobody_waits_for_ever(queue, work, tickets, monkeypatch):
    one = put(tickets)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("swgui.serve.tickets.save_bytes", full)
    monkeypatch.setattr(tickets, "note_end", lambda *_, **__: (_ for _ in ()).throw(sqlite3.OperationalError("full")))
    queue.notify()
    ended = done(queue, one)
    assert ended.state == ERROR
    assert "No space left" in ended.reason
    assert [found.state for found in tickets.recent(5)] == [ERROR]
    until(lambda: not queue.searching)
    assert tickets.waiting() == []


def test_a_job_that_nobody_asks_for_is_dropped(queue, tickets, monkeypatch):
    queue.pause(True)
    one = put(tickets)
    queue.touch(one.id)
    monkeypatch.setattr(queueing, "ABANDONED", 0.05)
    until(lambda: state(tickets, one) == ERROR)
    assert "No client asked" in tickets.get(one.id).reason


def test_a_server_that_ends_gives_its_jobs_back(queue, work, tickets):
    work.go.clear()
    one = put(tickets)
    queue.notify()
    until(lambda: state(tickets, one) == RUNNING)
    queue.close()
    assert state(tickets, one) == PENDING


def test_tickets_outlive_their_server(tmp_path):
    first = Tickets(tmp_path)
    pending, running, done, gone = (put(first, owner) for owner in ("a", "b", "c", "d"))
    first.begin([running.id, done.id, gone.id])
    for ticket in (done, gone):
        first.complete(ticket.id, b"archive", 7)
    first.archive(gone.id).unlink()
    first.lock_file.close()  # as the system does when a program is killed
    second = Tickets(tmp_path)
    assert [second.get(one.id).state for one in (pending, running, done)] == [PENDING, PENDING, COMPLETE]
    assert second.get(gone.id).state == ERROR
    assert second.query(running.id) == QUERY
    assert second.get(done.id).rows == 7
    assert put(second, "a").id == pending.id
    assert put(second, "d").id != gone.id
    second.close()


def test_a_job_that_kills_its_server_is_given_up(tmp_path):
    for attempt in range(ATTEMPTS + 1):
        tickets = Tickets(tmp_path)
        one = put(tickets)
        if attempt < ATTEMPTS:
            tickets.begin([one.id])
            first = one
            tickets.lock_file.close()
    assert tickets.get(first.id).state == ERROR
    assert one.id != first.id
    tickets.close()


def test_results_are_deleted_after_their_time(tickets):
    one = put(tickets)
    tickets.complete(one.id, b"archive", 7)
    assert tickets.expire(time.time() - 60) == 0
    assert tickets.expire(time.time() + 60) == 1
    assert not tickets.archive(one.id).exists()
    assert "deleted after its time" in tickets.get(one.id).reason


def test_a_damaged_table_is_set_aside(tmp_path):
    tickets = Tickets(tmp_path)
    put(tickets)
    tickets.close()
    (tmp_path / "tickets.sqlite").write_bytes(b"this is no table" * 500)
    tickets = Tickets(tmp_path)
    assert tickets.recent(5) == []
    assert (tmp_path / "tickets.damaged").exists()
    tickets.close()


def test_an_owner_has_so_many_jobs_at_a_time(tickets):
    one = put(tickets, most=1)
    assert put(tickets, query=">1\nAAA\n", most=1) is None
    assert put(tickets, most=1).id == one.id
    assert put(tickets, "bob", most=1) is not None


def family(rows, columns=60, seed=0):
    """Return an alignment of relatives at all distances."""
    random = np.random.default_rng(seed)
    query = random.integers(0, 20, columns).astype(np.uint8)
    codes = np.where(
        random.random((rows, columns)) < random.random((rows, 1)) * 0.95,
        random.integers(0, 20, (rows, columns)).astype(np.uint8), query,
    ).astype(np.uint8)  # fmt: skip
    made = [AlignedRow(f"r{n}", "", row, log10_evalue=-50.0 + n * 0.001) for n, row in enumerate(codes)]
    return MasterAlignment(PROTEIN, (AlignedRow("q", "", query), *made))


def test_few_rows_are_left_alone_and_many_thinned_at_every_distance():
    assert len(diverse(family(900), purge)) == 901
    many = family(4500)
    kept = diverse(many, purge)
    assert kept.ids[0] == "q"
    assert 1500 < len(kept) <= 3005
    places = [int(name[1:]) for name in kept.ids[1:]]
    assert places == sorted(places)
    same = (kept.codes == kept.codes[0]).mean(axis=1)[1:]
    assert min(np.histogram(same, 5, (0, 1))[0][:4]) > 100
