"""Work that an earlier run began: its kept state."""

import threading

from PySide6.QtWidgets import QComboBox, QPushButton

from swgui.core.plain import replace
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.pair import cpu
from swgui.io.saved.log import settle
from swgui.jobs.pair import run as pair_run
from swgui.jobs.pair.events import PairProgressed
from swgui.jobs.pair.run import plan_pair
from swgui.runs import Runs
from tests.gui.named import named
from tests.gui.pair.conftest import Slow, choose, fill, known, plan, related, started, text_of


def planned(method="cpu", seconds=100.0, **settings):
    """Return a function that plans an alignment in that way."""

    def make(request):
        return replace(plan(request, method, seconds), settings=settings)

    return make


def details(page):
    return text_of(page, "pairBegun")


def stopped(request, monkeypatch):
    """Align until something is known, and stop; return the run."""
    for name, value in (("TICK_SECONDS", 0.0), ("CHECKPOINT_SECONDS", 0.0)):
        monkeypatch.setattr(cpu, name, value)
    monkeypatch.setattr(pair_run, "CHECKPOINT_SECONDS", 0.0)
    history, cancel = Runs(), threading.Event()
    for event in history.of("pair").run(replace(request, plan=plan_pair(request)), cancel):
        if isinstance(event, PairProgressed) and event.step.best is not None:
            cancel.set()
    settle(history.folder / f"{event.outcome.run_id}.state")
    return event.outcome.run_id


def begun(request, planned, state=b"state"):
    """Begin as a program does that is killed once it has kept a state; return the run."""

    def killed(request, cancel, planned):
        request.checkpoint.write_bytes(state)
        yield started(request)

    history = Runs()
    history.of("pair").work = killed
    list(history.of("pair").run(replace(request, plan=planned), threading.Event()))
    (record,) = history.list()
    assert record.state == "interrupted"
    return record.id


def test_work_that_was_begun_goes_on(make_page, qtbot, monkeypatch):
    page = make_page()
    fill(page, qtbot, *related())
    run_id = stopped(page.setup.request(), monkeypatch)
    page.refresh()
    qtbot.waitUntil(lambda: details(page).startswith("An earlier run of this pair did not finish: Align resumes"))
    with qtbot.waitSignal(page.finished):
        page.align()
    assert page.result.score == known().score
    assert page.result.run_id == run_id
    assert [(record.id, record.state) for record in Runs().list()] == [(run_id, "done")]


def test_other_devices_and_threads_go_on_and_other_ways_say_that_they_cannot(make_page, qtbot):
    ways = {"auto": planned("wavefront", bits="16"), "tiled": planned("tiled", tile="1024"),
            "wavefront": planned("wavefront", bits="32")}  # fmt: skip
    page = make_page(plan=lambda request: ways[request.method](request))
    fill(page, qtbot, *related())
    gpus = EngineStatus("cuda", True, (DeviceInfo("0", "One"), DeviceInfo("1", "Two")))
    page.setup.options.show_engines((gpus,))
    begun(request := page.setup.request(), ways["auto"](request))
    page.refresh()
    qtbot.waitUntil(lambda: "Align resumes it." in details(page))
    devices, method = page.findChild(QComboBox, "pairDevice"), page.findChild(QComboBox, "pairMethod")
    choose(devices, "1")
    assert page.setup.request().options.devices == ("1",)
    assert not page.ready
    qtbot.waitUntil(lambda: page.ready)
    assert "Align resumes it." in details(page)
    choose(method, "wavefront")
    qtbot.waitUntil(lambda: "It used other settings of the method" in details(page))
    choose(method, "tiled")
    qtbot.waitUntil(lambda: "by the method Packed anti-diagonals did not finish." in details(page))
    assert "Align starts again from the beginning." in details(page)
    page.setup.swap()
    qtbot.waitUntil(lambda: page.ready)
    assert "earlier run" not in details(page)


def test_a_kept_state_that_does_not_fit_is_no_obstacle(make_page, qtbot):
    page = make_page()
    fill(page, qtbot, *related())
    run_id = begun(request := page.setup.request(), plan_pair(request), b"not a state at all")
    page.refresh()
    qtbot.waitUntil(lambda: "Align resumes it." in details(page))
    with qtbot.waitSignal(page.finished):
        page.align()
    assert page.result.state == "finished"
    assert page.result.score == known().score
    assert page.result.run_id == run_id


def test_work_is_done_where_nothing_can_be_kept(make_page, qtbot, user_folders):
    page = make_page()
    fill(page, qtbot, *related())
    (user_folders["data"]).mkdir(parents=True, exist_ok=True)
    (user_folders["data"] / "runs").write_bytes(b"not a folder")
    with qtbot.waitSignal(page.finished):
        page.align()
    assert page.result.state == "finished"
    assert "not be kept" in page.result.remarks[-1]


def test_a_stopped_pair_offers_to_be_resumed(make_page, qtbot, monkeypatch):
    page = make_page()
    fill(page, qtbot, *related())
    run_id = stopped(page.setup.request(), monkeypatch)
    resume = page.findChild(QPushButton, "pairResume")
    page.open_kept(Runs().of("pair").open(run_id))
    qtbot.waitUntil(resume.isVisible)
    with qtbot.waitSignal(page.resume_wanted) as wanted:
        resume.click()
    assert wanted.args == [run_id]
    with qtbot.waitSignal(page.finished):
        page.control.start(Runs().of("pair").resume(run_id))
    assert (page.result.state, page.result.run_id) == ("finished", run_id)
    assert not resume.isVisible()
    assert named(page, "pairResults").count() == 1, "the partial result is replaced by the whole one"


def test_one_pair_at_a_time(make_page, qtbot):
    page = make_page(align=(slow := Slow()), plan=plan)
    fill(page, qtbot, *related())
    page.align()
    qtbot.waitUntil(slow.going.is_set)
    with qtbot.waitSignal(page.failed) as failed:
        asked = page.control.request
        page.align_these(asked.query, asked.subject, asked.scheme, asked.strand)
    assert "Another pair is being aligned." in str(failed.args[0])
    with qtbot.waitSignal(page.finished):
        page.stop()
