"""Series made ahead on other threads: in order, bounded, and ended with whoever takes them."""

from __future__ import annotations

import threading

import pytest

from swgui.core.errors import Stopped
from swgui.jobs.ahead import WAITING, one_after_the_other


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
    assert list(one_after_the_other(makers, threads)) == expected
    assert list(one_after_the_other([], threads)) == []


def test_the_next_series_is_made_while_one_is_taken():
    second = threading.Event()

    def other(check):
        second.set()
        yield "second"

    taken = one_after_the_other([series(["first", "more"]), other], 2)
    assert next(taken) == "first"
    assert second.wait(30)
    assert list(taken) == ["more", "second"]


def test_an_error_comes_behind_the_values_before_it():
    def broken(check):
        yield 2
        raise ValueError("broken")

    taken = one_after_the_other([series([1]), broken, series([3])], 3)
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

    taken = one_after_the_other([series([0] * 3), endless, waits], 3)
    assert next(taken) == 0
    taken.close()
    assert ended.is_set()
    assert asked == ["stopped"]
    assert len(made) <= WAITING + 1
