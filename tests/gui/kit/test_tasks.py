import threading

import pytest
from PySide6.QtCore import QObject, QThread
from shiboken6 import delete

from swgui.core.errors import FileFault
from swgui.gui.kit.tasks import task as task_module
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task


@pytest.fixture
def task(qapp):
    task = Task()
    yield task
    task.shutdown()


@pytest.fixture
def short(tasks):
    return tasks


class Heard:
    """The messages of a task, and the thread that heard them."""

    def __init__(self, task):
        self.events, self.errors, self.ends, self.threads = [], [], [], set()
        task.part.connect(self.on_event)
        task.failed.connect(self.errors.append)
        task.finished.connect(self.ends.append)

    def on_event(self, event):
        self.events.append(event)
        self.threads.add(threading.get_ident())


def test_events_arrive_in_order_on_the_windows_thread(task, qtbot):
    heard = Heard(task)
    seen = []

    def work(cancel):
        seen.append(threading.get_ident())
        yield from range(5)

    with qtbot.waitSignal(task.finished):
        task.follow(work)
    assert heard.events == list(range(5))
    assert heard.ends == [False]
    assert heard.threads == {threading.get_ident()}
    assert seen[0] != threading.get_ident()
    assert not task.busy


def test_the_generator_is_closed_in_the_thread_that_ran_it(task, qtbot):
    where = {}

    def work(cancel):
        where["ran"] = threading.get_ident()
        try:
            yield 1
            raise RuntimeError("the device is lost")
        finally:
            where["closed"] = threading.get_ident()

    heard = Heard(task)
    with qtbot.waitSignal(task.finished):
        task.follow(work)
    assert where["closed"] == where["ran"] != threading.get_ident()
    assert [str(error) for error in heard.errors] == ["the device is lost"]
    assert heard.ends == [False]


def test_what_the_system_says_is_a_sentence(task, qtbot):
    def work(control):
        raise OSError(5, "Input/output error", "/a/b.swgui")

    with qtbot.waitSignal(task.failed) as said:
        task.start(work)
    assert isinstance(said.args[0], FileFault)
    assert said.args[0].message == "'/a/b.swgui' cannot be read or written: Input/output error."


def test_failed_comes_before_finished_and_the_next_work_runs_in_the_same_thread(task, qtbot):
    order, threads = [], []
    task.failed.connect(lambda *_: order.append("failed"))
    task.finished.connect(lambda *_: order.append("finished"))

    def broken(cancel):
        threads.append(threading.get_ident())
        raise ValueError("no generator at all")

    with qtbot.waitSignal(task.finished):
        task.follow(broken)
    assert order == ["failed", "finished"]
    heard = Heard(task)
    with qtbot.waitSignal(task.finished):
        task.follow(lambda cancel: threads.append(threading.get_ident()) or ["a list will do"])
    assert heard.events == ["a list will do"]
    assert threads[0] == threads[1]


def test_stopped_work_may_still_hand_over_what_it_has(task, qtbot):
    started = threading.Event()

    def work(cancel):
        yield "begun"
        started.set()
        assert cancel.wait(60)
        yield "partial result"

    heard = Heard(task)
    task.follow(work)
    assert started.wait(60)
    with qtbot.waitSignal(task.finished):
        task.stop()
        assert task.stopping
    assert heard.events == ["begun", "partial result"]
    assert heard.ends == [True]


def test_stop_before_the_start_is_not_lost(task, qtbot):
    busy, hold = threading.Event(), threading.Event()
    heard = Heard(task)
    seen = []

    def first(cancel):
        busy.set()
        hold.wait(60)
        yield from ()

    def work(cancel):
        seen.append(cancel.is_set())
        yield "stopped at once"

    task.follow(first)
    assert busy.wait(60)  # otherwise the thread would pass over the first and begin the second at once
    task.follow(work)
    task.stop()
    with qtbot.waitSignal(task.finished):
        hold.set()
    assert seen == [True]
    assert heard.ends == [True]


def test_newer_work_silences_the_older(task, qtbot):
    closed = threading.Event()
    going = threading.Event()

    def endless(cancel):
        try:
            while True:
                yield "old"
                going.set()
        finally:
            closed.set()

    task.follow(endless)
    assert going.wait(60)
    heard = Heard(task)  # messages of the old work on their way are dropped from here on
    with qtbot.waitSignal(task.finished):
        task.follow(lambda cancel: iter(["new"]))
    assert closed.is_set()
    assert heard.events == ["new"]
    assert heard.ends == [False]


