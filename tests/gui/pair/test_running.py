"""While a pair is aligned: progress, rest, stop, faults, and a search at the same time."""

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFrame, QPushButton

from swgui.core.errors import EngineFault
from swgui.core.pair.problem import PairEnd, PairPlan
from swgui.core.plain import replace
from swgui.gui.pair.control import PairRunState
from swgui.jobs.events import Finished
from swgui.jobs.pair.events import PairStarted
from swgui.jobs.pair.run import align_pair
from tests.gui.pair.conftest import Slow, fill, plan, related, scoring, started, text_of


def test_a_stopped_pair_keeps_what_it_has(make_page, qtbot):
    slow = Slow()
    page = make_page(align=slow, plan=plan)
    fill(page, qtbot, *related())
    page.align()
    qtbot.waitUntil(slow.going.is_set)
    qtbot.waitUntil(lambda: "best score so far 77" in text_of(page, "pairProgress"))
    assert text_of(page, "pairStage") == "Scoring, plus strand, alignment 2"
    assert text_of(page, "pairTimeLeft") == "about 12 s left"
    assert "20 % of them skipped" in text_of(page, "pairProgress")
    assert "1 alignment found" in text_of(page, "pairProgress")
    assert not page.ready  # one at a time
    said = []
    page.said.connect(lambda *words: said.append(words))
    with qtbot.waitSignal(page.finished):
        qtbot.mouseClick(page.findChild(QPushButton, "pairStop"), Qt.MouseButton.LeftButton)
    assert page.result.state == "stopped"
    assert page.findChild(QFrame, "pairPartial").isVisible()
    assert said[0][:2] == ("info", "The alignment was stopped.")
    assert page.findChild(QComboBox, "pairResults").itemText(0).endswith(", partial")
    qtbot.waitUntil(lambda: page.ready)


def test_a_pair_can_rest(make_page, qtbot):
    resting = threading.Event()

    def rests(request, cancel, planned=None):
        whole = next(e for e in align_pair(replace(request, limit=1), threading.Event()) if isinstance(e, Finished))
        yield started(request)
        for step in range(10**6):
            if cancel.paused:
                resting.set()
                cancel.wait_while_paused()
            if cancel.wait(0.005):
                break
            yield scoring("plus", 1, step, 10**6, seconds=step * 0.01, left=9.0)
        yield Finished(replace(whole.outcome, state="stopped", reason="Stopped by you."))

    page = make_page(align=rests, plan=plan)
    fill(page, qtbot, *related())
    page.align()
    qtbot.waitUntil(lambda: text_of(page, "pairTimeLeft").endswith("left"))
    button = page.findChild(QPushButton, "pairPause")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.text() == "Resume"
    assert text_of(page, "pairTimeLeft") == "Paused"
    qtbot.waitUntil(resting.is_set)
    qtbot.wait(150)
    done = page.control.state.progress.cells_done
    qtbot.wait(150)
    assert page.control.state.progress.cells_done == done
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.control.state.progress.cells_done > done)
    page.control.pause(True)
    with qtbot.waitSignal(page.finished):
        page.stop()
    assert button.text() == "Pause"
    assert not page.control.paused


def test_faults_are_told_and_the_page_goes_on(make_page, qtbot):
    def broken(request, cancel, planned=None):
        yield started(request)
        raise EngineFault("The GPU stopped answering.")

    page = make_page(align=broken, plan=plan)
    fill(page, qtbot, *related())
    with qtbot.waitSignal(page.failed) as failed:
        page.align()
    assert "stopped answering" in str(failed.args[0])
    assert page.control.phase == "idle"
    qtbot.waitUntil(lambda: page.ready)

    def partly(request, cancel, planned=None):
        whole = next(e for e in align_pair(replace(request, limit=1), cancel) if isinstance(e, Finished)).outcome
        yield Finished(replace(whole, state="failed", reason="The device was lost."))

    other = make_page(align=partly, plan=plan)
    fill(other, qtbot, *related())
    with qtbot.waitSignal(other.said) as said:
        other.align()
    assert said.args[:2] == ["danger", "The alignment ended early."]
    assert "The device was lost." in said.args[2]


def test_a_pair_waits_for_its_device(make_page, qtbot):
    page, free = make_page(), []
    page.control.may_begin = lambda _request: bool(free)
    fill(page, qtbot, *related())
    page.align()
    assert page.control.phase == "waiting"
    assert (page.running, page.holds_device) == (True, False)
    assert "another run uses this device" in text_of(page, "pairStage")
    page.stop()
    assert page.control.phase == "idle"
    page.align()
    page.control.release()
    assert page.control.phase == "waiting"
    free.append(True)
    with qtbot.waitSignal(page.finished):
        page.control.release()


def test_a_page_that_closes_stops_its_work(make_page, qtbot):
    slow = Slow()
    page = make_page(align=slow, plan=plan)
    fill(page, qtbot, *related())
    page.align()
    qtbot.waitUntil(slow.going.is_set)
    page.shutdown()
    assert page.result is None


def test_progress_is_told_in_words_and_speed_comes_from_the_last_seconds():
    state = PairRunState()
    assert (state.title, state.line, state.fraction, state.time_left) == ("Preparing", "", None, "")
    for second in range(1, 30):
        cells = second * 10**9 if second <= 20 else 20 * 10**9 + (second - 20) * 5 * 10**9
        state.feed(scoring("plus", 1, cells, 100 * 10**9, best=PairEnd(second, 1, 1), seconds=second))
    assert state.gcups == pytest.approx(5.0)
    assert state.best == 29
    assert state.fraction == pytest.approx(0.65)
    assert state.line == "65 %, 65.0 G of 100 G cells   5.0 GCUPS   best score so far 29"
    state.feed(scoring("minus", 1, 0, 0, seconds=30.0))
    assert state.fraction is None
    assert state.gcups == 0.0
    assert state.best == 29


def test_both_strands_share_one_bar_and_their_time_left_is_a_range():
    state = PairRunState()
    state.feed(PairStarted(PairPlan("cpu", (), 100 * 10**9, 0, {}, {}, 60.0, ()), ("plus", "minus")))
    state.feed(scoring("plus", 1, 50 * 10**9, 100 * 10**9, seconds=5.0, left=60.0))
    assert state.fraction == pytest.approx(0.25)
    assert state.line.startswith("25 %, 50.0 G of 200 G cells")
    assert state.time_left == "30 s to 2 min left"
    state.feed(scoring("plus", 1, 150 * 10**9, 150 * 10**9, seconds=9.0, left=50.0))  # more than was foretold
    seen = state.fraction
    state.feed(scoring("minus", 1, 0, 100 * 10**9, seconds=10.0, left=30.0))
    assert state.fraction == pytest.approx(seen)  # it does not go back
    assert state.time_left == "about 30 s left"
    state.feed(scoring("minus", 1, 100 * 10**9, 100 * 10**9, seconds=20.0, left=1.0))
    assert state.fraction == 1.0
