"""Searches in the window: running, waiting, stopped, failed."""

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton

from swgui import settings as store
from swgui.cli import main
from swgui.core.errors import EngineFault, EngineUnavailable
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.gui.kit.tasks import task
from swgui.jobs.events import Finished, Progress, Stage, finishing
from swgui.jobs.kind import kinds
from swgui.jobs.search.events import PartialHits, Started
from swgui.jobs.search.run import search_steps
from swgui.runs import Runs
from swgui.settings import Settings
from tests.gui.named import named
from tests.gui.window.by_hand import result_of


class Slow:
    """A search that runs until it is stopped."""

    def __init__(self):
        self.going = threading.Event()

    def __call__(self, request, cancel):
        yield Stage("Preparing the engine")
        yield Started(1, len(request.database), request.database.residues, 10**9, "cpu", ("Test CPU",))
        for step in range(1, 10**6):
            if cancel.wait(0.01):
                break
            done = step * 1000
            yield Progress(done, 10**9, step * 0.01, {"Test CPU": done}, {"Test CPU": step * 0.01})
            yield PartialHits(0, request.database.order[:2], request.database.lengths[:2])
            self.going.set()
        for answer in finishing(search_steps(request, threading.Event())):
            if isinstance(answer, Finished):
                yield Finished(result_of(request, "stopped", cells=(620, 1000)))


def test_stop_in_the_middle_keeps_what_was_scored(ready, qtbot):
    search = Slow()
    window = ready(search=search)
    window.run_search()
    qtbot.waitUntil(search.going.is_set)
    qtbot.waitUntil(window.activity_dock.isVisible)
    assert not window.actions_table["run"].isEnabled()
    assert window.search_page.problem == "A search is running."
    qtbot.waitUntil(lambda: window.run_panel.best.rowCount() == 2)
    with qtbot.waitSignal(window.controller.result_ready) as stopped:
        qtbot.mouseClick(window.findChild(QPushButton, "runStop"), Qt.MouseButton.LeftButton)
    assert stopped.args[0].state == "stopped"
    assert window.results_page.result is stopped.args[0]
    assert "62 %" in window.notifications.messages[-1].text
    assert "Partial" in window.findChild(QLabel, "runTimeLeft").text()
    assert "<b>" not in named(window.run_panel.speed, "speedLegend").text().removeprefix(
        "<b>Speed"
    )  # no speed of the moment any more
    assert not window.actions_table["stop"].isEnabled()
    assert not window.actions_table["run"].isEnabled()  # the result is shown
    window.show_page("search")
    assert window.actions_table["run"].isEnabled()


def test_while_a_search_runs_the_next_one_can_wait_in_the_queue(ready, qtbot):
    search = Slow()
    window = ready(search=search)
    window.resize(1280, 720)
    page, queue = window.search_page, window.search_page.queue_button
    assert not queue.isVisible()
    window.run_search()
    qtbot.waitUntil(search.going.is_set)
    assert not page.search_button.isEnabled()
    assert window.actions_table["queue"].isEnabled()
    said = "A search is running. Add this one to the queue, and it runs next. Search 1 protein"
    assert window.findChild(QLabel, "plan").text().startswith(said)
    window.copy_command_line()
    assert QGuiApplication.clipboard().text().startswith("swgui search")
    qtbot.mouseClick(queue, Qt.MouseButton.LeftButton)
    assert window.queue.waiting == 1
    page.query.set_text("")
    told = "A search is running. Add a sequence first."
    qtbot.waitUntil(lambda: window.findChild(QLabel, "plan").text() == told)
    assert not queue.isEnabled()
    with qtbot.waitSignals([window.controller.result_ready, window.controller.begun]):
        window.stop_search()
    assert window.queue.waiting == 0
    with qtbot.waitSignal(window.controller.result_ready):
        window.stop_search()
    qtbot.waitUntil(lambda: not queue.isVisible())


def test_the_window_stays_alive_during_a_run(ready, qtbot):
    search = Slow()
    window = ready(search=search)
    window.run_search()
    qtbot.waitUntil(search.going.is_set)
    window.show_page("results")
    window.show_page("search")
    window.search_page.query.set_text(">new\nMKVLW\n")
    qtbot.waitUntil(lambda: window.search_page.query.records[0].id == "new")
    with qtbot.waitSignal(window.controller.result_ready):
        window.stop_search()


