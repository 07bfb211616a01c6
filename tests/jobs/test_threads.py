"""Series made ahead on other threads: in order, bounded, and ended with their reader; work at the same time."""

from __future__ import annotations

import threading

import pytest

from swgui.core.control import start_thread
from swgui.core.errors import Stopped
from swgui.jobs.threads import WAITING, Tasks, in_order, workers_and_threads


def series(values, made=None):
    def make(check):
        for value in values:
            check()
            if made is not None:
                made.append(value)
            yield value

    return make


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_values_come_in_order(threads):
    makers = [series([(number, at) for at in range(number * 7 % 31)]) for number in range(20)]
    expected = [(number, at) for number in range(20) for at in range(number * 7 % 31)]
    assert list(in_order(makers, threads)) == expected
    assert list(in_order([], threads)) == []


def test_the_next_series_is_made_while_one_is_taken():
    second = threading.Event()

    def other(check):
        second.set()
        yield "second"

    taken = in_order([series(["first", "more"]), other], 2)
    assert next(taken) == "first"
    assert second.wait(60)
    assert list(taken) == ["more", "second"]


def test_an_error_comes_behind_the_values_before_it():
    def broken(check):
        yield 2
        raise ValueError("broken")

    taken = in_order([series([1]), broken, series([3])], 3)
    assert [next(taken), next(taken)] == [1, 2]
    with pytest.raises(ValueError, match="broken"):
        next(taken)


def test_nothing_more_is_made_than_may_wait_and_nothing_after_the_end():
    made, asked, ended = [], [], threading.Event()

    def endless(check):
        try:
            while True:
                made.append(1)
                yield 1
        finally:
            ended.set()

    def waits(check):
        try:
            while not ended.wait(0.001):
                check()
            check()
        except Stopped:
            asked.append("stopped")
            raise
        yield 2

    taken = in_order([series([0] * 3), endless, waits], 3)
    assert next(taken) == 0
    taken.close()
    assert ended.is_set()
    assert asked == ["stopped"]
    assert len(made) <= WAITING + 1


def test_tasks_are_taken_as_they_are_done():
    first = threading.Event()
    with Tasks(2, "of the test") as tasks:
        tasks.begin("waits", lambda: first.wait(60))
        tasks.begin("ends", lambda: 2)
        assert list(tasks.done(patient=True)) == [("ends", 2)]
        assert len(tasks) == 1
        first.set()
        assert list(tasks.done(patient=True)) == [("waits", True)]
        assert not tasks
        tasks.begin("fails", lambda: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            list(tasks.done(patient=True))


@pytest.mark.parametrize(
    ("lists", "threads", "expected"), [(1, 16, (1, 16)), (5, 2, (2, 2)), (500, 16, (8, -16)), (9, 1, (1, -1))]
)
def test_lists_made_at_once_share_the_threads(lists, threads, expected):
    assert workers_and_threads(lists, threads) == expected


def test_the_future_has_what_the_work_returned():
    go_on = threading.Event()
    future = start_thread(lambda: go_on.wait(60) and threading.current_thread().name, "a name")
    assert not future.done()
    go_on.set()
    assert future.result(10) == "a name"


def test_the_future_raises_what_the_work_raised():
    def work():
        raise Stopped("enough")

    with pytest.raises(Stopped, match="enough"):
        start_thread(work, "a name", daemon=True).result(10)


@pytest.mark.parametrize("daemon", [False, True])
def test_whether_the_program_waits_for_it(daemon):
    assert start_thread(lambda: threading.current_thread().daemon, "a name", daemon=daemon).result(10) is daemon


def test_tasks_that_wait_do_not_begin_once_they_are_closed():
    begun, gate = [], threading.Event()

    def work():
        begun.append(1)
        gate.wait(60)

    tasks = Tasks(1, "of the test")
    for number in range(4):
        tasks.begin(number, work)
    threading.Timer(0.2, gate.set).start()
    tasks.close()
    assert len(begun) <= 1
