"""Work that an earlier run began: its kept state."""

import threading
from dataclasses import replace

from PySide6.QtWidgets import QComboBox

from swgui.core.pair.result import PairFound, PairProgressed
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.gui.pair import control as pair_control
from swgui.gui.pair.control import checkpoint_path, forget_old_checkpoints, with_checkpoint
from swgui.io.saved.pair_checkpoint import settle
from swgui.jobs.pair.run import align_pair, plan_pair
from tests.gui.pair.conftest import choose, fill, known, plans, related


def planned(method="cpu", seconds=100.0, **settings):
    """Return what plans an alignment in that way."""

    def plan(request):
        return {strand: replace(one, settings=settings) for strand, one in plans(request, method, seconds).items()}

    return plan


def details(page):
    return page.strip._details.whole_text()


def test_work_that_was_begun_goes_on(make_page, qtbot):
    page = make_page()
    fill(page, qtbot, *related())
    request = page.setup.request()
    kept = checkpoint_path(request, plan_pair(request)["plus"])
    kept.parent.mkdir(parents=True)
    cancel = threading.Event()
    for event in align_pair(replace(request, checkpoint=kept), cancel):
        if isinstance(event, PairFound | PairProgressed):
            cancel.set()
    settle(kept)
    assert kept.exists()
    page.refresh()
    qtbot.waitUntil(lambda: details(page).startswith("An earlier run of this did not come to its end: Align goes on"))
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
    kept = checkpoint_path(request, ways["auto"](request)["plus"])
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"state")
    page.refresh()
    qtbot.waitUntil(lambda: "Align goes on from there" in details(page))
    devices, method = page.findChild(QComboBox, "pairDevice"), page.findChild(QComboBox, "pairMethod")
    choose(devices, "1")
    assert page.setup.request().options.devices == ("1",)
    assert not page.ready
    qtbot.waitUntil(lambda: page.ready)
    assert "Align goes on from there" in details(page)
    request = page.setup.request()
    assert with_checkpoint(request, ways["auto"](request)).checkpoint == kept
    for threads in ("1", "2"):
        plan = planned("wavefront", bits="16", threads=threads)(request)["plus"]
        assert checkpoint_path(request, plan) == kept
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
    kept = checkpoint_path(request, plan_pair(request)["plus"])
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"not a state at all")
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert page.result.state == "finished"
    assert page.result.score == known().score
    assert not kept.exists()


def test_only_long_work_keeps_its_state_and_each_work_its_own(make_page, qtbot, user_folders):
    page = make_page(plan=plans)
    fill(page, qtbot, *related())
    request = page.setup.request()
    assert with_checkpoint(request, plans(request, seconds=1.0)).checkpoint is None
    assert with_checkpoint(request, plans(request, seconds=None)).checkpoint is None
    kept = with_checkpoint(request, plans(request, seconds=100.0)).checkpoint
    plan = plans(request)["plus"]
    assert kept.parent.is_dir()
    assert kept.is_relative_to(user_folders["data"])
    assert checkpoint_path(request, plan) == kept
    assert checkpoint_path(request, replace(plan, method="wavefront")) != kept
    assert checkpoint_path(replace(request, strand="plus"), plan) != kept
    assert checkpoint_path(replace(request, subject=request.query), plan) != kept
    assert checkpoint_path(replace(request, limit=2), plan) != kept
    kept.write_bytes(b"old")
    forget_old_checkpoints()
    assert kept.exists()


def test_long_work_is_done_without_a_state_where_none_can_be_written(make_page, qtbot, user_folders):
    page = make_page(plan=planned(seconds=100.0))
    fill(page, qtbot, *related())
    (user_folders["data"]).mkdir(parents=True, exist_ok=True)
    (user_folders["data"] / "pairs").write_bytes(b"not a folder")
    with qtbot.waitSignal(page.finished, timeout=60_000):
        page.align()
    assert page.result.state == "finished"


def test_old_states_are_deleted(monkeypatch, user_folders):
    folder = user_folders["data"] / "pairs"
    folder.mkdir(parents=True)
    (folder / "x.pair").write_bytes(b"old")
    monkeypatch.setattr(pair_control.time, "time", lambda: 4e9)
    forget_old_checkpoints()
    assert not (folder / "x.pair").exists()
