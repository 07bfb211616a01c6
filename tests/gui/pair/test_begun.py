"""Work that an earlier run began: its kept state."""

import threading
from dataclasses import replace

from PySide6.QtWidgets import QComboBox

from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.io.saved.pair_checkpoint import settle
from swgui.jobs.pair.checkpoint import CheckpointIdentity, with_checkpoint
from swgui.jobs.pair.events import PairFound, PairProgressed
from swgui.jobs.pair.plan import plan_pair
from swgui.jobs.pair.run import align_pair
from tests.gui.pair.conftest import choose, fill, known, plan, related


def planned(method="cpu", seconds=100.0, **settings):
    """Return what plans an alignment in that way."""

    def make(request):
        return replace(plan(request, method, seconds), settings=settings)

    return make


def details(page):
    return page.strip._details.whole_text()


def test_work_that_was_begun_goes_on(make_page, qtbot):
    page = make_page()
    fill(page, qtbot, *related())
    request = page.setup.request()
    kept = CheckpointIdentity.of(request, plan_pair(request)).path
    kept.parent.mkdir(parents=True)
    cancel = threading.Event()
    for event in align_pair(replace(request, checkpoint=kept), cancel):
        if isinstance(event, PairFound | PairProgressed):
            cancel.set()
    settle(kept)
    assert kept.exists()
    page.refresh()
    qtbot.waitUntil(lambda: details(page).startswith("An earlier run of this did not come to its end: Align resumes"))
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert page.result.score == known().score
    assert not kept.exists()


def test_other_devices_and_threads_go_on_and_other_ways_say_that_they_cannot(make_page, qtbot):
    ways = {"auto": planned("wavefront", bits="16"), "tiled": planned("tiled", tile="1024"),
            "wavefront": planned("wavefront", bits="32")}  # fmt: skip
    page = make_page(plan=lambda request: ways[request.method](request))
    fill(page, qtbot, *related())
    gpus = EngineStatus("cuda", True, (DeviceInfo("0", "One"), DeviceInfo("1", "Two")))
    page.setup.options.show_engines((gpus,))
    request = page.setup.request()
    kept = CheckpointIdentity.of(request, ways["auto"](request)).path
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"state")
    page.refresh()
    qtbot.waitUntil(lambda: "Align resumes it there" in details(page))
    devices, method = page.findChild(QComboBox, "pairDevice"), page.findChild(QComboBox, "pairMethod")
    choose(devices, "1")
    assert page.setup.request().options.devices == ("1",)
    assert not page.ready
    qtbot.waitUntil(lambda: page.ready)
    assert "Align resumes it there" in details(page)
    request = page.setup.request()
    assert with_checkpoint(request, ways["auto"](request)).checkpoint == kept
    for threads in ("1", "2"):
        other = planned("wavefront", bits="16", threads=threads)(request)
        assert CheckpointIdentity.of(request, other).path == kept
    choose(method, "wavefront")
    qtbot.waitUntil(lambda: "with other settings of the method: its state is of no use here" in details(page))
    choose(method, "tiled")
    qtbot.waitUntil(lambda: "by the method Packed anti-diagonals did not come to its end." in details(page))
    assert "Align begins anew." in details(page)
    assert kept.exists()
    page.setup.swap()
    qtbot.waitUntil(lambda: page.ready)
    assert "earlier run" not in details(page)


def test_a_kept_state_that_does_not_fit_is_no_obstacle(make_page, qtbot):
    page = make_page()
    fill(page, qtbot, *related())
    request = page.setup.request()
    kept = CheckpointIdentity.of(request, plan_pair(request)).path
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"not a state at all")
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert page.result.state == "finished"
    assert page.result.score == known().score
    assert not kept.exists()


def test_long_work_is_done_without_a_state_where_none_can_be_written(make_page, qtbot, user_folders):
    page = make_page(plan=planned(seconds=100.0))
    fill(page, qtbot, *related())
    (user_folders["data"]).mkdir(parents=True, exist_ok=True)
    (user_folders["data"] / "pairs").write_bytes(b"not a folder")
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert page.result.state == "finished"
