import threading

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import EngineFault
from swgui.core.records import SequenceRecord
from swgui.gui.kit.motion import REPAINT_MS
from swgui.gui.kit.tasks import task
from swgui.gui.runs.queue import SearchController
from swgui.jobs.events import PAUSED, Finished, Progress, Stage
from tests.asking import BLOSUM62, result_for, search_request

QUERY = SequenceRecord("q", "", b"MKVLWAALLV")


@pytest.fixture
def request_():
    database = encode_database([QUERY, SequenceRecord("s", "", b"MKVLW")], PROTEIN, "small")
    assert isinstance(database, EncodedDatabase)
    return search_request(queries=(QUERY,), database=database, scheme=BLOSUM62)


@pytest.fixture
def make_controller(qapp):
    made = []

    def make(search):
        made.append(SearchController(search=search))
        return made[-1]

    yield make
    for controller in made:
        controller.shutdown()


def result_of(request, state="complete"):
    return result_for(request, state=state, cells_done=1, cells_total=2)


def test_a_result_is_handed_over_and_the_phase_returns_to_idle(make_controller, request_, qtbot):
    result = result_of(request_)
    controller = make_controller(lambda request, cancel: iter([Stage("Ranking"), Finished(result)]))
    phases = []
    controller.phase_changed.connect(phases.append)
    with qtbot.waitSignal(controller.result_ready) as ready:
        controller.start(request_)
        assert controller.phase == "running"
    assert ready.args[0] is result
    assert phases == ["running", "idle"]


def test_events_are_gathered_to_ten_repaints_a_second(make_controller, request_, qtbot):
    def search(request, cancel):
        for n in range(1, 3001):
            yield Progress(n, 3000, n * 1e-3, {}, {})
        yield Finished(result_of(request))

    controller = make_controller(search)
    seen = []
    controller.state_changed.connect(lambda state: seen.append(state.progress.done))
    with qtbot.waitSignal(controller.result_ready):
        controller.start(request_)
    assert REPAINT_MS >= 100
    assert len(seen) < 300  # 3,000 events arrived; each repaint shows the newest
    assert seen == sorted(seen)
    assert seen[-1] == 3000


def test_stop_ends_the_run_with_what_was_scored(make_controller, request_, qtbot):
    going = threading.Event()

    def search(request, cancel):
        n = 0
        while not cancel.wait(0.005):
            n += 1
            yield Progress(n, 10**9, n * 0.005, {}, {})
            going.set()
        yield Finished(result_of(request, "stopped"))

    controller = make_controller(search)
    phases = []
    controller.phase_changed.connect(phases.append)
    controller.start(request_)
    qtbot.waitUntil(going.is_set)
    with qtbot.waitSignal(controller.result_ready) as ready:
        controller.stop()
        controller.stop()
    assert ready.args[0].state == "stopped"
    assert phases == ["running", "stopping", "idle"]


def test_stop_before_anything_was_scored_is_no_failure(make_controller, request_, qtbot):
    def search(request, cancel):
        cancel.wait(60)
        return iter(())

    controller = make_controller(search)
    failures = []
    controller.failed.connect(failures.append)
    controller.start(request_)
    with qtbot.waitSignal(controller.stopped):
        controller.stop()
    assert failures == []
    assert controller.phase == "idle"


def test_a_failure_is_told_and_the_next_search_works(make_controller, request_, qtbot):
    outcomes = [EngineFault("The GPU stopped answering."), None]

    def search(request, cancel):
        yield Stage("Preparing the engine")
        if (error := outcomes.pop(0)) is not None:
            raise error
        yield Finished(result_of(request))

    controller = make_controller(search)
    results = []
    controller.result_ready.connect(results.append)
    with qtbot.waitSignal(controller.failed) as failed:
        controller.start(request_)
    assert "stopped answering" in str(failed.args[0])
    assert results == []
    assert controller.phase == "idle"
    with qtbot.waitSignal(controller.result_ready):
        controller.start(request_)
    assert len(results) == 1


def test_what_a_replaced_search_still_says_is_dropped(make_controller, request_, qtbot):
    hold, going = threading.Event(), threading.Event()
    old, new = result_of(request_, "stopped"), result_of(request_)

    def slow(request, cancel):
        yield Progress(1, 2, 1.0, {"old": 1}, {"old": 1.0})
        going.set()
        hold.wait(60)
        yield Finished(old)

    searches = [slow, lambda request, cancel: iter([Finished(new)])]
    controller = make_controller(lambda request, cancel: searches.pop(0)(request, cancel))
    results, failures = [], []
    controller.result_ready.connect(results.append)
    controller.failed.connect(failures.append)
    controller.start(request_)
    qtbot.waitUntil(going.is_set)
    controller.start(request_)
    with qtbot.waitSignal(controller.result_ready):
        hold.set()
    qtbot.wait(50)
    assert results == [new]
    assert failures == []
    assert controller.state.progress is None


def test_shutdown_in_the_middle_of_a_run_leaves_no_thread(make_controller, request_, qtbot):
    closed, going = threading.Event(), threading.Event()

    def search(request, cancel):
        try:
            while True:
                yield Progress(1, 2, 1.0, {}, {})
                going.set()
        finally:
            closed.set()

    controller = make_controller(search)
    controller.start(request_)
    qtbot.waitUntil(going.is_set)
    controller.shutdown()
    assert task.join(60_000)
    assert closed.is_set()


def test_arrays_of_events_are_not_copied(make_controller, request_, qtbot):
    from swgui.jobs.search.events import PartialHits

    scores = np.arange(5, dtype=np.int32)
    hits = PartialHits(0, np.arange(5), scores)
    controller = make_controller(lambda request, cancel: iter([hits, Finished(result_of(request))]))
    with qtbot.waitSignal(controller.result_ready):
        controller.start(request_)
    assert controller.state.hits[0].scores is scores


def test_pause_holds_the_run_and_stop_ends_it_all_the_same(make_controller, request_, qtbot):
    def search(request, cancel):
        n = 0
        while not cancel.is_set():
            n += 1
            yield Progress(n, 10**9, n * 0.005, {}, {})
            if cancel.paused:
                yield Stage(PAUSED)
                cancel.wait_while_paused()
                yield Stage("Scoring")
            cancel.wait(0.002)
        yield Finished(result_of(request, "stopped"))

    controller = make_controller(search)
    told = []
    controller.pause_changed.connect(told.append)
    controller.pause(True)  # nothing runs
    assert not controller.paused
    controller.start(request_)
    controller.pause(True)
    assert controller.paused
    qtbot.waitUntil(lambda: controller.state.paused)
    controller.pause(False)
    qtbot.waitUntil(lambda: not controller.state.paused)
    controller.pause(True)
    qtbot.waitUntil(lambda: controller.state.paused)
    with qtbot.waitSignal(controller.result_ready):
        controller.stop()
    assert not controller.paused
    assert told == [True, False, True, False]
