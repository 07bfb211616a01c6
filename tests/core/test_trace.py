"""Parts of a run: each second counts once, whichever thread spends it."""

from __future__ import annotations

import threading

import pytest

from swgui.core import trace
from swgui.core.trace import PhaseTimer, part, parted, read_parts, tracing


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that stands still until the test moves it on."""

    class Clock:
        now = 100.0

        def __call__(self):
            return self.now

    stopped = Clock()
    monkeypatch.setattr(trace, "perf_counter", stopped)
    return stopped


def spent(timer):
    return {name: seconds for name, seconds in timer.seconds().items() if seconds}


def test_a_part_inside_another_counts_once(clock):
    with tracing(before=0.5) as timer:
        clock.now += 1
        with part("open"):
            clock.now += 2
            with part("import"):
                clock.now += 4
            clock.now += 8
        clock.now += 16
    assert spent(timer) == {"import": 4.5, "open": 10.0, "other": 17.0}


def test_work_of_another_thread_is_taken_off_the_part_that_waits_for_it(clock):
    timer = PhaseTimer()

    def compile_kernels():
        with timer.part("compile"):
            clock.now += 3

    with timer.part("scan"):
        clock.now += 1
        worker = threading.Thread(target=compile_kernels)
        worker.start()
        worker.join()
        clock.now += 1
    assert spent(timer) == {"compile": 3.0, "scan": 2.0}


def test_making_values_counts_and_using_them_does_not(clock):
    def numbers():
        for number in range(3):
            clock.now += 1
            yield number

    with tracing() as timer:
        for _ in parted("align", numbers()):
            clock.now += 10
    assert spent(timer) == {"align": 3.0, "other": 30.0}


def test_a_part_that_fails_counts(clock):
    timer = PhaseTimer()

    def fail():
        with timer.part("write"):
            clock.now += 1
            raise ValueError("no space")

    with pytest.raises(ValueError, match="no space"):
        fail()
    assert spent(timer) == {"write": 1.0}


def test_the_line_has_what_took_time(clock):
    timer = PhaseTimer()
    with timer.part("scan"):
        clock.now += 1.25
    clock.now += 0.25
    assert timer.text() == "time in seconds: scan 1.250, other 0.250; 1.500 in all."


def test_without_a_trace_parts_change_nothing():
    with part("scan"):
        assert list(parted("align", iter("ab"))) == ["a", "b"]


def test_what_a_trace_says_can_be_read(clock):
    with tracing(before=0.25) as timer:
        with part("scan"):
            clock.now += 1.5
        clock.now += 0.125
        text = timer.text()
    assert read_parts(f"swgui: a note.\nswgui: {text}\n") == {"import": 0.25, "scan": 1.5, "other": 0.125}
    assert read_parts("swgui: nothing of the kind.") == {}


def test_a_trace_that_ends_late_leaves_the_newer_one_alone(clock):
    first, second = tracing(), tracing()
    first.__enter__()
    newer = second.__enter__()
    first.__exit__(None, None, None)
    with part("scan"):
        clock.now += 2
    second.__exit__(None, None, None)
    assert newer.seconds()["scan"] == 2