@pytest.mark.parametrize(
    "error",
    [
        EngineUnavailable("cuda", "No CUDA GPU was found.", hint="Use the CPU."),
        EngineFault("The GPU stopped answering."),
        ValueError("not foreseen"),
        OSError(28, "No space left on device"),
        MemoryError(),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.sampled(2)
def test_a_failed_run_is_explained_and_the_next_one_works(ready, qtbot, error):
    outcomes = [error]

    def search(request, cancel):
        if outcomes:
            raise outcomes.pop()
        yield from finishing(search_steps(request, cancel))

    settings = Settings()
    settings.search.engine = "reference"
    window = ready(settings=settings, search=search)
    qtbot.waitUntil(lambda: window.search_page.ready)
    window.search_page.engine.probe()
    qtbot.waitUntil(lambda: window.search_page.engine.choice.engine == "reference")
    with qtbot.waitSignal(window.controller.failed):
        window.run_search()
    (message,) = window.notifications.messages
    assert message.level == "danger"
    assert message.title
    assert type(error).__name__ in message.details
    assert window.page == "search"
    assert window.findChild(QPushButton, "searchButton").isEnabled()
    with qtbot.waitSignal(window.controller.result_ready):
        window.run_search()
    assert window.results_page.result.state == "complete"


def test_a_result_of_a_failed_run_is_shown_with_a_message(ready, qtbot):
    def search(request, cancel):
        yield Finished(result_of(request, "failed", "The GPU stopped answering.", cells=(62, 100)))

    window = ready(search=search)
    with qtbot.waitSignal(window.controller.result_ready):
        window.run_search()
    (message,) = window.notifications.messages
    assert (message.level, message.title, message.text) == (
        "danger",
        "The search ended at 62 %.",
        "The GPU stopped answering.",
    )


def test_speeds_are_learned_from_whole_runs_that_are_long_enough(ready, qtbot):
    results = []
    window = ready(search=lambda request, cancel: iter([Finished(results.pop()(request))]))

    def run(**options):
        results.append(lambda request: result_of(request, **options))
        with qtbot.waitSignal(window.controller.result_ready):
            window.run_search()
        window.show_page("search")

    run(cells=(100, 100), seconds=1.0)
    run(cells=(10**9, 10**9), seconds=0.001)
    run(cells=(10**9, 2 * 10**9), seconds=1.0, state="stopped")
    run(cells=(10**9, 10**9), seconds=1.0, message="The engine 'cpu' scored the rest.")
    assert window.settings.speeds == {}
    run(cells=(5 * 10**9, 5 * 10**9), seconds=2.0)
    assert window.settings.speeds == pytest.approx({"cpu | Test CPU": 2.5})


def test_the_result_does_not_take_the_page_away_from_elsewhere(ready, qtbot):
    window = ready()
    window.show_page("search")
    with qtbot.waitSignal(window.controller.result_ready):
        window.run_search()
    assert window.page == "results"
    assert window.activity_dock.isHidden()  # short runs do not make it flash


def test_a_hit_becomes_the_next_query(ready, qtbot):
    window = ready()
    window.results_page.query_wanted.emit(window.search_page.database.database.record(2))
    qtbot.waitUntil(lambda: window.search_page.ready)
    assert [record.id for record in window.search_page.query.records] == ["three"]
    assert window.page == "search"
    part = QueryRange(2, 5)
    window.results_page.part_wanted.emit(window.search_page.query.records[0], part)
    qtbot.waitUntil(lambda: window.search_page.ready)
    assert window.search_page.request().search.query_range == part
    window.search_page.query.set_text(">other\nMKVLAW\n")
    qtbot.waitUntil(lambda: window.search_page.ready)
    assert window.search_page.request().search.query_range is None


def test_closing_in_the_middle_of_a_run_stops_it_and_does_not_wait_for_it(ready, qtbot):
    going, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    def search(request, cancel):
        yield Started(1, len(request.database), request.database.residues, 10**9, "cpu", ("Test CPU",))
        going.set()
        assert cancel.wait(60)
        go_on.wait(60)
        ended.set()

    window = ready(search=search)
    window.run_search()
    qtbot.waitUntil(going.is_set)
    assert window.close()
    assert not window.isVisible()
    assert not ended.is_set()
    go_on.set()
    assert task.join(20_000)
    assert ended.is_set()
    assert store.load().recent.databases


# Commands


def test_a_run_of_a_kind_without_a_page_says_what_came_of_it(make_window, tmp_path, user_folders, qtbot, monkeypatch):
    without = {"cluster": replace(kinds()["cluster"], page="")}  # as a kind of a package may be
    monkeypatch.setattr("swgui.gui.window.main_window.kinds", lambda: without)
    fasta = tmp_path / "two.fa"
    fasta.write_text(">a\nMKVLAAGICWWSIINFEKLHH\n>b\nMKVLAAGICWWSIINFEKLHW\n")
    assert main(["cluster", str(fasta), "--history", "--engine", "cpu", "-o", str(tmp_path / "out.tsv")]) == 0
    window = make_window()
    (record,) = Runs().list()
    window.show_outcome(record.kind, Runs().open(record.id))
    (message,) = window.notifications.messages
    assert message.title == "Clusters"
    assert message.text.startswith("1 cluster of 2 sequences. Similar: ")
