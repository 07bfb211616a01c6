import threading

import pytest
from PySide6.QtCore import QThread

from swgui.gui.kit.tasks.jobs import JobRunner, ShortJobs


@pytest.fixture
def runner(qapp):
    runner = JobRunner()
    yield runner
    runner.shutdown()


@pytest.fixture
def short(qapp):
    short = ShortJobs()
    yield short
    short.shutdown()


class Heard:
    """What a runner said, and in which thread it was heard."""

    def __init__(self, runner):
        self.events, self.errors, self.ends, self.threads = [], [], [], set()
        runner.event.connect(self.on_event)
        runner.failed.connect(lambda job, error: self.errors.append((job, error)))
        runner.finished.connect(lambda job, cancelled: self.ends.append((job, cancelled)))

    def on_event(self, job, event):
        self.events.append((job, event))
        self.threads.add(threading.get_ident())


def test_events_arrive_in_order_on_the_windows_thread(runner, qtbot):
    heard = Heard(runner)
    seen = []

    def job(cancel):
        seen.append(threading.get_ident())
        yield from range(5)

    with qtbot.waitSignal(runner.finished):
        job_id = runner.start(job)
    assert heard.events == [(job_id, n) for n in range(5)]
    assert heard.ends == [(job_id, False)]
    assert heard.threads == {threading.get_ident()}
    assert seen[0] != threading.get_ident()
    assert not runner.running


def test_the_generator_is_closed_in_the_workers_thread(runner, qtbot):
    where = {}

    def job(cancel):
        where["ran"] = threading.get_ident()
        try:
            yield 1
            raise RuntimeError("the device is lost")
        finally:
            where["closed"] = threading.get_ident()

    heard = Heard(runner)
    with qtbot.waitSignal(runner.finished):
        runner.start(job)
    assert where["closed"] == where["ran"] != threading.get_ident()
    assert [str(error) for _, error in heard.errors] == ["the device is lost"]
    assert heard.ends == [(1, False)]


def test_failed_comes_before_finished_and_the_thread_goes_on(runner, qtbot):
    order = []
    runner.failed.connect(lambda *_: order.append("failed"))
    runner.finished.connect(lambda *_: order.append("finished"))

    def broken(cancel):
        raise ValueError("no generator at all")

    with qtbot.waitSignal(runner.finished):
        runner.start(broken)
    assert order == ["failed", "finished"]
    heard = Heard(runner)
    with qtbot.waitSignal(runner.finished):
        runner.start(lambda cancel: ["a list will do"])
    assert heard.events == [(2, "a list will do")]


def test_a_cancelled_job_may_still_hand_over_what_it_has(runner, qtbot):
    started = threading.Event()

    def job(cancel):
        yield "begun"
        started.set()
        assert cancel.wait(5)
        yield "partial result"

    heard = Heard(runner)
    runner.start(job)
    assert started.wait(5)
    with qtbot.waitSignal(runner.finished):
        runner.cancel()
        assert runner.cancelling
    assert [event for _, event in heard.events] == ["begun", "partial result"]
    assert heard.ends == [(1, True)]


def test_cancel_before_the_start_is_not_lost(runner, qtbot):
    busy, hold = threading.Event(), threading.Event()
    heard = Heard(runner)
    seen = []

    def first(cancel):
        busy.set()
        hold.wait(5)
        yield from ()

    def job(cancel):
        seen.append(cancel.is_set())
        yield "stopped at once"

    runner.start(first)
    assert busy.wait(5)  # otherwise the thread would pass over the first job and begin the second at once
    runner.start(job)
    runner.cancel()
    with qtbot.waitSignal(runner.finished):
        hold.set()
    assert seen == [True]
    assert heard.ends == [(2, True)]


def test_a_newer_job_silences_the_older(runner, qtbot):
    closed = threading.Event()
    going = threading.Event()

    def endless(cancel):
        try:
            while True:
                yield "old"
                going.set()
        finally:
            closed.set()

    heard = Heard(runner)
    runner.start(endless)
    assert going.wait(5)
    with qtbot.waitSignal(runner.finished):
        runner.start(lambda cancel: iter(["new"]))
    assert closed.is_set()
    # Events of the old job that were on their way when it was replaced are dropped here.
    assert [(job, event) for job, event in heard.events if job == 2] == [(2, "new")]
    after = [job for job, _ in heard.events]
    assert after == sorted(after)
    assert heard.ends == [(2, False)]


def test_shutdown_joins_a_job_that_never_ends(qapp):
    runner = JobRunner()
    going = threading.Event()

    def endless(cancel):
        while True:
            going.set()
            yield None

    runner.start(endless)
    assert going.wait(5)
    thread = runner._thread
    runner.shutdown()
    runner.shutdown()
    assert thread.isFinished()
    with pytest.raises(RuntimeError):
        runner.start(endless)


def test_payloads_are_passed_by_reference(runner, qtbot):
    payload = bytearray(1000)
    heard = Heard(runner)
    with qtbot.waitSignal(runner.finished):
        runner.start(lambda cancel: iter([payload]))
    assert heard.events[0][1] is payload


def test_short_jobs_answer_on_the_windows_thread(short, qtbot):
    answers = []
    short.submit(
        "sum", lambda: (sum(range(10)), threading.get_ident()), lambda r: answers.append((r, QThread.currentThread()))
    )
    qtbot.waitUntil(lambda: short.idle)
    (total, worker), thread = answers[0]
    assert total == 45
    assert worker != threading.get_ident()
    assert thread == short.thread()


def test_only_the_newest_short_job_of_a_key_is_heard(short, qtbot):
    hold = threading.Event()
    answers = []
    short.submit("parse", lambda: hold.wait(5) and "old", answers.append)
    short.submit("parse", lambda: "new", answers.append)
    short.submit("other", lambda: "other", answers.append)
    hold.set()
    qtbot.waitUntil(lambda: short.idle)
    assert sorted(answers) == ["new", "other"]


def test_dropped_short_jobs_are_not_heard(short, qtbot):
    hold = threading.Event()
    answers = []
    short.submit("parse", lambda: hold.wait(5), answers.append)
    assert short.pending("parse")
    short.drop("parse")
    hold.set()
    qtbot.waitUntil(lambda: short.idle)
    assert answers == []


def test_failing_short_jobs_reach_their_callback_or_the_signal(short, qtbot):
    errors = []

    def fail():
        raise ValueError("line 3")

    short.submit("a", fail, lambda _: None, errors.append)
    qtbot.waitUntil(lambda: short.idle)
    assert [str(error) for error in errors] == ["line 3"]
    with qtbot.waitSignal(short.failed) as said:
        short.submit("b", fail, lambda _: None)
    assert said.args[0] == "b"
    assert str(said.args[1]) == "line 3"


def test_shutdown_waits_and_calls_nobody(qapp, qtbot):
    short = ShortJobs()
    ran, answers = threading.Event(), []
    begun = threading.Event()

    def work():
        begun.set()
        ran.set()

    short.submit("x", work, answers.append)
    assert begun.wait(5)
    short.shutdown()
    assert ran.is_set()
    short.submit("y", lambda: 1, answers.append)
    qtbot.wait(20)
    assert answers == []