def test_results_of_another_generation_are_dropped(task, qtbot):
    hold, answers = threading.Event(), []
    task.start(lambda control: hold.wait(60) and "old", answers.append, answers.append)
    task.start(lambda control: "new", answers.append, answers.append)
    hold.set()
    qtbot.waitUntil(lambda: task.idle)
    assert answers == ["new"]
    task.start(lambda control: "dropped", answers.append, answers.append)
    task.drop()
    assert not task.busy
    qtbot.waitUntil(lambda: task.idle)
    assert answers == ["new"]


def test_shutdown_does_not_wait_and_join_does(qapp):
    going, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def work(control):
        going.set()
        assert control.wait(60)  # told to stop by the shutdown
        go_on.wait(60)
        ended.set()

    task = Task()
    answers = []
    task.start(work, answers.append, answers.append)
    assert going.wait(60)
    task.shutdown()
    task.shutdown()
    assert not ended.is_set()
    assert not task_module.join(0)
    go_on.set()
    assert task_module.join(60_000)
    assert ended.is_set()
    task.start(work, answers.append)
    qapp.processEvents()
    assert answers == []


def test_an_endless_generator_ends_with_its_task(qapp):
    going = threading.Event()

    def endless(cancel):
        while True:
            going.set()
            yield None

    task = Task()
    task.follow(endless)
    assert going.wait(60)
    task.shutdown()
    assert task_module.join(60_000)


def test_payloads_are_passed_by_reference(task, qtbot):
    payload = bytearray(1000)
    heard = Heard(task)
    with qtbot.waitSignal(task.finished):
        task.follow(lambda cancel: iter([payload]))
    assert heard.events[0] is payload


def test_progress_is_told_in_thousandths_and_the_last_of_it_is_not_lost(task, qtbot):
    seen, results, said, go_on = [], [], threading.Event(), threading.Event()
    task.progressed.connect(lambda *told: seen.append(told))

    def work(control):
        control.tell(1, 4 << 40, "beyond 32 bits")
        assert said.wait(60)
        for step in range(1000):
            control.tell(step, 1000)
        control.tell(3 << 40, 4 << 40, "last")
        assert go_on.wait(60)
        return "made"

    task.start(work, results.append, results.append, title="Working")
    assert (task.busy, task.title) == (True, "Working")
    qtbot.waitUntil(lambda: seen == [(0, "beyond 32 bits")])
    said.set()
    qtbot.waitUntil(lambda: seen[-1] == (750, "last"))
    assert len(seen) < 100
    go_on.set()
    qtbot.waitUntil(lambda: results == ["made"])
    assert not task.busy


def test_a_task_whose_owner_is_gone_calls_nobody(qapp, qtbot):
    going, go_on, answers = threading.Event(), threading.Event(), []

    def work(control):
        going.set()
        go_on.wait(60)

    owner = QObject()
    task = Task(owner)
    task.start(work, answers.append, answers.append)
    assert going.wait(60)
    delete(owner)
    go_on.set()
    assert task_module.join(60_000)
    qapp.processEvents()
    assert answers == []


def test_tasks_answer_on_the_windows_thread(short, qtbot):
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
    short.submit("parse", lambda: hold.wait(60) and "old", answers.append)
    short.submit("parse", lambda: "new", answers.append)
    short.submit("other", lambda: "other", answers.append)
    hold.set()
    qtbot.waitUntil(lambda: short.idle)
    assert sorted(answers) == ["new", "other"]


def test_dropped_tasks_are_not_heard(short, qtbot):
    hold = threading.Event()
    answers = []
    short.submit("parse", lambda: hold.wait(60), answers.append)
    assert short.pending("parse")
    short.drop("parse")
    hold.set()
    qtbot.waitUntil(lambda: short.idle)
    assert answers == []


def test_failing_tasks_reach_their_callback_or_the_signal(short, qtbot):
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


def test_shutdown_of_tasks_calls_nobody_and_runs_the_last_thing_last(qapp, qtbot):
    short = Tasks(threads=1)
    order, answers = [], []
    begun, go_on = threading.Event(), threading.Event()

    def work():
        begun.set()
        go_on.wait(60)
        order.append("work")

    short.submit("x", work, answers.append)
    assert begun.wait(60)
    short.shutdown(last=lambda: order.append("last"))
    short.submit("y", lambda: 1, answers.append)
    go_on.set()
    assert task_module.join(60_000)
    qtbot.wait(60)
    assert (order, answers) == (["work", "last"], [])


def test_a_short_job_is_told_to_stop_when_it_is_dropped_or_replaced(qtbot, short):
    answers, stopped = [], []

    def work(control):
        stopped.append(control.wait(60))
        return "late"

    for end in (lambda: short.drop("x"), lambda: short.submit("x", lambda: "new", answers.append)):
        short.start("x", work, answers.append, answers.append)
        end()
        qtbot.waitUntil(lambda: short.idle)
    assert answers == ["new"]
    assert all(stopped)
