"""Runs of several kinds in the queue: their turns, pause and stop, and what becomes of one that fails."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.engines.base import EngineStatus
from swgui.gui.kit.tasks.control import JobController
from swgui.gui.runs.queue import RunQueue, SearchController
from swgui.jobs.events import Finished, Progress
from swgui.jobs.kind import kinds
from swgui.jobs.network.request import NetworkRequest
from swgui.jobs.pair.request import PairRequest
from swgui.runs.kept import About
from tests.asking import BLOSUM62
from tests.gui.named import named
from tests.gui.runs.held import choose


@pytest.fixture
def pair():
    return PairRequest(SequenceRecord("one", "", b"MKVLW"), SequenceRecord("two", "", b"MKVLY"), BLOSUM62)


class HeldRun:
    """A run of any kind that proceeds as the test says; `paused` hears that it rests."""

    def __init__(self):
        self.ran, self.go, self.paused, self.error = [], threading.Event(), threading.Event(), None

    def __call__(self, request, control):
        self.ran.append(request)
        yield Progress(3, 10, 1.5)
        while not self.go.wait(0.01) and not control.is_set():
            if control.paused:
                self.paused.set()
                control.wait_while_paused()
        if self.error is not None:
            raise self.error
        yield Finished("what was found")


def shown(page):
    return [(row.state, row.kind, row.name) for row in page.model.rows]


def held(queue, kind="pair"):
    run = HeldRun()
    queue.register(JobController(kind, run, queue))
    return run


def test_searches_and_pairs_take_turns(desk, searched, pair, qtbot):
    page, queue, _held, controller = desk()
    run = held(queue)
    queue.add(searched[0])
    qtbot.waitUntil(lambda: controller.phase == "running")
    queue.add(pair, "pair")
    queue.add(searched[0])
    assert (queue.waiting, run.ran) == (2, [])
    assert shown(page)[1][:2] == ("waiting", "pair")
    assert "one" in shown(page)[1][2]
    controller.stop()
    qtbot.waitUntil(lambda: run.ran == [pair])
    qtbot.waitUntil(lambda: shown(page)[0][:2] == ("running", "pair"))
    assert (page.model.rows[0].fraction, page.model.rows[0].seconds) == (0.3, 1.5)
    assert (controller.phase, queue.waiting) == ("idle", 1), "a search waits for a pair of the queue"
    run.go.set()
    qtbot.waitUntil(lambda: controller.phase == "running" and queue.waiting == 0)
    controller.stop()
    qtbot.waitUntil(lambda: controller.phase == "idle")


def test_a_run_that_a_page_started_holds_its_device(desk, searched, pair, qtbot):
    """A search for a GPU begins next to a pair on the CPU; one for the CPU waits until that has ended."""
    page, queue, _held, controller = desk()
    run = held(queue)
    queue.controllers["pair"].start(replace(pair, method="cpu"))
    qtbot.waitUntil(lambda: len(run.ran) == 1)
    other = searched[0]
    queue.add(replace(other, search=replace(other.search, engine="cuda")))
    qtbot.waitUntil(lambda: controller.phase == "running")
    controller.stop()
    qtbot.waitUntil(lambda: controller.phase == "idle")
    queue.add(replace(other, search=replace(other.search, engine="cpu")))
    qtbot.wait(60)
    assert (controller.phase, queue.waiting) == ("idle", 1)
    run.go.set()
    qtbot.waitUntil(lambda: controller.phase == "running")
    assert shown(page)[0][1] == "search"


def test_a_run_is_paused_resumed_and_stopped_on_the_page(desk, pair, qtbot):
    page, queue, _held, _controller = desk()
    run = held(queue)
    queue.add(pair, "pair")
    qtbot.waitUntil(lambda: shown(page)[0][0] == "running")
    choose(page, 0)
    page.pause_selected()
    assert run.paused.wait(60)
    assert shown(page)[0][0] == "paused"
    assert page.buttons["pause"].text() == "Resume run"
    page.pause_selected()
    qtbot.waitUntil(lambda: shown(page)[0][0] == "running")
    page.stop_selected()
    qtbot.waitUntil(lambda: queue.runs == ())


def test_a_run_that_failed_is_listed_and_can_be_tried_again(desk, pair, qtbot):
    page, queue, _held, _controller = desk()
    run = held(queue)
    run.error = InvalidParameter("method", "", "The method is not for proteins.")
    run.go.set()
    queue.add(replace(pair, run_id="20260101-000000-abcdef"), "pair")
    qtbot.waitUntil(lambda: shown(page)[0][:2] == ("failed", "pair"))
    assert "not for proteins" in page.model.rows[0].reason
    choose(page, 0)
    page.again_selected()
    qtbot.waitUntil(lambda: len(run.ran) == 2)
    assert run.ran[1].run_id == ""
    qtbot.waitUntil(lambda: shown(page)[0][:2] == ("failed", "pair"))


def test_a_kind_whose_page_was_not_made_yet_has_its_turn(desk, pair, qtbot):
    _page, queue, _held, _controller = desk()
    made, run = [], HeldRun()

    def make(name):
        made.append(name)
        queue.register(JobController("pair", run, queue))

    queue.make_page = make
    queue.add(pair, "pair")
    qtbot.waitUntil(lambda: run.ran == [pair])
    assert made == [kinds()["pair"].page]
    run.go.set()
    qtbot.waitUntil(lambda: queue.runs == ())


class Store:
    """Runs whose requests are the names of engines."""

    def of(self, _kind):
        return SimpleNamespace(about=About, engine=lambda request: (request, EngineOptions()))


@pytest.mark.parametrize("kind", [name for name, kind in kinds().items() if not kind.gives_way])
def test_a_start_of_every_kind_waits_for_its_device_alone(kind, qtbot):
    """Another run is on the GPU: what begins on the CPU does not wait, and neither does anything for a sweep."""
    queue, said, first = RunQueue(SearchController(), Store()), [], "rule" if kind != "rule" else "network"
    run, before, sweep = held(queue, kind), held(queue, first), held(queue, "sweep")
    queue.waits.connect(lambda *runs: said.append([one.kind for one in runs]))
    control, other = queue.controllers[kind], queue.controllers[first]
    queue.controllers["sweep"].start("cuda")
    qtbot.waitUntil(lambda: len(sweep.ran) == 1)
    other.start("cuda")
    assert (other.phase, said) == ("running", [])
    control.start("cpu")
    qtbot.waitUntil(lambda: run.ran == ["cpu"])
    control.stop()
    qtbot.waitUntil(lambda: control.phase == "idle")
    control.start("cuda")
    assert (control.phase, said) == ("waiting", [[kind, first]])
    assert [(one.kind, one.state) for one in queue.runs][-1] == (kind, "waiting")
    control.stop()
    assert (control.phase, run.ran) == ("idle", ["cpu"])
    control.start("cuda")
    queue.add("cuda", kind)
    qtbot.waitUntil(lambda: queue.runs[0].state == "running")
    other.pause(True)  # makes way for what the user starts, not for what is in the queue
    qtbot.waitUntil(lambda: run.ran == ["cpu", "cuda"])
    assert (queue.waiting, len(said), before.ran) == (1, 2, ["cuda"])
    shared = []
    queue.shares.connect(lambda *runs: shared.append([one.kind for one in runs]))
    other.pause(False)
    qtbot.waitUntil(lambda: shared == [[first, kind]])
    for one in queue.controllers.values():
        one.shutdown()


def test_what_automatic_means_is_the_engine_that_can_be_used(qtbot):
    queue = RunQueue(SearchController(), Store())
    run, other = held(queue), held(queue, "network")
    queue.controllers["network"].start("cpu")
    qtbot.waitUntil(lambda: len(other.ran) == 1)
    queue.controllers["pair"].start("auto")
    assert queue.controllers["pair"].phase == "waiting"
    queue.controllers["pair"].stop()
    queue.use_engines([EngineStatus(name, available=True) for name in ("cuda", "cpu")])
    queue.controllers["pair"].start("auto")
    qtbot.waitUntil(lambda: run.ran == ["auto"])
    for one in queue.controllers.values():
        one.shutdown()


def test_messages_on_what_waits_go_when_it_begins(make_window, pair, tmp_path, qtbot):
    window = make_window()
    window.pages.ensure("pair")
    run, other = held(window.queue, "network"), window.pages["pair"].control
    notes = lambda: [note.message.title for note in named(window, "noteStack").notes]  # noqa: E731
    window.queue.add(NetworkRequest(tmp_path / "some.fa", engine="cpu"), "network")
    qtbot.waitUntil(lambda: len(run.ran) == 1)
    window.waiting.enqueue("pair", [replace(pair, method="cpu")])
    assert window.statusBar().currentMessage() == "The alignment of a pair waits in the queue, on the Runs page."
    window.queue.remove(next(one.id for one in window.queue.runs if one.state == "waiting"))
    assert window.statusBar().currentMessage() == ""
    other.start(replace(pair, method="cpu"))
    assert notes() == ["The alignment of a pair waits for the network, which uses the same device."]
    named(window, "noteStack").notes[0].message.action.does()
    qtbot.waitUntil(lambda: other.active)
    assert notes() == []
    qtbot.waitUntil(lambda: other.phase == "idle")
    run.go.set()
    window.queue.stop(window.queue.runs[0].id)
    qtbot.waitUntil(lambda: not window.queue.runs)


def test_a_comparison_of_the_network_page_waits_for_its_turn_and_is_listed(make_window, pair, tmp_path, qtbot):
    window, fasta = make_window(), tmp_path / "two.fa"
    fasta.write_text(">a\nMKVLAAGICWWSIINFEKLHH\n>b\nMKVLAAGICWWSIINFEKLHW\n")
    window.pages.ensure("network")
    page, run = window.pages["network"].network, held(window.queue)
    window.queue.add(replace(pair, method="cpu"), "pair")
    page.use_file(fasta)
    qtbot.waitUntil(lambda: window.queue.waiting == 1)
    assert [(one.kind, one.state == "waiting") for one in window.queue.runs] == [("pair", False), ("network", True)]
    assert "waits for its turn" in named(page, "networkNote").text()
    assert page.shown.cut is None
    run.go.set()
    qtbot.waitUntil(lambda: page.shown.cut is not None and not page.running)
    assert named(page, "networkNote").isHidden()
    assert [record.kind for record in window.history.list()] == ["network"]
